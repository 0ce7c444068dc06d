package handlers_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"scrinalia/worker"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// chromium starts a browser, which the tests need as they need the database: without one they fail.
func chromium(t *testing.T) context.Context {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		t.Fatal("no Chromium was found; install it with: apt-get install chromium")
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.Flag("headless", "new"),
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("no-proxy-server", true),
		chromedp.UserDataDir(t.TempDir()), chromedp.WSURLReadTimeout(60*time.Second))
	ctx, stop := context.WithTimeout(t.Context(), 3*time.Minute)
	t.Cleanup(stop)
	ctx, stopAllocator := chromedp.NewExecAllocator(ctx, opts...)
	t.Cleanup(stopAllocator)
	ctx, stopBrowser := chromedp.NewContext(ctx)
	t.Cleanup(stopBrowser)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("Chromium did not start: %v", err)
	}
	return ctx
}

// complaints collects what the browser's console reports: errors, exceptions, refusals of the policy.
type complaints struct {
	mu   sync.Mutex
	said []string
}

func (c *complaints) listen(ctx context.Context) error {
	return chromedp.Listen(ctx, func(ev any) {
		c.mu.Lock()
		defer c.mu.Unlock()
		switch e := ev.(type) {
		case *log.EventEntryAdded:
			if e.Entry.Level == log.EntryLevelError || strings.Contains(e.Entry.Text, "Content Security Policy") {
				c.said = append(c.said, e.Entry.URL+" "+e.Entry.Text)
			}
		case *runtime.EventExceptionThrown:
			c.said = append(c.said, e.ExceptionDetails.Text)
		}
	})
}

func (c *complaints) all() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string(nil), c.said...)
}

func site(t *testing.T, f *fake) string {
	t.Helper()
	s := httptest.NewServer(serve(f))
	t.Cleanup(s.Close)
	return s.URL
}

func run(t *testing.T, ctx context.Context, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

// until waits until an expression holds, across pages that are left and come meanwhile, and until what htmx swapped in has settled: before that, a
// click on it is an ordinary one.
func until(expression string) chromedp.Action[chromedp.Void] {
	expression = `!document.querySelector('.htmx-swapping, .htmx-settling') && (` + expression + `)`
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
		defer cancel()
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			holds, err := chromedp.Evaluate[bool](expression)(ctx, target)
			if err == nil && holds {
				return nil
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				return fmt.Errorf("waited in vain for %s: %w", expression, errors.Join(err, ctx.Err()))
			}
		}
	})
}

// TestBrowser drives one browser through what only a browser can tell, step by step in one tab.
func TestBrowser(t *testing.T) { // its steps share a tab, so they are not parallel
	t.Parallel()
	ctx := chromium(t)
	var c complaints
	if err := c.listen(ctx); err != nil {
		t.Fatal(err)
	}

	t.Run("the poll goes on while something runs, and stops", func(t *testing.T) { pollsAndStops(t, ctx) })
	t.Run("the start button waits for the run", func(t *testing.T) { startWaits(t, ctx) })
	t.Run("a run is started and refused without leaving the page", func(t *testing.T) { startsInPlace(t, ctx) })
	t.Run("reviews are decided by single keys", func(t *testing.T) { decidesByKeys(t, ctx) })
	t.Run("nothing is wider than the screen", func(t *testing.T) { fits(t, ctx) })
	t.Run("everything works without scripts", func(t *testing.T) { worksWithoutScripts(t, ctx) })
	var unexpected []string
	for _, s := range c.all() {
		if !strings.Contains(s, "409 (Conflict)") && !strings.Contains(s, "/nothing?") { // the browser reports the refusals that a test asks for
			unexpected = append(unexpected, s)
		}
	}
	if len(unexpected) > 0 {
		t.Errorf("the browser complained:\n%s", strings.Join(unexpected, "\n"))
	}
}

func pollsAndStops(t *testing.T, ctx context.Context) {
	f := busy()
	base := site(t, f)
	run(t, ctx, chromedp.Navigate(base+"/workers"), until(`!!window.htmx && !!document.querySelector('#live[hx-trigger]')`))
	if got := evaluate[string](t, ctx, `(document.querySelector('#menu-transfer').open = true, 'open')`); got != "open" {
		t.Error(got)
	}
	before := f.calls()
	f.set(func(f *fake) {
		r := *f.states[2].ActiveRun
		r.Processed = 2000
		f.states[2].ActiveRun = &r
	})
	run(t, ctx, until(`document.querySelector('#worker-ner .prog').innerText.includes('2,003 of 4,844')`))
	if f.calls() == before {
		t.Error("the page moved without asking")
	}
	if !evaluate[bool](t, ctx, `document.querySelector('#menu-transfer').open`) {
		t.Error("the refresh closed the menu")
	}
	f.set(func(f *fake) {
		done := ranAs(1280, "ner", worker.Success, 1, 30)
		f.states[1].ActiveRun, f.states[2].ActiveRun, f.states[2].LastRun = nil, nil, &done
	})
	run(t, ctx, until(`!document.querySelector('#live[hx-trigger]') && document.querySelector('#announce').textContent === 'Nothing is running'`))
	stopped := f.calls()
	run(t, ctx, pause(4500))
	if got := f.calls(); got != stopped {
		t.Errorf("the page asked %d times more after everything had ended", got-stopped)
	}
}

