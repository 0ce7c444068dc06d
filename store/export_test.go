package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"scrinalia/importer"
	"scrinalia/store"
	"scrinalia/worker"

	"github.com/google/go-cmp/cmp"
)

func (a *archive) export(f importer.Format, status string) []byte {
	a.t.Helper()
	var out bytes.Buffer
	if _, err := importer.Export(&out, f, a.Descriptions(a.t.Context(), status)); err != nil {
		a.t.Fatal(err)
	}
	return out.Bytes()
}

// bring imports a file and wants every record of it to be one that can be stored.
func (a *archive) bring(file []byte) importer.Report {
	a.t.Helper()
	report, err := importer.Import(a.t.Context(), a.Store, bytes.NewReader(file), importer.Options{}, nil)
	if err != nil || report.Rejected > 0 {
		a.t.Fatalf("import: %v, rejected %v", err, report.Rejects)
	}
	return report
}

// find links a description with entities and a tag, as a run and a person do, and gives it a typology.
func (a *archive) find(description string) {
	a.t.Helper()
	a.exec(`INSERT INTO entities (name, type) VALUES ('Ferreira, João Batista', 'PER'), ('Companhia Mogiana', 'ORG'), ('Ribeirão Preto', 'LOC') ON CONFLICT DO NOTHING`)
	a.exec(`INSERT INTO document_entities (document_id, entity_id, origin, run_id, score)
		SELECT d.id, e.id, 'run', (SELECT min(id) FROM archive_worker_runs), 0.93 FROM documents d, entities e WHERE d.description_id = $1 AND e.type <> 'LOC'`, description)
	a.exec(`INSERT INTO document_entities (document_id, entity_id, origin, person)
		SELECT d.id, e.id, 'human', 'ana' FROM documents d, entities e WHERE d.description_id = $1 AND e.type = 'LOC'`, description)
	a.exec(`INSERT INTO tags (name) VALUES ('estradas de ferro') ON CONFLICT DO NOTHING`)
	a.exec(`INSERT INTO document_tags (document_id, tag_id, origin, person)
		SELECT d.id, t.id, 'human', 'ana' FROM documents d, tags t WHERE d.description_id = $1 AND t.name = 'estradas de ferro'`, description)
	a.exec(`UPDATE tags SET subject_category_id = (SELECT id FROM subject_categories WHERE name = 'Mobilidade e Transporte') WHERE name = 'estradas de ferro'`)
	a.exec(`INSERT INTO subject_scores (tag_id, subject_category_id, score, run_id)
		SELECT id, subject_category_id, 0.71, (SELECT min(id) FROM archive_worker_runs) FROM tags WHERE name = 'estradas de ferro' ON CONFLICT DO NOTHING`)
	a.exec(`INSERT INTO typology_scores (document_id, typology_id, score, run_id)
		SELECT d.id, t.id, 0.84, (SELECT min(id) FROM archive_worker_runs) FROM documents d, typologies t WHERE d.description_id = $1 AND t.name = 'Fotografia'`, description)
	a.exec(`UPDATE documents SET typology_id = (SELECT id FROM typologies WHERE name = 'Fotografia') WHERE description_id = $1`, description)
}

// descriptions is what the archive says, without what was found.
func (a *archive) descriptions() []string {
	a.t.Helper()
	return column[string](a, `SELECT jsonb_build_array(d.description_id, d.original_title, d.parent_description_id, d.reference_code, d.parent_reference_code, l.name,
			d.date, d.extent, d.repository, d.producers, d.admin_bio_history, d.provenance, d.scope_content, d.language, d.access_conditions,
			d.archivist_notes, d.image_url, p.description_id, h.orphan)::text
		FROM documents d JOIN document_hierarchy h ON h.document_id = d.id LEFT JOIN documents p ON p.id = h.parent_id LEFT JOIN levels l ON l.id = d.level_id
		ORDER BY d.description_id COLLATE "C"`)
}

func (a *archive) sourceTags(where string) []string {
	a.t.Helper()
	return column[string](a, `SELECT d.description_id || ': ' || t.name FROM document_tags k JOIN documents d ON d.id = k.document_id JOIN tags t ON t.id = k.tag_id
		WHERE k.origin = 'source' AND `+where+` ORDER BY 1`)
}

