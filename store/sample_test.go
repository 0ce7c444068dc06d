package store_test

import (
	"testing"

	"scrinalia/worker"

	"github.com/google/go-cmp/cmp"
)

func counts(notes map[string]worker.Note) map[string]int64 {
	got := map[string]int64{}
	for name, n := range notes {
		got[name] = n.Count
	}
	return got
}

// TestSample says what each worker finds in the sample collection. The numbers of faults are those of sample/README.md.
func TestSample(t *testing.T) {
	t.Parallel()
	a := newSample(t)
	a.checkQueues()
	steps := []struct {
		worker string
		units  int64
		failed int64
		notes  map[string]int64
	}{
		{worker.Transfer, 402, 0, map[string]int64{"created": 402, "unknown_level": 5, "orphans": 4, "tags_linked": 1543}},
		{worker.Cleaning, 4160, 0, map[string]int64{"rewritten": 5 + 9 + 3 + 4 + 3 + 5}}, // spaces, punctuation, dashes, HTML, no-break spaces, Fotogr.
		{worker.NamedEntities, 402, 0, map[string]int64{"names": 506, "entities_linked": 506}},
		{worker.Typology, 402, 0, map[string]int64{"filed": 152, "below_threshold": 6, "no_label": 244}},
		{worker.Thumbnails, 51, 4, map[string]int64{"made": 51, "gone": 3, "undecodable": 1}},
		{worker.ConflictJudge, 94, 0, map[string]int64{"kept_entity": 76, "kept_tag": 7, "for_a_person": 9}},
		{worker.MacroCategory, 469, 0, map[string]int64{"filed": 252, "below_threshold": 35, "no_label": 175, "no_subject": 7}},
		{worker.QualityValidator, 402, 0, map[string]int64{
			"MISSING_DATE": 15, "FUTURE_DATE": 5, "EMPTY_TITLE": 9, "REPEATED_TITLE": 23, "ALL_CAPS_TITLE": 20,
			"NO_TAGS":     7 + 2, // none at all, and stop words only
			"NO_TYPOLOGY": 402 - 152, "NO_ENTITIES": 125,
			"RULE_MATCH:Marca [sic] no âmbito e conteúdo": 3, "status_changed": 402,
		}},
		{worker.Embedding, 402, 0, map[string]int64{"without_words": 1}},
	}
	for _, s := range steps {
		r := a.run(s.worker, nil)
		want := worker.Counts{Processed: s.units, Failed: s.failed}
		if s.worker == worker.ConflictJudge { // two of its pairs went with a tag or an entity that it took out before
			want = worker.Counts{Processed: s.units - 2, Skipped: 2}
		}
		if diff := cmp.Diff(want, r.Counts); diff != "" {
			t.Errorf("%s: -want +got:\n%s", s.worker, diff)
		}
		if diff := cmp.Diff(s.notes, counts(r.Notes)); diff != "" {
			t.Errorf("notes of %s: -want +got:\n%s", s.worker, diff)
		}
		if r.Total == nil || *r.Total != s.units+s.failed {
			t.Errorf("total of %s: %v, want %d", s.worker, r.Total, s.units+s.failed)
		}
		a.checkQueues()
	}
	stopwordsOnly := value[int64](a, `SELECT count(*) FROM documents d JOIN staging_records s USING (id)
		WHERE 'NO_TAGS' = ANY (d.anomaly_reasons) AND cardinality(s.subjects || s.places || s.names || s.genres) > 0`)
	if stopwordsOnly != 2 {
		t.Errorf("%d descriptions have access points but no tags, want 2", stopwordsOnly)
	}

	// nothing is left: a second run of each touches nothing
	a.wantPending("after all workers", map[string]int64{})
	for _, name := range a.catalogue.Names() {
		a.processed(name, 0)
	}
	if got := value[int64](a, "SELECT count(*) FROM archive_worker_runs WHERE status = 'SUCCESS'"); got != 18 {
		t.Errorf("the ledger shows %d runs, want 18", got)
	}
}

// TestSamplePaths: every path is that of the parent with the parent at its end.
func TestSamplePaths(t *testing.T) {
	t.Parallel()
	a := newSample(t)
	a.run(worker.Transfer, map[string]any{"batch_size": 7}) // parents and children in different batches
	a.checkPaths()
	if got := value[int64](a, "SELECT count(*) FROM document_hierarchy WHERE orphan"); got != 4 {
		t.Errorf("%d orphans, want 4", got)
	}
	if got := value[int64](a, "SELECT count(*) FROM document_hierarchy WHERE parent_id IS NULL AND NOT orphan"); got < 1 {
		t.Error("there is no root")
	}
}

// checkPaths wants every path to be the parent's path and the parent.
func (a *archive) checkPaths() {
	a.t.Helper()
	wrong := column[string](a, `SELECT d.description_id FROM document_hierarchy h JOIN documents d ON d.id = h.document_id
		LEFT JOIN document_hierarchy p ON p.document_id = h.parent_id
		WHERE h.ancestors IS DISTINCT FROM CASE WHEN h.parent_id IS NULL THEN '{}' ELSE p.ancestors || h.parent_id END ORDER BY 1`)
	if len(wrong) > 0 {
		a.t.Errorf("wrong paths: %v", wrong)
	}
}
