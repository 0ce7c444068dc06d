package store_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"scrinalia/engine"
	engines "scrinalia/engine/all"
	"scrinalia/worker"

	"github.com/google/go-cmp/cmp"
)

// fake is an engine of four axes whose answers a test writes.
type fake struct {
	entities func(texts []string) ([]engine.Found, error)
	classify func(texts, labels []string) ([]engine.Choice, error)
	embed    func(texts []string) ([]engine.Vector, error)
	check    func(titles []string) ([]engine.TitleVerdict, error)
	judge    func(pairs []engine.Pair) ([]engine.Ruling, error)
}

func (f fake) Entities(_ context.Context, texts []string) ([]engine.Found, error) {
	return f.entities(texts)
}

func (f fake) Classify(_ context.Context, texts, labels []string) ([]engine.Choice, error) {
	return f.classify(texts, labels)
}

func (f fake) Embed(_ context.Context, texts []string) ([]engine.Vector, error) {
	return f.embed(texts)
}

func (f fake) Check(_ context.Context, titles []string) ([]engine.TitleVerdict, error) {
	return f.check(titles)
}

func (f fake) Judge(_ context.Context, pairs []engine.Pair) ([]engine.Ruling, error) {
	return f.judge(pairs)
}

func (fake) Dimensions() int { return 2 }

// registry has the fake as its only engine, with two presets.
func (f fake) registry() *engine.Registry {
	spec := engine.Spec{
		Name: "fake", Label: "Fake",
		Options: []engine.Option{{Option: worker.Option{Name: "model", Type: worker.Text, Default: "m", Help: "model"}}},
		Presets: []engine.Preset{{Name: "one", Values: map[string]any{"model": "m1"}}, {Name: "two", Values: map[string]any{"model": "m2"}}},
	}
	return engine.NewRegistry(
		engine.ForNER(spec, func(engine.Description) (engine.NER, error) { return f, nil }),
		engine.ForClassification(spec, func(engine.Description) (engine.Classifier, error) { return f, nil }),
		engine.ForEmbeddings(spec, func(engine.Description) (engine.Embedder, error) { return f, nil }),
		engine.ForTitleQuality(spec, func(engine.Description) (engine.TitleChecker, error) { return f, nil }),
		engine.ForLLMs(spec, func(engine.Description) (engine.Judge, error) { return f, nil }))
}

// attempt runs a worker, however it ends.
func (a *archive) attempt(name string, arguments worker.Settings) worker.Run {
	a.t.Helper()
	r, err := a.executor.RunHere(a.t.Context(), worker.Request{Worker: name, Trigger: worker.CLI, RequestedBy: "test", Arguments: arguments}, nil)
	if err != nil {
		a.t.Fatal(err)
	}
	return r
}

// staleWith are the stale figures under these stored overrides.
func (a *archive) staleWith(overrides map[string]worker.Settings) map[string]int64 {
	a.t.Helper()
	prints := map[string][]byte{}
	for _, d := range a.catalogue.All() {
		r, err := worker.Resolve(d, overrides[d.Name], worker.Settings{})
		if err != nil || len(r.Ignored) > 0 {
			a.t.Fatal(err, r.Ignored)
		}
		prints[d.Name] = r.Fingerprint(d)
	}
	queues, err := a.Queues(a.t.Context(), prints)
	if err != nil {
		a.t.Fatal(err)
	}
	stale := map[string]int64{}
	for name, q := range queues {
		if q.Stale > 0 {
			stale[name] = q.Stale
		}
	}
	return stale
}

