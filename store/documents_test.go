package store_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	described "scrinalia/archive"
	"scrinalia/worker"

	"github.com/google/go-cmp/cmp"
)

var curator = described.Actor{Person: "panel 192.0.2.7", Channel: worker.Panel}

// inForce are the workers whose units are descriptions, with their settings in force.
func (a *archive) inForce() []described.InForce {
	a.t.Helper()
	var list []described.InForce
	for _, d := range a.catalogue.All() {
		if d.Unit == worker.Tag || d.Unit == worker.Pair {
			continue
		}
		r, err := worker.Resolve(d, worker.Settings{}, worker.Settings{})
		if err != nil {
			a.t.Fatal(err)
		}
		list = append(list, described.InForce{Worker: d.Name, Fingerprint: r.Fingerprint(d)})
	}
	return list
}

func (a *archive) described(id int64) described.Document {
	a.t.Helper()
	d, err := a.Document(a.t.Context(), id, a.inForce())
	if err != nil {
		a.t.Fatal(err)
	}
	return d
}

func (a *archive) idOf(descriptionID string) int64 {
	a.t.Helper()
	return value[int64](a, "SELECT id FROM documents WHERE description_id = $1", descriptionID)
}

// edit edits a description as it is.
func (a *archive) edit(id int64, e described.Edit) {
	a.t.Helper()
	if err := a.EditDocument(a.t.Context(), id, e, curator); err != nil {
		a.t.Fatal(err)
	}
}

// listed reads the whole list of a filter in pages, forwards and back again, and wants both to agree.
func (a *archive) listed(f described.Filter) []int64 {
	a.t.Helper()
	f.Limit = 7
	read := func(f described.Filter) described.Page {
		p, err := a.Documents(a.t.Context(), f)
		if err != nil {
			a.t.Fatalf("%+v: %v", f, err)
		}
		return p
	}
	var there, back []int64
	last := int64(0)
	for {
		p := read(f)
		for _, d := range p.Documents {
			there, last = append(there, d.ID), d.ID
		}
		if p.Later == 0 {
			break
		}
		f.After = p.Later
	}
	for f.After, f.Before = 0, last+1; last > 0; {
		p := read(f)
		for _, d := range slices.Backward(p.Documents) {
			back = append(back, d.ID)
		}
		if p.Earlier == 0 {
			break
		}
		f.Before = p.Earlier
	}
	slices.Reverse(back)
	if d := cmp.Diff(there, back); d != "" {
		a.t.Errorf("%+v: -there +back:\n%s", f, d)
	}
	return there
}

