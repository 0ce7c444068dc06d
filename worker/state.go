package worker

// State is a worker as the panel shows it: what it is, what a run would use now, what waits, and what ran. Its JSON is a contract.
type State struct {
	Name         string            `json:"name"`
	Order        int               `json:"order"`
	Label        string            `json:"label"`
	Description  string            `json:"description"`
	Unit         Unit              `json:"unit"`
	Governed     bool              `json:"governed"`
	Axis         Axis              `json:"axis,omitempty"`
	EngineSource EngineSource      `json:"engine_source"`
	Engines      []EngineChoice    `json:"engines,omitempty"` // what a run may ask for
	Queue        Queue             `json:"queue"`
	Config       Config            `json:"config"`
	Overridden   bool              `json:"overridden"`
	NotApplied   map[string]string `json:"not_applied,omitempty"` // what an override says that no longer fits: field -> why
	Note         *string           `json:"note"`
	RuleBroken   bool              `json:"rule_broken,omitempty"` // the rule asks for an engine that cannot be had; Note says which
	ActiveRun    *Run              `json:"active_run"`
	LastRun      *Run              `json:"last_run"`
}

// Request asks for one run.
type Request struct {
	Worker      string
	Arguments   Settings
	Trigger     Trigger
	RequestedBy string
}

// RunFilter selects a page of the ledger. Zero fields match everything.
type RunFilter struct {
	Worker      string
	Status      Status
	Fingerprint string
	Before      int64 // runs below this id, newest first
	After       int64 // runs above this id; the page nearest to it
	Limit       int   // rows of a page; 0 means 50
}

// RunPage is a page of the ledger, newest first.
type RunPage struct {
	Runs  []Run
	Older int64 // Before of the next page, 0 when there is none
	Newer int64 // After of the page before, 0 when there is none
}

// Change is one thing that a run changed.
type Change struct {
	ID       int64   `json:"id"`
	UnitKind string  `json:"unit_kind"`
	UnitID   int64   `json:"unit_id"`
	UnitName string  `json:"unit_name"`
	Field    string  `json:"field"`
	Before   *string `json:"before"`
	After    *string `json:"after"`
	Rule     string  `json:"rule,omitempty"`
}

// Latest are the runs of a worker that a table shows: the one in flight and the last one that ended.
type Latest struct{ Active, Last *Run }

// NewState is a worker with a resolved configuration, before its queue and runs are known.
func NewState(d Definition, r Resolution, overridden bool) State {
	s := State{
		Name: d.Name, Order: d.Order, Label: d.Label, Description: d.Description, Unit: d.Unit, Governed: d.Governed, Axis: d.Axis,
		EngineSource: d.EngineSource, Engines: d.EngineChoices(), Config: r.Config, Overridden: overridden, NotApplied: r.Ignored,
	}
	switch {
	case r.Problem != nil:
		said := r.Problem.Error()
		s.Note, s.RuleBroken = &said, true
	case d.Note != "" && r.Config.Rule == nil:
		s.Note = &d.Note
	}
	return s
}
