package localpg_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
)

func TestCrashedServerRecovers(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	s := open(t, dir)
	conn, err := pgx.Connect(t.Context(), s.URL("postgres"))
	must(t, err)
	_, err = conn.Exec(t.Context(), "CREATE TABLE kept AS SELECT 'yes' AS answer")
	must(t, err)
	pid := serverPID(t, dir)
	must(t, syscall.Kill(pid, syscall.SIGKILL)) // its children run down on their own
	must(t, s.Close())
	again := open(t, dir)
	if got := value(t, again, "SELECT answer FROM kept"); got != "yes" {
		t.Errorf("read %q", got)
	}
}

func TestServerOnItsWayDownIsWaitedFor(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	s := open(t, dir)
	pid := serverPID(t, dir)
	must(t, syscall.Kill(pid, syscall.SIGINT))
	next := open(t, dir)
	if now := serverPID(t, dir); now == pid {
		t.Errorf("joined server %d, which was stopping", pid)
	}
	value(t, next, "SELECT 'new'")
	must(t, s.Close())
}

func TestStalePIDFile(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]func(t *testing.T, dir string) string{
		"process gone": func(t *testing.T, _ string) string {
			cmd := exec.CommandContext(t.Context(), "true")
			must(t, cmd.Run())
			return pidContent(cmd.Process.Pid)
		},
		"process of another program": func(t *testing.T, dir string) string { return pidContent(bystander(t, dir)) },
		"our own process":            func(t *testing.T, _ string) string { return pidContent(os.Getpid()) },
		"emptied by a power cut":     func(*testing.T, string) string { return "" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := dataDir(t)
			must(t, open(t, dir).Close())
			text := content(t, dir)
			run := filepath.Join(dir, "run")
			must(t, os.WriteFile(pidFile(dir), []byte(fill(text, filepath.Join(dir, "postgres"), run)), 0o600))
			chownLike(t, run, pidFile(dir))
			if lock := filepath.Join(run, ".s.PGSQL.5432.lock"); text != "" {
				must(t, os.WriteFile(lock, []byte(fill(text, filepath.Join(dir, "postgres"), run)), 0o600))
				chownLike(t, run, lock)
			}
			value(t, open(t, dir), "SELECT 'serves'")
		})
	}
}

// pidContent is a pid file with places for the cluster and the socket folder.
func pidContent(pid int) string {
	return fmt.Sprint(pid) + "\nCLUSTER\n1700000000\n5432\nRUN\n\n  1 2\nready   \n"
}

func fill(text, cluster, run string) string {
	return strings.NewReplacer("CLUSTER", cluster, "RUN", run).Replace(text)
}

// bystander is a program of the server's user that has nothing to do with it.
func bystander(t *testing.T, dir string) int {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), "cat")
	cmd.Dir = "/"
	fi, err := os.Stat(filepath.Join(dir, "postgres"))
	must(t, err)
	if st := fi.Sys().(*syscall.Stat_t); os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: st.Uid, Gid: st.Gid}}
	}
	stdin, err := cmd.StdinPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() { _ = stdin.Close(); must(t, cmd.Wait()) }) // it must have been left alone
	return cmd.Process.Pid
}

func chownLike(t *testing.T, model, path string) {
	t.Helper()
	fi, err := os.Stat(model)
	must(t, err)
	st := fi.Sys().(*syscall.Stat_t)
	must(t, os.Chown(path, int(st.Uid), int(st.Gid)))
}

func TestHalfMadeClusterIsMadeAgain(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	half := filepath.Join(dir, "postgres.new-1")
	must(t, os.MkdirAll(filepath.Join(half, "base"), 0o700))
	must(t, os.Mkdir(filepath.Join(dir, "postgres"), 0o700))
	must(t, os.Chmod(dir, 0o711))
	value(t, open(t, dir), "SELECT 'serves'")
	if _, err := os.Stat(half); err == nil {
		t.Error("the half-made cluster is still there")
	}
}
