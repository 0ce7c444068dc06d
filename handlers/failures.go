package handlers

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"scrinalia/views"
	"scrinalia/worker"

	"github.com/labstack/echo/v4"
)

type failuresAnswer struct {
	GeneratedAt time.Time        `json:"generated_at"`
	Days        int              `json:"days"`
	Failures    []worker.Failure `json:"failures"`
	More        bool             `json:"more"`
}

// listFailures shows what failed, by cause.
func (h *handlers) listFailures(c echo.Context) error {
	filter, err := h.failureFilter(c.QueryParam("days"), c.QueryParam("worker"))
	if err != nil {
		return err
	}
	now := h.now()
	list, err := h.failures.Failures(c.Request().Context(), filter, now)
	if err != nil {
		return err
	}
	if wantsJSON(c.Request()) {
		return answerJSON(c, http.StatusOK, failuresAnswer{now, filter.Days, orEmpty(list.Failures), list.More})
	}
	page := views.FailuresPage{Frame: h.frame(c, views.PlaceFailures), Filter: filter, Failures: list.Failures, More: list.More, Workers: h.neighbours()}
	return render(c, http.StatusOK, views.Failures(page), views.FailuresPart(page))
}

func (h *handlers) failureFilter(days, name string) (worker.FailureFilter, error) {
	f := worker.FailureFilter{Days: worker.FailureDays, Worker: name}
	wrong := map[string]string{}
	if days != "" {
		n, err := strconv.Atoi(days)
		if err != nil || n < 1 || n > worker.MaxFailureDays {
			wrong["days"] = "days takes 1 to " + strconv.Itoa(worker.MaxFailureDays)
		}
		f.Days = n
	}
	if name != "" {
		if _, err := h.catalogue.Lookup(name); err != nil {
			wrong["worker"] = "worker takes one of " + strings.Join(h.catalogue.Names(), ", ")
		}
	}
	if len(wrong) > 0 {
		return f, &worker.Error{Kind: worker.Invalid, Msg: "The filter was refused.", Fields: wrong}
	}
	return f, nil
}

// acknowledgement is the JSON body, or the form, that acknowledges a cause.
type acknowledgement struct {
	Kind        worker.FailureKind `json:"kind"`
	Fingerprint string             `json:"fingerprint"`
	SeenAt      time.Time          `json:"seen_at"`
	Note        string             `json:"note"`
}

// acknowledgeFailure notes that a person knows of a cause, up to the moment that the person saw.
func (h *handlers) acknowledgeFailure(c echo.Context) error {
	said, err := readAcknowledgement(c)
	if err != nil {
		return err
	}
	if !said.Kind.Known() {
		return &worker.Error{Kind: worker.Invalid, Msg: "The acknowledgement was refused.", Fields: map[string]string{"kind": "kind takes RUN, UNIT or REQUEST"}}
	}
	by := actor(c)
	done, err := h.failures.AcknowledgeFailure(c.Request().Context(), worker.Acknowledging{
		Kind: said.Kind, Fingerprint: said.Fingerprint, SeenAt: said.SeenAt, Note: strings.TrimSpace(said.Note), By: by.Person, Channel: by.Channel,
	})
	if err != nil {
		return err
	}
	if wantsJSON(c.Request()) || sentJSON(c.Request()) {
		return answerJSON(c, http.StatusCreated, done)
	}
	filter, err := h.failureFilter(c.FormValue("days"), c.FormValue("worker"))
	if err != nil {
		return err
	}
	return seeOther(c, views.FailuresPath(filter))
}

func readAcknowledgement(c echo.Context) (acknowledgement, error) {
	var a acknowledgement
	if sentJSON(c.Request()) {
		raw, err := io.ReadAll(c.Request().Body)
		if err != nil {
			return a, err
		}
		if err := json.Unmarshal(raw, &a); err != nil {
			return a, echo.NewHTTPError(http.StatusBadRequest, "The body is no JSON object with kind, fingerprint, seen_at and note.").SetInternal(err)
		}
		return a, nil
	}
	a.Kind, a.Fingerprint, a.Note = worker.FailureKind(c.FormValue("kind")), c.FormValue("fingerprint"), c.FormValue("note")
	if text := c.FormValue("seen_at"); text != "" {
		seen, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			return a, &worker.Error{Kind: worker.Invalid, Msg: "The acknowledgement was refused.", Fields: map[string]string{"seen_at": "seen_at takes a moment such as 2026-10-15T17:32:12Z"}}
		}
		a.SeenAt = seen
	}
	return a, nil
}

// keepError hands an unexpected error to the page of failures.
func (h *handlers) keepError(err error, p problem, c echo.Context) {
	if h.errors == nil || p.Status != http.StatusInternalServerError {
		return
	}
	e := worker.ServerError{At: h.now(), Route: c.Request().Method + " " + c.Path(), RequestID: requestID(c), Message: err.Error()}
	if d, lookup := h.catalogue.Lookup(c.Param("name")); lookup == nil {
		e.Worker = d.Name
	}
	h.errors.Record(e)
}
