package handlers_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"scrinalia/worker"
)

// TestPipelineIsStartedAndStopped from the page of workers, which shows it as long as it is under way.
func TestPipelineIsStartedAndStopped(t *testing.T) {
	t.Parallel()
	f := &fake{states: idle()}
	h := serve(f)
	if n := ask(t, h, asked{path: "/workers"}).page(t).Find("#run-pipeline, [data-poll]").Length(); n != 1 {
		t.Errorf("an idle page has %d of a button and a poll", n)
	}
	a := ask(t, h, asked{method: "POST", path: "/pipelines", body: "x=y"})
	if a.StatusCode != http.StatusSeeOther || a.Header.Get("Location") != "/workers" || f.asked[0].RequestedBy != "panel 192.0.2.7" || f.asked[0].Trigger != worker.Panel {
		t.Errorf("%d %s %+v", a.StatusCode, a.Header.Get("Location"), f.asked)
	}
	f.pipeline = underWay()
	page := ask(t, h, asked{path: "/workers", header: part})
	if got := page.words(t, ".band p"); !strings.HasPrefix(got, "Running Pipeline #3") || !strings.Contains(got, "3 of ") || !strings.Contains(got, "Named entities, Running") {
		t.Errorf("%q", got)
	}
	if p := page.page(t); p.Find("[data-poll]").Length() != 1 || p.Find("#pipeline-start[hx-swap-oob] button[disabled]").Length() != 1 {
		t.Error("it does not poll, or offers another pipeline")
	}
	in := ask(t, h, asked{method: "POST", path: "/pipelines", body: "x=y"})
	if in.StatusCode != http.StatusConflict || in.words(t, "h1") != "A pipeline is under way" || !strings.Contains(in.words(t, ".slip"), "panel 127.0.0.1") {
		t.Errorf("a second one: %d %s", in.StatusCode, in.words(t, ".slip"))
	}
	stop := ask(t, h, asked{method: "POST", path: "/pipelines/3/cancel", body: "back=workers"})
	if stop.StatusCode != http.StatusSeeOther || stop.Header.Get("Location") != "/workers" || *f.pipeline.CancelRequestedBy != "panel 192.0.2.7" {
		t.Errorf("stop: %d %s", stop.StatusCode, stop.Header.Get("Location"))
	}
	if got := ask(t, h, asked{path: "/workers"}).words(t, ".band .st"); got != "Stopping" {
		t.Errorf("%q", got)
	}
}

func TestPipelinePage(t *testing.T) {
	t.Parallel()
	f := &fake{states: idle(), pipeline: underWay()}
	a := get(t, f, "/pipelines/3")
	if a.page(t).Find("[data-poll]").Length() != 1 || a.page(t).Find("tbody tr").Length() != len(catalogue().Names()) {
		t.Error("it does not poll, or lacks a worker")
	}
	if got := a.words(t, "#step-cleaning .st"); got != "Succeeded, 2 failed" {
		t.Errorf("%q", got)
	}
	if got := a.words(t, "#step-conflict-judge"); !strings.Contains(got, "not yet") {
		t.Errorf("%q", got)
	}
	f.pipeline.Status, f.pipeline.FinishedAt = worker.Failed, new(noon)
	if a := get(t, f, "/pipelines/3"); a.page(t).Find("[data-poll]").Length() != 0 || !strings.Contains(a.words(t, "#step-conflict-judge"), "not run") {
		t.Error("it still polls, or a worker still waits")
	}
	for _, path := range []string{"/pipelines/4", "/pipelines/x"} {
		if a := get(t, f, path); a.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", path, a.StatusCode)
		}
	}
}

func TestPipelineJSON(t *testing.T) {
	t.Parallel()
	f := &fake{states: idle()}
	post := func(path, body string) answered {
		return ask(t, serve(f), asJSON(asked{method: "POST", path: path, body: body, header: map[string]string{"Content-Type": "application/json"}}))
	}
	a := post("/pipelines", `{"engine":"ollama","by":"cron"}`)
	var p worker.Pipeline
	if err := json.Unmarshal([]byte(a.text), &p); err != nil || a.StatusCode != http.StatusCreated || a.Header.Get("Location") != "/pipelines/3" || p.RequestedBy != "cron, API 192.0.2.7" || f.asked[0].Arguments.Engine != "ollama" {
		t.Errorf("%d %s", a.StatusCode, a.text)
	}
	if a := post("/pipelines", ""); a.StatusCode != http.StatusConflict || fields(t, a.text)["pipeline"] == nil {
		t.Errorf("%d %s", a.StatusCode, a.text)
	}
	if a := post("/pipelines/3/cancel", ""); a.StatusCode != http.StatusAccepted {
		t.Errorf("%d %s", a.StatusCode, a.text)
	}
	if a := post("/pipelines", `{"engines":"x"}`); a.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("%d %s", a.StatusCode, a.text)
	}
}