// TestDocumentsAreFiltered compares every filter, and random pairs of them, with a plain statement.
func TestDocumentsAreFiltered(t *testing.T) {
	t.Parallel()
	a := newSample(t)
	a.runAll()
	a.exec("UPDATE documents SET review_status = 'HUMAN_APPROVED' WHERE id % 17 = 0")
	a.exec("UPDATE documents SET scope_content = scope_content || ' mais' WHERE id % 5 = 0")
	a.run("typology", map[string]any{"threshold": 0.9, "force": true})
	forms := a.inForce()
	print := func(name string) []byte {
		return forms[slices.IndexFunc(forms, func(w described.InForce) bool { return w.Worker == name })].Fingerprint
	}
	type choice struct {
		set func(*described.Filter)
		sql string
	}
	var choices []choice
	add := func(sql string, set func(*described.Filter)) { choices = append(choices, choice{set, sql}) }
	for _, s := range described.Statuses {
		add(fmt.Sprintf("review_status = '%s'", s), func(f *described.Filter) { f.Status = s })
	}
	for _, r := range column[string](a, "SELECT DISTINCT unnest(anomaly_reasons) FROM documents") {
		add(fmt.Sprintf("'%s' = ANY (anomaly_reasons)", r), func(f *described.Filter) { f.Reason = r })
	}
	for _, id := range column[int32](a, "SELECT DISTINCT typology_id FROM documents WHERE typology_id IS NOT NULL") {
		add(fmt.Sprintf("typology_id = %d", id), func(f *described.Filter) { f.Typology = id })
	}
	for _, id := range column[int32](a, "SELECT id::int FROM levels") {
		add(fmt.Sprintf("level_id = %d", id), func(f *described.Filter) { f.Level = id })
	}
	for _, id := range column[int64](a, "SELECT tag_id FROM document_tags GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 3") {
		add(fmt.Sprintf("id IN (SELECT document_id FROM document_tags WHERE tag_id = %d)", id), func(f *described.Filter) { f.Tag = id })
	}
	for _, id := range column[int64](a, "SELECT entity_id FROM document_entities GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 3") {
		add(fmt.Sprintf("id IN (SELECT document_id FROM document_entities WHERE entity_id = %d)", id), func(f *described.Filter) { f.Entity = id })
	}
	for _, w := range forms {
		add(fmt.Sprintf("id IN (SELECT unit_id FROM %s_queue WHERE pending)", strings.ReplaceAll(w.Worker, "-", "_")), func(f *described.Filter) { f.Pending = w.Worker })
		stale := fmt.Sprintf(`id IN (SELECT l.unit_id FROM execution_log l JOIN archive_worker_runs r ON r.id = l.run_id WHERE l.worker_name = '%s'
			AND r.config_fingerprint <> '\x%x' AND l.outcome NOT IN ('FAILED', 'GIVEN_UP') AND l.current AND NOT l.held)`, w.Worker, print(w.Worker))
		add(stale, func(f *described.Filter) { f.Stale, f.InForce = w.Worker, print(w.Worker) })
	}
	hits := 0
	check := func(chosen ...choice) {
		f, where := described.Filter{}, []string{"true"}
		for _, c := range chosen {
			c.set(&f)
			where = append(where, c.sql)
		}
		want := column[int64](a, "SELECT id FROM documents WHERE "+strings.Join(where, " AND ")+" ORDER BY id")
		if len(want) > 0 {
			hits++
		}
		if got := a.listed(f); !slices.Equal(got, want) {
			t.Errorf("%v: %d descriptions, want %d", where, len(got), len(want))
		}
	}
	check()
	for _, c := range choices {
		check(c)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		one, two := random.IntN(len(choices)), random.IntN(len(choices))
		if f, g := (described.Filter{}), (described.Filter{}); one != two {
			choices[one].set(&f)
			choices[two].set(&g)
			if f.Status == "" || g.Status == "" { // two of a kind: the second wins
				f.Limit, g.Limit = 0, 0
			}
			if kind(f) != kind(g) {
				check(choices[one], choices[two])
			}
		}
	}
	if hits < 20 {
		t.Errorf("only %d filters found anything", hits)
	}
}

// kind names the one filter that is on.
func kind(f described.Filter) string {
	switch {
	case f.Status != "":
		return "status"
	case f.Reason != "":
		return "reason"
	case f.Typology != 0:
		return "typology"
	case f.Level != 0:
		return "level"
	case f.Tag != 0:
		return "tag"
	case f.Entity != 0:
		return "entity"
	case f.Pending != "":
		return "pending"
	}
	return "stale"
}

