package executor_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scrinalia/executor"
	"scrinalia/worker"
)

func TestOutcomes(t *testing.T) {
	t.Parallel()
	notes := map[string]worker.Note{"seen": {Count: 2, Examples: []string{"a"}}}
	tests := []struct {
		name string
		do   work
		want worker.Status
		err  string // part of the error
		sum  worker.Counts
	}{
		{"nothing to do", func(context.Context, worker.Env, options) error { return nil }, worker.Success, "", worker.Counts{}},
		{"failed units are no failed run", func(ctx context.Context, env worker.Env, _ options) error {
			return env.Report(ctx, worker.Batch{Counts: worker.Counts{Processed: 3, Failed: 2, Skipped: 1}, Notes: notes})
		}, worker.Success, "", worker.Counts{Processed: 3, Failed: 2, Skipped: 1}},
		{"an error after work was done", func(ctx context.Context, env worker.Env, _ options) error {
			return errors.Join(env.Report(ctx, units(7)), errors.New("disk full"))
		}, worker.Failed, "disk full", worker.Counts{Processed: 7}},
		{"a panic", func(ctx context.Context, env worker.Env, _ options) error {
			_ = env.Report(ctx, units(4))
			panic("nil map")
		}, worker.Failed, "the worker panicked: nil map", worker.Counts{Processed: 4}},
		{"an error that cannot be stored as it is", func(context.Context, worker.Env, options) error {
			return errors.New("a\x00b\xff" + strings.Repeat("é", 50_000))
		}, worker.Failed, "[truncated, 100", worker.Counts{}},
		{"an error without text", func(context.Context, worker.Env, options) error { return errors.New("") }, worker.Failed, "", worker.Counts{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, map[string]work{"probe": tt.do})
			run, err := b.executor(0).RunHere(t.Context(), request("probe", nil), nil)
			if err != nil {
				t.Fatal(err)
			}
			if run.Status != tt.want {
				t.Errorf("status %s, want %s", run.Status, tt.want)
			}
			if diff := cmp.Diff(tt.sum, run.Counts); diff != "" {
				t.Errorf("counts: -want +got:\n%s", diff)
			}
			if got := run.Error != nil; got != (tt.want == worker.Failed) {
				t.Errorf("has an error: %t", got)
			}
			if run.Error != nil && !strings.Contains(*run.Error, tt.err) {
				t.Errorf("error %q, want %q in it", *run.Error, tt.err)
			}
			if run.StartedAt == nil || run.FinishedAt == nil || run.DurationMS == nil || run.Owner == nil || !strings.Contains(*run.Owner, "/test/") {
				t.Errorf("started %v, finished %v, owner %v", run.StartedAt, run.FinishedAt, run.Owner)
			}
			if tt.sum.Skipped > 0 {
				if diff := cmp.Diff(notes, run.Notes); diff != "" {
					t.Errorf("notes: -want +got:\n%s", diff)
				}
			}
		})
	}
}

