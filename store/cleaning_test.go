package store_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scrinalia/worker"
)

// onlyRule replaces the seeds with one rule.
func (a *archive) onlyRule(columnName, pattern, replacement string) {
	a.t.Helper()
	a.exec("UPDATE cleaning_rules SET active = false")
	a.exec("INSERT INTO cleaning_rules (name, kind, target_column, pattern, replacement) VALUES ('only', 'REWRITE', $1, $2, $3)", columnName, pattern, replacement)
}

func TestCleaningJournal(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	a.load(record{"description_id": "a", "title": "Fotogr. da praça  nova --", "reference_code": "R 1"})
	a.run(worker.Transfer, nil)
	r := a.processed(worker.Cleaning, 5)
	got, err := a.Changes(t.Context(), r.ID, 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, c := range got {
		lines = append(lines, c.UnitName+" | "+c.Rule+" | "+*c.Before+" > "+*c.After)
	}
	want := []string{
		"R 1 | Espaços repetidos no título | Fotogr. da praça  nova -- > Fotogr. da praça nova --",
		"R 1 | Traços no fim do título | Fotogr. da praça nova -- > Fotogr. da praça nova",
		"R 1 | Abreviatura Fotogr. no título | Fotogr. da praça nova > Fotografia da praça nova",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	rest, err := a.Changes(t.Context(), r.ID, got[0].ID, 1)
	if err != nil || len(rest) != 1 || rest[0].ID != got[1].ID {
		t.Errorf("the page after the first change: %+v, %v", rest, err)
	}
}

// TestARuleThatEmptiesAColumn leaves no unit behind, neither pending nor done.
func TestARuleThatEmptiesAColumn(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	a.onlyRule("scope_content", "^-+$", "")
	a.load(record{"description_id": "a", "title": "Ata", "scope_content": "--"}, record{"description_id": "b", "title": "Ata", "scope_content": "Cartas"})
	a.run(worker.Transfer, nil)
	a.processed(worker.Cleaning, 2)
	if got := value[bool](a, "SELECT scope_content IS NULL FROM documents WHERE description_id = 'a'"); !got {
		t.Error("the emptied text is not NULL")
	}
	a.checkQueues()
	a.exec("UPDATE documents SET scope_content = 'Plantas' WHERE description_id = 'a'")
	a.checkQueues()
	a.processed(worker.Cleaning, 1)
}

func TestARuleThatWouldEmptyATitle(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	a.onlyRule("original_title", "^.*$", "")
	a.load(record{"description_id": "a", "title": "Ata"})
	a.run(worker.Transfer, nil)
	r := a.processed(worker.Cleaning, 1)
	if diff := cmp.Diff(map[string]worker.Note{"refused_empty_title": {Count: 1, Examples: []string{"a: only"}}}, r.Notes); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := titles(a)["a"]; got != "Ata" {
		t.Errorf("title %q, want Ata", got)
	}
	a.processed(worker.Cleaning, 0) // refused once, not again and again
}

// TestEditsOfTextsThatChangedMeanwhile are dropped: a person was faster.
func TestEditsOfTextsThatChangedMeanwhile(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	a.onlyRule("original_title", "x", "y")
	a.load(record{"description_id": "a", "title": "x1"}, record{"description_id": "b", "title": "x2"}, record{"description_id": "c", "title": "x3"})
	a.run(worker.Transfer, nil)
	units, _, err := a.ClaimCleaning(t.Context(), 0, 100, false)
	if err != nil || len(units) != 3 {
		t.Fatalf("claimed %v, %v", units, err)
	}
	var edits []worker.TextEdit
	for _, u := range units {
		edits = append(edits, worker.TextEdit{Document: u.Document, Column: u.Column, Before: u.Text, After: "y", Rules: []int64{u.RuleVersion}})
	}
	a.exec("UPDATE documents SET original_title = 'edited' WHERE description_id = 'a'")
	a.exec("UPDATE documents SET review_status = 'HUMAN_APPROVED' WHERE description_id = 'b'")
	got, err := a.ApplyCleaning(t.Context(), a.underWay(worker.Cleaning), false, edits)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(worker.Counts{Processed: 1, Skipped: 2}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"a": "edited", "b": "x2", "c": "y"}, titles(a)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	a.checkQueues()
}

// TestVerdictsOnWhatChangedMeanwhile are dropped, too.
func TestVerdictsOnWhatChangedMeanwhile(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	a.load(record{"description_id": "a", "title": "Ata"}, record{"description_id": "b", "title": "Carta"}, record{"description_id": "c", "title": "Diário"})
	a.run(worker.Transfer, nil)
	docs, err := a.ClaimValidation(t.Context(), 0, 10, false)
	if err != nil || len(docs) != 3 {
		t.Fatalf("claimed %v, %v", docs, err)
	}
	var verdicts []worker.Verdict
	for _, d := range docs {
		verdicts = append(verdicts, worker.Verdict{ID: d.ID, Fingerprint: d.Fingerprint, Reasons: []string{"NO_TAGS"}})
	}
	a.exec("INSERT INTO tags (name) VALUES ('praias')")
	a.exec("INSERT INTO document_tags (document_id, tag_id, origin, person) SELECT d.id, t.id, 'human', 'ana' FROM documents d, tags t WHERE d.description_id = 'a'")
	a.exec("UPDATE documents SET review_status = 'REJECTED' WHERE description_id = 'b'")
	got, changed, err := a.ApplyVerdicts(t.Context(), a.underWay(worker.QualityValidator), false, verdicts)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(worker.Counts{Processed: 1, Skipped: 2}, got); diff != "" || changed != 1 {
		t.Errorf("changed %d, -want +got:\n%s", changed, diff)
	}
	states := column[string](a, "SELECT description_id || ' ' || review_status FROM documents ORDER BY 1")
	if diff := cmp.Diff([]string{"a PENDING_AI", "b REJECTED", "c NEEDS_REVIEW"}, states); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	a.checkQueues()
}

// TestAReviewThatAPersonAskedFor is not taken back by the validator.
func TestAReviewThatAPersonAskedFor(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	a.load(record{"description_id": "a", "title": "Ata", "date": "1912", "subjects": []string{"Praças"}})
	a.run(worker.Transfer, nil)
	a.exec("UPDATE documents SET review_status = 'NEEDS_REVIEW'")
	a.processed(worker.QualityValidator, 1)
	if got := value[string](a, "SELECT review_status FROM documents"); got != "NEEDS_REVIEW" {
		t.Errorf("got %s, want NEEDS_REVIEW", got)
	}
}

// TestDryRun writes nothing but the run.
func TestDryRun(t *testing.T) {
	t.Parallel()
	a := newSample(t)
	dump := func() map[string]string {
		t.Helper()
		got := map[string]string{}
		for _, table := range column[string](a, `SELECT c.relname::text FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
			AND c.relname NOT IN ('archive_worker_runs') AND c.relname NOT LIKE 'river%' ORDER BY 1`) {
			got[table] = value[string](a, "SELECT count(*) || ' ' || coalesce(md5(string_agg(x::text, E'\n' ORDER BY x::text)), '') FROM "+table+" x")
		}
		return got
	}
	for _, name := range a.catalogue.Names() {
		a.compare() // known pairs are an index, which every count brings up to date
		before := dump()
		if len(before) < 15 {
			t.Fatalf("only %d tables", len(before))
		}
		dry := a.run(name, map[string]any{"dry_run": true})
		if diff := cmp.Diff(before, dump()); diff != "" {
			t.Errorf("a dry run of %s wrote: -before +after:\n%s", name, diff)
		}
		real := a.run(name, nil)
		if diff := cmp.Diff(real.Counts, dry.Counts); diff != "" {
			t.Errorf("%s: -real +dry:\n%s", name, diff)
		}
		shown := map[string]int64{worker.Cleaning: 25, worker.NamedEntities: 506, worker.Typology: 152, worker.Thumbnails: 51, worker.ConflictJudge: 83, worker.MacroCategory: 252, worker.QualityValidator: 323} // what a dry run shows beside
		got := counts(dry.Notes)
		preview := int64(0)
		for note, n := range got {
			if strings.HasPrefix(note, "would_") {
				preview += n
				delete(got, note)
			}
		}
		if preview != shown[name] {
			t.Errorf("a dry run of %s shows %d changes, want %d", name, preview, shown[name])
		}
		if diff := cmp.Diff(counts(real.Notes), got); diff != "" {
			t.Errorf("notes of %s: -real +dry:\n%s", name, diff)
		}
		if !dry.DryRun || real.DryRun {
			t.Errorf("%s: marked as dry run: %t and %t", name, dry.DryRun, real.DryRun)
		}
	}
}