// TestSettingsMakeStaleNotPending: a threshold, a preset or an engine decides what is stale; the batch size does not, and nothing is pending.
func TestSettingsMakeStaleNotPending(t *testing.T) {
	t.Parallel()
	a := newSample(t)
	a.runAll()
	threshold := func(v float64) worker.Settings { return worker.Settings{Options: map[string]any{"threshold": v}} }
	tests := []struct {
		name, worker string
		override     worker.Settings
		stale        int64
	}{
		{"nothing", worker.Typology, worker.Settings{}, 0},
		{"ner threshold", worker.NamedEntities, threshold(0.5), 402},
		{"typology threshold", worker.Typology, threshold(0.5), 402},
		{"category threshold", worker.MacroCategory, threshold(0.5), 469},
		{"columns", worker.NamedEntities, worker.Settings{Options: map[string]any{"columns": []string{"original_title"}}}, 402},
		{"columns in another order", worker.NamedEntities, worker.Settings{Options: map[string]any{"columns": []string{"provenance", "admin_bio_history", "scope_content", "original_title"}}}, 0},
		{"engine", worker.Embedding, worker.Settings{Engine: "ollama"}, 402},
		{"the preset that is the default", worker.Embedding, worker.Settings{Preset: "lexical_384"}, 0},
		{"batch size", worker.NamedEntities, worker.Settings{BatchSize: 7}, 0},
		{"repeat threshold", worker.QualityValidator, worker.Settings{Options: map[string]any{"repeat_threshold": 4}}, 402},
	}
	for _, tt := range tests {
		want := map[string]int64{}
		if tt.stale > 0 {
			want[tt.worker] = tt.stale
		}
		if diff := cmp.Diff(want, a.staleWith(map[string]worker.Settings{tt.worker: tt.override})); diff != "" {
			t.Errorf("%s: stale, -want +got:\n%s", tt.name, diff)
		}
	}
	a.wantPending("whatever the settings", map[string]int64{})

	a.exec(`WITH r AS (INSERT INTO worker_override_revisions (worker_name, version, changed_by, channel, before, after)
			VALUES ('typology', 1, 'ana', 'CLI', '{}', '{"options": {"threshold": 0.5}}') RETURNING worker_name, version, after)
		INSERT INTO worker_overrides (worker_name, version, settings) SELECT * FROM r`)
	state, err := a.executor.State(t.Context(), worker.Typology)
	if err != nil {
		t.Fatal(err)
	}
	want := []worker.StaleGroup{{Units: 402, Differences: []worker.Difference{{Name: "threshold", Was: 0.4, Now: 0.5}}}}
	if diff := cmp.Diff(want, state.Queue.StaleBecause); diff != "" {
		t.Errorf("why stale: -want +got:\n%s", diff)
	}
	for _, name := range []string{worker.Typology, worker.MacroCategory} {
		a.run(name, map[string]any{"force": true})
		if state, err = a.executor.State(t.Context(), name); err != nil || state.Queue.Stale != 0 || len(state.Queue.StaleBecause) != 0 {
			t.Errorf("%s after a forced run: %d stale, %v, %v", name, state.Queue.Stale, state.Queue.StaleBecause, err)
		}
	}
}

// TestLabelsMakePendingAgain: what is left without a label is read again when the labels change, what has one is not.
func TestLabelsMakePendingAgain(t *testing.T) {
	t.Parallel()
	a := newSample(t)
	a.runAll()
	const untyped, unfiled = 402 - 152, 469 - 252
	steps := []struct {
		name, sql          string
		typology, category int64
	}{
		{"a new typology", "INSERT INTO typologies (name) VALUES ('Recibo')", untyped, 0},
		{"retired again", "UPDATE typologies SET retired_at = now() WHERE name = 'Recibo'", 0, 0},
		{"a typology renamed", "UPDATE typologies SET name = 'Foto' WHERE name = 'Fotografia'", untyped, 0},
		{"renamed back", "UPDATE typologies SET name = 'Fotografia' WHERE name = 'Foto'", 0, 0},
		{"a classifier label", "UPDATE subject_categories SET classifier_label = 'Igreja' WHERE name = 'Religião'", 0, unfiled},
		{"taken back", "UPDATE subject_categories SET classifier_label = NULL WHERE name = 'Religião'", 0, 0},
		{"a subject excluded", "INSERT INTO exclusions (term, kind) VALUES ('bailes', 'SUBJECT')", 0, unfiled},
		{"a person of the collection", "INSERT INTO exclusions (term, kind) VALUES ('Bertolazzi, Ângelo', 'COLLECTION')", 0, unfiled},
		{"both retired", "UPDATE exclusions SET retired_at = now() WHERE term IN ('bailes', 'Bertolazzi, Ângelo')", 0, 0},
		{"a name that ner excludes", "INSERT INTO exclusions (term, kind) VALUES ('bonde', 'NER')", 0, 0},
	}
	for _, s := range steps {
		a.exec(s.sql)
		want := map[string]int64{}
		if s.typology > 0 {
			want[worker.Typology] = s.typology
		}
		if s.category > 0 {
			want[worker.MacroCategory] = s.category
		}
		a.wantPending("with "+s.name, want)
	}
}

