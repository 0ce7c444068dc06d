package search_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"scrinalia/search"
	"scrinalia/worker"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// collection is small and has something of everything.
var collection = []record{
	{"description_id": "planta", "title": "Planta do Mercado Municipal", "reference_code": "BR PC OP-01-003", "scope_content": "Planta baixa com vinte bancas.", "date": "1912-1914"},
	{"description_id": "ata", "title": "Ata da Câmara", "reference_code": "BR PC CM-02", "scope_content": "Discussão sobre a construção do mercado e das estradas.", "date": "06/10/1913"},
	{"description_id": "acoes", "title": "Ações de desapropriação", "scope_content": "Imóveis rurais, papéis avulsos e fotografias.", "producers": "Fontoura, Carlos Alberto Reis"},
	{"description_id": "bridge", "title": "Views of the iron bridge", "scope_content": "Photographs taken by the engineer.", "subjects": []string{"Pontes"}, "names": []string{"Whitcombe, Arthur"}},
	{"description_id": "hostil", "title": `<script>alert("título")</script>`, "scope_content": "Texto com <b>marcação</b> & entidades."},
	{"description_id": "carta", "title": "Carta a João", "scope_content": "O guarda-chuva ficou na estação. Educação das meninas.", "archivist_notes": "Molhada em 1929."},
}

