package handlers_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"scrinalia/worker"

	"github.com/google/go-cmp/cmp"
)

// changed is a fake in which Rui set ner's threshold to 0.5, and then Ana to 0.6.
func changed() *fake {
	f := busy()
	half, more := worker.Settings{Options: map[string]any{"threshold": 0.5}}, worker.Settings{BatchSize: int64(32), Options: map[string]any{"threshold": 0.6}}
	f.revisions = []worker.Revision{
		{Worker: "ner", Version: 2, At: at(10), By: "Ana", Channel: worker.API, Note: "fewer streets", Before: half, After: more},
		{Worker: "ner", Version: 1, At: at(3000), By: "panel 192.0.2.9", Channel: worker.Panel, After: half},
	}
	return f
}

func form(pairs ...string) string {
	v := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		v.Add(pairs[i], pairs[i+1])
	}
	return v.Encode()
}

// TestSettingsForm saves, refuses and conflicts as a browser meets it.
func TestSettingsForm(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		body     string
		header   map[string]string
		status   int
		location string
		selector string
		want     string
	}{
		{"set", form("version", "2", "from.threshold", "set", "value.threshold", "0.7"), nil, 303, "/workers/ner?saved=3#settings", "", ""},
		{"the same again", form("version", "2", "from.threshold", "set", "value.threshold", "0.60", "from.batch_size", "set", "value.batch_size", "32"), nil, 303, "/workers/ner?saved=0#settings", "", ""},
		{"followed, with the old value still in the field", form("version", "2", "from.threshold", "code", "value.threshold", "0.6"), nil, 303, "/workers/ner?saved=3#settings", "", ""},
		{"ticks", form("version", "2", "from.columns", "set", "value.columns", "title", "value.columns", "provenance"), nil, 303, "/workers/ner?saved=3#settings", "", ""},
		{"a decimal comma", form("version", "2", "from.threshold", "set", "value.threshold", "0,7"), pt, 303, "/workers/ner?saved=3#settings", "", ""},
		{
			"a value in a field that follows the code", form("version", "2", "from.threshold", "code", "value.threshold", "0.9"), nil, 422, "",
			"#set-threshold-h", "“0.9” was typed, but “Follow the code” is chosen. Choose “Set to”, or empty the field.",
		},
		{"out of bounds", form("version", "2", "from.threshold", "set", "value.threshold", "7"), nil, 422, "", "#set-threshold-h", "“7” is not accepted. Give a number from 0 to 1."},
		{"out of bounds, in Portuguese", form("version", "2", "from.threshold", "set", "value.threshold", "7"), pt, 422, "", "#set-threshold-h", "“7” não é aceito. Informe um número de 0 a 1."},
		{"nothing ticked", form("version", "2", "from.columns", "set"), nil, 422, "", "#settings .slip.s-bad a", "Columns"},
		{"an option that there is none of", form("version", "2", "from.colour", "set", "value.colour", "red"), nil, 422, "", "#settings .slip.s-bad span", `ner has no option "colour"; it takes limit, dry_run, force, batch_size, threshold, columns, mode, strip`},
		{"what belongs to one run", form("version", "2", "from.limit", "set", "value.limit", "5"), nil, 422, "", "#settings .slip.s-bad span", "limit belongs to one run and is never stored"},
		{"a note with a NUL", form("version", "2", "note", "a\x00b"), nil, 422, "", "#note-h", "a note with control characters is not accepted"},
		{"a note in Portuguese", form("version", "2", "note", "a\x00b"), pt, 422, "", "#note-h", "Uma nota pode ter até 1.000 caracteres, sem caracteres de controle."},
		{"meanwhile changed", form("version", "1", "from.threshold", "set", "value.threshold", "0.7"), nil, 409, "", ".slip.s-warn b", "Ana saved revision 2 while you were editing 1:"},
		{"a version that is none", form("version", "x"), nil, 400, "", "h1", "The request cannot be read"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := ask(t, serve(changed()), asked{method: "POST", path: "/workers/ner/settings", body: tt.body, header: tt.header})
			if a.StatusCode != tt.status || a.Header.Get("Location") != tt.location {
				t.Fatalf("%d %q, want %d %q", a.StatusCode, a.Header.Get("Location"), tt.status, tt.location)
			}
			if tt.selector != "" {
				if got := a.words(t, tt.selector); got != tt.want {
					t.Errorf("%s says %q, want %q", tt.selector, got, tt.want)
				}
			}
		})
	}
}

