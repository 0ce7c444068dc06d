package executor

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"scrinalia/logging"
	"scrinalia/store"
	"scrinalia/worker"
)

const (
	saveEvery   = 200 * time.Millisecond // between two savings of progress by batches
	beatEvery   = time.Second            // heartbeat, and how soon a cancel is seen
	lastWordFor = 5 * time.Second        // for writing the outcome after everything else was stopped
	obeyWithin  = 3 * time.Second        // for work to return after its context ended; then the run ends without it
)

// executeQueued executes a run that was handed over by the queue.
func (e *Executor) executeQueued(ctx context.Context, id int64) error {
	owner, ok, err := e.store.Own(ctx, id)
	if err != nil {
		return err
	}
	if !ok {
		return nil // somebody executes or recovers it
	}
	defer owner.Release()
	return e.execute(ctx, owner, id, nil)
}

// execute does a run that this process owns. Its outcome goes to the ledger; an error means that there is none.
func (e *Executor) execute(ctx context.Context, owner *store.Owner, id int64, progress func(worker.Run)) error {
	run, err := e.store.Run(ctx, id)
	if err != nil {
		return err
	}
	if run.Status != worker.Queued {
		return nil // cancelled before it started
	}
	ctx = logging.With(logging.With(ctx, "run_id", id), "worker", run.Worker)
	p := &progressor{owner: owner, run: run, notify: progress, grown: e.store.Analyze, observer: e.observer}
	err = e.do(ctx, owner, run, p)
	if errors.Is(err, store.ErrOwnershipLost) {
		e.log.WarnContext(ctx, "run stopped: its lock was lost, its outcome is left to recovery", "err", err)
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWordFor)
		defer cancel()
		return errors.Join(err, e.store.ForgetInWork(last, id, e.owner)) // this process lives: what it had in work is no suspect
	}
	status, message := outcome(err)
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWordFor)
	defer cancel()
	counts, notes := p.totals()
	ok, ferr := owner.Finish(last, status, message, counts, notes)
	switch {
	case ferr != nil:
		e.log.ErrorContext(last, "outcome of run could not be stored, recovery will", "status", string(status), "err", ferr)
		return errors.Join(ferr, err)
	case !ok:
		e.log.WarnContext(last, "run had ended already; this outcome is dropped", "status", string(status))
	default:
		e.observer.RunEnded(run.Worker, status, p.took())
		if err := e.stepAll(last); err != nil {
			e.log.WarnContext(last, "the pipeline did not go on; it will be tried again", "err", err)
		}
		e.log.InfoContext(last, "run finished", "status", string(status), "processed", counts.Processed, "failed", counts.Failed, "skipped", counts.Skipped)
	}
	return nil
}

// do starts the run and does its work until it ends, is cancelled, or is no longer ours.
func (e *Executor) do(ctx context.Context, owner *store.Owner, run worker.Run, p *progressor) error {
	d, err := e.catalogue.Lookup(run.Worker)
	if err != nil {
		return err
	}
	task, common, err := worker.Bind(d, run.Config)
	if err != nil {
		return err
	}
	total, err := e.total(ctx, d, run.Config, common)
	if err != nil {
		return err
	}
	ok, err := owner.Start(ctx, e.owner, total)
	if err != nil {
		return err
	}
	if !ok {
		return errNotQueued
	}
	p.started(total)
	suspects, err := e.store.Suspects(ctx, run.Worker)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var beat sync.WaitGroup
	beat.Go(func() { p.beat(ctx, stop) })
	err = e.supervise(ctx, task, worker.Env{RunID: run.ID, Log: e.log, Report: p.report, Watch: e.watch(p, suspects)})
	if cause := context.Cause(ctx); cause != nil && err != nil {
		err = errors.Join(cause, ctx.Err(), err) // the queue stops its jobs with a cause of its own
	}
	stop(nil)
	beat.Wait()
	return err
}

// watch notes in the database what the run has in work, through the connection that owns it.
func (e *Executor) watch(p *progressor, suspects []int64) *worker.Watch {
	return worker.NewWatch(suspects, func(ctx context.Context, units []worker.UnitRef) error {
		p.at(units)
		whole, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWordFor) // see save
		defer cancel()
		if err := p.owner.NoteInWork(whole, e.owner, units); err != nil {
			return err
		}
		return context.Cause(ctx)
	}, func(ctx context.Context, unit int64) error { return e.store.ForgiveUnit(ctx, p.run.Worker, unit) })
}

// errNotQueued means that the run was cancelled between being picked up and being started.
var errNotQueued = fmt.Errorf("%w before it started", ErrCancelled)

// errDisobeyed means that the work did not return after its context had ended.
var errDisobeyed = errors.New("the work did not stop in time and was left behind")

