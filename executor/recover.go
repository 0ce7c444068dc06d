package executor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"scrinalia/store"
	"scrinalia/worker"

	"github.com/riverqueue/river/rivertype"
)

const (
	recoverPage = 500              // rows looked at together
	pickUpGrace = 10 * time.Second // between a job being picked up and its run being owned
)

// Recover ends as INTERRUPTED the runs whose process is gone: those whose advisory lock nobody holds. It leaves alone what a living process
// executes and what still waits in the queue, and returns how many it ended. A pipeline that stands still goes on, or ends.
func (e *Executor) Recover(ctx context.Context) (int, error) {
	n := 0
	for after := int64(0); ; {
		page, err := e.store.InFlightRuns(ctx, after, recoverPage)
		if err != nil {
			return n, err
		}
		for _, r := range page {
			after = r.ID
			ended, err := e.recoverOne(ctx, r)
			if err != nil {
				return n, err
			}
			if ended {
				e.observer.RunEnded(r.Worker, worker.Interrupted, 0)
				n++
			}
		}
		if len(page) < recoverPage {
			return n, e.stepAll(ctx)
		}
	}
}

func (e *Executor) recoverOne(ctx context.Context, r store.InFlight) (bool, error) {
	if r.Held {
		return false, nil
	}
	why := "The process that asked for the run was gone before it started."
	if r.Status == worker.Running {
		why = fmt.Sprintf("The process %s stopped answering", r.Owner)
		if r.Heartbeat != nil {
			why += " at " + r.Heartbeat.UTC().Format("2006-01-02 15:04:05 MST")
		}
		why += "; what was committed stays, the next run goes on from there."
	} else if waiting, err := e.waits(ctx, r); err != nil || waiting {
		return false, err
	}
	ended, err := e.store.Interrupt(ctx, r.ID, why)
	if ended {
		e.log.WarnContext(ctx, "run recovered", "run_id", r.ID, "worker", r.Worker, "owner", r.Owner)
	}
	return ended, err
}

// waits says whether a queued run can still be picked up.
func (e *Executor) waits(ctx context.Context, r store.InFlight) (bool, error) {
	if r.JobID == nil {
		return false, nil
	}
	job, err := e.jobs.JobGet(ctx, *r.JobID)
	if errors.Is(err, rivertype.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return true, fmt.Errorf("look at the job of run %d: %w", r.ID, err)
	}
	switch job.State {
	case rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateScheduled, rivertype.JobStateRetryable:
		return true, nil
	case rivertype.JobStateRunning:
		now, err := e.store.Now(ctx) // the queue writes the database's clock; this process's own may be wrong
		return err != nil || job.AttemptedAt == nil || now.Sub(*job.AttemptedAt) < pickUpGrace, err
	case rivertype.JobStateCancelled, rivertype.JobStateCompleted, rivertype.JobStateDiscarded:
	}
	return false, nil
}
