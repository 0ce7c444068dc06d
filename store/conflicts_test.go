package store_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"scrinalia/engine"
	"scrinalia/worker"

	"github.com/google/go-cmp/cmp"
)

// checkPairs compares the known pairs with what pg_trgm says of all names, in single precision, where the edge is in.
func (a *archive) checkPairs(threshold float64) {
	a.t.Helper()
	if err := a.ComparePairs(a.t.Context(), threshold); err != nil {
		a.t.Fatal(err)
	}
	want := column[string](a, `SELECT t.id || ' ' || e.id FROM tags t JOIN entities e ON similarity(t.name, e.name) >= $1::float8::real ORDER BY t.id, e.id`, threshold)
	got := column[string](a, `SELECT tag_id || ' ' || entity_id FROM similar_pairs WHERE shared >= $1::float8::numeric * total ORDER BY tag_id, entity_id`, threshold)
	if diff := cmp.Diff(want, got); diff != "" {
		a.t.Errorf("pairs at %v, -pg_trgm +known:\n%s", threshold, diff)
	}
}

// ruling makes a judge of what a test says of each tag.
func judging(rulings map[string]engine.Ruling) fake {
	return fake{judge: func(pairs []engine.Pair) ([]engine.Ruling, error) {
		out := make([]engine.Ruling, len(pairs))
		for i, p := range pairs {
			r, ok := rulings[p.Tag+" / "+p.Entity]
			if !ok {
				r, ok = rulings[p.Tag]
			}
			if !ok {
				r = engine.Ruling{Winner: engine.TagWins, Confidence: 0.5}
			}
			out[i] = r
		}
		return out, nil
	}}
}

// document adds a description with these tags of the source and entities that a run of ner found.
func (a *archive) document(id string, tags []string, entities ...string) {
	a.t.Helper()
	a.load(record{"description_id": id, "title": "Documento " + id, "subjects": tags})
	a.run(worker.Transfer, nil)
	run := value[int64](a, "INSERT INTO archive_worker_runs (worker_name, status, trigger, requested_by, config, config_fingerprint, queued_at, started_at, finished_at) VALUES ('ner', 'SUCCESS', 'CLI', 'test', '{}', '', now(), now(), now()) RETURNING id")
	for _, e := range entities {
		name, kind, _ := strings.Cut(e, "/")
		a.exec("INSERT INTO entities (name, type) VALUES ($1, $2) ON CONFLICT DO NOTHING", name, kind)
		a.exec(`INSERT INTO document_entities (document_id, entity_id, origin, run_id, score) SELECT d.id, e.id, 'run', $4, 0.7 FROM documents d, entities e
			WHERE d.description_id = $1 AND e.folded = fold($2) AND e.type = $3 ON CONFLICT DO NOTHING`, id, name, kind, run)
	}
}

// everything dumps what a resolution touches, without ids that a sequence gives anew and without the record of decisions itself.
func (a *archive) everything() []string {
	a.t.Helper()
	a.compare()
	a.exec("SELECT compact_queue_tally()")
	var dump []string
	for _, sql := range []string{
		"SELECT 'document ' || to_jsonb(d)::text FROM documents d ORDER BY id",
		"SELECT 'tag ' || to_jsonb(t)::text FROM tags t ORDER BY id",
		"SELECT 'entity ' || to_jsonb(e)::text FROM entities e ORDER BY id",
		"SELECT 'tagged ' || to_jsonb(l)::text FROM document_tags l ORDER BY document_id, tag_id",
		"SELECT 'names ' || to_jsonb(l)::text FROM document_entities l ORDER BY document_id, entity_id",
		"SELECT 'stop word ' || to_jsonb(w)::text FROM stopwords w ORDER BY id",
		"SELECT 'exclusion ' || to_jsonb(x)::text FROM exclusions x ORDER BY id",
		"SELECT 'score ' || to_jsonb(s)::text FROM subject_scores s ORDER BY tag_id",
		"SELECT 'typology score ' || to_jsonb(s)::text FROM typology_scores s ORDER BY document_id",
		"SELECT 'stamp ' || to_jsonb(l)::text FROM execution_log l ORDER BY worker_name, unit_id, rule_version",
		"SELECT 'review ' || to_jsonb(q)::text FROM review_queue q ORDER BY id",
		"SELECT 'pair ' || (to_jsonb(p) - 'id')::text FROM similar_pairs p ORDER BY tag_id, entity_id",
		"SELECT 'tally ' || to_jsonb(t)::text FROM queue_tally t ORDER BY worker_name, measure, rule_version, run_id",
		"SELECT 'vector ' || to_jsonb(v)::text FROM document_vectors v ORDER BY document_id, model",
		"SELECT 'place ' || to_jsonb(h)::text FROM document_hierarchy h ORDER BY document_id",
	} {
		dump = append(dump, column[string](a, sql)...)
	}
	return dump
}

