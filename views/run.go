package views

import (
	"strings"

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
	// Before is the configuration of the previous run; nil when there is none.
	Before *worker.Config
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

// Settings are the values that the run was made with, each with what it was in the previous run where that differs.
func (p RunPage) Settings() []Setting {
	rows := p.Frame.Settings(p.Run.Config, p.Def)
	for _, d := range p.Differences() {
		for i := range rows {
			if rows[i].Name == d.Name && d.Was != nil {
				rows[i].Was = p.T("run.was", p.SetWord(p.Def, d.Name, d.Was), p.RunNumber(p.Previous))
			} else if rows[i].Name == d.Name {
				rows[i].Was = p.T("run.wasnot", p.RunNumber(p.Previous))
			}
		}
	}
	return rows
}

// Differences are the values that differ from those of the previous run.
func (p RunPage) Differences() []worker.Difference {
	if p.Before == nil {
		return nil
	}
	return worker.Compare(*p.Before, p.Run.Config)
}

// DiffersLine says in how many settings the run differs from the one before; empty when there is none.
func (p RunPage) DiffersLine() string {
	n := int64(len(p.Differences()))
	switch {
	case p.Before == nil:
		return ""
	case n == 0:
		return p.T("run.differs.none", p.RunNumber(p.Previous))
	}
	return p.N("run.differs", n, p.RunNumber(p.Previous))
}

// Gone lists what the previous run was set to and this one has no place for.
func (p RunPage) Gone() string {
	var gone []string
	for _, d := range p.Differences() {
		if d.Now == nil {
			gone = append(gone, p.OptionLabel(d.Name)+" "+p.SetWord(p.Def, d.Name, d.Was))
		}
	}
	return strings.Join(gone, "; ")
}

// FieldWord names the changed column.
func (p RunPage) FieldWord(c worker.Change) string { return p.Or("field."+c.Field, c.Field) }

// UnitName is how people know a changed or failed unit.
func UnitName(name string, id int64) string {
	if name != "" {
		return name
	}
	return "#" + itoa(id)
}
