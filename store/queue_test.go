package store_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scrinalia/worker"
)

// move is one thing that happens to an archive.
type move struct {
	name string
	do   func(a *archive, r *rand.Rand)
}

// pictureAddresses are of pictures that are there, that are broken, that are gone, and that a run fails at without giving up.
var pictureAddresses = []string{"sample://images/bonde.gif", "sample://images/croqui-praca.png", "sample://images/broken.jpg", "sample://images/gone.jpg", "http://127.0.0.1:1/x.jpg"}

var sampleTitles = []string{"Ata", "ATA DA CÂMARA", "Carta  do prefeito --", "Planta", "Sem título", "planta", "Ofício &amp; carta", "--", "Fotogr. da praça"}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

func someone(r *rand.Rand, a *archive, table string) int64 {
	ids := column[int64](a, "SELECT id FROM "+table+" ORDER BY id")
	if len(ids) == 0 {
		return 0
	}
	return pick(r, ids)
}

func randomRecord(r *rand.Rand) record {
	rec := record{"description_id": fmt.Sprint(r.IntN(30)), "title": pick(r, sampleTitles)}
	if r.IntN(2) == 0 {
		rec["scope_content"] = pick(r, []string{"--", "--", "&nbsp;", "Cartas  e plantas", "Texto [sic]", "<p>"})
	}
	if r.IntN(2) == 0 {
		rec["subjects"] = []string{pick(r, []string{"Praças", "Bondes", "Geral", "Quebra"})}
	}
	if r.IntN(2) == 0 {
		rec["parent_description_id"] = fmt.Sprint(r.IntN(35))
	}
	if r.IntN(3) == 0 {
		rec["date"] = "1912"
	}
	if r.IntN(2) == 0 {
		rec["image_url"] = pick(r, pictureAddresses)
	}
	return rec
}