func (a *archive) tagged() []string {
	a.t.Helper()
	return column[string](a, `SELECT d.description_id || ' ' || t.name || ' ' || l.origin FROM document_tags l JOIN documents d ON d.id = l.document_id
		JOIN tags t ON t.id = l.tag_id ORDER BY d.description_id COLLATE "C", t.name COLLATE "C"`)
}

// review returns the row of the review queue of a pair.
func (a *archive) review(tag, entity string) int64 {
	a.t.Helper()
	return value[int64](a, "SELECT id FROM review_queue WHERE kind = 'CONFLICT' AND evidence->>'tag' = $1 AND evidence->>'entity' = $2", tag, entity)
}

func (a *archive) decision(review int64) worker.Decision {
	a.t.Helper()
	decisions, err := a.Decisions(a.t.Context(), review)
	if err != nil || len(decisions) == 0 {
		a.t.Fatalf("decisions of %d: %v, %v", review, decisions, err)
	}
	return decisions[0]
}

// newConflicts is an archive with pairs of every kind.
func newConflicts(t *testing.T) *archive {
	a := newArchiveWith(t, judging(map[string]engine.Ruling{
		"escola":       {Winner: engine.TagWins, Confidence: 0.85, Reason: "a kind of place"},
		"vila serena":  {Winner: engine.EntityWins, Confidence: 0.97, Reason: "a town"},
		"rosa":         {Winner: engine.EntityWins, Confidence: 0.8499, Reason: "a flower or a woman"},
		"prado":        {Winner: engine.EntityWins, Confidence: 1.2},
		"mercado novo": {Winner: "BOTH", Confidence: 0.9},
		"bonde":        {Err: engine.NewOutputError("no JSON", "...")},
	}).registry())
	a.document("a", []string{"Escola", "Vila Serena", "Praças"}, "Escola/ORG", "Vila Serena/LOC")
	a.document("b", []string{"Vila Serena", "Rosa"}, "Escola/ORG", "Rosa/PER")
	a.document("c", []string{"Prado", "Bonde", "Mercado novo"}, "Prado/PER", "Bonde/ORG", "Mercado Novo/LOC")
	return a
}

