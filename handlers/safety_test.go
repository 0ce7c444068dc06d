package handlers_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"scrinalia/archive"
	"scrinalia/handlers"
	"scrinalia/logging"
	"scrinalia/worker"

	"github.com/PuerkitoBio/goquery"
)

// TestSecurityHeaders come with every answer, errors and files included.
func TestSecurityHeaders(t *testing.T) {
	t.Parallel()
	h := serve(busy())
	for _, path := range []string{"/workers", "/nothing", "/health/live", "/static/app.css", "/runs/1263"} {
		a := ask(t, h, asked{path: path})
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
			"X-Content-Type-Options":  "nosniff",
			"Referrer-Policy":         "same-origin",
		} {
			if got := a.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
		if len(a.Header.Get("X-Request-Id")) != 16 {
			t.Errorf("%s has no request id", path)
		}
	}
}

// TestCrossOriginWrites are refused, whichever way a browser tells; clients that are no browser pass.
func TestCrossOriginWrites(t *testing.T) {
	t.Parallel()
	writes := []string{"/workers/ner/settings", "/workers/ner/settings/reset", "/workers/ner/settings/revisions/1/restore", "/workers/ner/runs", "/runs/1280/cancel", "/import", "/import/sample", "/language", "/documents/101", "/reviews/CONFLICT/1", "/reviews/undo/1", "/reviews/alike", "/pipelines", "/pipelines/3/cancel"}
	for _, header := range []map[string]string{
		{"Sec-Fetch-Site": "cross-site"},
		{"Sec-Fetch-Site": "same-site"},
		{"Origin": "https://evil.example"},
		{"Origin": "null"},
		{"Referer": "https://evil.example/page"},
		{"Referer": "http://localhost.evil.example/"},
	} {
		for _, path := range writes {
			f := busy()
			a := ask(t, serve(f), asked{method: "POST", path: path, body: "lang=en", header: header})
			if a.StatusCode != http.StatusForbidden || len(f.submitted)+len(f.cancelled)+len(f.imported)+len(f.revisions) > 0 {
				t.Errorf("%s with %v: %d", path, header, a.StatusCode)
			}
		}
	}
	for _, header := range []map[string]string{nil, {"Sec-Fetch-Site": "same-origin"}, {"Origin": "http://localhost"}, {"Referer": "http://localhost/workers"}} {
		if a := ask(t, serve(busy()), asked{method: "POST", path: "/workers/ner/runs", body: "units=pending", header: header}); a.StatusCode != http.StatusSeeOther {
			t.Errorf("%v: %d, want 303", header, a.StatusCode)
		}
	}
}

const payload = `"><script>alert(1)</script><img src=x onerror=alert(2)>'` + "`{{7*7}}javascript:alert(3)"

// hostile puts the payload into everything that is stored and shown.
func hostile() *fake {
	f := busy()
	p := new(payload)
	for i := range f.states {
		s := &f.states[i]
		s.Note, s.Config.Engine, s.Config.Preset = p, &worker.Value{Value: payload, Origin: worker.FromOverride}, &worker.Value{Value: payload, Origin: worker.Origin(payload)}
		s.Config.Resolved = map[string]any{"model": payload, payload: payload}
		s.Config.Options[payload] = worker.Value{Value: []any{payload}, Origin: worker.FromOverride}
		s.NotApplied = map[string]string{payload: payload}
		s.Queue.UnmeasurableReason = p
	}
	for i := range f.runs {
		r := &f.runs[i]
		r.RequestedBy, r.Owner, r.Error, r.ErrorFingerprint, r.CurrentUnit, r.CancelRequestedBy = payload, p, p, p, p, p
		r.Trigger = worker.Trigger(payload)
		r.Config = f.states[0].Config
		r.Notes = map[string]worker.Note{payload: {Count: 1, Examples: []string{payload}}}
	}
	for _, s := range f.states {
		for _, r := range []*worker.Run{s.ActiveRun, s.LastRun} {
			if r != nil {
				r.RequestedBy, r.Error = payload, p
			}
		}
	}
	odd := worker.Settings{Engine: payload, Preset: payload, Options: map[string]any{payload: payload, "mode": payload, "columns": []any{payload}}}
	f.revisions = []worker.Revision{
		{Worker: "ner", Version: 2, At: noon, By: payload, Channel: worker.Trigger(payload), Note: payload, Before: worker.Settings{}, After: odd, RestoredFrom: new(int64(1))},
		{Worker: "ner", Version: 1, At: noon, By: payload, Channel: worker.CLI, Note: payload, Before: odd, After: worker.Settings{}},
	}
	f.failures = []worker.UnitFailure{{Unit: 1, Name: payload, Error: payload + "\n" + payload}}
	for i := range f.failed {
		x := &f.failed[i]
		x.Fingerprint, x.Message, x.Workers, x.Routes, x.RequestID = payload, payload, []string{payload}, []string{payload}, payload
		x.Acknowledged = map[bool]*worker.Acknowledgement{true: {By: payload, Note: payload}}[i > 1]
	}
	f.spoil = payload
	f.pipeline = underWay()
	f.pipeline.RequestedBy, f.pipeline.CancelRequestedBy, f.pipeline.Error, f.pipeline.Workers = payload, p, p, []string{payload, payload, payload, payload}
	f.judged = []judged{{archive.Judgement{Kind: archive.Conflict, ID: 1, Verdict: archive.Verdict(payload)}, archive.Actor{Person: payload}}}
	f.changes = []worker.Change{{ID: 1, UnitKind: payload, UnitName: payload, Field: payload, Before: p, After: p, Rule: payload}}
	return f
}

