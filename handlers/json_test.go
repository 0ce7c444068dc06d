package handlers_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func sorted(s []string) []string {
	slices.Sort(s)
	return s
}

func keysOf(t *testing.T, raw json.RawMessage) []string {
	t.Helper()
	var m map[string]json.RawMessage
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return slices.Sorted(maps.Keys(m))
}

func fields(t *testing.T, text string) map[string]json.RawMessage {
	t.Helper()
	var m map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return m
}

// TestJSONShapes holds the JSON of each address to its contract.
func TestJSONShapes(t *testing.T) {
	t.Parallel()
	state := []string{"active_run", "axis", "config", "description", "engine_source", "governed", "label", "last_run", "name", "note", "order", "overridden", "queue", "unit"}
	run := []string{
		"cancel_requested_at", "cancel_requested_by", "config", "current_unit", "dry_run", "duration_ms", "error", "error_fingerprint", "failed", "finished_at",
		"heartbeat_at", "id", "last_progress_at", "owner", "processed", "queued_at", "requested_by", "skipped", "started_at", "status", "total", "trigger", "worker",
	}
	h := serve(busy())
	list := fields(t, ask(t, h, asJSON(asked{path: "/workers"})).text)
	if d := cmp.Diff([]string{"generated_at", "workers"}, slices.Sorted(maps.Keys(list))); d != "" {
		t.Error(d)
	}
	var workers []json.RawMessage
	if err := json.Unmarshal(list["workers"], &workers); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(state, keysOf(t, workers[2])); d != "" {
		t.Errorf("a worker (-want +got):\n%s", d)
	}
	if d := cmp.Diff(sorted(append([]string{"options_declared", "override", "set_aside"}, state...)), keysOf(t, json.RawMessage(ask(t, h, asJSON(asked{path: "/workers/ner"})).text))); d != "" {
		t.Errorf("one worker (-want +got):\n%s", d)
	}
	ledger := fields(t, ask(t, h, asJSON(asked{path: "/runs?limit=2&worker=cleaning"})).text)
	if got, want := string(ledger["older"]), `"/runs?before=1278\u0026worker=cleaning"`; got != want {
		t.Errorf("older is %s, want %s", got, want)
	}
	if got, want := string(ledger["newer"]), "null"; got != want {
		t.Errorf("newer is %s, want %s", got, want)
	}
	if d := cmp.Diff(sorted(append([]string{"changes", "failures", "previous"}, run...)), keysOf(t, json.RawMessage(ask(t, h, asJSON(asked{path: "/runs/1263"})).text))); d != "" {
		t.Errorf("a run (-want +got):\n%s", d)
	}
	if got, want := ask(t, h, asJSON(asked{path: "/runs?status=SUCCESS&worker=transfer"})).text, `{"runs":[],"older":null,"newer":null}`+"\n"; got != want {
		t.Errorf("an empty page is %s, want %s", got, want)
	}
}

// TestWhoGetsJSON tells scripts from browsers by what they accept.
func TestWhoGetsJSON(t *testing.T) {
	t.Parallel()
	h := serve(busy())
	for accept, want := range map[string]string{
		"":                                   "text/html; charset=UTF-8",
		"*/*":                                "text/html; charset=UTF-8",
		"text/html,application/xhtml+xml":    "text/html; charset=UTF-8",
		"application/json":                   "application/json",
		"application/json, text/plain;q=0.5": "application/json",
		"text/html, application/json;q=0.9":  "text/html; charset=UTF-8",
		"text/html;q=0.1, application/problem+json": "application/json",
		"application/json;q=0":                      "text/html; charset=UTF-8",
		";;;":                                       "text/html; charset=UTF-8",
	} {
		if got := ask(t, h, asked{path: "/workers", header: map[string]string{"Accept": accept}}).Header.Get("Content-Type"); got != want {
			t.Errorf("%q gets %q, want %q", accept, got, want)
		}
	}
}

// TestProblems answers scripts with problem+json, whatever is the matter.
func TestProblems(t *testing.T) {
	t.Parallel()
	down, broken := busy(), busy()
	down.err = errSecret
	broken.explode = true
	for _, tt := range []struct {
		name string
		fake *fake
		q    asked
		want string
	}{
		{"404", busy(), asked{path: "/runs/9"}, `{"type":"about:blank","title":"Not Found","status":404,"detail":"There is no run 9."}`},
		{"404 of a page", busy(), asked{path: "/nothing"}, `{"type":"about:blank","title":"Not Found","status":404}`},
		{"405", busy(), asked{method: "DELETE", path: "/workers"}, `{"type":"about:blank","title":"Method Not Allowed","status":405}`},
		{"422", busy(), asked{path: "/runs?after=0"}, `{"type":"about:blank","title":"Unprocessable Entity","status":422,"detail":"The filter was refused.","fields":{"after":"after takes a whole number of at least 1"}}`},
	} {
		a := ask(t, serve(tt.fake), asJSON(tt.q))
		if a.text != tt.want+"\n" || a.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %s %s, want %s", tt.name, a.Header.Get("Content-Type"), a.text, tt.want)
		}
	}
	for _, f := range []*fake{down, broken} {
		a := ask(t, serve(f), asJSON(asked{path: "/workers"}))
		p := fields(t, a.text)
		if a.StatusCode != http.StatusInternalServerError || string(p["request_id"]) != `"`+a.Header.Get("X-Request-Id")+`"` {
			t.Errorf("%d %s", a.StatusCode, a.text)
		}
	}
}
