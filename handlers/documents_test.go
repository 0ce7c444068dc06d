package handlers_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"scrinalia/archive"

	"github.com/google/go-cmp/cmp"
)

// TestDocumentsFilter reads every filter from the address, and says what each takes.
func TestDocumentsFilter(t *testing.T) {
	t.Parallel()
	f := &fake{}
	a := get(t, f, "/documents?status=needs_review&reason=NO_TYPOLOGY&typology=3&level=6&tag=7&entity=21&pending=ner&stale=ner&after=12&limit=20")
	if a.StatusCode != http.StatusOK {
		t.Fatalf("%d %s", a.StatusCode, a.words(t, "main"))
	}
	want := archive.Filter{
		Status: archive.NeedsReview, Reason: "NO_TYPOLOGY", Typology: 3, Level: 6, Tag: 7, Entity: 21, Pending: "ner", Stale: "ner", After: 12, Limit: 20,
		InForce: []byte("in force"),
	}
	if d := cmp.Diff(want, f.filters[0]); d != "" {
		t.Error(d)
	}
	next := a.page(t).Find("a[rel=next]").AttrOr("href", "")
	if u, err := url.Parse(next); err != nil || u.Query().Get("after") != "105" || u.Query().Get("status") != "NEEDS_REVIEW" || u.Query().Has("before") {
		t.Errorf("the next page is %s", next)
	}
	if got := a.page(t).Find("select option[selected]").Length(); got != 6 {
		t.Errorf("%d filters are shown as chosen, want 6", got)
	}
	if got := a.words(t, ".chips.on"); !strings.Contains(got, "pontes") || !strings.Contains(got, "João Vaz Pinto") {
		t.Errorf("the tag and the entity are shown as %q", got)
	}
	refused := ask(t, serve(f), asJSON(asked{path: "/documents?status=done&level=x&pending=conflict-judge&limit=9999"}))
	var p struct{ Fields map[string]string }
	if err := json.Unmarshal([]byte(refused.text), &p); err != nil || refused.StatusCode != http.StatusUnprocessableEntity || len(p.Fields) != 4 {
		t.Errorf("%d %s", refused.StatusCode, refused.text)
	}
	if a := get(t, f, "/documents?tag=404"); a.StatusCode != http.StatusNotFound {
		t.Errorf("no such tag: %d", a.StatusCode)
	}
}

// TestDocumentsSayTheirCost where no index leads to what is asked for.
func TestDocumentsSayTheirCost(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]bool{
		"": false, "?status=NEEDS_REVIEW": false, "?status=PENDING_AI": false, "?pending=ner": true, "?pending=ner&tag=7": false, "?stale=ner": false,
	} {
		if got := strings.Contains(get(t, &fake{}, "/documents"+query).text, "every description is read"); got != want {
			t.Errorf("%s: %t", query, got)
		}
		var answer map[string]any
		if err := json.Unmarshal([]byte(ask(t, serve(&fake{}), asJSON(asked{path: "/documents" + query})).text), &answer); err != nil || answer["reads_every_description"] != want {
			t.Errorf("%s: %v", query, answer["reads_every_description"])
		}
	}
}

// TestDocumentPage shows where each piece comes from.
func TestDocumentPage(t *testing.T) {
	t.Parallel()
	a := get(t, &fake{}, "/documents/101")
	for selector, want := range map[string]string{
		"h1": "Ponte metálica sobre o Rio Jaguari", "#f-reference_code dd": "BR SPAMVS OP-02-03-001", "#f-typology .by": "score 0.87, run #1,271",
		"#f-entities .ai .vh": "found by run #1,263, score 0.91:", "#work-ner .st": "Waits: its text has changed", "#work-embedding .st": "Waits: never processed",
		"#work-typology .st": "Settled", "nav.crumb": "Descriptions / Prefeitura Municipal de Vila Serena / Obras Públicas", "#revision-3 em": "conferido no original",
	} {
		if got := a.words(t, selector); got != want {
			t.Errorf("%s says %q, want %q", selector, got, want)
		}
	}
	for path, selector := range map[string]string{"/documents/101": "#picture img", "/documents": "#document-101 img"} {
		if got := get(t, &fake{}, path).page(t).Find(selector).AttrOr("src", ""); got != "/thumbnails/101?v=0123456789abcdef" {
			t.Errorf("the thumbnail on %s is at %q", path, got)
		}
	}
	if a := get(t, &fake{}, "/documents/103"); a.StatusCode != http.StatusOK || !strings.Contains(a.words(t, "nav.crumb"), "its parent is not in the archive") {
		t.Errorf("the bare one: %d", a.StatusCode)
	}
	for _, path := range []string{"/documents/9", "/documents/x", "/documents/0", "/documents/9/edit"} {
		if a := get(t, &fake{}, path); a.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", path, a.StatusCode)
		}
	}
	pt := ask(t, serve(&fake{}), asked{path: "/documents/101", header: pt})
	if got := pt.words(t, "#a-content"); got != "3.3Conteúdo e estrutura" {
		t.Errorf("%q", got)
	}
}

