package handlers_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"scrinalia/worker"
)

// TestPages asks for each page, as a browser and as htmx, and looks for what it must say.
func TestPages(t *testing.T) {
	t.Parallel()
	idleFake := func() *fake { return &fake{states: idle()} }
	for _, tt := range []struct {
		name     string
		fake     func() *fake
		path     string
		header   map[string]string
		status   int
		selector string
		want     string
	}{
		{"workers", busy, "/workers", nil, 200, "h1", "Workers"},
		{"order and label", busy, "/workers", nil, 200, "#worker-ner .c-name a", "Named entities"},
		{"engine, preset, model", busy, "/workers", nil, 200, "#worker-ner .c-conf", "builtin · pt_br_archive override lexicon-ptbr 2026.08 Threshold 0.50 override"},
		{"no model", busy, "/workers", nil, 200, "#worker-transfer .c-conf", "no model"},
		{"pending", busy, "/workers", nil, 200, "#worker-ner .c-pend", "4,032"},
		{"tally", busy, "/workers", nil, 200, "#worker-ner .c-q", "812 processed 3 failed 120 stale: done with other settings"},
		{"progress", busy, "/workers", nil, 200, "#worker-ner .c-run progress + p", "815 of 4,844, 3 failed, 41/s, about 1 min 39 s left"},
		{"stop", busy, "/workers", nil, 200, "#act-ner", "Stop Named entities"},
		{"cancel", busy, "/workers", nil, 200, "#act-cleaning", "Cancel Cleaning rules"},
		{"run", busy, "/workers", nil, 200, "#act-transfer", "Run Transfer"},
		{"run, while one runs", busy, "/workers", nil, 200, "#run-ner[disabled][title='Not now: #1,280 is under way.']", "Run Named entities"},
		{"run, while one waits", busy, "/workers", part, 200, "#run-cleaning[disabled]", "Run Cleaning rules"},
		{"run, why not now", busy, "/workers", pt, 200, "#run-cleaning-why", "Agora não: #1.281 espera a vez."},
		{"start, while one runs", busy, "/workers/ner", nil, 200, "#start-button[disabled][aria-describedby=start-button-why]", "Start Named entities"},
		{"start, refreshed", busy, "/workers/ner", part, 200, "#start-run[hx-swap-oob] #start-button-why", "Not now: #1,280 is under way."},
		{"start, when none runs", busy, "/workers/transfer", part, 200, "#start-run[hx-swap-oob] #start-button:not([disabled])", "Start"},
		{"not measured, and why", busy, "/workers", nil, 200, "#worker-conflict-judge .c-q", "Not measured the pair count passed its limit of 1 s 2,117 processed"},
		{"a dash where there is no count", busy, "/workers", nil, 200, "#worker-conflict-judge .c-pend", "–"},
		{"attention", busy, "/workers", nil, 200, ".attn h2", "Needs attention (3)"},
		{"the part", busy, "/workers", part, 200, "#worker-ner .c-pend", "4,032"},
		{"the part has no frame", busy, "/workers", part, 200, "header, footer, h1", ""},
		{"a boosted link gets the page", busy, "/workers", map[string]string{"HX-Request": "true", "HX-Boosted": "true"}, 200, "h1", "Workers"},
		{"going back gets the page", busy, "/workers", map[string]string{"HX-Request": "true", "HX-History-Restore-Request": "true"}, 200, "h1", "Workers"},
		{"portuguese", busy, "/workers", pt, 200, "#worker-ner .c-pend + .c-q", "812 processados 3 com falha 120 desatualizados: feitos com outra configuração"},
		{"the address wins over the browser", busy, "/workers?lang=en", pt, 200, "h1", "Workers"},
		{"the cookie wins over the browser", busy, "/workers", map[string]string{"Accept-Language": "en", "Cookie": "lang=pt-BR"}, 200, "h1", "Rotinas"},
		{"empty archive", func() *fake { return &fake{states: idle(), empty: true} }, "/workers", nil, 200, "h1", "The archive is empty"},
		{"empty archive, the table", func() *fake { return &fake{states: idle(), empty: true} }, "/workers?table=1", nil, 200, "h1", "Workers"},
		{"never ran", idleFake, "/workers", nil, 200, "#worker-ner .c-run", "has not run yet"},
		{"worker", busy, "/workers/ner", nil, 200, "h1", "Named entities"},
		{"worker, facts", busy, "/workers/ner", nil, 200, ".facts dd:nth-of-type(1)", "ner, place 3 in the order"},
		{"worker, origins", busy, "/workers/ner", nil, 200, "tr:contains('Threshold') .or", "override"},
		{"worker, the note", busy, "/workers/ner", nil, 200, "#settings > .remark", "Built in."},
		{"worker, an override that no longer holds", busy, "/workers/conflict-judge", nil, 200, ".slip.s-warn p", `The override of Preset no longer holds. there is no preset "granite_small"; ollama has granite_local In force instead: granite_local.`},
		{"worker, recent runs", busy, "/workers/ner", nil, 200, "#run-1263 .c-out", "Succeeded, 4 failed"},
		{"worker, the part brings the runs", busy, "/workers/ner", part, 200, "#recent[hx-swap-oob] #run-1263 .c-out", "Succeeded, 4 failed"},
		{"worker unknown", busy, "/workers/nobody", nil, 404, "h1", "There is nothing here"},
		{"force", busy, "/workers/ner/force?units=all&limit=5", nil, 200, ".confirm .big", "4,844 documents"},
		{"force keeps what was asked", busy, "/workers/ner/force?units=all&limit=5", nil, 200, "form:has([name=confirm][value='1']):has([name=limit][value='5']) .risk", "Start the forced run"},
		{"runs", busy, "/runs", nil, 200, "#run-1275 .c-out", "Failed list pending pairs: store answered nothing within 30 s; the statement was cancelled"},
		{"runs, dry", busy, "/runs", nil, 200, "#run-1278 .c-out", "Succeeded dry run"},
		{"runs, who stopped it", busy, "/runs", nil, 200, "#run-1279 .c-out", "Cancelled by panel 127.0.0.1"},
		{"runs, who stopped it, in portuguese", busy, "/runs", pt, 200, "#run-1279 .c-out", "Cancelada por painel 127.0.0.1"},
		{"runs, filtered", busy, "/runs?status=failed", nil, 200, "tbody tr th", "#1,275"},
		{"runs, nothing fits", busy, "/runs?status=failed&worker=ner", nil, 200, "tbody .none", "No run fits these filters."},
		{"runs, older", busy, "/runs?limit=3", nil, 200, "a[rel=next][href='/runs?before=1279']", "Older"},
		{"runs, newer keeps the filter", busy, "/runs?before=1275&worker=cleaning", nil, 200, "a[rel=prev][href='/runs?after=1274&worker=cleaning']", "Newer"},
		{"runs, bad filters", busy, "/runs?status=gone&before=x", nil, 422, ".slip li", "before takes a whole number of at least 1status takes one of QUEUED, RUNNING, SUCCESS, FAILED, INTERRUPTED, CANCELLED"},
		{"runs, the part", busy, "/runs", part, 200, "#run-1275 th", "#1,275"},
		{"run", busy, "/runs/1263", nil, 200, ".outcome", "Succeeded, 4 failed"},
		{"run, by whom", busy, "/runs/1263", nil, 200, ".head .lede", "Named entities, asked for by root@arq01, command line. The 4 units that failed are pending again."},
		{"run, timeline", busy, "/runs/1263", nil, 200, ".line", "Queued12 Oct 11:02:11waited 0.1 sStarted12 Oct 11:02:12ran 1 min 54 s, 42/sFinished12 Oct 11:04:06"},
		{"run, failed units", busy, "/runs/1263", nil, 200, "#failed tbody tr:nth-child(1)", "OP-03-0127text is not valid UTF-8 at byte 1,204"},
		{"run, before and after", busy, "/runs/1270", nil, 200, "#changes tr:nth-child(1) del", "da Rua"},
		{"run, notes", busy, "/runs/1270", nil, 200, "#notes", "What it counted"},
		{"run, known notes are translated, others shown", busy, "/runs/1270", pt, 200, "table:contains('something') tbody th", "textos reescritos por uma regrasomething newreescritas recusadas: o título ficaria vazio"},
		{"run, the error in full", busy, "/runs/1275", nil, 200, "h2#err", "Error"},
		{"run, same cause", busy, "/runs/1275", nil, 200, "a[href^='/runs?fingerprint=']", "Runs with the same cause"},
		{"run, dry", busy, "/runs/1278", nil, 200, ".outcome", "Succeeded dry run"},
		{"run, the part", busy, "/runs/1280", part, 200, "h1", "Run 1,280"},
		{"run unknown", busy, "/runs/9", nil, 404, "h1", "There is nothing here"},
		{"run that is no number", busy, "/runs/x", nil, 404, "h1", "There is nothing here"},
		{"no such page", busy, "/nothing", pt, 404, "h1", "Não há nada aqui"},
		{"no such file", busy, "/static/nothing.css", nil, 404, "h1", "There is nothing here"},
		{"no such report", busy, "/imports/x", nil, 404, ".slip", "The address leads to no worker, no run and no page. The report is not kept any more."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := ask(t, serve(tt.fake()), asked{path: tt.path, header: tt.header})
			if a.StatusCode != tt.status {
				t.Errorf("status %d, want %d", a.StatusCode, tt.status)
			}
			if got := a.words(t, tt.selector); got != tt.want {
				t.Errorf("%s says %q, want %q", tt.selector, got, tt.want)
			}
			if got, want := a.Header.Get("Vary"), "Accept, HX-Request, Accept-Language, Cookie"; got != want {
				t.Errorf("Vary is %q, want %q", got, want)
			}
		})
	}
}

