package store_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"scrinalia/store"
	"scrinalia/worker"

	"github.com/jackc/pgx/v5"
)

// underWay is a run of a worker that is RUNNING, with nobody at work on it and its lock free.
func (a *archive) underWay(name string) (id int64) {
	a.t.Helper()
	id, err := a.NextRunID(a.t.Context())
	if err != nil {
		a.t.Fatal(err)
	}
	if err := a.InsertRun(a.t.Context(), id, store.NewRun{Worker: name, Trigger: worker.CLI, RequestedBy: "test", Fingerprint: []byte("f")}, nil); err != nil {
		a.t.Fatal(err)
	}
	owner, ok, err := a.Own(a.t.Context(), id)
	if err != nil || !ok {
		a.t.Fatal(ok, err)
	}
	defer owner.Release()
	if ok, err := owner.Start(a.t.Context(), "host/test/1", 1); err != nil || !ok {
		a.t.Fatal(ok, err)
	}
	return id
}

// interrupts ends a run as recovery does, as soon as the server has seen that nobody holds its lock.
func (a *archive) interrupts(run int64) {
	a.t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		ended, err := a.Interrupt(a.t.Context(), map[int64]string{run: "gone"})
		if err != nil {
			a.t.Fatal(err)
		}
		if len(ended) == 1 {
			return
		}
		select {
		case <-tick.C:
		case <-a.t.Context().Done():
			a.t.Fatalf("run %d cannot be ended", run)
		}
	}
}

// waitsForALock waits until a statement of the database waits for a lock.
func (a *archive) waitsForALock(what string) {
	a.t.Helper()
	a.awaits(what, "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')")
}

// awaits asks the database until it says yes.
func (a *archive) awaits(what, sql string, args ...any) {
	a.t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !value[bool](a, sql, args...) {
		select {
		case <-tick.C:
		case <-a.t.Context().Done():
			a.t.Fatalf("waited in vain for %s", what)
		}
	}
}

// locked holds a table against writers until the returned function is called.
func (a *archive) locked(table string) (release func()) {
	a.t.Helper()
	tx, err := a.Pool().Begin(a.t.Context())
	if err != nil {
		a.t.Fatal(err)
	}
	if _, err := tx.Exec(a.t.Context(), "LOCK TABLE "+pgx.Identifier{table}.Sanitize()+" IN SHARE MODE"); err != nil {
		a.t.Fatal(err)
	}
	return func() {
		if err := tx.Rollback(context.WithoutCancel(a.t.Context())); err != nil {
			a.t.Error(err)
		}
	}
}

// bearing counts the rows that name a run, in every table that can.
func (a *archive) bearing(run int64) map[string]int64 {
	a.t.Helper()
	n := map[string]int64{}
	for _, table := range column[string](a, `SELECT c.table_name::text FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
		WHERE c.table_schema = 'public' AND c.column_name = 'run_id' AND t.table_type = 'BASE TABLE'`) {
		if found := value[int64](a, "SELECT count(*) FROM "+pgx.Identifier{table}.Sanitize()+" WHERE run_id = $1", run); found > 0 {
			n[table] = found
		}
	}
	return n
}

// TestABatchOfARunThatIsOver: of every worker, a batch is held open in its transaction while recovery ends its run. Nothing of it may stay.
func TestABatchOfARunThatIsOver(t *testing.T) {
	t.Parallel()
	a := newSample(t)
	for _, d := range a.catalogue.All() {
		config, err := worker.Resolve(d, worker.Settings{}, worker.Settings{Options: map[string]any{"limit": 20}})
		if err != nil {
			t.Fatal(d.Name, err)
		}
		task, _, err := worker.Bind(d, config.Config)
		if err != nil {
			t.Fatal(d.Name, err)
		}
		run := a.underWay(d.Name)
		release := a.locked("execution_log")
		done := make(chan error, 1)
		go func() {
			done <- task(t.Context(), worker.Env{RunID: run, Log: slog.New(slog.DiscardHandler), Report: func(context.Context, worker.Batch) error { return nil }})
		}()
		a.waitsForALock(d.Name + " to stamp its first batch")
		a.interrupts(run)
		release()
		if err := <-done; !errors.Is(err, store.ErrOwnershipLost) {
			t.Errorf("%s: the batch after the end of its run: %v, want ErrOwnershipLost", d.Name, err)
		}
		if left := a.bearing(run); len(left) > 0 {
			t.Errorf("%s: of the batch stayed %v", d.Name, left)
		}
		if last := a.run(d.Name, nil); last.Processed+last.Failed == 0 { // what the others read
			t.Errorf("%s: the next run did nothing", d.Name)
		}
	}
}

// TestTheEndWaitsForABatchThatCommits: the other way round, a batch that has begun to commit is still the run's.
func TestTheEndWaitsForABatchThatCommits(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	run := a.underWay(worker.Transfer)
	a.awaits("the lock to be free", "SELECT NOT lock_is_held((x'5343524e'::bigint << 32) + $1)", run)
	tx, err := a.Pool().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "SELECT FROM archive_worker_runs WHERE id = $1 AND status = 'RUNNING' FOR SHARE", run); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		ended, err := a.Interrupt(t.Context(), map[int64]string{run: "gone"})
		if err == nil && len(ended) != 1 {
			err = fmt.Errorf("run %d was not ended", run)
		}
		done <- err
	}()
	a.waitsForALock("the end of the run")
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}
