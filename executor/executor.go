// Package executor takes a run from request to outcome: it resolves the configuration, writes the ledger row and hands it over in one
// transaction, executes it under its advisory lock, records the outcome, and recovers what dead processes left. It may import worker,
// the store's interface below and River; never echo or views.
package executor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"scrinalia/store"
	"scrinalia/worker"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
)

// ErrCancelled is the cause of a context whose run a person stopped: the run ends CANCELLED, not INTERRUPTED.
var ErrCancelled = errors.New("cancelled")

// Options are what an executor is made of.
type Options struct {
	Catalogue   *worker.Catalogue
	Store       *store.Store
	Log         *slog.Logger
	Role        string // "serve", "work", "run": part of the owner's name
	Version     string // of the program, as the list of processes shows it
	Concurrency int    // runs that are executed at once by Start; 0 means 1
	Observer    Observer
}

// Observer is told what runs of this process do. It must not wait.
type Observer interface {
	// RunEnded is told of each outcome that this process wrote; took is 0 for a run that did not start.
	RunEnded(worker string, s worker.Status, took time.Duration)
	// UnitsDone is told of each batch.
	UnitsDone(worker string, c worker.Counts)
	// QueueCounted is told of each count of a queue.
	QueueCounted(worker string, q worker.Queue, at time.Time)
}

type blind struct{}

func (blind) RunEnded(string, worker.Status, time.Duration) {}
func (blind) UnitsDone(string, worker.Counts)               {}
func (blind) QueueCounted(string, worker.Queue, time.Time)  {}

// Executor runs workers. It is safe for concurrent use.
type Executor struct {
	catalogue *worker.Catalogue
	store     *store.Store
	log       *slog.Logger
	observer  Observer
	owner     string
	self      worker.Process // as the list of processes shows it
	jobs      *river.Client[pgx.Tx]
	stop      context.CancelFunc
	stopped   chan struct{}
}

// runJob is the queue job that carries a run.
type runJob struct {
	RunID int64 `json:"run_id"`
}

// Kind names the job in the queue.
func (runJob) Kind() string { return "worker_run" }

type runWorker struct {
	river.WorkerDefaults[runJob]

	e *Executor
}

// Work executes the run of a job. The ledger holds the outcome, so the job itself never fails and is never retried.
func (w *runWorker) Work(ctx context.Context, job *river.Job[runJob]) error {
	if err := w.e.executeQueued(ctx, job.Args.RunID); err != nil {
		w.e.log.ErrorContext(ctx, "run could not be executed", "run_id", job.Args.RunID, "err", err)
	}
	return nil
}

// maxRunAge is when the queue gives up on a job that nobody completed. The ledger has recovered its run long before.
const maxRunAge = 30 * 24 * time.Hour

// New makes an executor. It opens nothing until it is used.
func New(o Options) (*Executor, error) {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	e := &Executor{catalogue: o.Catalogue, store: o.Store, log: o.Log, observer: o.Observer, owner: fmt.Sprintf("%s/%s/%d", host, o.Role, os.Getpid())}
	e.self = worker.Process{Owner: e.owner, Host: host, PID: os.Getpid(), Role: o.Role, Version: o.Version, Concurrency: max(1, o.Concurrency)}
	if e.observer == nil {
		e.observer = blind{}
	}
	workers := river.NewWorkers()
	river.AddWorker(workers, &runWorker{e: e})
	cfg := &river.Config{
		ID:                   fmt.Sprintf("%s/%d", e.owner, time.Now().UnixNano()),
		Logger:               slog.New(quiet{o.Log.Handler()}),
		Workers:              workers,
		MaxAttempts:          1,
		JobTimeout:           -1,
		RescueStuckJobsAfter: maxRunAge,
		FetchCooldown:        10 * time.Millisecond,
		FetchPollInterval:    time.Second,
	}
	if o.Concurrency > 0 {
		cfg.Queues = map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: o.Concurrency}}
	}
	if e.jobs, err = river.NewClient(riverpgxv5.New(o.Store.Pool()), cfg); err != nil {
		return nil, fmt.Errorf("make the job queue: %w", err)
	}
	return e, nil
}

// quiet lets only what the queue warns of through.
type quiet struct{ slog.Handler }

func (q quiet) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && q.Handler.Enabled(ctx, l)
}

// WithAttrs keeps the threshold.
func (q quiet) WithAttrs(a []slog.Attr) slog.Handler { return quiet{q.Handler.WithAttrs(a)} }

// WithGroup keeps the threshold.
func (q quiet) WithGroup(name string) slog.Handler { return quiet{q.Handler.WithGroup(name)} }

// recoverEvery is how often orphans are looked for while the executor runs.
const recoverEvery = time.Minute

// Start begins to execute queued runs, and to recover orphans now and every minute. It does not block.
func (e *Executor) Start(ctx context.Context) error {
	if _, err := e.Recover(ctx); err != nil {
		return err
	}
	present, err := e.store.Present(ctx, e.self)
	if err != nil {
		return err
	}
	if err := e.jobs.Start(context.WithoutCancel(ctx)); err != nil {
		present.Leave()
		return worker.Errorf(worker.Unavailable, "The job queue could not be started: %w", err) // the database answered a moment ago
	}
	loop, stop := context.WithCancel(context.WithoutCancel(ctx))
	e.stop, e.stopped = stop, make(chan struct{})
	var kept sync.WaitGroup
	kept.Go(func() { e.keepRecovering(loop) })
	kept.Go(func() { e.keepPresent(loop, present) })
	go func() {
		defer close(e.stopped)
		kept.Wait()
	}()
	return nil
}

// presentEvery is how often a process looks whether it is still seen, and limits how long that may take.
const presentEvery = 5 * time.Second

// keepPresent keeps this process in the list of those that live: again after the database was away.
func (e *Executor) keepPresent(ctx context.Context, present *store.Present) {
	tick := time.NewTicker(presentEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			present.Leave()
			return
		case <-tick.C:
		}
		limited, cancel := context.WithTimeout(ctx, presentEvery)
		if !present.Alive(limited) {
			present.Leave()
			if again, err := e.store.Present(limited, e.self); err == nil {
				present = again
			}
		}
		cancel()
	}
}

func (e *Executor) keepRecovering(ctx context.Context) {
	tick := time.NewTicker(recoverEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if _, err := e.Recover(ctx); err != nil && ctx.Err() == nil {
				e.log.WarnContext(ctx, "recovery of runs failed; it will be tried again", "err", err)
			}
			if err := e.store.CompactTallies(ctx); err != nil && ctx.Err() == nil {
				e.log.WarnContext(ctx, "tallies could not be folded; it will be tried again", "err", err)
			}
		}
	}
}

// Stop tells the runs in flight to stop, gives them until ctx ends, and returns. They end INTERRUPTED.
func (e *Executor) Stop(ctx context.Context) error {
	if e.stop == nil {
		return nil
	}
	e.stop()
	<-e.stopped
	if err := e.jobs.StopAndCancel(ctx); err != nil {
		return fmt.Errorf("stop the job queue: %w", err)
	}
	return nil
}
