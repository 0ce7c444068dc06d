package handlers

import (
	"crypto/rand"
	"net/http"
	"sync"

	"scrinalia/views"
	"scrinalia/worker"

	"github.com/labstack/echo/v4"
)

const keptReports = 20

// reports keeps the last imports' reports in memory, so that an upload can lead to a page of its own. They are gone
// with the process; what was imported is not.
type reports struct {
	mu   sync.Mutex
	kept []keptReport
}

type keptReport struct {
	id     string
	report views.ImportReport
}

func (r *reports) keep(report views.ImportReport) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	id := rand.Text()
	r.kept = append(r.kept, keptReport{id, report})
	if len(r.kept) > keptReports {
		r.kept = r.kept[1:]
	}
	return id
}

func (r *reports) find(id string) (views.ImportReport, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, k := range r.kept {
		if k.id == id {
			return k.report, true
		}
	}
	return views.ImportReport{}, false
}

// showReport shows what became of an uploaded file.
func (h *handlers) showReport(c echo.Context) error {
	report, ok := h.reports.find(c.Param("id"))
	if !ok {
		return worker.Errorf(worker.NotFound, "The report is not kept any more.")
	}
	if wantsJSON(c.Request()) {
		return answerJSON(c, http.StatusOK, report)
	}
	page := views.Report(views.ReportPage{Frame: h.frame(c, views.PlaceWorkers), Report: report})
	return render(c, http.StatusOK, page, page)
}