// TestConflictsAreJudged: the sure ones are resolved, the others wait, broken answers fail alone.
func TestConflictsAreJudged(t *testing.T) {
	t.Parallel()
	a := newConflicts(t)
	r := a.run(worker.ConflictJudge, nil)
	if diff := cmp.Diff(worker.Counts{Processed: 3, Failed: 3}, r.Counts); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int64{"kept_tag": 1, "kept_entity": 1, "for_a_person": 1}, counts(r.Notes)); diff != "" {
		t.Errorf("notes: -want +got:\n%s", diff)
	}
	if got := value[string](a, "SELECT concat(evidence->>'tag_documents', evidence->>'entity_documents', evidence->>'shared_documents') FROM review_queue WHERE evidence->>'tag' = 'vila serena'"); got != "211" {
		t.Errorf("documents of tag, entity and both: %s, want 211", got)
	}
	if *r.Total != 6 {
		t.Errorf("total %d, want 6", *r.Total)
	}
	wantTags := []string{"a escola source", "a praças source", "b escola run", "b rosa source", "c bonde source", "c mercado novo source", "c prado source"}
	if diff := cmp.Diff(wantTags, a.tagged()); diff != "" {
		t.Errorf("tags: -want +got:\n%s", diff)
	}
	wantNames := []string{"a Vila Serena LOC run", "b Rosa PER run", "b Vila Serena LOC run", "c Bonde ORG run", "c Mercado Novo LOC run", "c Prado PER run"}
	if diff := cmp.Diff(wantNames, a.links()); diff != "" {
		t.Errorf("entities: -want +got:\n%s", diff)
	}
	bans := column[string](a, "SELECT kind || ' ' || term FROM exclusions UNION ALL SELECT scope || ' ' || term FROM stopwords ORDER BY 1")
	if !slices.Contains(bans, "NER Escola") || !slices.Contains(bans, "TAG vila serena") {
		t.Errorf("banned: %q", bans)
	}
	rows := column[string](a, `SELECT concat_ws(' ', evidence->>'tag', evidence->>'winner', evidence->>'confidence', evidence->>'reason', coalesce(decision, 'open'), moot) FROM review_queue ORDER BY 1`)
	if diff := cmp.Diff([]string{"escola TAG 0.85 a kind of place TAG t", "rosa ENTITY 0.8499 a flower or a woman open f", "vila serena ENTITY 0.97 a town ENTITY t"}, rows); diff != "" {
		t.Errorf("review queue: -want +got:\n%s", diff)
	}
	failures, err := a.UnitFailures(t.Context(), r, 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	var failed []string
	for _, f := range failures {
		failed = append(failed, f.Name+": "+strings.Split(f.Error, "\n")[0])
	}
	slices.Sort(failed)
	wantFailed := []string{
		"bonde / Bonde: invalid model output: no JSON",
		`mercado novo / Mercado Novo: the engine named "BOTH" as the winner, which is neither TAG nor ENTITY`,
		"prado / Prado: the engine gave a confidence of 1.2, which is not from 0 to 1",
	}
	if diff := cmp.Diff(wantFailed, failed); diff != "" {
		t.Errorf("failures: -want +got:\n%s", diff)
	}
	changes, err := a.Changes(t.Context(), r.ID, 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	var changed []string
	for _, c := range changes {
		changed = append(changed, fmt.Sprintf("%s %s %s: %s -> %s", c.UnitKind, c.UnitName, c.Field, *c.Before, *c.After))
	}
	slices.Sort(changed)
	if diff := cmp.Diff([]string{"entity Escola became_tag: Escola -> escola", "tag vila serena became_entity: vila serena -> Vila Serena"}, changed); diff != "" {
		t.Errorf("changes: -want +got:\n%s", diff)
	}
	q := a.queues()[worker.ConflictJudge]
	if *q.Pending != 3 || q.Processed != 3 || q.Failed != 3 {
		t.Errorf("pending %d, processed %d, failed %d", *q.Pending, q.Processed, q.Failed)
	}
	again := a.run(worker.ConflictJudge, nil)
	if diff := cmp.Diff(worker.Counts{Failed: 3}, again.Counts); diff != "" {
		t.Errorf("again: -want +got:\n%s", diff)
	}
	a.checkQueues()
	forced := a.run(worker.ConflictJudge, map[string]any{"force": true, "auto_resolve_threshold": 0.84})
	if forced.Processed != 1 || forced.Notes["kept_entity"].Count != 1 || *forced.Total != 4 {
		t.Errorf("forced with a lower threshold: %+v of %d, %v", forced.Counts, *forced.Total, forced.Notes)
	}
	a.checkQueues()
}

// TestADryRunJudgesAndKeepsNothing of what it would do.
func TestADryRunJudgesAndKeepsNothing(t *testing.T) {
	t.Parallel()
	a := newConflicts(t)
	before := a.everything()
	r := a.run(worker.ConflictJudge, map[string]any{"dry_run": true})
	if r.Processed != 3 || r.Notes["would_resolve"].Count != 2 || len(r.Notes["would_resolve"].Examples) != 2 {
		t.Errorf("%+v, %v", r.Counts, r.Notes)
	}
	if diff := cmp.Diff(before, a.everything()); diff != "" {
		t.Errorf("a dry run changed something:\n%s", diff)
	}
}

// TestWhatWasResolvedStaysAway: ner does not bring the entity back, transfer not the tag; and ner leaves the links of the judge alone.
func TestWhatWasResolvedStaysAway(t *testing.T) {
	t.Parallel()
	found := []engine.Entity{{Name: "Escola", Type: engine.Organisation, Score: 1}, {Name: "Vila Serena", Type: engine.Place, Score: 1}}
	f := judging(map[string]engine.Ruling{
		"escola":      {Winner: engine.TagWins, Confidence: 0.9},
		"vila serena": {Winner: engine.EntityWins, Confidence: 0.9},
	})
	f.entities = func(texts []string) ([]engine.Found, error) {
		out := make([]engine.Found, len(texts))
		for i := range out {
			out[i].Entities = found
		}
		return out, nil
	}
	a := newArchiveWith(t, f.registry())
	rec := record{"description_id": "a", "title": "Documento", "subjects": []string{"Escola", "Vila Serena"}}
	a.load(rec, record{"description_id": "b", "title": "Outro", "subjects": []string{"Vila Serena"}})
	a.run(worker.Transfer, nil)
	a.run(worker.NamedEntities, nil)
	a.processed(worker.ConflictJudge, 2)
	wantTags, wantNames := []string{"a escola source", "b escola run"}, []string{"a Vila Serena LOC run", "b Vila Serena LOC run"}
	check := func(when string) {
		t.Helper()
		if diff := cmp.Diff(wantTags, a.tagged()); diff != "" {
			t.Errorf("%s: tags, -want +got:\n%s", when, diff)
		}
		if diff := cmp.Diff(wantNames, a.links()); diff != "" {
			t.Errorf("%s: entities, -want +got:\n%s", when, diff)
		}
	}
	check("resolved")
	rec["scope_content"] = "Na escola."
	a.load(rec)
	a.run(worker.Transfer, nil)
	a.run(worker.NamedEntities, map[string]any{"force": true})
	a.processed(worker.ConflictJudge, 0)
	check("read and transferred again")
	// what only the judge linked is not ner's to take away
	a.document("c", []string{"Vila Serena II"})
	a.exec("INSERT INTO entities (name, type) VALUES ('Vila Serena II', 'LOC')")
	a.processed(worker.ConflictJudge, 1)
	review := a.review("vila serena ii", "Vila Serena II")
	if _, err := a.Resolve(t.Context(), review, worker.KeepEntity, "ana"); err != nil {
		t.Fatal(err)
	}
	found = nil
	a.run(worker.NamedEntities, map[string]any{"force": true})
	wantNames = []string{"c Vila Serena II LOC human"}
	check("names no longer found")
}

// TestPeopleDecide: what they may, what they may not, and what they are told.
func TestPeopleDecide(t *testing.T) {
	t.Parallel()
	a := newArchiveWith(t, judging(nil).registry())
	a.document("a", []string{"Escola", "Rosa", "Prado"}, "Escola/ORG", "Rosa/PER", "Prado/PER", "Prado/LOC")
	a.processed(worker.ConflictJudge, 4)
	school, rose := a.review("escola", "Escola"), a.review("rosa", "Rosa")
	meadows := column[int64](a, "SELECT id FROM review_queue WHERE evidence->>'tag' = 'prado' ORDER BY evidence->>'entity_type'")
	before := a.everything()

	kind := func(what string, err error, want worker.Kind, says string) {
		t.Helper()
		if worker.KindOf(err) != want || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v (kind %d), want %q (kind %d)", what, err, worker.KindOf(err), says, want)
		}
	}
	_, err := a.Resolve(t.Context(), 999, worker.KeepTag, "ana")
	kind("an unknown row", err, worker.NotFound, "no such")
	_, err = a.Resolve(t.Context(), school, "BOTH", "ana")
	kind("an unknown winner", err, worker.Invalid, "has to win")
	_, err = a.Resolve(t.Context(), school, worker.KeepTag, "  ")
	kind("nobody", err, worker.Invalid, "name of who")
	a.exec("INSERT INTO review_queue (kind, tag_id) SELECT 'SUBJECT', id FROM tags LIMIT 1")
	subject := value[int64](a, "SELECT id FROM review_queue WHERE kind = 'SUBJECT'")
	kind("a row of another kind", a.Dismiss(t.Context(), subject, "ana"), worker.Invalid, "no conflict")
	a.exec("DELETE FROM review_queue WHERE id = $1", subject)
	kind("an unknown decision", a.UndoResolution(t.Context(), 999, "ana"), worker.NotFound, "no such")
	kind("nothing dismissed", a.UndoDismissal(t.Context(), school), worker.Conflict, "not dismissed")

	if err := a.Dismiss(t.Context(), rose, "ana"); err != nil {
		t.Fatal(err)
	}
	_, err = a.Resolve(t.Context(), rose, worker.KeepTag, "bia")
	kind("dismissed already", err, worker.Conflict, "DISMISSED, by ana")
	a.run(worker.ConflictJudge, map[string]any{"force": true})
	if got := value[string](a, "SELECT decision FROM review_queue WHERE id = $1", rose); got != worker.Dismissed {
		t.Errorf("a run decided what a person had: %s", got)
	}
	if err := a.UndoDismissal(t.Context(), rose); err != nil {
		t.Fatal(err)
	}

	id, err := a.Resolve(t.Context(), meadows[0], worker.KeepEntity, "ana")
	if err != nil {
		t.Fatal(err)
	}
	if d := a.decision(meadows[0]); d.ID != id || d.By != "ana" || d.RunID != nil || d.Documents != 1 || d.UndoneAt != nil {
		t.Errorf("decision %+v", d)
	}
	_, err = a.Resolve(t.Context(), meadows[1], worker.KeepTag, "ana")
	kind("the tag is gone", err, worker.Conflict, "is gone")
	a.exec("INSERT INTO tags (name) VALUES ('prado')")
	kind("its name is taken", a.UndoResolution(t.Context(), id, "bia"), worker.Conflict, "a tag of that name already")
	a.exec("DELETE FROM tags WHERE name = 'prado'")
	if err := a.UndoResolution(t.Context(), id, "bia"); err != nil {
		t.Fatal(err)
	}
	kind("undone already", a.UndoResolution(t.Context(), id, "ana"), worker.Conflict, "undone already, by bia")
	if d := a.decision(meadows[0]); d.UndoneBy == nil || *d.UndoneBy != "bia" {
		t.Errorf("decision %+v", d)
	}
	a.exec("UPDATE review_queue q SET run_id = (SELECT min(run_id) FROM review_queue)") // the forced run took the open rows
	if diff := cmp.Diff(before, a.everything()); diff != "" {
		t.Errorf("decided and undone: -before +after:\n%s", diff)
	}
	// what a person took back, no run decides again
	sure := a.run(worker.ConflictJudge, map[string]any{"force": true, "auto_resolve_threshold": 0.5})
	if got := value[int64](a, "SELECT count(*) FROM review_queue WHERE decided_at IS NULL AND id = $1", meadows[0]); got != 1 || sure.Processed == 0 {
		t.Errorf("a run decided what a person took back (%d open), %+v", got, sure.Counts)
	}
}

