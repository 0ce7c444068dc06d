package views

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"scrinalia/worker"
)

// FailuresPath is the list of failures with its filters.
func FailuresPath(f worker.FailureFilter) string {
	q := url.Values{}
	if f.Days > 0 && f.Days != worker.FailureDays {
		q.Set("days", strconv.Itoa(f.Days))
	}
	if f.Worker != "" {
		q.Set("worker", f.Worker)
	}
	if len(q) == 0 {
		return "/failures"
	}
	return "/failures?" + q.Encode()
}

// AcknowledgePath is where a cause is acknowledged.
func AcknowledgePath() string { return "/failures/acknowledge" }

// FailuresPage is what failed, by cause.
type FailuresPage struct {
	Frame
	Filter   worker.FailureFilter
	Failures []worker.Failure // the last seen first
	More     bool             // there are causes beyond the list's end
	Workers  []Neighbour
}

// FailureSpans are the days that the filter offers.
var FailureSpans = []int{1, worker.FailureDays, 30, worker.MaxFailureDays}

// Waiting are the causes that ask for attention.
func (p FailuresPage) Waiting() []worker.Failure { return p.only(false) }

// Known are the causes that somebody acknowledged.
func (p FailuresPage) Known() []worker.Failure { return p.only(true) }

func (p FailuresPage) only(acknowledged bool) []worker.Failure {
	var some []worker.Failure
	for _, f := range p.Failures {
		if (f.Acknowledged != nil) == acknowledged {
			some = append(some, f)
		}
	}
	return some
}

// Summary is what is announced when it changes.
func (p FailuresPage) Summary() string { return p.N("failures.waiting", int64(len(p.Waiting()))) }

// Span names the days of the list.
func (p FailuresPage) Span(days int) string {
	if days == 1 {
		return p.T("failures.span.day")
	}
	return p.T("failures.span", strconv.Itoa(days))
}

// KindWord says what failed.
func (p FailuresPage) KindWord(k worker.FailureKind) string { return p.T("failures.kind." + string(k)) }

// Cause is the newest message, short.
func (p FailuresPage) Cause(f worker.Failure) string {
	if line := p.FirstLine(&f.Message); line != "" {
		return line
	}
	return p.T("failures.nomessage")
}

// Touched names the workers and the routes of a cause.
func (p FailuresPage) Touched(f worker.Failure) string {
	names := make([]string, 0, len(f.Workers)+len(f.Routes))
	for _, w := range f.Workers {
		label := ""
		for _, n := range p.Workers {
			if n.Name == w {
				label = n.Label
			}
		}
		names = append(names, p.WorkerLabel(w, label))
	}
	return strings.Join(append(names, f.Routes...), ", ")
}

// LedgerPath is the ledger with the runs of a cause only.
func (p FailuresPage) LedgerPath(f worker.Failure) string {
	return RunsPath(worker.RunFilter{Fingerprint: f.Fingerprint, Worker: p.Filter.Worker})
}

// NewestPath is the newest run of a cause, at its failed units where those are meant.
func (p FailuresPage) NewestPath(f worker.Failure) string {
	if f.Kind == worker.FailedUnit {
		return RunPath(f.RunID) + "#failed"
	}
	return RunPath(f.RunID)
}

// SeenText is what the acknowledgement of a cause covers.
func SeenText(f worker.Failure) string { return f.LastAt.UTC().Format(time.RFC3339Nano) }

// Knows says who acknowledged a cause.
func (p FailuresPage) Knows(a worker.Acknowledgement) string {
	return p.T("failures.knows", p.Asker(a.By), p.When(a.At))
}