// TestNothingStoredRuns visits every page and part with the payload in every stored text.
func TestNothingStoredRuns(t *testing.T) {
	t.Parallel()
	f := hostile()
	refused := hostile()
	refused.submitErr = &worker.Error{Kind: worker.Invalid, Msg: payload, Fields: map[string]string{payload: payload, "limit": payload}}
	inWay := hostile()
	inWay.submitErr = &worker.InFlightError{Run: inWay.runs[1]}
	queries := []struct {
		f *fake
		q asked
	}{{refused, asked{method: "POST", path: "/workers/ner/runs", body: "limit=%3Cscript%3E"}}, {inWay, asked{method: "POST", path: "/workers/ner/runs", body: "x=y"}}}
	settings := url.Values{"version": {"2"}, "note": {payload}}
	for _, name := range []string{"mode", "threshold", "columns", payload} {
		settings.Set("from."+name, "set")
		settings.Set("value."+name, payload)
	}
	for _, path := range []string{"/workers/ner/settings", "/workers/ner/settings/draft"} {
		queries = append(queries, struct {
			f *fake
			q asked
		}{f, asked{method: "POST", path: path, body: settings.Encode()}})
	}
	queries = append(queries, struct {
		f *fake
		q asked
	}{f, asked{method: "POST", path: "/workers/ner/settings", body: url.Values{"version": {"1"}, "note": {payload}, "from.threshold": {"set"}, "value.threshold": {"0.3"}}.Encode()}})
	for _, path := range []string{
		"/workers", "/workers/ner", "/workers/transfer", "/workers/ner/settings/revisions", "/workers/ner/settings/revisions?by=%3Cscript%3E&field=%3Cscript%3E", "/workers/ner/force?limit=%3Cscript%3Ealert(1)%3C/script%3E", "/runs", "/runs/1263", "/runs/1275", "/runs/1280", "/runs/1281",
		"/runs?fingerprint=%22%3E%3Cscript%3Ealert(1)%3C/script%3E&worker=%22%3E%3Cscript%3E", "/workers/%3Cscript%3Ealert(1)%3C%2Fscript%3E", "/runs?status=%3Cscript%3E", "/%3Cscript%3E",
		"/pipelines/3", "/processes", "/health", "/failures", "/documents", "/documents?reason=%22%3E%3Cscript%3E", "/documents/101", "/documents/101/edit", "/reviews", "/reviews?kind=SUBJECT", "/reviews?kind=ANOMALY", "/reviews?kind=DECIDED", "/reviews?kind=CONFLICT&done=1", "/reviews/alike?kind=ANOMALY&id=101", "/documents/%3Cscript%3E",
	} {
		queries = append(queries, struct {
			f *fake
			q asked
		}{f, asked{path: path}})
	}
	for _, tt := range queries {
		for _, header := range []map[string]string{nil, part, pt} {
			q := tt.q
			q.header = header
			a := ask(t, serve(tt.f), q)
			doc := a.page(t)
			if n := doc.Find(`script:not([src]), img:not([src^="/thumbnails/101?v="]), style, [onerror], [style]`).Length(); n > 0 {
				t.Errorf("%s: %d elements came out of stored text", q.path, n)
			}
			doc.Find("a[href], form[action]").Each(func(_ int, s *goquery.Selection) {
				for _, name := range []string{"href", "action"} {
					if v := s.AttrOr(name, ""); strings.HasPrefix(strings.TrimSpace(strings.ToLower(v)), "javascript:") {
						t.Errorf("%s: %s=%q", q.path, name, v)
					}
				}
			})
		}
	}
}