// TestEditsMakePendingAgain: the text that each worker read is its input, nothing else is.
func TestEditsMakePendingAgain(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	a.load(record{"description_id": "a", "title": "Coisas", "scope_content": "De Rosa Prado.", "date": "1912", "subjects": []string{"coisas"}})
	a.runAll()
	steps := []struct {
		name, sql string
		want      map[string]int64
	}{
		{"scope and content", "UPDATE documents SET scope_content = 'De Rosa Guidotti.'", map[string]int64{
			worker.Cleaning: 6, worker.NamedEntities: 1, worker.QualityValidator: 1, worker.Embedding: 1,
		}},
		{"white space only", "UPDATE documents SET scope_content = E' De  Rosa\u00a0Prado. '", map[string]int64{worker.Cleaning: 6, worker.QualityValidator: 1}},
		{"back", "UPDATE documents SET scope_content = 'De Rosa Prado.'", map[string]int64{}},
		{"title", "UPDATE documents SET original_title = 'Coisas de casa'", map[string]int64{
			worker.Cleaning: 5, worker.NamedEntities: 1, worker.Typology: 1, worker.QualityValidator: 1, worker.Embedding: 1,
		}},
		{"title back", "UPDATE documents SET original_title = 'Coisas'", map[string]int64{}},
		{"date", "UPDATE documents SET date = '1913'", map[string]int64{worker.QualityValidator: 1}},
		{"date back", "UPDATE documents SET date = '1912'", map[string]int64{}},
		{"tag", "UPDATE tags SET name = 'coisas de casa'", map[string]int64{worker.MacroCategory: 1}},
		{"tag back", "UPDATE tags SET name = 'coisas'", map[string]int64{}},
		{"approved by a person", "UPDATE documents SET review_status = 'HUMAN_APPROVED', scope_content = 'De ninguém.'", map[string]int64{worker.Embedding: 1}},
		{"rejected by a person", "UPDATE documents SET review_status = 'REJECTED'", map[string]int64{}},
	}
	for _, s := range steps {
		a.exec(s.sql)
		a.wantPending("after a change of the "+s.name, s.want)
	}
}

func (a *archive) links() []string {
	a.t.Helper()
	return column[string](a, `SELECT d.description_id || ' ' || e.name || ' ' || e.type || ' ' || l.origin FROM document_entities l
		JOIN documents d ON d.id = l.document_id JOIN entities e ON e.id = l.entity_id ORDER BY d.description_id COLLATE "C", e.name COLLATE "C", e.type`)
}