func TestProgressAndConfig(t *testing.T) {
	t.Parallel()
	var got options
	b := newBench(t, map[string]work{"transfer": func(ctx context.Context, env worker.Env, o options) error {
		got = o
		return errors.Join(env.Report(ctx, units(2)), env.Report(ctx, units(3)))
	}})
	b.exec("INSERT INTO staging_records (description_id, title, content_hash) SELECT g::text, 'Ata', sha256(''::bytea) FROM generate_series(1, 9) g")
	b.exec("INSERT INTO worker_override_revisions (worker_name, version, changed_by, channel, before, after) VALUES ('transfer', 1, 'ana', 'CLI', '{}', '{}')")
	b.exec(`INSERT INTO worker_overrides VALUES ('transfer', 1, '{"batch_size": 20, "options": {"word": "override"}}')`)
	var seen []int64
	run, err := b.executor(0).RunHere(t.Context(), request("transfer", map[string]any{"limit": 7, "word": "argument"}), func(r worker.Run) {
		seen = append(seen, r.Processed)
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int64{0, 2, 5}, seen); diff != "" {
		t.Errorf("progress: -want +got:\n%s", diff)
	}
	if run.Total == nil || *run.Total != 7 || run.Processed != 5 {
		t.Errorf("total %v, processed %d; want 7 and 5", run.Total, run.Processed)
	}
	want := options{Common: worker.Common{Limit: 7}, BatchSize: 20, Word: "argument"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the work received: -want +got:\n%s", diff)
	}
	stored := map[string]worker.Value{
		"limit": {Value: 7.0, Origin: worker.FromArgument}, "word": {Value: "argument", Origin: worker.FromArgument},
		"dry_run": {Value: false, Origin: worker.FromDefault}, "force": {Value: false, Origin: worker.FromDefault},
	}
	if diff := cmp.Diff(stored, run.Config.Options); diff != "" {
		t.Errorf("the ledger says: -want +got:\n%s", diff)
	}
	if diff := cmp.Diff(&worker.Value{Value: 20.0, Origin: worker.FromOverride}, run.Config.BatchSize); diff != "" {
		t.Errorf("batch size: -want +got:\n%s", diff)
	}
}

func TestCancelReachesTheWork(t *testing.T) {
	t.Parallel()
	started := make(chan int64, 1)
	b := newBench(t, map[string]work{"probe": waiting(started)})
	done := runHere(t.Context(), b.executor(0), "probe")
	id := <-started
	run, err := b.executor(0).Cancel(t.Context(), id, "ana") // another process
	if err != nil || !run.Cancelling() {
		t.Errorf("cancelling: %t, %v", run.Cancelling(), err)
	}
	r := <-done
	if r.err != nil || r.run.Status != worker.Cancelled || r.run.Error != nil || *r.run.CancelRequestedBy != "ana" {
		t.Errorf("got %s by %v, error %v, %v", r.run.Status, r.run.CancelRequestedBy, r.run.Error, r.err)
	}
	if _, err := b.RequestCancel(t.Context(), id, "ana"); worker.KindOf(err) != worker.Conflict {
		t.Errorf("cancelling what is over: %v, want a conflict", err)
	}
	if _, err := b.RequestCancel(t.Context(), id+1000, "ana"); worker.KindOf(err) != worker.NotFound {
		t.Errorf("cancelling what is not there: %v, want NotFound", err)
	}
}

func TestContextDecidesTheOutcome(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		cause error
		want  worker.Status
	}{
		{"Ctrl-C", executor.ErrCancelled, worker.Cancelled},
		{"the process is told to stop", nil, worker.Interrupted},
		{"with a cause of its own", errors.New("stop initiated"), worker.Interrupted},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			started := make(chan int64, 1)
			b := newBench(t, map[string]work{"probe": func(ctx context.Context, env worker.Env, _ options) error {
				err := env.Report(ctx, units(3))
				started <- env.RunID
				<-ctx.Done()
				return errors.Join(err, ctx.Err()) // not the cause: what a driver returns
			}})
			ctx, cancel := context.WithCancelCause(t.Context())
			done := runHere(ctx, b.executor(0), "probe")
			<-started
			cancel(tt.cause)
			r := <-done
			if r.err != nil || r.run.Status != tt.want || r.run.Processed != 3 {
				t.Errorf("got %s with %d processed, %v; want %s with 3", r.run.Status, r.run.Processed, r.err, tt.want)
			}
		})
	}
}

// TestTheOutcomeWaitsForAHeartbeatUnderWay: work ends while progress is being saved, which takes long here.
func TestTheOutcomeWaitsForAHeartbeatUnderWay(t *testing.T) {
	t.Parallel()
	started, release := make(chan int64, 1), make(chan struct{})
	b := newBench(t, map[string]work{"probe": func(_ context.Context, env worker.Env, _ options) error {
		started <- env.RunID
		<-release
		return nil
	}})
	ctx, cancel := context.WithCancel(t.Context())
	done := runHere(ctx, b.executor(0), "probe")
	id := <-started
	tx, err := b.Pool().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "SELECT FROM archive_worker_runs WHERE id = $1 FOR UPDATE", id); err != nil {
		t.Fatal(err)
	}
	b.await("a heartbeat that waits", func() bool {
		return b.count("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'") > 0
	})
	cancel()
	close(release)
	b.await("the end of the heartbeat, or its patience", func() bool {
		select {
		case r := <-done:
			done = nil
			t.Errorf("the run returned %s, %v without its outcome", r.run.Status, r.err)
			return true
		default:
			return b.count("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'") > 0
		}
	})
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if done != nil {
		if r := <-done; r.err != nil || r.run.Status != worker.Success {
			t.Errorf("got %s, %v; want SUCCESS", r.run.Status, r.err)
		}
	}
}
