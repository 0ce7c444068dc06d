package main

import (
	"context"
	"io"

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
type panelImporter struct{ store *store.Store }

// Import reads an uploaded file into staging.
func (i *panelImporter) Import(ctx context.Context, name, format string, checkOnly bool, r io.Reader) (views.ImportReport, error) {
	if format == "" {
		format = string(importer.Auto)
	}
	report, err := importer.Import(ctx, i.store, r, importer.Options{Format: importer.Format(format), Name: name, CheckOnly: checkOnly}, nil)
	return panelReport(report, checkOnly), err
}

// LoadSample reads the bundled collection into staging.
func (i *panelImporter) LoadSample(ctx context.Context) (views.ImportReport, error) {
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