// TestExportRoundTrip: an export is no news in the archive that it is from, and makes the same archive elsewhere.
func TestExportRoundTrip(t *testing.T) {
	t.Parallel()
	home := newSample(t)
	home.run(worker.Transfer, nil)
	home.run(worker.Cleaning, nil)
	home.find("amvs")
	home.exec("UPDATE documents SET original_title = 'Acervo do Arquivo | Vila Serena', review_status = 'HUMAN_APPROVED' WHERE description_id = 'amvs'")
	state := home.pendingByView()
	for _, f := range []importer.Format{importer.JSONLines, importer.AtoMCSV} {
		t.Run(string(f), func(t *testing.T) {
			file := home.export(f, "")
			again := home.bring(file)
			if again.Read != 402 || again.Unchanged != 402 || again.Imported != 0 {
				t.Errorf("at home: %+v", again)
			}
			if diff := cmp.Diff(state, home.pendingByView()); diff != "" {
				t.Errorf("pending at home: -before +after:\n%s", diff)
			}

			away := newArchive(t)
			if report := away.bring(file); report.Imported != 402 {
				t.Errorf("elsewhere: %+v", report)
			}
			away.run(worker.Transfer, nil)
			if diff := cmp.Diff(home.descriptions(), away.descriptions()); diff != "" {
				t.Errorf("-home +elsewhere:\n%s", diff)
			}
			found := "d.description_id <> 'amvs'"
			if diff := cmp.Diff(home.sourceTags(found), away.sourceTags(found)); diff != "" {
				t.Errorf("tags: -home +elsewhere:\n%s", diff)
			}
			want := []string{"amvs: administração municipal", "amvs: história local", "amvs: vila serena (sp)"}
			if f == importer.AtoMCSV { // what was found are access points there
				want = append(want, "amvs: companhia mogiana", "amvs: estradas de ferro", "amvs: ferreira, joão batista", "amvs: fotografia", "amvs: ribeirão preto")
				slices.Sort(want)
			}
			got := away.sourceTags("d.description_id = 'amvs'")
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("tags of amvs: -want +got:\n%s", diff)
			}
			if report := away.bring(file); report.Imported != 0 {
				t.Errorf("elsewhere again: %+v", report)
			}
			if report := away.bring(away.export(f, "")); report.Imported != 0 || report.Read != 402 {
				t.Errorf("elsewhere, its own export: %+v", report)
			}
			home.exec("UPDATE documents SET extent = coalesce(extent, '') || ' (1)' WHERE description_id = 'amvs'")
			if report := away.bring(home.export(f, "")); report.Imported != 1 {
				t.Errorf("elsewhere, changed since: %+v", report)
			}
		})
	}
}