// TestUndoneInOrder: a decision whose winner a later one took away has to wait for that one.
func TestUndoneInOrder(t *testing.T) {
	t.Parallel()
	a := newArchiveWith(t, judging(nil).registry())
	a.document("a", []string{"Prado"}, "Prado/LOC", "Prado/PER")
	a.document("b", nil, "Prado/LOC")
	a.processed(worker.ConflictJudge, 2)
	reviews := column[int64](a, "SELECT id FROM review_queue ORDER BY evidence->>'entity_type'")
	start := a.everything()
	first, err := a.Resolve(t.Context(), reviews[0], worker.KeepTag, "ana") // the place goes
	if err != nil {
		t.Fatal(err)
	}
	middle := a.everything()
	second, err := a.Resolve(t.Context(), reviews[1], worker.KeepEntity, "ana") // then the tag
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a Prado PER run", "b Prado PER human"}, a.links()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if err := a.UndoResolution(t.Context(), first, "ana"); worker.KindOf(err) != worker.Conflict || !strings.Contains(err.Error(), fmt.Sprintf("Undo decision #%d first", second)) {
		t.Errorf("out of order: %v", err)
	}
	for _, step := range []struct {
		decision int64
		want     []string
	}{{second, middle}, {first, start}} {
		if err := a.UndoResolution(t.Context(), step.decision, "ana"); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(step.want, a.everything()); diff != "" {
			t.Errorf("-before +after:\n%s", diff)
		}
	}
}

