package handlers_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"scrinalia/worker"

	"github.com/PuerkitoBio/goquery"
)

func TestFailuresPage(t *testing.T) {
	t.Parallel()
	f := busy()
	a := get(t, f, "/failures?days=30")
	doc := a.page(t)
	if a.StatusCode != http.StatusOK || doc.Find("nav [aria-current=page]").Text() != "Failures" || f.failureFilters[0].Days != 30 {
		t.Fatalf("%d %v", a.StatusCode, f.failureFilters)
	}
	waiting := doc.Find("section[aria-labelledby=waiting] tbody tr")
	if waiting.Length() != 3 || doc.Find("section[aria-labelledby=known] tbody tr").Length() != 1 {
		t.Errorf("%d wait", waiting.Length())
	}
	first := waiting.First()
	ledger := first.Find(`a[href^="/runs?fingerprint="]`).AttrOr("href", "")
	if u, err := url.Parse(ledger); err != nil || u.Query().Get("fingerprint") != f.failed[0].Fingerprint {
		t.Errorf("the ledger is %s", ledger)
	}
	for _, want := range []string{"Failed run", "Ollama at 127.0.0.1:11434", "Named entities, Conflict judge", "1,240", "#1,275"} {
		if !strings.Contains(first.Text(), want) {
			t.Errorf("%q is missing in %s", want, first.Text())
		}
	}
	if strings.Contains(a.text, "<b>") && strings.Contains(a.text, "byte 1,204 <b>") {
		t.Error("a message is rendered raw")
	}
	if third := waiting.Eq(2).Text(); !strings.Contains(third, "1c7f7e2b8f0a4d31") || !strings.Contains(third, "GET /workers/:name") {
		t.Errorf("the server error: %s", third)
	}
	if known := a.words(t, "section[aria-labelledby=known]"); !strings.Contains(known, "Acknowledged by Rui Tavares") || !strings.Contains(known, "until Friday") {
		t.Errorf("the known one: %s", known)
	}
	if none := get(t, &fake{states: idle()}, "/failures").words(t, "#live .none"); none != "Nothing here asks for attention." {
		t.Errorf("without any: %q", none)
	}
}

func TestFailuresAsJSON(t *testing.T) {
	t.Parallel()
	h := serve(busy())
	a := ask(t, h, asJSON(asked{path: "/failures?worker=ner"}))
	var got struct {
		Days     int
		Failures []worker.Failure
	}
	if err := json.Unmarshal([]byte(a.text), &got); err != nil || got.Days != worker.FailureDays || len(got.Failures) != 4 || got.Failures[0].Counts.Month != 1240 {
		t.Errorf("%v %s", err, a.text)
	}
	for query, field := range map[string]string{"days=0": "days", "days=91": "days", "days=x": "days", "worker=nobody": "worker"} {
		a := ask(t, h, asJSON(asked{path: "/failures?" + query}))
		if a.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(a.text, `"`+field+`":"`+field+" takes") {
			t.Errorf("%s: %d %s", query, a.StatusCode, a.text)
		}
	}
}

func TestAcknowledgingFailures(t *testing.T) {
	t.Parallel()
	f := busy()
	h := serve(f)
	form := ask(t, h, asked{path: "/failures"}).page(t).Find("form[action='/failures/acknowledge']").First()
	values := url.Values{"note": {"Asked for a restart"}}
	form.Find("input[type=hidden]").Each(func(_ int, s *goquery.Selection) { values.Set(s.AttrOr("name", ""), s.AttrOr("value", "")) })
	a := ask(t, h, asked{method: "POST", path: form.AttrOr("action", ""), body: values.Encode()})
	if a.StatusCode != http.StatusSeeOther || a.Header.Get("Location") != "/failures" {
		t.Fatalf("%d %s", a.StatusCode, a.text)
	}
	if k := f.failed[0].Acknowledged; k == nil || k.By != "panel 192.0.2.7" || k.Note != "Asked for a restart" || !k.SeenAt.Equal(f.failed[0].LastAt) {
		t.Errorf("%+v", k)
	}
	body := func(kind, fingerprint string) string {
		return `{"kind":"` + kind + `","fingerprint":"` + fingerprint + `","seen_at":"2026-10-15T18:00:00Z","note":"known"}`
	}
	header := func() map[string]string { return map[string]string{"Content-Type": "application/json"} }
	for _, c := range []struct {
		body string
		want int
	}{
		{body("UNIT", "text is not valid utf-8 at byte <n>"), http.StatusCreated},
		{body("RUN", "never"), http.StatusNotFound},
		{body("SPOON", "never"), http.StatusUnprocessableEntity},
		{"[]", http.StatusBadRequest},
	} {
		if a := ask(t, h, asJSON(asked{method: "POST", path: "/failures/acknowledge", body: c.body, header: header()})); a.StatusCode != c.want {
			t.Errorf("%s: %d, want %d: %s", c.body, a.StatusCode, c.want, a.text)
		}
	}
	if a := ask(t, h, asked{method: "POST", path: "/failures/acknowledge", body: "kind=RUN&fingerprint=x&seen_at=noon"}); a.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("a moment that is none: %d", a.StatusCode)
	}
}

// TestUnexpectedErrorsAreKept with the request id that the answer has; refusals and a database that is away are not.
func TestUnexpectedErrorsAreKept(t *testing.T) {
	t.Parallel()
	f := busy()
	h := serve(f)
	f.err = worker.Errorf(worker.Unavailable, "The database does not answer.")
	ask(t, h, asked{path: "/workers/ner"})
	f.err = nil
	ask(t, h, asked{path: "/workers/nobody"})
	ask(t, h, asked{path: "/runs?status=odd"})
	if len(f.recorded) != 0 {
		t.Fatalf("%+v", f.recorded)
	}
	f.explode = true
	a := ask(t, h, asJSON(asked{path: "/workers"}))
	if len(f.recorded) != 1 {
		t.Fatalf("%d errors are kept", len(f.recorded))
	}
	if e := f.recorded[0]; e.RequestID != a.Header.Get("X-Request-Id") || !strings.Contains(a.text, e.RequestID) || e.Route != "GET /workers" || !strings.Contains(e.Message, "boom") {
		t.Errorf("%+v", e)
	}
}