var moves = []move{
	{"import", func(a *archive, r *rand.Rand) {
		seen := map[any]bool{}
		var records []record
		for range 1 + r.IntN(8) {
			if rec := randomRecord(r); !seen[rec["description_id"]] {
				seen[rec["description_id"]] = true
				records = append(records, rec)
			}
		}
		a.load(records...)
	}},
	{"transfer", runSome(worker.Transfer)},
	{"transfer", runSome(worker.Transfer)},
	{"cleaning", runSome(worker.Cleaning)},
	{"cleaning", runSome(worker.Cleaning)},
	{"quality-validator", runSome(worker.QualityValidator)},
	{"quality-validator", runSome(worker.QualityValidator)},
	{"ner", runSome(worker.NamedEntities)},
	{"typology", runSome(worker.Typology)},
	{"typology", runSome(worker.Typology)},
	{"thumbnail", runSome(worker.Thumbnails)},
	{"thumbnail", runSome(worker.Thumbnails)},
	{"change the address of a picture", func(a *archive, r *rand.Rand) {
		a.exec("UPDATE documents SET image_url = $2 WHERE id = $1", someone(r, a, "documents"), pick(r, append(pictureAddresses, "")))
	}},
	{"macro-category", runSome(worker.MacroCategory)},
	{"macro-category", runSome(worker.MacroCategory)},
	{"conflict-judge", runSome(worker.ConflictJudge)},
	{"decide a conflict", func(a *archive, r *rand.Rand) {
		if id := someone(r, a, "(SELECT id FROM review_queue WHERE kind = 'CONFLICT' AND decided_at IS NULL AND NOT moot) AS open"); id > 0 {
			if _, err := a.Resolve(a.t.Context(), id, pick(r, []string{worker.KeepTag, worker.KeepEntity}), "ana"); err != nil {
				a.t.Fatal(err)
			}
		}
	}},
	{"undo a decision", func(a *archive, r *rand.Rand) {
		id := someone(r, a, "(SELECT id FROM resolutions WHERE undone_at IS NULL) AS standing")
		if err := a.UndoResolution(a.t.Context(), id, "ana"); id > 0 && err != nil && worker.KindOf(err) != worker.Conflict {
			a.t.Fatal(err)
		}
	}},
	{"find an entity of that name", func(a *archive, r *rand.Rand) {
		a.exec(`INSERT INTO entities (name, type) SELECT initcap(t.name), $2 FROM tags t WHERE t.id = $1 ON CONFLICT DO NOTHING`, someone(r, a, "tags"), pick(r, []string{"PER", "ORG", "LOC"}))
	}},
	{"rename an entity", func(a *archive, r *rand.Rand) {
		a.exec("UPDATE entities SET name = name || 's' WHERE id = $1 AND char_length(name) < 20 AND NOT EXISTS (SELECT FROM entities o WHERE o.folded = fold(entities.name || 's'))", someone(r, a, "entities"))
	}},
	{"embedding", runSome(worker.Embedding)},
	{"choose a typology", func(a *archive, r *rand.Rand) {
		a.exec("UPDATE documents SET typology_id = $2, typology_person = 'ana' WHERE id = $1", someone(r, a, "documents"), someone(r, a, "typologies"))
	}},
	{"take a typology back", func(a *archive, r *rand.Rand) {
		a.exec("UPDATE documents SET typology_id = NULL, typology_person = NULL WHERE id = $1", someone(r, a, "documents"))
	}},
	{"retire a typology", func(a *archive, r *rand.Rand) {
		a.exec("UPDATE typologies SET retired_at = CASE WHEN retired_at IS NULL THEN now() END WHERE id = $1", someone(r, a, "typologies"))
	}},
	{"file a tag", func(a *archive, r *rand.Rand) {
		a.exec("UPDATE tags SET subject_category_id = $2, category_person = 'ana' WHERE id = $1", someone(r, a, "tags"), someone(r, a, "subject_categories"))
	}},
	{"take a category back", func(a *archive, r *rand.Rand) {
		a.exec("UPDATE tags SET subject_category_id = NULL, category_person = NULL WHERE id = $1", someone(r, a, "tags"))
	}},
	{"rename a tag", func(a *archive, r *rand.Rand) {
		a.exec("UPDATE tags SET name = name || $2 WHERE id = $1 AND char_length(name) < 20", someone(r, a, "tags"), pick(r, []string{"s", " x"}))
	}},
	{"exclude a subject", func(a *archive, r *rand.Rand) {
		a.exec("INSERT INTO exclusions (term, kind) VALUES ($1, $2) ON CONFLICT DO NOTHING", pick(r, []string{"praças", "bondes"}), pick(r, []string{"SUBJECT", "COLLECTION", "NER"}))
	}},
	{"edit a title", func(a *archive, r *rand.Rand) {
		a.exec("UPDATE documents SET original_title = $2 WHERE id = $1", someone(r, a, "documents"), pick(r, sampleTitles))
	}},
	{"edit two titles", func(a *archive, r *rand.Rand) {
		a.exec("UPDATE documents SET original_title = $2 WHERE id IN ($1, $3)", someone(r, a, "documents"), pick(r, sampleTitles), someone(r, a, "documents"))
	}},
	{"edit a text", func(a *archive, r *rand.Rand) {
		a.exec("UPDATE documents SET scope_content = $2, provenance = $3 WHERE id = $1", someone(r, a, "documents"), pick(r, []*string{nil, new("--"), new("Texto")}), pick(r, []*string{nil, new(""), new("Doação")}))
	}},
	{"decide", func(a *archive, r *rand.Rand) {
		a.exec("UPDATE documents SET review_status = $2 WHERE id = $1", someone(r, a, "documents"), pick(r, []string{"HUMAN_APPROVED", "REJECTED", "PENDING_AI", "NEEDS_REVIEW"}))
	}},
	{"unlink", func(a *archive, r *rand.Rand) {
		a.exec("DELETE FROM document_tags WHERE document_id = $1", someone(r, a, "documents"))
	}},
	{"link by hand", func(a *archive, r *rand.Rand) {
		a.exec("INSERT INTO document_tags (document_id, tag_id, origin, person) SELECT d.id, t.id, 'human', 'ana' FROM documents d, tags t WHERE d.id = $1 ON CONFLICT DO NOTHING", someone(r, a, "documents"))
	}},
	{"edit a rule", func(a *archive, r *rand.Rand) {
		a.exec("UPDATE cleaning_rules SET replacement = $2 WHERE id = $1", someone(r, a, "cleaning_rules"), pick(r, []string{"", "x", " "}))
	}},
	{"switch a rule", func(a *archive, r *rand.Rand) {
		a.exec("UPDATE cleaning_rules SET active = NOT active WHERE id = $1", someone(r, a, "cleaning_rules"))
	}},
	{"add a title rule", func(a *archive, r *rand.Rand) {
		a.exec(`INSERT INTO cleaning_rules (name, kind, target_column, created_at) VALUES ('titles ' || $1::int, 'LLM_CHECK', 'original_title', now() - make_interval(days => $1))
			ON CONFLICT DO NOTHING`, r.IntN(5))
	}},
	{"aim a rule elsewhere", func(a *archive, r *rand.Rand) {
		a.exec("UPDATE cleaning_rules SET target_column = $2 WHERE id = $1", someone(r, a, "cleaning_rules"), pick(r, []string{"original_title", "scope_content", "provenance"}))
	}},
	{"delete a document", func(a *archive, r *rand.Rand) {
		a.exec("DELETE FROM documents WHERE id = $1", someone(r, a, "documents"))
	}},
	{"fold the tallies", func(a *archive, _ *rand.Rand) { a.exec("SELECT compact_queue_tally()") }},
}

