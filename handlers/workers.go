package handlers

import (
	"net/http"
	"time"

	"scrinalia/views"
	"scrinalia/worker"

	"github.com/labstack/echo/v4"
)

type workersAnswer struct {
	GeneratedAt time.Time      `json:"generated_at"`
	Workers     []worker.State `json:"workers"`
}

// listWorkers shows every worker, or the first-start page when there is nothing to work on yet.
func (h *handlers) listWorkers(c echo.Context) error {
	ctx := c.Request().Context()
	states, err := h.panel.Overview(ctx)
	if err != nil {
		return err
	}
	if wantsJSON(c.Request()) {
		return answerJSON(c, http.StatusOK, workersAnswer{h.now().UTC(), states})
	}
	page := h.workersPage(c, states)
	if page.Pipeline, err = h.ledger.ActivePipeline(ctx); err != nil {
		return err
	}
	if wantsPart(c.Request()) || page.Polls() {
		return render(c, http.StatusOK, views.Workers(page), views.WorkersPart(page))
	}
	filled, err := h.ledger.HasRecords(ctx)
	if err != nil {
		return err
	}
	page.Empty = !filled
	if page.Empty && c.QueryParam("table") == "" {
		return h.firstStart(c, http.StatusOK, "", false)
	}
	return render(c, http.StatusOK, views.Workers(page), views.WorkersPart(page))
}

func (h *handlers) workersPage(c echo.Context, states []worker.State) views.WorkersPage {
	page := views.WorkersPage{Frame: h.frame(c, views.PlaceWorkers), Rows: make([]views.WorkerRow, len(states))}
	for i, s := range states {
		page.Rows[i] = h.row(page.Frame, s)
	}
	return page
}

// row joins a worker's state with its declaration. A state without one, of a worker that was dropped, still shows.
func (h *handlers) row(f views.Frame, s worker.State) views.WorkerRow {
	def, err := h.catalogue.Lookup(s.Name)
	if err != nil {
		def = worker.Definition{Spec: worker.Spec{Name: s.Name, Label: s.Label}}
	}
	return views.WorkerRow{Frame: f, State: s, Def: def}
}

func (h *handlers) firstStart(c echo.Context, status int, trouble string, filled bool) error {
	page := views.Empty(views.EmptyPage{Frame: h.frame(c, views.PlaceWorkers), Workers: len(h.catalogue.Names()), Problem: trouble, Filled: filled})
	return render(c, status, page, page)
}
