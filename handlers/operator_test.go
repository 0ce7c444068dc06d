package handlers_test

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"scrinalia/engine"
	engines "scrinalia/engine/all"
	"scrinalia/executor"
	"scrinalia/handlers"
	"scrinalia/importer"
	"scrinalia/sample"
	"scrinalia/settings"
	"scrinalia/store"
	"scrinalia/store/storetest"
	"scrinalia/views"
	"scrinalia/worker"
	"scrinalia/worker/all"

	"github.com/chromedp/chromedp"
)

// world is the whole program but its command line, on a database of its own with the sample collection transferred.
type world struct {
	url      string
	store    *store.Store
	executor *executor.Executor
	settings *settings.Settings
}

func newArchive(t *testing.T) world {
	t.Helper()
	s := storetest.New(t)
	log := slog.New(slog.DiscardHandler)
	catalogue := all.Catalogue(s, engine.NewRegistry(engines.Registrations("")...), nil, nil)
	e, err := executor.New(executor.Options{Catalogue: catalogue, Store: s, Log: log, Role: "test", Concurrency: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := importer.Import(t.Context(), s, sample.Collection(), importer.Options{Name: "sample.jsonl"}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := e.RunHere(t.Context(), worker.Request{Worker: worker.Transfer, Trigger: worker.CLI, RequestedBy: "test"}, nil); err != nil {
		t.Fatal(err)
	}
	if err := e.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 10*time.Second)
		defer cancel()
		if err := e.Stop(ctx); err != nil {
			t.Error(err)
		}
	})
	a := world{store: s, executor: e, settings: settings.New(catalogue, s)}
	server := httptest.NewServer(handlers.New(handlers.Options{Catalogue: catalogue, Panel: e, Ledger: s, Settings: a.settings, Log: log, Location: saoPaulo}))
	t.Cleanup(server.Close)
	a.url = server.URL
	return a
}

func (a world) save(t *testing.T, name, by string, s worker.Settings) {
	t.Helper()
	if _, err := a.settings.Save(t.Context(), worker.OverrideChange{Worker: name, Seen: worker.AnyVersion, By: by, Channel: worker.CLI, Note: "note of " + by, Settings: s}); err != nil {
		t.Fatal(err)
	}
}

func (a world) run(t *testing.T, name string, arguments worker.Settings) {
	t.Helper()
	if _, err := a.executor.RunHere(t.Context(), worker.Request{Worker: name, Arguments: arguments, Trigger: worker.Panel, RequestedBy: "panel 127.0.0.1"}, nil); err != nil {
		t.Fatal(err)
	}
}