// TestEditForm sends what the form of a description holds, and shows it again when it is refused or met by another edit.
func TestEditForm(t *testing.T) {
	t.Parallel()
	f := &fake{}
	page := get(t, f, "/documents/101/edit").page(t)
	form := url.Values{}
	for _, field := range []string{"input[name], textarea[name]", "select[name]"} {
		for _, n := range page.Find("form.edit").Find(field).EachIter() {
			switch {
			case n.AttrOr("type", "") == "checkbox":
			case field == "select[name]":
				form.Set(n.AttrOr("name", ""), n.Find("option[selected]").AttrOr("value", ""))
			case n.Is("textarea"):
				form.Set(n.AttrOr("name", ""), strings.ReplaceAll(n.Text(), "\n", "\r\n"))
			default:
				form.Set(n.AttrOr("name", ""), n.AttrOr("value", ""))
			}
		}
	}
	form.Set("title", "Ponte nova")
	form.Set("add_tags", "rios; obras públicas;")
	form.Set("add_entity", "Rio Jaguari")
	form.Set("add_type", "LOC")
	form["remove_entities"] = []string{"22"}
	a := ask(t, serve(f), asked{method: "POST", path: "/documents/101", body: form.Encode()})
	if a.StatusCode != http.StatusSeeOther || a.Header.Get("Location") != "/documents/101" || len(f.edits) != 1 {
		t.Fatalf("%d %s %d", a.StatusCode, a.Header.Get("Location"), len(f.edits))
	}
	e := f.edits[0].edit
	if d := cmp.Diff(map[string]string{"title": "Ponte nova"}, e.ChangedTexts(bridge())); d != "" {
		t.Errorf("an untouched field counts as changed: %s", d)
	}
	if d := cmp.Diff([]any{bridge().Version, []string{"rios", "obras públicas"}, []archive.Named{{Name: "Rio Jaguari", Type: "LOC"}}, []int64{22}, int32(1), int32(5)},
		[]any{e.Version, e.AddTags, e.AddEntities, e.RemoveEntities, *e.Typology, *e.Level}); d != "" {
		t.Error(d) // the level of the description is no longer among the choices, and stays
	}
	if by := f.edits[0].by; by.Person != "panel 192.0.2.7" {
		t.Errorf("by %+v", by)
	}

	form.Set("title", " ")
	refused := ask(t, serve(f), asked{method: "POST", path: "/documents/101", body: form.Encode()})
	if refused.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(refused.words(t, "#e-title-h"), "1 to 10,000 characters") || refused.page(t).Find("#e-add_tags").AttrOr("value", "") != "rios; obras públicas;" {
		t.Errorf("refused: %d %s", refused.StatusCode, refused.words(t, "#e-title-h"))
	}
	form.Set("title", "Ponte velha")
	form.Set("version", "old")
	f.changed = &archive.ChangedError{Fields: []string{"date"}, Now: bridge(), Last: &bridge().Revisions[0]}
	met := ask(t, serve(f), asked{method: "POST", path: "/documents/101", body: form.Encode()})
	if met.StatusCode != http.StatusConflict || !strings.Contains(met.words(t, ".slip"), "panel 127.0.0.1") || met.words(t, ".slip .facts dd") != "1911-1913" {
		t.Errorf("met: %d %s", met.StatusCode, met.words(t, ".slip"))
	}
	if p := met.page(t); p.Find("#e-title").AttrOr("value", "") != "Ponte velha" || p.Find("[name=version]").AttrOr("value", "") != bridge().Version {
		t.Error("the form does not hold what was typed, or not the newest version")
	}
}

// TestEditJSON is the same for scripts.
func TestEditJSON(t *testing.T) {
	t.Parallel()
	f := &fake{}
	patch := func(body string) answered {
		return ask(t, serve(f), asJSON(asked{method: "PATCH", path: "/documents/101", body: body, header: map[string]string{"Content-Type": "application/json"}}))
	}
	a := patch(`{"version":"v","title":"Ponte nova","typology_id":0,"add_entities":[{"name":"Rio Jaguari","type":"LOC"}],"remove_tags":[7],"decision":"approve","by":"tool"}`)
	var d archive.Document
	if err := json.Unmarshal([]byte(a.text), &d); err != nil || a.StatusCode != http.StatusOK || d.ID != 101 || d.Version == "" {
		t.Fatalf("%d %s", a.StatusCode, a.text)
	}
	zero := int32(0)
	want := edited{101, archive.Edit{
		Version: "v", Texts: map[string]string{"title": "Ponte nova"}, Typology: &zero, AddEntities: []archive.Named{{Name: "Rio Jaguari", Type: "LOC"}}, RemoveTags: []int64{7}, Decision: archive.Approve,
	}, archive.Actor{Person: "tool, API 192.0.2.7", Channel: "API"}}
	if d := cmp.Diff(want, f.edits[0], cmp.AllowUnexported(edited{})); d != "" {
		t.Error(d)
	}
	for body, want := range map[string]int{
		`{"reference_code":"x"}`: 422, `{"title":3}`: 422, `[1]`: 400, `{`: 400, `{"typology_id":"x"}`: 422,
	} {
		if a := patch(body); a.StatusCode != want {
			t.Errorf("%s: %d, want %d", body, a.StatusCode, want)
		}
	}
	f.changed = &archive.ChangedError{Fields: []string{"date"}, Now: bridge()}
	met := patch(`{"version":"old","title":"x"}`)
	var p struct {
		Changed  []string
		Document archive.Document
	}
	if err := json.Unmarshal([]byte(met.text), &p); err != nil || met.StatusCode != http.StatusConflict || len(p.Changed) != 1 || p.Document.Version != bridge().Version {
		t.Errorf("%d %s", met.StatusCode, met.text)
	}
}
