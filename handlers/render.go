package handlers

import (
	"encoding/json"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"scrinalia/views"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"
)

// render answers a browser with the page and htmx with the part. Nothing is sent before all of it is there, so that an
// error on the way can still become a page of its own.
func render(c echo.Context, status int, page, part templ.Component) error {
	h := c.Response().Header()
	vary(h)
	h.Set("Content-Language", string(language(c)))
	if wantsPart(c.Request()) {
		page = part
	}
	buf := templ.GetBuffer()
	defer templ.ReleaseBuffer(buf)
	if err := page.Render(c.Request().Context(), buf); err != nil {
		return err
	}
	return c.HTMLBlob(status, buf.Bytes())
}

func vary(h http.Header) { h.Set("Vary", "Accept, HX-Request, Accept-Language, Cookie") }

// answerJSON answers a script.
func answerJSON(c echo.Context, status int, v any) error {
	return answerAs(c, status, echo.MIMEApplicationJSON, v)
}

func answerAs(c echo.Context, status int, contentType string, v any) error {
	vary(c.Response().Header())
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return c.Blob(status, contentType, append(raw, '\n'))
}

// wantsPart says whether htmx asks for the part that it swaps.
func wantsPart(r *http.Request) bool {
	return r.Header.Get("HX-Request") == "true" && r.Header.Get("HX-Boosted") == "" && r.Header.Get("HX-History-Restore-Request") == ""
}

// wantsJSON says whether Accept asks for JSON, and for it at least as much as for HTML.
func wantsJSON(r *http.Request) bool {
	jsonQ, htmlQ := 0.0, 0.0
	for _, header := range r.Header.Values("Accept") {
		for part := range strings.SplitSeq(header, ",") {
			kind, params, err := mime.ParseMediaType(part)
			if err != nil {
				continue
			}
			q := 1.0
			if f, err := strconv.ParseFloat(params["q"], 64); err == nil {
				q = f
			}
			switch kind {
			case echo.MIMEApplicationJSON, problemType:
				jsonQ = max(jsonQ, q)
			case echo.MIMETextHTML:
				htmlQ = max(htmlQ, q)
			}
		}
	}
	return jsonQ > 0 && jsonQ >= htmlQ
}

// sentJSON says whether the body is JSON.
func sentJSON(r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == echo.MIMEApplicationJSON
}

func language(c echo.Context) views.Language {
	l, _ := c.Get(keyLanguage).(views.Language)
	return l
}

// frame is what each page has beside its own values.
func (h *handlers) frame(c echo.Context, place views.Place) views.Frame {
	path := views.WorkersPath()
	if r := c.Request(); r.Method == http.MethodGet || r.Method == http.MethodHead {
		u := *r.URL
		q := u.Query()
		q.Del("lang")
		u.RawQuery = q.Encode()
		path = u.RequestURI()
	}
	lang := language(c)
	if !lang.Known() {
		lang = h.language
	}
	return views.Frame{
		Lang: lang, Now: h.now(), Zone: h.zone, Version: h.version, Environment: h.environment,
		Path: path, Assets: h.assets, Place: place, RequestID: requestID(c),
		Abandoned: h.abandoned.look(c.Request().Context(), h.now, h.ledger.Abandoned),
	}
}

// seeOther is the answer to a form that changed something.
func seeOther(c echo.Context, path string) error { return c.Redirect(http.StatusSeeOther, path) }
