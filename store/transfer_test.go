package store_test

import (
	"strings"
	"testing"

	"scrinalia/worker"

	"github.com/google/go-cmp/cmp"
)

func titles(a *archive) map[string]string {
	a.t.Helper()
	got := map[string]string{}
	for _, line := range column[string](a, "SELECT description_id || '=' || original_title FROM documents ORDER BY id") {
		id, title, _ := strings.Cut(line, "=")
		got[id] = title
	}
	return got
}

func TestChangedRecordResetsTheDocument(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	old := record{"description_id": "a", "title": "PLANTA DA CIDADE", "date": "1912", "subjects": []string{"Mapas"}}
	changed := record{"description_id": "a", "title": "Planta  da cidade", "date": "1912", "subjects": []string{"Mapas"}}
	a.load(old)
	a.runAll()
	a.exec("INSERT INTO entities (name, type) VALUES ('Prefeitura', 'ORG')")
	a.exec("INSERT INTO document_entities (document_id, entity_id, origin, person) SELECT d.id, e.id, 'human', 'ana' FROM documents d, entities e ON CONFLICT DO NOTHING")
	a.run(worker.QualityValidator, nil)
	state := "SELECT concat_ws(' ', review_status, is_anomaly, cardinality(anomaly_reasons), typology_id IS NULL) FROM documents"
	if got := value[string](a, state); got != "NEEDS_REVIEW t 1 f" {
		t.Fatalf("before the change: %s", got)
	}
	a.load(old) // no news
	a.processed(worker.Transfer, 0)

	a.load(changed)
	a.checkQueues()
	a.processed(worker.Transfer, 1)
	if got := value[string](a, state); got != "PENDING_AI f 0 t" {
		t.Errorf("after the change: %s, want PENDING_AI f 0 t", got)
	}
	a.wantPending("after the change", map[string]int64{
		worker.Cleaning: 5, worker.NamedEntities: 1, worker.Typology: 1, worker.QualityValidator: 1, worker.Embedding: 1,
	})
	a.run(worker.Cleaning, nil)
	if diff := cmp.Diff(map[string]string{"a": "Planta da cidade"}, titles(a)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	a.processed(worker.Transfer, 0) // what cleaning changed is no news of the source
}

// TestATransferAsksForANewVerdict: also where the validator reads the same as before, since what it said was taken back.
func TestATransferAsksForANewVerdict(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	a.load(record{"description_id": "a", "title": "PLANTA DA CIDADE", "extent": "1 folha"}, record{"description_id": "b", "title": "Ata da câmara", "date": "1912", "subjects": []string{"Atas"}})
	a.runAll()
	states := func() []string {
		return column[string](a, "SELECT concat_ws(' ', description_id, review_status, anomaly_reasons) FROM documents ORDER BY 1")
	}
	want := states()
	a.load(record{"description_id": "a", "title": "PLANTA DA CIDADE", "extent": "2 folhas"})
	a.runAll()
	if diff := cmp.Diff(want, states()); diff != "" {
		t.Errorf("after a change that the validator does not read: -want +got:\n%s", diff)
	}
	a.run(worker.Transfer, map[string]any{"force": true})
	if got := a.pendingByView()[worker.QualityValidator]; got != 2 {
		t.Errorf("%d pending for the validator after a forced transfer, want 2", got)
	}
	a.runAll()
	if diff := cmp.Diff(want, states()); diff != "" {
		t.Errorf("after a forced transfer: -want +got:\n%s", diff)
	}
	a.checkQueues()
}

func TestHumanDecisionIsNeverOverwritten(t *testing.T) {
	t.Parallel()
	for _, status := range []string{"HUMAN_APPROVED", "REJECTED"} {
		t.Run(status, func(t *testing.T) {
			t.Parallel()
			a := newArchive(t)
			a.load(record{"description_id": "a", "title": "Ata"}, record{"description_id": "b", "title": "Carta", "image_url": "sample://images/bonde.gif"})
			a.exec("INSERT INTO tags (name) VALUES ('coisas')") // that nobody can file
			a.exec("INSERT INTO entities (name, type) VALUES ('Coisas', 'ORG')")
			a.runAll()
			a.exec("UPDATE documents SET original_title = 'Ata   do prefeito --', review_status = $1, is_anomaly = true, anomaly_reasons = '{KEPT}' WHERE description_id = 'a'", status)
			before := column[string](a, "SELECT d::text FROM documents d WHERE description_id = 'a'")
			a.load(record{"description_id": "a", "title": "Ata nova", "subjects": []string{"Prefeitos"}})
			a.checkQueues()
			for _, name := range a.catalogue.Names() {
				for _, force := range []bool{false, true} {
					r := a.run(name, map[string]any{"force": force})
					if force && r.Processed == 0 {
						t.Errorf("%s with force processed nothing", name)
					}
				}
			}
			if diff := cmp.Diff(before, column[string](a, "SELECT d::text FROM documents d WHERE description_id = 'a'")); diff != "" {
				t.Errorf("-before +after:\n%s", diff)
			}
			if got := value[int64](a, "SELECT count(*) FROM document_tags"); got != 0 {
				t.Errorf("%d links, want none", got)
			}
			a.checkQueues()

			// given back to the workers, it takes what the source says now
			a.exec("UPDATE documents SET review_status = 'PENDING_AI' WHERE description_id = 'a'")
			a.checkQueues()
			a.processed(worker.Transfer, 1)
			if got := titles(a)["a"]; got != "Ata nova" {
				t.Errorf("title %q, want the source's", got)
			}
		})
	}
}

func TestLinksOfTheSourceGoAndLinksOfPeopleStay(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	links := func() []string {
		return column[string](a, "SELECT t.name || ' ' || l.origin FROM document_tags l JOIN tags t ON t.id = l.tag_id ORDER BY 1")
	}
	a.load(record{"description_id": "a", "title": "Ata", "subjects": []string{"Mapas, PRAÇAS; praças|Geral", "ab"}, "names": []string{"Ferreira, João"}, "places": []string{"Santos"}})
	a.run(worker.Transfer, nil)
	if diff := cmp.Diff([]string{"ferreira, joão source", "mapa source", "praças source", "santos source"}, links()); diff != "" {
		t.Fatalf("-want +got:\n%s", diff)
	}
	a.exec("INSERT INTO tags (name) VALUES ('praias')")
	a.exec("INSERT INTO document_tags (document_id, tag_id, origin, person) SELECT d.id, t.id, 'human', 'ana' FROM documents d, tags t WHERE t.name = 'praias'")
	a.exec("UPDATE document_tags SET origin = 'human', person = 'ana' WHERE tag_id = (SELECT id FROM tags WHERE name = 'santos')")
	a.load(record{"description_id": "a", "title": "Ata", "subjects": []string{"Praças", "Bondes"}})
	r := a.run(worker.Transfer, nil)
	if diff := cmp.Diff([]string{"bondes source", "praias human", "praças source", "santos human"}, links()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int64{"renewed": 1, "tags_linked": 1, "tags_unlinked": 2}, counts(r.Notes)); diff != "" {
		t.Errorf("notes: -want +got:\n%s", diff)
	}
}

func TestLevels(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	tests := []struct{ give, want string }{
		{"série", "série"},
		{"SERIE", "série"},
		{" Sub-Série ", "série"},
		{"subsérie", "série"},
		{"Dossie", "dossiê/processo"},
		{"Dossiê / Processo", "dossiê/processo"},
		{"dossiê—processo", "dossiê/processo"},
		{"ITEM", "item documental"},
		{"Fonds", "fundo"},
		{"Livro", ""},
		{"", ""},
	}
	var records []record
	for i, tt := range tests {
		records = append(records, record{"description_id": string(rune('a' + i)), "title": "Ata", "level": tt.give})
	}
	a.load(records...)
	r := a.processed(worker.Transfer, int64(len(tests)))
	got := column[string](a, "SELECT coalesce(l.name, '') FROM documents d LEFT JOIN levels l ON l.id = d.level_id ORDER BY d.id")
	for i, tt := range tests {
		if got[i] != tt.want {
			t.Errorf("%q is level %q, want %q", tt.give, got[i], tt.want)
		}
	}
	if diff := cmp.Diff(worker.Note{Count: 1, Examples: []string{"j: Livro"}}, r.Notes["unknown_level"]); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestOneBadRecordFailsAlone: a synonym whose canonical spelling is no tag breaks whatever record has the term.
func TestOneBadRecordFailsAlone(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	a.exec("INSERT INTO synonyms (term, canonical, scope) VALUES ('quebra', repeat('a', 101), 'TAG')")
	records := []record{}
	for i := range 11 {
		r := record{"description_id": string(rune('a' + i)), "title": "Ata", "subjects": []string{"Praças"}}
		if i == 7 {
			r["subjects"] = []string{"Praças", "Quebra"}
		}
		records = append(records, r)
	}
	a.load(records...)
	r := a.run(worker.Transfer, nil)
	if diff := cmp.Diff(worker.Counts{Processed: 10, Failed: 1}, r.Counts); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := value[int64](a, "SELECT count(*) FROM document_tags"); got != 10 {
		t.Errorf("%d links, want 10", got)
	}
	failures, err := a.UnitFailures(t.Context(), r, 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	if len(failures) != 1 || failures[0].Name != "h" || !strings.Contains(failures[0].Error, "tags_name_length") {
		t.Errorf("failures %+v, want h with the constraint", failures)
	}
	if q := a.queues()[worker.Transfer]; *q.Pending != 1 || q.Failed != 1 || q.Processed != 10 {
		t.Errorf("queue: pending %d, failed %d, processed %d", *q.Pending, q.Failed, q.Processed)
	}
	a.checkQueues()
	if r := a.run(worker.Transfer, nil); r.Failed != 1 || r.Processed != 0 {
		t.Errorf("the next run counted %+v, want the one failure again", r.Counts)
	}
	a.exec("UPDATE synonyms SET retired_at = now() WHERE term = 'quebra'")
	a.processed(worker.Transfer, 1)
	if q := a.queues()[worker.Transfer]; *q.Pending != 0 || q.Failed != 0 {
		t.Errorf("after the repair: pending %d, failed %d", *q.Pending, q.Failed)
	}
}
