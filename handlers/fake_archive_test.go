package handlers_test

import (
	"context"
	"strings"
	"time"

	"scrinalia/archive"
	"scrinalia/worker"
)

// edited is an edit that a fake was asked for.
type edited struct {
	id   int64
	edit archive.Edit
	by   archive.Actor
}

func (f *fake) Fingerprints(context.Context) (map[string][]byte, error) {
	return map[string][]byte{"ner": []byte("in force")}, f.err
}

func (f *fake) Documents(_ context.Context, filter archive.Filter) (archive.Page, error) {
	f.set(func(f *fake) { f.filters = append(f.filters, filter) })
	if f.empty || filter.Reason == "NO_TAGS" {
		return archive.Page{}, f.err
	}
	first := bridge()
	if f.spoil != "" {
		spoil(&first, f.spoil)
	}
	return archive.Page{Documents: []archive.Summary{
		first.Summary,
		{ID: 102, DescriptionID: "hostil", Title: `<img src=x onerror="alert(1)"> ` + strings.Repeat("semespaços", 20), Status: archive.PendingAI},
		{ID: 103, DescriptionID: "sem-titulo", ReferenceCode: "BR SPAMVS BT-01-01-012", Level: "item documental", Status: archive.AIApproved},
		{ID: 104, DescriptionID: "aprovada", Title: "Ata da sessão de 3 de maio", Date: "1922", Status: archive.HumanApproved, Typology: "Ata de Reunião"},
		{ID: 105, DescriptionID: "rejeitada", Title: "Duplicata", Status: archive.Rejected, Reasons: []string{"RULE_MATCH:Marca [sic] no título", "LLM_SUSPECT:truncated"}},
	}, Later: 105, Earlier: filter.After}, f.err
}

func (f *fake) Choices(_ context.Context, filter archive.Filter) (archive.Choices, error) {
	if filter.Tag == 404 {
		return archive.Choices{}, worker.Errorf(worker.NotFound, "There is no tag 404.")
	}
	c := archive.Choices{
		Levels: []archive.Choice{{ID: 2, Name: "fundo"}, {ID: 6, Name: "item documental"}}, Typologies: []archive.Choice{{ID: 1, Name: "Planta Arquitetônica"}, {ID: 3, Name: "Fotografia"}},
		Categories: []archive.Choice{{ID: 1, Name: "Urbanismo e Arquitetura"}, {ID: 2, Name: "Mobilidade e Transporte"}, {ID: 3, Name: "Religião"}},
		Reasons:    []string{"RULE_MATCH:Marca [sic] no título"},
	}
	if filter.Tag != 0 {
		c.Tag = "pontes"
	}
	if filter.Entity != 0 {
		c.Entity = "João Vaz Pinto"
	}
	return c, f.err
}

