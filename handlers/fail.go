package handlers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"

	"scrinalia/archive"
	"scrinalia/curation"
	"scrinalia/views"
	"scrinalia/worker"

	"github.com/labstack/echo/v4"
)

// problemType is the media type of errors in JSON (RFC 9457).
const problemType = "application/problem+json"

// problem is an error in JSON.
type problem struct {
	Type      string            `json:"type"`
	Title     string            `json:"title"`
	Status    int               `json:"status"`
	Detail    string            `json:"detail,omitempty"`
	Fields    map[string]string `json:"fields,omitempty"`
	Run       *worker.Run       `json:"run,omitempty"`
	Pipeline  *worker.Pipeline  `json:"pipeline,omitempty"`
	Changed   []string          `json:"changed,omitempty"`  // the fields that are no longer as they were seen
	Document  *archive.Document `json:"document,omitempty"` // as it is now
	Revision  *worker.Revision  `json:"revision,omitempty"` // of the settings in force, when somebody else saved them meanwhile
	Entry     *curation.Entry   `json:"entry,omitempty"`    // as it is now
	RequestID string            `json:"request_id,omitempty"`
}

var statuses = map[worker.Kind]int{
	worker.NotFound:    http.StatusNotFound,
	worker.Invalid:     http.StatusUnprocessableEntity,
	worker.Conflict:    http.StatusConflict,
	worker.Unavailable: http.StatusServiceUnavailable,
}

// keys are the texts of a page about each status.
var keys = map[int]string{
	http.StatusNotFound:              "notfound",
	http.StatusMethodNotAllowed:      "method",
	http.StatusConflict:              "conflict",
	http.StatusUnprocessableEntity:   "refused",
	http.StatusServiceUnavailable:    "unavailable",
	http.StatusForbidden:             "forbidden",
	http.StatusMisdirectedRequest:    "misdirected",
	http.StatusRequestEntityTooLarge: "toolarge",
	http.StatusBadRequest:            "malformed",
}

const defaultDetail = "The program could not answer. The log has the details under this request id."

// fail is where every error ends: the only place that knows status codes, and that logs a request that failed.
func (h *handlers) fail(err error, c echo.Context) {
	r := c.Request()
	if c.Response().Committed || errors.Is(r.Context().Err(), context.Canceled) {
		h.log.DebugContext(r.Context(), "answer cut short", "err", err, "path", r.URL.Path)
		return
	}
	p := h.classify(err, c)
	h.logFailure(err, p, c)
	h.keepError(err, p, c)
	if p.Status == http.StatusServiceUnavailable {
		c.Response().Header().Set("Retry-After", "5")
	}
	if wantsJSON(r) || sentJSON(r) && !wantsPart(r) {
		if err := answerAs(c, p.Status, problemType, p); err != nil {
			h.log.ErrorContext(r.Context(), "problem not sent", "err", err)
		}
		return
	}
	h.failPage(p, c)
}