func runSome(name string) func(*archive, *rand.Rand) {
	return func(a *archive, r *rand.Rand) {
		options := map[string]any{"batch_size": 1 + r.IntN(30), "limit": pick(r, []int{0, 0, 1, 7})}
		if r.IntN(5) == 0 {
			options["force"] = true
		}
		if r.IntN(8) == 0 {
			options["dry_run"] = true
		}
		run := a.run(name, options)
		if run.Total == nil || *run.Total != run.Sum() && name != worker.Cleaning { // whose rules may empty a text that others would read
			a.t.Errorf("%s with %v looked at %d units of %v", name, options, run.Sum(), run.Total)
		}
	}
}

// TestTalliesAreTheViews: whatever happens, the cheap figures are those of counting the views.
func TestTalliesAreTheViews(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			a := newArchive(t)
			a.exec("INSERT INTO synonyms (term, canonical, scope) VALUES ('quebra', repeat('a', 101), 'TAG')") // fails its records
			r := rand.New(rand.NewPCG(seed, 1))
			for range 4 {
				moves[0].do(a, r)
			}
			var done []string
			for range 60 {
				m := pick(r, moves)
				m.do(a, r)
				done = append(done, m.name)
				a.checkQueues()
				a.checkPaths()
				a.checkPairs(0.9)
				if t.Failed() {
					t.Fatalf("after %v", done)
				}
			}
			a.checkPaths()
		})
	}
}

// TestNothingPendingMeansNothingDone: what the last run left pending is what the next one looks at.
func TestNothingPendingMeansNothingDone(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	r := rand.New(rand.NewPCG(7, 7))
	for range 20 {
		moves[0].do(a, r)
	}
	for _, name := range a.catalogue.Names() {
		for range 3 {
			a.run(name, map[string]any{"limit": 5})
		}
		left := a.pendingByView()[name]
		got := a.run(name, nil)
		if got.Sum() != left {
			t.Errorf("%s looked at %d units, %d were pending", name, got.Sum(), left)
		}
	}
}

func TestATextChangedAndChangedBack(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	a.load(record{"description_id": "a", "title": "Ata"}, record{"description_id": "b", "title": "Carta"})
	a.runAll()
	steps := []struct {
		title string
		want  map[string]int64
	}{
		{"Ata nova", map[string]int64{worker.Cleaning: 5, worker.NamedEntities: 1, worker.QualityValidator: 1, worker.Embedding: 1}}, // typology has settled it
		{"Ata", map[string]int64{}},
	}
	for _, s := range steps {
		a.exec("UPDATE documents SET original_title = $1 WHERE description_id = 'a'", s.title)
		a.wantPending("with the title "+s.title, s.want)
	}
	a.load(record{"description_id": "a", "title": "Outra"})
	if got := a.pendingByView()[worker.Transfer]; got != 1 {
		t.Errorf("a changed record: %d pending, want 1", got)
	}
	a.load(record{"description_id": "a", "title": "Ata"})
	if got := a.pendingByView()[worker.Transfer]; got != 0 {
		t.Errorf("changed back: %d pending, want 0", got)
	}
	a.checkQueues()
}

