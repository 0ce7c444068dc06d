package localpg_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"scrinalia/store/localpg"
)

func TestLastUserStops(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	first := open(t, dir)
	pid := serverPID(t, dir)
	second := open(t, dir)
	other := spawn(t, self(t), "hold", dir, nil)
	other.wantReady()
	if first.URL("x") != second.URL("x") || first.BinDir() != second.BinDir() || first.Version() != second.Version() {
		t.Error("the two users were told different things")
	}
	must(t, first.Close())
	must(t, second.Close())
	if now := serverPID(t, dir); now != pid {
		t.Fatalf("the server is %d, was %d, while another process uses it", now, pid)
	}
	third := open(t, dir)
	other.leave()
	value(t, third, "SELECT 'still here'")
	must(t, third.Close())
	wantStopped(t, dir, pid)
}

func TestKilledUserLeavesServerToAdopt(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	other := spawn(t, self(t), "hold", dir, nil)
	other.wantReady()
	pid := serverPID(t, dir)
	other.kill()
	s := open(t, dir)
	if now := serverPID(t, dir); now != pid {
		t.Errorf("the server is %d, not the adopted %d", now, pid)
	}
	value(t, s, "SELECT 'alive'")
	must(t, s.Close())
	wantStopped(t, dir, pid)
}

func TestSeveralProcessesStartAtOnce(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	var others []*process
	for range 4 {
		others = append(others, spawn(t, self(t), "hold", dir, nil))
	}
	for _, o := range others {
		o.wantReady()
	}
	pid := serverPID(t, dir)
	for _, o := range others {
		o.leave()
	}
	wantStopped(t, dir, pid)
}

// TestJoinWhileOthersLeave would find a server that is stopped under a user
// who has just joined.
func TestJoinWhileOthersLeave(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	must(t, open(t, dir).Close())
	var others []*process
	for range 2 {
		others = append(others, spawn(t, self(t), "churn", dir, nil))
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := churn(t.Context(), dir); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, o := range others {
		o.leave()
	}
	wantStopped(t, dir, 0)
}

func TestOpenGivesUpWaiting(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	must(t, os.MkdirAll(dir, 0o711))
	f, err := os.Create(filepath.Join(dir, "postgres.start.lock"))
	must(t, err)
	defer f.Close()
	must(t, syscall.Flock(int(f.Fd()), syscall.LOCK_EX))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = localpg.Open(ctx, options(dir))
	if !errors.Is(err, localpg.ErrBusy) || !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), dir) {
		t.Errorf("the error is %v", err)
	}
}
