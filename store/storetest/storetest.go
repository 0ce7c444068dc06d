// Package storetest gives each test a PostgreSQL database of its own: a clone of a template that was migrated once. The
// server is TEST_DATABASE_URL's, or a private one that the test processes share and the last one stops. It is for tests only.
package storetest

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"scrinalia/migrations"
	"scrinalia/store"
	"scrinalia/store/localpg"

	"github.com/jackc/pgx/v5"
)

var server = sync.OnceValues(func() (string, error) {
	if u := os.Getenv("TEST_DATABASE_URL"); u != "" {
		return u, nil
	}
	dir := filepath.Join(os.TempDir(), "scrinalia-test-"+strconv.Itoa(os.Getuid()))
	s, err := localpg.Open(context.Background(), localpg.Options{
		Dir: dir, NoSync: true, Logger: slog.New(slog.DiscardHandler),
		Settings: map[string]string{"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "max_connections": "400"},
	})
	if err != nil {
		return "", err
	}
	return s.URL("postgres"), nil // never closed here: the kernel drops this process's share when it ends; a later Open adopts the server
})

// URL returns the address of a fresh, migrated database that is dropped when the test ends.
func URL(t testing.TB) string {
	t.Helper()
	base, err := server()
	if err != nil {
		t.Fatal(err)
	}
	template := "scrinalia_template_" + schemaHash(t)
	admin := connect(t, base)
	defer admin.Close(context.WithoutCancel(t.Context()))
	ensureTemplate(t, admin, base, template)
	name := "scrinalia_test_" + rand.Text()[:16]
	exec(t, admin, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize()+" TEMPLATE "+template)
	t.Cleanup(func() {
		admin := connect(t, base)
		exec(t, admin, "DROP DATABASE "+pgx.Identifier{name}.Sanitize()+" WITH (FORCE)")
		_ = admin.Close(context.WithoutCancel(t.Context()))
	})
	return withDatabase(t, base, name)
}

// EmptyURL returns the address of a fresh database without any table.
func EmptyURL(t testing.TB) string {
	t.Helper()
	base, err := server()
	if err != nil {
		t.Fatal(err)
	}
	admin := connect(t, base)
	defer admin.Close(context.WithoutCancel(t.Context()))
	name := "scrinalia_empty_" + rand.Text()[:16]
	exec(t, admin, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize()+" TEMPLATE template0")
	t.Cleanup(func() {
		admin := connect(t, base)
		exec(t, admin, "DROP DATABASE "+pgx.Identifier{name}.Sanitize()+" WITH (FORCE)")
		_ = admin.Close(context.WithoutCancel(t.Context()))
	})
	return withDatabase(t, base, name)
}

// New opens a store on a fresh, migrated database.
func New(t testing.TB) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), URL(t), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// ensureTemplate migrates the template once, whoever comes first.
func ensureTemplate(t testing.TB, admin *pgx.Conn, base, template string) {
	t.Helper()
	exec(t, admin, "SELECT pg_advisory_lock(hashtext('"+template+"'))")
	defer exec(t, admin, "SELECT pg_advisory_unlock(hashtext('"+template+"'))")
	var ready bool
	err := admin.QueryRow(t.Context(), "SELECT datistemplate FROM pg_database WHERE datname = $1", template).Scan(&ready)
	if err == nil && ready {
		return
	}
	exec(t, admin, "DROP DATABASE IF EXISTS "+template+" WITH (FORCE)")
	exec(t, admin, "CREATE DATABASE "+template+" TEMPLATE template0")
	s, err := store.Open(t.Context(), withDatabase(t, base, template), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	err = s.MigrateUp(t.Context())
	s.Close()
	if err != nil {
		t.Fatal(err)
	}
	exec(t, admin, "UPDATE pg_database SET datistemplate = true WHERE datname = '"+template+"'")
}

func connect(t testing.TB, address string) *pgx.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 30*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

func exec(t testing.TB, conn *pgx.Conn, sql string) {
	t.Helper()
	if _, err := conn.Exec(context.WithoutCancel(t.Context()), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func withDatabase(t testing.TB, base, name string) string {
	t.Helper()
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + name
	return u.String()
}

// schemaHash names the template: another schema, another template.
func schemaHash(t testing.TB) string {
	t.Helper()
	h := sha256.New()
	err := fs.WalkDir(migrations.Files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := migrations.Files.ReadFile(path)
		fmt.Fprintf(h, "%s %d\n", path, len(b))
		h.Write(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}
