package handlers_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"scrinalia/archive"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"
)

// TestReviewsPage opens on the first kind of which something waits, and says so where nothing does.
func TestReviewsPage(t *testing.T) {
	t.Parallel()
	f := &fake{}
	a := get(t, f, "/reviews")
	if a.StatusCode != http.StatusOK || a.page(t).Find(".review").Length() != 3 || a.words(t, ".tabs [aria-current]") != "Names 3" {
		t.Errorf("%d %s", a.StatusCode, a.words(t, ".tabs"))
	}
	if got := a.words(t, "#review-1 .what > .sub"); !strings.Contains(got, "The judge would keep the named entity, 0.60 sure: the name of a river") {
		t.Errorf("%q", got)
	}
	if got := a.words(t, "#review-1 .sides > div:last-child"); got != "placeRio Jaguariin more than 100 descriptions: “Carta ao prefeito”" {
		t.Errorf("%q", got)
	}
	for kind, want := range map[string]int{"subject": 2, "ANOMALY": 2, "decided": 0} {
		if n := get(t, f, "/reviews?kind="+kind).page(t).Find(".review").Length(); n != want {
			t.Errorf("%s: %d reviews", kind, n)
		}
	}
	for _, after := range []string{"x", "-1", "99999999999999999999"} {
		if a := get(t, f, "/reviews?kind=CONFLICT&after="+after); a.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("after=%s: %d, not 422", after, a.StatusCode)
		}
	}
	if a := get(t, f, "/reviews?kind=pairs"); a.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("no such kind: %d", a.StatusCode)
	}
	f.nothingToDo = true
	if a := get(t, f, "/reviews"); a.words(t, ".none") != "No tag and entity wait to be told apart." {
		t.Errorf("%q", a.words(t, ".none"))
	}
}

// TestReviewsAreDecided by forms: the page says what was decided, and takes it back.
func TestReviewsAreDecided(t *testing.T) {
	t.Parallel()
	f := &fake{}
	post := func(path, body string) answered {
		return ask(t, serve(f), asked{method: "POST", path: path, body: body})
	}
	for path, body := range map[string]string{
		"/reviews/CONFLICT/1": "verdict=ENTITY", "/reviews/SUBJECT/11": "verdict=CATEGORY:2&category=3", "/reviews/SUBJECT/12": "verdict=CATEGORY&category=3", "/reviews/ANOMALY/101": "verdict=ACCEPT",
	} {
		if a := post(path, body); a.StatusCode != http.StatusSeeOther {
			t.Errorf("%s: %d", path, a.StatusCode)
		}
	}
	got := map[int64]archive.Judgement{}
	for _, j := range f.judged {
		got[j.judgement.ID] = j.judgement
		if j.by.Person != "panel 192.0.2.7" {
			t.Errorf("by %+v", j.by)
		}
	}
	want := map[int64]archive.Judgement{
		1: {Kind: archive.Conflict, ID: 1, Verdict: archive.KeepEntity}, 11: {Kind: archive.Subject, ID: 11, Verdict: archive.File, Category: 2},
		12: {Kind: archive.Subject, ID: 12, Verdict: archive.File, Category: 3}, 101: {Kind: archive.Anomaly, ID: 101, Verdict: archive.Accept},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	back := post("/reviews/CONFLICT/2", "verdict=DISMISSED&after=1").Header.Get("Location")
	if back != "/reviews?after=1&done=2&kind=CONFLICT" {
		t.Errorf("leads to %s", back)
	}
	page := get(t, f, back)
	if got := page.words(t, ".slip p"); got != "companhia mogiana de estradas de ferro / Companhia Mogiana: both stay." {
		t.Errorf("%q", got)
	}
	if a := post("/reviews/undo/2", "back=CONFLICT"); a.StatusCode != http.StatusSeeOther || a.Header.Get("Location") != "/reviews?kind=CONFLICT" || len(f.judged) != 4 {
		t.Errorf("undo: %d %s", a.StatusCode, a.Header.Get("Location"))
	}
	for path, want := range map[string]int{
		"/reviews/CONFLICT/1": 409, "/reviews/CONFLICT/x": 404, "/reviews/PAIR/1": 404, "/reviews/undo/77": 404, "/reviews/undo/x": 404,
	} {
		if a := post(path, "verdict=TAG"); a.StatusCode != want {
			t.Errorf("%s: %d, want %d", path, a.StatusCode, want)
		}
	}
	if a := post("/reviews/SUBJECT/11", "verdict=TAG"); a.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("a verdict of another kind: %d", a.StatusCode)
	}
	if n := get(t, f, "/reviews?kind=DECIDED").page(t).Find("tbody tr").Length(); n != 4 {
		t.Errorf("%d decisions are shown", n)
	}
}

