package main

import (
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"scrinalia/health"
	"scrinalia/store/localpg"
	"scrinalia/views"
	"scrinalia/worker"
)

// heldOrder is a run that a server executes and that stands at hold.
func heldOrder(t *testing.T, url string) (p *process, address string, run int64, release func()) {
	t.Helper()
	db := dial(t, url)
	p, address = serve(t, database(url))
	release = hold(t, url)
	run = order(t, address, worker.Transfer).ID
	if held := awaitHeld(t, db); held != run {
		t.Fatalf("run %d is held, want %d", held, run)
	}
	return p, address, run, release
}

func wantInterrupted(t *testing.T, r worker.Run, why string) {
	t.Helper()
	if r.Status != worker.Interrupted || r.Processed != committed || r.FinishedAt == nil || r.Error == nil || !strings.Contains(*r.Error, why) {
		t.Errorf("run %d is %s with %d units, error %v; want INTERRUPTED with %d, %q", r.ID, r.Status, r.Processed, deref(r.Error), committed, why)
	}
}

func deref(s *string) string {
	if s == nil {
		return "none"
	}
	return *s
}

// TestKilledServer: the first answer of the next server already knows.
func TestKilledServer(t *testing.T) {
	t.Parallel()
	url, db := collection(t)
	p, _, run, release := heldOrder(t, url)
	pid := p.cmd.Process.Pid
	p.kill()
	_, address := serve(t, database(url))
	host, err := os.Hostname()
	must(t, err)
	wantInterrupted(t, fetchRun(t, address, run), "The process "+host+"/serve/"+strconv.Itoa(pid)+" stopped answering")
	release()
	next := order(t, address, worker.Transfer).ID
	awaitRun(t, address, next, worker.Success)
	wantTransferredOnce(t, db)
}

// TestServerToldToStop does not wait for a run that does not end.
func TestServerToldToStop(t *testing.T) {
	t.Parallel()
	url, db := collection(t)
	p, _, run, release := heldOrder(t, url)
	p.signal(syscall.SIGTERM)
	p.wantExit(0) // while the run is still held
	if s := status(t, db, run); s != worker.Interrupted {
		t.Errorf("run %d is %s when the server has gone", run, s)
	}
	wantInterrupted(t, ledger(t, database(url))[0], "the next run goes on from there")
	wantNoPanic(t, p)
	release()
	succeed(t, database(url), "run", "transfer")
	wantTransferredOnce(t, db)
}

// TestSecondServer: recovery of a sibling, and of a command line, leaves a living run alone.
func TestSecondServer(t *testing.T) {
	t.Parallel()
	url, db := collection(t)
	first, address, run, release := heldOrder(t, url)
	second, other := serve(t, database(url))
	ledger(t, database(url)) // the command line recovers too
	if r := fetchRun(t, other, run); r.Status != worker.Running {
		t.Errorf("the second server says that run %d is %s", run, r.Status)
	}
	postJSON(t, http.StatusConflict, other+"/workers/transfer/runs", "")
	queued := order(t, other, worker.Cleaning).ID // one of the two has a hand free
	awaitRun(t, other, queued, worker.Success)
	release()
	awaitRun(t, address, run, worker.Success)
	if r := fetchRun(t, address, run); !strings.HasSuffix(deref(r.Owner), "/serve/"+strconv.Itoa(first.cmd.Process.Pid)) {
		t.Errorf("run %d belongs to %s", run, deref(r.Owner))
	}
	wantTransferredOnce(t, db)
	for _, p := range []*process{first, second} {
		p.signal(syscall.SIGTERM)
		p.wantExit(0)
		wantNoPanic(t, p)
	}
}

// TestQueuedRunOutlivesItsServer: what waits when the server is killed is executed by the next.
func TestQueuedRunOutlivesItsServer(t *testing.T) {
	t.Parallel()
	url, db := collection(t)
	p, address, run, release := heldOrder(t, url)
	queued := order(t, address, worker.Cleaning).ID
	p.kill()
	release()
	_, address = serve(t, database(url))
	awaitRun(t, address, queued, worker.Success)
	if s := status(t, db, run); s != worker.Interrupted {
		t.Errorf("the run under way is %s", s)
	}
}