// TestPolls holds polling to pages that have something to wait for.
func TestPolls(t *testing.T) {
	t.Parallel()
	cancelling := busy()
	stopping := *cancelling.states[2].ActiveRun
	stopping.CancelRequestedAt, stopping.CancelRequestedBy = new(noon), new("panel 127.0.0.1")
	cancelling.states[2].ActiveRun, cancelling.runs[1] = &stopping, stopping
	for _, tt := range []struct {
		name string
		fake *fake
		path string
		want int
	}{
		{"workers, busy", busy(), "/workers", 1},
		{"workers, idle", &fake{states: idle()}, "/workers", 0},
		{"worker, running", busy(), "/workers/ner", 1},
		{"worker, idle", busy(), "/workers/transfer", 0},
		{"runs, one active", busy(), "/runs", 1},
		{"runs, none active", busy(), "/runs?status=SUCCESS", 0},
		{"run, queued", busy(), "/runs/1281", 1},
		{"run, stopping", cancelling, "/runs/1280", 1},
		{"run, over", busy(), "/runs/1263", 0},
		{"first start", &fake{states: idle(), empty: true}, "/workers", 0},
		{"no such page", busy(), "/nothing", 0},
	} {
		for _, header := range []map[string]string{nil, part} {
			doc := ask(t, serve(tt.fake), asked{path: tt.path, header: header}).page(t)
			if got := doc.Find("[data-poll][hx-trigger][hx-get]").Length(); got != tt.want {
				t.Errorf("%s: %d polls, want %d", tt.name, got, tt.want)
			}
			if got := doc.Find("[hx-trigger]").Length(); got != tt.want {
				t.Errorf("%s: %d triggers, want %d", tt.name, got, tt.want)
			}
		}
	}
	a := get(t, cancelling, "/runs/1280")
	if got, want := a.words(t, ".outcome"), "Stopping"; got != want {
		t.Errorf("the outcome says %q, want %q", got, want)
	}
	if got, want := a.words(t, ".head button[disabled]"), "Stopping"; got != want {
		t.Errorf("the button says %q, want %q", got, want)
	}
}

