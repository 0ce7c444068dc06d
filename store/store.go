// Package store keeps everything in PostgreSQL: sqlc's typed queries (store/db) plus transactions, the translation of
// driver errors into errors that people may be shown, and the schema's migrations. Rows of sqlc stay inside; what
// crosses the border are types of worker, importer and search. It may import worker, importer, search, migrations, pgx, River's driver
// and golang-migrate; never echo, views or a worker's package.
package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"scrinalia/store/db"
	"scrinalia/worker"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Store is the database. It is safe for concurrent use.
type Store struct {
	pool *pgxpool.Pool
	q    *db.Queries
	log  *slog.Logger

	comparisons comparisons
	background  context.Context // of what goes on behind the pages; ends with Close
	stop        context.CancelFunc
}

// Open connects to the PostgreSQL at url and checks that it is version 14 or newer. It does not migrate.
func Open(ctx context.Context, url string, log *slog.Logger) (*Store, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, worker.Errorf(worker.Invalid, "DATABASE_URL is no PostgreSQL address; it looks like postgres://user:password@host:5432/database.")
	}
	if cfg.MaxConns < 12 {
		cfg.MaxConns = 12
	}
	// A ledger filter changes which index is best, so a statement is planned for its values. plan_cache_mode would do that too, but
	// also to the foreign keys' own statements, once a row.
	cfg.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	cfg.ConnConfig.RuntimeParams["jit"] = "off" // compiling costs more than these statements take
	cfg.ConnConfig.RuntimeParams["work_mem"] = "32MB"
	cfg.ConnConfig.RuntimeParams["application_name"] = "scrinalia"
	cfg.ConnConfig.RuntimeParams["timezone"] = "UTC"
	cfg.ConnConfig.ConnectTimeout = 5 * time.Second
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("open pool: %w", err)
	}
	s := &Store{pool: pool, q: db.New(pool), log: log}
	s.background, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	if err := s.checkVersion(ctx); err != nil {
		s.stop()
		pool.Close()
		if worker.KindOf(err) == worker.Unavailable {
			return nil, &worker.Error{Kind: worker.Unavailable, Err: err, Msg: whyNoConnection(err, cfg.ConnConfig) + ", or check DATABASE_URL."}
		}
		return nil, err
	}
	return s, nil
}

// whyNoConnection says what keeps the program from the database and what mends it, for one who knows neither SQLSTATE nor the driver.
func whyNoConnection(err error, c *pgx.ConnConfig) string {
	where := fmt.Sprintf("at %s, port %d", c.Host, c.Port)
	pg, _ := errors.AsType[*pgconn.PgError](err)
	switch {
	case pg == nil || !refusedLogin(pg):
		return "The database does not answer " + where + ". Start it"
	case pg.Code == wrongPassword:
		return fmt.Sprintf("The database %s refused the password of user %q. Correct it", where, c.User)
	case pg.Code == noDatabase:
		return fmt.Sprintf("There is no database %q %s. Create it", c.Database, where)
	case pg.Code == noPrivilege:
		return fmt.Sprintf("User %q may not connect to the database %q %s. Grant it CONNECT", c.User, c.Database, where)
	}
	return fmt.Sprintf("The database %s does not let user %q in: there is no such user, or its pg_hba.conf refuses it from here. Create or admit the user", where, c.User)
}

// closeWithin is how long Close waits for connections that are in use.
const closeWithin = 2 * time.Second

// Close closes every connection. One that is still in use after closeWithin is left behind: it ends with the process.
func (s *Store) Close() {
	s.stop()
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		s.pool.Close()
	}()
	limit := time.NewTimer(closeWithin)
	defer limit.Stop()
	select {
	case <-closed:
	case <-limit.C:
		s.log.Warn("connections of the database were still in use and are left behind", "connections", s.pool.Stat().AcquiredConns())
	}
}

// Pool is for the job queue, which brings its own driver.
func (s *Store) Pool() *pgxpool.Pool { return s.pool }

// Ping asks the database for an answer.
func (s *Store) Ping(ctx context.Context) error {
	return translate("ping", s.pool.Ping(ctx))
}

// Now is the time on the database's clock, by which processes on several machines compare theirs.
func (s *Store) Now(ctx context.Context) (now time.Time, err error) {
	err = s.pool.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&now)
	return now, translate("read the clock", err)
}

// minVersion is server_version_num of the oldest PostgreSQL that is supported.
const minVersion = 140000

func (s *Store) checkVersion(ctx context.Context) error {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return translate("connect", err)
	}
	defer conn.Release()
	var version int
	if err := conn.QueryRow(ctx, "SELECT current_setting('server_version_num')::int").Scan(&version); err != nil {
		return translate("connect", err)
	}
	if version < minVersion {
		return worker.Errorf(worker.Invalid, "The database is PostgreSQL %d; version 14 or newer is needed.", version/10000)
	}
	if encoding := conn.Conn().PgConn().ParameterStatus("server_encoding"); encoding != "" && encoding != "UTF8" {
		return worker.Errorf(worker.Invalid, "The database keeps its texts as %s; one with the encoding UTF8 is needed.", encoding)
	}
	return nil
}

// inTx runs fn in one transaction and translates its error outside of it.
func (s *Store) inTx(ctx context.Context, op string, fn func(*db.Queries) error) error {
	return translate(op, pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error { return fn(s.q.WithTx(tx)) }))
}

// errDryRun rolls a dry run's transaction back.
var errDryRun = errors.New("dry run: rolled back")

// inRunTx is inTx for a batch of a run, whose counts fn sets. A dry run does the same work and takes it back; the batch of a run that is over is rolled back.
func (s *Store) inRunTx(ctx context.Context, op string, runID int64, dry bool, counts *worker.Counts, fn func(*db.Queries) error) error {
	err := s.inTx(ctx, op, func(q *db.Queries) error {
		if err := fn(q); err != nil {
			return err
		}
		return endBatch(ctx, q, runID, dry, *counts)
	})
	return ignoreDryRun(err)
}

// endBatch is the last statement of a batch's transaction: it counts the batch in the ledger, lets it commit only while its run is under way, and keeps the run
// from ending before it did. So the ledger's counts are those of what is there, whenever a process dies, and nothing of a run is written once its
// outcome is. Only here, since the lock would keep the run's own progress waiting for a long batch.
func endBatch(ctx context.Context, q *db.Queries, runID int64, dry bool, c worker.Counts) error {
	if dry {
		return errDryRun
	}
	n, err := q.CountBatch(ctx, db.CountBatchParams{ID: runID, Processed: c.Processed, Failed: c.Failed, Skipped: c.Skipped})
	if err == nil && n == 0 {
		return fmt.Errorf("%w: run %d is over, and a batch that it had under way was rolled back", ErrOwnershipLost, runID)
	}
	return err
}

func ignoreDryRun(err error) error {
	if errors.Is(err, errDryRun) {
		return nil
	}
	return err
}

// Analyze renews the planner's statistics of the tables that runs fill; without, the first batches of a new collection are planned
// for empty tables.
func (s *Store) Analyze(ctx context.Context) error {
	_, err := s.pool.Exec(ctx, "ANALYZE documents, document_hierarchy, document_tags, tags, document_entities, entities, document_vectors, execution_log, queue_tally, review_queue, similar_pairs")
	return translate("analyze", err)
}
