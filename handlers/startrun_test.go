package handlers_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"scrinalia/worker"

	"github.com/google/go-cmp/cmp"
)

var errSecret = errors.New("secret: password=hunter2")

// TestStartByForm asks for runs as a browser does.
func TestStartByForm(t *testing.T) {
	t.Parallel()
	settings := func(change func(*worker.Settings)) *worker.Request {
		s := worker.Settings{Options: map[string]any{}}
		change(&s)
		return &worker.Request{Worker: "ner", Arguments: s, Trigger: worker.Panel, RequestedBy: "panel 192.0.2.7"}
	}
	for _, tt := range []struct {
		name, body string
		header     map[string]string
		status     int
		location   string
		want       *worker.Request
	}{
		{"from the table", "back=workers&units=pending", nil, 303, "/workers#worker-ner", settings(func(*worker.Settings) {})},
		{
			"from the worker's page", "back=run&limit=+5+&dry_run=1&batch_size=8&option.threshold=0.7&option.columns=title,provenance&option.mode=", nil, 303, "/runs/77",
			settings(func(s *worker.Settings) {
				s.BatchSize = "8"
				s.Options = map[string]any{"limit": "5", "dry_run": true, "threshold": "0.7", "columns": "title,provenance"}
			}),
		},
		{"ticked choices", "option.columns=title&option.columns=provenance", nil, 303, "/runs/77", settings(func(s *worker.Settings) {
			s.Options = map[string]any{"columns": "title,provenance"}
		})},
		{"an engine for a worker that takes none", "engine_preset=ollama%2Fgranite_local", nil, 422, "", nil},
		{"a forged header does not change who asked", "back=x", map[string]string{"X-Forwarded-For": "10.9.9.9", "X-Real-IP": "10.9.9.9"}, 303, "/runs/77", settings(func(*worker.Settings) {})},
		{"forced, not confirmed", "back=workers&units=all&limit=5&dry_run=1", nil, 303, "/workers/ner/force?back=workers&dry_run=1&limit=5&units=all", nil},
		{"forced, confirmed", "back=workers&units=all&confirm=1", nil, 303, "/workers#worker-ner", settings(func(s *worker.Settings) { s.Options["force"] = true })},
		{"refused", "limit=many", nil, 422, "", nil},
		{"a field that is not known", "limits=3", nil, 422, "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := &fake{states: idle()}
			a := ask(t, serve(f), asked{method: "POST", path: "/workers/ner/runs", body: tt.body, header: tt.header})
			if a.StatusCode != tt.status || a.Header.Get("Location") != tt.location {
				t.Errorf("%d %q, want %d %q", a.StatusCode, a.Header.Get("Location"), tt.status, tt.location)
			}
			var got *worker.Request
			if len(f.submitted) > 0 {
				got = &f.submitted[0]
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("asked for (-want +got):\n%s", d)
			}
		})
	}
}

// TestRefusedForm shows the form again, with what was typed and what would be accepted, in the page's language.
func TestRefusedForm(t *testing.T) {
	t.Parallel()
	q := asked{method: "POST", path: "/workers/ner/runs", body: "limit=many&option.threshold=2&option.mode=slow&option.nonsense=1"}
	a := ask(t, serve(&fake{states: idle()}), q)
	doc := a.page(t)
	if a.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("status %d, want 422", a.StatusCode)
	}
	if got, _ := doc.Find("#run-limit").Attr("value"); got != "many" {
		t.Errorf("the field holds %q, want what was typed", got)
	}
	for selector, want := range map[string]string{
		"#run-limit-h":       "“many” is not accepted. Give a whole number of at least 0.",
		"#run-threshold-h":   "“2” is not accepted. Give a number from 0 to 1.",
		"#run-mode-h":        "“slow” is not accepted. Give one of fast, thorough.",
		".slip.s-bad b":      "4 fields were refused.",
		".slip.s-bad a":      "LimitThresholdmode",
		".slip.s-bad p span": `ner has no option "nonsense"; it takes limit, dry_run, force, batch_size, threshold, columns, mode, strip`,
	} {
		if got := a.words(t, selector); got != want {
			t.Errorf("%s says %q, want %q", selector, got, want)
		}
	}
	if got := doc.Find("#run-limit[aria-invalid=true][aria-describedby=run-limit-h]").Length(); got != 1 {
		t.Error("the field is not marked as refused")
	}
	q.header = pt
	if got, want := ask(t, serve(&fake{states: idle()}), q).words(t, "#run-limit-h"), "“many” não é aceito. Informe um número inteiro a partir de 0."; got != want {
		t.Errorf("in Portuguese %q, want %q", got, want)
	}
	q.header = part
	flash := ask(t, serve(&fake{states: idle()}), q)
	if flash.StatusCode != http.StatusUnprocessableEntity || flash.Header.Get("HX-Retarget") != "#flash" || flash.page(t).Find(".slip").Length() != 1 {
		t.Errorf("as a part: %d, %q", flash.StatusCode, flash.Header.Get("HX-Retarget"))
	}
}

func TestForceInPlaceLeadsToTheQuestion(t *testing.T) {
	t.Parallel()
	a := ask(t, serve(busy()), asked{method: "POST", path: "/workers/ner/runs", body: "units=all&back=workers", header: part})
	if a.StatusCode != http.StatusNoContent || a.Header.Get("HX-Redirect") != "/workers/ner/force?back=workers&units=all" {
		t.Errorf("%d %q", a.StatusCode, a.Header.Get("HX-Redirect"))
	}
}

