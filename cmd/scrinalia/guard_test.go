package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"scrinalia/store/storetest"
	"scrinalia/worker"

	"github.com/google/go-cmp/cmp"
)

// TestTwoRunsAtTheSameMoment starts both before either can do anything: one runs, the other is told who is in the way.
func TestTwoRunsAtTheSameMoment(t *testing.T) {
	t.Parallel()
	url, db := collection(t)
	release := block(t, url, "LOCK TABLE documents IN SHARE MODE")
	both := []*process{start(t, database(url), "run", "transfer", "--by", "Ana"), start(t, database(url), "run", "transfer", "--by", "Ana")}
	var loser, winner *process
	await(t, "one of the two to be refused", func() bool {
		for i, p := range both {
			select {
			case <-p.ended:
				loser, winner = p, both[1-i]
				return true
			default:
			}
		}
		return false
	})
	loser.wantExit(exitInFlight)
	await(t, "the other to run", func() bool {
		return scalar[int64](t, db, "SELECT count(*) FROM archive_worker_runs WHERE status = 'RUNNING'") == 1
	})
	id := scalar[int64](t, db, "SELECT id FROM archive_worker_runs")

	third := start(t, database(url), "run", "transfer", "--json") // long after, and for a script
	third.wantExit(exitInFlight)
	inWay := decode[map[string]worker.Run](t, third.stdout.String())["in_flight"]
	if inWay.ID != id || inWay.RequestedBy != "Ana" || inWay.Status != worker.Running {
		t.Errorf("in the way is %+v, want run %d", inWay, id)
	}
	for _, p := range []*process{loser, third} {
		said := p.stderr.String()
		for _, want := range []string{fmt.Sprintf("#%d,", id), "started by Ana at 20", "transfer already has a run in flight"} {
			if !strings.Contains(said, want) {
				t.Errorf("the refusal %q does not say %q", said, want)
			}
		}
		wantOneSentence(t, p)
	}
	release()
	winner.wantExit(0)
	if n := scalar[int64](t, db, "SELECT count(*) FROM archive_worker_runs"); n != 1 {
		t.Errorf("%d runs in the ledger, want 1", n)
	}
	wantTransferredOnce(t, db)
}

// wantOneSentence wants one line on standard error, without the marks of a crash.
func wantOneSentence(t *testing.T, p *process) {
	t.Helper()
	said := p.stderr.String()
	if strings.Count(said, "\n") != 1 || !strings.HasPrefix(said, "scrinalia: ") || strings.Contains(said, "goroutine") || strings.Contains(said, "panic") {
		t.Errorf("%v said %q, want one sentence", p.cmd.Args[1:], said)
	}
}

// TestKilledRun ends a run on the command line with kill -9, half-way.
func TestKilledRun(t *testing.T) {
	t.Parallel()
	url, db := collection(t)
	p, id, release := heldRun(t, url, db)
	pid := p.cmd.Process.Pid
	p.kill()

	runs := ledger(t, database(url))
	if len(runs) != 1 || runs[0].ID != id || runs[0].Status != worker.Interrupted || runs[0].Error == nil || runs[0].FinishedAt == nil || runs[0].Processed != committed {
		t.Fatalf("the ledger after the kill: %+v", runs)
	}
	host, err := os.Hostname()
	must(t, err)
	for _, want := range []string{host + "/run/" + strconv.Itoa(pid), "stopped answering", "the next run goes on from there"} {
		if !strings.Contains(*runs[0].Error, want) {
			t.Errorf("the reason %q does not say %q", *runs[0].Error, want)
		}
	}
	release()
	next := decode[worker.Run](t, succeed(t, database(url), "run", "transfer", "--json"))
	if diff := cmp.Diff(worker.Counts{Processed: records - committed}, next.Counts); diff != "" {
		t.Errorf("the next run: -want +got:\n%s", diff)
	}
	wantTransferredOnce(t, db)
	if runs := ledger(t, database(url)); len(runs) != 2 || runs[1].Status != worker.Interrupted || runs[0].Status != worker.Success {
		t.Errorf("the ledger in the end: %+v", runs)
	}
}

// TestKilledRunIsNotInTheWay: the next run needs no other command before it.
func TestKilledRunIsNotInTheWay(t *testing.T) {
	t.Parallel()
	url, db := collection(t)
	p, id, release := heldRun(t, url, db)
	p.kill()
	release()
	succeed(t, database(url), "run", "transfer")
	if s := status(t, db, id); s != worker.Interrupted {
		t.Errorf("the killed run is %s", s)
	}
	wantTransferredOnce(t, db)
}

// TestStoppedByHand sends the signals of a terminal and of a supervisor.
func TestStoppedByHand(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			url, db := collection(t)
			p, id, release := heldRun(t, url, db)
			p.signal(sig)
			p.wantExit(exitCancelled)
			wantCancelled(t, url, id)
			if out := p.stdout.String(); !strings.Contains(out, fmt.Sprintf("run %d transfer: CANCELLED, %d processed", id, committed)) {
				t.Errorf("it said %q", out)
			}
			if n := scalar[int64](t, db, "SELECT count(*) FROM documents"); n != committed {
				t.Errorf("%d descriptions stay, want %d", n, committed)
			}
			release()
			succeed(t, database(url), "run", "transfer")
			wantTransferredOnce(t, db)
		})
	}
}

func wantCancelled(t *testing.T, url string, id int64) {
	t.Helper()
	r := ledger(t, database(url))[0]
	if r.ID != id || r.Status != worker.Cancelled || r.Processed != committed || r.Error != nil {
		t.Errorf("the ledger says of run %d: %+v", id, r)
	}
}

// TestStoppedBeforeItBegan sends Ctrl-C while the program still waits for the schema.
func TestStoppedBeforeItBegan(t *testing.T) {
	t.Parallel()
	url := storetest.EmptyURL(t)
	db := dial(t, url)
	release := block(t, url, fmt.Sprint("SELECT pg_advisory_xact_lock(", 0x5343_4d49_4752, ")")) // store.migrationLock
	p := start(t, database(url), "run", "transfer")
	await(t, "the run to wait for the schema", func() bool {
		return scalar[bool](t, db, "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')")
	})
	p.signal(os.Interrupt)
	p.wantExit(exitCancelled)
	wantOneSentence(t, p)
	release()
}

// TestCancelledFromThePanel stops a run on the command line from a server.
func TestCancelledFromThePanel(t *testing.T) {
	t.Parallel()
	url, db := collection(t)
	_, address := serve(t, database(url))
	p, id, release := heldRun(t, url, db)
	defer release()
	postJSON(t, 202, address+"/runs/"+strconv.FormatInt(id, 10)+"/cancel", "")
	p.wantExit(exitCancelled)
	r := fetchRun(t, address, id)
	if r.Status != worker.Cancelled || r.Processed != committed || r.CancelRequestedBy == nil || *r.CancelRequestedBy != "API 127.0.0.1" {
		t.Errorf("the cancelled run: %+v", r)
	}
	wantCancelled(t, url, id)
}
