package errorlog_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"scrinalia/errorlog"
	"scrinalia/worker"
)

// kept is a store that takes errors once it is let, or refuses them.
type kept struct {
	mu     sync.Mutex
	err    error
	hold   chan struct{}
	errs   []worker.ServerError
	forgot int
}

func (k *kept) NoteServerErrors(ctx context.Context, errs []worker.ServerError) error {
	if k.hold != nil {
		select {
		case <-k.hold:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.err == nil {
		k.errs = append(k.errs, errs...)
	}
	return k.err
}

func (k *kept) ForgetFailures(context.Context, time.Time) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.forgot++
	return nil
}

func TestErrorsAreStoredWithoutSecrets(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := &kept{}
		l := errorlog.New(k, slog.New(slog.DiscardHandler))
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- l.Keep(ctx) }()
		l.Record(worker.ServerError{Message: "dial postgres://ana:geheim@db/x"})
		synctest.Wait()
		if len(k.errs) != 1 || k.errs[0].Message != "dial postgres://db/x" {
			t.Errorf("%+v", k.errs)
		}
		time.Sleep(13 * time.Hour) // of the bubble
		synctest.Wait()
		if k.forgot != 3 {
			t.Errorf("looked %d times for what is too old, want 3", k.forgot)
		}
		l.Record(worker.ServerError{Message: "at the very end"})
		stop()
		if err := <-done; err != nil || len(k.errs) != 2 {
			t.Errorf("%v, %d errors", err, len(k.errs))
		}
	})
}

// TestAFloodIsDroppedAndTold: recording never waits, also while the database does not answer.
func TestAFloodIsDroppedAndTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var lines bytes.Buffer
		k := &kept{hold: make(chan struct{})}
		l := errorlog.New(k, slog.New(slog.NewTextHandler(&lines, nil)))
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- l.Keep(ctx) }()
		for i := range 1000 {
			l.Record(worker.ServerError{Message: fmt.Sprint(i)})
		}
		time.Sleep(time.Minute)
		stop()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if s := lines.String(); !strings.Contains(s, "faster than they could be stored") || !strings.Contains(s, "not on the page of failures") {
			t.Errorf("the log says %s", s)
		}
	})
}

func TestARefusalIsTold(t *testing.T) {
	t.Parallel()
	var lines bytes.Buffer
	l := errorlog.New(&kept{err: errors.New("away")}, slog.New(slog.NewTextHandler(&lines, nil)))
	l.Record(worker.ServerError{Message: "x"})
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := l.Keep(ctx); err != nil || !strings.Contains(lines.String(), "away") {
		t.Errorf("%v, the log says %s", err, lines.String())
	}
}
