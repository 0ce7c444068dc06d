package handlers

import (
	"net/http"

	"scrinalia/views"

	"github.com/labstack/echo/v4"
)

// listProcesses shows what executes queued runs.
func (h *handlers) listProcesses(c echo.Context) error {
	list, err := h.ledger.Processes(c.Request().Context())
	if err != nil {
		return err
	}
	if wantsJSON(c.Request()) {
		return answerJSON(c, http.StatusOK, map[string]any{"processes": orEmpty(list)})
	}
	page := views.Processes(views.ProcessesPage{Frame: h.frame(c, views.PlaceRuns), Processes: list})
	return render(c, http.StatusOK, page, page)
}
