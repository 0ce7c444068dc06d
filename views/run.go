package views

import (
	"scrinalia/worker"
)

// RunPage is one run of the ledger.
type RunPage struct {
	Frame
	Run       worker.Run
	Def       worker.Definition
	Label     string
	Previous  int64
	Following int64
	// Failures are units that failed alone, from the one after FailuresAfter; MoreFailures continues the list.
	Failures      []worker.UnitFailure
	FailuresAfter int64
	MoreFailures  int64
	Changes       []worker.Change
	ChangesAfter  int64
	MoreChanges   int64
}

// Polls says whether the page has something to wait for.
func (p RunPage) Polls() bool { return p.Run.Status.Active() }

// Title is the page's name.
func (p RunPage) Title() string { return p.T("run.title", p.Num(p.Run.ID)) }

// Summary is what is announced when it changes.
func (p RunPage) Summary() string { return p.Title() + ": " + p.Outcome(p.Run).Word }

// WorkerTitle is the name of the run's worker.
func (p RunPage) WorkerTitle() string { return p.WorkerLabel(p.Run.Worker, p.Label) }

// Started says who asked for the run, and where.
func (p RunPage) Started() string {
	who := p.Who(p.Run)
	if w := p.Where(p.Run); w != "" {
		who += ", " + w
	}
	return p.T("run.startedby", who)
}

// Meaning is the sentence that says what the outcome means for the units.
func (p RunPage) Meaning() string {
	r := p.Run
	switch {
	case r.DryRun && !r.Status.Active():
		return p.T("meaning.dry")
	case r.Status == worker.Success && r.Failed > 0:
		return p.N("meaning.partly", r.Failed)
	case r.Status == worker.Success && r.Sum() == 0:
		return p.T("meaning.nothing")
	case r.Status == worker.Failed:
		return p.T("meaning.FAILED")
	case r.Status == worker.Interrupted:
		return p.T("meaning.INTERRUPTED")
	case r.Status == worker.Cancelled && r.StartedAt == nil:
		return p.T("meaning.unqueued")
	case r.Status == worker.Cancelled:
		return p.T("meaning.CANCELLED")
	case r.Cancelling():
		return p.T("meaning.stopping")
	}
	return ""
}

// Ran says how long the run ran and how fast.
func (p RunPage) Ran() string {
	ran := p.Duration(Elapsed(p.Run, p.Now))
	if p.Run.FinishedAt == nil {
		ran = p.Span(Elapsed(p.Run, p.Now))
	}
	if s := p.Speed(p.Run); s != "" {
		ran += ", " + s
	}
	if p.Run.FinishedAt == nil {
		return p.T("run.ransofar", ran)
	}
	return p.T("run.ran", ran)
}

// WaitedWords says how long the run was queued.
func (p RunPage) WaitedWords() string {
	d := p.Duration(Waited(p.Run, p.Now))
	if p.Run.StartedAt == nil && p.Run.FinishedAt == nil {
		return p.T("run.waitssofar", p.Span(Waited(p.Run, p.Now)))
	}
	return p.T("run.waited", d)
}

// StopAsked says who asked the run to stop, and when.
func (p RunPage) StopAsked() string {
	if p.Run.CancelRequestedAt == nil {
		return ""
	}
	return p.T("run.stopasked", p.Asker(value(p.Run.CancelRequestedBy)), p.Moment(*p.Run.CancelRequestedAt))
}

// SameCause is the filter of the runs that failed for the same reason.
func (p RunPage) SameCause() worker.RunFilter {
	return worker.RunFilter{Fingerprint: value(p.Run.ErrorFingerprint)}
}

// Settings are the values that the run was made with.
func (p RunPage) Settings() []Setting { return p.Frame.Settings(p.Run.Config, p.Def) }

// FieldWord names the changed column.
func (p RunPage) FieldWord(c worker.Change) string { return p.Or("field."+c.Field, c.Field) }

// UnitName is how people know a changed or failed unit.
func UnitName(name string, id int64) string {
	if name != "" {
		return name
	}
	return "#" + itoa(id)
}