// TestPanic becomes a page with the request's number; the log has the rest.
func TestPanic(t *testing.T) {
	t.Parallel()
	f := busy()
	f.explode = true
	var lines bytes.Buffer
	h := handlers.New(handlers.Options{
		Catalogue: catalogue(), Panel: f, Ledger: f, Settings: f, Importer: f, Log: jsonLog(t, &lines), Location: saoPaulo,
	})
	a := ask(t, h, asked{path: "/workers"})
	id := a.Header.Get("X-Request-Id")
	if a.StatusCode != http.StatusInternalServerError || strings.Contains(a.text, "boom") || a.words(t, ".slip code") != id {
		t.Errorf("%d %s", a.StatusCode, a.words(t, ".slip"))
	}
	var failed, answered struct {
		Msg       string
		RequestID string `json:"request_id"`
		Err       string
		Stack     string
		Status    int
		Actor     string
		Route     string
		Method    string
		Bytes     int64
	}
	two := strings.SplitN(strings.TrimSpace(lines.String()), "\n", 2)
	if len(two) != 2 || json.Unmarshal([]byte(two[0]), &failed) != nil || json.Unmarshal([]byte(two[1]), &answered) != nil {
		t.Fatalf("the log is %s", lines.String())
	}
	if failed.RequestID != id || !strings.Contains(failed.Err, "boom") || !strings.Contains(failed.Stack, "fake_test.go") {
		t.Errorf("the failure is logged as %+v", failed)
	}
	if answered.Msg != "request answered" || answered.Status != 500 || answered.RequestID != id || answered.Actor != "panel 192.0.2.7" || answered.Route != "/workers" || answered.Method != http.MethodGet || answered.Bytes == 0 {
		t.Errorf("the request is logged as %+v", answered)
	}
}

func jsonLog(t *testing.T, w io.Writer) *slog.Logger {
	t.Helper()
	log, err := logging.New(w, "json", slog.LevelInfo)
	if err != nil {
		t.Fatal(err)
	}
	return log
}

// TestProbes are cheap, truthful and left out of the log.
func TestProbes(t *testing.T) {
	t.Parallel()
	f := busy()
	f.err = worker.Errorf(worker.Unavailable, "The database does not answer.")
	var lines bytes.Buffer
	clock := noon
	h := handlers.New(handlers.Options{
		Catalogue: catalogue(), Panel: f, Ledger: f, Settings: f, Importer: f, Log: jsonLog(t, &lines),
		Now: func() time.Time { return clock },
	})
	if a := ask(t, h, asked{path: "/health/live"}); a.StatusCode != http.StatusOK || a.text != `{"status":"up"}`+"\n" {
		t.Errorf("live: %d %s", a.StatusCode, a.text)
	}
	if a := ask(t, h, asked{method: "HEAD", path: "/health/ready"}); a.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("ready: %d", a.StatusCode)
	}
	if strings.Contains(lines.String(), "request answered") {
		t.Errorf("the probes are logged: %s", lines.String())
	}
	f.err = nil
	if a := ask(t, h, asked{path: "/health/ready"}); a.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("asked again within the second: %d", a.StatusCode)
	}
	clock = clock.Add(time.Second)
	if a := ask(t, h, asked{path: "/health/ready"}); a.StatusCode != http.StatusOK {
		t.Errorf("ready again: %d", a.StatusCode)
	}
}

func TestStaticFiles(t *testing.T) {
	t.Parallel()
	h := serve(busy())
	doc := ask(t, h, asked{path: "/workers"}).page(t)
	css := doc.Find("link[rel=stylesheet]").AttrOr("href", "")
	a := ask(t, h, asked{path: css})
	if a.StatusCode != http.StatusOK || !strings.Contains(a.Header.Get("Cache-Control"), "immutable") || a.Header.Get("Content-Type") != "text/css; charset=utf-8" {
		t.Errorf("%s: %d %v", css, a.StatusCode, a.Header)
	}
	if a := ask(t, h, asked{path: "/static/app.css?v=old"}); strings.Contains(a.Header.Get("Cache-Control"), "immutable") {
		t.Error("an old address is kept for ever")
	}
	for _, path := range []string{"/static/", "/static/lib", "/static/lib/.gitkeep", "/static/../handlers.go", "/static/%2e%2e/static.go"} {
		if a := ask(t, h, asked{path: path}); a.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d, want 404", path, a.StatusCode)
		}
	}
}

func TestLanguageIsRemembered(t *testing.T) {
	t.Parallel()
	h := serve(busy())
	for back, want := range map[string]string{
		"/runs?status=FAILED": "/runs?status=FAILED", "": "/workers", "https://evil.example/": "/workers", "//evil.example": "/workers", `/\evil.example`: "/workers", "runs": "/workers",
	} {
		a := ask(t, h, asked{method: "POST", path: "/language", body: "lang=pt-BR&back=" + strings.ReplaceAll(strings.ReplaceAll(back, "?", "%3F"), "=", "%3D")})
		if a.StatusCode != http.StatusSeeOther || a.Header.Get("Location") != want || !strings.HasPrefix(a.Header.Get("Set-Cookie"), "lang=pt-BR; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax") {
			t.Errorf("%q: %d %q %q", back, a.StatusCode, a.Header.Get("Location"), a.Header.Get("Set-Cookie"))
		}
	}
	if a := ask(t, h, asked{method: "POST", path: "/language", body: "lang=xx"}); a.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("an unknown language: %d, want 422", a.StatusCode)
	}
}

// TestClientGone does not write an answer that nobody waits for.
func TestClientGone(t *testing.T) {
	t.Parallel()
	f := busy()
	f.err = context.Canceled
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	cancel()
	if a := askWith(ctx, t, serve(f), asked{path: "/workers"}); a.text != "" {
		t.Errorf("answered %q", a.text)
	}
}
