package handlers_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"scrinalia/search"
)

func TestSearchPage(t *testing.T) {
	t.Parallel()
	const only = "Found by words only. "
	for _, tt := range []struct {
		name, path string
		header     map[string]string
		status     int
		selector   string
		want       string
	}{
		{"the form", "/search", nil, 200, "form[action='/search'][method=get] label", "Words, a name, a code, or what it is about"},
		{"the menu", "/search", nil, 200, "nav [aria-current]", "Search"},
		{"nothing asked", "/search", nil, 200, "#live", ""},
		{"how many", "/search?q=ponte", nil, 200, "h2", "3 descriptions"},
		{"which model", "/search?q=ponte", nil, 200, ".sec-h span", "vectors of builtin/lexical-384-v1/384 for 4,840 of 4,844 descriptions"},
		{"what was asked stays", "/search?q=ponte", nil, 200, "title", "ponte · Search · Scrinalia"},
		{"marks in the title", "/search?q=ponte", nil, 200, "#hit-101 h3 mark", "Ponte"},
		{"marks in the snippet", "/search?q=ponte", nil, 200, "#hit-101 .piece mark", "ponte"},
		{"code, level, date", "/search?q=ponte", nil, 200, "#hit-101 h3 + .sub", "BR SPAMVS OP-02-03-001 · Dossiê · 1911-1913"},
		{"both ranks", "/search?q=ponte", nil, 200, "#hit-101 .mute", "by words: 1, by meaning: 2 (nearness 0.53)"},
		{"words alone", "/search?q=ponte", nil, 200, "#hit-102 .mute", "by words: 2"},
		{"meaning alone", "/search?q=ponte", pt, 200, "#hit-103 p.mute", "por sentido: 3 (proximidade 0,29)"},
		{"an id where there is no code", "/search?q=ponte", nil, 200, "#hit-102 h3 + .sub", "hostil"},
		{"no title", "/search?q=ponte", nil, 200, "#hit-103 h3", "without title"},
		{"mark-up is text", "/search?q=ponte", nil, 200, "#hit-102 h3", `<img src=x onerror="alert(1)">`},
		{"mark-up is nothing else", "/search?q=ponte", nil, 200, ".hits img, .hits script", ""},
		{"nothing found", "/search?q=nothing", nil, 200, ".none", "No description has these words or is near in meaning. Fewer words, or others, find more."},
		{"nothing found, in portuguese", "/search?q=nothing", pt, 200, "h2", "0 descrição"},
		{"an empty archive", "/search?q=empty", nil, 200, ".none a[href='/workers']", "There are no descriptions yet. Bring some in"},
		{"no vectors", "/search?q=unembedded", nil, 200, ".slip:has(a[href='/workers/embedding']) p", only + "There are no vectors yet. Run embedding"},
		{"another model", "/search?q=renamed", nil, 200, "#live .slip p", only + "The vectors there are come from another model than builtin/lexical-384-v1/384, which is in force. Run embedding"},
		{"engine fails", "/search?q=broken", nil, 200, "#live .slip p", only + "The query could not be read by the model: Ollama does not answer at http://127.0.0.1:11434."},
		{"loading", "/search?q=loading", nil, 200, "#live .slip p", only + "The vectors are being read into memory; search again in some seconds."},
		{"operators", "/search?q=%22quoted%22", nil, 200, "#live .slip p", only + `Quotes, a minus and "or" ask for words.`},
		{"nothing to go by", "/search?q=!", nil, 200, "#live .slip p", only + "The model finds nothing to go by in the query."},
		{"no engine", "/search?q=bare", pt, 200, "#live .slip p", "Encontradas só pelas palavras. Nenhum motor que conheça sentidos está configurado."},
		{"some wait", "/search?q=waiting", nil, 200, ".slip.s-warn p", "The words of 1,250 descriptions are still being read; they are not found by them yet."},
		{"the first page", "/search?q=many", nil, 200, ".more", "Page 1 of 10 Next"},
		{"the bound", "/search?q=many", nil, 200, "h2", "The 200 best descriptions"},
		{"a further page", "/search?q=many&page=2", nil, 200, "a[rel=prev][href='/search?q=many']", "Previous"},
		{"and on", "/search?q=many&page=2", nil, 200, "a[rel=next][href='/search?page=3&q=many']", "Next"},
		{"a page too far", "/search?q=ponte&page=9", nil, 200, ".none a[href='/search?q=ponte']", "There are no more on this page. Back to the first one"},
		{"no page", "/search?q=ponte&page=x", nil, 422, ".slip li", "page takes a whole number from 1 to 10"},
		{"page 0", "/search?q=ponte&page=0", nil, 422, ".slip li", "page takes a whole number from 1 to 10"},
		{"too long", "/search?q=" + strings.Repeat("a", 501), nil, 422, ".slip li", "q takes at most 500 characters; this has 501"},
		{"the part", "/search?q=ponte", part, 200, "#live h2", "3 descriptions"},
		{"the part has no frame", "/search?q=ponte", part, 200, "header, footer, form", ""},
		{"a query is text", "/search?q=%3Cscript%3Ealert(3)%3C/script%3E", nil, 200, "title", "<script>alert(3)</script> · Search · Scrinalia"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := ask(t, serve(busy()), asked{path: tt.path, header: tt.header})
			if a.StatusCode != tt.status {
				t.Errorf("status %d, want %d", a.StatusCode, tt.status)
			}
			if got := a.words(t, tt.selector); got != tt.want {
				t.Errorf("%s says %q, want %q", tt.selector, got, tt.want)
			}
			for _, raw := range []string{"<img src=x", "<script>alert"} {
				if strings.Contains(a.text, raw) {
					t.Errorf("%s is in the page as mark-up", raw)
				}
			}
		})
	}
}

func TestSearchJSON(t *testing.T) {
	t.Parallel()
	a := ask(t, serve(busy()), asJSON(asked{path: "/search?q=ponte"}))
	var got search.Answer
	if err := json.Unmarshal([]byte(a.text), &got); err != nil || a.StatusCode != http.StatusOK {
		t.Fatalf("%d %v: %s", a.StatusCode, err, a.text)
	}
	if r := got.Results; len(r) != 3 || r[0].Words.Rank != 1 || r[0].Meaning.Rank != 2 || r[1].Meaning != nil || !r[0].MarkedTitle[0].Match || got.Meaning.Model != "builtin/lexical-384-v1/384" {
		t.Errorf("%+v", got)
	}
	for path, want := range map[string]string{
		"/search":                `"results":[]`,
		"/search?q=bare":         `"missing":"no_engine"`,
		"/search?q=ponte":        `"words":{"rank":2,"score":0.4},"meaning":null`,
		"/search?q=ponte&page=x": `"fields":{"page":"page takes a whole number from 1 to 10"}`,
	} {
		if a := ask(t, serve(busy()), asJSON(asked{path: path})); !strings.Contains(a.text, want) {
			t.Errorf("%s: %s lacks %s", path, a.text, want)
		}
	}
}
