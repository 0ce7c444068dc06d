package handlers

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"scrinalia/views"
	"scrinalia/worker"

	"github.com/labstack/echo/v4"
)

const (
	keptReports   = 50 // the newest stay
	reportSuffix  = ".json"
	rejectsSuffix = ".rejects.csv"
)

// UnkeptPrefix begins the names of files of rejects whose import is under way, in ReportsDir.
const UnkeptPrefix = "unkept-"

// reports keeps the last imports' reports as files, so that an upload can lead to a page of its own that survives the process. Beside each lies
// the file of its rejects, if there were any.
type reports struct {
	mu  sync.Mutex
	dir string // made with the first report; a temporary folder when empty
}

// reportID is a time, so that names sort by age, and something that cannot be guessed.
var reportID = regexp.MustCompile(`^[0-9]{8}T[0-9]{6}\.[0-9]{6}-[A-Z2-7]{26}$`)

// keep stores a report with the file of its rejects and returns it as it is shown, with its id.
func (r *reports) keep(report views.ImportReport, now time.Time) (views.ImportReport, string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	id := now.UTC().Format("20060102T150405.000000") + "-" + rand.Text()
	if err := r.makeDir(); err != nil {
		return report, "", err
	}
	if report.RejectsFile != "" {
		if err := os.Rename(report.RejectsFile, r.path(id, rejectsSuffix)); err != nil {
			return report, "", fmt.Errorf("keep rejects: %w", err)
		}
		report.RejectsPath = views.RejectsPath(id)
	}
	raw, err := json.Marshal(report)
	if err != nil {
		return report, "", fmt.Errorf("encode report: %w", err)
	}
	unfinished := r.path(id, ".part")
	if err := os.WriteFile(unfinished, raw, 0o600); err != nil {
		return report, "", fmt.Errorf("keep report: %w", err)
	}
	if err := os.Rename(unfinished, r.path(id, reportSuffix)); err != nil {
		return report, "", fmt.Errorf("keep report: %w", err)
	}
	return report, id, r.forget()
}

func (r *reports) makeDir() (err error) {
	if r.dir == "" {
		r.dir, err = os.MkdirTemp("", "scrinalia-imports-*")
		return err
	}
	return os.MkdirAll(r.dir, 0o700)
}

func (r *reports) path(id, suffix string) string { return filepath.Join(r.dir, id+suffix) }

// forget removes all but the newest reports, and what an import that was cut short left behind.
func (r *reports) forget() error {
	entries, err := os.ReadDir(r.dir) // sorted by name, which is by age
	if err != nil {
		return fmt.Errorf("list reports: %w", err)
	}
	var ids []string
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), reportSuffix); ok && reportID.MatchString(id) {
			ids = append(ids, id)
		}
	}
	kept := ids[max(0, len(ids)-keptReports):]
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasPrefix(e.Name(), UnkeptPrefix) && time.Since(info.ModTime()) > 2*uploadTime {
			_ = os.Remove(filepath.Join(r.dir, e.Name()))
		}
		for _, suffix := range []string{reportSuffix, rejectsSuffix, ".part"} {
			if id, ok := strings.CutSuffix(e.Name(), suffix); ok && reportID.MatchString(id) && !slices.Contains(kept, id) {
				if err := os.Remove(filepath.Join(r.dir, e.Name())); err != nil {
					return fmt.Errorf("remove old report: %w", err)
				}
			}
		}
	}
	return nil
}

var errNoReport = worker.Errorf(worker.NotFound, "The report is not kept any more.")

func (r *reports) find(id string) (views.ImportReport, error) {
	var report views.ImportReport
	if !reportID.MatchString(id) || r.dir == "" {
		return report, errNoReport
	}
	raw, err := os.ReadFile(r.path(id, reportSuffix))
	if errors.Is(err, fs.ErrNotExist) {
		return report, errNoReport
	}
	if err != nil {
		return report, fmt.Errorf("read report: %w", err)
	}
	if err := json.Unmarshal(raw, &report); err != nil {
		return report, fmt.Errorf("read report %s: %w", id, err)
	}
	return report, nil
}

// showReport shows what became of an uploaded file.
func (h *handlers) showReport(c echo.Context) error {
	report, err := h.reports.find(c.Param("id"))
	if err != nil {
		return err
	}
	if wantsJSON(c.Request()) {
		return answerJSON(c, http.StatusOK, report)
	}
	page := views.Report(views.ReportPage{Frame: h.frame(c, views.PlaceWorkers), Report: report})
	return render(c, http.StatusOK, page, page)
}

// downloadRejects sends the file of an import's rejects.
func (h *handlers) downloadRejects(c echo.Context) error {
	id := c.Param("id")
	report, err := h.reports.find(id)
	if err != nil {
		return err
	}
	f, err := os.Open(h.reports.path(id, rejectsSuffix))
	if errors.Is(err, fs.ErrNotExist) {
		return worker.Errorf(worker.NotFound, "No row of this import was rejected.")
	}
	if err != nil {
		return fmt.Errorf("read rejects: %w", err)
	}
	defer f.Close()
	header := c.Response().Header()
	header.Set(echo.HeaderContentType, "text/csv; charset=utf-8")
	header.Set(echo.HeaderContentDisposition, mime.FormatMediaType("attachment", map[string]string{"filename": report.File + rejectsSuffix}))
	http.ServeContent(c.Response(), c.Request(), "", time.Time{}, f)
	return nil
}