func TestRuleEditsQueueAgain(t *testing.T) {
	t.Parallel()
	a := newSample(t)
	a.runAll()
	titles := value[int64](a, "SELECT count(*) FROM documents WHERE original_title <> ''")
	steps := []struct {
		name, sql           string
		cleaning, validator int64
	}{
		{"another name and place", "UPDATE cleaning_rules SET name = 'Outro nome', position = 5 WHERE position = 10", 0, 0},
		{"another pattern", "UPDATE cleaning_rules SET pattern = '&amp;amp;' WHERE position = 5", titles, 0},
		{"switched off", "UPDATE cleaning_rules SET active = false WHERE position = 5", 0, 0},
		{"switched on", "UPDATE cleaning_rules SET active = true WHERE position = 5", titles, 0},
		{"validation rule off", "UPDATE cleaning_rules SET active = false WHERE position = 130", titles, 402},
		{"validation rule on again", "UPDATE cleaning_rules SET active = true WHERE position = 130", titles, 0},
		{"validation rule changed", "UPDATE cleaning_rules SET pattern = 'sic' WHERE position = 130", titles, 402},
	}
	for _, s := range steps {
		a.exec(s.sql)
		a.wantPending("with "+s.name, map[string]int64{worker.Cleaning: s.cleaning, worker.QualityValidator: s.validator})
	}
	a.processed(worker.Cleaning, titles)
	a.processed(worker.QualityValidator, 402)
}

func TestRepeatedTitlesQueueTheirSiblings(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	a.load(record{"description_id": "a", "title": "Ata", "date": "1912", "subjects": []string{"Praças"}}, record{"description_id": "b", "title": "ATA", "date": "1912", "subjects": []string{"Praças"}},
		record{"description_id": "c", "title": "Carta", "date": "1912", "subjects": []string{"Praças"}}, record{"description_id": "d", "title": "Diário", "date": "1912", "subjects": []string{"Praças"}})
	a.runAll()
	queued := func(want ...string) {
		t.Helper()
		got := column[string](a, "SELECT d.description_id FROM quality_validator_queue q JOIN documents d ON d.id = q.unit_id WHERE q.pending ORDER BY 1")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		a.checkQueues()
	}
	a.exec("INSERT INTO entities (name, type) VALUES ('Prefeitura', 'ORG') ON CONFLICT DO NOTHING")
	a.exec("INSERT INTO document_entities (document_id, entity_id, origin, person) SELECT d.id, e.id, 'human', 'ana' FROM documents d, entities e ON CONFLICT DO NOTHING")
	a.exec("UPDATE documents SET typology_id = (SELECT min(id) FROM typologies), typology_person = 'ana'")
	a.run(worker.QualityValidator, nil)
	flagged := func(want ...string) {
		t.Helper()
		a.run(worker.QualityValidator, nil)
		got := column[string](a, "SELECT description_id || ' ' || review_status FROM documents WHERE anomaly_reasons = '{REPEATED_TITLE}' ORDER BY 1")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
	a.exec("UPDATE documents SET original_title = 'Áta' WHERE description_id = 'c'")
	queued("a", "b", "c")
	flagged("a NEEDS_REVIEW", "b NEEDS_REVIEW", "c NEEDS_REVIEW")
	a.exec("DELETE FROM documents WHERE description_id = 'c'")
	queued("a", "b")
	flagged([]string{}...)
	if got := value[int64](a, "SELECT count(*) FROM documents WHERE review_status = 'AI_APPROVED'"); got != 3 {
		t.Errorf("%d are approved again, want 3", got)
	}
	a.run(worker.Transfer, nil) // c comes back as Carta
	queued("c")
}
