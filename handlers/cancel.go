package handlers

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// cancelRun tells a run to stop, or takes a queued one back.
func (h *handlers) cancelRun(c echo.Context) error {
	id, err := runID(c)
	if err != nil {
		return err
	}
	asks := wantsJSON(c.Request()) || sentJSON(c.Request())
	by := "panel " + c.RealIP()
	if asks {
		by = "API " + c.RealIP()
	}
	run, err := h.panel.Cancel(c.Request().Context(), id, by)
	if err != nil {
		return err
	}
	if asks {
		return answerJSON(c, http.StatusAccepted, run)
	}
	return seeOther(c, after(c, run.ID, run.Worker))
}