// TestUnavailable shows a page that tries again, to people, and nothing of the inside.
func TestUnavailable(t *testing.T) {
	t.Parallel()
	f := busy()
	f.err = &worker.Error{Kind: worker.Unavailable, Msg: "The database does not answer.", Err: errSecret}
	for _, path := range []string{"/workers", "/workers/ner", "/workers/ner/force", "/runs", "/runs/1263"} {
		a := get(t, f, path)
		if a.StatusCode != http.StatusServiceUnavailable || a.Header.Get("Refresh") != "5" || a.Header.Get("Retry-After") != "5" {
			t.Errorf("%s: status %d, Refresh %q, Retry-After %q", path, a.StatusCode, a.Header.Get("Refresh"), a.Header.Get("Retry-After"))
		}
		if got, want := a.words(t, "h1"), "The database does not answer"; got != want {
			t.Errorf("%s says %q, want %q", path, got, want)
		}
		if strings.Contains(a.text, "secret") {
			t.Errorf("%s shows the inside", path)
		}
		if part := ask(t, serve(f), asked{path: path, header: part}); part.Header.Get("Refresh") != "" || part.Header.Get("HX-Retarget") != "#flash" {
			t.Errorf("%s as a part: Refresh %q, HX-Retarget %q", path, part.Header.Get("Refresh"), part.Header.Get("HX-Retarget"))
		}
	}
}

// TestLongLists goes on through lists that are longer than a page.
func TestLongLists(t *testing.T) {
	t.Parallel()
	f := busy()
	f.failures, f.changes = nil, nil
	for i := range int64(120) {
		f.failures = append(f.failures, worker.UnitFailure{Unit: i + 1, Name: "u", Error: "e"})
		f.changes = append(f.changes, worker.Change{ID: i + 1, UnitID: i + 1, Field: "original_title", After: new("x")})
	}
	a := get(t, f, "/runs/1263").page(t)
	if got := a.Find("#failed tbody tr").Length(); got != 50 {
		t.Errorf("%d failed units on the page, want 50", got)
	}
	if got, _ := a.Find("#failed a[rel=next]").Attr("href"); got != "/runs/1263?after=50#failed" {
		t.Errorf("the next page of failures is %q", got)
	}
	if got, _ := a.Find("#changes a[rel=next]").Attr("href"); got != "/runs/1263?changes=50#changes" {
		t.Errorf("the next page of changes is %q", got)
	}
	last := get(t, f, "/runs/1263?after=100").page(t)
	if got := last.Find("#failed tbody tr").Length(); got != 20 || last.Find("#failed a[rel=next]").Length() != 0 {
		t.Errorf("%d failed units on the last page, want 20 and no next one", got)
	}
}

func TestTimesAreInTheServersZone(t *testing.T) {
	t.Parallel()
	doc := get(t, busy(), "/runs/1263").page(t)
	at := doc.Find(".line time").First()
	if got, _ := at.Attr("datetime"); !strings.HasPrefix(got, "2026-10-12T11:02:11") || !strings.HasSuffix(got, "-03:00") {
		t.Errorf("datetime is %q", got)
	}
	if _, err := time.Parse(time.RFC3339, at.AttrOr("datetime", "")); err != nil {
		t.Error(err)
	}
	if got := strings.TrimSpace(doc.Find(".foot").Text()); !strings.Contains(got, "Times in America/Sao_Paulo") {
		t.Errorf("the foot says %q", got)
	}
}
