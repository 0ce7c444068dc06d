package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"scrinalia/store/localpg"
	"scrinalia/worker"
)

// actAsProgram makes the test binary the program itself, so that the tests meet real processes without a build of their own.
const actAsProgram = "SCRINALIA_TEST_ACT_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(actAsProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// deadline is for what must come, on a machine that is busy with other things.
const deadline = 2 * time.Minute

// await asks until the answer is yes.
func await(t *testing.T, what string, yes func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	late := time.NewTimer(deadline)
	defer late.Stop()
	for !yes() {
		select {
		case <-tick.C:
		case <-late.C:
			t.Fatalf("waited in vain for %s", what)
		case <-t.Context().Done():
			t.Fatalf("the test ended while waiting for %s", what)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// output is what a process has said so far.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// process is the program, running.
type process struct {
	t              *testing.T
	cmd            *exec.Cmd
	stdout, stderr output
	started        time.Time
	ended          chan struct{}
}

// start runs the program with these variables and no other setting of its own; without one among them, the data directory is a fresh one.
func start(t *testing.T, env []string, args ...string) *process {
	t.Helper()
	exe, err := os.Executable()
	must(t, err)
	p := &process{t: t, cmd: exec.CommandContext(context.WithoutCancel(t.Context()), exe, args...), started: time.Now(), ended: make(chan struct{})}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "DATABASE_URL=") && !strings.HasPrefix(v, "SCRINALIA_") && !strings.HasPrefix(v, "PG") {
			p.cmd.Env = append(p.cmd.Env, v)
		}
	}
	p.cmd.Env = append(append(p.cmd.Env, actAsProgram+"=1", "SCRINALIA_DATA_DIR="+t.TempDir()), env...)
	p.cmd.Stdout, p.cmd.Stderr, p.cmd.WaitDelay = &p.stdout, &p.stderr, 10*time.Second
	must(t, p.cmd.Start())
	go func() {
		defer close(p.ended)
		_ = p.cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.ended
		if t.Failed() {
			t.Logf("%v said:\n%s%s", args, p.stdout.String(), p.stderr.String())
		}
	})
	return p
}

func (p *process) signal(s os.Signal) {
	p.t.Helper()
	must(p.t, p.cmd.Process.Signal(s))
}

// kill is kill -9.
func (p *process) kill() {
	p.t.Helper()
	p.signal(syscall.SIGKILL)
	p.wait()
}

// wait returns the exit status.
func (p *process) wait() int {
	p.t.Helper()
	late := time.NewTimer(deadline)
	defer late.Stop()
	select {
	case <-p.ended:
	case <-late.C:
		p.t.Fatalf("%v does not end", p.cmd.Args[1:])
	}
	return p.cmd.ProcessState.ExitCode()
}

func (p *process) wantExit(status int) {
	p.t.Helper()
	if got := p.wait(); got != status {
		p.t.Fatalf("%v ended with %d, want %d; it said:\n%s%s", p.cmd.Args[1:], got, status, p.stdout.String(), p.stderr.String())
	}
}

// succeed runs the program to its end and returns what it printed.
func succeed(t *testing.T, env []string, args ...string) string {
	t.Helper()
	p := start(t, env, args...)
	p.wantExit(0)
	return p.stdout.String()
}

func decode[T any](t *testing.T, text string) (v T) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		t.Fatalf("more than one value in %q", text)
	}
	return v
}

// ledger is what runs --json prints, newest first.
func ledger(t *testing.T, env []string) []worker.Run {
	t.Helper()
	return decode[struct {
		Runs []worker.Run `json:"runs"`
	}](t, succeed(t, env, "runs", "--json", "--limit", "100")).Runs
}

func database(url string) []string { return []string{"DATABASE_URL=" + url} }

// dataDir is a data directory for a private database, which is ended when the test is.
func dataDir(t *testing.T) string {
	t.Helper()
	parent, err := os.MkdirTemp("/tmp", "scr") // the socket's path must be short, and the database's account must pass
	must(t, err)
	must(t, os.Chmod(parent, 0o711))
	dir := filepath.Join(parent, "d")
	t.Cleanup(func() {
		if postmaster(t, dir) != 0 { // left by a test that failed
			if s, err := localpg.Open(context.WithoutCancel(t.Context()), localpg.Options{Dir: dir}); err == nil {
				_ = s.Close()
			}
		}
		must(t, os.RemoveAll(parent))
	})
	return dir
}

// postmaster is the process of the private database, 0 when there is none.
func postmaster(t *testing.T, dir string) int {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, "postgres", "postmaster.pid"))
	if errors.Is(err, os.ErrNotExist) {
		return 0
	}
	must(t, err)
	first, _, _ := strings.Cut(string(raw), "\n")
	pid, err := strconv.Atoi(first)
	must(t, err)
	return pid
}

// wantNoPostgres looks for any process that names the directory.
func wantNoPostgres(t *testing.T, dir string) {
	t.Helper()
	if pid := postmaster(t, dir); pid != 0 {
		t.Errorf("postmaster.pid names %d", pid)
	}
	out, err := exec.CommandContext(t.Context(), "ps", "-eo", "pid=,args=").Output()
	must(t, err)
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, dir) {
			t.Errorf("left behind: %s", line)
		}
	}
}

var addressLine = regexp.MustCompile(`(?m)^Scrinalia is at (http://\S+) `)

// serve starts a server on a port of its own and returns it with its address once it listens.
func serve(t *testing.T, env []string, args ...string) (p *process, address string) {
	t.Helper()
	p = start(t, env, append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...)
	await(t, "the address of the server", func() bool {
		if m := addressLine.FindStringSubmatch(p.stderr.String()); m != nil {
			address = m[1]
			return true
		}
		select {
		case <-p.ended:
			t.Fatalf("serve ended: %s", p.stderr.String())
		default:
		}
		return false
	})
	return p, address
}
