package handlers

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"scrinalia/views"
	"scrinalia/worker"

	"github.com/labstack/echo/v4"
)

const (
	recentRevisions = 5
	revisionsPage   = 20
)

// revisionAnswer is a revision with what it changed.
type revisionAnswer struct {
	worker.Revision

	Changes []worker.Difference `json:"changes"`
}

type revisionsAnswer struct {
	Revisions []revisionAnswer `json:"revisions"`
	Older     *string          `json:"older"`
}

// listRevisions shows a page of the changes to a worker's settings.
func (h *handlers) listRevisions(c echo.Context) error {
	def, err := h.catalogue.Lookup(c.Param("name"))
	if err != nil {
		return err
	}
	filter := worker.RevisionFilter{Worker: def.Name, Field: c.QueryParam("field"), By: c.QueryParam("by"), Limit: revisionsPage}
	wrong := map[string]string{}
	filter.Before = wholeNumber(c, "before", 0, wrong)
	if n := wholeNumber(c, "limit", maxPage, wrong); n > 0 {
		filter.Limit = int(n)
	}
	if len(wrong) > 0 {
		return &worker.Error{Kind: worker.Invalid, Msg: "The filter was refused.", Fields: wrong}
	}
	ctx := c.Request().Context()
	found, err := h.settings.Revisions(ctx, filter)
	if err != nil {
		return err
	}
	if wantsJSON(c.Request()) {
		return answerJSON(c, http.StatusOK, revisionsJSON(filter, found))
	}
	state, err := h.panel.State(ctx, def.Name)
	if err != nil {
		return err
	}
	current, err := h.settings.Override(ctx, def.Name)
	if err != nil {
		return err
	}
	editors, err := h.settings.Editors(ctx, def.Name)
	if err != nil {
		return err
	}
	page := views.HistoryPage{
		WorkerRow: h.row(h.frame(c, views.PlaceWorkers), state), Filter: filter, Rows: found.Revisions, Older: found.Older, Current: current.Version, Editors: editors,
	}
	return render(c, http.StatusOK, views.History(page), views.History(page))
}

func revisionsJSON(f worker.RevisionFilter, found worker.RevisionPage) revisionsAnswer {
	a := revisionsAnswer{Revisions: []revisionAnswer{}}
	for _, r := range found.Revisions {
		a.Revisions = append(a.Revisions, revisionAnswer{r, orEmpty(r.Changes())})
	}
	if found.Older > 0 {
		f.Before = found.Older
		path := views.HistoryPath(f)
		a.Older = &path
	}
	return a
}

// wholeNumber reads a number of the query; 0 when there is none. What is wrong with it goes into wrong.
func wholeNumber(c echo.Context, name string, most int64, wrong map[string]string) int64 {
	s := c.QueryParam(name)
	if s == "" {
		return 0
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 1 || most > 0 && n > most {
		wrong[name] = name + " takes a whole number of at least 1"
		if most > 0 {
			wrong[name] = fmt.Sprintf("%s takes a whole number from 1 to %d", name, most)
		}
	}
	return n
}

// fillSettings reads what is stored of a worker's settings and the newest changes.
func (h *handlers) fillSettings(ctx context.Context, p *views.WorkerPage, edit *views.SettingsForm) error {
	stored, err := h.settings.Override(ctx, p.Name)
	if err != nil {
		return err
	}
	found, err := h.settings.Revisions(ctx, worker.RevisionFilter{Worker: p.Name, Limit: recentRevisions})
	if err != nil {
		return err
	}
	p.History = views.HistoryPage{WorkerRow: p.WorkerRow, Rows: found.Revisions, Older: found.Older, Current: stored.Version}
	p.Edit = views.StoredForm(stored)
	if edit != nil {
		p.Edit = *edit
	}
	return nil
}