// supervise does the work and returns its error. Work that goes on for obeyWithin after its context ended, such as a call of an engine that looks at
// no context, is left behind: the run ends without it, and whatever it does afterwards is thrown away, since a batch of a run that is over cannot commit.
func (e *Executor) supervise(ctx context.Context, task worker.Task, env worker.Env) error {
	done := make(chan error, 1)
	go func() { done <- guard(ctx, task, env) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	patience := time.NewTimer(obeyWithin)
	defer patience.Stop()
	select {
	case err := <-done:
		return err
	case <-patience.C:
	}
	told := time.Now()
	e.log.WarnContext(ctx, "the work did not stop when it was told to: the run ends without it, and its result will be thrown away", "waited", obeyWithin)
	go func() {
		err := <-done
		e.log.InfoContext(ctx, "work that had been left behind came back, its result was thrown away", "late", time.Since(told), "err", err)
	}()
	return errDisobeyed
}

// guard turns a panic of a worker into an error, so that its run fails and the process goes on.
func guard(ctx context.Context, task worker.Task, env worker.Env) (err error) {
	defer func() {
		if r := recover(); r != nil {
			env.Log.ErrorContext(ctx, "worker panicked", "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
			err = fmt.Errorf("the worker panicked: %v", r)
		}
	}()
	return task(ctx, env)
}

func outcome(err error) (worker.Status, string) {
	switch {
	case err == nil:
		return worker.Success, ""
	case errors.Is(err, ErrCancelled):
		return worker.Cancelled, ""
	case errors.Is(err, context.Canceled):
		return worker.Interrupted, "The process was stopped while the run was under way; what was committed stays, the next run goes on from there."
	default:
		return worker.Failed, logging.Redact(err.Error())
	}
}

// total is how many units the run will look at: what is pending, or with force what is eligible, up to the limit.
func (e *Executor) total(ctx context.Context, d worker.Definition, config worker.Config, c worker.Common) (int64, error) {
	if d.Unit == worker.Pair {
		return e.totalPairs(ctx, similarity(config), c)
	}
	queues, err := e.store.Queues(ctx, map[string][]byte{})
	if err != nil {
		return 0, err
	}
	q := queues[d.Name]
	if q.Pending == nil {
		return 0, nil
	}
	n := *q.Pending
	if c.Force {
		n += q.Processed + q.GivenUp
	}
	return upTo(n, c.Limit), nil
}

// totalPairs compares the names that changed before it counts: a run may take the time that a page may not.
func (e *Executor) totalPairs(ctx context.Context, similarity float64, c worker.Common) (int64, error) {
	if err := e.store.ComparePairs(ctx, similarity); err != nil {
		return 0, err
	}
	count, err := e.store.CountPairs(ctx, similarity)
	if c.Force {
		return upTo(count.Eligible, c.Limit), err
	}
	return upTo(count.Pending, c.Limit), err
}

// upTo is n, at least 0, and at most the limit when there is one.
func upTo(n, limit int64) int64 {
	if limit > 0 {
		n = min(n, limit)
	}
	return max(0, n)
}

// progressor adds up what a run does and saves it.
type progressor struct {
	mu       sync.Mutex
	owner    *store.Owner
	run      worker.Run
	notify   func(worker.Run)
	observer Observer
	saved    time.Time
	over     bool // the totals have been taken: what is reported later belongs to work that was left behind

	grown     func(context.Context) error // called each time the run has done ten times as much
	grownNext int64
}

// firstGrowth is how many units a run must have done before the planner's statistics are worth renewing.
const firstGrowth = 5000

func (p *progressor) started(total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	p.run.Status, p.run.StartedAt, p.run.Total, p.run.Notes = worker.Running, &now, &total, map[string]worker.Note{}
	if p.notify != nil {
		p.notify(p.run)
	}
}

// at shows the unit that is in work, when there is one.
func (p *progressor) at(units []worker.UnitRef) {
	if len(units) != 1 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.run.CurrentUnit = &units[0].Name
}

// report is what workers call after each batch.
func (p *progressor) report(ctx context.Context, b worker.Batch) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return errDisobeyed
	}
	p.run.Counts = p.run.Add(b.Counts)
	p.observer.UnitsDone(p.run.Worker, b.Counts)
	if b.Unit != "" {
		p.run.CurrentUnit = &b.Unit
	}
	keep := keepExamples
	if p.run.DryRun {
		keep = keepDryExamples
	}
	for name, n := range b.Notes {
		have := p.run.Notes[name]
		have.Count += n.Count
		have.Examples = append(have.Examples, n.Examples[:min(len(n.Examples), max(0, keep-len(have.Examples)))]...)
		p.run.Notes[name] = have
	}
	if p.notify != nil {
		p.notify(p.run)
	}
	if p.run.Processed >= max(p.grownNext, firstGrowth) {
		p.grownNext = p.run.Processed * 10
		if err := p.grown(ctx); err != nil {
			return err
		}
	}
	if time.Since(p.saved) < saveEvery {
		return context.Cause(ctx)
	}
	return p.save(ctx)
}

// How many examples a run keeps of each note. A dry run is there to be looked at.
const (
	keepExamples    = 5
	keepDryExamples = 50
)

// save must be called with the lock held.
func (p *progressor) save(ctx context.Context) error {
	p.saved = time.Now()
	whole, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWordFor) // a statement cut short would close the connection, and lose the run
	defer cancel()
	cancelled, err := p.owner.Save(whole, p.run.Counts, p.run.CurrentUnit, p.run.Notes)
	switch {
	case err != nil:
		return err
	case cancelled:
		return ErrCancelled
	}
	return context.Cause(ctx)
}

// beat saves every second, also while a batch takes long, and stops the run when it was cancelled or lost.
func (p *progressor) beat(ctx context.Context, stop context.CancelCauseFunc) {
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			p.mu.Lock()
			err := p.save(ctx)
			p.mu.Unlock()
			if err != nil && ctx.Err() == nil {
				stop(err)
			}
		}
	}
}

// took is how long the run has been under way, 0 when it did not start.
func (p *progressor) took() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.run.StartedAt == nil {
		return 0
	}
	return time.Since(*p.run.StartedAt)
}

// totals ends the counting.
func (p *progressor) totals() (worker.Counts, map[string]worker.Note) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	return p.run.Counts, p.run.Notes
}