// TestEditApproves: what a person edits is approved, keeps a revision with what changed, and is left alone by governed workers.
func TestEditApproves(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	a.load(record{"description_id": "a", "title": "Ponte do mercado", "scope_content": "Planta da ponte.", "date": "1911", "level": "Fundo", "subjects": []string{"pontes", "obras"}},
		record{"description_id": "b", "title": "Outra ponte", "level": "Item", "parent_description_id": "a"})
	a.runAll()
	id := a.idOf("a")
	seen := a.described(id)
	var typology, level int32 = 3, 2
	a.edit(id, described.Edit{
		Version: seen.Version, Texts: map[string]string{"title": "  Ponte   do mercado velho ", "date": "1911", "scope_content": "Planta da ponte.\r\n"},
		Typology: &typology, Level: &level, AddTags: []string{"Mercados"}, AddEntities: []described.Named{{Name: "João Vaz Pinto", Type: "PER"}},
		RemoveTags: []int64{seen.Tags[0].ID}, Note: "conferido no original",
	})
	d := a.described(id)
	if d.Title != "Ponte do mercado velho" || d.Status != described.HumanApproved || d.TypologyID != typology || d.TypologyPerson != curator.Person {
		t.Errorf("%q, %s, typology %d of %q", d.Title, d.Status, d.TypologyID, d.TypologyPerson)
	}
	if len(d.Revisions) != 1 || d.Revisions[0].Person != curator.Person || d.Revisions[0].Note != "conferido no original" {
		t.Fatalf("revisions: %+v", d.Revisions)
	}
	want := map[string]any{
		"title": "Ponte do mercado velho", "typology": d.Typology, "review_status": "HUMAN_APPROVED", "tags": []any{"mercados", "pontes"},
		"entities": []any{"João Vaz Pinto (PER)"},
	}
	got := d.Revisions[0].After
	if _, ok := got["entities"]; ok && len(seen.Entities) > 0 {
		delete(got, "entities")
		delete(want, "entities")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the revision, -want +got:\n%s", diff)
	}
	for _, w := range d.Work {
		left := w.Standing == described.LeftAlone
		if w.Worker != worker.Embedding != left {
			t.Errorf("%s: %s", w.Worker, w.Standing)
		}
	}
	a.checkQueues()
	for _, sql := range []string{"UPDATE document_revisions SET note = ''", "DELETE FROM document_revisions", "TRUNCATE document_revisions"} {
		if _, err := a.Pool().Exec(t.Context(), sql); err == nil {
			t.Errorf("%s went through", sql)
		}
	}

	// an edit that says what is there changes nothing
	a.edit(id, described.Edit{Texts: map[string]string{"title": "Ponte do mercado velho"}, Level: &level})
	if n := len(a.described(id).Revisions); n != 1 {
		t.Errorf("%d revisions after an edit that changed nothing", n)
	}
	// given back, the workers have it again
	a.edit(id, described.Edit{Decision: described.GiveBack})
	if d := a.described(id); d.Status != described.PendingAI || d.Work[len(d.Work)-2].Standing != described.NeverProcessed {
		t.Errorf("given back: %s, %+v", d.Status, d.Work)
	}
	a.checkQueues()
	a.run(worker.QualityValidator, nil)
	if d := a.described(id); d.Status == described.PendingAI || d.TypologyID != typology {
		t.Errorf("after the validator: %s, typology %d", d.Status, d.TypologyID)
	}
}

// TestSecondEditorIsTold: who edits what is no longer there learns which fields are others now, and by whom; a worker's change counts, too.
func TestSecondEditorIsTold(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	a.load(record{"description_id": "a", "title": "Ponte", "scope_content": "Uma  planta."})
	a.run(worker.Transfer, nil)
	id := a.idOf("a")
	seen := a.described(id).Version
	a.run(worker.Cleaning, nil) // two blanks become one
	a.edit(id, described.Edit{Texts: map[string]string{"date": "1911"}})
	err := a.EditDocument(t.Context(), id, described.Edit{Version: seen, Texts: map[string]string{"title": "Outra"}}, curator)
	var changed *described.ChangedError
	if !errors.As(err, &changed) || worker.KindOf(err) != worker.Conflict {
		t.Fatalf("%v, want a conflict", err)
	}
	if d := cmp.Diff([]string{"date", "scope_content", "review_status"}, changed.Fields); d != "" {
		t.Error(d)
	}
	if changed.Now.Date != "1911" || changed.Last == nil || changed.Last.Person != curator.Person {
		t.Errorf("%+v", changed)
	}
	if d := a.described(id); d.Title != "Ponte" {
		t.Errorf("the title is %q", d.Title)
	}
}

