package handlers_test

import (
	"context"

	"scrinalia/worker"
)

func (f *fake) RunPipeline(_ context.Context, r worker.PipelineRequest) (worker.Pipeline, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return worker.Pipeline{}, f.err
	}
	if f.pipeline != nil && f.pipeline.Active() {
		return worker.Pipeline{}, &worker.PipelineError{Pipeline: *f.pipeline}
	}
	f.asked = append(f.asked, r)
	f.pipeline = &worker.Pipeline{ID: 3, Status: worker.Running, Trigger: r.Trigger, RequestedBy: r.RequestedBy, Workers: catalogue().Names(), StartedAt: noon, Runs: []worker.Run{}}
	return *f.pipeline, nil
}

func (f *fake) CancelPipeline(ctx context.Context, id int64, by string) (worker.Pipeline, error) {
	if _, err := f.Pipeline(ctx, id); err != nil {
		return worker.Pipeline{}, err
	}
	f.set(func(f *fake) { f.pipeline.CancelRequestedAt, f.pipeline.CancelRequestedBy = new(noon), &by })
	return f.Pipeline(ctx, id)
}

func (f *fake) ActivePipeline(context.Context) (*worker.Pipeline, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.pipeline == nil || !f.pipeline.Active() {
		return nil, f.err
	}
	p := *f.pipeline
	return &p, f.err
}

func (f *fake) Pipeline(_ context.Context, id int64) (worker.Pipeline, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return worker.Pipeline{}, f.err
	}
	if f.pipeline == nil || f.pipeline.ID != id {
		return worker.Pipeline{}, worker.Errorf(worker.NotFound, "There is no pipeline #%d.", id)
	}
	return *f.pipeline, nil
}

// underWay is a pipeline at its third worker.
func underWay() *worker.Pipeline {
	first, second, third := ranAs(1290, "transfer", worker.Success, 3, 40), ranAs(1291, "cleaning", worker.Success, 2, 55), ranAs(1280, "ner", worker.Running, 1.0/3, 0)
	second.Failed = 2
	return &worker.Pipeline{
		ID: 3, Status: worker.Running, Trigger: worker.Panel, RequestedBy: "panel 127.0.0.1", Workers: catalogue().Names(), StartedAt: at(3), Runs: []worker.Run{first, second, third},
	}
}