// TestConflict names the run in the way, who asked for it and since when.
func TestConflict(t *testing.T) {
	t.Parallel()
	f := busy()
	f.submitErr = &worker.InFlightError{Run: *f.states[2].ActiveRun}
	q := asked{method: "POST", path: "/workers/ner/runs", body: "back=workers"}
	a := ask(t, serve(f), q)
	if a.StatusCode != http.StatusConflict {
		t.Errorf("status %d, want 409", a.StatusCode)
	}
	if got, want := a.words(t, "h1"), "Named entities is already running"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := a.words(t, ".slip"), "#1,280 was asked for by panel 127.0.0.1 and started today 14:31; it is at 815 of 4,844. Nothing was started."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	j := ask(t, serve(f), asJSON(q))
	var p struct {
		Status int
		Title  string
		Detail string
		Run    struct {
			ID     int64
			Status string
		}
	}
	if err := json.Unmarshal([]byte(j.text), &p); err != nil {
		t.Fatal(err)
	}
	if j.Header.Get("Content-Type") != "application/problem+json" || p.Status != 409 || p.Title != "Conflict" || p.Run.ID != 1280 || p.Run.Status != "RUNNING" ||
		!strings.Contains(p.Detail, "#1280") {
		t.Errorf("%s: %s", j.Header.Get("Content-Type"), j.text)
	}
}

// TestStartByJSON asks for runs as a script does.
func TestStartByJSON(t *testing.T) {
	t.Parallel()
	sent := map[string]string{"Content-Type": "application/json"}
	for _, tt := range []struct {
		name, path, body string
		header           map[string]string
		status           int
		by               string
		fields           []string
	}{
		{"with a name", "/workers/ner/runs", `{"batch_size": 8, "options": {"threshold": 0.7, "limit": 5}, "by": "night\nshift"}`, sent, 201, "night shift, API 192.0.2.7", nil},
		{"without a body", "/workers/ner/runs", "", map[string]string{"Accept": "application/json"}, 201, "API 192.0.2.7", nil},
		{"unknown worker", "/workers/nobody/runs", `{}`, sent, 404, "", nil},
		{"no JSON", "/workers/ner/runs", `{"batch_size":`, sent, 400, "", nil},
		{"null", "/workers/ner/runs", "null", sent, 400, "", nil},
		{"a list", "/workers/ner/runs", "[]", sent, 400, "", nil},
		{"another type", "/workers/ner/runs", "<run/>", map[string]string{"Content-Type": "text/xml", "Accept": "application/json"}, 415, "", nil},
		{"two values", "/workers/ner/runs", `{} {}`, sent, 400, "", nil},
		{"unknown field", "/workers/ner/runs", `{"batch": 8}`, sent, 422, "", []string{"batch"}},
		{"wrong type", "/workers/ner/runs", `{"options": 8}`, sent, 422, "", []string{"options"}},
		{"wrong values", "/workers/ner/runs", `{"batch_size": 9000, "options": {"threshold": "high", "nothing": 1}}`, sent, 422, "", []string{"batch_size", "nothing", "threshold"}},
		{"an engine that it does not take", "/workers/transfer/runs", `{"engine": "ollama"}`, sent, 422, "", []string{"engine"}},
		{"too large", "/workers/ner/runs", `{"by": "` + strings.Repeat("x", 1<<20) + `"}`, sent, 413, "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := &fake{states: idle()}
			a := ask(t, serve(f), asked{method: "POST", path: tt.path, body: tt.body, header: tt.header})
			if a.StatusCode != tt.status {
				t.Fatalf("status %d, want %d: %s", a.StatusCode, tt.status, a.text)
			}
			if tt.status == 201 {
				if a.Header.Get("Location") != "/runs/77" || f.submitted[0].RequestedBy != tt.by || f.submitted[0].Trigger != worker.API {
					t.Errorf("%q by %q", a.Header.Get("Location"), f.submitted[0].RequestedBy)
				}
				return
			}
			var p struct {
				Type, Title string
				Status      int
				Fields      map[string]string
			}
			if err := json.Unmarshal([]byte(a.text), &p); err != nil {
				t.Fatal(err)
			}
			if a.Header.Get("Content-Type") != "application/problem+json" || p.Type != "about:blank" || p.Title == "" || p.Status != tt.status {
				t.Errorf("%s %s", a.Header.Get("Content-Type"), a.text)
			}
			var got []string
			for name, why := range p.Fields {
				if why == "" {
					t.Errorf("%s has no reason", name)
				}
				got = append(got, name)
			}
			if d := cmp.Diff(tt.fields, sorted(got)); d != "" {
				t.Errorf("fields (-want +got):\n%s", d)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	f := busy()
	h := serve(f)
	for _, tt := range []struct {
		name     string
		q        asked
		status   int
		location string
	}{
		{"from the table", asked{method: "POST", path: "/runs/1280/cancel", body: "back=workers"}, 303, "/workers#worker-ner"},
		{"from the worker", asked{method: "POST", path: "/runs/1280/cancel", body: "back=worker"}, 303, "/workers/ner"},
		{"from the run", asked{method: "POST", path: "/runs/1280/cancel"}, 303, "/runs/1280"},
		{"by a script", asJSON(asked{method: "POST", path: "/runs/1280/cancel"}), 202, ""},
		{"unknown", asked{method: "POST", path: "/runs/9/cancel"}, 404, ""},
	} {
		a := ask(t, h, tt.q)
		if a.StatusCode != tt.status || a.Header.Get("Location") != tt.location {
			t.Errorf("%s: %d %q, want %d %q", tt.name, a.StatusCode, a.Header.Get("Location"), tt.status, tt.location)
		}
	}
	want := []string{"panel 192.0.2.7", "panel 192.0.2.7", "panel 192.0.2.7", "API 192.0.2.7"}
	if d := cmp.Diff(want, f.cancelled); d != "" {
		t.Errorf("asked by (-want +got):\n%s", d)
	}
}
