package executor_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"scrinalia/executor"
	"scrinalia/worker"
)

// journal is a log that can be read while it is written.
type journal struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.Write(p)
}

func (j *journal) has(text string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return strings.Contains(j.buf.String(), text)
}

// logged is an executor with a log.
func (b *bench) logged() (*executor.Executor, *journal) {
	b.t.Helper()
	j := &journal{}
	e, err := executor.New(executor.Options{Catalogue: b.catalogue, Store: b.open(), Log: slog.New(slog.NewTextHandler(j, nil)), Role: "test"})
	if err != nil {
		b.t.Fatal(err)
	}
	return e, j
}

// TestWorkThatIgnoresItsContext: a cancelled run ends while its work, which looks at no context, goes on; what that does later is thrown away.
func TestWorkThatIgnoresItsContext(t *testing.T) {
	t.Parallel()
	started, release, late := make(chan int64, 1), make(chan struct{}), make(chan error, 1)
	b := newBench(t, map[string]work{"probe": func(ctx context.Context, env worker.Env, _ options) error {
		if err := env.Report(ctx, units(3)); err != nil {
			return err
		}
		started <- env.RunID
		<-release
		late <- env.Report(ctx, units(4))
		panic("nobody listens any more")
	}})
	e, log := b.logged()
	done := runHere(t.Context(), e, "probe")
	id := <-started
	if _, err := b.executor(0).Cancel(t.Context(), id, "ana"); err != nil {
		t.Fatal(err)
	}
	if r := <-done; r.err != nil || r.run.Status != worker.Cancelled || r.run.Processed != 3 || r.run.Error != nil {
		t.Errorf("got %s with %d processed, %v, while the work goes on; want CANCELLED with 3", r.run.Status, r.run.Processed, r.err)
	}
	if !log.has("the work did not stop when it was told to") {
		t.Error("the log does not say that the work was left behind")
	}
	close(release)
	if err := <-late; err == nil {
		t.Error("what was reported late was taken")
	}
	b.await("the log to say that it came back", func() bool { return log.has("came back") })
	if run := b.run(id); run.Status != worker.Cancelled || run.Processed != 3 {
		t.Errorf("afterwards %s with %d processed", run.Status, run.Processed)
	}
}

// TestALateFinisherLoses: the run was ended by somebody else while it worked; its own outcome is dropped, and the log says so.
func TestALateFinisherLoses(t *testing.T) {
	t.Parallel()
	started, release := make(chan int64, 1), make(chan struct{})
	b := newBench(t, map[string]work{"probe": func(_ context.Context, env worker.Env, _ options) error {
		started <- env.RunID
		<-release
		return nil
	}})
	e, log := b.logged()
	done := runHere(t.Context(), e, "probe")
	id := <-started
	b.exec("UPDATE archive_worker_runs SET status = 'INTERRUPTED', finished_at = clock_timestamp(), error = 'gone' WHERE id = $1", id)
	close(release)
	<-done
	if run := b.run(id); run.Status != worker.Interrupted || *run.Error != "gone" {
		t.Errorf("the late outcome won: %s", run.Status)
	}
	if !log.has("this outcome is dropped") && !log.has("its outcome is left to recovery") {
		t.Error("the log does not say that the outcome was dropped")
	}
}
