package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"scrinalia/engine/ollama/ollamatest"
	"scrinalia/store/storetest"
	"scrinalia/worker"
)

const model = "granite4.1:3b"

// asking is a server whose run of ner stands in a call of its engine, about a text that has this in it.
func asking(t *testing.T, url, text string) (models *ollamatest.Server, env []string, p *process, address string, run int64) {
	t.Helper()
	models = ollamatest.New(t, model)
	env = append(database(url), "OLLAMA_HOST="+models.URL)
	succeed(t, env, "import", sampleFile)
	succeed(t, env, "run", worker.Transfer)
	models.Hold(func(asked string) bool { return strings.Contains(asked, text) })
	p, address = serve(t, env)
	run = orderOllama(t, address)
	await(t, "the engine to be asked", func() bool { return models.Waiting() > 0 })
	return models, env, p, address, run
}

func orderOllama(t *testing.T, address string) int64 {
	t.Helper()
	return decode[worker.Run](t, postJSON(t, http.StatusCreated, address+"/workers/ner/runs", `{"engine": "ollama"}`).body).ID
}

// TestToldToStopDuringAnEngineCall: SIGTERM aborts the call; the run ends by itself, and the next one does the unit.
func TestToldToStopDuringAnEngineCall(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	db := dial(t, url)
	models, env, p, _, run := asking(t, url, "")
	p.signal(syscall.SIGTERM)
	p.wantExit(0)
	await(t, "the call to be aborted", func() bool { return models.Waiting() == 0 })
	if s := status(t, db, run); s != worker.Interrupted {
		t.Errorf("run %d is %s when the server has gone", run, s)
	}
	wantNoPanic(t, p)
	wantTrueLedger(t, db)
	models.Release()
	last := decode[worker.Run](t, succeed(t, env, "run", worker.NamedEntities, "--engine", "ollama", "--json"))
	if last.Processed != sampleRecords {
		t.Errorf("the next run: %+v", last.Counts)
	}
}

// TestCancelDuringAnEngineCall aborts the call, and shows what the run is at meanwhile.
func TestCancelDuringAnEngineCall(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	models, _, _, address, run := asking(t, url, "")
	await(t, "the unit to be named", func() bool { return fetchRun(t, address, run).CurrentUnit != nil })
	postJSON(t, http.StatusAccepted, address+"/runs/"+strconv.FormatInt(run, 10)+"/cancel", "")
	awaitRun(t, address, run, worker.Cancelled)
	await(t, "the call to be aborted", func() bool { return models.Waiting() == 0 })
	wantTrueLedger(t, dial(t, url))
}

// TestAUnitThatKillsItsProcess is in work when two processes die: it is set aside, the others are done, and it is done when it was released.
func TestAUnitThatKillsItsProcess(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	db := dial(t, url)
	models := ollamatest.New(t, model)
	env := append(database(url), "OLLAMA_HOST="+models.URL)
	succeed(t, env, "import", sampleFile)
	succeed(t, env, "run", worker.Transfer)
	title := scalar[string](t, db, "SELECT original_title FROM documents WHERE id = (SELECT percentile_disc(0.3) WITHIN GROUP (ORDER BY id) FROM documents)")
	var names []string
	models.Hold(func(asked string) bool { return strings.Contains(asked, title) })
	for range 2 {
		p := start(t, env, "run", worker.NamedEntities, "--engine", "ollama")
		await(t, "the unit to be in work", func() bool { return models.Waiting() > 0 })
		p.kill()
		r := ledger(t, env)[0]
		if r.Status != worker.Interrupted || !strings.Contains(deref(r.Error), " in work; what was committed stays") {
			t.Fatalf("%s: %s", r.Status, deref(r.Error))
		}
		names = append(names, deref(r.Error))
	}
	if !strings.Contains(names[1], ", with ") || strings.Contains(names[1], " others in work") {
		t.Errorf("the second time it is not named alone: %q", names[1])
	}
	last := decode[worker.Run](t, succeed(t, env, "run", worker.NamedEntities, "--engine", "ollama", "--json")) // the unit would be held
	listed := succeed(t, env, "release", worker.NamedEntities, "--list")
	if last.Failed != 0 || strings.Count(listed, "\n") != 2 {
		t.Errorf("the third run: %+v; set aside: %q", last.Counts, listed)
	}
	if n := scalar[int](t, db, "SELECT count(*) FROM ner_queue WHERE pending"); n != 0 {
		t.Errorf("%d units wait", n)
	}
	models.Release()
	if out := succeed(t, env, "release", worker.NamedEntities); !strings.HasPrefix(out, "Released ") {
		t.Errorf("%q", out)
	}
	if again := decode[worker.Run](t, succeed(t, env, "run", worker.NamedEntities, "--engine", "ollama", "--json")); again.Processed != 1 {
		t.Errorf("the released unit: %+v", again.Counts)
	}
	wantTrueLedger(t, db)
}