// TestDatabaseGoesAway stops PostgreSQL under a server with a run under way and another queued.
func TestDatabaseGoesAway(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	options := localpg.Options{Dir: dir, NoSync: true, Settings: map[string]string{"fsync": "off"}}
	pg, err := localpg.Open(t.Context(), options)
	must(t, err)
	must(t, pg.EnsureDatabase(t.Context(), databaseName))
	url := pg.URL(databaseName)
	succeed(t, database(url), "import", sampleFile)
	p, address := serve(t, database(url))
	block(t, url, "LOCK TABLE documents IN SHARE MODE") // goes with the database
	run, queued := order(t, address, worker.Transfer).ID, order(t, address, worker.QualityValidator).ID
	awaitRun(t, address, run, worker.Running)

	must(t, pg.Close())
	await(t, "the server to notice", func() bool { return get(t, address+"/health/ready").status == http.StatusServiceUnavailable })
	for _, path := range []string{"/workers", "/workers/transfer", "/runs", "/runs/1"} {
		if a := get(t, address+path); a.status != http.StatusServiceUnavailable || !strings.Contains(a.body, "<html") || !strings.Contains(a.body, "database") {
			t.Errorf("%s without a database: %d %s", path, a.status, a.body)
		}
		if a := get(t, address+path, wantsJSON); a.status != http.StatusServiceUnavailable || a.header.Get("Content-Type") != "application/problem+json" || a.header.Get("Retry-After") == "" {
			t.Errorf("%s in JSON without a database: %d %s", path, a.status, a.body)
		}
	}
	postJSON(t, http.StatusServiceUnavailable, address+"/workers/cleaning/runs", "")
	if a := get(t, address+"/workers"); !strings.Contains(a.body, `href="/health"`) {
		t.Error("the page does not lead to /health")
	}
	await(t, "the health page to notice", func() bool {
		c := findCheck(t, decode[views.HealthJSON](t, get(t, address+"/health", wantsJSON).body), "database")
		return c.Verdict == health.Failed && strings.Contains(advised(c), "pg_isready") && slices.Equal(c.Affects, []string{"*"})
	})
	if a := get(t, address+"/health", "HX-Request: true"); a.status != http.StatusOK || !strings.Contains(a.body, "Down: Database") {
		t.Errorf("the health page without a database: %d %s", a.status, a.body)
	}
	if a := get(t, address+"/health/live"); a.status != http.StatusOK {
		t.Errorf("not alive: %d", a.status)
	}

	pg, err = localpg.Open(t.Context(), options)
	must(t, err)
	defer pg.Close()
	await(t, "the server to recover", func() bool { return get(t, address+"/health/ready").status == http.StatusOK })
	if a := get(t, address+"/workers"); a.status != http.StatusOK {
		t.Errorf("the page after the return: %d", a.status)
	}
	await(t, "the health page to see it back", func() bool {
		return findCheck(t, decode[views.HealthJSON](t, get(t, address+"/health", wantsJSON).body), "database").Verdict == health.OK
	})
	awaitRun(t, address, queued, worker.Success) // queued before
	next := order(t, address, worker.Transfer).ID
	awaitRun(t, address, next, worker.Success)
	if r := fetchRun(t, address, run); r.Status != worker.Interrupted {
		t.Errorf("the run that lost its database is %s", r.Status)
	}
	if r := fetchRun(t, address, next); r.Processed != sampleRecords {
		t.Errorf("the run after: %+v", r)
	}
	p.signal(syscall.SIGTERM)
	p.wantExit(0)
	wantNoPanic(t, p)
}

// TestPrivateDatabaseComesBack: the server starts its own database again when somebody ended it.
func TestPrivateDatabaseComesBack(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	_, address := serve(t, []string{"SCRINALIA_DATA_DIR=" + dir}, "--sample")
	for _, how := range []syscall.Signal{syscall.SIGINT, syscall.SIGQUIT} {
		first := postmaster(t, dir)
		must(t, syscall.Kill(first, how))
		await(t, "another database server", func() bool {
			now := postmaster(t, dir)
			return now != 0 && now != first && get(t, address+"/workers").status == http.StatusOK
		})
	}
}