// TestWords finds by words alone: there are no vectors.
func TestWords(t *testing.T) {
	t.Parallel()
	a := newArchive(t).load(collection...)
	for query, want := range map[string][]string{
		"mercado":                 {"planta", "ata"}, // a title weighs more
		"MERCADO":                 {"planta", "ata"},
		"joao":                    {"carta"},
		"João":                    {"carta"},
		"camara":                  {"ata"},
		"acao":                    {"acoes"}, // plural and singular, with accents and without
		"ação":                    {"acoes"},
		"construções":             {"ata"},
		"imovel":                  {"acoes"},
		"papel":                   {"acoes"},
		"OP-01-003":               {"planta"},
		"op 01":                   {"planta"},
		"br pc":                   {"ata", "planta"},
		"fontoura":                {"acoes"},
		"reis":                    {"acoes"},
		"whitcombe":               {"bridge"}, // a tag
		"ponte":                   {"bridge"},
		"bridge":                  {"bridge"},
		"photograph":              {"bridge"},
		"1914":                    {"planta"}, // the end of 1912-1914
		"1913":                    {"ata"},
		"1929":                    {"carta"},
		"chuva":                   {"carta"},
		"guarda-chuva":            {"carta"},
		`"mercado municipal"`:     {"planta"},
		`"municipal mercado"`:     {},
		"mercado -planta":         {"ata"},
		"ponte or joão":           {"carta", "bridge"},
		"mercado bancas":          {"planta"},
		"educações":               {"carta"},
		"inexistente":             {},
		`" ' \ & | ! ( ) : *`:     {},
		"-":                       {},
		"mercado ----planta":      {"ata"},
		"- mercado - bancas -":    {"planta"},
		strings.Repeat("-", 400):  {},
		strings.Repeat("- ", 200): {},
		`-mercado -joão`:          {},
		"a":                       {"carta"}, // a stop word is found as it is written, in titles
	} {
		t.Run(query, func(t *testing.T) {
			t.Parallel()
			got := a.find(query)
			if diff := cmp.Diff(want, ids(got)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			for _, r := range got.Results {
				if r.Words == nil || r.Meaning != nil {
					t.Errorf("%s was found by words %v, by meaning %v", r.DescriptionID, r.Words, r.Meaning)
				}
			}
		})
	}
}

func TestMarks(t *testing.T) {
	t.Parallel()
	a := newArchive(t).load(collection...)
	marked := func(parts []search.Part) string {
		var b strings.Builder
		for _, p := range parts {
			if p.Match {
				b.WriteString("[" + p.Text + "]")
			} else {
				b.WriteString(p.Text)
			}
		}
		return b.String()
	}
	for query, want := range map[string][2]string{
		"acao imovel":           {"[Ações] de desapropriação", "[Imóveis] rurais, papéis avulsos e fotografias."},
		"titulo":                {`<script>alert("[título]")</script>`, "Texto com <b>marcação</b> & entidades."},
		"marcação":              {`<script>alert("título")</script>`, "Texto com <b>[marcação]</b> & entidades."},
		`"molhada em" -mercado`: {"Carta a João", "[Molhada] em 1929."},
	} {
		r := a.find(query).Results
		if len(r) != 1 || marked(r[0].MarkedTitle) != want[0] || marked(r[0].Snippet) != want[1] {
			t.Errorf("%s: %+v", query, r)
		}
	}
}

// TestFreshWords: what was committed before a search is found by it, whatever changed.
func TestFreshWords(t *testing.T) {
	t.Parallel()
	a := newArchive(t).load(collection...)
	check := func(what, query string, want ...string) {
		t.Helper()
		if got := slices.Sorted(slices.Values(ids(a.find(query)))); !cmp.Equal(want, got, cmpopts.EquateEmpty()) {
			t.Errorf("%s: %q finds %v, want %v", what, query, got, want)
		}
	}
	check("at first", "mercado", "ata", "planta")
	a.exec("UPDATE documents SET original_title = 'Aqueduto' WHERE description_id = 'planta'")
	check("changed", "aqueduto", "planta")
	check("changed", "mercado", "ata")
	a.exec("UPDATE documents SET review_status = 'REJECTED' WHERE description_id = 'planta'")
	check("rejected", "aqueduto")
	a.exec("UPDATE documents SET review_status = 'HUMAN_APPROVED' WHERE description_id = 'planta'")
	check("no longer rejected", "aqueduto", "planta")
	a.exec(`WITH e AS (INSERT INTO entities (name, type) VALUES ('Teodoro Sauer', 'PER') RETURNING id)
		INSERT INTO document_entities (document_id, entity_id, origin, person) SELECT d.id, e.id, 'human', 'test' FROM documents d, e WHERE description_id = 'ata'`)
	check("an entity", "sauer", "ata")
	a.exec("DELETE FROM document_entities")
	check("no entity", "sauer")
	a.exec(`INSERT INTO document_tags (document_id, tag_id, origin, person) SELECT d.id, t.id, 'human', 'test' FROM documents d, tags t WHERE description_id = 'ata' AND t.folded = 'pontes'`)
	check("a tag", "pontes", "ata", "bridge")
	a.exec("DELETE FROM document_tags WHERE origin = 'human'")
	check("no tag", "pontes", "bridge")
	a.load(record{"description_id": "ata", "title": "Ata do aqueduto"}, record{"description_id": "nova", "title": "Aqueduto novo"})
	check("transferred again", "aqueduto", "ata", "nova", "planta")
	a.exec("DELETE FROM documents WHERE description_id = 'nova'")
	check("deleted", "aqueduto", "ata", "planta")
	var stray int
	if err := a.Pool().QueryRow(t.Context(), "SELECT count(*) FROM document_search s WHERE NOT EXISTS (SELECT FROM documents d WHERE d.id = s.document_id)").Scan(&stray); err != nil || stray > 0 {
		t.Errorf("%d stray entries, %v", stray, err)
	}
}

// TestUncommittedWords: what another transaction has not committed is not lost when it does.
func TestUncommittedWords(t *testing.T) {
	t.Parallel()
	a := newArchive(t).load(collection...)
	tx, err := a.Pool().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
	if _, err := tx.Exec(t.Context(), "UPDATE documents SET original_title = 'Aqueduto' WHERE description_id = 'planta'"); err != nil {
		t.Fatal(err)
	}
	a.exec("UPDATE documents SET original_title = 'Ata do chafariz' WHERE description_id = 'ata'")
	if got := ids(a.find("chafariz")); !cmp.Equal([]string{"ata"}, got) {
		t.Errorf("found %v", got)
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := ids(a.find("aqueduto")); !cmp.Equal([]string{"planta"}, got) {
		t.Errorf("found %v", got)
	}
}

// TestLongTexts: the longest that an import lets in is indexed, cut.
func TestLongTexts(t *testing.T) {
	t.Parallel()
	var long strings.Builder
	for i := 0; long.Len() < 250_000; i++ {
		long.WriteString(strings.Repeat(string(rune('a'+i%26)), 1+i%7) + string(rune(0x4e00+i%20000)) + string(rune(0x10000+i%60000)) + " ")
	}
	text := "começo " + long.String()
	a := newArchive(t).load(record{
		"description_id": "longa", "title": text, "scope_content": text, "admin_bio_history": text, "provenance": text, "archivist_notes": text, "producers": text, "repository": text,
		"date": text, "reference_code": text,
	})
	if got := a.find("comeco"); len(got.Results) != 1 || got.Words.Waiting != 0 {
		t.Errorf("found %v", ids(got))
	}
}

// byMeaning puts two directions into a small room: water and fire.
func byMeaning(t *testing.T) *archive {
	a := newArchive(t).load(
		record{"description_id": "rio", "title": "Rio Jaguari"}, record{"description_id": "chuva", "title": "Chuva"}, record{"description_id": "fogo", "title": "Fogo"},
		record{"description_id": "brasa", "title": "Brasa"})
	a.put(a.model, "rio", []float32{1, 0})
	a.put(a.model, "chuva", []float32{2, 0.2})
	a.put(a.model, "fogo", []float32{-1, 0.1})
	a.put(a.model, "brasa", []float32{-5, 0})
	a.embed = func(text string) ([]float32, error) {
		switch {
		case strings.Contains(text, "fogo"):
			return []float32{-1, 0}, nil
		case text == "!":
			return nil, nil
		}
		return []float32{1, 0}, nil
	}
	return a
}

// TestFusion: the ranks of both halves add up.
func TestFusion(t *testing.T) {
	t.Parallel()
	a := byMeaning(t)
	got := a.find("chuva")
	if diff := cmp.Diff([]string{"chuva", "rio"}, ids(got)); diff != "" {
		t.Fatalf("-want +got:\n%s", diff)
	}
	chuva, rio := got.Results[0], got.Results[1]
	if chuva.Words == nil || chuva.Words.Rank != 1 || chuva.Meaning == nil || chuva.Meaning.Rank != 2 || math.Abs(chuva.Score-1/61.0-1/62.0) > 1e-12 || chuva.Rank != 1 {
		t.Errorf("chuva: %+v %+v %+v", chuva, chuva.Words, chuva.Meaning)
	}
	if rio.Words != nil || rio.Meaning == nil || rio.Meaning.Rank != 1 || rio.Meaning.Score != 1 || rio.Score != 1/61.0 {
		t.Errorf("rio: %+v %+v", rio, rio.Meaning)
	}
	want := search.Semantic{Model: "fake/one/2", Vectors: 4, Documents: 4, Found: 2}
	if diff := cmp.Diff(want, got.Meaning); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestFreshVectors: what was committed before a search is compared by it.
func TestFreshVectors(t *testing.T) {
	t.Parallel()
	a := byMeaning(t)
	check := func(what string, want ...string) {
		t.Helper()
		if got := ids(a.find("água")); !cmp.Equal(append([]string{}, want...), got) {
			t.Errorf("%s: found %v, want %v", what, got, want)
		}
	}
	check("at first", "rio", "chuva")
	a.put(a.model, "rio", []float32{-1, 0})
	check("changed", "chuva")
	a.put(a.model, "brasa", []float32{1, 0})
	check("added", "brasa", "chuva")
	a.put(a.model, "brasa", nil)
	check("removed", "chuva")
	a.exec("UPDATE documents SET review_status = 'REJECTED' WHERE description_id = 'chuva'")
	check("rejected")
	a.exec("UPDATE documents SET review_status = 'PENDING_AI' WHERE description_id = 'chuva'")
	check("no longer rejected", "chuva")

	// a transaction that began before others and commits after them
	tx, err := a.Pool().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
	if _, err := tx.Exec(t.Context(), putVector, "rio", a.model, stored([]float32{1, 0})); err != nil {
		t.Fatal(err)
	}
	a.put(a.model, "brasa", []float32{1, 0})
	check("one not committed", "brasa", "chuva")
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	check("committed late", "rio", "brasa", "chuva")
	a.exec("DELETE FROM documents WHERE description_id = 'brasa'")
	check("deleted", "rio", "chuva")
}

// TestModels are never compared with each other.
func TestModels(t *testing.T) {
	t.Parallel()
	a := byMeaning(t)
	a.find("água")
	a.model = "fake/two/2"
	got := a.find("água")
	if got.Meaning.Missing != search.OtherModel || got.Meaning.Vectors != 0 || len(got.Results) > 0 || !strings.Contains(got.Meaning.Detail, "fake/one/2") {
		t.Errorf("no vectors of the model: %+v, found %v", got.Meaning, ids(got))
	}
	a.put(a.model, "fogo", []float32{1, 0})
	if got := a.find("água"); !cmp.Equal([]string{"fogo"}, ids(got)) || got.Meaning.Vectors != 1 || got.Meaning.Model != "fake/two/2" {
		t.Errorf("one vector of the model: %+v, found %v", got.Meaning, ids(got))
	}
	a.model = "fake/one/2"
	if got := a.find("água"); !cmp.Equal([]string{"rio", "chuva"}, ids(got)) {
		t.Errorf("back: found %v", ids(got))
	}
}

// TestWithoutMeaning says why there is no search by meaning, and finds by words.
func TestWithoutMeaning(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		query string
		set   func(a *archive)
		want  search.Reason
		says  string
	}{
		"no vectors":   {"chuva", func(a *archive) { a.exec("DELETE FROM document_vectors") }, search.NoVectors, "Run embedding"},
		"engine fails": {"chuva", func(a *archive) { a.embed = func(string) ([]float32, error) { return nil, errors.New("secret") } }, search.EngineFails, "the log has the details"},
		"engine says why": {"chuva", func(a *archive) {
			a.embed = func(string) ([]float32, error) {
				return nil, worker.Errorf(worker.Unavailable, "Ollama does not answer.")
			}
		}, search.EngineFails, "Ollama does not answer."},
		"operators": {`"chuva"`, func(*archive) {}, search.Operators, "only words"},
		"a minus":   {`chuva -fogo`, func(*archive) {}, search.Operators, "only words"},
		"nothing":   {"chuva", func(a *archive) { a.embed = func(string) ([]float32, error) { return nil, nil } }, search.Nothing, "nothing"},
		"no engine": {"chuva", func(a *archive) { a.Service = search.New(search.Options{Store: a.Store}) }, search.NoEngine, "No engine"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := byMeaning(t)
			tt.set(a)
			got := a.find(tt.query)
			if !cmp.Equal([]string{"chuva"}, ids(got)) || got.Meaning.Missing != tt.want || !strings.Contains(got.Meaning.Detail, tt.says) || got.Meaning.Documents != 4 {
				t.Errorf("found %v, %+v", ids(got), got.Meaning)
			}
		})
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	var many []record
	for i := range 230 {
		many = append(many, record{"description_id": strings.Repeat("x", i+1), "title": "Ofício da Câmara"})
	}
	a.load(many...)
	for name, q := range map[string]search.Query{
		"q": {Text: strings.Repeat("é", search.MaxLength+1)}, "page": {Text: "a", Page: search.MaxPage + 1}, "page below": {Text: "a", Page: -1},
	} {
		_, err := a.Search(t.Context(), q)
		if e, ok := errors.AsType[*worker.Error](err); !ok || e.Kind != worker.Invalid || e.Fields[strings.Fields(name)[0]] == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, empty := range []string{"", "  \t\n", "\x00"} {
		if got := a.find(empty); got.Query != "" || len(got.Results) > 0 {
			t.Errorf("%q: %+v", empty, got)
		}
	}
	if got := a.find(strings.Repeat("ofício ", 71)); got.Found != 200 {
		t.Errorf("as long as may be: %d found", got.Found)
	}
	if got := a.find("\xff ofício \x00"); got.Query != "ofício" || got.Found != 200 {
		t.Errorf("no text: %q, %d found", got.Query, got.Found)
	}
	seen := map[string]bool{}
	for page := 1; page <= search.MaxPage; page++ {
		got, err := a.Search(t.Context(), search.Query{Text: "ofício", Page: page})
		if err != nil || got.Pages != search.MaxPage || got.Page != page || got.Found != 200 || got.Results[0].Rank != (page-1)*search.PageSize+1 {
			t.Fatalf("page %d: %v %+v", page, err, got)
		}
		for _, id := range ids(got) {
			seen[id] = true
		}
	}
	if len(seen) != 200 {
		t.Errorf("the pages have %d descriptions, want 200", len(seen))
	}
	if got, err := a.Search(t.Context(), search.Query{Text: "câmara inexistente", Page: 3}); err != nil || len(got.Results) > 0 || got.Pages != 0 {
		t.Errorf("a page of nothing: %v %+v", err, got)
	}
}

// TestKeep reads words without a search.
func TestKeep(t *testing.T) {
	t.Parallel()
	a := newArchive(t).load(collection...)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- a.Keep(ctx, time.Millisecond) }()
	for {
		if n, err := a.CountWaiting(t.Context()); err != nil {
			t.Fatal(err)
		} else if n == 0 {
			break
		}
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
