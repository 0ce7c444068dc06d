package executor_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scrinalia/executor"
	"scrinalia/store"
	"scrinalia/store/storetest"
	"scrinalia/worker"
)

// TestTheLockConnectionIsLost: the run stops, writes nothing over, and recovery has the last word.
func TestTheLockConnectionIsLost(t *testing.T) {
	t.Parallel()
	started := make(chan int64, 1)
	b := newBench(t, map[string]work{"probe": waiting(started)})
	done := runHere(t.Context(), b.executor(0), "probe")
	id := <-started
	killed := b.exec(`SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
		AND classid = x'5343524e'::int AND objid = $1::bigint::int::oid`, id)
	if killed != 1 {
		t.Fatalf("%d connections hold the lock, want 1", killed)
	}
	if r := <-done; !errors.Is(r.err, store.ErrOwnershipLost) {
		t.Errorf("got %v, want ErrOwnershipLost", r.err)
	}
	if got := b.run(id).Status; got != worker.Running {
		t.Errorf("the loser wrote %s", got)
	}
	n, err := b.executor(0).Recover(t.Context())
	if err != nil || n != 1 {
		t.Errorf("recovered %d, %v", n, err)
	}
	run := b.run(id)
	if run.Status != worker.Interrupted || !strings.Contains(*run.Error, *run.Owner) {
		t.Errorf("got %s, %q; want INTERRUPTED with the owner", run.Status, *run.Error)
	}
}

func TestALateOutcomeIsDropped(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]work{"probe": nil})
	id := b.insert("probe")
	owner, ok, err := b.Own(t.Context(), id)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	defer owner.Release()
	if ok, err := owner.Start(t.Context(), "me", 3); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if ok, err := owner.Finish(t.Context(), worker.Interrupted, "gone", worker.Counts{Processed: 1}, nil); !ok || err != nil {
		t.Fatal(ok, err)
	}
	ok, err = owner.Finish(t.Context(), worker.Success, "", worker.Counts{Processed: 3}, nil)
	if ok || err != nil {
		t.Errorf("the late outcome: stored %t, %v", ok, err)
	}
	if _, err := owner.Save(t.Context(), worker.Counts{Processed: 3}, nil, nil); !errors.Is(err, store.ErrOwnershipLost) {
		t.Errorf("late progress: %v, want ErrOwnershipLost", err)
	}
	if run := b.run(id); run.Status != worker.Interrupted || run.Processed != 1 || *run.Error != "gone" {
		t.Errorf("got %s, %d processed", run.Status, run.Processed)
	}
}

// insert writes a QUEUED row as RunHere does, without its lock.
func (b *bench) insert(name string) int64 {
	b.t.Helper()
	id, err := b.NextRunID(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	err = b.InsertRun(b.t.Context(), id, store.NewRun{Worker: name, Trigger: worker.CLI, RequestedBy: "test", Fingerprint: []byte("f")}, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	return id
}

func TestRecover(t *testing.T) {
	t.Parallel()
	started := make(chan int64, 1)
	b := newBench(t, map[string]work{"live": waiting(started), "waits": nil, "dead": nil, "never": nil, "lost": nil})
	alive := b.executor(0)
	done := runHere(t.Context(), alive, "live")
	live := <-started
	queued, err := alive.Submit(t.Context(), request("waits", nil))
	if err != nil {
		t.Fatal(err)
	}
	lost, err := alive.Submit(t.Context(), request("lost", nil))
	if err != nil {
		t.Fatal(err)
	}
	b.exec("DELETE FROM river_job WHERE id = (SELECT job_id FROM archive_worker_runs WHERE id = $1)", lost.ID)
	dead, never := b.insert("dead"), b.insert("never")
	b.exec("UPDATE archive_worker_runs SET status = 'RUNNING', started_at = now(), owner = 'host/serve/1', heartbeat_at = now(), processed = 5 WHERE id = $1", dead)

	n, err := b.executor(0).Recover(t.Context())
	if err != nil || n != 3 {
		t.Errorf("recovered %d, %v; want 3", n, err)
	}
	got := map[string]worker.Status{"live": b.run(live).Status, "waits": b.run(queued.ID).Status, "dead": b.run(dead).Status, "never": b.run(never).Status, "lost": b.run(lost.ID).Status}
	want := map[string]worker.Status{"live": worker.Running, "waits": worker.Queued, "dead": worker.Interrupted, "never": worker.Interrupted, "lost": worker.Interrupted}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if run := b.run(dead); run.Processed != 5 || !strings.Contains(*run.Error, "host/serve/1 stopped answering at ") {
		t.Errorf("the dead run: %d processed, %q", run.Processed, *run.Error)
	}
	if n, err := b.executor(0).Recover(t.Context()); err != nil || n != 0 {
		t.Errorf("the second time: %d, %v", n, err)
	}
	if _, err := b.RequestCancel(t.Context(), live, "ana"); err != nil {
		t.Fatal(err)
	}
	if r := <-done; r.run.Status != worker.Cancelled {
		t.Errorf("the live run ended %s", r.run.Status)
	}
}

// TestRecoverPagesPastWhatItLeavesAlone: held runs fill more than a page, the orphans stand behind.
func TestRecoverPagesPastWhatItLeavesAlone(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]work{"probe": nil})
	const held, orphans = 510, 3
	b.exec(`INSERT INTO archive_worker_runs (worker_name, status, trigger, requested_by, config, config_fingerprint, started_at)
		SELECT 'w' || g, 'RUNNING', 'CLI', 'test', '{}', '', now() FROM generate_series(1, $1) g`, held+orphans)
	conn, err := b.Pool().Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	_, err = conn.Exec(t.Context(), "SELECT pg_advisory_lock((x'5343524e'::bigint << 32) + id) FROM archive_worker_runs WHERE id <= (SELECT min(id) + $1 - 1 FROM archive_worker_runs)", held)
	if err != nil {
		t.Fatal(err)
	}
	n, err := b.executor(0).Recover(t.Context())
	if err != nil || n != orphans {
		t.Errorf("recovered %d, %v; want %d", n, err, orphans)
	}
}