// lastRun waits until the newest run has succeeded.
func (a world) lastRun(t *testing.T) int64 {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		page, err := a.store.Runs(t.Context(), worker.RunFilter{Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		switch r := page.Runs[0]; r.Status {
		case worker.Success:
			return r.ID
		case worker.Queued, worker.Running:
		default:
			t.Fatalf("run %d ended %s", r.ID, r.Status)
		}
		select {
		case <-tick.C:
		case <-t.Context().Done():
			t.Fatal("the run does not end")
		}
	}
}

// TestOperator does in the browser what an operator does who never saw the program: with scripts and without.
func TestOperator(t *testing.T) { // its parts share a browser, so they are not parallel
	t.Parallel()
	ctx := chromium(t)
	var c complaints
	if err := c.listen(ctx); err != nil {
		t.Fatal(err)
	}
	for name, on := range map[string]bool{"with scripts": true, "without scripts": false} {
		t.Run(name, func(t *testing.T) {
			run(t, ctx, chromedp.EmulateViewport(1360, 900), scripts(on))
			a := newArchive(t)
			changesAndRestores(t, ctx, a)
			refusedFieldByField(t, ctx, a)
			twoEditors(t, ctx, a)
			followsTheEngine(t, ctx, a, on)
		})
	}
	run(t, ctx, scripts(true))
	for _, s := range c.all() {
		if !strings.Contains(s, "409 (Conflict)") && !strings.Contains(s, "422 (Unprocessable") {
			t.Errorf("the browser complained: %s", s)
		}
	}
}

// shown waits until an element says something.
func shown(selector, text string) chromedp.Action[chromedp.Void] {
	return until(`(document.querySelector('` + selector + `') || {innerText: ''}).innerText.includes('` + text + `')`)
}

func changesAndRestores(t *testing.T, ctx context.Context, a world) {
	a.save(t, "ner", "Rui", worker.Settings{Options: map[string]any{"threshold": 0.25}})
	run(t, ctx, chromedp.Navigate(a.url+"/workers/ner"),
		chromedp.Click(chromedp.CSS("#set-threshold-set")), chromedp.SetValue(chromedp.CSS("#set-threshold"), "0.55"),
		chromedp.SendKeys(chromedp.CSS("#note"), "Street names were <b>taken</b> for people."),
		chromedp.Click(chromedp.CSS("#save-settings")), shown("#settings .slip.s-ok", "Saved as revision 2"),
		shown("#revision-2 .diff", "0.25"), shown("#revision-2 .quote", "Street names were <b>taken</b> for people."),
		chromedp.SetValue(chromedp.CSS("#run-limit"), "5"), chromedp.Click(chromedp.CSS("#start-button")), shown("h1", "Run "))
	run(t, ctx, chromedp.Navigate(a.url+views.RunPath(a.lastRun(t))))
	run(t, ctx, until(`[...document.querySelectorAll('[aria-labelledby=cfg] tbody tr')].some(r => /Threshold/.test(r.innerText) && /0.55/.test(r.innerText) && /override/.test(r.innerText))`),
		until(`[...document.querySelectorAll('[aria-labelledby=cfg] tbody tr')].some(r => /Limit/.test(r.innerText) && /this run only/.test(r.innerText))`),
		chromedp.Navigate(a.url+"/workers/ner"), chromedp.Click(chromedp.CSS("#revision-1 button")), shown("#settings .slip.s-ok", "Saved as revision 3"),
		shown("#revision-3", "restore of revision 1"))
	if got, err := a.settings.Override(ctx, "ner"); err != nil || got.Settings.Options["threshold"] != 0.25 {
		t.Errorf("restored: %v, %v", got, err)
	}
}

func refusedFieldByField(t *testing.T, ctx context.Context, a world) {
	run(t, ctx, chromedp.Navigate(a.url+"/workers/ner"),
		chromedp.Click(chromedp.CSS("#set-threshold-set")), chromedp.SetValue(chromedp.CSS("#set-threshold"), "1.4"),
		chromedp.Click(chromedp.CSS("#set-batch_size-set")), chromedp.SetValue(chromedp.CSS("#set-batch_size"), "many"),
		chromedp.SetValue(chromedp.CSS("#note"), "kept"),
		chromedp.Click(chromedp.CSS("#save-settings")), shown("#settings .slip.s-bad", "2 fields were refused"),
		shown("#set-threshold-h", "Give a number from 0 to 1"), shown("#set-batch_size-h", "“many” is not accepted"),
		until(`document.querySelector('#set-threshold').value === '1.4' && document.querySelector('#set-threshold-set').checked && document.querySelector('#note').value === 'kept'`))
}

func twoEditors(t *testing.T, ctx context.Context, a world) {
	a.save(t, "typology", "Ana", worker.Settings{Options: map[string]any{"threshold": 0.3}})
	run(t, ctx, chromedp.Navigate(a.url+"/workers/typology"))
	a.save(t, "typology", "Rui", worker.Settings{BatchSize: 77, Options: map[string]any{"threshold": 0.45}})
	run(t, ctx, chromedp.Click(chromedp.CSS("#set-threshold-set")), chromedp.SetValue(chromedp.CSS("#set-threshold"), "0.6"),
		chromedp.Click(chromedp.CSS("#save-settings")), shown(".slip.s-warn", "Rui saved revision 2 while you were editing 1"),
		shown("#settings tbody", "0.45"), shown("#settings tbody", "0.60"), shown("#settings tbody", "not touched"),
		chromedp.Click(chromedp.CSS("#apply-mine")), shown("#settings .slip.s-ok", "Saved as revision 3"))
	got, err := a.settings.Override(ctx, "typology")
	if err != nil || got.Settings.Options["threshold"] != 0.6 || got.Settings.BatchSize != 77.0 {
		t.Errorf("on top of both: %+v, %v", got, err)
	}
}

func followsTheEngine(t *testing.T, ctx context.Context, a world, scripts bool) {
	run(t, ctx, chromedp.Navigate(a.url+"/workers/ner"))
	if scripts {
		run(t, ctx, until(`!!window.htmx`), chromedp.Evaluate[chromedp.Void](`{
			const e = document.querySelector('#set-engine'); e.value = 'ollama'
			for (const kind of ['input', 'change']) e.dispatchEvent(new Event(kind, {bubbles: true}))
		}`))
	} else {
		run(t, ctx, chromedp.Click(chromedp.CSS("#set-engine-set")), chromedp.SetValue(chromedp.CSS("#set-engine"), "ollama"), chromedp.Click(chromedp.CSS("noscript button")))
	}
	run(t, ctx, until(`!!document.querySelector('#set-num_ctx') && document.querySelector('#set-engine-set').checked && document.querySelector('#set-engine').value === 'ollama'`),
		chromedp.Click(chromedp.CSS("#set-num_ctx-set")), chromedp.SetValue(chromedp.CSS("#set-num_ctx"), "2048"),
		chromedp.Click(chromedp.CSS("#save-settings")), shown("#settings .slip.s-ok", "Saved as revision"))
	got, err := a.settings.Override(ctx, "ner")
	if err != nil || got.Settings.Engine != "ollama" || got.Settings.Options["num_ctx"] != 2048.0 {
		t.Errorf("another engine: %+v, %v", got, err)
	}
	run(t, ctx, chromedp.Click(chromedp.CSS("#reset-settings")), shown("#settings .slip.s-ok", "Saved as revision"), shown("#settings .sec-h", "Everything follows the code"))
}
