package localpg

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
)

// What an error of this package may be, for errors.Is.
var (
	// ErrNoBinaries means that no PostgreSQL server is installed.
	ErrNoBinaries = errors.New("no PostgreSQL server was found: install one " +
		"(apt-get install postgresql; on macOS: brew install postgresql), or set DATABASE_URL to use another")
	// ErrVersion means that what is installed is too old, or is of another
	// major version than the cluster.
	ErrVersion = errors.New("the version of PostgreSQL does not fit")
	// ErrDiskFull means that the disk of the data directory is full.
	ErrDiskFull = errors.New("no space is left on the disk")
	// ErrAccess means that the program, or the user that the server runs as,
	// may not enter or write a folder.
	ErrAccess = errors.New("a folder cannot be used")
	// ErrBusy means that another process kept the data directory locked.
	ErrBusy = errors.New("the data directory is in use")
	// ErrStart means that the server was found but could not be made to serve.
	ErrStart = errors.New("PostgreSQL could not be started")
	// ErrStop means that the server would not end.
	ErrStop = errors.New("PostgreSQL could not be stopped")
)

var errStartTimeout = fmt.Errorf("it was not ready after %s", startTimeout)

// Error is an error with a sentence to show. Kind is one of this package's
// Err variables; Err, which may be nil, is what lies beneath, for the log.
type Error struct {
	Kind error
	Msg  string
	Err  error
}

func (e *Error) Error() string { return e.Msg }

// Unwrap lets errors.Is find both the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}

func failure(kind, cause error, format string, args ...any) *Error {
	return &Error{Kind: kind, Msg: fmt.Sprintf(format, args...), Err: cause}
}

// folderError says in words why a folder or file could not be made or read.
func folderError(path string, err error) error {
	switch {
	case isDiskFull(err, ""):
		return diskFull(path, err)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return failure(ErrAccess, err, "%s cannot be written by this user: "+
			"give the user the right to, or choose another SCRINALIA_DATA_DIR", path)
	case errors.Is(err, syscall.ENOTDIR):
		return failure(ErrAccess, err, "%s cannot be a folder, because a file is in its place: "+
			"choose another SCRINALIA_DATA_DIR", path)
	}
	return failure(ErrAccess, err, "%s cannot be used: %v", path, reason(err))
}

// reason strips an error of its operation and path, which the sentence around
// it already names.
func reason(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

func diskFull(path string, err error) error {
	return failure(ErrDiskFull, err, "no space is left on the disk of %s: free some and start again", path)
}

// isDiskFull knows a full disk by the system's error or by what a program of
// PostgreSQL printed; they are run in the C locale for that.
func isDiskFull(err error, output string) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) ||
		strings.Contains(output, "No space left on device") || strings.Contains(output, "Disk quota exceeded")
}

// gaveUp is the error of a wait that ctx ended.
func gaveUp(ctx context.Context, doing, tail string) error {
	cause := context.Cause(ctx)
	if errors.Is(cause, errStartTimeout) {
		return failure(ErrStart, cause, "%s: %v%s", doing, cause, tail)
	}
	return failure(ErrStart, cause, "%s was interrupted (%v)%s", doing, cause, tail)
}
