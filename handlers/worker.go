package handlers

import (
	"net/http"
	"strconv"

	"scrinalia/views"
	"scrinalia/worker"

	"github.com/labstack/echo/v4"
)

const recentRuns = 10

type workerAnswer struct {
	worker.State
	OptionsDeclared []worker.Option   `json:"options_declared"`
	Override        worker.Override   `json:"override"`  // what is set against the code, with the version to send along when it is changed
	SetAside        []worker.SetAside `json:"set_aside"` // units that wait to be released
}

// showWorker shows one worker.
func (h *handlers) showWorker(c echo.Context) error {
	return h.workerPage(c, http.StatusOK, views.RunForm{}, nil)
}

// workerPage shows one worker, with what was typed into its forms and refused or not saved yet.
func (h *handlers) workerPage(c echo.Context, status int, form views.RunForm, edit *views.SettingsForm) error {
	def, err := h.catalogue.Lookup(c.Param("name"))
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	state, err := h.panel.State(ctx, def.Name)
	if err != nil {
		return err
	}
	if wantsJSON(c.Request()) {
		override, err := h.settings.Override(ctx, def.Name)
		if err != nil {
			return err
		}
		aside, err := h.ledger.SetAside(ctx, def.Name)
		if err != nil {
			return err
		}
		return answerJSON(c, status, workerAnswer{state, def.Options, override, orEmpty(aside)})
	}
	runs, err := h.ledger.Runs(ctx, worker.RunFilter{Worker: def.Name, Limit: recentRuns})
	if err != nil {
		return err
	}
	page := views.WorkerPage{WorkerRow: h.row(h.frame(c, views.PlaceWorkers), state), Runs: runs.Runs, Form: form}
	if c.Request().Method == http.MethodPost {
		page.Path = views.WorkerPath(def.Name)
	}
	page.Form.Refused = page.Refusals(def, form.Given, form.Refused)
	page.Previous, page.Next = h.beside(def)
	if edit == nil && wantsPart(c.Request()) { // a poll, which leaves the settings alone
		return render(c, status, views.Worker(page), views.WorkerPart(page))
	}
	if page.SetAside, err = h.ledger.SetAside(ctx, def.Name); err != nil {
		return err
	}
	if err := h.fillSettings(ctx, &page, edit); err != nil {
		return err
	}
	if v, err := strconv.ParseInt(c.QueryParam("saved"), 10, 64); err == nil && edit == nil {
		page.Saved = &v
	}
	if edit != nil {
		return render(c, status, views.Worker(page), views.SettingsPart(page))
	}
	return render(c, status, views.Worker(page), views.WorkerPart(page))
}

// beside returns the workers before and after one.
func (h *handlers) beside(def worker.Definition) (previous, next *views.Neighbour) {
	all := h.neighbours()
	for i, n := range all {
		if n.Name != def.Name {
			continue
		}
		if i > 0 {
			previous = &all[i-1]
		}
		if i+1 < len(all) {
			next = &all[i+1]
		}
	}
	return previous, next
}

func (h *handlers) neighbours() []views.Neighbour {
	var all []views.Neighbour
	for _, d := range h.catalogue.All() {
		all = append(all, views.Neighbour{Order: d.Order, Name: d.Name, Label: d.Label})
	}
	return all
}