// TestExportedLines says what an export says of what was found.
func TestExportedLines(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	a.load(record{"description_id": "amvs", "title": "Estação", "level": "Fundo", "subjects": []string{"Estações"}},
		record{"description_id": "b", "title": "Ata", "level": "Rolo", "image_url": "sample://images/bonde.gif"})
	a.run(worker.Transfer, nil)
	a.run(worker.Thumbnails, nil)
	a.find("amvs")
	a.exec("UPDATE documents SET review_status = 'NEEDS_REVIEW', is_anomaly = true, anomaly_reasons = '{MISSING_DATE}' WHERE description_id = 'b'")
	a.exec("UPDATE documents SET typology_id = (SELECT id FROM typologies WHERE name = 'Ata de Reunião'), typology_person = 'ana' WHERE description_id = 'b'")
	run := fmt.Sprintf("run:%d", value[int64](a, "SELECT min(id) FROM archive_worker_runs"))
	want := strings.ReplaceAll(`{"description_id":"amvs","title":"Estação","level":"Fundo","subjects":["Estações"],"review_status":"PENDING_AI","anomaly_reasons":[],`+
		`"typology":{"name":"Fotografia","score":0.84,"origin":"RUN"},"entities":[{"name":"Companhia Mogiana","type":"ORG","score":0.93,"origin":"RUN"},`+
		`{"name":"Ferreira, João Batista","type":"PER","score":0.93,"origin":"RUN"},{"name":"Ribeirão Preto","type":"LOC","score":null,"origin":"human"}],`+
		`"tags":[{"name":"estações","category":null,"score":null,"origin":"source"},`+
		`{"name":"estradas de ferro","category":"Mobilidade e Transporte","score":0.71,"origin":"human"}],"thumbnail":null,
{"description_id":"b","title":"Ata","level":"Rolo","image_url":"sample://images/bonde.gif","review_status":"NEEDS_REVIEW","anomaly_reasons":["MISSING_DATE"],`+
		`"typology":{"name":"Ata de Reunião","score":null,"origin":"human"},"entities":[],"tags":[],"thumbnail":"KEY",
`, "RUN", run)
	want = strings.ReplaceAll(want, "KEY", value[string](a, "SELECT key FROM thumbnails"))
	var got strings.Builder
	for line := range strings.Lines(string(a.export(importer.JSONLines, ""))) {
		said, _, ok := strings.Cut(line, `"scrinalia":{"content":"`)
		if !ok {
			t.Errorf("no mark: %s", line)
		}
		got.WriteString(said + "\n")
	}
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestExportLeavesOutWhatHumansRefused: links that a person removed, access points of the source among them.
func TestExportLeavesOutWhatHumansRefused(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	a.load(record{"description_id": "amvs", "title": "Estação", "subjects": []string{"Fotos", "Pontes, viadutos", "Trens"}, "names": []string{"Souza, Ana"}})
	a.run(worker.Transfer, nil)
	a.find("amvs")
	a.exec("DELETE FROM document_entities WHERE entity_id = (SELECT id FROM entities WHERE type = 'ORG')")
	a.exec("DELETE FROM document_tags WHERE tag_id IN (SELECT id FROM tags WHERE name IN ('trens', 'pontes', 'souza, ana'))")
	points := func() string {
		t.Helper()
		away := newArchive(t)
		away.bring(a.export(importer.AtoMCSV, ""))
		return value[string](away, "SELECT jsonb_build_array(subjects, places, names, genres)::text FROM staging_records")
	}
	for _, c := range []struct{ status, want string }{
		// the source's links go with the next transfer; a human has not seen them
		{"AI_APPROVED", `[["Fotos", "Pontes, viadutos", "Trens", "estradas de ferro"], ["Ribeirão Preto"], ["Souza, Ana", "Ferreira, João Batista"], ["Fotografia"]]`},
		{"HUMAN_APPROVED", `[["Fotos", "Pontes, viadutos", "estradas de ferro"], ["Ribeirão Preto"], ["Ferreira, João Batista"], ["Fotografia"]]`},
		{"REJECTED", `[["Fotos", "Pontes, viadutos", "estradas de ferro"], ["Ribeirão Preto"], [], []]`},
	} {
		a.exec("UPDATE documents SET review_status = $1", c.status)
		if diff := cmp.Diff(c.want, points()); diff != "" {
			t.Errorf("%s: -want +got:\n%s", c.status, diff)
		}
		if report := a.bring(a.export(importer.AtoMCSV, "")); report.Unchanged != 1 {
			t.Errorf("%s: %+v", c.status, report)
		}
	}
}

// TestExportOrder: a description stands behind its parent, and each status alone adds up to the whole.
func TestExportOrder(t *testing.T) {
	t.Parallel()
	a := newSample(t)
	a.run(worker.Transfer, nil)
	a.load(record{"description_id": "leaf", "title": "Ata", "parent_description_id": "late"}, record{"description_id": "late", "title": "Atas", "parent_description_id": "amvs"})
	a.run(worker.Transfer, nil)
	a.exec("UPDATE documents SET review_status = (ARRAY['PENDING_AI', 'AI_APPROVED', 'NEEDS_REVIEW', 'HUMAN_APPROVED', 'REJECTED'])[1 + id % 5]")
	seen := map[string]bool{"": true}
	for d, err := range a.Descriptions(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		if !seen[d.ParentID] {
			t.Errorf("%s stands before its parent %s", d.DescriptionID, d.ParentID)
		}
		seen[d.DescriptionID] = true
	}
	if len(seen) != 1+404 {
		t.Errorf("%d descriptions, want 404", len(seen)-1)
	}
	n := 0
	for _, status := range store.ReviewStatuses {
		for d, err := range a.Descriptions(t.Context(), status) {
			if err != nil || d.ReviewStatus != status {
				t.Fatalf("%s among %s, %v", d.ReviewStatus, status, err)
			}
			n++
		}
	}
	if n != 404 {
		t.Errorf("%d descriptions by status, want 404", n)
	}
	constraint := value[string](a, "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'documents_review_status_is_known'")
	if strings.Count(constraint, "'") != 2*len(store.ReviewStatuses) {
		t.Errorf("statuses %v, but %s", store.ReviewStatuses, constraint)
	}
}

// TestExportIsOneMoment: what changes meanwhile is not in it, and who stops reading holds no connection.
func TestExportIsOneMoment(t *testing.T) {
	t.Parallel()
	a := newSample(t)
	a.run(worker.Transfer, nil)
	n := 0
	for d, err := range a.Descriptions(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n == 1 {
			a.exec("UPDATE documents SET original_title = 'changed'")
		}
		if d.Title == "changed" {
			t.Fatalf("description %d is of another moment", n)
		}
	}
	if n != 402 {
		t.Errorf("%d descriptions, want 402", n)
	}
	for range a.Descriptions(t.Context(), "") {
		break
	}
	if held := a.Pool().Stat().AcquiredConns(); held != 0 {
		t.Errorf("%d connections are held", held)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	for _, err := range a.Descriptions(ctx, "") {
		cancel()
		last = err
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("cancelled: %v", last)
	}
}
