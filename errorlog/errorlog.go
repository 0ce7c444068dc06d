// Package errorlog keeps unexpected server errors for the page of failures. Taking one never waits: a bounded queue stands between the request
// and the database, and what does not fit or cannot be stored is dropped with a line in the log, which has every error anyway. It may import
// worker and logging.
package errorlog

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"scrinalia/logging"
	"scrinalia/worker"
)

// Store is where errors are kept.
type Store interface {
	// NoteServerErrors stores errors.
	NoteServerErrors(ctx context.Context, errs []worker.ServerError) error
	// ForgetFailures deletes what is too old or too much.
	ForgetFailures(ctx context.Context, now time.Time) error
}

const (
	queued      = 256              // errors that may wait
	together    = 64               // stored in one transaction
	storeWithin = 5 * time.Second  // for one transaction
	forgetEvery = 6 * time.Hour    // between two looks for what is too old
	tellEvery   = 10 * time.Second // between two lines about what was dropped
)

// Log takes errors and stores them. It is safe for concurrent use.
type Log struct {
	store   Store
	log     *slog.Logger
	waiting chan worker.ServerError
	dropped atomic.Int64
}

// New makes a log that stores nothing until Keep runs.
func New(store Store, log *slog.Logger) *Log {
	return &Log{store: store, log: log, waiting: make(chan worker.ServerError, queued)}
}

// Record takes an error, with its credentials cut out. It never waits.
func (l *Log) Record(e worker.ServerError) {
	e.Message = logging.Redact(e.Message)
	select {
	case l.waiting <- e:
	default:
		l.dropped.Add(1)
	}
}

// Keep stores what comes until ctx ends, and then what still waits.
func (l *Log) Keep(ctx context.Context) error {
	forget, tell := time.NewTicker(forgetEvery), time.NewTicker(tellEvery)
	defer forget.Stop()
	defer tell.Stop()
	l.forget(ctx)
	for {
		select {
		case e := <-l.waiting:
			l.save(context.WithoutCancel(ctx), e)
		case <-forget.C:
			l.forget(ctx)
		case <-tell.C:
			l.tell(ctx)
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeWithin)
			defer cancel()
			for {
				select {
				case e := <-l.waiting:
					l.save(last, e)
				default:
					l.tell(last)
					return nil
				}
			}
		}
	}
}

// save stores an error and those that wait behind it.
func (l *Log) save(ctx context.Context, first worker.ServerError) {
	batch := []worker.ServerError{first}
	for more := true; more && len(batch) < together; {
		select {
		case e := <-l.waiting:
			batch = append(batch, e)
		default:
			more = false
		}
	}
	ctx, cancel := context.WithTimeout(ctx, storeWithin)
	defer cancel()
	if err := l.store.NoteServerErrors(ctx, batch); err != nil {
		l.log.WarnContext(ctx, "server errors are not on the page of failures; the log has them", "errors", len(batch), "err", err)
	}
}

func (l *Log) tell(ctx context.Context) {
	if n := l.dropped.Swap(0); n > 0 {
		l.log.WarnContext(ctx, "server errors came faster than they could be stored; the log has them", "errors", n)
	}
}

func (l *Log) forget(ctx context.Context) {
	if err := l.store.ForgetFailures(ctx, time.Now()); err != nil && ctx.Err() == nil {
		l.log.WarnContext(ctx, "old failures could not be deleted; it will be tried again", "err", err)
	}
}
