package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"scrinalia/importer"
	"scrinalia/worker"

	"github.com/spf13/cobra"
)

type importFlags struct {
	format, rejects string
	checkOnly, json bool
}

func (a *app) importCommand() *cobra.Command {
	var f importFlags
	c := &cobra.Command{
		Use:   "import FILE...",
		Short: "Bring descriptions into staging",
		Long: "Reads AtoM's ISAD(G) CSV or JSON Lines into staging; run transfer to bring them into the archive. A file goes in as a whole or not at all;\n" +
			"rows that cannot be used are rejected, each with its line, column and reason, into FILE.rejects.csv. The same file twice changes nothing. - reads standard input.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError{errors.New("scrinalia import takes at least one file; - is standard input")}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return a.importFiles(c.Context(), f, args) },
	}
	c.Flags().StringVar(&f.format, "format", "auto", "auto, atom-csv or jsonl")
	c.Flags().StringVar(&f.rejects, "rejects", "", "file for the rejected rows (default: FILE.rejects.csv, only when there are any)")
	c.Flags().BoolVar(&f.checkOnly, "check", false, "read everything, keep nothing")
	c.Flags().BoolVar(&f.json, "json", false, "print the reports as JSON")
	return c
}

func (a *app) importFiles(ctx context.Context, f importFlags, names []string) error {
	format := importer.Format(f.format)
	switch format {
	case importer.Auto, importer.AtoMCSV, importer.JSONLines:
	default:
		return usageError{fmt.Errorf("--format is %q; it takes auto, atom-csv or jsonl", f.format)}
	}
	p, err := a.open(ctx, "import", 0)
	if err != nil {
		return err
	}
	defer p.Close()
	done := importsDone{Files: []fileReport{}}
	for _, name := range names {
		var r fileReport
		if r, err = a.importFile(ctx, p, f, format, name); err != nil {
			done.Error = sentence(err)
			break
		}
		done.Files = append(done.Files, r)
		if !f.json {
			printReport(a.stdout, r, f)
		}
	}
	if f.json { // what went in before a file that failed is in, and told
		if perr := printJSON(a.stdout, done); err == nil {
			err = perr
		}
	}
	return err
}

// importsDone is what import --json prints: the reports of the files that went in, and why the next one did not.
type importsDone struct {
	Files []fileReport `json:"files"`
	Error string       `json:"error,omitempty"`
}

// fileReport is the report of a file, with the file of its rejects; empty when there are none.
type fileReport struct {
	importer.Report

	RejectsFile string `json:"rejects_file,omitempty"`
}

func (a *app) importFile(ctx context.Context, p *program, f importFlags, format importer.Format, name string) (fileReport, error) {
	var source io.Reader = os.Stdin
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return fileReport{}, unreadable(name, err)
		}
		defer file.Close()
		if info, err := file.Stat(); err == nil && info.IsDir() {
			return fileReport{}, unreadable(name, syscall.EISDIR)
		}
		source = file
	}
	rejects := &lazyFile{path: f.rejectsPath(name)}
	defer rejects.Close()
	report, err := importer.Import(ctx, p.store, source, importer.Options{Format: format, Name: filepath.Base(name), CheckOnly: f.checkOnly}, rejects)
	if e, ok := errors.AsType[*worker.Error](err); ok && e.Kind == worker.Invalid { // one file of several: say which
		err = &worker.Error{Kind: e.Kind, Msg: shownName(name) + ": " + e.Msg, Fields: e.Fields, Err: e.Err}
	}
	r := fileReport{Report: report}
	if rejects.f != nil {
		r.RejectsFile = rejects.path
	}
	return r, err
}

func (f importFlags) rejectsPath(name string) string {
	switch {
	case f.rejects != "":
		return f.rejects
	case name == "-":
		return "stdin.rejects.csv"
	}
	return name + ".rejects.csv"
}

func shownName(name string) string {
	if name == "-" {
		return "standard input"
	}
	return name
}

func unreadable(name string, err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	return worker.Errorf(worker.Invalid, "%s cannot be read: %w. Nothing was written.", name, err)
}

// lazyFile is made with the first byte that is written to it.
type lazyFile struct {
	path string
	f    *os.File
}

// Write makes the file when needed.
func (l *lazyFile) Write(p []byte) (int, error) {
	if l.f == nil {
		f, err := os.Create(l.path)
		if err != nil {
			return 0, worker.Errorf(worker.Invalid, "The rejects file %s cannot be written: %w. Name another with --rejects.", l.path, err)
		}
		l.f = f
	}
	return l.f.Write(p)
}

// Close closes the file if it was made.
func (l *lazyFile) Close() error {
	if l.f == nil {
		return nil
	}
	return l.f.Close()
}

func printReport(w io.Writer, r fileReport, f importFlags) {
	verb := "imported"
	if f.checkOnly {
		verb = "would be imported"
	}
	fmt.Fprintf(w, "%s (%s, %s): %d read = %d %s + %d unchanged + %d rejected\n", r.File, r.Format, r.Encoding, r.Read, r.Imported, verb, r.Unchanged, r.Rejected)
	for _, n := range r.Notes {
		fmt.Fprintln(w, "  note:", n)
	}
	const shown = 10
	for _, j := range r.Rejects[:min(shown, len(r.Rejects))] {
		fmt.Fprintf(w, "  line %d, %s: %s\n", j.Line, orDash(j.Column), j.Reason)
	}
	if r.Rejected > 0 {
		fmt.Fprintf(w, "  every rejected row is in %s\n", r.RejectsFile)
	}
}

func orDash(s string) string {
	if strings.TrimSpace(s) == "" {
		return "row"
	}
	return s
}
