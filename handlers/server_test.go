package handlers_test

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"scrinalia/handlers"

	"github.com/PuerkitoBio/goquery"
)

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func serve(f *fake) http.Handler {
	return handlers.New(handlers.Options{
		Catalogue: catalogue(), Panel: f, Ledger: f, Settings: f, Archive: f, Reviews: f, Importer: f, Search: f, Thumbnails: thumbnailed{}, Objects: thumbnailed{}, Failures: f, Errors: f, Version: "1.4.0", Environment: "production",
		Location: saoPaulo, ReportsDir: f.dir, Now: func() time.Time { return noon },
	})
}

// asked is a request of a test; answered is what came back.
type asked struct {
	method, path, body string
	host               string // localhost when empty
	header             map[string]string
}

type answered struct {
	*http.Response
	text string
}

func (a answered) page(t *testing.T) *goquery.Document {
	t.Helper()
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(a.text))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func (a answered) words(t *testing.T, selector string) string {
	t.Helper()
	return strings.Join(strings.Fields(a.page(t).Find(selector).Text()), " ")
}

func ask(t *testing.T, h http.Handler, q asked) answered {
	t.Helper()
	return askWith(t.Context(), t, h, q)
}

func askWith(ctx context.Context, t *testing.T, h http.Handler, q asked) answered {
	t.Helper()
	if q.method == "" {
		q.method = http.MethodGet
	}
	r := httptest.NewRequestWithContext(ctx, q.method, q.path, strings.NewReader(q.body))
	r.RemoteAddr = "192.0.2.7:4711"
	r.Host = cmp.Or(q.host, "localhost")
	if q.method == http.MethodPost && q.body != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for k, v := range q.header {
		r.Header.Set(k, v)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	res := w.Result()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	return answered{res, string(raw)}
}

func get(t *testing.T, f *fake, path string) answered {
	t.Helper()
	return ask(t, serve(f), asked{path: path})
}

func asJSON(q asked) asked {
	if q.header == nil {
		q.header = map[string]string{}
	}
	q.header["Accept"] = "application/json"
	return q
}

var (
	part = map[string]string{"HX-Request": "true"}
	pt   = map[string]string{"Accept-Language": "pt-BR,pt;q=0.9,en;q=0.5"}
)