// TestReviewsJSON is the same for scripts.
func TestReviewsJSON(t *testing.T) {
	t.Parallel()
	f := &fake{}
	var list struct {
		Kind    string
		Counts  map[string]archive.Count
		Reviews []archive.Review
	}
	if err := json.Unmarshal([]byte(ask(t, serve(f), asJSON(asked{path: "/reviews?kind=SUBJECT"})).text), &list); err != nil || list.Kind != "SUBJECT" || len(list.Reviews) != 2 || list.Counts["CONFLICT"].N != 3 {
		t.Errorf("%+v %v", list, err)
	}
	a := ask(t, serve(f), asJSON(asked{method: "POST", path: "/reviews/SUBJECT/11", body: `{"verdict":"CATEGORY","category":2}`, header: map[string]string{"Content-Type": "application/json"}}))
	var done archive.Review
	if err := json.Unmarshal([]byte(a.text), &done); err != nil || a.StatusCode != http.StatusOK || done.Verdict != archive.File || done.DecidedBy != "API 192.0.2.7" {
		t.Errorf("%d %s", a.StatusCode, a.text)
	}
	if a := ask(t, serve(f), asJSON(asked{method: "POST", path: "/reviews/undo/11"})); a.StatusCode != http.StatusNoContent || len(f.judged) != 0 {
		t.Errorf("undo: %d", a.StatusCode)
	}
}

// TestAlikeReviews are counted and named before they are decided; when there are more by then, nothing is.
func TestAlikeReviews(t *testing.T) {
	t.Parallel()
	f := &fake{}
	a := get(t, f, "/reviews/alike?kind=CONFLICT")
	if got := a.words(t, "h1"); got != "2 pairs of a subject and an entity bear the very same name" {
		t.Errorf("%q", got)
	}
	if a := ask(t, serve(f), asked{method: "POST", path: "/reviews/alike", body: "kind=CONFLICT&verdict=TAG&n=1"}); a.StatusCode != http.StatusConflict || len(f.judged) != 0 {
		t.Errorf("more by now: %d", a.StatusCode)
	}
	done := ask(t, serve(f), asked{method: "POST", path: "/reviews/alike", body: "kind=CONFLICT&verdict=TAG&n=2"})
	if done.Header.Get("Location") != "/reviews?kind=CONFLICT&many=2" || len(f.judged) != 2 {
		t.Errorf("%d %s %d", done.StatusCode, done.Header.Get("Location"), len(f.judged))
	}
	if got := get(t, f, done.Header.Get("Location")).words(t, ".slip p"); got != "2 reviews were decided." {
		t.Errorf("%q", got)
	}
	if a := get(t, f, "/reviews/alike?kind=SUBJECT"); a.StatusCode != http.StatusNotFound {
		t.Errorf("subjects: %d", a.StatusCode)
	}
}

// decidesByKeys goes through the list and decides with single keys, in place.
func decidesByKeys(t *testing.T, ctx context.Context) {
	f := &fake{}
	run(t, ctx, chromedp.Navigate(site(t, f)+"/reviews?kind=CONFLICT"), until(`document.readyState === 'complete' && !!window.htmx && document.querySelector('#review-1.now') !== null`),
		chromedp.KeyEvent("j"), until(`document.activeElement.id === 'review-2'`),
		chromedp.KeyEvent("d"), until(`document.querySelectorAll('.review').length === 2 && document.activeElement.id === 'review-3'`),
		chromedp.KeyEvent("k"), until(`document.activeElement.id === 'review-1'`),
		chromedp.KeyEvent("e"), until(`document.querySelectorAll('.review').length === 1 && document.activeElement.id === 'review-3'`),
		chromedp.KeyEvent("u"), until(`document.querySelectorAll('.review').length === 2 && document.getElementById('announce').textContent !== ''`),
	)
	f.set(func(f *fake) {
		want := []archive.Judgement{{Kind: archive.Conflict, ID: 2, Verdict: archive.Dismiss}}
		var got []archive.Judgement
		for _, j := range f.judged {
			got = append(got, j.judgement)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	})
}
