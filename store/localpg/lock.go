package localpg

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"
)

const (
	leaveTimeout = time.Minute
	lockPoll     = 10 * time.Millisecond
)

// lock is a lock file held by flock. It belongs to the open file, not to the
// process: several in one process exclude each other as several processes do.
type lock struct{ f *os.File }

// openLock opens a lock file, making it if missing. Lock files are never
// deleted, or two processes could hold the lock of the same name.
func openLock(path string, a account) (*lock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := a.own(path); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &lock{f}, nil
}

// acquire takes the lock file exclusively, waiting for it until ctx ends. It
// asks again and again because a blocking flock cannot be cancelled.
func acquire(ctx context.Context, path string, a account) (*lock, error) {
	l, err := openLock(path, a)
	if err != nil {
		return nil, err
	}
	tick := time.NewTicker(lockPoll)
	defer tick.Stop()
	for {
		got, err := l.exclude()
		if got {
			return l, nil
		}
		if err != nil {
			l.release()
			return nil, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			l.release()
			return nil, errors.Join(ErrBusy, context.Cause(ctx))
		}
	}
}

func (l *lock) share() error { return l.flock(syscall.LOCK_SH | syscall.LOCK_NB) }

// exclude tries to become the only holder. On failure a shared hold is lost.
func (l *lock) exclude() (bool, error) {
	err := l.flock(syscall.LOCK_EX | syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// release unlocks before it closes: a child process that is between fork and
// exec has a copy of the file for a moment, and would keep the lock alive.
func (l *lock) release() {
	_ = l.flock(syscall.LOCK_UN)
	_ = l.f.Close()
}

func (l *lock) flock(how int) error {
	for {
		if err := syscall.Flock(int(l.f.Fd()), how); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
