package views

import (
	"strconv"

	"scrinalia/worker"
)

// RunsPage is a page of the ledger with its filters.
type RunsPage struct {
	Frame
	Filter  worker.RunFilter
	Runs    []worker.Run
	Older   int64
	Newer   int64
	Workers []Neighbour
	Labels  map[string]string // of the workers, by name
	One     bool              // all are of one worker
	None    string            // what an empty table says
}

// Polls says whether the page has something to wait for.
func (p RunsPage) Polls() bool {
	for _, r := range p.Runs {
		if r.Status.Active() {
			return true
		}
	}
	return false
}

// Here is the filter of this very page.
func (p RunsPage) Here() worker.RunFilter { return p.Filter }

// Of is the filter of one worker's runs.
func (p RunsPage) Of(name string) worker.RunFilter { return worker.RunFilter{Worker: name} }

// ToOlder and ToNewer are the filters of the pages beside this one.
func (p RunsPage) ToOlder() worker.RunFilter {
	f := p.Filter
	f.Before, f.After = p.Older, 0
	return f
}

// ToNewer is the filter of the page before this one.
func (p RunsPage) ToNewer() worker.RunFilter {
	f := p.Filter
	f.Before, f.After = 0, p.Newer
	return f
}

// Filtered says whether some filter is on.
func (p RunsPage) Filtered() bool {
	return p.Filter.Worker != "" || p.Filter.Status != "" || p.Filter.Fingerprint != ""
}

// Range says which runs the page shows.
func (p RunsPage) Range() string {
	if len(p.Runs) == 0 {
		return ""
	}
	first, last := p.Runs[0].ID, p.Runs[len(p.Runs)-1].ID
	if first == last {
		return p.RunNumber(first)
	}
	return p.T("runs.range", p.RunNumber(first), p.RunNumber(last))
}

// Summary is what is announced when it changes.
func (p RunsPage) Summary() string {
	n := int64(0)
	for _, r := range p.Runs {
		if r.Status.Active() {
			n++
		}
	}
	return p.N("runs.active", n)
}

// Empty is what stands in place of the rows.
func (p RunsPage) Empty() string {
	if p.None != "" {
		return p.None
	}
	if p.Filtered() {
		return p.T("runs.none.filtered")
	}
	return p.T("runs.none")
}

// Columns is the number of columns of the table.
func (p RunsPage) Columns() string {
	if p.One {
		return strconv.Itoa(8)
	}
	return strconv.Itoa(9)
}

// StatusWord names a status for the filter.
func (p RunsPage) StatusWord(s worker.Status) string { return p.T("status." + string(s)) }

// Label is the name of a run's worker.
func (p RunsPage) Label(name string) string { return p.WorkerLabel(name, p.Labels[name]) }

// WaitedFor and RanFor are durations, to the second as long as they grow.
func (p RunsPage) WaitedFor(r worker.Run) string {
	if r.Status == worker.Queued {
		return p.Span(Waited(r, p.Now))
	}
	return p.Duration(Waited(r, p.Now))
}

// RanFor is how long a run ran.
func (p RunsPage) RanFor(r worker.Run) string {
	if r.Status == worker.Running {
		return p.Span(Elapsed(r, p.Now))
	}
	return p.Duration(Elapsed(r, p.Now))
}

// Aside is the line below an outcome: who stopped it, or its error.
func (f Frame) Aside(r worker.Run) string {
	if r.Status == worker.Cancelled && r.CancelRequestedBy != nil {
		return f.T("run.by", f.Asker(*r.CancelRequestedBy))
	}
	return f.FirstLine(r.Error)
}

// EngineLine names the engine and preset of a run, or that it took none.
func (f Frame) EngineLine(c worker.Config) string {
	if c.Engine == nil {
		return f.T("config.nomodel")
	}
	line := f.Value("engine", c.Engine.Value)
	if c.Preset != nil {
		line += " · " + f.Value("preset", c.Preset.Value)
	}
	return line
}
