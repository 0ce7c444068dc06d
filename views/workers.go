package views

import (
	"strings"

	"scrinalia/worker"
)

// WorkersPage is the table of workers.
type WorkersPage struct {
	Frame
	Rows     []WorkerRow
	Empty    bool             // nothing was imported yet, and the table is shown on demand
	Pipeline *worker.Pipeline // the one under way
}

// WorkerRow is one worker of the table.
type WorkerRow struct {
	Frame
	worker.State
	Def worker.Definition
}

// Polls says whether the page has something to wait for.
func (p WorkersPage) Polls() bool {
	if p.Pipeline != nil {
		return true
	}
	for _, r := range p.Rows {
		if r.ActiveRun != nil {
			return true
		}
	}
	return false
}

// Attention is something that a person should look at.
type Attention struct {
	WorkerRow
	Icon, Class string
	Fact, Text  string
	Link, Path  string
}

// Attention lists the last runs that failed or were interrupted with nothing running since, rules that ask for what there is not, and
// overrides that no longer hold.
func (p WorkersPage) Attention() []Attention {
	var items []Attention
	for _, r := range p.Rows {
		if last := r.LastRun; last != nil && r.ActiveRun == nil && (last.Status == worker.Failed || last.Status == worker.Interrupted) {
			o := p.Outcome(*last)
			fact := p.T("attention.failed", r.Title())
			if last.Status == worker.Interrupted {
				fact = p.T("attention.interrupted", r.Title())
			}
			items = append(items, Attention{r, o.Icon, o.Class, fact, r.AttentionText(), p.T("attention.link"), RunPath(last.ID)})
		}
		if r.RuleBroken {
			items = append(items, Attention{r, "s-warn", "warn", p.T("attention.rule", r.Title()), "", p.T("attention.override.link"), WorkerPath(r.Name)})
		}
		if len(r.NotApplied) > 0 {
			items = append(items, Attention{r, "s-warn", "warn", p.T("attention.override", r.Title()), "", p.T("attention.override.link"), WorkerPath(r.Name)})
		}
	}
	return items
}

// AnyOverride says whether some value is set here, so that the mark is explained.
func (p WorkersPage) AnyOverride() bool {
	for _, r := range p.Rows {
		if r.Overridden {
			return true
		}
	}
	return false
}

// Lede is the sentence below the title.
func (p WorkersPage) Lede() string { return p.N("workers.lede", int64(len(p.Rows))) }

// Summary is what is announced to a screen reader when it changes.
func (p WorkersPage) Summary() string {
	var parts []string
	for _, r := range p.Rows {
		if r.ActiveRun != nil {
			parts = append(parts, r.Title()+": "+p.Outcome(*r.ActiveRun).Word)
		}
	}
	if len(parts) == 0 {
		return p.T("workers.idle")
	}
	return strings.Join(parts, "; ")
}

// Title is the worker's name as people read it.
func (r WorkerRow) Title() string { return r.WorkerLabel(r.Name, r.Label) }

// UnitWord is what the worker's queue counts.
func (r WorkerRow) UnitWord() string { return r.Or("unit."+string(r.Unit), string(r.Unit)) }

// Ordinal is the worker's number in the order.
func (r WorkerRow) Ordinal() string { return itoa(int64(r.Order)) }

// Units counts things in the worker's own unit: 4,844 documents.
func (r WorkerRow) Units(n int64) string {
	if _, ok := r.Lang.find("units." + string(r.Unit) + ".other"); ok {
		return r.N("units."+string(r.Unit), n)
	}
	return r.Num(n) + " " + string(r.Unit)
}

// HasModel says whether an engine does the work.
func (r WorkerRow) HasModel() bool { return r.Config.Engine != nil }

// Model is what the engine is built from, in short.
func (r WorkerRow) Model() string {
	for _, name := range []string{"model", "name"} {
		if v, ok := r.Config.Resolved[name]; ok {
			return r.Value(name, v)
		}
	}
	return ""
}

// Overrides lists the options that were set here.
func (r WorkerRow) Overrides() []Setting {
	var set []Setting
	for _, s := range r.Settings(r.Config, r.Def) {
		if s.Origin == worker.FromOverride && s.Name != "engine" && s.Name != "preset" {
			set = append(set, s)
		}
	}
	return set
}

// Everything is the number of units that a forced run reads, and whether it is known.
func (r WorkerRow) Everything() (int64, bool) {
	if r.Queue.Pending == nil {
		return 0, false
	}
	if r.Queue.Eligible != nil {
		return *r.Queue.Eligible, true
	}
	return *r.Queue.Pending + r.Queue.Processed, true
}

// CanForce says whether the worker can read units again.
func (r WorkerRow) CanForce() bool {
	_, ok := r.Def.Option("force")
	return ok
}

// Unmeasured says why the queue has no number.
func (r WorkerRow) Unmeasured() string {
	if r.Queue.Behind > 0 {
		return r.N("queue.unmeasured.behind", r.Queue.Behind)
	}
	if reason := value(r.Queue.UnmeasurableReason); reason != "" {
		if reason == r.Def.Unmeasurable {
			return r.Or("worker."+r.Name+".unmeasurable", reason)
		}
		return reason
	}
	return r.T("queue.unmeasured.why")
}

// Busy says why no run can be started: one is active. It is empty when there is none.
func (r WorkerRow) Busy() string {
	switch {
	case r.ActiveRun == nil:
		return ""
	case r.ActiveRun.Status == worker.Queued:
		return r.T("action.busy.queued", r.RunNumber(r.ActiveRun.ID))
	}
	return r.T("action.busy.running", r.RunNumber(r.ActiveRun.ID))
}

// RowClass marks the row that runs.
func (r WorkerRow) RowClass() string {
	if r.ActiveRun != nil && r.ActiveRun.Status == worker.Running {
		return "on"
	}
	return ""
}

// LastLine is what the last run left, in short: the error of one that failed, the count of one that did not.
func (r WorkerRow) LastLine() string {
	if e := r.FirstLine(r.LastRun.Error); e != "" {
		return e
	}
	return r.N("count.processed", r.LastRun.Processed)
}

// AttentionText says what happened to the last run.
func (r WorkerRow) AttentionText() string {
	run := *r.LastRun
	end := run.QueuedAt
	if run.FinishedAt != nil {
		end = *run.FinishedAt
	}
	if run.Status == worker.Interrupted {
		return r.T("attention.interrupted.text", r.RunNumber(run.ID), r.When(end), r.Num(run.Processed))
	}
	return r.T("attention.failed.text", r.RunNumber(run.ID), r.When(end), strings.TrimRight(r.FirstLine(run.Error), ". "))
}
