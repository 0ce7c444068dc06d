// Package importer brings archival descriptions in and out: AtoM's ISAD(G) CSV
// and JSON Lines, files of any size in bounded memory.
//
// A file is read twice. The first pass settles the encoding over the whole of
// it, the second one yields records to a [Sink], which keeps all of them or
// none. A row that cannot be used is rejected with line, column and reason and
// the rest goes on; a file that cannot be used is refused with a sentence that
// says what would be accepted. Read = Imported + Unchanged + Rejected, always.
//
// It may import the standard library, worker and golang.org/x/text. It knows
// nothing of the database.
package importer

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
)

// Record is one description as the source gave it: the columns of
// staging_records. Text is NFC, without control characters other than tab and
// line feed; a blank field is the empty string.
type Record struct {
	DescriptionID       string
	Title               string
	ParentDescriptionID string
	ReferenceCode       string
	ParentReferenceCode string
	Level               string
	Date                string
	Extent              string
	Repository          string
	Producers           string
	AdminBioHistory     string
	Provenance          string
	ScopeContent        string
	Language            string
	AccessConditions    string
	ArchivistNotes      string
	ImageURL            string

	Subjects []string
	Places   []string
	Names    []string
	Genres   []string

	// Raw is everything the source said, as a JSON object that PostgreSQL can
	// store: no NUL, no lone surrogate.
	Raw json.RawMessage
	// ContentHash covers the mapped fields only; see [Record.Hash]. For a record
	// of an export that staging still has the source of it is the source's.
	ContentHash [32]byte
}

// Format is a file format that can be imported.
type Format string

// The formats. Auto tells the other two apart by the first line.
const (
	Auto      Format = "auto"
	AtoMCSV   Format = "atom-csv"
	JSONLines Format = "jsonl"
)

// The names of the encodings in a report.
const (
	encodingUTF8        = "UTF-8"
	encodingUTF8BOM     = "UTF-8 with BOM"
	encodingWindows1252 = "Windows-1252"
)

const (
	maxRow     = 16 << 20 // a row or line in bytes
	maxField   = 1 << 20  // a field in bytes
	maxID      = 500      // a description id in bytes
	maxRejects = 1000     // what a report carries; the rejects file has them all
)

// Options says how a file is to be read. The zero value means Auto.
type Options struct {
	Format Format
	// Name of the file, for messages and for the source_file column.
	Name string
	// CheckOnly counts what an import would do and writes nothing.
	CheckOnly bool
}

// Report says what became of a file.
type Report struct {
	File      string   `json:"file"`
	Format    Format   `json:"format"`
	Encoding  string   `json:"encoding"`
	Read      int64    `json:"read"`
	Imported  int64    `json:"imported"`
	Unchanged int64    `json:"unchanged"`
	Rejected  int64    `json:"rejected"`
	Rejects   []Reject `json:"rejects"` // the first 1,000
	Notes     []string `json:"notes"`
}

// Reject is a row that was not imported. Line is the line of the file where
// the field at fault begins, or the row where no single field is at fault.
type Reject struct {
	Line   int64  `json:"line"`
	Column string `json:"column"`
	Reason string `json:"reason"`
	ID     string `json:"id"`
}

// Sink keeps the records of one file: all of them, or none when the sequence
// or the sink itself fails. No two records of a sequence have the same id.
type Sink interface {
	ImportStaging(ctx context.Context, file string, checkOnly bool, records iter.Seq2[Record, error]) (imported, unchanged int64, err error)
}

// Archive is a Sink that knows what it has. Only such a one can tell that a
// record of its own export is no news.
type Archive interface {
	Sink
	// Sources are the staging records of those of these descriptions that the
	// archive has, by description id.
	Sources(ctx context.Context, ids []string) (map[string]Source, error)
}

// Import reads r into sink. Every reject is also written to rejects as CSV
// (line, column, id, reason), unless that is nil; nothing is written to it when
// there is none. The report is filled as far as the import got, also with an
// error.
func Import(ctx context.Context, sink Sink, r io.Reader, o Options, rejects io.Writer) (Report, error) {
	report := Report{File: o.Name, Format: o.Format, Rejects: []Reject{}, Notes: []string{}}
	src, err := open(ctx, r)
	if err != nil {
		return report, err
	}
	defer src.Close()

	f := &file{ctx: ctx, report: &report, seen: newSeen(), text: src.text(), rejects: newRejectsWriter(rejects)}
	if a, ok := sink.(Archive); ok {
		f.known = a.Sources
	}
	report.Encoding = src.encoding()
	f.parser, report.Format, err = src.parser(o.Format, f.text)
	if err != nil {
		return report, err
	}
	imported, unchanged, err := sink.ImportStaging(ctx, o.Name, o.CheckOnly, f.records())
	report.Notes = append(report.Notes, src.notes()...)
	report.Notes = append(report.Notes, f.notes()...)
	if err != nil {
		_ = f.rejects.flush() // what was rejected may explain err
		return report, err
	}
	report.Imported, report.Unchanged = imported, unchanged
	if report.Read != imported+unchanged+report.Rejected {
		return report, fmt.Errorf("import %q: %d read, but %d imported, %d unchanged, %d rejected", o.Name, report.Read, imported, unchanged, report.Rejected)
	}
	return report, nil
}
