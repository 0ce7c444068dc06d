package executor

import (
	"context"
	"errors"
	"fmt"

	"scrinalia/store"
	"scrinalia/worker"

	"github.com/jackc/pgx/v5"
)

// Submit queues a run: resolve, then ledger row and job in one transaction. It returns the QUEUED run, or *worker.InFlightError.
func (e *Executor) Submit(ctx context.Context, r worker.Request) (worker.Run, error) {
	row, err := e.resolve(ctx, r)
	if err != nil {
		return worker.Run{}, err
	}
	id, err := e.store.NextRunID(ctx)
	if err != nil {
		return worker.Run{}, err
	}
	if err := e.insert(ctx, id, row, e.handOver(id)); err != nil {
		return worker.Run{}, err
	}
	return e.store.Run(ctx, id)
}

// handOver puts the job of a run into the queue, in the transaction that writes the run.
func (e *Executor) handOver(runID int64) func(context.Context, pgx.Tx) (int64, error) {
	return func(ctx context.Context, tx pgx.Tx) (int64, error) {
		job, err := e.jobs.InsertTx(ctx, tx, runJob{RunID: runID}, nil)
		if err != nil {
			return 0, fmt.Errorf("queue the run: %w", err)
		}
		return job.Job.ID, store.DueNow(ctx, tx, job.Job.ID)
	}
}

// RunHere executes a run in this process, under its lock from the first moment, and returns it with its outcome. progress, when given,
// is called at the start and after each batch.
func (e *Executor) RunHere(ctx context.Context, r worker.Request, progress func(worker.Run)) (worker.Run, error) {
	return e.runHere(ctx, r, nil, progress)
}

func (e *Executor) runHere(ctx context.Context, r worker.Request, pipeline *int64, progress func(worker.Run)) (worker.Run, error) {
	row, err := e.resolve(ctx, r)
	if err != nil {
		return worker.Run{}, err
	}
	row.PipelineID = pipeline
	id, err := e.store.NextRunID(ctx)
	if err != nil {
		return worker.Run{}, err
	}
	owner, ok, err := e.store.Own(ctx, id)
	if err != nil || !ok {
		return worker.Run{}, errors.Join(err, fmt.Errorf("own run %d: %t", id, ok))
	}
	defer owner.Release()
	if err := e.insert(ctx, id, row, nil); err != nil {
		return worker.Run{}, err
	}
	if err := e.execute(ctx, owner, id, progress); err != nil {
		return worker.Run{}, err
	}
	return e.store.Run(context.WithoutCancel(ctx), id)
}

// Cancel asks a run to stop. The pipeline that it is a part of ends with it.
func (e *Executor) Cancel(ctx context.Context, id int64, by string) (worker.Run, error) {
	run, err := e.store.RequestCancel(ctx, id, by)
	if err == nil && !run.Status.Active() {
		err = e.stepAll(ctx)
	}
	return run, err
}

// insert writes the row. When a run is in the way whose process is dead, recovery clears it and the row is tried once more.
func (e *Executor) insert(ctx context.Context, id int64, row store.NewRun, handOver func(context.Context, pgx.Tx) (int64, error)) error {
	err := e.store.InsertRun(ctx, id, row, handOver)
	if worker.KindOf(err) != worker.Conflict {
		return err
	}
	if n, rerr := e.Recover(ctx); rerr != nil || n == 0 {
		e.log.DebugContext(ctx, "run refused, one is in flight", "worker", row.Worker, "err", err)
		return err
	}
	return e.store.InsertRun(ctx, id, row, handOver)
}

// resolution resolves a worker's configuration, with the engine of the active rule where it comes from one.
func (e *Executor) resolution(ctx context.Context, d worker.Definition, override, arguments worker.Settings) (worker.Resolution, error) {
	if d.EngineSource != worker.EngineRule {
		return worker.Resolve(d, override, arguments)
	}
	rule, err := e.store.TitleRule(ctx)
	if err != nil {
		return worker.Resolution{}, err
	}
	return worker.ResolveByRule(d, rule, override, arguments)
}

func (e *Executor) resolve(ctx context.Context, r worker.Request) (store.NewRun, error) {
	d, err := e.catalogue.Lookup(r.Worker)
	if err != nil {
		return store.NewRun{}, err
	}
	overrides, err := e.store.Overrides(ctx)
	if err != nil {
		return store.NewRun{}, err
	}
	res, err := e.resolution(ctx, d, overrides[d.Name], r.Arguments)
	if err != nil {
		return store.NewRun{}, err
	}
	return store.NewRun{
		Worker: d.Name, Trigger: r.Trigger, RequestedBy: r.RequestedBy, Config: res.Config,
		Fingerprint: res.Fingerprint(d), DryRun: res.Common.DryRun,
	}, nil
}
