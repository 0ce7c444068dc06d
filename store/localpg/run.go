package localpg

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const (
	startTimeout     = 5 * time.Minute // a crashed server replays its log first
	remainsTimeout   = 10 * time.Second
	fastTimeout      = 30 * time.Second // closes connections and writes everything down
	immediateTimeout = 10 * time.Second // drops everything: the next start recovers
	maxLog           = 10 << 20
	tailLines        = 8
)

// errRemains means that processes of a server that was killed still run down.
var errRemains = errors.New("processes of the former server have not ended yet")

// start makes the cluster if need be and starts its server.
func (s *Server) start(ctx context.Context, o Options) error {
	p := s.place
	major, err := p.clusterMajor()
	if err != nil {
		return err
	}
	in, err := pick(o.BinDir, major, p.cluster())
	if err != nil {
		return err
	}
	if err := p.probe(ctx, in); err != nil {
		return err
	}
	if s.socketDir, err = p.socketDir(); err != nil {
		return err
	}
	if major == 0 {
		s.log.InfoContext(ctx, "making the postgres cluster", "dir", p.dir, "version", in.major)
		if err := p.makeCluster(ctx, in, o.NoSync); err != nil {
			return err
		}
	}
	s.bin, s.major = in.dir, in.major
	return s.launch(ctx, serverArgs(p.cluster(), s.socketDir, o.Settings))
}

// launch starts the server, and tries again while the remains of one that was
// killed still hold its memory.
func (s *Server) launch(ctx context.Context, args []string) error {
	began := time.Now()
	for {
		err := s.launchOnce(ctx, args)
		if !errors.Is(err, errRemains) || time.Since(began) > remainsTimeout {
			return err
		}
		select {
		case <-time.After(10 * poll):
		case <-ctx.Done():
			return err
		}
	}
}

func (s *Server) launchOnce(ctx context.Context, args []string) error {
	out, offset, err := s.place.openLog()
	if err != nil {
		return folderError(s.place.logFile(), err)
	}
	defer out.Close()
	cmd := exec.CommandContext(context.WithoutCancel(ctx), filepath.Join(s.bin, "postgres"), args...) // it outlives Open
	s.place.account.prepare(cmd)
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.place.cluster(), out, out
	if err := cmd.Start(); err != nil {
		return failure(ErrStart, err, "PostgreSQL in %s could not be run: %v", s.bin, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }() // lasts as long as the server, to collect it
	began := time.Now()
	if err := s.await(ctx, cmd.Process, ended, offset); err != nil {
		return err
	}
	s.log.InfoContext(ctx, "started postgres", "dir", s.place.dir, "pid", cmd.Process.Pid,
		"version", s.major, "took", time.Since(began))
	return nil
}

// await waits until the new server serves, fails or has taken too long.
func (s *Server) await(ctx context.Context, proc *os.Process, ended <-chan error, offset int64) error {
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for {
		if m, found := s.place.postmaster(); found && m.pid == proc.Pid && m.serves(ctx) {
			return nil
		}
		select {
		case <-tick.C:
		case err := <-ended:
			return s.place.startFailed(err, offset)
		case <-ctx.Done():
			abandon(proc, ended)
			return gaveUp(ctx, "starting PostgreSQL in "+s.place.dir, quote(s.place.logSince(offset)))
		}
	}
}

// startFailed reads the reason of a failed start from the server's log.
func (p place) startFailed(err error, offset int64) error {
	out := p.logSince(offset)
	switch {
	case isDiskFull(nil, out):
		return diskFull(p.dir, err)
	case strings.Contains(out, "pre-existing shared memory block"):
		err = errRemains
	case err == nil:
		err = errors.New("it ended by itself")
	}
	return failure(ErrStart, err, "PostgreSQL did not start in %s (%v)%s", p.dir, err, quote(out))
}

// abandon ends a server that is not wanted any more.
func abandon(proc *os.Process, ended <-chan error) {
	for _, step := range []struct {
		sig  os.Signal
		wait time.Duration
	}{{syscall.SIGINT, immediateTimeout}, {syscall.SIGQUIT, immediateTimeout}, {os.Kill, immediateTimeout}} {
		if proc.Signal(step.sig) != nil {
			return
		}
		select {
		case <-ended:
			return
		case <-time.After(step.wait):
		}
	}
}

// stop ends the server, whoever started it. It runs under both locks.
func (s *Server) stop() error {
	m, found := s.place.postmaster()
	if !found || !m.runs(s.place.cluster()) {
		return nil
	}
	began := time.Now()
	if !s.end(m, syscall.SIGINT, fastTimeout) && !s.end(m, syscall.SIGQUIT, immediateTimeout) {
		return failure(ErrStop, nil, "the PostgreSQL server of %s does not end: end process %d by hand", s.place.dir, m.pid)
	}
	s.log.Info("stopped postgres", "dir", s.place.dir, "pid", m.pid, "took", time.Since(began))
	if m.socketDir == s.place.shortSocketDir() {
		_ = os.Remove(m.socketDir) // lies outside the data directory, so it should not stay
	}
	return nil
}

// end signals the server and reports whether it is gone within the time.
func (s *Server) end(m postmaster, sig syscall.Signal, within time.Duration) bool {
	if err := syscall.Kill(m.pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
		return false
	}
	tick := time.NewTicker(poll)
	defer tick.Stop()
	late := time.After(within)
	for m.runs(s.place.cluster()) {
		select {
		case <-tick.C:
		case <-late:
			_, found := s.place.postmaster()
			return !found // removing the file is its last act
		}
	}
	return true
}

// openLog opens the server's log for appending, and empties it first when it
// has grown large. The offset is where the new lines will begin.
func (p place) openLog() (*os.File, int64, error) {
	f, err := os.OpenFile(p.logFile(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, 0, err
	}
	if err := p.account.own(p.logFile()); err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	if fi, err := f.Stat(); err == nil && fi.Size() <= maxLog {
		return f, fi.Size(), nil
	}
	if err := f.Truncate(0); err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, 0, nil
}

func (p place) logSince(offset int64) string {
	f, err := os.Open(p.logFile())
	if err != nil {
		return ""
	}
	defer f.Close()
	b, _ := io.ReadAll(io.NewSectionReader(f, offset, maxLog)) // part of it is better than nothing
	return string(b)
}

// quote sets the last lines of a program's output under a sentence.
func quote(out string) string {
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if lines[0] == "" {
		return ""
	}
	return ":\n" + strings.Join(lines[max(0, len(lines)-tailLines):], "\n")
}