// TestApplyAndUndoAreExact: random decisions that share documents, names and bans, undone in the opposite order, step by step; or in any order, in the end.
func TestApplyAndUndoAreExact(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 3))
			a := newArchiveWith(t, judging(nil).registry())
			names := []string{"Escola", "Rosa", "Prado", "São João", "Vila Serena"}
			for i := range 6 {
				var tags, entities []string
				for range 3 {
					tags, entities = append(tags, pick(r, names)), append(entities, pick(r, names)+"/"+pick(r, []string{"PER", "ORG", "LOC"}))
				}
				a.document(fmt.Sprint(i), tags, entities...)
			}
			a.exec("INSERT INTO document_tags (document_id, tag_id, origin, person) SELECT d.id, t.id, 'human', 'eva' FROM documents d, tags t WHERE (d.id + t.id) % 5 = 0 ON CONFLICT DO NOTHING")
			a.exec("INSERT INTO stopwords (term, scope, retired_at) VALUES ('Rosa', 'TAG', now()), ('prado', 'TAG', NULL), ('escola', 'ALL', NULL)")
			a.exec("INSERT INTO exclusions (term, kind, retired_at) VALUES ('rosa', 'NER', now()), ('PRADO', 'NER', NULL)")
			a.run(worker.QualityValidator, nil)
			a.exec("UPDATE documents SET review_status = 'HUMAN_APPROVED' WHERE id % 3 = 0")
			a.exec("UPDATE tags SET subject_category_id = 2, category_person = 'eva' WHERE id % 3 = 0")
			run := value[int64](a, "SELECT max(id) FROM archive_worker_runs")
			a.exec("INSERT INTO subject_scores (tag_id, subject_category_id, score, run_id) SELECT id, 1, 0.31, $1 FROM tags WHERE id % 3 = 1", run)
			a.exec(`INSERT INTO execution_log (worker_name, unit_kind, unit_id, fingerprint, run_id, outcome) SELECT 'macro-category', 'tag', id, input_hash(name), $1, 'DONE' FROM tags WHERE id % 3 = 1`, run)
			a.exec("INSERT INTO review_queue (kind, tag_id, run_id) SELECT 'SUBJECT', id, $1 FROM tags WHERE id % 3 = 1", run)
			a.run(worker.ConflictJudge, nil)

			type step struct {
				decision int64
				before   []string
			}
			decide := func() (steps []step) {
				for {
					open := column[int64](a, "SELECT id FROM review_queue WHERE kind = 'CONFLICT' AND decided_at IS NULL AND NOT moot ORDER BY id")
					if len(open) == 0 {
						return steps
					}
					before := a.everything()
					id, err := a.Resolve(t.Context(), pick(r, open), pick(r, []string{worker.KeepTag, worker.KeepEntity}), pick(r, []string{"ana", "bia"}))
					if err != nil {
						t.Fatal(err)
					}
					steps = append(steps, step{id, before})
				}
			}
			steps := decide()
			if len(steps) < 4 {
				t.Fatalf("only %d decisions", len(steps))
			}
			for _, s := range slices.Backward(steps) {
				if err := a.UndoResolution(t.Context(), s.decision, "eva"); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(s.before, a.everything()); diff != "" {
					t.Fatalf("decision %d undone: -before +after:\n%s", s.decision, diff)
				}
				a.checkQueues()
			}

			start := a.everything()
			left := decide()
			for len(left) > 0 {
				i := r.IntN(len(left))
				err := a.UndoResolution(t.Context(), left[i].decision, "eva")
				if worker.KindOf(err) == worker.Conflict && strings.Contains(err.Error(), "first") {
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				left = slices.Delete(left, i, i+1)
			}
			if diff := cmp.Diff(start, a.everything()); diff != "" {
				t.Errorf("undone in any order: -before +after:\n%s", diff)
			}
		})
	}
}

