package store

import (
	"context"
	"time"

	"scrinalia/store/db"
	"scrinalia/worker"
)

const (
	maxFailures     = 200                 // causes of a list
	maxNote         = 2000                // bytes of what a person says
	keepFailures    = 90 * 24 * time.Hour // of server errors and of what is known of failed units
	keepErrorRows   = 50_000
	maxServerErrors = 2000 // bytes of a server error's message
)

// Failures returns what failed, by cause, the last seen first.
func (s *Store) Failures(ctx context.Context, f worker.FailureFilter, now time.Time) (worker.FailureList, error) {
	days := f.Days
	if days <= 0 {
		days = worker.FailureDays
	}
	rows, err := s.q.ListFailures(ctx, db.ListFailuresParams{Now: now, Since: now.Add(-time.Duration(days) * 24 * time.Hour), WorkerName: f.Worker, MaxRows: maxFailures + 1})
	if err != nil {
		return worker.FailureList{}, translate("list failures", err)
	}
	list := worker.FailureList{Failures: make([]worker.Failure, 0, len(rows)), More: len(rows) > maxFailures}
	for _, r := range rows[:min(len(rows), maxFailures)] {
		failure := worker.Failure{
			Kind: worker.FailureKind(r.Kind), Fingerprint: r.Fingerprint, Message: r.Message, FirstAt: r.FirstAt, LastAt: r.LastAt,
			Counts:  worker.FailureCounts{Hour: r.LastHour, Day: r.LastDay, Week: r.LastWeek, Month: r.LastMonth},
			Workers: r.Workers, Routes: r.Routes, RunID: r.RunID, RequestID: r.RequestID,
		}
		if r.AcknowledgedBy != "" && !r.SeenAt.Before(r.LastAt) {
			failure.Acknowledged = &worker.Acknowledgement{SeenAt: r.SeenAt, At: r.AcknowledgedAt, By: r.AcknowledgedBy, Note: r.Note}
		}
		list.Failures = append(list.Failures, failure)
	}
	return list, nil
}

// AcknowledgeFailure notes that a person knows of a cause. It fails with NotFound when nothing failed for it.
func (s *Store) AcknowledgeFailure(ctx context.Context, a worker.Acknowledging) (worker.Acknowledgement, error) {
	last, err := s.q.LastFailure(ctx, db.LastFailureParams{Kind: string(a.Kind), Fingerprint: &a.Fingerprint})
	if err != nil || last == nil {
		err = translate("look for the failure", err)
		if worker.KindOf(err) == worker.NotFound {
			err = worker.Errorf(worker.NotFound, "Nothing failed for this cause. Read the list of failures again.")
		}
		return worker.Acknowledgement{}, err
	}
	if a.SeenAt.IsZero() || a.SeenAt.After(*last) {
		a.SeenAt = *last
	}
	done := worker.Acknowledgement{SeenAt: a.SeenAt, By: CleanText(a.By, 200), Note: CleanText(a.Note, maxNote)}
	done.At, err = s.q.AcknowledgeFailure(ctx, db.AcknowledgeFailureParams{
		Kind: string(a.Kind), Fingerprint: a.Fingerprint, SeenAt: a.SeenAt, AcknowledgedBy: done.By, Channel: string(a.Channel), Note: done.Note,
	})
	return done, translate("acknowledge the failure", err)
}

// NoteServerErrors counts server errors by minute, cause, route and worker.
func (s *Store) NoteServerErrors(ctx context.Context, errs []worker.ServerError) error {
	return s.inTx(ctx, "note server errors", func(q *db.Queries) error {
		for _, e := range errs {
			err := q.NoteServerError(ctx, db.NoteServerErrorParams{
				At: e.At, N: 1, Message: CleanText(e.Message, maxServerErrors), Route: CleanText(e.Route, 200), WorkerName: CleanText(e.Worker, 100), RequestID: CleanText(e.RequestID, 100),
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// ForgetFailures deletes what is too old, or too much, of server errors and of what is known of failed units. The ledger keeps every run.
func (s *Store) ForgetFailures(ctx context.Context, now time.Time) error {
	return s.inTx(ctx, "forget old failures", func(q *db.Queries) error {
		if err := q.ForgetServerErrors(ctx, db.ForgetServerErrorsParams{Before: now.Add(-keepFailures), Keep: keepErrorRows}); err != nil {
			return err
		}
		return q.ForgetUnitFailures(ctx, now.Add(-keepFailures))
	})
}
