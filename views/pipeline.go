package views

import (
	"slices"

	"scrinalia/worker"
)

// PipelinesPath is where a pipeline is asked for.
func PipelinesPath() string { return "/pipelines" }

// PipelinePath is the address of one pipeline.
func PipelinePath(id int64) string { return PipelinesPath() + "/" + itoa(id) }

// CancelPipelinePath is where a pipeline is told to stop.
func CancelPipelinePath(id int64) string { return PipelinePath(id) + "/cancel" }

// PipelinePage is one pipeline.
type PipelinePage struct {
	Frame
	worker.Pipeline
	Labels map[string]string // of the workers in English, by name
}

// Step is one worker of a pipeline.
type Step struct {
	Ordinal string
	Name    string
	Label   string
	Run     *worker.Run // nil before it starts
}

// Steps lists the workers of the pipeline, with their runs as far as there are any.
func (p PipelinePage) Steps() []Step {
	steps := make([]Step, len(p.Workers))
	for i, name := range p.Workers {
		steps[i] = Step{Ordinal: itoa(int64(i + 1)), Name: name, Label: p.WorkerLabel(name, p.Labels[name])}
		if i < len(p.Runs) {
			steps[i].Run = &p.Runs[i]
		}
	}
	return steps
}

// PipelineOutcome tells a pipeline's state.
func (f Frame) PipelineOutcome(p worker.Pipeline) Outcome {
	return f.Outcome(worker.Run{Status: p.Status, CancelRequestedAt: p.CancelRequestedAt})
}

// Unstarted says why a worker of the pipeline has no run.
func (p PipelinePage) Unstarted() string {
	if p.Active() {
		return p.T("pipeline.waits")
	}
	return p.T("pipeline.notrun")
}

// Summary is what is announced when it changes.
func (p PipelinePage) Summary() string {
	return p.PipelineOutcome(p.Pipeline).Word + ". " + p.StepsDone()
}

// StepsDone says how far the pipeline is.
func (p PipelinePage) StepsDone() string {
	return p.T("pipeline.step", p.Num(int64(len(p.Runs))), p.Num(int64(len(p.Workers))))
}

// pipelinePage is the pipeline that the table of workers shows.
func (p WorkersPage) pipelinePage() PipelinePage {
	page := PipelinePage{Frame: p.Frame, Pipeline: *p.Pipeline, Labels: map[string]string{}}
	for _, r := range p.Rows {
		page.Labels[r.Name] = r.Label
	}
	return page
}

// UnderWay is the step under way, in a sentence: which worker, and what is waited for between two.
func (p PipelinePage) UnderWay() string {
	if run := p.Current(); run != nil {
		return p.T("pipeline.now", p.StepsDone(), p.WorkerLabel(run.Worker, p.Labels[run.Worker]), p.Outcome(*run).Word)
	}
	next, _ := p.Step()
	if i := slices.Index(p.Workers, next); i >= 0 {
		return p.T("pipeline.between", p.StepsDone(), p.WorkerLabel(next, p.Labels[next]))
	}
	return p.StepsDone()
}
