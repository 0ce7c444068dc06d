package handlers

import (
	"context"
	"net/http"
	"strconv"

	"scrinalia/views"
	"scrinalia/worker"

	"github.com/labstack/echo/v4"
)

const listLength = 50

type runAnswer struct {
	worker.Run
	Failures []worker.UnitFailure `json:"failures"`
	Changes  []worker.Change      `json:"changes"`
	Previous *previousRun         `json:"previous"` // nil for the first run of the worker
}

// previousRun is the run of the same worker before, and in which settings this one differs from it.
type previousRun struct {
	ID          int64               `json:"id"`
	Differences []worker.Difference `json:"differences"`
}

// showRun shows one run with its failed units and what it changed.
func (h *handlers) showRun(c echo.Context) error {
	id, err := runID(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	run, err := h.ledger.Run(ctx, id)
	if err != nil {
		return err
	}
	page := views.RunPage{Frame: h.frame(c, views.PlaceRuns), Run: run, Label: h.label(run.Worker)}
	page.Def, _ = h.catalogue.Lookup(run.Worker) // a run of a worker that was dropped still shows
	page.FailuresAfter, page.ChangesAfter = position(c, "after"), position(c, "changes")
	if err := h.fillRun(ctx, &page); err != nil {
		return err
	}
	if page.Previous, page.Following, err = h.ledger.Neighbours(ctx, run); err != nil {
		return err
	}
	if page.Previous > 0 {
		before, err := h.ledger.Run(ctx, page.Previous)
		if err != nil {
			return err
		}
		page.Before = &before.Config
	}
	if wantsJSON(c.Request()) {
		answer := runAnswer{Run: run, Failures: orEmpty(page.Failures), Changes: orEmpty(page.Changes)}
		if page.Before != nil {
			answer.Previous = &previousRun{page.Previous, orEmpty(page.Differences())}
		}
		return answerJSON(c, http.StatusOK, answer)
	}
	return render(c, http.StatusOK, views.Run(page), views.RunPart(page))
}

// fillRun reads the lists of a run, one entry more than is shown, to know whether they go on.
func (h *handlers) fillRun(ctx context.Context, p *views.RunPage) (err error) {
	if p.Run.Failed > 0 {
		if p.Failures, err = h.ledger.UnitFailures(ctx, p.Run, p.FailuresAfter, listLength+1); err != nil {
			return err
		}
		if len(p.Failures) > listLength {
			p.Failures = p.Failures[:listLength]
			p.MoreFailures = p.Failures[listLength-1].Unit
		}
	}
	if p.Run.StartedAt == nil {
		return nil
	}
	if p.Changes, err = h.ledger.Changes(ctx, p.Run.ID, p.ChangesAfter, listLength+1); err != nil {
		return err
	}
	if len(p.Changes) > listLength {
		p.Changes = p.Changes[:listLength]
		p.MoreChanges = p.Changes[listLength-1].ID
	}
	return nil
}

func runID(c echo.Context) (int64, error) {
	id, err := strconv.ParseInt(c.Param("id"), 10, 64)
	if err != nil || id < 1 {
		return 0, worker.Errorf(worker.NotFound, "There is no run %q.", cleanName(c.Param("id")))
	}
	return id, nil
}

// position is where a list goes on; anything else is its start.
func position(c echo.Context, name string) int64 {
	n, err := strconv.ParseInt(c.QueryParam(name), 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
