package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"scrinalia/store/db"
	"scrinalia/worker"

	"github.com/jackc/pgx/v5"
)

// NewRun is what the ledger needs to know of a run that is asked for.
type NewRun struct {
	Worker      string
	Trigger     worker.Trigger
	RequestedBy string
	Config      worker.Config
	Fingerprint []byte // of the configuration, see worker.Resolution
	DryRun      bool
	PipelineID  *int64
}

// InsertRun writes the QUEUED row of a run under an id drawn before. handOver, when given, runs in the same transaction and returns the
// id of the job that carries the run. A run in flight of the same worker gives *worker.InFlightError.
func (s *Store) InsertRun(ctx context.Context, id int64, r NewRun, handOver func(ctx context.Context, tx pgx.Tx) (int64, error)) error {
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error { return s.insertRun(ctx, tx, id, r, handOver) })
	if constraint(err) == oneInFlight {
		return s.inFlight(ctx, r.Worker, err)
	}
	return translate("insert run", err)
}

func (s *Store) insertRun(ctx context.Context, tx pgx.Tx, id int64, r NewRun, handOver func(ctx context.Context, tx pgx.Tx) (int64, error)) error {
	config, err := json.Marshal(r.Config)
	if err != nil {
		return fmt.Errorf("encode configuration: %w", err)
	}
	q := s.q.WithTx(tx)
	err = q.InsertRun(ctx, db.InsertRunParams{
		ID: id, WorkerName: r.Worker, Trigger: string(r.Trigger), RequestedBy: CleanText(r.RequestedBy, 200),
		Config: config, ConfigFingerprint: r.Fingerprint, DryRun: r.DryRun, PipelineID: r.PipelineID,
	})
	if err != nil || handOver == nil {
		return err
	}
	job, err := handOver(ctx, tx)
	if err != nil {
		return err
	}
	return q.SetRunJob(ctx, db.SetRunJobParams{ID: id, JobID: &job})
}

// inFlight names the run in the way; when it has just ended, a plain conflict says to try again.
func (s *Store) inFlight(ctx context.Context, name string, cause error) error {
	row, err := s.q.GetRunInFlight(ctx, name)
	if err != nil {
		return &worker.Error{Kind: worker.Conflict, Msg: name + " had a run in flight that has just ended; try again.", Err: cause}
	}
	run, err := runFromRow(row)
	if err != nil {
		return err
	}
	return &worker.InFlightError{Run: run}
}

// NextRunID draws the id of a run that is about to be written.
func (s *Store) NextRunID(ctx context.Context) (int64, error) {
	id, err := s.q.NextRunID(ctx)
	return id, translate("draw run id", err)
}

// Run returns one run of the ledger.
func (s *Store) Run(ctx context.Context, id int64) (worker.Run, error) {
	row, err := s.q.GetRun(ctx, id)
	if err != nil {
		err = translate("read run", err)
		if worker.KindOf(err) == worker.NotFound {
			err = worker.Errorf(worker.NotFound, "There is no run #%d.", id)
		}
		return worker.Run{}, err
	}
	return runFromRow(row)
}

// Runs returns a page of the ledger, newest first.
func (s *Store) Runs(ctx context.Context, f worker.RunFilter) (worker.RunPage, error) {
	limit := f.Limit
	if limit <= 0 || limit > 500 {
		limit = 50
	}
	var rows []db.ArchiveWorkerRun
	var err error
	if f.After > 0 {
		rows, err = s.q.ListRunsAbove(ctx, db.ListRunsAboveParams{WorkerName: f.Worker, Status: string(f.Status), Fingerprint: f.Fingerprint, After: f.After, MaxRows: int32(limit + 1)})
	} else {
		rows, err = s.q.ListRuns(ctx, db.ListRunsParams{WorkerName: f.Worker, Status: string(f.Status), Fingerprint: f.Fingerprint, Before: f.Before, MaxRows: int32(limit + 1)})
	}
	if err != nil {
		return worker.RunPage{}, translate("list runs", err)
	}
	more := len(rows) > limit
	rows = rows[:min(limit, len(rows))]
	if f.After > 0 {
		slices.Reverse(rows)
	}
	page := worker.RunPage{Runs: make([]worker.Run, 0, len(rows))}
	for _, row := range rows {
		run, err := runFromRow(row)
		if err != nil {
			return worker.RunPage{}, err
		}
		page.Runs = append(page.Runs, run)
	}
	if len(rows) > 0 {
		first, last := rows[0].ID, rows[len(rows)-1].ID
		if f.After > 0 || more {
			page.Older = last
		}
		if f.After > 0 && more || f.After == 0 && f.Before > 0 {
			page.Newer = first
		}
	}
	return page, nil
}

