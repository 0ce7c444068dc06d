package worker

import (
	"errors"
	"fmt"
	"strings"
)

// Kind classifies an error by what it means to whoever caused it. The zero value is Internal, so that an error
// nobody classified is never shown.
type Kind uint8

// The kinds, with the HTTP status that handlers answer.
const (
	Internal    Kind = iota // 500: a bug or a surprise; logged, not shown
	NotFound                // 404
	Invalid                 // 422: refused; Fields says why, field by field
	Conflict                // 409: something is in the way
	Unavailable             // 503: a service that is needed does not answer
)

// Error is an error that people may be shown: Msg is a sentence for them, Err the cause for the log.
type Error struct {
	Kind   Kind
	Msg    string
	Fields map[string]string // field -> what is wrong with it and what would be accepted
	Err    error
}

// Error returns the sentence, and the cause behind it.
func (e *Error) Error() string {
	if e.Err != nil {
		return strings.TrimSuffix(e.Msg, ".") + ": " + e.Err.Error()
	}
	return e.Msg
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an Error of a kind from a sentence; a %w verb keeps its operand as the cause without showing it twice.
func Errorf(kind Kind, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Kind: kind, Msg: err.Error(), Err: errors.Unwrap(err)}
}

// KindOf is the kind of the first Error in err's chain, else Internal.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Internal
}

// InFlightError says that a run of the worker is queued or running already; it carries that run.
type InFlightError struct{ Run Run }

// Error names the run in the way, who started it and since when.
func (e *InFlightError) Error() string {
	return fmt.Sprintf("%s already has a run in flight: #%d, %s, started by %s at %s. Nothing was started.",
		e.Run.Worker, e.Run.ID, e.Run.Status.word(), e.Run.RequestedBy, e.Run.Since().UTC().Format("2006-01-02 15:04:05 MST"))
}

// As lets KindOf see a Conflict.
func (e *InFlightError) As(target any) bool {
	if t, ok := target.(**Error); ok {
		*t = &Error{Kind: Conflict, Msg: e.Error()}
		return true
	}
	return false
}
