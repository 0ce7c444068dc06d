package handlers_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestProcesses lists who is alive, and says on every page when runs wait for nobody.
func TestProcesses(t *testing.T) {
	t.Parallel()
	if got := get(t, &fake{}, "/processes").words(t, "tbody"); !strings.Contains(got, "arq-1/serve/4711") || !strings.Contains(got, "#1,280") {
		t.Errorf("%q", got)
	}
	if got := get(t, &fake{empty: true}, "/processes").words(t, "tbody"); !strings.Contains(got, "No process is alive") {
		t.Errorf("none: %q", got)
	}
	if a := ask(t, serve(&fake{empty: true}), asJSON(asked{path: "/processes"})); a.StatusCode != http.StatusOK || a.text != `{"processes":[]}`+"\n" {
		t.Errorf("none in JSON: %d %s", a.StatusCode, a.text)
	}
	h := serve(&fake{abandoned: 2})
	for { // the first pages do not wait for the answer
		if got := ask(t, h, asked{path: "/search"}).words(t, "main #abandoned"); got != "" {
			if got != "2 runs are queued, and no process is alive to execute them. Start scrinalia serve or scrinalia work. Processes" {
				t.Errorf("%q", got)
			}
			break
		}
		if t.Context().Err() != nil {
			t.Fatal("no page says that runs wait for nobody")
		}
	}
	if got := get(t, &fake{}, "/search").words(t, "#abandoned"); got != "" {
		t.Errorf("nothing waits: %q", got)
	}
}