// TestConnectionsEnded ends every connection of the program, in the middle of a run, as an administrator can.
func TestConnectionsEnded(t *testing.T) {
	t.Parallel()
	url, db := collection(t)
	_, address, run, release := heldOrder(t, url)
	_, err := db.Exec(t.Context(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'scrinalia'")
	must(t, err)
	release()
	await(t, "the panel to be back", func() bool { return get(t, address+"/health/ready").status == http.StatusOK })
	ledger(t, database(url)) // a start recovers at once, those that live do within a minute
	awaitRun(t, address, run, worker.Interrupted)
	next := order(t, address, worker.Transfer).ID // the queue lives
	awaitRun(t, address, next, worker.Success)
	wantTransferredOnce(t, db)
	wantTrueLedger(t, db)
}

// TestDatabaseOutOfReach: the network between server and database is gone, without a word, and comes back.
func TestDatabaseOutOfReach(t *testing.T) {
	t.Parallel()
	url, db := collection(t)
	line := storetest.NewLine(t, url)
	p, address := serve(t, database(line.URL))
	release := hold(t, url)
	run := order(t, address, worker.Transfer).ID
	awaitHeld(t, db)
	line.Hold()
	await(t, "the server to notice", func() bool { return get(t, address+"/health/ready").status == http.StatusServiceUnavailable })
	await(t, "the run to be given up", func() bool { return strings.Contains(p.stderr.String(), "its lock was lost") })
	if a := get(t, address+"/workers"); a.status != http.StatusServiceUnavailable || !strings.Contains(a.body, "<html") {
		t.Errorf("the page meanwhile: %d", a.status)
	}
	if s := status(t, db, run); s != worker.Running {
		t.Errorf("run %d is %s, although nobody could write that", run, s)
	}
	line.Release()
	await(t, "the panel to be back", func() bool { return get(t, address+"/health/ready").status == http.StatusOK })
	await(t, "the run to be recovered", func() bool { return ledger(t, database(url))[0].Status == worker.Interrupted })
	release()
	next := order(t, address, worker.Transfer).ID
	awaitRun(t, address, next, worker.Success)
	wantTransferredOnce(t, db)
	wantTrueLedger(t, db)
	wantNoPanic(t, p)
}

// TestFiftyPressRun: one of them starts a run, all others are told who did.
func TestFiftyPressRun(t *testing.T) {
	t.Parallel()
	url, db := collection(t)
	_, one := serve(t, database(url))
	_, other := serve(t, database(url))
	release := hold(t, url)
	const clients = 50
	answers := make([]answer, clients)
	errs := make([]error, clients)
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() {
			address := []string{one, other}[i%2]
			answers[i], errs[i] = ask(t, http.MethodPost, address+"/workers/transfer/runs", `{"by": "client `+strconv.Itoa(i)+`"}`, wantsJSON, "Content-Type: application/json")
		})
	}
	all.Wait()
	got := map[int]int{}
	for i, a := range answers {
		must(t, errs[i])
		got[a.status]++
		if a.status == http.StatusConflict && !strings.Contains(a.body, "started by client ") {
			t.Errorf("a refusal that does not say who: %s", a.body)
		}
	}
	if got[http.StatusCreated] != 1 || got[http.StatusConflict] != clients-1 {
		t.Errorf("the answers were %v", got)
	}
	release()
	run := scalar[int64](t, db, "SELECT id FROM archive_worker_runs")
	awaitRun(t, one, run, worker.Success)
	wantTransferredOnce(t, db)
	wantTrueLedger(t, db)
}

