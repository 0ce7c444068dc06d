package handlers

import (
	"net/http"
	"strings"

	"scrinalia/views"
	"scrinalia/worker"

	"github.com/labstack/echo/v4"
)

const maxPage = 200

type runsAnswer struct {
	Runs  []worker.Run `json:"runs"`
	Older *string      `json:"older"`
	Newer *string      `json:"newer"`
}

// listRuns shows a page of the ledger.
func (h *handlers) listRuns(c echo.Context) error {
	filter, err := h.readFilter(c)
	if err != nil {
		return err
	}
	runs, err := h.ledger.Runs(c.Request().Context(), filter)
	if err != nil {
		return err
	}
	page := views.RunsPage{
		Frame: h.frame(c, views.PlaceRuns), Filter: filter, Runs: runs.Runs, Older: runs.Older, Newer: runs.Newer,
		Workers: h.neighbours(), Labels: map[string]string{},
	}
	for _, w := range page.Workers {
		page.Labels[w.Name] = w.Label
	}
	if wantsJSON(c.Request()) {
		return answerJSON(c, http.StatusOK, runsJSON(page))
	}
	return render(c, http.StatusOK, views.Runs(page), views.RunsPart(page))
}

func runsJSON(p views.RunsPage) runsAnswer {
	a := runsAnswer{Runs: p.Runs}
	if a.Runs == nil {
		a.Runs = []worker.Run{}
	}
	link := func(there int64, f worker.RunFilter) *string {
		if there == 0 {
			return nil
		}
		path := views.RunsPath(f)
		return &path
	}
	a.Older, a.Newer = link(p.Older, p.ToOlder()), link(p.Newer, p.ToNewer())
	return a
}

// readFilter reads the filters from the address, and says what each would accept.
func (h *handlers) readFilter(c echo.Context) (worker.RunFilter, error) {
	wrong := map[string]string{}
	f := worker.RunFilter{
		Worker: c.QueryParam("worker"), Status: worker.Status(strings.ToUpper(c.QueryParam("status"))), Fingerprint: c.QueryParam("fingerprint"),
		Before: wholeNumber(c, "before", 0, wrong), After: wholeNumber(c, "after", 0, wrong), Limit: int(wholeNumber(c, "limit", maxPage, wrong)),
	}
	if f.Worker != "" {
		if _, err := h.catalogue.Lookup(f.Worker); err != nil {
			wrong["worker"] = "worker takes one of " + strings.Join(h.catalogue.Names(), ", ")
		}
	}
	if f.Status != "" && !f.Status.Known() {
		names := make([]string, len(worker.Statuses))
		for i, s := range worker.Statuses {
			names[i] = string(s)
		}
		wrong["status"] = "status takes one of " + strings.Join(names, ", ")
	}
	if len(wrong) > 0 {
		return f, &worker.Error{Kind: worker.Invalid, Msg: "The filter was refused.", Fields: wrong}
	}
	return f, nil
}
