package localpg_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"scrinalia/store/localpg"

	"github.com/jackc/pgx/v5"
)

// helperEnv makes the test binary act as another process that uses the
// directory named by dirEnv.
const (
	helperEnv = "LOCALPG_TEST_HELPER"
	dirEnv    = "LOCALPG_TEST_DIR"
	churns    = 4
)

func TestMain(m *testing.M) {
	var err error
	switch os.Getenv(helperEnv) {
	case "hold":
		err = hold(os.Getenv(dirEnv))
	case "churn":
		err = churn(context.Background(), os.Getenv(dirEnv))
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Println("error: " + err.Error())
		os.Exit(1)
	}
}

// hold uses the server until its standard input ends.
func hold(dir string) error {
	s, err := localpg.Open(context.Background(), options(dir))
	if err != nil {
		return err
	}
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
	return s.Close()
}

// churn joins and leaves again and again, and works in between.
func churn(ctx context.Context, dir string) error {
	for range churns {
		s, err := localpg.Open(ctx, options(dir))
		if err != nil {
			return fmt.Errorf("open: %w", err)
		}
		if err := s.EnsureDatabase(ctx, "churn"); err != nil {
			return fmt.Errorf("database: %w", err)
		}
		if _, err := ask(ctx, s, "SELECT 1::text"); err != nil {
			return fmt.Errorf("query: %w", err)
		}
		if err := s.Close(); err != nil {
			return fmt.Errorf("close: %w", err)
		}
	}
	return nil
}

func options(dir string) localpg.Options {
	return localpg.Options{
		Dir:      dir,
		NoSync:   true,
		Settings: map[string]string{"fsync": "off", "shared_buffers": "16MB"},
	}
}

func ask(ctx context.Context, s *localpg.Server, query string) (answer string, err error) {
	conn, err := pgx.Connect(ctx, s.URL("postgres"))
	if err != nil {
		return "", err
	}
	defer conn.Close(ctx)
	err = conn.QueryRow(ctx, query).Scan(&answer)
	return answer, err
}

// scratch is a short folder that every user may pass through.
func scratch(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "lpg")
	must(t, err)
	t.Cleanup(func() { must(t, os.RemoveAll(dir)) })
	must(t, os.Chmod(dir, 0o711))
	return dir
}

// dataDir is a data directory that does not exist yet.
func dataDir(t *testing.T) string {
	t.Helper()
	return filepath.Join(scratch(t), "data")
}

func open(t *testing.T, dir string) *localpg.Server {
	t.Helper()
	s, err := localpg.Open(t.Context(), options(dir))
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

// openFails opens, and wants an error of the kind with these words in it.
func openFails(t *testing.T, o localpg.Options, kind error, words ...string) {
	t.Helper()
	s, err := localpg.Open(t.Context(), o)
	if err == nil {
		must(t, s.Close())
		t.Fatal("opened, want an error")
	}
	if !errors.Is(err, kind) {
		t.Errorf("the error %q is not %q", err, kind)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("the error %q does not say %q", err, w)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func value(t *testing.T, s *localpg.Server, query string) string {
	t.Helper()
	v, err := ask(t.Context(), s, query)
	must(t, err)
	return v
}

func pidFile(dir string) string { return filepath.Join(dir, "postgres", "postmaster.pid") }

// serverPID is 0 when there is no server.
func serverPID(t *testing.T, dir string) int {
	t.Helper()
	b, err := os.ReadFile(pidFile(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return 0
	}
	must(t, err)
	line, _, _ := strings.Cut(string(b), "\n")
	pid, err := strconv.Atoi(line)
	must(t, err)
	return pid
}

func wantStopped(t *testing.T, dir string, pid int) {
	t.Helper()
	if now := serverPID(t, dir); now != 0 {
		t.Errorf("server %d still runs", now)
	}
	tick := time.NewTicker(20 * time.Millisecond) // its last act is to remove its file; then it ends
	defer tick.Stop()
	late := time.NewTimer(30 * time.Second)
	defer late.Stop()
	for pid != 0 && !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) && !isZombie(t, pid) {
		select {
		case <-tick.C:
		case <-late.C:
			t.Errorf("process %d is still there", pid)
			return
		}
	}
}

// isZombie: nobody has collected the process yet, but it has ended.
func isZombie(t *testing.T, pid int) bool {
	t.Helper()
	out, _ := exec.CommandContext(t.Context(), "ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
	return len(out) == 0 || out[0] == 'Z'
}

// process is another process that uses a data directory.
type process struct {
	t     *testing.T
	cmd   *exec.Cmd
	stdin io.WriteCloser
	out   *bufio.Reader
}

func spawn(t *testing.T, exe, mode, dir string, cred *syscall.Credential) *process {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), exe)
	cmd.Env = append(os.Environ(), helperEnv+"="+mode, dirEnv+"="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: cred}
	cmd.Dir = "/"
	stdin, err := cmd.StdinPipe()
	must(t, err)
	stdout, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	p := &process{t, cmd, stdin, bufio.NewReader(stdout)}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return p
}

func self(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	must(t, err)
	return exe
}

// line waits for what the process says next.
func (p *process) line() string {
	p.t.Helper()
	l, err := p.out.ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		p.t.Fatal(err)
	}
	return strings.TrimSpace(l)
}

func (p *process) wantReady() {
	p.t.Helper()
	if l := p.line(); l != "ready" {
		p.t.Fatalf("the other process said %q", l)
	}
}

// leave lets the process close its server and waits for it to end.
func (p *process) leave() {
	p.t.Helper()
	must(p.t, p.stdin.Close())
	rest, _ := io.ReadAll(p.out)
	if err := p.cmd.Wait(); err != nil {
		p.t.Fatalf("%v: %s", err, rest)
	}
}

// kill ends the process so that it can do nothing more.
func (p *process) kill() {
	p.t.Helper()
	must(p.t, p.cmd.Process.Kill())
	_ = p.cmd.Wait()
}
