package handlers_test

import (
	"net/http"
	"strings"
	"testing"

	"scrinalia/handlers"
)

func TestHosts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name              string
		configured, bound string
		allowed           []string
		yes, no           string
	}{
		{
			"loopback", "127.0.0.1:8080", "127.0.0.1:8080", nil, "127.0.0.1:8080 127.0.0.1 localhost LOCALHOST:8080 localhost. panel.localhost [::1]:8080 ::1 127.3.2.1 [::ffff:127.0.0.1]:80",
			"evil.example evil.example:8080 192.0.2.1 arq01 arq01.intra.example localhost.evil.example 127.0.0.1.evil.example 0.0.0.0:8080 [::]:8080",
		},
		{"behind a proxy", "127.0.0.1:8080", "127.0.0.1:8080", []string{" Panel.Example.org ", "10.0.0.7:8443"}, "panel.example.org panel.example.org:443 10.0.0.7 localhost", "example.org 192.0.2.1 arq01"},
		{"every interface", ":8080", "[::]:8080", nil, "192.0.2.1:8080 [2001:db8::1]:8080 arq01 ARQ01.intra.example:8080 localhost 127.0.0.1", "evil.example arq02"},
		{"every interface, listed", "0.0.0.0:8080", "0.0.0.0:8080", []string{"panel.example.org"}, "panel.example.org localhost", "192.0.2.1 arq01 evil.example"},
		{"one interface", "192.0.2.1:8080", "192.0.2.1:8080", []string{"panel.example.org"}, "192.0.2.1:8080 panel.example.org 127.0.0.1", "192.0.2.2 arq01"},
		{"a name", "arq01.intra.example:8080", "192.0.2.1:8080", []string{"panel.example.org"}, "arq01.intra.example:8080 192.0.2.1", "arq01"},
	} {
		h, err := handlers.NewHosts(tt.configured, tt.bound, tt.allowed, "Arq01.intra.example")
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		for host := range strings.FieldsSeq(tt.yes) {
			if !h.Allow(host) {
				t.Errorf("%s: %q is refused", tt.name, host)
			}
		}
		for _, host := range append(strings.Fields(tt.no), "", ":8080") {
			if h.Allow(host) {
				t.Errorf("%s: %q passes", tt.name, host)
			}
		}
	}
	for _, wrong := range []string{"https://panel.example.org", "*.example.org", "", "a b"} {
		if _, err := handlers.NewHosts(":1", "0.0.0.0:1", []string{wrong}, "x"); err == nil {
			t.Errorf("%q is taken as a name", wrong)
		}
	}
}

// TestForeignHost: a name that somebody else pointed here is refused before anything is read or started; probes pass.
func TestForeignHost(t *testing.T) {
	t.Parallel()
	f := busy()
	h := serve(f)
	foreign := func(q asked) asked { q.host = "evil.example:8080"; return q }
	a := ask(t, h, foreign(asked{path: "/workers"}))
	if a.StatusCode != http.StatusMisdirectedRequest || !strings.Contains(a.words(t, "main"), "SCRINALIA_ALLOWED_HOSTS") || !strings.Contains(a.words(t, "main"), "evil.example:8080") {
		t.Errorf("%d %s", a.StatusCode, a.words(t, "main"))
	}
	if a := ask(t, h, foreign(asked{path: "/workers", header: pt})); !strings.Contains(a.words(t, "main"), "SCRINALIA_ALLOWED_HOSTS") || !strings.Contains(a.words(t, "h1"), "outro nome") {
		t.Errorf("in Portuguese: %s", a.words(t, "main"))
	}
	j := ask(t, h, foreign(asJSON(asked{method: "POST", path: "/workers/transfer/runs"})))
	if j.StatusCode != http.StatusMisdirectedRequest || j.Header.Get("Content-Type") != "application/problem+json" || !strings.Contains(j.text, "SCRINALIA_ALLOWED_HOSTS") {
		t.Errorf("as JSON: %d %s", j.StatusCode, j.text)
	}
	if f.calls() != 0 || len(f.submitted) != 0 {
		t.Errorf("%d readings and %d runs for a foreign name", f.calls(), len(f.submitted))
	}
	if a := ask(t, h, foreign(asked{path: "/health/live"})); a.StatusCode != http.StatusOK {
		t.Errorf("a probe: %d", a.StatusCode)
	}
}