// TestNamesChangeWhileTheJudgeReads: a pair that is not what was read is skipped.
func TestNamesChangeWhileTheJudgeReads(t *testing.T) {
	t.Parallel()
	for _, edit := range []string{
		"UPDATE tags SET name = 'escolas'",
		"UPDATE entities SET name = 'Escolas'",
		"UPDATE entities SET type = 'LOC'",
		"DELETE FROM entities",
		"INSERT INTO review_queue (kind, tag_id, entity_id, decided_at, decided_by, decision) SELECT 'CONFLICT', t.id, e.id, now(), 'ana', 'DISMISSED' FROM tags t, entities e",
	} {
		var a *archive
		a = newArchiveWith(t, fake{judge: func(pairs []engine.Pair) ([]engine.Ruling, error) {
			a.exec(edit)
			return []engine.Ruling{{Winner: engine.TagWins, Confidence: 1}}, nil
		}}.registry())
		a.exec("INSERT INTO tags (name) VALUES ('escola')")
		a.exec("INSERT INTO entities (name, type) VALUES ('Escola', 'ORG')")
		r := a.run(worker.ConflictJudge, nil)
		if diff := cmp.Diff(worker.Counts{Skipped: 1}, r.Counts); diff != "" {
			t.Errorf("%s: -want +got:\n%s", edit, diff)
		}
		if got := value[int64](a, "SELECT count(*) FROM resolutions"); got != 0 {
			t.Errorf("%s: resolved all the same", edit)
		}
		a.checkQueues()
	}
}

