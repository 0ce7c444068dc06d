package handlers

import (
	"context"
	"net/http"
	"time"

	"scrinalia/views"

	"github.com/labstack/echo/v4"
)

const (
	livePath   = "/health/live"
	readyPath  = "/health/ready"
	readyLimit = 2 * time.Second
)

type healthAnswer struct {
	Status string `json:"status"`
	Detail string `json:"detail,omitempty"`
}

// showHealth answers browsers at once with the last report, and asks for the new one by the part; scripts wait for it.
func (h *handlers) showHealth(c echo.Context) error {
	f := h.frame(c, views.PlaceHealth)
	if wantsJSON(c.Request()) {
		return answerJSON(c, http.StatusOK, views.NewHealthJSON(f, h.doctor.Report(c.Request().Context())))
	}
	page := views.HealthPage{Frame: f}
	if wantsPart(c.Request()) {
		page.Report, page.Fresh = h.doctor.Report(c.Request().Context()), true
	} else {
		page.Report, page.Fresh = h.doctor.Last()
	}
	return render(c, http.StatusOK, views.Health(page), views.HealthPart(page))
}

// live says that the process answers. It touches nothing else.
func (h *handlers) live(c echo.Context) error {
	return answerJSON(c, http.StatusOK, healthAnswer{Status: "up"})
}

// ready says whether the database answers within its limit.
func (h *handlers) ready(c echo.Context) error {
	ctx, cancel := context.WithTimeout(c.Request().Context(), readyLimit)
	defer cancel()
	if err := h.ledger.Ping(ctx); err != nil {
		h.log.WarnContext(ctx, "not ready", "err", err)
		return answerJSON(c, http.StatusServiceUnavailable, healthAnswer{Status: "down", Detail: "the database does not answer"})
	}
	return answerJSON(c, http.StatusOK, healthAnswer{Status: "up"})
}
