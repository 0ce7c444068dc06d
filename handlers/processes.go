package handlers

import (
	"context"
	"net/http"
	"sync"
	"time"

	"scrinalia/views"

	"github.com/labstack/echo/v4"
)

// abandoned is the last answer to how many runs wait for nobody. Every page shows it and none waits for it: it is asked for beside them.
type abandoned struct {
	mu     sync.Mutex
	asking bool
	asked  time.Time
	n      int64
}

const (
	abandonedFor   = 5 * time.Second // how long an answer holds
	abandonedLimit = 2 * time.Second
)

func (a *abandoned) look(ctx context.Context, now func() time.Time, count func(context.Context) (int64, error)) int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	if at := now(); !a.asking && (a.asked.IsZero() || at.Sub(a.asked) >= abandonedFor) {
		a.asking = true
		go func() {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abandonedLimit)
			defer cancel()
			n, _ := count(ctx) // a database that is away is told elsewhere
			a.mu.Lock()
			defer a.mu.Unlock()
			a.asking, a.asked, a.n = false, at, n
		}()
	}
	return a.n
}

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