// TestTwoServersOnAnEmptyDatabase start at once: the schema is made once, both serve, and share the work.
func TestTwoServersOnAnEmptyDatabase(t *testing.T) {
	t.Parallel()
	url := storetest.EmptyURL(t)
	db := dial(t, url)
	env := database(url)
	var both []*process
	for range 2 {
		both = append(both, start(t, env, "serve", "--addr", "127.0.0.1:0", "--sample"))
	}
	var addresses []string
	for _, p := range both {
		await(t, "the address of a server", func() bool {
			m := addressLine.FindStringSubmatch(p.stderr.String())
			if m != nil {
				addresses = append(addresses, m[1])
			}
			return m != nil
		})
	}
	if n := scalar[int](t, db, "SELECT count(*) FROM staging_records"); n != sampleRecords {
		t.Errorf("%d records, want the sample once", n)
	}
	run := order(t, addresses[0], worker.Transfer).ID
	awaitRun(t, addresses[1], run, worker.Success)
	if n := len(processes(t, addresses[0])); n != 2 {
		t.Errorf("%d processes are alive", n)
	}
	for _, p := range both {
		p.signal(syscall.SIGTERM)
		p.wantExit(0)
		wantNoPanic(t, p)
	}
	wantTrueLedger(t, db)
}

// TestTheLogCannotBeWritten: a full disk below the log stops no run.
func TestTheLogCannotBeWritten(t *testing.T) {
	t.Parallel()
	url, db := collection(t)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	must(t, err)
	t.Cleanup(func() { _ = full.Close() })
	exe, err := os.Executable()
	must(t, err)
	work := exec.CommandContext(context.WithoutCancel(t.Context()), exe, "work", "--log-level", "debug")
	work.Env = append(os.Environ(), actAsProgram+"=1", "DATABASE_URL="+url, "SCRINALIA_DATA_DIR="+t.TempDir())
	work.Stderr, work.Stdout = full, full
	must(t, work.Start())
	t.Cleanup(func() {
		_ = work.Process.Kill()
		_ = work.Wait()
	})
	await(t, "the process to live", func() bool {
		return scalar[bool](t, db, "SELECT EXISTS (SELECT FROM processes p WHERE p.pid = $1 AND lock_is_held((x'53435258'::bigint << 32) + p.id))", work.Process.Pid)
	})
	release := block(t, url, "LOCK TABLE documents IN SHARE MODE") // keeps the server's one hand busy, when it was faster
	_, address := serve(t, database(url))
	first, second := order(t, address, worker.Transfer).ID, order(t, address, worker.QualityValidator).ID
	awaitRun(t, address, second, worker.Success)
	release()
	awaitRun(t, address, first, worker.Success)
	if n := scalar[int](t, db, "SELECT count(*) FROM archive_worker_runs WHERE owner LIKE $1", fmt.Sprintf("%%/work/%d", work.Process.Pid)); n == 0 {
		t.Error("the process without a log executed nothing")
	}
	wantTransferredOnce(t, db)
	wantTrueLedger(t, db)
}

// TestTheQueueIsLost: the tables of the job queue are gone. That is said, by page, health and log, and a run on the command line needs no queue.
func TestTheQueueIsLost(t *testing.T) {
	t.Parallel()
	url, db := collection(t)
	p, address := serve(t, database(url))
	_, err := db.Exec(t.Context(), "DROP TABLE river_job CASCADE")
	must(t, err)
	a := postJSON(t, http.StatusServiceUnavailable, address+"/workers/transfer/runs", "")
	if !strings.Contains(a.body, "job queue") || !strings.Contains(a.body, "scrinalia migrate") {
		t.Errorf("the refusal says %s", a.body)
	}
	if n := scalar[int](t, db, "SELECT count(*) FROM archive_worker_runs"); n != 0 {
		t.Errorf("%d runs were left behind", n)
	}
	if a := get(t, address+"/health", wantsJSON); !strings.Contains(a.body, "The tables of the job queue are gone") {
		t.Errorf("the health page: %d %s", a.status, a.body)
	}
	await(t, "the log to say so", func() bool { return strings.Contains(p.stderr.String(), "river_job") })
	if a := get(t, address+"/workers"); a.status != http.StatusOK {
		t.Errorf("the page of workers: %d", a.status)
	}
	succeed(t, database(url), "run", "transfer") // the command made the tables again
	wantTransferredOnce(t, db)
	run := order(t, address, worker.Cleaning).ID
	awaitRun(t, address, run, worker.Success)
	p.signal(syscall.SIGTERM)
	p.wantExit(0)
	wantNoPanic(t, p)
}

