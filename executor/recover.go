package executor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"scrinalia/store"
	"scrinalia/worker"

	"github.com/riverqueue/river/rivertype"
)

const (
	recoverRows = 500              // looked at together
	pickUpGrace = 10 * time.Second // between a job being picked up and its run being owned
)

// Recover ends as INTERRUPTED the runs whose process is gone: those whose advisory lock nobody holds. It leaves alone what a living process
// executes and what still waits in the queue, and returns how many it ended. A pipeline that stands still goes on, or ends.
func (e *Executor) Recover(ctx context.Context) (int, error) {
	n := 0
	for after := int64(0); ; {
		page, err := e.store.InFlightRuns(ctx, after, recoverRows)
		if err != nil {
			return n, err
		}
		ended, err := e.recoverPage(ctx, page)
		n += ended
		if err != nil {
			return n, err
		}
		if len(page) < recoverRows {
			return n, errors.Join(e.setAside(ctx), e.stepAll(ctx))
		}
		after = page[len(page)-1].ID
	}
}

// recoverPage ends the orphans among these runs.
func (e *Executor) recoverPage(ctx context.Context, page []store.InFlight) (int, error) {
	orphans := map[int64]store.InFlight{}
	reasons := map[int64]string{}
	for _, r := range page {
		if r.Held {
			continue
		}
		if r.Status == worker.Queued {
			waiting, err := e.waits(ctx, r)
			if err != nil {
				return 0, err
			}
			if waiting {
				continue
			}
		}
		orphans[r.ID], reasons[r.ID] = r, whyOrphaned(r)
	}
	if len(orphans) == 0 {
		return 0, nil
	}
	ended, err := e.store.Interrupt(ctx, reasons)
	for _, id := range ended {
		r := orphans[id]
		e.log.WarnContext(ctx, "run recovered", "run_id", id, "worker", r.Worker, "owner", r.Owner, "reason", reasons[id])
		e.observer.RunEnded(r.Worker, worker.Interrupted, 0)
	}
	return len(ended), err
}

// setAside gives up units that killed one process after the other.
func (e *Executor) setAside(ctx context.Context) error {
	aside, err := e.store.CountDeaths(ctx)
	for _, u := range aside {
		e.log.WarnContext(ctx, "unit set aside: processes died while it was in work", "worker", u.Worker, "unit", u.Name, "unit_id", u.ID, "run_id", u.RunID)
	}
	return err
}

// whyOrphaned is the reason that the ledger keeps.
func whyOrphaned(r store.InFlight) string {
	if r.Status == worker.Queued {
		return "The process that asked for the run was gone before it started."
	}
	why := fmt.Sprintf("The process %s stopped answering", r.Owner)
	if r.Heartbeat != nil {
		why += " at " + r.Heartbeat.UTC().Format("2006-01-02 15:04:05 MST")
	}
	switch n := len(r.InWork); {
	case int64(n) < r.AtWork:
		why += fmt.Sprintf(", with %s and %d others in work", strings.Join(r.InWork, ", "), r.AtWork-int64(n))
	case n > 0:
		why += ", with " + strings.Join(r.InWork, ", ") + " in work"
	case r.Unit != "":
		why += ", after " + r.Unit
	}
	return why + "; what was committed stays, the next run goes on from there."
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
