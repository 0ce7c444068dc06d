package worker

import (
	"encoding/json"
	"slices"
	"time"
)

// Status is the state of a run. The last four are final.
type Status string

// The states of a run.
const (
	Queued      Status = "QUEUED"
	Running     Status = "RUNNING"
	Success     Status = "SUCCESS"
	Failed      Status = "FAILED"
	Interrupted Status = "INTERRUPTED"
	Cancelled   Status = "CANCELLED"
)

// Statuses lists every state, in the order of a run's life.
var Statuses = []Status{Queued, Running, Success, Failed, Interrupted, Cancelled}

// Known says whether s is one of Statuses.
func (s Status) Known() bool { return slices.Contains(Statuses, s) }

// Active says whether a run in this state is still in flight.
func (s Status) Active() bool { return s == Queued || s == Running }

func (s Status) word() string {
	if s == Queued {
		return "queued"
	}
	return "running"
}

// Trigger is where a run was asked for.
type Trigger string

// Where runs are asked for.
const (
	Panel Trigger = "PANEL"
	CLI   Trigger = "CLI"
	API   Trigger = "API"
)

// Counts are a run's units: how many were done, failed, or left because somebody changed them meanwhile.
type Counts struct {
	Processed int64 `json:"processed"`
	Failed    int64 `json:"failed"`
	Skipped   int64 `json:"skipped"`
}

// Add returns the sum of both.
func (c Counts) Add(o Counts) Counts {
	return Counts{c.Processed + o.Processed, c.Failed + o.Failed, c.Skipped + o.Skipped}
}

// Sum is the number of units that were looked at.
func (c Counts) Sum() int64 { return c.Processed + c.Failed + c.Skipped }

// Run is one row of the ledger, whatever started it.
type Run struct {
	ID                int64           `json:"id"`
	Worker            string          `json:"worker"`
	Status            Status          `json:"status"`
	Trigger           Trigger         `json:"trigger"`
	RequestedBy       string          `json:"requested_by"`
	Config            Config          `json:"config"`
	DryRun            bool            `json:"dry_run"`
	QueuedAt          time.Time       `json:"queued_at"`
	StartedAt         *time.Time      `json:"started_at"`
	FinishedAt        *time.Time      `json:"finished_at"`
	DurationMS        *int64          `json:"duration_ms"` // from started to finished
	Total             *int64          `json:"total"`       // nil until the queue was counted at the start
	Counts                            // processed, failed, skipped
	LastProgressAt    *time.Time      `json:"last_progress_at"`
	HeartbeatAt       *time.Time      `json:"heartbeat_at"`
	CurrentUnit       *string         `json:"current_unit"`
	Owner             *string         `json:"owner"`
	CancelRequestedAt *time.Time      `json:"cancel_requested_at"`
	CancelRequestedBy *string         `json:"cancel_requested_by"`
	Error             *string         `json:"error"`
	ErrorFingerprint  *string         `json:"error_fingerprint"`
	Notes             map[string]Note `json:"notes,omitempty"`
	PipelineID        *int64          `json:"pipeline_id,omitempty"` // the pipeline that it is a part of
}

// Note is one thing that a run counted beside its units: unknown levels, orphans, rewritten titles. Examples are few.
type Note struct {
	Count    int64    `json:"count"`
	Examples []string `json:"examples,omitempty"`
}

// RuleMatch begins the names of notes that count the matches of one rule; the rule's name follows.
const RuleMatch = "RULE_MATCH:"

// LLMSuspect begins the reason of a title that the engine of the LLM_CHECK rule suspects; what the engine says follows.
const LLMSuspect = "LLM_SUSPECT:"

// Since is when the run began to be what it is: started, or queued as long as it is not.
func (r Run) Since() time.Time {
	if r.StartedAt != nil {
		return *r.StartedAt
	}
	return r.QueuedAt
}

// Cancelling says whether the run was told to stop and has not stopped yet.
func (r Run) Cancelling() bool { return r.Status == Running && r.CancelRequestedAt != nil }

// UnmarshalNotes reads the stored notes; a broken value is no reason to lose the run.
func UnmarshalNotes(raw []byte) map[string]Note {
	notes := map[string]Note{}
	if json.Unmarshal(raw, &notes) != nil {
		return nil
	}
	return notes
}

// UnitFailure is a unit that failed alone, with its error.
type UnitFailure struct {
	Unit  int64  `json:"unit"`
	Name  string `json:"name"` // how people know the unit: a reference code or an id of the source
	Error string `json:"error"`
}

// Queue is what waits for a worker and what it has done; nil Pending means not measured, and UnmeasurableReason says why.
type Queue struct {
	Pending   *int64 `json:"pending"`
	Processed int64  `json:"processed"`
	Failed    int64  `json:"failed"`
	GivenUp   int64  `json:"given_up,omitempty"` // of the failed: trying again would end the same, so these do not wait
	Stale     int64  `json:"stale"`
	// StaleBecause says with what else the stale units were processed, most units first, at most a few.
	StaleBecause       []StaleGroup `json:"stale_because,omitempty"`
	UnmeasurableReason *string      `json:"unmeasurable_reason"`
	CountedMS          int64        `json:"counted_ms"`
	Eligible           *int64       `json:"-"` // what a forced run reads, where it is not pending + processed
	Behind             int64        `json:"-"` // how many names have to be compared before the pairs can be counted
}