// TestSettingsInPlace: htmx gets the form with what was typed, or is sent to the saved page.
func TestSettingsInPlace(t *testing.T) {
	t.Parallel()
	q := asked{method: "POST", path: "/workers/ner/settings", header: part, body: form("version", "2", "note", "why", "from.threshold", "set", "value.threshold", "high")}
	a := ask(t, serve(changed()), q)
	doc := a.page(t)
	if a.StatusCode != http.StatusUnprocessableEntity || doc.Find("#live").Length() != 0 || doc.Find("#settings [name='value.threshold'][value=high][aria-invalid=true]").Length() != 1 || doc.Find("#note[value=why]").Length() != 1 {
		t.Errorf("%d: %s", a.StatusCode, a.words(t, "#settings"))
	}
	q.body = form("version", "2", "from.threshold", "set", "value.threshold", "0.7")
	if a := ask(t, serve(changed()), q); a.StatusCode != http.StatusNoContent || a.Header.Get("HX-Redirect") != "/workers/ner?saved=3#settings" {
		t.Errorf("%d %q", a.StatusCode, a.Header.Get("HX-Redirect"))
	}
}

// TestConflictShowsBoth versions, and a form that puts the editor's own changes on top.
func TestConflictShowsBoth(t *testing.T) {
	t.Parallel()
	f := changed()
	h := serve(f)
	a := ask(t, h, asked{method: "POST", path: "/workers/ner/settings", body: form("version", "1", "note", "mine", "from.threshold", "set", "value.threshold", "0.7")})
	var rows []string
	for _, row := range a.page(t).Find("#settings tbody tr").EachIter() {
		rows = append(rows, strings.Join(strings.Fields(row.Text()), " "))
	}
	if diff := cmp.Diff([]string{"Threshold both changed it0.500.600.70", "Batch size as the code32not touched"}, rows); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	again := url.Values{}
	for _, field := range a.page(t).Find("#settings input[type=hidden]").EachIter() {
		again.Add(field.AttrOr("name", ""), field.AttrOr("value", ""))
	}
	if b := ask(t, h, asked{method: "POST", path: "/workers/ner/settings", body: again.Encode()}); b.StatusCode != http.StatusSeeOther {
		t.Fatalf("applied: %d", b.StatusCode)
	}
	got := f.revisions[0]
	want := worker.Settings{BatchSize: int64(32), Options: map[string]any{"threshold": 0.7}}
	if diff := cmp.Diff(want, got.After); diff != "" || got.Note != "mine" || got.By != "panel 192.0.2.7" {
		t.Errorf("%q by %q: -want +got:\n%s", got.Note, got.By, diff)
	}
}

