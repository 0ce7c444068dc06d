package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"scrinalia/store/db"
	"scrinalia/worker"

	"github.com/jackc/pgx/v5"
)

// compactAbove is how many rows the tallies may have before a count folds them; a sum over 2,000 rows takes about a millisecond.
const compactAbove = 2000

// Queues counts every queue from the tallies. fingerprints are the effective configurations' by worker: stamps of others are stale.
func (s *Store) Queues(ctx context.Context, fingerprints map[string][]byte) (map[string]worker.Queue, error) {
	start := time.Now()
	var names []string
	var prints [][]byte
	for name, f := range fingerprints {
		names, prints = append(names, name), append(prints, f)
	}
	rows, err := s.q.CountQueues(ctx, db.CountQueuesParams{Workers: names, ConfigFingerprints: prints})
	if err != nil {
		return nil, translate("count queues", err)
	}
	ms := time.Since(start).Milliseconds()
	queues := map[string]worker.Queue{}
	for _, r := range rows {
		pending := r.Eligible - r.Done - r.GivenUp
		queues[r.WorkerName] = worker.Queue{Pending: &pending, Processed: r.Done + r.Settled, Failed: r.Failed + r.GivenUp, GivenUp: r.GivenUp, Stale: r.Stale, CountedMS: ms}
	}
	return queues, nil
}

// CompactTallies folds the tallies when they have grown.
func (s *Store) CompactTallies(ctx context.Context) error {
	n, err := s.q.TallyRows(ctx)
	if err != nil || n < compactAbove {
		return translate("count tallies", err)
	}
	return translate("compact tallies", s.q.CompactTally(ctx))
}

// HasRecords says whether anything was ever imported.
func (s *Store) HasRecords(ctx context.Context) (bool, error) {
	has, err := s.q.CountCollection(ctx)
	return has, translate("look for records", err)
}

// StaleUnits returns what a worker's stale units were processed with, most units first. fingerprint is the effective configuration's.
func (s *Store) StaleUnits(ctx context.Context, name string, fingerprint []byte, limit int32) ([]worker.StaleUnits, error) {
	rows, err := s.q.ListStale(ctx, db.ListStaleParams{WorkerName: name, ConfigFingerprint: fingerprint, MaxRows: limit})
	if err != nil {
		return nil, translate("list stale units", err)
	}
	groups := make([]worker.StaleUnits, len(rows))
	for i, r := range rows {
		groups[i].Units = r.Units
		if err := json.Unmarshal(r.Config, &groups[i].Config); err != nil {
			return nil, fmt.Errorf("decode the configuration of stale units of %s: %w", name, err)
		}
	}
	return groups, nil
}

// jobStates are those of a job that is not done.
var jobStates = []string{"available", "pending", "retryable", "running", "scheduled"}

// DueNow makes a job due by the database's clock, by which it is picked up: the queue notes that of the process, which may be ahead.
func DueNow(ctx context.Context, tx pgx.Tx, job int64) error {
	_, err := tx.Exec(ctx, "UPDATE river_job SET scheduled_at = now(), created_at = least(created_at, now()) WHERE id = $1 AND scheduled_at > now()", job)
	return translate("make the job due", err)
}

// Jobs counts the jobs of the queue that are not done, by state.
func (s *Store) Jobs(ctx context.Context) (map[string]int64, error) {
	rows, err := s.pool.Query(ctx, "SELECT s, (SELECT count(*) FROM river_job j WHERE j.state = s::river_job_state) FROM unnest($1::text[]) s", jobStates)
	if err != nil {
		return nil, translate("count jobs", err)
	}
	states := map[string]int64{}
	var state string
	var n int64
	_, err = pgx.ForEachRow(rows, []any{&state, &n}, func() error {
		states[state] = n
		return nil
	})
	return states, translate("count jobs", err)
}