// clockSource is a library that sets the clock of the program that loads it an hour ahead.
const clockSource = `#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/time.h>
#include <time.h>
int clock_gettime(clockid_t id, struct timespec *t) {
	static int (*real)(clockid_t, struct timespec *);
	if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
	int r = real(id, t);
	if (r == 0 && id == CLOCK_REALTIME) t->tv_sec += AHEAD;
	return r;
}
int gettimeofday(struct timeval *restrict t, void *restrict zone) {
	struct timespec now;
	int r = clock_gettime(CLOCK_REALTIME, &now);
	if (t) { t->tv_sec = now.tv_sec; t->tv_usec = now.tv_nsec / 1000; }
	return r;
}
time_t time(time_t *t) {
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	if (t) *t = now.tv_sec;
	return now.tv_sec;
}
`

// TestClockAnHourOff: the database's clock is an hour ahead of, and behind, that of the processes.
func TestClockAnHourOff(t *testing.T) {
	t.Parallel()
	for _, ahead := range []string{"3600", "-3600"} {
		t.Run(ahead, func(t *testing.T) {
			t.Parallel()
			dir := dataDir(t)
			env := []string{"SCRINALIA_DATA_DIR=" + dir, "SCRINALIA_POSTGRES_BIN=" + postgresAhead(t, ahead)}
			p, address := serve(t, env, "--sample")
			run := order(t, address, worker.Transfer)
			awaitRun(t, address, run.ID, worker.Success)
			done := fetchRun(t, address, run.ID)
			if off := done.QueuedAt.Sub(p.started).Seconds(); (off > 3000) != (ahead == "3600") || (off < -3000) != (ahead == "-3600") {
				t.Fatalf("the database's clock is %v s ahead, not %s", off, ahead)
			}
			queued := order(t, address, worker.Cleaning).ID
			ledger(t, env) // recovers: what waits, or was picked up just now, is left alone
			awaitRun(t, address, queued, worker.Success)
			if n := len(processes(t, address)); n != 1 {
				t.Errorf("%d processes are alive", n)
			}
			awaitPipeline(t, address)
			for _, r := range ledger(t, env) {
				if r.Status != worker.Success || r.DurationMS == nil || *r.DurationMS > 600_000 {
					t.Errorf("run %d is %s after %v ms", r.ID, r.Status, r.DurationMS)
				}
			}
			if a := get(t, address+"/runs"); a.status != http.StatusOK || strings.Contains(a.body, "-3,") || strings.Contains(a.body, "-1 h") {
				t.Errorf("the page of runs: %d", a.status)
			}
			p.signal(syscall.SIGTERM)
			p.wantExit(0)
			wantNoPanic(t, p)
		})
	}
}

// awaitPipeline runs every worker and wants success.
func awaitPipeline(t *testing.T, address string) {
	t.Helper()
	id := decode[worker.Pipeline](t, postJSON(t, http.StatusCreated, address+"/pipelines", "").body).ID
	await(t, "the pipeline to end", func() bool {
		p := decode[worker.Pipeline](t, get(t, address+"/pipelines/"+strconv.FormatInt(id, 10), wantsJSON).body)
		if p.Status != worker.Running && p.Status != worker.Success {
			t.Fatalf("the pipeline ended %s", p.Status)
		}
		return p.Status == worker.Success
	})
}

// postgresAhead is a folder of PostgreSQL's programs whose server's clock is so many seconds ahead.
func postgresAhead(t *testing.T, seconds string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "sh", "-c", "ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -1").Output()
	must(t, err)
	real := strings.TrimSpace(string(out))
	if real == "" {
		path, err := exec.LookPath("postgres")
		must(t, err)
		real = filepath.Dir(path)
	}
	dir, err := os.MkdirTemp("/tmp", "scrpg") // the database's account must be able to read it
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	must(t, os.Chmod(dir, 0o755))
	source, library := filepath.Join(dir, "clock.c"), filepath.Join(dir, "clock.so")
	must(t, os.WriteFile(source, []byte(clockSource), 0o644))
	if said, err := exec.CommandContext(t.Context(), "gcc", "-shared", "-fPIC", "-DAHEAD="+seconds, "-o", library, source, "-ldl").CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, said)
	}
	programs, err := os.ReadDir(real)
	must(t, err)
	for _, one := range programs {
		if one.Name() != "postgres" {
			must(t, os.Symlink(filepath.Join(real, one.Name()), filepath.Join(dir, one.Name())))
		}
	}
	script := "#!/bin/sh\nLD_PRELOAD=" + library + " exec " + filepath.Join(real, "postgres") + " \"$@\"\n"
	must(t, os.WriteFile(filepath.Join(dir, "postgres"), []byte(script), 0o755))
	return dir
}