func TestEditIsRefused(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	a.load(record{"description_id": "a", "title": "Ponte"})
	a.run(worker.Transfer, nil)
	id := a.idOf("a")
	var none, needsParent int32 = 999, 6
	for name, e := range map[string]described.Edit{
		"title":          {Texts: map[string]string{"title": " \t "}},
		"reference_code": {Texts: map[string]string{"reference_code": "X"}},
		"date":           {Texts: map[string]string{"date": strings.Repeat("x", 1001)}},
		"typology_id":    {Typology: &none},
		"level_id":       {Level: &needsParent},
		"add_tags":       {AddTags: []string{"diversos"}},
		"add_entities":   {AddEntities: []described.Named{{Name: "Santos", Type: "CITY"}}},
		"decision":       {Decision: "burn"},
		"version":        {Version: "yesterday", Decision: described.Approve},
	} {
		err := a.EditDocument(t.Context(), id, e, curator)
		refused, ok := errors.AsType[*worker.Error](err)
		if !ok || refused.Kind != worker.Invalid || refused.Fields[name] == "" || len(refused.Fields) != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := value[int64](a, "SELECT count(*) FROM document_revisions"); n != 0 {
		t.Errorf("%d revisions", n)
	}
	if err := a.EditDocument(t.Context(), 99, described.Edit{Decision: described.Approve}, curator); worker.KindOf(err) != worker.NotFound {
		t.Errorf("no description: %v", err)
	}
}

// TestRemovedLinksStayAway: neither a transfer of a changed record nor ner brings back what a person removed; a person may.
func TestRemovedLinksStayAway(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	one := record{"description_id": "a", "title": "Carta de João Ferreira da Silva ao prefeito de Campinas", "date": "1911", "subjects": []string{"pontes", "obras"}}
	a.load(one)
	a.runAll()
	id := a.idOf("a")
	d := a.described(id)
	if len(d.Tags) != 2 || len(d.Entities) == 0 {
		t.Fatalf("%d tags and %d entities", len(d.Tags), len(d.Entities))
	}
	gone := d.Entities[0]
	a.edit(id, described.Edit{RemoveTags: []int64{d.Tags[0].ID}, RemoveEntities: []int64{gone.ID}})
	a.edit(id, described.Edit{Decision: described.GiveBack})
	one["scope_content"] = "Mais um texto."
	a.load(one)
	a.runAll()
	after := a.described(id)
	if len(after.Tags) != 1 || after.Tags[0].Name != d.Tags[1].Name {
		t.Errorf("tags: %+v", after.Tags)
	}
	if slices.ContainsFunc(after.Entities, func(l described.Link) bool { return l.Name == gone.Name }) || len(after.Entities) != len(d.Entities)-1 {
		t.Errorf("entities: %+v", after.Entities)
	}
	if n := value[int64](a, "SELECT count(*) FROM entities e WHERE NOT EXISTS (SELECT FROM document_entities l WHERE l.entity_id = e.id)"); n != 0 {
		t.Errorf("%d entities that nothing points to", n)
	}
	a.edit(id, described.Edit{AddTags: []string{d.Tags[0].Name}, AddEntities: []described.Named{{Name: gone.Name, Type: gone.Type}}})
	a.edit(id, described.Edit{Decision: described.GiveBack})
	one["scope_content"] = "Ainda mais."
	a.load(one)
	a.runAll()
	if last := a.described(id); len(last.Tags) != 2 || len(last.Entities) != len(d.Entities) || last.Tags[0].Origin != "human" {
		t.Errorf("%+v %+v", last.Tags, last.Entities)
	}
	if n := value[int64](a, "SELECT count(*) FROM refused_links"); n != 0 {
		t.Errorf("%d refusals are left", n)
	}
}

// TestNamesOfADescription counts what of its tags and entities waits, against the queues and the review queue themselves.
func TestNamesOfADescription(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	a.load(
		record{"description_id": "a", "title": "Carta de Irene Prado", "subjects": []string{"irene prado", "festas", "xyzzy"}},
		record{"description_id": "b", "title": "Ata", "subjects": []string{"festas"}},
	)
	a.run(worker.Transfer, nil)
	want := func(when string, want described.Names) {
		t.Helper()
		if d := cmp.Diff(want, a.described(a.idOf("a")).Names); d != "" {
			t.Errorf("%s, -want +got:\n%s", when, d)
		}
	}
	want("transferred", described.Names{TagsPending: 3})
	a.run(worker.MacroCategory, map[string]any{"threshold": 1.0})
	want("nothing is sure", described.Names{TagsForPerson: column[int64](a, "SELECT count(*) FROM review_queue WHERE kind = 'SUBJECT' AND decided_at IS NULL")[0]})
	a.exec("INSERT INTO entities (name, type) VALUES ('Irene Prado', 'PER'), ('Irene Prados', 'PER')")
	a.exec("INSERT INTO similar_pairs (tag_id, entity_id, shared, total) SELECT t.id, e.id, 9, 10 FROM tags t, entities e WHERE t.name = 'irene prado'")
	open := a.described(a.idOf("a")).Names
	if open.PairsPending != 2 || open.ConflictsToDecide != 0 {
		t.Errorf("two pairs were found: %+v", open)
	}
	a.run(worker.ConflictJudge, map[string]any{"auto_resolve_threshold": 1.0, "similarity_threshold": 0.8})
	judged := a.described(a.idOf("a")).Names
	if judged.PairsPending != 0 || judged.ConflictsToDecide != column[int64](a, "SELECT count(*) FROM review_queue WHERE kind = 'CONFLICT' AND decided_at IS NULL AND NOT moot")[0] || judged.ConflictsToDecide == 0 {
		t.Errorf("judged: %+v", judged)
	}
	if other := a.described(a.idOf("b")).Names; other.PairsPending != 0 || other.ConflictsToDecide != 0 {
		t.Errorf("a description without these names: %+v", other)
	}
}

// TestStandings says in which words a description stands to its workers.
func TestStandings(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	a.load(record{"description_id": "a", "title": "Fotografia da ponte", "scope_content": "Planta."})
	a.run(worker.Transfer, nil)
	id := a.idOf("a")
	want := func(when string, want map[string]described.Standing) {
		t.Helper()
		got := map[string]described.Standing{}
		for _, w := range a.described(id).Work {
			if want[w.Worker] != "" {
				got[w.Worker] = w.Standing
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s, -want +got:\n%s", when, d)
		}
	}
	want("transferred", map[string]described.Standing{worker.Transfer: "done", worker.Cleaning: "never", worker.NamedEntities: "never", worker.Embedding: "never"})
	a.runAll()
	want("all done", map[string]described.Standing{worker.Cleaning: "done", worker.NamedEntities: "done", worker.Typology: "settled", worker.QualityValidator: "done"})
	a.exec("UPDATE documents SET scope_content = 'Planta da ponte.'")
	want("edited", map[string]described.Standing{worker.Cleaning: "changed", worker.NamedEntities: "changed", worker.Embedding: "changed", worker.QualityValidator: "changed", worker.Typology: "settled"})
	a.runAll()
	a.exec("INSERT INTO cleaning_rules (name, kind, target_column, pattern) VALUES ('new', 'VALIDATE', 'scope_content', 'x')")
	want("another rule", map[string]described.Standing{worker.QualityValidator: "rules", worker.NamedEntities: "done"})
	a.exec("UPDATE execution_log SET outcome = 'FAILED', error = 'it broke' WHERE worker_name = 'ner'")
	want("ner failed", map[string]described.Standing{worker.NamedEntities: "failed"})
	a.exec("UPDATE documents SET review_status = 'REJECTED'")
	want("rejected", map[string]described.Standing{worker.Transfer: "human", worker.NamedEntities: "human", worker.Embedding: "human"})
}
