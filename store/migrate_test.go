package store_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/golang-migrate/migrate/v4"
	migratepgx "github.com/golang-migrate/migrate/v4/database/pgx/v5"
	"github.com/golang-migrate/migrate/v4/source/iofs"
	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/stdlib"
	"golang.org/x/sync/errgroup"

	"scrinalia/migrations"
	"scrinalia/store"
	"scrinalia/store/localpg"
	"scrinalia/store/storetest"
	"scrinalia/worker"
)

func openStore(t *testing.T, address string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), address, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func TestMigrationsPairUp(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(migrations.Files, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	form := regexp.MustCompile(`^([0-9]{6})_([a-z_]+)\.(up|down)\.sql$`)
	for i := 0; i < len(names); i += 2 {
		number := fmt.Sprintf("%06d", i/2+1)
		down := form.FindStringSubmatch(names[i])
		if down == nil || down[1] != number || down[3] != "down" {
			t.Fatalf("%s: want %s_what.down.sql", names[i], number)
		}
		if want := number + "_" + down[2] + ".up.sql"; i+1 == len(names) || names[i+1] != want {
			t.Fatalf("%s is not followed by %s", names[i], want)
		}
	}
}

// noise is what differs between two dumps of one schema.
var noise = regexp.MustCompile(`(?m)^(--.*|\\(un)?restrict .*|SET .*|SELECT pg_catalog.set_config.*|)\n`)

// schema dumps the schema, without the tools' own tables.
func schema(t *testing.T, address string) string {
	t.Helper()
	bin, err := localpg.FindBinaries()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "pg_dump"), "--schema-only", "--no-owner", "--exclude-table=schema_migrations", "--exclude-table=river*", address)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("pg_dump: %v: %s", err, stderr.String())
	}
	return noise.ReplaceAllString(string(out), "")
}

// TestMigrationsGoUpAndDown takes each migration back and applies it again.
func TestMigrationsGoUpAndDown(t *testing.T) {
	t.Parallel()
	address := storetest.EmptyURL(t)
	src, err := iofs.New(migrations.Files, ".")
	if err != nil {
		t.Fatal(err)
	}
	drv, err := migratepgx.WithInstance(stdlib.OpenDBFromPool(openStore(t, address).Pool()), &migratepgx.Config{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := migrate.NewWithInstance("iofs", src, "pgx5", drv)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	steps := func(n int) string {
		t.Helper()
		if err := m.Steps(n); err != nil {
			version, _, _ := m.Version()
			t.Fatalf("%d step from version %d: %v", n, version, err)
		}
		return schema(t, address)
	}
	names, err := fs.Glob(migrations.Files, "*.up.sql")
	if err != nil {
		t.Fatal(err)
	}
	before := ""
	for i, name := range names {
		up := steps(1)
		down := steps(-1)
		if diff := cmp.Diff(before, down); i > 0 && diff != "" { // the first leaves the extensions, which others may use
			t.Errorf("%s taken back: -before +after:\n%s", name, diff)
		}
		again := steps(1)
		if diff := cmp.Diff(up, again); diff != "" {
			t.Errorf("%s applied again: -once +twice:\n%s", name, diff)
		}
		before = again
	}
}

func TestMigrateUpSideBySide(t *testing.T) {
	t.Parallel()
	address := storetest.EmptyURL(t)
	var group errgroup.Group
	for range 4 {
		s := openStore(t, address)
		group.Go(func() error { return s.MigrateUp(t.Context()) })
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	v, err := openStore(t, address).SchemaVersion(t.Context())
	if err != nil || v.Database != v.Program || v.Dirty || v.Queue == 0 {
		t.Errorf("got %+v, %v", v, err)
	}
}

func TestMigrateDownAndUp(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	before, err := s.SchemaVersion(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.MigrateDown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if v, err := s.SchemaVersion(t.Context()); err != nil || v.Database != before.Program-1 {
		t.Errorf("after down: %+v, %v", v, err)
	}
	if err := s.MigrateUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	if v, err := s.SchemaVersion(t.Context()); err != nil || v != before {
		t.Errorf("after up: %+v, %v", v, err)
	}
}

func TestNewerSchemaIsRefused(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	if _, err := s.Pool().Exec(t.Context(), "UPDATE schema_migrations SET version = 900"); err != nil {
		t.Fatal(err)
	}
	err := s.MigrateUp(t.Context())
	if worker.KindOf(err) != worker.Invalid || !strings.Contains(err.Error(), "schema version 900, newer than this program's") {
		t.Errorf("got %v", err)
	}
}

// TestMissingRights: a role that may do little is told what to ask for.
func TestMissingRights(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, prepare, want string }{
		{"no extension", "GRANT CREATE ON SCHEMA public TO ", "CREATE EXTENSION pg_trgm; CREATE EXTENSION unaccent;"},
		{"no table", "REVOKE CREATE ON SCHEMA public FROM ", "GRANT CREATE ON SCHEMA public"},
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			address := storetest.EmptyURL(t)
			u, err := url.Parse(address)
			if err != nil {
				t.Fatal(err)
			}
			admin := openStore(t, address)
			role := fmt.Sprintf("guest%d_%s", i, strings.ToLower(strings.TrimPrefix(u.Path, "/")))
			for _, sql := range []string{"CREATE ROLE " + role + " NOLOGIN", "GRANT " + role + " TO CURRENT_USER", "REVOKE CREATE ON SCHEMA public FROM PUBLIC", tt.prepare + role} {
				if _, err := admin.Pool().Exec(t.Context(), sql); err != nil {
					t.Fatalf("%s: %v", sql, err)
				}
			}
			t.Cleanup(func() {
				ctx := context.WithoutCancel(t.Context())
				if _, err := admin.Pool().Exec(ctx, "DROP OWNED BY "+role+" CASCADE; DROP ROLE "+role); err != nil {
					t.Error(err)
				}
			})
			q := u.Query()
			q.Set("options", "-c role="+role)
			u.RawQuery = strings.ReplaceAll(q.Encode(), "+", "%20")
			guest := openStore(t, u.String())
			err = guest.MigrateUp(t.Context())
			e, ok := errors.AsType[*worker.Error](err)
			if !ok || e.Kind != worker.Invalid || !strings.Contains(e.Msg, tt.want) {
				t.Errorf("got %v, want %q in it", err, tt.want)
			}

			// once the administrator did what the sentence says, it goes on
			grant := "CREATE EXTENSION pg_trgm; CREATE EXTENSION unaccent; GRANT CREATE ON SCHEMA public TO " + role
			if _, err := admin.Pool().Exec(t.Context(), grant); err != nil {
				t.Fatal(err)
			}
			if err := guest.MigrateUp(t.Context()); err != nil {
				t.Errorf("after the grant: %v", err)
			}
		})
	}
}

func TestBadAddress(t *testing.T) {
	t.Parallel()
	_, err := store.Open(t.Context(), "postgres://user:secret@host:port/db", slog.New(slog.DiscardHandler))
	if worker.KindOf(err) != worker.Invalid || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v, want Invalid without the password", err)
	}
	_, err = store.Open(t.Context(), "host="+t.TempDir()+" user=nobody", slog.New(slog.DiscardHandler))
	if worker.KindOf(err) != worker.Unavailable {
		t.Errorf("nobody listens: %v, want Unavailable", err)
	}
}