// TestNERLinks: what a run found replaces what runs found before, and nothing that a person did.
func TestNERLinks(t *testing.T) {
	t.Parallel()
	var read []string
	found := map[string][]engine.Entity{}
	a := newArchiveWith(t, fake{entities: func(texts []string) ([]engine.Found, error) {
		read = append(read, texts...)
		out := make([]engine.Found, len(texts))
		for i, text := range texts {
			out[i].Entities = found[text]
		}
		return out, nil
	}}.registry())
	a.exec("INSERT INTO synonyms (term, canonical, scope) VALUES ('PMVS', 'Prefeitura de Vila Serena', 'ENTITY'), ('Rosa', 'Nada', 'TAG')")
	a.exec("INSERT INTO stopwords (term, scope) VALUES ('Fundo', 'ENTITY'), ('Rosa Prado', 'TAG')")
	a.exec("INSERT INTO exclusions (term, kind) VALUES ('acervo', 'NER'), ('Rua Direita', 'NER'), ('rosa prado', 'SUBJECT')")
	a.load(record{"description_id": "a", "title": "Um", "scope_content": "Dois\u00a0 três, www.exemplo.br/x e ana@exemplo.br fim", "admin_bio_history": "Quatro", "provenance": "Cinco", "archivist_notes": "Não"},
		record{"description_id": "b", "title": "Outro"})
	a.run(worker.Transfer, nil)
	const text = "Um\nDois três, ; e ; fim\nQuatro\nCinco"
	long := strings.Repeat("x", 150)
	found[text] = []engine.Entity{
		{Name: "Rosa Prado", Type: engine.Person, Score: 0.5},
		{Name: "ROSA PRADO", Type: engine.Person, Score: 0.9}, // the same name, surer
		{Name: "Rosa Prado", Type: engine.Place, Score: 0.2},  // another type is another entity
		{Name: "pmvs", Type: engine.Organisation, Score: 1},
		{Name: "fundo", Type: engine.Organisation, Score: 1},
		{Name: "Acervo Municipal", Type: engine.Organisation, Score: 1}, // one of its words is excluded
		{Name: "rua direita", Type: engine.Place, Score: 1},
		{Name: "Rua Direita da Ponte", Type: engine.Place, Score: 1}, // an exclusion of two words is a whole name
		{Name: "Jó", Type: engine.Person, Score: 1},
		{Name: long, Type: engine.Person, Score: 1},
	}
	a.processed(worker.NamedEntities, 2)
	if diff := cmp.Diff([]string{text, "Outro"}, read); diff != "" {
		t.Errorf("read, -want +got:\n%s", diff)
	}
	want := []string{"a Prefeitura de Vila Serena ORG run", "a ROSA PRADO PER run", "a Rosa Prado LOC run", "a Rua Direita da Ponte LOC run"}
	if diff := cmp.Diff(want, a.links()); diff != "" {
		t.Errorf("links, -want +got:\n%s", diff)
	}

	// a person links by hand what a run found too, and one more; then the text changes
	a.exec(`UPDATE document_entities l SET origin = 'human', person = 'ana', run_id = NULL FROM entities e WHERE e.id = l.entity_id AND e.name = 'Rua Direita da Ponte'`)
	a.exec(`INSERT INTO entities (name, type) VALUES ('Cine Teatro', 'LOC')`)
	a.exec(`INSERT INTO document_entities (document_id, entity_id, origin, person) SELECT d.id, e.id, 'human', 'ana' FROM documents d, entities e WHERE d.description_id = 'a' AND e.name = 'Cine Teatro'`)
	a.exec("UPDATE documents SET original_title = 'Novo' WHERE description_id = 'a'")
	found["Novo\nDois três, ; e ; fim\nQuatro\nCinco"] = []engine.Entity{{Name: "rosa prado", Type: engine.Person, Score: 0.7}, {Name: "Guido", Type: engine.Person, Score: 0.25}}
	a.processed(worker.NamedEntities, 1)
	want = []string{"a Cine Teatro LOC human", "a Guido PER run", "a ROSA PRADO PER run", "a Rua Direita da Ponte LOC human"}
	if diff := cmp.Diff(want, a.links()); diff != "" {
		t.Errorf("links, -want +got:\n%s", diff)
	}
	if got := column[string](a, "SELECT name FROM entities ORDER BY name COLLATE \"C\""); len(got) != 4 {
		t.Errorf("entities that nothing points to stay: %v", got)
	}
	if got := value[string](a, "SELECT round(l.score::numeric, 2) || ' ' || (l.run_id = (SELECT max(id) FROM archive_worker_runs)) FROM document_entities l JOIN entities e ON e.id = l.entity_id WHERE e.name = 'ROSA PRADO'"); got != "0.70 true" {
		t.Errorf("a link that was found again has score and run %s, want 0.70 true", got)
	}
	// a higher threshold, once, for everything
	a.run(worker.NamedEntities, map[string]any{"force": true, "threshold": 0.5})
	if diff := cmp.Diff([]string{"a Cine Teatro LOC human", "a ROSA PRADO PER run", "a Rua Direita da Ponte LOC human"}, a.links()); diff != "" {
		t.Errorf("links above 0.5, -want +got:\n%s", diff)
	}
}

