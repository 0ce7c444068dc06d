package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"strconv"
	"strings"

	"scrinalia/migrations"
	"scrinalia/worker"

	"github.com/golang-migrate/migrate/v4"
	"github.com/golang-migrate/migrate/v4/database"
	migratepgx "github.com/golang-migrate/migrate/v4/database/pgx/v5"
	"github.com/golang-migrate/migrate/v4/source/iofs"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// migrationLock keeps two processes from migrating one database at once.
const migrationLock int64 = 0x5343_4d49_4752

// SchemaVersion is the version of the schema in the database, and the newest that the program knows.
type SchemaVersion struct {
	Database uint `json:"database"`
	Program  uint `json:"program"`
	Dirty    bool `json:"dirty"` // a migration stopped half-way
	Queue    int  `json:"queue"` // version of the job queue's own tables
}

// MigrateUp brings the schema, and the job queue's tables, to the newest version. Several processes may call it at once.
func (s *Store) MigrateUp(ctx context.Context) error {
	v, err := s.SchemaVersion(ctx)
	if err != nil {
		return err
	}
	if v.Database > v.Program {
		return worker.Errorf(worker.Invalid, "The database has schema version %d, newer than this program's %d. Use the newer program.", v.Database, v.Program)
	}
	if v.Database == v.Program && !v.Dirty && v.Queue >= queueVersion {
		return nil
	}
	return s.migrate(ctx, func(m *migrate.Migrate) error {
		if err := forgetFailure(m); err != nil {
			return err
		}
		return m.Up()
	})
}

// forgetFailure takes back the mark of a migration that failed. Each file is one transaction, so that a failed one left nothing behind.
func forgetFailure(m *migrate.Migrate) error {
	version, dirty, err := m.Version()
	switch {
	case errors.Is(err, migrate.ErrNilVersion):
		return nil
	case err != nil || !dirty:
		return err
	case version == 1:
		return m.Force(database.NilVersion)
	}
	return m.Force(int(version) - 1)
}

// queueVersion is the newest version of the job queue's tables that this release of it knows.
var queueVersion = newestQueueVersion()

func newestQueueVersion() int {
	m, err := rivermigrate.New(riverpgxv5.New(nil), nil)
	if err != nil {
		return 0
	}
	all := m.AllVersions()
	return all[len(all)-1].Version
}

// MigrateDown takes the newest migration of the schema back. Data that only it can hold is lost.
func (s *Store) MigrateDown(ctx context.Context) error {
	return s.migrate(ctx, func(m *migrate.Migrate) error { return m.Steps(-1) })
}

func (s *Store) migrate(ctx context.Context, do func(*migrate.Migrate) error) error {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return translate("migrate", err)
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", migrationLock); err != nil {
		return translate("migrate", err)
	}
	defer func() { _, _ = conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", migrationLock) }()

	src, err := iofs.New(migrations.Files, ".")
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	sqlDB := stdlib.OpenDB(*s.pool.Config().ConnConfig) // not from the pool: WithInstance keeps a connection when it fails, and Close would wait for it
	defer sqlDB.Close()
	drv, err := migratepgx.WithInstance(sqlDB, &migratepgx.Config{})
	if err != nil {
		return explainRights(err)
	}
	m, err := migrate.NewWithInstance("iofs", src, "pgx5", drv)
	if err != nil {
		return fmt.Errorf("prepare migrations: %w", err)
	}
	defer m.Close()
	err = do(m)
	if errors.Is(err, migrate.ErrNoChange) || errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	if err != nil {
		return explainRights(err)
	}
	return s.migrateQueue(ctx)
}

// dropRestOfQueue removes what is left of the job queue when its jobs are gone: its migrations would go on where they were.
const dropRestOfQueue = `DO $$
DECLARE
    rest text;
BEGIN
    IF to_regclass('river_job') IS NULL THEN
        FOR rest IN SELECT c.oid::regclass::text FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relname LIKE 'river\_%' LOOP
            EXECUTE 'DROP TABLE ' || rest || ' CASCADE';
        END LOOP;
        FOR rest IN SELECT p.oid::regprocedure::text FROM pg_proc p WHERE p.pronamespace = current_schema()::regnamespace AND p.proname LIKE 'river\_%' LOOP
            EXECUTE 'DROP FUNCTION ' || rest || ' CASCADE';
        END LOOP;
        DROP TYPE IF EXISTS river_job_state CASCADE;
    END IF;
END $$`

func (s *Store) migrateQueue(ctx context.Context) error {
	if _, err := s.pool.Exec(ctx, dropRestOfQueue); err != nil {
		return explainRights(fmt.Errorf("remove what is left of the job queue: %w", err))
	}
	m, err := rivermigrate.New(riverpgxv5.New(s.pool), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)}) // its errors are returned
	if err != nil {
		return fmt.Errorf("prepare the job queue's migrations: %w", err)
	}
	if _, err := m.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return explainRights(fmt.Errorf("migrate the job queue: %w", err))
	}
	return nil
}

// explainRights says what to grant when CREATE EXTENSION or CREATE TABLE was refused.
func explainRights(err error) error {
	cause := err
	if e, ok := errors.AsType[database.Error](err); ok { // golang-migrate's errors do not unwrap
		cause = e.OrigErr
	} else if e, ok := errors.AsType[*database.Error](err); ok {
		cause = e.OrigErr
	}
	pg, ok := errors.AsType[*pgconn.PgError](cause)
	switch {
	case ok && (pg.Code == "42501" || pg.Code == "58P01" || pg.Code == "0A000") && strings.Contains(pg.Message, "extension"):
		return &worker.Error{Kind: worker.Invalid, Err: err, Msg: "The database lacks the extensions pg_trgm and unaccent, and this user may not create them. " +
			"Ask an administrator to run in this database: CREATE EXTENSION pg_trgm; CREATE EXTENSION unaccent; " +
			"(on Debian both are in the package postgresql-contrib)"}
	case ok && pg.Code == "42501":
		return &worker.Error{Kind: worker.Invalid, Err: err, Msg: "The database user may not create tables here. " +
			"Ask an administrator to run: GRANT CREATE ON SCHEMA public TO that user;"}
	}
	return translate("migrate", err)
}

// SchemaVersion reads the versions without changing anything.
func (s *Store) SchemaVersion(ctx context.Context) (SchemaVersion, error) {
	v := SchemaVersion{Program: newestMigration()}
	var tables, queue bool
	err := s.pool.QueryRow(ctx, "SELECT to_regclass('schema_migrations') IS NOT NULL, to_regclass('river_migration') IS NOT NULL AND to_regclass('river_job') IS NOT NULL").Scan(&tables, &queue)
	if err != nil {
		return v, translate("read schema version", err)
	}
	if tables {
		err := s.pool.QueryRow(ctx, "SELECT coalesce(max(version), 0), coalesce(bool_or(dirty), false) FROM schema_migrations").Scan(&v.Database, &v.Dirty)
		if err != nil {
			return v, translate("read schema version", err)
		}
	}
	if queue {
		if err := s.pool.QueryRow(ctx, "SELECT coalesce(max(version), 0) FROM river_migration").Scan(&v.Queue); err != nil {
			return v, translate("read queue version", err)
		}
	}
	return v, nil
}

func newestMigration() uint {
	names, _ := fs.Glob(migrations.Files, "*.up.sql")
	var newest uint64
	for _, n := range names {
		number, _, _ := strings.Cut(path.Base(n), "_")
		if v, err := strconv.ParseUint(number, 10, 32); err == nil {
			newest = max(newest, v)
		}
	}
	return uint(newest)
}
