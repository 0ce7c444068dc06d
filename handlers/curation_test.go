package handlers_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"scrinalia/curation"
	"scrinalia/engine"
	engines "scrinalia/engine/all"
	"scrinalia/executor"
	"scrinalia/handlers"
	"scrinalia/store/storetest"
	"scrinalia/worker/all"
)

// curated is a server with the lists on a database of its own.
func curated(t *testing.T) (send func(method, path, body, accept string) (int, string, string), lists *curation.Curation) {
	t.Helper()
	s := storetest.New(t)
	log := slog.New(slog.DiscardHandler)
	catalogue := all.Catalogue(s, engine.NewRegistry(engines.Registrations("")...), nil, nil)
	e, err := executor.New(executor.Options{Catalogue: catalogue, Store: s, Log: log, Role: "test"})
	if err != nil {
		t.Fatal(err)
	}
	lists = curation.New(catalogue, s)
	server := httptest.NewServer(handlers.New(handlers.Options{Catalogue: catalogue, Panel: e, Ledger: s, Curation: lists, Log: log, Location: saoPaulo}))
	t.Cleanup(server.Close)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return func(method, path, body, accept string) (int, string, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if strings.HasPrefix(body, "{") {
			r.Header.Set("Content-Type", "application/json")
		}
		r.Header.Set("Origin", server.URL)
		r.Header.Set("Accept", accept)
		a, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Body.Close()
		raw, err := io.ReadAll(a.Body)
		if err != nil {
			t.Fatal(err)
		}
		return a.StatusCode, a.Header.Get("Location"), string(raw)
	}, lists
}

// TestCurationPages adds, looks at, changes, retires and restores by form and by JSON, with markup in every text.
func TestCurationPages(t *testing.T) {
	t.Parallel()
	send, lists := curated(t)
	const html, jsonType = "text/html", "application/json"
	form := func(values ...string) string {
		v := url.Values{}
		for i := 0; i < len(values); i += 2 {
			v.Set(values[i], values[i+1])
		}
		return v.Encode()
	}
	for _, l := range curation.Lists {
		path := "/vocabulary/" + string(l)
		if l == curation.Rules {
			path = "/rules"
		}
		for _, p := range []string{path, path + "/new", path + "/revisions"} {
			if status, _, body := send("GET", p, "", html); status != http.StatusOK || !strings.Contains(body, "</html>") {
				t.Errorf("GET %s: %d", p, status)
			}
		}
		if status, _, body := send("GET", path, "", jsonType); status != http.StatusOK || !json.Valid([]byte(body)) {
			t.Errorf("GET %s as JSON: %d", path, status)
		}
	}
	if status, _, _ := send("GET", "/vocabulary/rules", "", html); status != http.StatusNotFound {
		t.Errorf("rules are no vocabulary: %d", status)
	}
	const markup = `<script>alert(1)</script>`
	rule := func(revision, name, pattern, do string) string {
		return form("revision", revision, "name", name, "kind", "REWRITE", "target_column", "original_title", "pattern", pattern, "replacement", "x", "position", "5", "note", markup, "do", do)
	}
	status, _, body := send("POST", "/rules", rule("0", markup, "a(b", "save"), html)
	if status != http.StatusUnprocessableEntity || !strings.Contains(body, "missing closing )") || !strings.Contains(body, "a(b") || strings.Contains(body, markup) {
		t.Errorf("a broken pattern: %d", status)
	}
	status, _, body = send("POST", "/rules", rule("0", markup, "ab", "preview"), html)
	if status != http.StatusOK || !strings.Contains(body, `id="effect"`) {
		t.Errorf("a preview: %d", status)
	}
	status, to, _ := send("POST", "/rules", rule("0", markup, "ab", "save"), html)
	if status != http.StatusSeeOther || !strings.Contains(to, "?saved=1") {
		t.Fatalf("saved: %d, %s", status, to)
	}
	entry, _, _ := strings.Cut(to, "?")
	if status, _, body = send("GET", to, "", html); status != http.StatusOK || strings.Contains(body, markup) || !strings.Contains(body, "&lt;script&gt;") {
		t.Errorf("the page of the rule: %d", status)
	}
	if status, _, _ = send("POST", entry, rule("1", markup, "abc", "save"), html); status != http.StatusSeeOther {
		t.Errorf("a change: %d", status)
	}
	if status, _, body = send("POST", entry, rule("1", "mine", "abcd", "save"), html); status != http.StatusConflict || !strings.Contains(body, `name="revision" value="2"`) || !strings.Contains(body, "abcd") {
		t.Errorf("a second editor: %d", status)
	}
	if status, _, body = send("PUT", entry, `{"values": {"name": "x", "pattern": "y"}, "revision": 1}`, jsonType); status != http.StatusConflict || !strings.Contains(body, `"entry"`) {
		t.Errorf("a second editor by JSON: %d %s", status, body)
	}
	if status, _, _ = send("GET", entry+"/retire", "", html); status != http.StatusOK {
		t.Errorf("asking before: %d", status)
	}
	if status, _, _ = send("POST", entry+"/retire", form("revision", "2", "note", "no use"), html); status != http.StatusSeeOther {
		t.Errorf("retired: %d", status)
	}
	if status, _, body = send("POST", entry+"/revisions/1/restore", "", jsonType); status != http.StatusOK || !strings.Contains(body, `"changed":true`) {
		t.Errorf("restored: %d %s", status, body)
	}
	if status, _, body = send("GET", entry+"/revisions", "", html); status != http.StatusOK || strings.Contains(body, markup) || !strings.Contains(body, "no use") {
		t.Errorf("history: %d", status)
	}
	if status, _, body = send("POST", "/vocabulary/typologies", `{"values": {"name": 7}}`, jsonType); status != http.StatusUnprocessableEntity {
		t.Errorf("a number for a name: %d %s", status, body)
	}
	if status, to, _ = send("POST", "/vocabulary/typologies", `{"values": {"name": "Bilhete postal"}}`, jsonType); status != http.StatusCreated || to == "" {
		t.Errorf("a typology by JSON: %d", status)
	}
	if status, _, _ = send("POST", "/vocabulary/typologies", `{"values": {"name": "BILHETE  postal"}}`, jsonType); status != http.StatusConflict {
		t.Errorf("the same typology again: %d", status)
	}
	rules, err := lists.Entries(context.WithoutCancel(t.Context()), curation.Rules, 0)
	if err != nil {
		t.Fatal(err)
	}
	if status, _, _ = send("POST", "/rules/2/move", form("to", "up", "revision", "0"), html); status != http.StatusSeeOther {
		t.Errorf("moved: %d", status)
	}
	if len(rules) < 10 {
		t.Errorf("%d rules", len(rules))
	}
}