// TestPairsFollowTheNames: whatever changes, the known pairs are those of pg_trgm, at every threshold that was asked for.
func TestPairsFollowTheNames(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	r := rand.New(rand.NewPCG(5, 5))
	words := strings.Fields("escola normal praça da matriz São João d'água rio 1912 Rosa rosas prado Ó vila")
	name := func() string {
		n := make([]string, 1+r.IntN(4))
		for i := range n {
			n[i] = pick(r, words)
		}
		return strings.Join(n, pick(r, []string{" ", " ", "\u00a0", "-"})) + pick(r, []string{"", "", "s", ".", " x y z"})
	}
	for i := range 100 {
		switch r.IntN(7) {
		case 0, 1:
			a.exec("INSERT INTO tags (name) VALUES ($1), ($2) ON CONFLICT DO NOTHING", name()+"ab", name()+"ab")
		case 2, 3:
			a.exec("INSERT INTO entities (name, type) SELECT upper(name) || $2, 'PER' FROM tags WHERE id >= $1 ON CONFLICT DO NOTHING", someone(r, a, "tags"), pick(r, []string{"", "s", " x", "zzz"}))
			a.exec("INSERT INTO entities (name, type) VALUES ($1, 'LOC') ON CONFLICT DO NOTHING", name()+"ab")
		case 4:
			a.exec("UPDATE tags SET name = name || 'q' WHERE id = $1 AND char_length(name) < 90", someone(r, a, "tags"))
		case 5:
			a.exec("UPDATE entities SET name = upper(name) || 'q' WHERE id = $1 AND char_length(name) < 90", someone(r, a, "entities"))
		default:
			a.exec("DELETE FROM entities WHERE id = $1", someone(r, a, "entities"))
		}
		a.checkPairs([]float64{0.9, 0.9, 0.8, 0.7, 0.6}[i/20])
		a.checkPairs(0.95)
		if t.Failed() {
			return
		}
	}
	if got := value[int64](a, "SELECT count(*) FROM similar_pairs"); got < 20 {
		t.Errorf("only %d pairs: nothing was tested", got)
	}
}

// TestPairsAreMeasured: at once when nothing changed, after a comparison that is quick enough, and with the reason when there are too many.
func TestPairsAreMeasured(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	a.exec("INSERT INTO tags (name) SELECT 'escola ' || n FROM generate_series(1, 50) n")
	a.exec("INSERT INTO entities (name, type) SELECT 'Escola ' || n, 'ORG' FROM generate_series(1, 50) n")
	state, err := a.executor.State(t.Context(), worker.ConflictJudge)
	if err != nil {
		t.Fatal(err)
	}
	for state.Queue.Pending == nil { // not within the time of a page, on a busy machine
		if state.Queue.Behind != 100 || state.Queue.UnmeasurableReason == nil || !strings.Contains(*state.Queue.UnmeasurableReason, "100 names are new or changed") {
			t.Fatalf("not measured, but %+v", state.Queue)
		}
		if state, err = a.executor.State(t.Context(), worker.ConflictJudge); err != nil {
			t.Fatal(err)
		}
	}
	want := value[int64](a, "SELECT count(*) FROM tags t JOIN entities e ON similarity(t.name, e.name) >= 0.9::real")
	if *state.Queue.Pending != want || *state.Queue.Eligible != want || want != 50 {
		t.Errorf("%d pending, %d eligible, want %d", *state.Queue.Pending, *state.Queue.Eligible, want)
	}
}
