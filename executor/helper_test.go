package executor_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"scrinalia/executor"
	"scrinalia/store"
	"scrinalia/store/storetest"
	"scrinalia/worker"
)

// options are those of the test workers.
type options struct {
	worker.Common
	BatchSize int64  `json:"batch_size" min:"1" max:"100" help:"Units committed together."`
	Word      string `json:"word" help:"Any word."`
}

type work func(ctx context.Context, env worker.Env, o options) error

// bench is a database, and executors over workers that do what a test says.
type bench struct {
	*store.Store

	t         *testing.T
	url       string
	catalogue *worker.Catalogue
}

func newBench(t *testing.T, workers map[string]work) *bench {
	t.Helper()
	var defs []worker.Definition
	for name, do := range workers {
		defs = append(defs, worker.Define(worker.Spec{Name: name, Order: len(defs) + 1}, options{BatchSize: 10, Word: "default"}, do))
	}
	b := &bench{t: t, url: storetest.URL(t), catalogue: worker.NewCatalogue(defs...)}
	b.Store = b.open()
	return b
}

// open is another pool on the same database, as another process has it.
func (b *bench) open() *store.Store {
	b.t.Helper()
	s, err := store.Open(b.t.Context(), b.url, slog.New(slog.DiscardHandler))
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(s.Close)
	return s
}

func (b *bench) executor(concurrency int) *executor.Executor {
	b.t.Helper()
	e, err := executor.New(executor.Options{Catalogue: b.catalogue, Store: b.open(), Log: slog.New(slog.DiscardHandler), Role: "test", Concurrency: concurrency})
	if err != nil {
		b.t.Fatal(err)
	}
	return e
}

// started is an executor that picks up queued runs.
func (b *bench) started() *executor.Executor {
	b.t.Helper()
	e := b.executor(1)
	if err := e.Start(b.t.Context()); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(b.t.Context()), 10*time.Second)
		defer cancel()
		if err := e.Stop(ctx); err != nil {
			b.t.Error(err)
		}
	})
	return e
}

func request(name string, o map[string]any) worker.Request {
	return worker.Request{Worker: name, Trigger: worker.CLI, RequestedBy: "test", Arguments: worker.Settings{Options: o}}
}

// result is what RunHere returned.
type result struct {
	run worker.Run
	err error
}

func runHere(ctx context.Context, e *executor.Executor, name string) <-chan result {
	done := make(chan result, 1)
	go func() {
		r, err := e.RunHere(ctx, request(name, nil), nil)
		done <- result{r, err}
	}()
	return done
}

// await polls until a condition holds; the test's own limit ends it.
func (b *bench) await(what string, holds func() bool) {
	b.t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-b.t.Context().Done():
			b.t.Fatalf("waiting for %s: %v", what, b.t.Context().Err())
		}
	}
}

func (b *bench) awaitStatus(id int64, want worker.Status) worker.Run {
	b.t.Helper()
	var run worker.Run
	b.await(string(want), func() bool {
		run = b.run(id)
		if run.Status != want && !run.Status.Active() {
			b.t.Fatalf("run %d ended %s, want %s", id, run.Status, want)
		}
		return run.Status == want
	})
	return run
}

func (b *bench) run(id int64) worker.Run {
	b.t.Helper()
	run, err := b.Run(b.t.Context(), id)
	if err != nil {
		b.t.Fatal(err)
	}
	return run
}

func (b *bench) exec(sql string, args ...any) int64 {
	b.t.Helper()
	tag, err := b.Pool().Exec(b.t.Context(), sql, args...)
	if err != nil {
		b.t.Fatalf("%s: %v", sql, err)
	}
	return tag.RowsAffected()
}

func (b *bench) count(sql string, args ...any) (n int) {
	b.t.Helper()
	if err := b.Pool().QueryRow(b.t.Context(), sql, args...).Scan(&n); err != nil {
		b.t.Fatalf("%s: %v", sql, err)
	}
	return n
}

// waiting is work that says its run's id and waits for its context.
func waiting(started chan<- int64) work {
	return func(ctx context.Context, env worker.Env, _ options) error {
		started <- env.RunID
		<-ctx.Done()
		return context.Cause(ctx)
	}
}

func units(n int64) worker.Batch {
	return worker.Batch{Last: n, Seen: int(n), Counts: worker.Counts{Processed: n}}
}
