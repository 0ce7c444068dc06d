package executor_test

import (
	"context"
	"testing"
	"time"

	"scrinalia/worker"
)

func TestASubmittedRunIsExecuted(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]work{"probe": func(ctx context.Context, env worker.Env, _ options) error { return env.Report(ctx, units(2)) }})
	e := b.started()
	for range 2 { // one after the other
		run, err := b.executor(0).Submit(t.Context(), request("probe", nil)) // another process asks
		if err != nil || run.Status == worker.Failed {
			t.Fatal(run.Status, err)
		}
		if got := b.awaitStatus(run.ID, worker.Success); got.Processed != 2 {
			t.Errorf("processed %d, want 2", got.Processed)
		}
	}
	state, err := e.State(t.Context(), "probe")
	if err != nil || state.ActiveRun != nil || state.LastRun == nil || state.LastRun.Status != worker.Success {
		t.Errorf("state %+v, %v", state.LastRun, err)
	}
}

func TestAQueuedRunIsCancelledBeforeItStarts(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]work{
		"probe": func(context.Context, worker.Env, options) error { panic("started") },
		"after": func(context.Context, worker.Env, options) error { return nil },
	})
	asker := b.executor(0)
	run, err := asker.Submit(t.Context(), request("probe", nil))
	if err != nil {
		t.Fatal(err)
	}
	cancelled, err := asker.Cancel(t.Context(), run.ID, "ana")
	if err != nil || cancelled.Status != worker.Cancelled || cancelled.FinishedAt == nil {
		t.Errorf("got %s, %v", cancelled.Status, err)
	}
	after, err := asker.Submit(t.Context(), request("after", nil))
	if err != nil {
		t.Fatal(err)
	}
	b.started()
	b.awaitStatus(after.ID, worker.Success) // the queue went past the cancelled one
	if got := b.run(run.ID); got.Status != worker.Cancelled || got.StartedAt != nil {
		t.Errorf("got %s, started %v", got.Status, got.StartedAt)
	}
}

func TestShutdownInterrupts(t *testing.T) {
	t.Parallel()
	started := make(chan int64, 1)
	b := newBench(t, map[string]work{"probe": waiting(started)})
	e := b.executor(1)
	if err := e.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	run, err := e.Submit(t.Context(), request("probe", nil))
	if err != nil {
		t.Fatal(err)
	}
	<-started
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := e.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	got := b.run(run.ID)
	if got.Status != worker.Interrupted || got.Error == nil {
		t.Errorf("got %s, want INTERRUPTED with a reason", got.Status)
	}
}

func TestStopOfWhatWasNeverStarted(t *testing.T) {
	t.Parallel()
	if err := newBench(t, map[string]work{"probe": nil}).executor(0).Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestSubmitRefuses(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]work{"probe": nil})
	e := b.executor(0)
	if _, err := e.Submit(t.Context(), request("nobody", nil)); worker.KindOf(err) != worker.NotFound {
		t.Errorf("unknown worker: %v", err)
	}
	if _, err := e.Submit(t.Context(), request("probe", map[string]any{"batch_size": 0})); worker.KindOf(err) != worker.Invalid {
		t.Errorf("wrong option: %v", err)
	}
	if got := b.count("SELECT count(*) FROM archive_worker_runs"); got != 0 {
		t.Errorf("%d rows in the ledger, want none", got)
	}
}
