package main

import (
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"scrinalia/store/storetest"
	"scrinalia/worker"
)

// processes asks a server who executes runs.
func processes(t *testing.T, address string) []worker.Process {
	t.Helper()
	a := get(t, address+"/processes", wantsJSON)
	if a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	return decode[struct{ Processes []worker.Process }](t, a.body).Processes
}

// TestWorkBesideServe: two processes execute what a panel queues, each is listed as long as it lives, and a run survives the one that did not have it.
func TestWorkBesideServe(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	env := database(url)
	succeed(t, env, "import", sampleFile)
	server, address := serve(t, env)
	release := block(t, url, "LOCK TABLE documents IN SHARE MODE")
	first := order(t, address, worker.Transfer).ID
	awaitRun(t, address, first, worker.Running) // keeps the server busy
	second := order(t, address, worker.QualityValidator).ID
	work := start(t, env, "work")
	await(t, "the second process to take the second run", func() bool {
		for _, p := range processes(t, address) {
			if p.Role == "work" && len(p.Runs) == 1 && p.Runs[0] == second && p.PID == work.cmd.Process.Pid {
				return true
			}
		}
		return fetchRun(t, address, second).Status == worker.Success // it may have been quick
	})
	if out := succeed(t, env, "processes"); !strings.Contains(out, strconv.Itoa(server.cmd.Process.Pid)) || !strings.Contains(out, strconv.Itoa(work.cmd.Process.Pid)) {
		t.Errorf("processes said %q", out)
	}
	server.kill()
	release()
	await(t, "the server to be missed", func() bool {
		out := succeed(t, env, "processes", "--json")
		return !strings.Contains(out, `"serve"`) && strings.Contains(out, `"work"`)
	})
	if s := status(t, dial(t, url), second); s.Active() {
		awaitEnd(t, env, second)
	}
	last := succeed(t, env, "run", "transfer")
	if !strings.Contains(last, "SUCCESS") {
		t.Errorf("%q", last)
	}
	work.signal(syscall.SIGTERM)
	work.wantExit(0)
	if out := succeed(t, env, "processes"); !strings.Contains(out, "No process executes queued runs") {
		t.Errorf("after both have ended: %q", out)
	}
}

// awaitEnd waits for the end of a run that no server shows.
func awaitEnd(t *testing.T, env []string, id int64) {
	t.Helper()
	await(t, "the run to end", func() bool {
		for _, r := range ledger(t, env) {
			if r.ID == id {
				return !r.Status.Active()
			}
		}
		return false
	})
}

// TestCancelCommand stops a run of another process, and says what cannot be cancelled.
func TestCancelCommand(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	env := database(url)
	succeed(t, env, "import", sampleFile)
	_, address := serve(t, env)
	release := block(t, url, "LOCK TABLE documents IN SHARE MODE")
	run := order(t, address, worker.Transfer).ID
	awaitRun(t, address, run, worker.Running)
	if out := succeed(t, env, "cancel", strconv.FormatInt(run, 10)); !strings.Contains(out, "was told to stop") {
		t.Errorf("%q", out)
	}
	awaitRun(t, address, run, worker.Cancelled) // while what it waits for is still locked
	release()
	over := start(t, env, "cancel", "#"+strconv.FormatInt(run, 10))
	over.wantExit(exitFailed)
	if !strings.Contains(over.stderr.String(), "is over (CANCELLED)") {
		t.Errorf("%q", over.stderr.String())
	}
	start(t, env, "cancel", "99999").wantExit(exitUsage)
	start(t, env, "cancel", "x").wantExit(exitUsage)
}