// LatestRuns returns the run in flight and the last finished one of each worker.
func (s *Store) LatestRuns(ctx context.Context, workers []string) (map[string]worker.Latest, error) {
	rows, err := s.q.LatestRuns(ctx, workers)
	if err != nil {
		return nil, translate("read latest runs", err)
	}
	latest := map[string]worker.Latest{}
	for _, row := range rows {
		run, err := runFromRow(row)
		if err != nil {
			return nil, err
		}
		l := latest[run.Worker]
		if run.Status.Active() {
			l.Active = &run
		} else {
			l.Last = &run
		}
		latest[run.Worker] = l
	}
	return latest, nil
}

// Neighbours returns the runs of the same worker before and after one; 0 means none.
func (s *Store) Neighbours(ctx context.Context, r worker.Run) (previous, following int64, err error) {
	n, err := s.q.NeighbourRuns(ctx, db.NeighbourRunsParams{WorkerName: r.Worker, ID: r.ID})
	return n.Previous, n.Following, translate("read neighbours", err)
}

// RequestCancel asks a running run to stop, and ends a queued one.
func (s *Store) RequestCancel(ctx context.Context, id int64, by string) (worker.Run, error) {
	by = CleanText(by, 200)
	row, err := s.q.CancelRun(ctx, db.CancelRunParams{ID: id, By: &by})
	if err == nil {
		return runFromRow(row)
	}
	err = translate("cancel run", err)
	if worker.KindOf(err) != worker.NotFound {
		return worker.Run{}, err
	}
	run, err := s.Run(ctx, id)
	if err != nil {
		return worker.Run{}, err
	}
	return run, worker.Errorf(worker.Conflict, "Run #%d is over (%s); there is nothing to cancel.", id, run.Status)
}

// UnitFailures returns the units whose last stamp is a failure of this run, above a unit.
func (s *Store) UnitFailures(ctx context.Context, r worker.Run, after int64, limit int) ([]worker.UnitFailure, error) {
	rows, err := s.q.ListUnitFailures(ctx, db.ListUnitFailuresParams{WorkerName: r.Worker, RunID: r.ID, After: after, MaxRows: int32(limit)})
	if err != nil {
		return nil, translate("list failed units", err)
	}
	out := make([]worker.UnitFailure, len(rows))
	for i, f := range rows {
		out[i] = worker.UnitFailure{Unit: f.UnitID, Name: f.UnitName, Error: f.Error}
	}
	return out, nil
}

// Changes returns what a run changed, above a journal id.
func (s *Store) Changes(ctx context.Context, runID, after int64, limit int) ([]worker.Change, error) {
	rows, err := s.q.ListChanges(ctx, db.ListChangesParams{RunID: runID, After: after, MaxRows: int32(limit)})
	if err != nil {
		return nil, translate("list changes", err)
	}
	out := make([]worker.Change, len(rows))
	for i, c := range rows {
		out[i] = worker.Change{ID: c.ID, UnitKind: c.UnitKind, UnitID: c.UnitID, UnitName: c.UnitName, Field: c.Field, Before: c.Before, After: c.After, Rule: c.RuleName}
	}
	return out, nil
}

func runFromRow(r db.ArchiveWorkerRun) (worker.Run, error) {
	run := worker.Run{
		ID: r.ID, Worker: r.WorkerName, Status: worker.Status(r.Status), Trigger: worker.Trigger(r.Trigger), RequestedBy: r.RequestedBy,
		DryRun: r.DryRun, QueuedAt: r.QueuedAt, StartedAt: r.StartedAt, FinishedAt: r.FinishedAt, Total: r.Total,
		Counts:         worker.Counts{Processed: r.Processed, Failed: r.Failed, Skipped: r.Skipped},
		LastProgressAt: r.LastProgressAt, HeartbeatAt: r.HeartbeatAt, CurrentUnit: r.CurrentUnit, Owner: r.Owner,
		CancelRequestedAt: r.CancelRequestedAt, CancelRequestedBy: r.CancelRequestedBy, Error: r.Error, ErrorFingerprint: r.ErrorFingerprint,
		Notes: worker.UnmarshalNotes(r.Notes), PipelineID: r.PipelineID,
	}
	if r.StartedAt != nil && r.FinishedAt != nil {
		ms := max(0, r.FinishedAt.Sub(*r.StartedAt).Milliseconds())
		run.DurationMS = &ms
	}
	if err := json.Unmarshal(r.Config, &run.Config); err != nil {
		return run, fmt.Errorf("decode configuration of run %d: %w", r.ID, err)
	}
	return run, nil
}