func startWaits(t *testing.T, ctx context.Context) {
	f := busy()
	run(t, ctx, chromedp.Navigate(site(t, f)+"/workers/ner"), until(`!!window.htmx && document.readyState === 'complete' && document.querySelector('#start-button').disabled`))
	f.set(func(f *fake) { f.states[2].ActiveRun = nil })
	run(t, ctx, until(`!document.querySelector('#start-button').disabled && !document.querySelector('#live[hx-trigger]')`))
}

func startsInPlace(t *testing.T, ctx context.Context) {
	f := busy()
	f.states[1].ActiveRun, f.states[2].ActiveRun = nil, nil
	base := site(t, f)
	run(t, ctx, chromedp.Navigate(base+"/workers"), until(`!!window.htmx && document.readyState === 'complete'`),
		chromedp.Evaluate[chromedp.Void](`window.same = true`), chromedp.Click(chromedp.CSS(`#act-transfer`)),
		until(`document.querySelector('#worker-transfer .c-run').innerText.includes('Queued')`))
	if !evaluate[bool](t, ctx, `window.same === true`) {
		t.Error("the page was loaded again")
	}
	f.set(func(f *fake) { f.submitErr = &worker.InFlightError{Run: ranAs(1280, "ner", worker.Running, 1, 0)} })
	run(t, ctx, chromedp.Click(chromedp.CSS(`#act-ner`)), until(`document.querySelector('#flash').innerText.includes('Named entities is already running')`))
	if got := evaluate[int](t, ctx, `document.querySelectorAll('#worker-ner').length`); got != 1 {
		t.Errorf("%d rows of ner after a refusal, want 1", got)
	}
	f.set(func(f *fake) { f.submitErr = nil })
	run(t, ctx, chromedp.Click(chromedp.CSS(`#more-ner`)), chromedp.Click(chromedp.CSS(`#menu-ner [value=all]`)),
		chromedp.Click(chromedp.CSS(`#menu-ner .btn.first`)), chromedp.WaitVisible(chromedp.CSS(`.confirm .risk`)),
		chromedp.Click(chromedp.CSS(`.confirm .risk`)), chromedp.WaitVisible(chromedp.CSS(`#worker-ner .st.still`)))
}

func fits(t *testing.T, ctx context.Context) {
	working := busy()
	working.pipeline = underWay()
	full, bare := site(t, working), site(t, &fake{empty: true, states: idle()})
	pages := []string{
		"/workers", "/workers/ner", "/workers/conflict-judge", "/workers/ner/force?units=all", "/runs", "/runs/1263", "/runs/1275", "/runs/1280", "/search", "/search?q=many", "/search?q=unembedded", "/nothing",
		"/documents?tag=7&entity=21", "/documents/101", "/documents/103", "/documents/101/edit", "/reviews", "/reviews?kind=SUBJECT", "/reviews?kind=ANOMALY", "/reviews/alike?kind=CONFLICT", "/failures", "/pipelines/3",
	}
	for _, lang := range []string{"en", "pt-BR"} {
		for _, width := range []int64{320, 390, 1360} {
			for _, path := range pages {
				tooWide(t, ctx, full+path, lang, width)
			}
			tooWide(t, ctx, bare+"/workers", lang, width)
		}
	}
}

func tooWide(t *testing.T, ctx context.Context, address, lang string, width int64) {
	t.Helper()
	sep := "?"
	if strings.Contains(address, "?") {
		sep = "&"
	}
	run(t, ctx, chromedp.EmulateViewport(width, 900), chromedp.Navigate(address+sep+"lang="+lang))
	if over := evaluate[int64](t, ctx, `document.documentElement.scrollWidth`); over > width {
		t.Errorf("%s in %s is %d px wide on a screen of %d px", address, lang, over, width)
	}
}

func worksWithoutScripts(t *testing.T, ctx context.Context) {
	f := busy()
	f.states[1].ActiveRun, f.states[2].ActiveRun = nil, nil
	base := site(t, f)
	run(t, ctx, chromedp.EmulateViewport(1360, 900), scripts(false), chromedp.Navigate(base+"/workers"),
		chromedp.Click(chromedp.CSS(`#more-ner`)), chromedp.SetValue(chromedp.CSS(`#menu-ner-limit`), "5"),
		chromedp.Click(chromedp.CSS(`#menu-ner .btn.first`)), chromedp.WaitVisible(chromedp.CSS(`#worker-ner .st.still`)))
	f.mu.Lock()
	got := len(f.submitted)
	f.mu.Unlock()
	if got != 1 {
		t.Errorf("%d runs were asked for, want 1", got)
	}
	run(t, ctx, chromedp.Click(chromedp.CSS(`.foot .link`)), chromedp.WaitVisible(chromedp.CSS(`html[lang="pt-BR"]`)),
		scripts(true))
}

// pause lets the page go on for a while.
func pause(ms int) chromedp.Action[chromedp.Void] {
	return chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`new Promise(done => setTimeout(done, %d))`, ms), chromedp.EvalAwaitPromise)
}

// scripts switches JavaScript on or off.
func scripts(on bool) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !on})
		return err
	})
}

func evaluate[T any](t *testing.T, ctx context.Context, expression string) T {
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatal(err)
	}
	return v
}
