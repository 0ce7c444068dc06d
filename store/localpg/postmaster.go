package localpg

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// silence is how long a server may say it is ready and yet not answer.
const silence = 5 * time.Second

// cannotConnectNow is what a server says that starts, recovers or stops.
const cannotConnectNow = "57P03"

const poll = 20 * time.Millisecond

// postmaster is what the file postmaster.pid of a cluster tells of its server.
type postmaster struct {
	pid       int // 0 if the file is damaged
	socketDir string
	status    string
}

func (p place) pidFile() string { return filepath.Join(p.cluster(), "postmaster.pid") }

// postmaster reads postmaster.pid. That the file is there does not mean that
// the server is.
func (p place) postmaster() (m postmaster, found bool) {
	b, err := os.ReadFile(p.pidFile())
	if err != nil {
		return m, false
	}
	lines := append(strings.Split(string(b), "\n"), make([]string, 8)...)
	if pid, err := strconv.Atoi(strings.TrimSpace(lines[0])); err == nil && pid > 0 {
		m.pid = pid
	}
	m.socketDir, m.status = lines[4], strings.TrimSpace(lines[7])
	return m, true
}

func (m postmaster) socket() string { return filepath.Join(m.socketDir, ".s.PGSQL."+socketPort) }

// serves reports whether the server takes sessions, by opening one: on its way
// down a server still listens for a while.
func (m postmaster) serves(ctx context.Context) bool {
	if m.status != "ready" {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, silence)
	defer cancel()
	conn, err := pgx.Connect(ctx, connString(m.socketDir, "postgres"))
	if err == nil {
		_ = conn.Close(ctx)
		return true
	}
	// Any other refusal, such as too many connections, comes from a server that lives.
	e, refused := errors.AsType[*pgconn.PgError](err)
	return refused && e.Code != cannotConnectNow
}

// runs reports whether the process is the server of the cluster. The number
// may belong to another program by now.
func (m postmaster) runs(cluster string) bool {
	if m.pid == 0 || !alive(m.pid) {
		return false
	}
	proc := filepath.Join("/proc", strconv.Itoa(m.pid))
	if cwd, err := os.Stat(filepath.Join(proc, "cwd")); err == nil { // a server works in its cluster
		data, err := os.Stat(cluster)
		return err == nil && os.SameFile(cwd, data)
	}
	args := commandLine(m.pid)
	if i := slices.Index(args, "-D"); i >= 0 && i+1 < len(args) && filepath.IsAbs(args[i+1]) {
		return args[i+1] == cluster
	}
	// A server that someone started by hand: rather wait for it than harm it.
	return len(args) > 0 && slices.Contains([]string{"postgres", "postmaster"}, filepath.Base(args[0]))
}

func alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

// commandLine asks the system for a process's arguments; a dead process that
// nobody has waited for has none.
func commandLine(pid int) []string {
	if b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline"); err == nil {
		return strings.Split(string(bytes.TrimRight(b, "\x00")), "\x00")
	}
	ctx, cancel := context.WithTimeout(context.Background(), silence)
	defer cancel()
	out, err := exec.CommandContext(ctx, "ps", "-o", "args=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return nil
	}
	return strings.Fields(string(out))
}

// adopt looks for a running server, and waits for one that is on its way up or
// down. The remains of one that is gone are cleared away.
func (p place) adopt(ctx context.Context) (m postmaster, running bool, err error) {
	tick := time.NewTicker(poll)
	defer tick.Stop()
	quiet := time.NewTimer(silence)
	defer quiet.Stop()
	for {
		m, found := p.postmaster()
		switch {
		case !found:
			return m, false, nil
		case m.pid != 0 && !m.runs(p.cluster()):
			return m, false, p.clearStale(m)
		case m.serves(ctx):
			return m, true, nil
		case m.pid != 0 && m.status != "ready": // starting, recovering or stopping
			quiet.Reset(silence)
		}
		select {
		case <-tick.C:
		case <-quiet.C:
			return m, false, p.mute(m)
		case <-ctx.Done():
			return m, false, gaveUp(ctx, "waiting for the database in "+p.dir, "")
		}
	}
}

// mute deals with a pid file whose server does not answer.
func (p place) mute(m postmaster) error {
	if m.pid == 0 { // written by a power cut: no server leaves it empty for so long
		return p.clearStale(m)
	}
	return failure(ErrStart, nil, "the PostgreSQL server of %s runs as process %d, but does not answer on its socket %s: "+
		"end it (kill -INT %d) and start again", p.dir, m.pid, m.socket(), m.pid)
}

// clearStale removes a pid file that would keep the server from starting,
// because it is damaged or because its process number is now another program's.
// One that names no process is left to the server, which knows what to do.
func (p place) clearStale(m postmaster) error {
	if m.pid != 0 && !alive(m.pid) {
		return nil
	}
	if m.socketDir != "" { // the socket has a lock file of the same content
		if err := os.Remove(m.socket() + ".lock"); err != nil && !errors.Is(err, os.ErrNotExist) {
			return folderError(m.socketDir, err)
		}
	}
	if err := os.Remove(p.pidFile()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return folderError(p.cluster(), err)
	}
	return nil
}
