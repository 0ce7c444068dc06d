package worker

import (
	"fmt"
	"time"
)

// Pipeline is the workers in order, each its own run. Its status is Running until it ends as the first run that does not succeed, or with
// Success. Its JSON is a contract.
type Pipeline struct {
	ID                int64      `json:"id"`
	Status            Status     `json:"status"`
	Trigger           Trigger    `json:"trigger"`
	RequestedBy       string     `json:"requested_by"`
	Workers           []string   `json:"workers"`
	Arguments         Settings   `json:"arguments"`
	StartedAt         time.Time  `json:"started_at"`
	FinishedAt        *time.Time `json:"finished_at"`
	CancelRequestedAt *time.Time `json:"cancel_requested_at"`
	CancelRequestedBy *string    `json:"cancel_requested_by"`
	Error             *string    `json:"error"`
	Runs              []Run      `json:"runs"`
}

// PipelineRequest asks for a pipeline of every worker. The engine and preset of the arguments are for the workers that take one.
type PipelineRequest struct {
	Arguments   Settings
	Trigger     Trigger
	RequestedBy string
}

// Active says whether the pipeline is under way.
func (p Pipeline) Active() bool { return p.FinishedAt == nil }

// Current is the run that is queued or under way; nil between two.
func (p Pipeline) Current() *Run {
	if n := len(p.Runs); n > 0 && p.Runs[n-1].Status.Active() {
		return &p.Runs[n-1]
	}
	return nil
}

// Step says what a pipeline under way does next: run the next worker, or end. It does nothing while a run is under way.
func (p Pipeline) Step() (next string, ends Status) {
	n := len(p.Runs)
	switch {
	case p.Current() != nil:
		return "", ""
	case n > 0 && p.Runs[n-1].Status != Success:
		return "", p.Runs[n-1].Status
	case p.CancelRequestedAt != nil && n < len(p.Workers):
		return "", Cancelled
	case n < len(p.Workers):
		return p.Workers[n], ""
	}
	return "", Success
}

// For are the arguments for one worker of a pipeline.
func (s Settings) For(d Definition) Settings {
	if len(d.EngineChoices()) == 0 {
		s.Engine, s.Preset = "", ""
	}
	return s
}

// PipelineError says that a pipeline is under way already; it carries that pipeline.
type PipelineError struct{ Pipeline Pipeline }

// Error names the pipeline in the way, who started it and since when.
func (e *PipelineError) Error() string {
	return fmt.Sprintf("Pipeline #%d is under way, started by %s at %s. Nothing was started.",
		e.Pipeline.ID, e.Pipeline.RequestedBy, e.Pipeline.StartedAt.UTC().Format("2006-01-02 15:04:05 MST"))
}

// As lets KindOf see a Conflict.
func (e *PipelineError) As(target any) bool {
	if t, ok := target.(**Error); ok {
		*t = &Error{Kind: Conflict, Msg: e.Error()}
		return true
	}
	return false
}
