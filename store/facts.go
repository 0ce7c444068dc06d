package store

import (
	"context"
	"time"

	"scrinalia/worker"

	"github.com/jackc/pgx/v5"
)

const selectDatabaseFacts = `SELECT current_setting('server_version'),
    (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')::int,
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
    pg_database_size(current_database()),
    (SELECT count(*) FROM pg_stat_activity WHERE xact_start < now() - interval '5 minutes' AND backend_type = 'client backend')::int,
    (SELECT coalesce(extract(epoch FROM max(clock_timestamp() - xact_start)), 0) FROM pg_stat_activity WHERE backend_type = 'client backend')::float8,
    (SELECT coalesce(sum(n_live_tup + n_dead_tup), 0) FROM pg_stat_user_tables WHERE relname = 'river_job')::bigint,
    (SELECT coalesce(sum(n_dead_tup), 0) FROM pg_stat_user_tables WHERE relname = 'river_job')::bigint,
    pg_is_in_recovery(),
    (SELECT count(*) FROM pg_stat_replication)::int,
    (SELECT CASE WHEN pg_is_in_recovery() THEN 0 ELSE coalesce(max(pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)), 0) END FROM pg_stat_replication)::bigint`

// DatabaseFacts asks the database about itself, over one connection.
func (s *Store) DatabaseFacts(ctx context.Context) (worker.DatabaseFacts, error) {
	var f worker.DatabaseFacts
	var oldest float64
	err := s.pool.QueryRow(ctx, selectDatabaseFacts).Scan(&f.Version, &f.Connections, &f.MaxConnections, &f.Bytes, &f.LongTransactions, &oldest,
		&f.QueueRows, &f.QueueDead, &f.Standby, &f.ReplicationServers, &f.ReplicationBytes)
	if err != nil {
		return f, translate("ask the database about itself", err)
	}
	f.OldestTransaction = time.Duration(oldest * float64(time.Second))
	v, err := s.SchemaVersion(ctx)
	f.Schema, f.Program, f.Dirty = v.Database, v.Program, v.Dirty
	return f, err
}

// selectStuck compares with the median of the worker's last fifty successful runs.
const selectStuck = `SELECT r.id, r.worker_name, extract(epoch FROM now() - coalesce(r.last_progress_at, r.started_at))::float8 AS still
FROM archive_worker_runs r
WHERE r.status = 'RUNNING' AND now() - coalesce(r.last_progress_at, r.started_at) > greatest(interval '10 minutes', 3 * (
    SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY l.finished_at - l.started_at) FROM (
        SELECT started_at, finished_at FROM archive_worker_runs x WHERE x.worker_name = r.worker_name AND x.status = 'SUCCESS' ORDER BY x.id DESC LIMIT 50) l))
ORDER BY r.id`

// RunFacts asks the ledger how runs go.
func (s *Store) RunFacts(ctx context.Context) (worker.RunFacts, error) {
	var f worker.RunFacts
	var oldest float64
	err := s.pool.QueryRow(ctx, `SELECT count(*) FILTER (WHERE status = 'QUEUED')::int, count(*) FILTER (WHERE status = 'RUNNING')::int,
    coalesce(extract(epoch FROM now() - min(queued_at) FILTER (WHERE status = 'QUEUED')), 0)::float8, to_regclass('river_job') IS NULL FROM archive_worker_runs WHERE status IN ('QUEUED', 'RUNNING')`).
		Scan(&f.Queued, &f.Running, &oldest, &f.QueueLost)
	if err != nil {
		return f, translate("count runs in flight", err)
	}
	processes, err := s.Processes(ctx)
	if err != nil {
		return f, err
	}
	f.Processes = len(processes)
	f.OldestQueued = time.Duration(oldest * float64(time.Second))
	err = s.pool.QueryRow(ctx, `SELECT count(*)::int, max(id) FROM (SELECT id, finished_at FROM archive_worker_runs WHERE status = 'INTERRUPTED' ORDER BY id DESC LIMIT 1000) r
    WHERE finished_at > now() - interval '24 hours'`).Scan(&f.Interrupted, &f.LastInterrupt)
	if err != nil {
		return f, translate("count interrupted runs", err)
	}
	rows, err := s.pool.Query(ctx, selectStuck)
	if err != nil {
		return f, translate("find runs without progress", err)
	}
	f.Stuck, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (r worker.StuckRun, err error) {
		var still float64
		err = row.Scan(&r.ID, &r.Worker, &still)
		r.Still = time.Duration(still * float64(time.Second))
		return r, err
	})
	return f, translate("find runs without progress", err)
}
