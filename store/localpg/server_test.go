package localpg_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"scrinalia/store/localpg"

	"github.com/jackc/pgx/v5"
)

func TestStartAndStop(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	s := open(t, dir)
	must(t, s.EnsureDatabase(t.Context(), `the "archive"`))
	must(t, s.EnsureDatabase(t.Context(), `the "archive"`))
	conn, err := pgx.Connect(t.Context(), s.URL(`the "archive"`))
	must(t, err)
	_, err = conn.Exec(t.Context(), "CREATE TABLE kept AS SELECT 'ação' AS word")
	must(t, err)
	must(t, conn.Close(t.Context()))
	if s.Version() < 14 || s.BinDir() == "" {
		t.Errorf("version %d, programs in %q", s.Version(), s.BinDir())
	}
	pid := serverPID(t, dir)
	must(t, s.Close())
	must(t, s.Close())
	wantStopped(t, dir, pid)

	again := open(t, dir)
	conn, err = pgx.Connect(t.Context(), again.URL(`the "archive"`))
	must(t, err)
	defer conn.Close(t.Context())
	var word string
	must(t, conn.QueryRow(t.Context(), "SELECT upper(word) FROM kept").Scan(&word))
	if word != "AÇÃO" {
		t.Errorf("read %q", word)
	}
}

func TestServerIsPrivate(t *testing.T) {
	t.Setenv("SECRET_TOKEN", "hunter2")
	dir := dataDir(t)
	s := open(t, dir)
	for query, want := range map[string]string{
		"SHOW listen_addresses":        "",
		"SHOW unix_socket_permissions": "0700",
		"SHOW server_encoding":         "UTF8",
		"SHOW timezone":                "UTC",
		"SHOW jit":                     "off",
		"SHOW max_connections":         "60",
		"SHOW shared_buffers":          "16MB", // as the test's settings ask
		"SELECT coalesce(inet_server_addr()::text, 'socket')":                                       "socket",
		"SELECT string_agg(DISTINCT auth_method, ',') FROM pg_hba_file_rules WHERE type <> 'local'": "reject",
	} {
		if got := value(t, s, query); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	fi, err := os.Stat(filepath.Join(dir, "run"))
	must(t, err)
	if fi.Mode().Perm() != 0o700 {
		t.Errorf("the socket's folder has mode %v", fi.Mode())
	}
	proc := filepath.Join("/proc", strconv.Itoa(serverPID(t, dir)))
	fi, err = os.Stat(proc)
	must(t, err)
	if uid := fi.Sys().(*syscall.Stat_t).Uid; uid == 0 {
		t.Error("the server runs as root")
	}
	environ, err := os.ReadFile(filepath.Join(proc, "environ"))
	must(t, err)
	if len(environ) == 0 || bytes.Contains(environ, []byte("hunter2")) {
		t.Errorf("the server's environment: %q", environ)
	}
}

func TestAlterSystemOpensNoPort(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	s := open(t, dir)
	conn, err := pgx.Connect(t.Context(), s.URL("postgres"))
	must(t, err)
	_, err = conn.Exec(t.Context(), "ALTER SYSTEM SET listen_addresses = '*'")
	must(t, err)
	must(t, conn.Close(t.Context()))
	must(t, s.Close())
	if got := value(t, open(t, dir), "SHOW listen_addresses"); got != "" {
		t.Errorf("listens on %q", got)
	}
}

func TestFixedSettingsAreRefused(t *testing.T) {
	t.Parallel()
	o := options(dataDir(t))
	o.Settings = map[string]string{"Listen_Addresses": "*"}
	openFails(t, o, localpg.ErrStart, "Listen_Addresses")
}

func TestAwkwardAndLongPath(t *testing.T) {
	t.Parallel()
	for _, name := range []string{`a "b" 'ç' +%20&?`, "with, comma", strings.Repeat("long", 25)} {
		dir := filepath.Join(scratch(t), name)
		s := open(t, dir)
		if got := value(t, s, "SHOW data_directory"); got != filepath.Join(dir, "postgres") {
			t.Errorf("serves %q, want %q", got, dir)
		}
		// A second user must find the socket where the first has put it.
		other := spawn(t, self(t), "hold", dir, nil)
		other.wantReady()
		socket := value(t, s, "SHOW unix_socket_directories")
		must(t, s.Close())
		other.leave()
		wantStopped(t, dir, 0)
		socket = strings.Trim(socket, `"`)
		if _, err := os.Stat(socket); err == nil && strings.HasPrefix(socket, "/tmp/scrinalia-") {
			t.Errorf("%s was left behind", socket)
		}
	}
}

func TestSocketFolderOfAnotherIsRefused(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	must(t, os.MkdirAll(dir, 0o711))
	must(t, os.Chmod(dir, 0o711))
	must(t, os.Symlink("/tmp", filepath.Join(dir, "run")))
	openFails(t, options(dir), localpg.ErrAccess, filepath.Join(dir, "run"), "remove it")
}

func TestLargeLogIsEmptied(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	must(t, open(t, dir).Close())
	file := filepath.Join(dir, "postgres.log")
	must(t, os.Truncate(file, localpg.MaxLog+1))
	must(t, open(t, dir).Close())
	fi, err := os.Stat(file)
	must(t, err)
	if fi.Size() == 0 || fi.Size() > 1<<16 {
		t.Errorf("the log has %d bytes", fi.Size())
	}
}
