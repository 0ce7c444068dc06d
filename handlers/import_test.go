package handlers_test

import (
	"bytes"
	"encoding/json"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"scrinalia/handlers"
	"scrinalia/views"
	"scrinalia/worker"
)

type field struct{ name, file, value string }

func uploadOf(t *testing.T, fields ...field) asked {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for _, f := range fields {
		var err error
		if f.file != "" {
			p, e := w.CreateFormFile(f.name, f.file)
			if err = e; e == nil {
				_, err = p.Write([]byte(f.value))
			}
		} else {
			err = w.WriteField(f.name, f.value)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return asked{method: "POST", path: "/import", body: body.String(), header: map[string]string{"Content-Type": w.FormDataContentType()}}
}

// TestImport leads from the upload to its report, wherever the fields stand.
func TestImport(t *testing.T) {
	t.Parallel()
	f := busy()
	f.dir, f.rejects = t.TempDir(), "line,column,id,reason\n1204,title,x,title is empty\n"
	f.report.Rejects = []views.Reject{{Line: 1204, Column: "title", ID: "<b>x</b>", Reason: "title is empty"}}
	h := serve(f)
	a := ask(t, h, uploadOf(t, field{"file", `C:\archive\atom-2026.csv`, "a,b\n"}, field{"format", "", "atom-csv"}, field{"check_only", "", "1"}))
	if a.StatusCode != http.StatusSeeOther || !strings.HasPrefix(a.Header.Get("Location"), "/imports/") {
		t.Fatalf("%d %q: %s", a.StatusCode, a.Header.Get("Location"), a.text)
	}
	if len(f.imported) != 1 || f.imported[0] != "a,b\n" {
		t.Errorf("imported %q", f.imported)
	}
	page := ask(t, h, asked{path: a.Header.Get("Location")})
	for selector, want := range map[string]string{
		"h1": "The file was checked, nothing was kept", ".head .lede": "atom-2026.csv: AtoM ISAD(G) CSV, Windows-1252.", ".tally": "read412would be imported400unchanged10rejected 2",
		"tbody tr": "1,204title<b>x</b>title is empty", ".sec-h span": "the first 1 of 2",
		".sec-h a[download]": "Download all of them (CSV)",
	} {
		if got := page.words(t, selector); got != want {
			t.Errorf("%s says %q, want %q", selector, got, want)
		}
	}
	h = serve(f) // another process
	if again := ask(t, h, asked{path: a.Header.Get("Location")}); again.text != page.text && again.words(t, "main") != page.words(t, "main") {
		t.Errorf("after a restart: %d %s", again.StatusCode, again.words(t, "main"))
	}
	download := ask(t, h, asked{path: page.page(t).Find(".sec-h a[download]").AttrOr("href", "")})
	if download.text != f.rejects || download.Header.Get("Content-Type") != "text/csv; charset=utf-8" || download.Header.Get("Content-Disposition") != "attachment; filename=atom-2026.csv.rejects.csv" {
		t.Errorf("the rejects: %d %v %q", download.StatusCode, download.Header, download.text)
	}
	j := ask(t, h, asJSON(uploadOf(t, field{"file", "x.jsonl", "{}"})))
	var report views.ImportReport
	if err := json.Unmarshal([]byte(j.text), &report); err != nil || j.StatusCode != http.StatusOK || report.Read != 412 || report.File != "x.jsonl" || report.Format != "auto" {
		t.Errorf("%d %s %v", j.StatusCode, j.text, err)
	}
	if s := ask(t, h, asked{method: "POST", path: "/import/sample"}); s.StatusCode != http.StatusSeeOther {
		t.Errorf("the sample: %d", s.StatusCode)
	}
}

// TestReportsAreBounded keeps the newest reports with their rejects, and nothing else that an import left behind.
func TestReportsAreBounded(t *testing.T) {
	t.Parallel()
	f := busy()
	f.dir, f.rejects = t.TempDir(), "line,column,id,reason\n"
	now := noon
	h := handlers.New(handlers.Options{
		Catalogue: catalogue(), Panel: f, Ledger: f, Settings: f, Importer: f, ReportsDir: filepath.Join(f.dir, "imports"),
		Now: func() time.Time { now = now.Add(time.Second); return now },
	})
	var addresses []string
	for range 53 {
		a := ask(t, h, uploadOf(t, field{"file", "a.csv", "x"}))
		addresses = append(addresses, a.Header.Get("Location"))
	}
	for i, address := range addresses {
		want := http.StatusOK
		if i < 3 {
			want = http.StatusNotFound
		}
		for _, path := range []string{address, address + "/rejects.csv"} {
			if a := ask(t, h, asked{path: path}); a.StatusCode != want {
				t.Errorf("%s, the %d. of 53: %d, want %d", path, i+1, a.StatusCode, want)
			}
		}
	}
	files, err := os.ReadDir(filepath.Join(f.dir, "imports"))
	if err != nil || len(files) != 100 {
		t.Errorf("%d files are kept, want 100: %v", len(files), err)
	}
	for _, path := range []string{"/imports/..%2f..%2fsecret", "/imports/x", "/imports/x/rejects.csv"} {
		if a := ask(t, h, asked{path: path}); a.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", path, a.StatusCode)
		}
	}
}

// TestReportNotKept: a disk that is full takes the page of its own away, not the report.
func TestReportNotKept(t *testing.T) {
	t.Parallel()
	f := busy()
	f.dir = filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(f.dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	a := ask(t, serve(f), uploadOf(t, field{"file", "a.csv", "x"}))
	if a.StatusCode != http.StatusOK || !strings.Contains(a.words(t, "h1"), "400 records were imported") {
		t.Errorf("%d %s", a.StatusCode, a.words(t, "main"))
	}
}

// TestImportRefused shows the form again, and names the field.
func TestImportRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		q      asked
		err    error
		status int
		want   string
	}{
		{"no file", uploadOf(t, field{"format", "", "auto"}), nil, 422, "Choose a file first"},
		{"two files", uploadOf(t, field{"file", "a", "1"}, field{"file", "b", "2"}), nil, 422, "One file at a time."},
		{"unknown format", uploadOf(t, field{"file", "a", "1"}, field{"format", "", "xls"}), nil, 422, "auto, atom-csv or jsonl"},
		{"unknown field", uploadOf(t, field{"file", "a", "1"}, field{"colour", "", "red"}), nil, 422, "a field that is not known"},
		{"no such file", uploadOf(t, field{"file", "a.pdf", "%PDF"}), worker.Errorf(worker.Invalid, "The file is a PDF."), 422, "The file is a PDF."},
		{"no upload", asked{method: "POST", path: "/import", body: "file=x"}, nil, 400, "file, format and check_only"},
		{"cut short", asked{method: "POST", path: "/import", body: "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\nabc", header: map[string]string{"Content-Type": "multipart/form-data; boundary=x"}}, nil, 400, "cannot be read"},
		{"database down", uploadOf(t, field{"file", "a", "1"}), worker.Errorf(worker.Unavailable, "down"), 503, "The database does not answer"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := busy()
			f.importErr = tt.err
			a := ask(t, serve(f), tt.q)
			if a.StatusCode != tt.status || !strings.Contains(a.words(t, "main"), tt.want) {
				t.Errorf("%d, want %d: %s", a.StatusCode, tt.status, a.words(t, "main"))
			}
			if j := ask(t, serve(f), asJSON(tt.q)); j.StatusCode != tt.status || j.Header.Get("Content-Type") != "application/problem+json" {
				t.Errorf("as JSON: %d %s", j.StatusCode, j.Header.Get("Content-Type"))
			}
		})
	}
}
