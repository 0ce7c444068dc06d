package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"scrinalia/engine"
	engines "scrinalia/engine/all"
	"scrinalia/executor"
	"scrinalia/store"
	"scrinalia/store/localpg"
	"scrinalia/worker"
	"scrinalia/worker/all"

	"github.com/jackc/pgx/v5"
)

// bench is one run of this program: a private server, and the figures so far.
type bench struct {
	options

	size      sizes
	server    *localpg.Server
	dir       string
	databases []string
	machine   string
	figures   []figure
	stderr    io.Writer
	begun     time.Time
	looking   time.Duration // processor time that went into cpu itself
}

// sizes are how much there is of everything.
type sizes struct {
	realDocuments, realTags, realEntities, tagsEach, entitiesEach int
	large, huge, ledger                                           int
	requests, filtered, starts, runs, repeats, pictures           int
	pairTags, pairEntities, manyTags, manyEntities                int
}

var (
	fullSizes = sizes{
		realDocuments: 5000, realTags: 8000, realEntities: 4000, tagsEach: 8, entitiesEach: 4,
		large: 100_000, huge: 1_000_000, ledger: 1_100_000,
		requests: 300, filtered: 100, starts: 5, runs: 50, repeats: 5, pictures: 600,
		pairTags: 8000, pairEntities: 20_000, manyTags: 50_000, manyEntities: 100_000,
	}
	quickSizes = sizes{
		realDocuments: 500, realTags: 800, realEntities: 400, tagsEach: 8, entitiesEach: 4,
		large: 3000, huge: 5000, ledger: 5000,
		requests: 20, filtered: 10, starts: 2, runs: 5, repeats: 2, pictures: 64,
		pairTags: 800, pairEntities: 2000, manyTags: 5000, manyEntities: 10_000,
	}
)

func newBench(ctx context.Context, o options, stderr io.Writer) (*bench, error) {
	b := &bench{options: o, size: fullSizes, stderr: stderr, begun: time.Now()}
	if o.quick {
		b.size = quickSizes
	}
	var err error
	if b.dir, err = os.MkdirTemp("", "scrinalia-bench-"); err != nil {
		return nil, err
	}
	if err := b.start(ctx); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

// start makes the cluster with its default settings: nothing about durability is switched off.
func (b *bench) start(ctx context.Context) error {
	if err := os.Chmod(b.dir, 0o711); err != nil { // root hands the server to another account, which must pass
		return err
	}
	var err error
	b.server, err = localpg.Open(ctx, localpg.Options{Dir: filepath.Join(b.dir, "db"), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	commit, err := b.commitTime(ctx)
	if err != nil {
		return err
	}
	b.machine = fmt.Sprintf("%s/%s, %d CPUs, Go %s, PostgreSQL %d with its default durability; a small commit takes %.1f ms (median)",
		runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version()[2:], b.server.Version(), inMilliseconds(commit))
	if raw, err := os.ReadFile("/proc/loadavg"); err == nil {
		b.machine += fmt.Sprintf("\nload average at the start: %.14s (what others do at the same time is in every figure)", raw)
	}
	if b.quick {
		b.machine += "\n-quick: small sizes, the figures mean nothing"
	}
	return nil
}

// commitTime says how long this machine takes to bring a row to the disk, which many figures rest upon.
func (b *bench) commitTime(ctx context.Context) (time.Duration, error) {
	conn, err := pgx.Connect(ctx, b.server.URL("postgres"))
	if err != nil {
		return 0, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, "CREATE TABLE commits (n int)"); err != nil {
		return 0, err
	}
	took := make([]time.Duration, 51)
	for i := range took {
		begin := time.Now()
		if _, err := conn.Exec(ctx, "INSERT INTO commits VALUES (1)"); err != nil {
			return 0, err
		}
		took[i] = time.Since(begin)
	}
	return median(took), nil
}

func (b *bench) close() {
	if b.server != nil {
		if err := b.server.Close(); err != nil {
			b.say("the private server could not be stopped: %v", err)
		}
	}
	if err := os.RemoveAll(b.dir); err != nil {
		b.say("the temporary folder stays: %v", err)
	}
}

// say tells the person who waits what is being done.
func (b *bench) say(format string, args ...any) {
	fmt.Fprintf(b.stderr, "%6.1fs  %s\n", time.Since(b.begun).Seconds(), fmt.Sprintf(format, args...))
}

// exec runs statements in a database, or in the maintenance database when it has no name.
func (b *bench) exec(ctx context.Context, database string, statements ...string) error {
	if database == "" {
		database = "postgres"
	}
	conn, err := pgx.Connect(ctx, b.server.URL(database))
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for _, sql := range statements {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%.80s: %w", sql, err)
		}
	}
	return nil
}

// make creates a database, empty but for the schema, or as a copy of another one that nobody uses.
func (b *bench) make(ctx context.Context, name, template string) error {
	from := template
	if from == "" {
		from = "template0"
	}
	if err := b.exec(ctx, "", "CREATE DATABASE "+name+" TEMPLATE "+from); err != nil {
		return err
	}
	b.databases = append(b.databases, name)
	if template != "" {
		return nil
	}
	s, err := store.Open(ctx, b.server.URL(name), slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer s.Close()
	return s.MigrateUp(ctx)
}

// has says whether a database was made already.
func (b *bench) has(name string) bool { return slices.Contains(b.databases, name) }

// drop is forget, unless the databases are kept.
func (b *bench) drop(ctx context.Context, name string) error {
	if b.keep {
		return nil
	}
	return b.forget(ctx, name)
}

// forget removes a database, so that the disk holds few at a time.
func (b *bench) forget(ctx context.Context, name string) error {
	b.databases = slices.DeleteFunc(b.databases, func(n string) bool { return n == name })
	return b.exec(ctx, "", "DROP DATABASE "+name+" WITH (FORCE)")
}

// program is what the server is made of, on one database.
type program struct {
	store     *store.Store
	catalogue *worker.Catalogue
	executor  *executor.Executor
	log       *slog.Logger
}

// open makes the parts of the program as its serve command does. Log lines are formatted and thrown away.
func (b *bench) open(ctx context.Context, database string) (*program, error) {
	log := slog.New(slog.NewTextHandler(io.Discard, nil)) //nolint:sloglint // the discarding handler would not format them
	s, err := store.Open(ctx, b.server.URL(database), log)
	if err != nil {
		return nil, err
	}
	p := &program{store: s, catalogue: all.Catalogue(s, engine.NewRegistry(engines.Registrations("")...), nil, nil), log: log}
	p.executor, err = executor.New(executor.Options{Catalogue: p.catalogue, Store: s, Log: log, Role: "serve", Concurrency: 1})
	if err != nil {
		s.Close()
		return nil, err
	}
	return p, nil
}

func (p *program) close() { p.store.Close() }

// work runs one worker here and wants it to succeed.
func (p *program) work(ctx context.Context, name string) (worker.Run, error) {
	r, err := p.executor.RunHere(ctx, worker.Request{Worker: name, Trigger: worker.CLI, RequestedBy: "bench"}, nil)
	if err == nil && (r.Status != worker.Success || r.Failed > 0) {
		err = fmt.Errorf("%s ended %s with %d failed units", name, r.Status, r.Failed)
	}
	return r, err
}
