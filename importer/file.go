package importer

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"scrinalia/worker"
)

// row is what a parser makes of one row or line: a record, or why there is none.
type row struct {
	Record

	line    int64
	culture string
	marked  bool   // an export wrote it, and nobody edited it since
	source  Source // what its mark names
	reject  *Reject
	// malformed says that the row is not of the format at all. A file with
	// nothing but malformed rows is refused.
	malformed bool
}

// parser yields the rows of one format, then io.EOF. Any other error is about
// the file and ends the import.
type parser interface {
	next() (row, error)
	// notes are what the reader of the report should know, once all is read.
	notes() []string
}

// file is one import under way.
type file struct {
	ctx     context.Context //nolint:containedctx // lives as long as one call of Import
	report  *Report
	parser  parser
	seen    *seen
	text    *text
	rejects *rejectsWriter
	known   func(ctx context.Context, ids []string) (map[string]Source, error) // nil: the sink cannot say
}

// records yields what can be stored and accounts for what cannot.
func (f *file) records() iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		h := &held{known: f.known, yield: func(r Record) bool { return yield(r, nil) }}
		err := f.each(func(r row) error { return h.take(f.ctx, r) })
		if err == nil {
			err = h.flush(f.ctx)
		}
		if err != nil && !errors.Is(err, errStopped) {
			yield(Record{}, err)
		}
	}
}

// each calls do with every row that can be stored, and returns what ends the
// import.
func (f *file) each(do func(row) error) error {
	var malformed int64
	for {
		r, err := f.parser.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if err := context.Cause(f.ctx); err != nil {
			return err
		}
		f.report.Read++
		if r.reject == nil {
			r.reject = f.seen.add(r)
		}
		if r.reject != nil {
			if r.malformed {
				malformed++
			}
			if err := f.reject(*r.reject); err != nil {
				return err
			}
			continue
		}
		r.ContentHash = r.Hash()
		if err := do(r); err != nil {
			return err
		}
	}
	if malformed > 0 && malformed == f.report.Read {
		return f.hopeless()
	}
	return f.rejects.flush() // before the sink keeps anything: a broken rejects file must not hide rejects
}

func (f *file) reject(r Reject) error {
	f.report.Rejected++
	if len(f.report.Rejects) < maxRejects {
		f.report.Rejects = append(f.report.Rejects, r)
	}
	return f.rejects.write(r)
}

// hopeless is the error for a file of which no row has the right form.
func (f *file) hopeless() error {
	first := f.report.Rejects[0]
	want := "AtoM's ISAD(G) CSV has as many fields in every row as in the header, and quotes a field that holds a delimiter, a quotation mark or a line break"
	if f.report.Format == JSONLines {
		want = `JSON Lines has one object a line, with the keys "description_id" and "title"`
	}
	return worker.Errorf(worker.Invalid, "No row of the file can be read; line %d: %s. %s.", first.Line, first.Reason, want)
}

func (f *file) notes() []string {
	notes := append(f.parser.notes(), f.text.notes()...)
	if f.report.Read == 0 {
		notes = append(notes, "The file has no records.")
	}
	if n := f.report.Rejected; n > maxRejects {
		notes = append(notes, fmt.Sprintf("The first %d of %d rejects are listed; the rejects file has all of them.", maxRejects, n))
	}
	return notes
}

// rejectsWriter writes the rejects file. Without a writer it does nothing.
type rejectsWriter struct {
	csv     *csv.Writer
	started bool
}

func newRejectsWriter(w io.Writer) *rejectsWriter {
	if w == nil {
		return &rejectsWriter{}
	}
	return &rejectsWriter{csv: csv.NewWriter(w)}
}

func (w *rejectsWriter) write(r Reject) error {
	if w.csv == nil {
		return nil
	}
	if !w.started {
		w.started = true
		if err := w.csv.Write([]string{"line", "column", "id", "reason"}); err != nil {
			return fmt.Errorf("write rejects: %w", err)
		}
	}
	if err := w.csv.Write([]string{strconv.FormatInt(r.Line, 10), r.Column, r.ID, r.Reason}); err != nil {
		return fmt.Errorf("write rejects: %w", err)
	}
	return nil
}

func (w *rejectsWriter) flush() error {
	if w.csv == nil {
		return nil
	}
	w.csv.Flush()
	if err := w.csv.Error(); err != nil {
		return fmt.Errorf("write rejects: %w", err)
	}
	return nil
}

// malformed is a row that is not of the format.
func malformed(line int64, column, reason string) row {
	return row{line: line, malformed: true, reject: &Reject{Line: line, Column: column, Reason: reason}}
}

// checkID says what is wrong with a description id, or nothing.
func checkID(id string) string {
	switch {
	case id == "":
		return "the description id is empty"
	case len(id) > maxID:
		return fmt.Sprintf("the description id has %d bytes, more than %d", len(id), maxID)
	default:
		return ""
	}
}

func tooLong(n int) string {
	return fmt.Sprintf("the field has %d bytes, more than %d", n, maxField)
}

// shortID is an id as a message can show it.
func shortID(id string) string {
	if len(id) <= maxID {
		return id
	}
	return strings.ToValidUTF8(id[:maxID], "")
}