// TestSettingsByJSON: as a script meets it.
func TestSettingsByJSON(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, method, path, body string
		status                   int
		fields                   []string
	}{
		{"put", "PUT", "/workers/ner/settings", `{"options": {"threshold": 0.7}, "version": 2, "note": "n", "by": "bot"}`, 200, nil},
		{"put without a version", "PUT", "/workers/ner/settings", `{"options": {"threshold": 0.7}}`, 200, nil},
		{"put nothing", "PUT", "/workers/ner/settings", `{}`, 200, nil},
		{"put an old version", "PUT", "/workers/ner/settings", `{"version": 1}`, 409, nil},
		{"put without a body", "PUT", "/workers/ner/settings", ``, 400, nil},
		{"put what is wrong", "PUT", "/workers/ner/settings", `{"batch_size": 9999, "options": {"threshold": "x", "colour": 1, "limit": 3, "mode": "a\u0000"}}`, 422, []string{"batch_size", "colour", "limit", "mode", "threshold"}},
		{"put an unknown field", "PUT", "/workers/ner/settings", `{"threshold": 1}`, 422, []string{"threshold"}},
		{"put a wrong type", "PUT", "/workers/ner/settings", `{"version": "2"}`, 422, []string{"version"}},
		{"put options of a wrong type", "PUT", "/workers/ner/settings", `{"options": []}`, 422, []string{"options"}},
		{"put an engine where there is none", "PUT", "/workers/transfer/settings", `{"engine": "ollama"}`, 422, []string{"engine"}},
		{"put too much", "PUT", "/workers/ner/settings", `{"note": "` + strings.Repeat("x", 1<<20) + `"}`, 413, nil},
		{"put to nobody", "PUT", "/workers/nobody/settings", `{}`, 404, nil},
		{"delete", "DELETE", "/workers/ner/settings?note=n", "", 204, nil},
		{"delete what is not set", "DELETE", "/workers/transfer/settings", "", 204, nil},
		{"delete an old version", "DELETE", "/workers/ner/settings?version=1", "", 409, nil},
		{"restore", "POST", "/workers/ner/settings/revisions/1/restore", "", 200, nil},
		{"restore what never was", "POST", "/workers/ner/settings/revisions/9/restore", "", 404, nil},
		{"restore no number", "POST", "/workers/ner/settings/revisions/x/restore", "", 404, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := changed()
			a := ask(t, serve(f), asJSON(asked{method: tt.method, path: tt.path, body: tt.body, header: map[string]string{"Content-Type": "application/json"}}))
			if a.StatusCode != tt.status {
				t.Fatalf("status %d, want %d: %s", a.StatusCode, tt.status, a.text)
			}
			var p struct {
				Fields   map[string]string
				Revision *worker.Revision
			}
			if tt.status >= 400 {
				if err := json.Unmarshal([]byte(a.text), &p); err != nil {
					t.Fatal(err)
				}
			}
			if d := cmp.Diff(tt.fields, sorted(keysOfMap(p.Fields))); d != "" {
				t.Errorf("fields (-want +got):\n%s", d)
			}
			if (tt.status == 409) != (p.Revision != nil && p.Revision.Version == 2) {
				t.Errorf("the revision in force is %v", p.Revision)
			}
			if saved := len(f.revisions) > 2; saved != (tt.status < 300 && !strings.Contains(tt.path, "transfer")) {
				t.Errorf("saved: %t", saved)
			} else if saved && (f.revisions[0].Channel != worker.API || !strings.HasSuffix(f.revisions[0].By, "API 192.0.2.7")) {
				t.Errorf("%s by %q", f.revisions[0].Channel, f.revisions[0].By)
			}
		})
	}
}

func keysOfMap(m map[string]string) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	return keys
}

// TestHistory shows what changed, to people and to scripts.
func TestHistory(t *testing.T) {
	t.Parallel()
	h := serve(changed())
	for _, path := range []string{"/workers/ner", "/workers/ner/settings/revisions"} {
		a := ask(t, h, asked{path: path})
		if got, want := a.words(t, "#revision-2"), "2today 14:22Ana API Batch size: as the code becomes 32Threshold: 0.50 becomes 0.60fewer streetsin force"; got != want {
			t.Errorf("%s says %q, want %q", path, got, want)
		}
		if a.page(t).Find("#revision-1 form[action='/workers/ner/settings/revisions/1/restore'] button").Length() != 1 {
			t.Errorf("%s does not offer to restore", path)
		}
	}
	a := ask(t, h, asJSON(asked{path: "/workers/ner/settings/revisions?limit=1"}))
	want := `{"revisions":[{"worker":"ner","version":2,"at":"2026-10-15T17:22:12Z","by":"Ana","channel":"API","note":"fewer streets",` +
		`"before":{"options":{"threshold":0.5}},"after":{"batch_size":32,"options":{"threshold":0.6}},"restored_from":null,` +
		`"changes":[{"name":"batch_size","was":null,"now":32},{"name":"threshold","was":0.5,"now":0.6}]}],"older":"/workers/ner/settings/revisions?before=2"}` + "\n"
	if a.text != want {
		t.Errorf("JSON is %s, want %s", a.text, want)
	}
	if a := ask(t, h, asJSON(asked{path: "/workers/ner/settings/revisions?limit=0&before=x"})); a.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("a wrong filter: %d", a.StatusCode)
	}
}