// bridge is a description with everything.
func bridge() archive.Document {
	run, when, score := int64(1263), at(4530), 0.91
	d := archive.Document{
		Summary: archive.Summary{
			ID: 101, DescriptionID: "amvs-op-01", ReferenceCode: "BR SPAMVS OP-02-03-001", Title: "Ponte metálica sobre o Rio Jaguari", Level: "dossiê/processo",
			Date: "1911-1913", Typology: "Planta Arquitetônica", Status: archive.NeedsReview, Reasons: []string{"REPEATED_TITLE", "NO_TAGS"},
			Thumbnail: &archive.Picture{Version: "0123456789abcdef", Width: 512, Height: 338},
		},
		LevelID: 5, TypologyID: 1, Extent: "1 planta, nanquim sobre papel vegetal, 62 × 94 cm", Repository: "Arquivo Municipal de Vila Serena", Producers: "Diretoria de Obras e Viação",
		AdminBioHistory: "Criada pela Lei Municipal n.º 87, de 1911, a Diretoria de Obras e Viação respondeu pelo alinhamento das ruas.\n\nFoi extinta em 1938.",
		Provenance:      "Recolhimento da Secretaria de Obras, 1974.", ScopeContent: strings.Repeat("Montagem de uma ponte de quarenta metros, vinda em partes pelo porto de Santos. ", 6),
		Language: "português", Access: "Sem restrição.", ImageURL: "https://acervo.example/ponte.jpg", TypologyScore: &archive.Scoring{Label: "Planta Arquitetônica", Score: 0.87, RunID: 1271},
		Ancestors: []archive.Summary{{ID: 1, Title: "Prefeitura Municipal de Vila Serena"}, {ID: 2, Title: "Obras Públicas"}},
		Children:  []archive.Summary{{ID: 110, DescriptionID: "f1", ReferenceCode: "BR SPAMVS OP-02-03-001-01", Title: "Desenho da viga", Level: "item documental", Date: "1912"}},
		Tags:      []archive.Link{{ID: 7, Name: "pontes", Category: "Urbanismo e Arquitetura", Origin: "source"}, {ID: 8, Name: "calçamento", Origin: "human", Person: "panel 127.0.0.1"}},
		Entities: []archive.Link{
			{ID: 21, Name: "João Vaz Pinto", Type: "PER", Origin: "run", RunID: &run, Score: &score}, {ID: 22, Name: "Companhia Mogiana de Estradas de Ferro e Navegação", Type: "ORG", Origin: "human", Person: "panel 127.0.0.1"},
		},
		Work: []archive.Work{
			{Worker: "transfer", Standing: archive.DoneBy, RunID: &run, At: &when},
			{Worker: "cleaning", Standing: archive.DoneBy, RunID: &run, At: &when, Rules: 11},
			{Worker: "ner", Standing: archive.TextChanged, RunID: &run, At: &when, Engine: "builtin/archival_tagger", Stale: true},
			{Worker: "typology", Standing: archive.SettledBy, RunID: &run, At: &when, Engine: "builtin/lexical", Stale: true},
			{Worker: "quality-validator", Standing: archive.FailedBefore, RunID: &run, At: &when, Error: longError},
			{Worker: "embedding", Standing: archive.NeverProcessed},
		},
		Changes: []archive.Change{
			{ID: 9, RunID: 1270, Worker: "cleaning", Field: "original_title", Before: new("Ponte  metálica sobre o Rio Jaguari"), After: new("Ponte metálica sobre o Rio Jaguari"), Rule: "Espaços repetidos no título"},
		},
		Revisions: []archive.Revision{{
			ID: 3, At: at(90), Person: "panel 127.0.0.1", Channel: "PANEL", Note: "conferido no original",
			Before: map[string]any{"date": "", "tags": []any{"pontes"}, "review_status": "NEEDS_REVIEW"}, After: map[string]any{"date": "1911-1913", "tags": []any{"calçamento", "pontes"}, "review_status": "HUMAN_APPROVED"},
		}},
		CreatedAt: at(9000), UpdatedAt: at(90),
	}
	d.Version = archive.NewVersion(d)
	return d
}

func (f *fake) Document(_ context.Context, id int64, _ []archive.InForce) (archive.Document, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return archive.Document{}, f.err
	}
	d := bridge()
	if f.spoil != "" {
		spoil(&d, f.spoil)
	}
	switch id {
	case 101:
		return d, nil
	case 103: // nothing but what it must have
		return archive.Document{Summary: archive.Summary{ID: 103, DescriptionID: "sem-titulo", Status: archive.PendingAI}, Orphan: true, Work: []archive.Work{{Worker: "ner", Standing: archive.NothingToDo}}, CreatedAt: time.Time{}}, nil
	case 104:
		d.ID, d.Status, d.Reasons, d.TypologyPerson = 104, archive.HumanApproved, nil, "panel 127.0.0.1"
		for i := range d.Work {
			d.Work[i].Standing, d.Work[i].Error = archive.LeftAlone, ""
		}
		return d, nil
	}
	return archive.Document{}, worker.Errorf(worker.NotFound, "There is no description %d.", id)
}

func (f *fake) EditDocument(ctx context.Context, id int64, e archive.Edit, by archive.Actor) error {
	if _, err := f.Document(ctx, id, nil); err != nil {
		return err
	}
	if err := e.Check(); err != nil {
		return err
	}
	if f.changed != nil {
		return f.changed
	}
	f.set(func(f *fake) { f.edits = append(f.edits, edited{id, e, by}) })
	return nil
}

// spoil puts a text into everything of a description that is stored.
func spoil(d *archive.Document, text string) {
	for _, at := range []*string{
		&d.DescriptionID, &d.ReferenceCode, &d.Title, &d.Level, &d.Date, &d.Typology, &d.Extent, &d.Repository, &d.Producers, &d.AdminBioHistory, &d.Provenance, &d.ScopeContent,
		&d.Language, &d.Access, &d.ArchivistNotes, &d.ImageURL, &d.TypologyScore.Label, &d.Ancestors[0].Title, &d.Children[0].Title, &d.Children[0].ReferenceCode,
		&d.Tags[0].Name, &d.Tags[0].Category, &d.Tags[1].Person, &d.Entities[0].Name, &d.Entities[0].Type, &d.Work[0].Engine, &d.Work[4].Error, &d.Work[4].Worker,
		&d.Changes[0].Field, &d.Changes[0].Rule, &d.Revisions[0].Person, &d.Revisions[0].Note,
	} {
		*at = text
	}
	d.Reasons = []string{text, "RULE_MATCH:" + text, "LLM_SUSPECT:" + text}
	d.Changes[0].Before, d.Revisions[0].After = &text, map[string]any{text: text, "tags": []any{text}, "review_status": text}
}
