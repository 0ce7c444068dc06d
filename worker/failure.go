package worker

import (
	"slices"
	"time"
)

// FailureKind is what failed.
type FailureKind string

// What fails: a run as a whole, single units of a run, or the server's answer to a request.
const (
	FailedRun     FailureKind = "RUN"
	FailedUnit    FailureKind = "UNIT"
	FailedRequest FailureKind = "REQUEST"
)

// FailureKinds lists every kind.
var FailureKinds = []FailureKind{FailedRun, FailedUnit, FailedRequest}

// Known says whether k is one of FailureKinds.
func (k FailureKind) Known() bool { return slices.Contains(FailureKinds, k) }

// Failure is everything that failed in one way for one cause. The counts are of runs, units or requests.
type Failure struct {
	Kind         FailureKind      `json:"kind"`
	Fingerprint  string           `json:"fingerprint"`
	Message      string           `json:"message"` // the newest
	Counts       FailureCounts    `json:"counts"`
	FirstAt      time.Time        `json:"first_at"`
	LastAt       time.Time        `json:"last_at"`
	Workers      []string         `json:"workers"`
	Routes       []string         `json:"routes"`               // of failed requests
	RunID        int64            `json:"run_id,omitempty"`     // the newest run; 0 for requests
	RequestID    string           `json:"request_id,omitempty"` // of the newest request: the log has it too
	Acknowledged *Acknowledgement `json:"acknowledged"`         // nil also when it was seen again after that
}

// FailureCounts say how often, by how long ago.
type FailureCounts struct {
	Hour  int64 `json:"1h"`
	Day   int64 `json:"24h"`
	Week  int64 `json:"7d"`
	Month int64 `json:"30d"`
}

// Acknowledgement is a person's word that a cause is known, up to the moment SeenAt.
type Acknowledgement struct {
	SeenAt time.Time `json:"seen_at"`
	At     time.Time `json:"at"`
	By     string    `json:"by"`
	Note   string    `json:"note"`
}

// The days that failures may be listed for, and those that they are.
const (
	FailureDays    = 7
	MaxFailureDays = 90
)

// FailureFilter narrows the list: causes seen in the last Days (0: FailureDays), of one worker.
type FailureFilter struct {
	Days   int
	Worker string
}

// FailureList is what is listed. More says that there are causes beyond the list's end.
type FailureList struct {
	Failures []Failure
	More     bool
}

// Acknowledging is what a person says about a cause. Zero SeenAt stands for all that was seen by now.
type Acknowledging struct {
	Kind        FailureKind
	Fingerprint string
	SeenAt      time.Time
	By          string
	Channel     Trigger
	Note        string
}

// ServerError is an answer that failed for a reason nobody foresaw.
type ServerError struct {
	At        time.Time
	Route     string // with its method
	Worker    string // that the address named; may be empty
	RequestID string
	Message   string
}
