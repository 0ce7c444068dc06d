package main

import (
	"context"
	"crypto/rand"
	"io"
	"os"
	"path/filepath"

	"scrinalia/handlers"
	"scrinalia/importer"
	"scrinalia/sample"
	"scrinalia/store"
	"scrinalia/views"
)

const sampleName = "sample collection"

func (p *program) loadSampleIfEmpty(ctx context.Context) error {
	has, err := p.store.HasRecords(ctx)
	if err != nil || has {
		return err
	}
	_, err = importer.Import(ctx, p.store, sample.Collection(), importer.Options{Name: sampleName}, nil)
	return err
}

// panelImporter is the importer as the panel needs it.
type panelImporter struct {
	store *store.Store
	dir   string // where reports are kept; the files of rejects begin their life there
}

// Import reads an uploaded file into staging. Every reject goes to the report's file, which is there only when there are any.
func (i *panelImporter) Import(ctx context.Context, name, format string, checkOnly bool, r io.Reader) (views.ImportReport, error) {
	if format == "" {
		format = string(importer.Auto)
	}
	rejects := &lazyFile{path: filepath.Join(i.dir, handlers.UnkeptPrefix+rand.Text()+".csv")}
	defer rejects.Close()
	var sink io.Writer // none where the data directory cannot be written: that takes the download away, not the import
	if i.makeDir() == nil {
		sink = rejects
	}
	report, err := importer.Import(ctx, i.store, r, importer.Options{Format: importer.Format(format), Name: name, CheckOnly: checkOnly}, sink)
	shown := panelReport(report, checkOnly)
	if rejects.f != nil {
		shown.RejectsFile = rejects.path
	}
	return shown, err
}

func (i *panelImporter) makeDir() error {
	if err := makeDataDir(filepath.Dir(i.dir)); err != nil {
		return err
	}
	return os.MkdirAll(i.dir, 0o700)
}

// LoadSample reads the bundled collection into staging.
func (i *panelImporter) LoadSample(ctx context.Context) (views.ImportReport, error) {
	_ = i.makeDir() // a report that cannot be kept is shown once, and logged
	report, err := importer.Import(ctx, i.store, sample.Collection(), importer.Options{Name: sampleName}, nil)
	return panelReport(report, false), err
}

func panelReport(r importer.Report, checkOnly bool) views.ImportReport {
	out := views.ImportReport{
		File: r.File, Format: string(r.Format), Encoding: r.Encoding, Read: r.Read, Imported: r.Imported, Unchanged: r.Unchanged,
		Rejected: r.Rejected, Notes: r.Notes, CheckOnly: checkOnly,
	}
	for _, j := range r.Rejects {
		out.Rejects = append(out.Rejects, views.Reject{Line: j.Line, Column: j.Column, ID: j.ID, Reason: j.Reason})
	}
	return out
}
