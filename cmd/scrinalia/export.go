package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"scrinalia/importer"
	"scrinalia/store"
	"scrinalia/worker"

	"github.com/spf13/cobra"
)

// exitPipe is what a shell reports of a program whose reader went away.
const exitPipe = 128 + int(syscall.SIGPIPE)

type exportFlags struct {
	format, status string
	force          bool
}

func (a *app) exportCommand() *cobra.Command {
	var f exportFlags
	c := &cobra.Command{
		Use:   "export [FILE]",
		Short: "Write every description with what was found in it",
		Long: "Writes the descriptions of the archive, parents before their children, to standard output or to FILE, which appears once it is whole. JSON Lines hold all\n" +
			"that the workers and people found, with scores and origins; AtoM's CSV goes back into AtoM, its access points extended. Importing an export changes nothing.",
		Example: "  scrinalia export descriptions.jsonl\n  scrinalia export --format atom-csv --status HUMAN_APPROVED approved.csv\n  scrinalia export | jq -r .title",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError{errors.New("scrinalia export takes one file, or none for standard output")}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return a.export(c.Context(), f, append(args, "-")[0]) },
	}
	c.Flags().StringVar(&f.format, "format", string(importer.JSONLines), "jsonl or atom-csv")
	c.Flags().StringVar(&f.status, "status", "", "only descriptions in this review status: "+strings.Join(store.ReviewStatuses, ", "))
	c.Flags().BoolVar(&f.force, "force", false, "replace FILE if it exists")
	return c
}

func (a *app) export(ctx context.Context, f exportFlags, name string) error {
	if format := importer.Format(f.format); format != importer.JSONLines && format != importer.AtoMCSV {
		return usageError{fmt.Errorf("--format is %q; it takes jsonl or atom-csv", f.format)}
	}
	status := strings.ToUpper(f.status)
	if status != "" && !slices.Contains(store.ReviewStatuses, status) {
		return usageError{fmt.Errorf("--status is %q; it takes %s", f.status, strings.Join(store.ReviewStatuses, ", "))}
	}
	if name != "-" {
		if err := mayWrite(name, f.force); err != nil {
			return err
		}
	}
	signal.Ignore(syscall.SIGPIPE) // a reader that goes away must not keep the database from being left
	p, err := a.open(ctx, "export", 0)
	if err != nil {
		return err
	}
	defer p.Close()
	var n int64
	write := func(w io.Writer) (err error) {
		n, err = importer.Export(w, importer.Format(f.format), p.store.Descriptions(ctx, status))
		return err
	}
	if name == "-" {
		err = write(a.stdout)
	} else if err = replaceFile(name, write); err == nil {
		fmt.Fprintf(a.stdout, "%d descriptions in %s (%s)\n", n, name, f.format)
	}
	if errors.Is(err, syscall.EPIPE) {
		return exitError(exitPipe)
	}
	return err
}

// mayWrite refuses a file that is there already, before any work is done.
func mayWrite(name string, force bool) error {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return unwritable(worker.Invalid, name, err)
	case info.IsDir():
		return unwritable(worker.Invalid, name, syscall.EISDIR)
	case info.Mode().IsRegular() && !force:
		return worker.Errorf(worker.Invalid, "%s exists; --force replaces it. Nothing was written.", name)
	}
	return nil
}

// replaceFile writes a file beside name that takes its place once it is whole. What is no regular file is written to as it is.
func replaceFile(name string, write func(io.Writer) error) (err error) {
	target := name
	if real, err := filepath.EvalSymlinks(name); err == nil {
		target = real
	}
	info, err := os.Stat(target)
	special := err == nil && !info.Mode().IsRegular()
	path, flags := fmt.Sprintf("%s.part-%d", target, os.Getpid()), os.O_CREATE|os.O_EXCL
	if special {
		path, flags = target, 0
	}
	file, err := os.OpenFile(path, os.O_WRONLY|flags, 0o666)
	if err != nil {
		return unwritable(worker.Invalid, name, err)
	}
	defer func() {
		_ = file.Close()
		if err != nil && !special {
			_ = os.Remove(path)
		}
	}()
	if err = write(fileWriter{file, name}); err != nil || special {
		return err
	}
	if err = file.Sync(); err == nil {
		err = os.Rename(path, target)
	}
	if err != nil {
		return unwritable(worker.Unavailable, name, err)
	}
	return nil
}

// fileWriter names the file in its errors.
type fileWriter struct {
	f    *os.File
	name string
}

// Write writes to the file.
func (w fileWriter) Write(p []byte) (int, error) {
	n, err := w.f.Write(p)
	if err != nil {
		return n, unwritable(worker.Unavailable, w.name, err)
	}
	return n, nil
}

func unwritable(kind worker.Kind, name string, err error) error {
	return &worker.Error{Kind: kind, Msg: fmt.Sprintf("%s cannot be written: %v.", name, reason(err)), Err: err}
}

// reason is the error without the call and the path that Go puts before it.
func reason(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}