// TestTypologyThreshold: the threshold itself is not enough, the score is kept in any case, and a person's choice stays.
func TestTypologyThreshold(t *testing.T) {
	t.Parallel()
	scores := map[string]engine.Choice{
		"Surely": {Label: "Fotografia", Score: 0.41}, "Just": {Label: "Fotografia", Score: 0.40}, "No": {}, "Mine": {Label: "Fotografia", Score: 1},
	}
	var offered []string
	a := newArchiveWith(t, fake{classify: func(texts, labels []string) ([]engine.Choice, error) {
		offered = labels
		out := make([]engine.Choice, len(texts))
		for i, text := range texts {
			out[i] = scores[text]
		}
		return out, nil
	}}.registry())
	for title := range scores {
		a.load(record{"description_id": title, "title": title})
	}
	a.run(worker.Transfer, nil)
	a.exec("UPDATE typologies SET retired_at = now() WHERE name = 'Audiovisual'")
	a.exec("UPDATE documents SET typology_id = (SELECT id FROM typologies WHERE name = 'Ata de Reunião'), typology_person = 'ana' WHERE original_title = 'Mine'")
	r := a.processed(worker.Typology, 3)
	if diff := cmp.Diff(map[string]int64{"filed": 1, "below_threshold": 1, "no_label": 1}, counts(r.Notes)); diff != "" {
		t.Errorf("notes: -want +got:\n%s", diff)
	}
	if len(offered) != 9 || offered[0] != "Planta Arquitetônica" {
		t.Errorf("offered %q", offered)
	}
	got := column[string](a, `SELECT concat_ws(' ', d.original_title, coalesce(t.name, '-'), round(s.score::numeric, 2)) FROM documents d
		LEFT JOIN typologies t ON t.id = d.typology_id LEFT JOIN typology_scores s ON s.document_id = d.id ORDER BY 1`)
	if diff := cmp.Diff([]string{"Just - 0.40", "Mine Ata de Reunião", "No - 0.00", "Surely Fotografia 0.41"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	a.checkQueues()
	changes, err := a.Changes(t.Context(), r.ID, 0, 10)
	if err != nil || len(changes) != 1 || changes[0].UnitName != "Surely" || changes[0].Field != "typology" || changes[0].Before != nil || *changes[0].After != "Fotografia" {
		t.Errorf("the journal: %+v, %v", changes, err)
	}
	forced := a.run(worker.Typology, map[string]any{"force": true, "threshold": 0.39})
	if forced.Processed != 3 || *forced.Total != 3 || forced.Notes["filed"].Count != 2 {
		t.Errorf("forced, with what runs set before: %+v of %d, %v", forced.Counts, *forced.Total, forced.Notes)
	}
	a.run(worker.Typology, map[string]any{"force": true, "threshold": 0.405})
	typed := column[string](a, "SELECT d.original_title FROM documents d WHERE d.typology_id IS NOT NULL ORDER BY 1")
	if diff := cmp.Diff([]string{"Mine", "Surely"}, typed); diff != "" {
		t.Errorf("forced with a threshold between: -want +got:\n%s", diff)
	}
	taken := value[string](a, "SELECT before || ' ' || coalesce(after, '-') FROM change_journal ORDER BY id DESC LIMIT 1")
	if taken != "Fotografia -" {
		t.Errorf("the journal of what was taken back: %s", taken)
	}
	a.checkQueues()
	a.exec("UPDATE typologies SET retired_at = now()")
	if r := a.attempt(worker.Typology, worker.Settings{}); r.Status != worker.Failed || !strings.Contains(*r.Error, "There is no active typology") {
		t.Errorf("without labels: %s %v", r.Status, r.Error)
	}
}

// TestSubjectsWaitForAPerson: one open row a tag, whatever happens; the guard speaks before the model.
func TestSubjectsWaitForAPerson(t *testing.T) {
	t.Parallel()
	var asked []string
	answers := map[string]engine.Choice{}
	a := newArchiveWith(t, fake{classify: func(texts, _ []string) ([]engine.Choice, error) {
		asked = append(asked, texts...)
		out := make([]engine.Choice, len(texts))
		for i, text := range texts {
			out[i] = answers[text]
		}
		return out, nil
	}}.registry())
	a.exec(`INSERT INTO tags (name) VALUES ('bondes'), ('ilegível'), ('1912'), ('rua das flores'), ('prado, honório'), ('coisas'), ('bailes'), ('missas')`)
	a.exec("INSERT INTO exclusions (term, kind) VALUES ('bailes', 'SUBJECT'), ('Honório Prado', 'COLLECTION')")
	a.exec("UPDATE tags SET subject_category_id = (SELECT id FROM subject_categories WHERE name = 'Religião'), category_person = 'ana' WHERE name = 'missas'")
	answers["bondes"], answers["coisas"] = engine.Choice{Label: "Mobilidade e Transporte", Score: 0.56}, engine.Choice{Label: "Religião", Score: 0.55}
	a.processed(worker.MacroCategory, 7)
	if diff := cmp.Diff([]string{"bondes", "coisas"}, asked); diff != "" {
		t.Errorf("asked, -want +got:\n%s", diff)
	}
	state := func() []string {
		return column[string](a, `SELECT concat_ws(' | ', t.name, c.name, round(s.score::numeric, 2), s.refusal, q.evidence->>'category') FROM tags t
			LEFT JOIN subject_categories c ON c.id = t.subject_category_id LEFT JOIN subject_scores s ON s.tag_id = t.id
			LEFT JOIN review_queue q ON q.tag_id = t.id AND q.kind = 'SUBJECT' AND q.decided_at IS NULL ORDER BY t.name COLLATE "C"`)
	}
	want := []string{
		"1912 | 0.00 | date", "bailes | 0.00 | excluded", "bondes | Mobilidade e Transporte | 0.56", "coisas | 0.55 | Religião",
		"ilegível | 0.00 | placeholder", "missas | Religião", "prado, honório | 0.00 | person_of_the_collection", "rua das flores | 0.00 | address",
	}
	want[4] = strings.Replace(want[4], "placeholder", value[string](a, "SELECT refusal FROM subject_scores JOIN tags t ON t.id = tag_id WHERE t.name = 'ilegível'"), 1)
	if diff := cmp.Diff(want, state()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	a.checkQueues()

	filed := value[string](a, "SELECT t.name || ' | ' || j.field || ' | ' || j.after FROM change_journal j JOIN tags t ON j.unit_kind = 'tag' AND t.id = j.unit_id")
	if filed != "bondes | subject_category | Mobilidade e Transporte" {
		t.Errorf("the journal: %s", filed)
	}

	a.run(worker.MacroCategory, map[string]any{"force": true})
	if got := value[int64](a, "SELECT count(*) FROM review_queue"); got != 1 {
		t.Errorf("%d rows in the review queue after the second run, want 1", got)
	}
	answers["coisas"] = engine.Choice{Label: "Religião", Score: 0.9}
	a.run(worker.MacroCategory, map[string]any{"force": true})
	if got := value[int64](a, "SELECT count(*) FROM review_queue"); got != 0 {
		t.Errorf("%d rows in the review queue once the tag is filed, want 0", got)
	}
	a.checkQueues()
}

// TestVectors: the whole text, by model; emptied with the text, kept for what is approved.
func TestVectors(t *testing.T) {
	t.Parallel()
	a := newArchiveWith(t, fake{embed: func(texts []string) ([]engine.Vector, error) {
		out := make([]engine.Vector, len(texts))
		for i, text := range texts {
			out[i].Values = []float32{float32(len(text)), -0.5}
			if text == "-" {
				out[i] = engine.Vector{Err: engine.ErrNoWords}
			}
		}
		return out, nil
	}}.registry())
	a.load(record{"description_id": "a", "title": "Um", "provenance": "Dois"}, record{"description_id": "b", "title": "-"}, record{"description_id": "c", "title": "Três"},
		record{"description_id": "d", "title": "Quatro"})
	a.run(worker.Transfer, nil)
	a.exec("UPDATE documents SET review_status = 'HUMAN_APPROVED' WHERE description_id = 'c'")
	a.exec("UPDATE documents SET review_status = 'REJECTED' WHERE description_id = 'd'")
	vectors := func() map[string]string {
		got := map[string]string{}
		for _, line := range column[string](a, `SELECT d.description_id || ' ' || v.model || ' ' || coalesce(encode(v.vector, 'hex'), 'none') FROM document_vectors v JOIN documents d ON d.id = v.document_id`) {
			parts := strings.Fields(line)
			got[parts[0]+" "+parts[1]] = parts[2]
		}
		return got
	}
	hex := func(values ...float32) string {
		var raw []byte
		for _, v := range values {
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
		}
		return fmt.Sprintf("%x", raw)
	}
	a.processed(worker.Embedding, 3)
	want := map[string]string{"a fake/m1/2": hex(7, -0.5), "b fake/m1/2": "none", "c fake/m1/2": hex(5, -0.5)}
	if diff := cmp.Diff(want, vectors()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	a.checkQueues()

	a.exec("UPDATE documents SET original_title = 'Três!' WHERE description_id = 'c'") // approved, and edited
	r := a.attempt(worker.Embedding, worker.Settings{Preset: "two"})
	if r.Status != worker.Success || r.Processed != 1 {
		t.Fatalf("with the other preset: %s %+v", r.Status, r.Counts)
	}
	want["c fake/m1/2"], want["c fake/m2/2"] = "none", hex(6, -0.5)
	if diff := cmp.Diff(want, vectors()); diff != "" {
		t.Errorf("a vector of the old text is of no use: -want +got:\n%s", diff)
	}
	a.exec("UPDATE documents SET original_title = '', provenance = NULL WHERE description_id = 'a'")
	a.processed(worker.Embedding, 1)
	if got := vectors()["a fake/m1/2"]; got != "none" {
		t.Errorf("the vector of an empty text is %s, want none", got)
	}
	a.checkQueues()
}

// TestAnOutageIsNoVerdict: a service that is away stops the run; what was answered before stays, nothing else is stamped.
func TestAnOutageIsNoVerdict(t *testing.T) {
	t.Parallel()
	away := worker.Errorf(worker.Unavailable, "The server does not answer.")
	calls, up := 0, 3
	answer := func(n int) error {
		if calls++; calls > up {
			return away
		}
		return nil
	}
	f := fake{
		entities: func(texts []string) ([]engine.Found, error) {
			return make([]engine.Found, len(texts)), answer(len(texts))
		},
		classify: func(texts, _ []string) ([]engine.Choice, error) {
			return make([]engine.Choice, len(texts)), answer(len(texts))
		},
		embed: func(texts []string) ([]engine.Vector, error) {
			return make([]engine.Vector, len(texts)), answer(len(texts))
		},
	}
	a := newArchiveWith(t, f.registry())
	for i := range 10 {
		a.load(record{"description_id": fmt.Sprint(i), "title": fmt.Sprint("Coisa ", i), "subjects": []string{fmt.Sprint("coisa ", string(rune('a'+i)))}})
	}
	a.run(worker.Transfer, nil)
	for _, name := range []string{worker.NamedEntities, worker.Typology, worker.MacroCategory, worker.Embedding} {
		calls, up = 0, 0
		r := a.attempt(name, worker.Settings{})
		if r.Status != worker.Failed || r.Error == nil || *r.Error != "The server does not answer." || r.Sum() != 0 {
			t.Errorf("%s, away from the start: %s %+v %v", name, r.Status, r.Counts, r.Error)
		}
		if calls != 3 {
			t.Errorf("%s asked %d times, want 3", name, calls)
		}
		if got := a.pendingByView()[name]; got != 10 {
			t.Errorf("%s: %d pending, want 10", name, got)
		}
		calls, up = 0, 2 // one, then two units are answered
		r = a.attempt(name, worker.Settings{})
		if r.Status != worker.Failed || r.Processed != 3 || a.pendingByView()[name] != 7 {
			t.Errorf("%s, away in the middle: %s %+v, %d pending", name, r.Status, r.Counts, a.pendingByView()[name])
		}
		up = 1 << 30
		a.processed(name, 7)
		a.processed(name, 0)
		a.checkQueues()
	}
}

// TestAUnitFailsAlone: it is counted, looked at once a run, pending again, and what it had stays.
func TestAUnitFailsAlone(t *testing.T) {
	t.Parallel()
	broken := true
	bad := engine.NewOutputError("no JSON", "<think>"+strings.Repeat("é", 4000))
	failing := func(text string) error {
		if broken && strings.Contains(strings.ToLower(text), "mau") {
			return bad
		}
		return nil
	}
	a := newArchiveWith(t, fake{
		entities: func(texts []string) ([]engine.Found, error) {
			out := make([]engine.Found, len(texts))
			for i, text := range texts {
				out[i].Err = failing(text)
			}
			return out, nil
		},
		classify: func(texts, _ []string) ([]engine.Choice, error) {
			out := make([]engine.Choice, len(texts))
			for i, text := range texts {
				out[i].Err = failing(text)
			}
			return out, nil
		},
		embed: func(texts []string) ([]engine.Vector, error) {
			out := make([]engine.Vector, len(texts))
			for i, text := range texts {
				out[i] = engine.Vector{Values: []float32{1, 2}, Err: failing(text)}
			}
			return out, nil
		},
	}.registry())
	a.load(record{"description_id": "a", "title": "Bom", "subjects": []string{"bom tempo"}}, record{"description_id": "b", "title": "Mau", "subjects": []string{"mau tempo"}})
	a.run(worker.Transfer, nil)
	for _, name := range []string{worker.NamedEntities, worker.Typology, worker.MacroCategory, worker.Embedding} {
		broken = true
		for range 2 {
			r := a.run(name, nil)
			if r.Failed != 1 {
				t.Errorf("%s: %+v, want one failed", name, r.Counts)
			}
			a.checkQueues()
			if q := a.queues()[name]; *q.Pending != 1 || q.Failed != 1 || q.Processed != 1 {
				t.Errorf("%s: pending %d, failed %d, processed %d", name, *q.Pending, q.Failed, q.Processed)
			}
		}
		message := value[string](a, "SELECT error FROM execution_log WHERE outcome = 'FAILED' AND worker_name = $1", name)
		if !strings.HasPrefix(message, "invalid model output: no JSON\n<think>é") || len(message) > 4096 {
			t.Errorf("%s keeps %d bytes: %.60q", name, len(message), message)
		}
		broken = false
		a.processed(name, 1)
		a.processed(name, 0)
	}
}

// TestEditedWhileTheModelReads: what changed since it was read is skipped and pending, whoever changed it.
func TestEditedWhileTheModelReads(t *testing.T) {
	t.Parallel()
	var a *archive
	edit := func() {}
	a = newArchiveWith(t, fake{
		entities: func(texts []string) ([]engine.Found, error) {
			edit()
			return []engine.Found{{Entities: []engine.Entity{{Name: "Rosa Prado", Type: engine.Person, Score: 1}}}}, nil
		},
		classify: func(_, labels []string) ([]engine.Choice, error) {
			edit()
			return []engine.Choice{{Label: labels[0], Score: 1}}, nil
		},
		embed: func([]string) ([]engine.Vector, error) {
			edit()
			return []engine.Vector{{Values: []float32{1, 2}}}, nil
		},
	}.registry())
	a.load(record{"description_id": "a", "title": "Coisa", "subjects": []string{"coisa"}})
	a.run(worker.Transfer, nil)
	tests := []struct{ worker, edit, left string }{
		{worker.NamedEntities, "UPDATE documents SET scope_content = 'nova'", "SELECT count(*) FROM document_entities"},
		{worker.NamedEntities, "UPDATE documents SET review_status = 'HUMAN_APPROVED'", "SELECT count(*) FROM document_entities"},
		{worker.Typology, "UPDATE documents SET original_title = 'Coisa nova'", "SELECT count(*) FROM documents WHERE typology_id IS NOT NULL"},
		{worker.Typology, "UPDATE documents SET typology_id = 2, typology_person = 'ana'", "SELECT count(*) FROM documents WHERE typology_id <> 2"},
		{worker.MacroCategory, "UPDATE tags SET name = 'coisa nova'", "SELECT count(*) FROM tags WHERE subject_category_id IS NOT NULL"},
		{worker.MacroCategory, "UPDATE tags SET subject_category_id = 2, category_person = 'ana'", "SELECT count(*) FROM tags WHERE subject_category_id <> 2"},
		{worker.Embedding, "UPDATE documents SET provenance = 'nova'", "SELECT count(*) FROM document_vectors"},
		{worker.Embedding, "UPDATE documents SET review_status = 'REJECTED'", "SELECT count(*) FROM document_vectors"},
	}
	for _, tt := range tests {
		a.exec("UPDATE documents SET review_status = 'PENDING_AI', typology_id = NULL, typology_person = NULL")
		a.exec("UPDATE tags SET subject_category_id = NULL, category_person = NULL")
		edit = func() { a.exec(tt.edit) }
		r := a.run(tt.worker, nil)
		if diff := cmp.Diff(worker.Counts{Skipped: 1}, r.Counts); diff != "" {
			t.Errorf("%s, %s: -want +got:\n%s", tt.worker, tt.edit, diff)
		}
		if got := value[int64](a, tt.left); got != 0 {
			t.Errorf("%s, %s: something was written", tt.worker, tt.edit)
		}
		a.checkQueues()
	}
}

// TestARunIsBuiltFromWhatItRecords: for every engine and preset that a worker may be given, the constructor receives what the panel shows and
// the ledger keeps.
func TestARunIsBuiltFromWhatItRecords(t *testing.T) {
	t.Parallel()
	var received []engine.Description
	registrations := engines.Registrations("model.example:1234")
	for i, r := range registrations {
		registrations[i] = r.Observed(func(d engine.Description) { received = append(received, d) })
	}
	a := newArchiveWith(t, engine.NewRegistry(registrations...))
	built := 0
	for _, d := range a.catalogue.All() {
		for _, e := range d.EngineChoices() {
			for _, p := range e.Presets {
				arguments := worker.Settings{Engine: e.Name, Preset: p.Name}
				shown, err := worker.Resolve(d, worker.Settings{}, arguments)
				if err != nil {
					t.Fatal(err)
				}
				received = nil
				r := a.attempt(d.Name, arguments)
				if r.Status != worker.Success || len(received) != 1 {
					t.Fatalf("%s with %s, %s: %s, %d engines built", d.Name, e.Name, p.Name, r.Status, len(received))
				}
				built++
				got := received[0]
				if diff := cmp.Diff(shown.Engine.Values, got.Values); diff != "" || got.Engine != e.Name || got.Preset != p.Name || got.Axis != d.Axis {
					t.Errorf("%s with %s, %s was built from %s, %s of %s; values -shown +received:\n%s", d.Name, e.Name, p.Name, got.Engine, got.Preset, got.Axis, diff)
				}
				kept := map[string]any{"engine": r.Config.Engine.Value, "preset": r.Config.Preset.Value, "values": r.Config.Resolved, "origins": r.Config.ResolvedOrigins}
				want := map[string]any{"engine": e.Name, "preset": p.Name, "values": got.Values, "origins": shown.Engine.Origins}
				if diff := cmp.Diff(asJSON(t, want), asJSON(t, kept)); diff != "" {
					t.Errorf("%s with %s, %s: the ledger, -received +kept:\n%s", d.Name, e.Name, p.Name, diff)
				}
			}
		}
	}
	if built < 8 {
		t.Errorf("only %d engines were built", built)
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
