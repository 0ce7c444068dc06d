package handlers_test

import (
	"context"
	"flag"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"scrinalia/archive"
	"scrinalia/worker"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

var (
	shots   = flag.String("shots", "", "a folder to put pictures of every page into, to be looked at")
	shotsOf = flag.String("shots-of", "", "only the pages whose name has this in it")
)

// TestShots takes pictures of every page, wide and narrow, light and dark. It only does so when asked.
func TestShots(t *testing.T) {
	t.Parallel()
	if *shots == "" {
		return
	}
	ctx := chromium(t)
	down := &fake{err: worker.Errorf(worker.Unavailable, "The database does not answer.")}
	stuck := busy()
	stuck.submitErr = &worker.InFlightError{Run: *stuck.states[2].ActiveRun}
	broken := busy()
	broken.explode = true
	worked := busy()
	worked.pipeline = underWay()
	for _, id := range []int64{3} {
		if _, err := worked.Decide(t.Context(), archive.Judgement{Kind: archive.Conflict, ID: id, Verdict: archive.Dismiss}, archive.Actor{Person: "panel 127.0.0.1"}); err != nil {
			t.Fatal(err)
		}
	}
	full, quiet, bare := httptest.NewServer(serve(worked)), httptest.NewServer(serve(&fake{states: idle()})), httptest.NewServer(serve(&fake{empty: true, states: idle()}))
	off, inway, oops, todone := httptest.NewServer(serve(down)), httptest.NewServer(serve(stuck)), httptest.NewServer(serve(broken)), httptest.NewServer(serve(&fake{nothingToDo: true}))
	for _, s := range []*httptest.Server{full, quiet, bare, off, inway, oops, todone} {
		t.Cleanup(s.Close)
	}
	aside := busy()
	aside.aside = asideOfNER()
	kills := httptest.NewServer(serve(aside))
	t.Cleanup(kills.Close)
	pages := map[string]string{
		"aside": kills.URL + "/workers/ner", "aside-pt": kills.URL + "/workers/ner?lang=pt-BR",
		"workers": full.URL + "/workers", "workers-pt": full.URL + "/workers?lang=pt-BR", "idle": quiet.URL + "/workers", "empty": bare.URL + "/workers",
		"worker": full.URL + "/workers/ner", "worker-idle": full.URL + "/workers/transfer", "worker-pt": full.URL + "/workers/cleaning?lang=pt-BR", "unmeasured": full.URL + "/workers/conflict-judge",
		"force": full.URL + "/workers/ner/force?units=all&limit=500&dry_run=1", "runs": full.URL + "/runs", "runs-filtered": full.URL + "/runs?status=FAILED&worker=ner",
		"run-partly": full.URL + "/runs/1263", "run-failed": full.URL + "/runs/1275", "run-running": full.URL + "/runs/1280", "run-queued": full.URL + "/runs/1281",
		"documents": full.URL + "/documents", "documents-filtered": full.URL + "/documents?status=PENDING_AI&tag=7&entity=21", "documents-pt": full.URL + "/documents?lang=pt-BR",
		"documents-none": full.URL + "/documents?reason=NO_TAGS", "document": full.URL + "/documents/101", "document-pt": full.URL + "/documents/104?lang=pt-BR",
		"pipeline": full.URL + "/pipelines/3", "pipeline-pt": full.URL + "/pipelines/3?lang=pt-BR",
		"reviews": full.URL + "/reviews", "reviews-subjects": full.URL + "/reviews?kind=SUBJECT", "reviews-anomalies-pt": full.URL + "/reviews?kind=ANOMALY&lang=pt-BR",
		"reviews-none": todone.URL + "/reviews", "reviews-decided": full.URL + "/reviews?kind=DECIDED", "reviews-done": full.URL + "/reviews?kind=CONFLICT&done=3", "reviews-alike": full.URL + "/reviews/alike?kind=CONFLICT",
		"document-bare": full.URL + "/documents/103", "edit": full.URL + "/documents/101/edit", "edit-pt": full.URL + "/documents/101/edit?lang=pt-BR",
		"failures": full.URL + "/failures", "failures-pt": full.URL + "/failures?lang=pt-BR&days=30", "failures-none": quiet.URL + "/failures",
		"search": full.URL + "/search?q=ponte", "search-start": full.URL + "/search", "search-none": full.URL + "/search?q=nothing", "search-words": full.URL + "/search?q=unembedded&lang=pt-BR",
		"search-many": full.URL + "/search?q=many&page=2",
		"run-dry":     full.URL + "/runs/1278", "run-notes-pt": full.URL + "/runs/1270?lang=pt-BR", "404": full.URL + "/nothing", "503": off.URL + "/workers", "500": oops.URL + "/workers",
	}
	a := settingsWorld(t)
	for name, path := range map[string]string{
		"settings": "/workers/ner", "settings-pt": "/workers/ner?lang=pt-BR&saved=4", "settings-ollama": "/workers/typology", "settings-rule": "/workers/quality-validator", "settings-none": "/workers/transfer",
		"history": "/workers/ner/settings/revisions", "history-pt": "/workers/ner/settings/revisions?lang=pt-BR&field=threshold", "run-differs": "/runs/3",
	} {
		pages[name] = a.url + path
	}
	for name, address := range pages {
		if !strings.Contains(name, *shotsOf) {
			continue
		}
		for _, width := range []int64{1360, 390} {
			for _, theme := range []string{"light", "dark"} {
				picture(t, ctx, name, address, width, theme)
			}
		}
	}
	if *shotsOf != "" {
		return
	}
	conflictShots(t, ctx, a)
	posted := map[string]string{
		"409": inway.URL + "/workers", "menu": full.URL + "/workers",
	}
	for name, address := range posted {
		run(t, ctx, chromedp.EmulateViewport(1360, 900), chromedp.Navigate(address))
		id := map[string]string{"409": "#act-transfer", "menu": "#more-transfer"}[name]
		run(t, ctx, until(`!!window.htmx && document.readyState === 'complete'`), chromedp.Click(chromedp.CSS(id)), pause(600))
		keep(t, ctx, name)
	}
	run(t, ctx, chromedp.Navigate(full.URL+"/workers/transfer"), chromedp.SetValue(chromedp.CSS("#run-limit"), "many"),
		chromedp.Click(chromedp.CSS(".runform .first")), chromedp.WaitVisible(chromedp.CSS(".slip.s-bad")))
	keep(t, ctx, "422")
}

// settingsWorld is an archive whose settings have a history, and two runs of ner.
func settingsWorld(t *testing.T) world {
	t.Helper()
	a := newArchive(t)
	a.save(t, "ner", "Rui Tavares", worker.Settings{BatchSize: 128, Options: map[string]any{"threshold": 0.25}})
	a.run(t, "ner", worker.Settings{Options: map[string]any{"limit": 20}})
	a.save(t, "ner", "Helena Prado", worker.Settings{Options: map[string]any{"threshold": 0.5, "columns": []string{"original_title", "scope_content"}}})
	a.save(t, "ner", "root@arq01", worker.Settings{Engine: "builtin", Options: map[string]any{"threshold": 0.5}})
	a.run(t, "ner", worker.Settings{BatchSize: 16})
	a.save(t, "typology", "Helena Prado", worker.Settings{Engine: "ollama", Options: map[string]any{"model": "granite4.1:3b", "num_ctx": 2048}})
	return a
}

func conflictShots(t *testing.T, ctx context.Context, a world) {
	t.Helper()
	for _, width := range []int64{1360, 390} {
		run(t, ctx, chromedp.EmulateViewport(width, 900), chromedp.Navigate(a.url+"/workers/ner"), until(`!!window.htmx`))
		a.save(t, "ner", "Rui Tavares", worker.Settings{BatchSize: width, Options: map[string]any{"threshold": 0.45}})
		run(t, ctx, chromedp.Click(chromedp.CSS("#set-threshold-set")), chromedp.SetValue(chromedp.CSS("#set-threshold"), "0.6"),
			chromedp.Click(chromedp.CSS("#save-settings")), shown(".slip.s-warn", "Rui Tavares saved revision"))
		keep(t, ctx, "conflict-"+strconv.FormatInt(width, 10))
		run(t, ctx, chromedp.Navigate(a.url+"/workers/ner"), chromedp.Click(chromedp.CSS("#set-threshold-set")), chromedp.SetValue(chromedp.CSS("#set-threshold"), "1.4"),
			chromedp.SetValue(chromedp.CSS("#run-limit"), "5"), chromedp.Click(chromedp.CSS("#save-settings")), shown("#settings .slip.s-bad", "One field was refused"))
		keep(t, ctx, "refused-"+strconv.FormatInt(width, 10))
	}
}

func picture(t *testing.T, ctx context.Context, name, address string, width int64, theme string) {
	t.Helper()
	media := chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}},
		})
		return err
	})
	run(t, ctx, chromedp.EmulateViewport(width, 900), media, chromedp.Navigate(address))
	keep(t, ctx, name+"-"+strconv.FormatInt(width, 10)+"-"+theme)
}

func keep(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	raw, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(filepath.Join(*shots, name+".png"), raw, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
