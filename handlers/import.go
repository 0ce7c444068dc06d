package handlers

import (
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path"
	"strings"
	"time"

	"scrinalia/views"
	"scrinalia/worker"

	"github.com/labstack/echo/v4"
)

const uploadTime = 15 * time.Minute

var formats = map[string]bool{"auto": true, "atom-csv": true, "jsonl": true}

// upload is a file as it came, spooled to disk: its fields may follow it, and the importer reads it twice.
type upload struct {
	name      string
	format    string
	checkOnly bool
	file      *os.File
}

func (u *upload) discard() {
	if u.file != nil {
		_ = u.file.Close()
		_ = os.Remove(u.file.Name())
	}
}

// importFile imports an uploaded file and leads to its report.
func (h *handlers) importFile(c echo.Context) error {
	deadline := http.NewResponseController(c.Response()) // a large file takes longer than any other request
	_ = deadline.SetReadDeadline(time.Now().Add(uploadTime))
	_ = deadline.SetWriteDeadline(time.Now().Add(uploadTime))
	u, err := receive(c)
	defer u.discard()
	if err == nil {
		err = h.checkUpload(c, u)
	}
	if err != nil {
		return h.refuseImport(c, err)
	}
	report, err := h.importer.Import(c.Request().Context(), u.name, u.format, u.checkOnly, u.file)
	if err != nil {
		discardRejects(report)
		return h.refuseImport(c, err)
	}
	return h.reported(c, report)
}

// loadSample imports the bundled collection and leads to its report.
func (h *handlers) loadSample(c echo.Context) error {
	_ = http.NewResponseController(c.Response()).SetWriteDeadline(time.Now().Add(uploadTime))
	report, err := h.importer.LoadSample(c.Request().Context())
	if err != nil {
		return h.refuseImport(c, err)
	}
	return h.reported(c, report)
}

// reported keeps the report and leads to it. The import is done: a report that cannot be kept is shown this once.
func (h *handlers) reported(c echo.Context, report views.ImportReport) error {
	report, id, err := h.reports.keep(report, h.now())
	if err != nil {
		h.log.ErrorContext(c.Request().Context(), "report of an import not kept", "err", err, "request_id", requestID(c))
		discardRejects(report)
	}
	switch {
	case wantsJSON(c.Request()):
		return answerJSON(c, http.StatusOK, report)
	case id == "":
		page := views.Report(views.ReportPage{Frame: h.frame(c, views.PlaceWorkers), Report: report})
		return render(c, http.StatusOK, page, page)
	}
	return seeOther(c, views.ReportPath(id))
}

// discardRejects removes the file of the rejects of a report that is not kept.
func discardRejects(report views.ImportReport) {
	if report.RejectsFile != "" {
		_ = os.Remove(report.RejectsFile)
	}
}

// refuseImport shows the upload form again with what was wrong.
func (h *handlers) refuseImport(c echo.Context, err error) error {
	e, ok := errors.AsType[*worker.Error](err)
	if !ok || e.Kind != worker.Invalid || wantsJSON(c.Request()) {
		return err
	}
	filled, ledgerErr := h.ledger.HasRecords(c.Request().Context())
	if ledgerErr != nil {
		return ledgerErr
	}
	return h.firstStart(c, http.StatusUnprocessableEntity, e.Msg, filled)
}

// receive reads the form part by part; the file never is in memory.
func receive(c echo.Context) (*upload, error) {
	u := &upload{format: "auto"}
	parts, err := c.Request().MultipartReader()
	if err != nil {
		return u, echo.NewHTTPError(http.StatusBadRequest, "The body is no multipart/form-data with the fields file, format and check_only.").SetInternal(err)
	}
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return u, nil
		}
		if err == nil {
			err = u.take(part)
		}
		if err != nil {
			return u, uploadError(err)
		}
	}
}

func uploadError(err error) error {
	if _, ok := errors.AsType[*worker.Error](err); ok {
		return err
	}
	if _, ok := errors.AsType[*os.PathError](err); ok {
		return err
	}
	return badForm(err)
}

func (u *upload) take(part *multipart.Part) error {
	if part.FormName() == "file" {
		return u.spool(part)
	}
	raw, err := io.ReadAll(io.LimitReader(part, 1<<10))
	if err != nil {
		return err
	}
	v := strings.TrimSpace(string(raw))
	switch part.FormName() {
	case "format":
		if v != "" {
			u.format = v
		}
	case "check_only":
		u.checkOnly = v != "" && v != "0" && v != "false"
	default:
		name := cleanName(part.FormName())
		return &worker.Error{Kind: worker.Invalid, Msg: "The upload has a field that is not known.", Fields: map[string]string{
			name: fmt.Sprintf("%q is not known; the fields are file, format and check_only", name),
		}}
	}
	return nil
}

func (u *upload) spool(part *multipart.Part) error {
	if u.file != nil {
		return &worker.Error{Kind: worker.Invalid, Msg: "One file at a time.", Fields: map[string]string{"file": "file takes one file"}}
	}
	u.name = cleanName(path.Base(strings.ReplaceAll(part.FileName(), `\`, "/")))
	f, err := os.CreateTemp("", "scrinalia-upload-*")
	if err != nil {
		return err
	}
	u.file = f
	if _, err := io.Copy(f, part); err != nil {
		return err
	}
	_, err = f.Seek(0, io.SeekStart)
	return err
}

// checkUpload says what is missing before anything is read.
func (h *handlers) checkUpload(c echo.Context, u *upload) error {
	f := h.frame(c, "")
	if u.file == nil || u.name == "" || u.name == "." {
		return &worker.Error{Kind: worker.Invalid, Msg: f.T("import.nofile"), Fields: map[string]string{"file": f.T("import.nofile")}}
	}
	if !formats[u.format] {
		said := f.T("import.badformat", cleanName(u.format))
		return &worker.Error{Kind: worker.Invalid, Msg: said, Fields: map[string]string{"format": said}}
	}
	return nil
}
