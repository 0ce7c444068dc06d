package handlers

import (
	"context"
	"net/http"
	"sync"
	"time"

	"scrinalia/views"

	"github.com/labstack/echo/v4"
)

const (
	livePath  = "/health/live"
	readyPath = "/health/ready"

	metricsPath = "/metrics"

	readyLimit = 2 * time.Second
	readyFor   = time.Second
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
	page := views.HealthPage{Frame: f, Labels: h.workerLabels()}
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

// ready says whether the database answers within its limit. The answer holds for a second, however many ask.
func (h *handlers) ready(c echo.Context) error {
	if err := h.readiness.ask(c.Request().Context(), h.now, h.ledger.Ping); err != nil {
		h.log.WarnContext(c.Request().Context(), "not ready", "err", err)
		return answerJSON(c, http.StatusServiceUnavailable, healthAnswer{Status: "down", Detail: "the database does not answer"})
	}
	return answerJSON(c, http.StatusOK, healthAnswer{Status: "up"})
}

// readiness is the last answer of the database, for readyFor.
type readiness struct {
	mu    sync.Mutex
	asked time.Time
	err   error
}

func (r *readiness) ask(ctx context.Context, now func() time.Time, ping func(context.Context) error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.asked.IsZero() || now().Sub(r.asked) >= readyFor {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readyLimit) // the answer is for all who wait, whether or not this one goes away
		defer cancel()
		r.err, r.asked = ping(ctx), now()
	}
	return r.err
}
