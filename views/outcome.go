package views

import (
	"strings"
	"time"

	"scrinalia/worker"
)

// Outcome is a state as it is shown: a shape, a word, and the class that colours the shape.
type Outcome struct{ Icon, Class, Word string }

// Outcome tells a run's state. A success with failed units says so.
func (f Frame) Outcome(r worker.Run) Outcome {
	switch r.Status {
	case worker.Queued:
		return Outcome{"s-queue", "still", f.T("status.QUEUED")}
	case worker.Running:
		if r.Cancelling() {
			return Outcome{"s-stop", "run", f.T("status.stopping")}
		}
		return Outcome{"s-run", "run", f.T("status.RUNNING")}
	case worker.Success:
		if r.Failed > 0 {
			return Outcome{"s-part", "warn", f.N("status.partly", r.Failed)}
		}
		return Outcome{"s-ok", "ok", f.T("status.SUCCESS")}
	case worker.Failed:
		return Outcome{"s-fail", "bad", f.T("status.FAILED")}
	case worker.Interrupted:
		return Outcome{"s-int", "warn", f.T("status.INTERRUPTED")}
	case worker.Cancelled:
		return Outcome{"s-can", "still", f.T("status.CANCELLED")}
	}
	return Outcome{"s-unk", "still", string(r.Status)}
}

// Elapsed is how long a run ran, or runs by now. It is 0 for one that did not start.
func Elapsed(r worker.Run, now time.Time) time.Duration {
	switch {
	case r.DurationMS != nil:
		return time.Duration(*r.DurationMS) * time.Millisecond
	case r.StartedAt == nil:
		return 0
	case r.FinishedAt != nil:
		return max(r.FinishedAt.Sub(*r.StartedAt), 0)
	}
	return max(now.Sub(*r.StartedAt), 0)
}

// Waited is how long a run was queued, or is queued by now.
func Waited(r worker.Run, now time.Time) time.Duration {
	switch {
	case r.StartedAt != nil:
		return max(r.StartedAt.Sub(r.QueuedAt), 0)
	case r.FinishedAt != nil:
		return max(r.FinishedAt.Sub(r.QueuedAt), 0)
	}
	return max(now.Sub(r.QueuedAt), 0)
}

// pace is the time that the counted units took: up to the last progress of a run that goes on.
func pace(r worker.Run, now time.Time) time.Duration {
	if r.Status == worker.Running && r.StartedAt != nil && r.LastProgressAt != nil && r.LastProgressAt.After(*r.StartedAt) {
		return r.LastProgressAt.Sub(*r.StartedAt)
	}
	return Elapsed(r, now)
}

// Speed is the rate of a run in words; empty when there is nothing to tell.
func (f Frame) Speed(r worker.Run) string { return f.Rate(r.Sum(), pace(r, f.Now)) }

// Left is how long a run will still take, in words; empty when that cannot be told.
func (f Frame) Left(r worker.Run) string {
	done, took := r.Sum(), pace(r, f.Now)
	if r.Status != worker.Running || r.Total == nil || done <= 0 || *r.Total <= done || took < time.Second {
		return ""
	}
	left := time.Duration(float64(took) / float64(done) * float64(*r.Total-done))
	return f.T("run.left", f.Duration(left.Round(time.Second)))
}

// Progress is how far a run is, in words: 812 of 4,844, 41/s, about 1 min 38 s left.
func (f Frame) Progress(r worker.Run) string {
	parts := []string{f.Done(r)}
	if r.Failed > 0 {
		parts = append(parts, f.N("count.failed", r.Failed))
	}
	if s := f.Speed(r); s != "" {
		parts = append(parts, s)
	}
	if s := f.Left(r); s != "" {
		parts = append(parts, s)
	}
	return strings.Join(parts, ", ")
}

// Done is the number of units that were looked at, of all where that is known.
func (f Frame) Done(r worker.Run) string {
	if r.Total != nil {
		return f.T("run.of", f.Num(r.Sum()), f.Num(*r.Total))
	}
	return f.T("run.sofar", f.Num(r.Sum()))
}

// By says who asked for a run. The address of the panel or the API is part of what was stored.
func (f Frame) By(r worker.Run) string { return f.T("run.by", f.Who(r)) }

// Who is who asked for a run.
func (f Frame) Who(r worker.Run) string { return f.Asker(r.RequestedBy) }

// Asker writes who asked in the page's language: until there are accounts that is the panel or the API with an address.
func (f Frame) Asker(by string) string {
	if address, ok := strings.CutPrefix(by, "panel "); ok {
		return f.T("who.panel", address)
	}
	return by
}

// Where is where a run was asked for, unless who asked says so already.
func (f Frame) Where(r worker.Run) string {
	if strings.HasPrefix(r.RequestedBy, "panel ") || strings.Contains(r.RequestedBy, "API ") {
		return ""
	}
	return f.TriggerWord(r.Trigger)
}

// TriggerWord is where a run was asked for, in a word.
func (f Frame) TriggerWord(t worker.Trigger) string { return f.Or("trigger."+string(t), string(t)) }

// FirstLine is the first line of an error in the page's language, cut for a table.
func (f Frame) FirstLine(s *string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(value(s)), "\n")
	line = f.Sentence(line)
	if r := []rune(line); len(r) > 160 {
		return strings.TrimSpace(string(r[:160])) + "…"
	}
	return line
}

// value reads a pointer to text.
func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