// TestRecoveryOfManyOrphans needs no connection for each.
func TestRecoveryOfManyOrphans(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]work{"probe": nil})
	const orphans = 1000
	b.exec(`INSERT INTO archive_worker_runs (worker_name, status, trigger, requested_by, config, config_fingerprint, started_at, owner, heartbeat_at, current_unit)
		SELECT 'w' || g, 'RUNNING', 'CLI', 'test', '{}', '', now(), 'host-a/work/' || g, '2026-11-30 12:00:00Z', 'BR 7.' || g FROM generate_series(1, $1) g`, orphans)
	line := storetest.NewLine(t, b.url)
	s, err := store.Open(t.Context(), line.URL, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	e, err := executor.New(executor.Options{Catalogue: b.catalogue, Store: s, Log: slog.New(slog.DiscardHandler), Role: "test"})
	if err != nil {
		t.Fatal(err)
	}
	n, err := e.Recover(t.Context())
	if err != nil || n != orphans {
		t.Errorf("recovered %d, %v; want %d", n, err, orphans)
	}
	if opened := line.Opened(); opened > 3 {
		t.Errorf("%d connections were made", opened)
	}
	const why = "The process host-a/work/7 stopped answering at 2026-11-30 12:00:00 UTC, after BR 7.7; what was committed stays, the next run goes on from there."
	if n := b.count("SELECT count(*) FROM archive_worker_runs WHERE worker_name = 'w7' AND error = $1", why); n != 1 {
		t.Errorf("the ledger does not say %q", why)
	}
}

func TestADeadRunIsNotInTheWay(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]work{"probe": func(_ context.Context, _ worker.Env, _ options) error { return nil }})
	dead := b.insert("probe")
	run, err := b.executor(0).RunHere(t.Context(), request("probe", nil), nil)
	if err != nil || run.Status != worker.Success {
		t.Errorf("got %s, %v", run.Status, err)
	}
	if got := b.run(dead).Status; got != worker.Interrupted {
		t.Errorf("the dead one is %s", got)
	}
}

func TestTwoAtOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]work{"probe": nil})
	e := b.executor(0)
	const n = 8
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			r := request("probe", nil)
			r.RequestedBy = fmt.Sprint("person ", i)
			_, errs[i] = e.Submit(t.Context(), r)
		})
	}
	wg.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
			continue
		}
		inFlight, ok := errors.AsType[*worker.InFlightError](err)
		if !ok || !strings.HasPrefix(inFlight.Run.RequestedBy, "person ") {
			t.Errorf("got %v, want an InFlightError", err)
		}
	}
	if jobs := b.count("SELECT count(*) FROM river_job"); won != 1 || jobs != 1 {
		t.Errorf("%d won, %d jobs; want 1 and 1", won, jobs)
	}
}
