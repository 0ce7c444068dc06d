package executor

import (
	"context"
	"errors"

	"scrinalia/store"
	"scrinalia/worker"

	"github.com/jackc/pgx/v5"
)

// RunPipeline starts a pipeline of every worker through the queue. It fails with Invalid when a worker does not accept the arguments, and with a
// *worker.PipelineError when one is under way.
func (e *Executor) RunPipeline(ctx context.Context, r worker.PipelineRequest) (worker.Pipeline, error) {
	id, _, err := e.startPipeline(ctx, r, false)
	if err != nil {
		return worker.Pipeline{}, err
	}
	if err := e.step(ctx, id); err != nil {
		return worker.Pipeline{}, err
	}
	return e.store.Pipeline(ctx, id)
}

// startPipeline asks every worker about the arguments before the first one starts.
func (e *Executor) startPipeline(ctx context.Context, r worker.PipelineRequest, here bool) (int64, func(), error) {
	for _, d := range e.catalogue.All() {
		if _, err := e.resolve(ctx, worker.Request{Worker: d.Name, Arguments: r.Arguments.For(d)}); err != nil {
			return 0, nil, err
		}
	}
	id, release, err := e.store.StartPipeline(ctx, r, e.catalogue.Names(), here)
	if worker.KindOf(err) != worker.Conflict {
		return id, release, err
	}
	if _, rerr := e.Recover(ctx); rerr != nil { // the process of the one in the way may be dead
		return 0, nil, err
	}
	return e.store.StartPipeline(ctx, r, e.catalogue.Names(), here)
}

// request is what a pipeline asks of one worker.
func (e *Executor) request(p worker.Pipeline, name string) (worker.Request, error) {
	d, err := e.catalogue.Lookup(name)
	if err != nil {
		return worker.Request{}, err
	}
	return worker.Request{Worker: name, Arguments: p.Arguments.For(d), Trigger: p.Trigger, RequestedBy: p.RequestedBy}, nil
}

// step does the next step of a pipeline of the queue. A worker that is gone or refuses its arguments by now ends it.
func (e *Executor) step(ctx context.Context, id int64) error {
	err := e.store.StepPipeline(ctx, id, func(ctx context.Context, p worker.Pipeline, next string) (store.NewRun, int64, func(context.Context, pgx.Tx) (int64, error), error) {
		r, err := e.request(p, next)
		if err != nil {
			return store.NewRun{}, 0, nil, err
		}
		row, err := e.resolve(ctx, r)
		if err != nil {
			return store.NewRun{}, 0, nil, err
		}
		row.PipelineID = &p.ID
		runID, err := e.store.NextRunID(ctx)
		return row, runID, e.handOver(runID), err
	})
	if kind := worker.KindOf(err); kind == worker.Invalid || kind == worker.NotFound {
		_, err = e.store.FinishPipeline(ctx, id, worker.Failed, err.Error())
	}
	return err
}

// stepAll goes on with the pipeline under way, when it is one of the queue. It is called whenever a run ends, and every minute for what a dead process
// left undone. The pipeline of a process that died ends.
func (e *Executor) stepAll(ctx context.Context) error {
	active, err := e.store.PipelinesUnderWay(ctx)
	if err != nil {
		return err
	}
	for _, p := range active {
		switch {
		case !p.Here:
			err = errors.Join(err, e.step(ctx, p.ID))
		case !p.Held:
			_, ferr := e.store.FinishPipeline(ctx, p.ID, worker.Interrupted, "The process that did the pipeline stopped answering; the next one goes on from there.")
			err = errors.Join(err, ferr)
		}
	}
	return err
}

// CancelPipeline tells a pipeline to stop: the run under way, and with it those that would follow.
func (e *Executor) CancelPipeline(ctx context.Context, id int64, by string) (worker.Pipeline, error) {
	if err := e.store.RequestPipelineCancel(ctx, id, by); err != nil {
		return worker.Pipeline{}, err
	}
	p, err := e.store.Pipeline(ctx, id)
	if err != nil {
		return p, err
	}
	if run := p.Current(); run != nil {
		if _, err := e.store.RequestCancel(ctx, run.ID, by); err != nil && worker.KindOf(err) != worker.Conflict {
			return p, err
		}
	}
	if err := e.stepAll(ctx); err != nil {
		return p, err
	}
	return e.store.Pipeline(ctx, id)
}

// RunPipelineHere does a pipeline in this process. progress, when given, follows each run; ended is called with each run that is over.
func (e *Executor) RunPipelineHere(ctx context.Context, r worker.PipelineRequest, progress, ended func(worker.Run)) (worker.Pipeline, error) {
	id, release, err := e.startPipeline(ctx, r, true)
	if err != nil {
		return worker.Pipeline{}, err
	}
	defer release()
	last := context.WithoutCancel(ctx)
	for {
		p, err := e.store.Pipeline(last, id)
		if err != nil {
			return p, err
		}
		next, ends := p.Step()
		if ends == "" && ctx.Err() != nil {
			ends = worker.Cancelled
		}
		if ends != "" {
			if _, err := e.store.FinishPipeline(last, id, ends, ""); err != nil {
				return p, err
			}
			return e.store.Pipeline(last, id)
		}
		req, err := e.request(p, next)
		if err != nil {
			return p, err
		}
		run, err := e.runHere(ctx, req, &id, progress)
		if err != nil {
			_, ferr := e.store.FinishPipeline(last, id, worker.Failed, err.Error())
			return p, errors.Join(err, ferr)
		}
		ended(run)
	}
}