// classify turns an error into what may be said about it.
func (h *handlers) classify(err error, c echo.Context) problem {
	p := problem{Type: "about:blank", Status: http.StatusInternalServerError, Detail: defaultDetail}
	if e, ok := errors.AsType[*worker.InFlightError](err); ok {
		p.Status, p.Detail, p.Run = http.StatusConflict, e.Error(), &e.Run
	} else if e, ok := errors.AsType[*worker.PipelineError](err); ok {
		p.Status, p.Detail, p.Pipeline = http.StatusConflict, e.Error(), &e.Pipeline
	} else if e, ok := errors.AsType[*archive.ChangedError](err); ok {
		p.Status, p.Detail, p.Changed, p.Document = http.StatusConflict, e.Error(), e.Fields, &e.Now
	} else if e, ok := errors.AsType[*worker.SettingsChangedError](err); ok {
		p.Status, p.Detail, p.Revision = http.StatusConflict, e.Error(), &e.Current
	} else if e, ok := errors.AsType[*curation.ChangedError](err); ok {
		p.Status, p.Detail, p.Entry = http.StatusConflict, e.Error(), &e.Now
	} else if e, ok := errors.AsType[*worker.Error](err); ok && statuses[e.Kind] != 0 {
		p.Status, p.Detail, p.Fields = statuses[e.Kind], e.Msg, e.Fields
	} else if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		p.Status, p.Detail = http.StatusRequestEntityTooLarge, "A file may have 512 MB, any other request 1 MB."
	} else if errors.Is(err, errCrossOrigin) {
		p.Status, p.Detail = http.StatusForbidden, "Changes are only accepted from the pages of this program."
	} else if errors.Is(err, errHost) {
		p.Status = http.StatusMisdirectedRequest
		p.Detail = fmt.Sprintf("The panel does not answer to the name %q. If it is the panel's, put it into SCRINALIA_ALLOWED_HOSTS.", cleanName(c.Request().Host))
	} else if e, ok := errors.AsType[*echo.HTTPError](err); ok {
		p.Status, p.Detail = e.Code, ""
		if s, ok := e.Message.(string); ok && s != http.StatusText(e.Code) {
			p.Detail = s
		}
	}
	p.Title = http.StatusText(p.Status)
	if p.Status >= http.StatusInternalServerError {
		p.RequestID = requestID(c)
	}
	return p
}

func (h *handlers) logFailure(err error, p problem, c echo.Context) {
	r := c.Request()
	args := []any{"err", err, "status", p.Status, "method", r.Method, "route", c.Path()}
	level := slog.LevelDebug
	if p.Status >= http.StatusInternalServerError {
		level = slog.LevelError
	}
	if e, ok := errors.AsType[*panicError](err); ok {
		args = append(args, "stack", string(e.stack))
	}
	h.log.Log(r.Context(), level, "request failed", args...)
}

// failPage answers people: htmx with a notice, everybody else with a page.
func (h *handlers) failPage(p problem, c echo.Context) {
	page := views.ErrorPage{
		Frame: h.frame(c, ""), Status: p.Status, Key: keys[p.Status], Detail: p.Detail, InWay: p.Run, Pipeline: p.Pipeline, Back: back(c),
	}
	switch {
	case page.Key == "":
		page.Key, page.Detail = "internal", ""
	case p.Status == http.StatusMisdirectedRequest:
		page.Detail, page.Subject = "", cleanName(c.Request().Host)
	case p.Status == http.StatusServiceUnavailable || p.Status == http.StatusForbidden || p.Status == http.StatusRequestEntityTooLarge:
		page.Detail = "" // the page says it
	}
	if p.Run != nil {
		page.InLabel = h.label(p.Run.Worker)
	}
	def, lookupErr := h.catalogue.Lookup(c.Param("name"))
	for _, name := range slices.Sorted(maps.Keys(p.Fields)) {
		said := p.Fields[name]
		if lookupErr == nil {
			said = page.Refusal(def, name, said)
		}
		page.Fields, page.Detail = append(page.Fields, said), ""
	}
	hd := c.Response().Header()
	switch {
	case wantsPart(c.Request()):
		hd.Set("HX-Retarget", "#flash")
		hd.Set("HX-Reswap", "innerHTML")
	case p.Status == http.StatusServiceUnavailable && c.Request().Method == http.MethodGet:
		hd.Set("Refresh", "5")
	}
	if err := render(c, p.Status, views.Error(page), views.Flash(page)); err != nil {
		h.log.ErrorContext(c.Request().Context(), "error page not rendered", "err", err)
		_ = c.String(http.StatusInternalServerError, defaultDetail+"\n"+requestID(c)+"\n")
	}
}

// label is the name of a worker in English, as the catalogue has it.
func (h *handlers) label(name string) string {
	d, err := h.catalogue.Lookup(name)
	if err != nil {
		return name
	}
	return d.Label
}
