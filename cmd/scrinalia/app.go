package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"scrinalia/curation"
	"scrinalia/engine"
	engines "scrinalia/engine/all"
	"scrinalia/errorlog"
	"scrinalia/executor"
	"scrinalia/logging"
	"scrinalia/metrics"
	"scrinalia/picture"
	"scrinalia/search"
	"scrinalia/settings"
	"scrinalia/storage"
	"scrinalia/store"
	"scrinalia/store/localpg"
	"scrinalia/worker"
	"scrinalia/worker/all"

	"github.com/spf13/cobra"
)

// app is what every command shares: its settings and its ways out.
type app struct {
	getenv         func(string) string
	stdout, stderr io.Writer

	databaseURL logging.Secret
	dataDir     string
	storageURL  logging.Secret
	private     string // networks that pictures may come from
	logLevel    string
	logFormat   string
}

// globalFlags declares the settings that every command takes. A flag wins over the variable that its help names.
func (a *app) globalFlags(root *cobra.Command) {
	f := root.PersistentFlags()
	f.StringVar((*string)(&a.databaseURL), "database-url", a.getenv("DATABASE_URL"), "PostgreSQL 14 or newer; empty: a private one in the data directory (DATABASE_URL)")
	f.StringVar(&a.dataDir, "data-dir", a.envOr("SCRINALIA_DATA_DIR", defaultDataDir(a.getenv)), "where the private database and files are kept (SCRINALIA_DATA_DIR)")
	f.StringVar((*string)(&a.storageURL), "storage-url", a.getenv("SCRINALIA_STORAGE_URL"), "a folder, s3://BUCKET?endpoint=HOST:PORT or https://HOST/BUCKET for thumbnails; empty: a folder in the data directory (SCRINALIA_STORAGE_URL)")
	f.StringVar(&a.private, "allow-private-images", a.getenv("SCRINALIA_ALLOW_PRIVATE_IMAGES"), "true, or private networks that pictures may be fetched from, such as 10.1.0.0/16 (SCRINALIA_ALLOW_PRIVATE_IMAGES)")
	f.StringVar(&a.logLevel, "log-level", a.envOr("SCRINALIA_LOG_LEVEL", "info"), "debug, info, warn or error (SCRINALIA_LOG_LEVEL)")
	f.StringVar(&a.logFormat, "log-format", a.envOr("SCRINALIA_LOG_FORMAT", "text"), "text or json (SCRINALIA_LOG_FORMAT)")
	// defaults that may hold a password are not printed by --help
	f.Lookup("database-url").DefValue, f.Lookup("storage-url").DefValue = "", ""
}

func (a *app) envOr(name, fallback string) string {
	if v := a.getenv(name); v != "" {
		return v
	}
	return fallback
}

// defaultDataDir is the user's data directory; root, which hands the private database to another account, uses /var/lib.
func defaultDataDir(getenv func(string) string) string {
	if os.Geteuid() == 0 {
		return "/var/lib/scrinalia"
	}
	if d := getenv("XDG_DATA_HOME"); d != "" {
		return filepath.Join(d, "scrinalia")
	}
	if home, err := os.UserHomeDir(); err == nil {
		return filepath.Join(home, ".local", "share", "scrinalia")
	}
	return "scrinalia-data"
}

func (a *app) logger() (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(a.logLevel)); err != nil {
		return nil, usageError{fmt.Errorf("--log-level (SCRINALIA_LOG_LEVEL) is %q; it takes debug, info, warn or error", a.logLevel)}
	}
	log, err := logging.New(a.stderr, a.logFormat, level)
	if err != nil {
		return nil, usageError{fmt.Errorf("--log-format (SCRINALIA_LOG_FORMAT) is %q; it takes text or json", a.logFormat)}
	}
	return log, nil
}

// program is an opened database with all that stands on it.
type program struct {
	log       *slog.Logger
	store     *store.Store
	catalogue *worker.Catalogue
	executor  *executor.Executor
	settings  *settings.Settings
	curation  *curation.Curation
	search    *search.Service
	storage   storage.Bucket
	errors    *errorlog.Log
	metrics   *metrics.Metrics // nil in commands that nobody scrapes
	local     *localpg.Server  // nil with DATABASE_URL
}

// open connects to the database, or to the private one of the data directory, and migrates it.
func (a *app) open(ctx context.Context, role string, concurrency int) (*program, error) {
	bucket, pictures, err := a.forThumbnails(role)
	if err != nil {
		return nil, err
	}
	p, err := a.connect(ctx, role)
	if err != nil {
		return nil, err
	}
	p.storage = bucket
	if err := p.prepare(ctx, role, concurrency, pictures); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// forThumbnails makes what thumbnails need. It opens nothing: listing workers works without storage.
func (a *app) forThumbnails(role string) (storage.Bucket, *picture.Studio, error) {
	networks, err := picture.ParseNetworks(a.private)
	if err != nil {
		return nil, nil, usageError{fmt.Errorf("--allow-private-images (SCRINALIA_ALLOW_PRIVATE_IMAGES): %w", err)}
	}
	address, err := storage.ParseAddress(a.storageURL.Reveal(), filepath.Join(a.dataDir, "objects"), a.getenv)
	if err != nil {
		return nil, nil, err
	}
	if a.storageURL == "" && (role == "serve" || role == "work" || role == "run") {
		_ = makeDataDir(a.dataDir) // with the rights that everything in it needs; what keeps it from being made is told when an object is put
	}
	bucket, err := storage.Open(address)
	return bucket, picture.New(picture.Options{Version: version, Private: networks}), err
}

func (a *app) connect(ctx context.Context, role string) (*program, error) {
	log, err := a.logger()
	if err != nil {
		return nil, err
	}
	if role != "serve" && role != "work" && a.logLevel == "info" {
		log = slog.New(quieter{log.Handler()}) // a command that a person types shows its result, not its log
	}
	p := &program{log: log}
	address := a.databaseURL.Reveal()
	if address == "" {
		if address, err = p.startLocal(ctx, a.dataDir); err != nil {
			p.Close()
			return nil, err
		}
	}
	if p.store, err = store.Open(ctx, address, log); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// databaseName is the database inside the private cluster.
const databaseName = "scrinalia"

func (p *program) startLocal(ctx context.Context, dir string) (string, error) {
	var err error
	if p.local, err = localpg.Open(ctx, localpg.Options{Dir: dir, Logger: p.log}); err != nil {
		return "", err
	}
	if err := p.local.EnsureDatabase(ctx, databaseName); err != nil {
		return "", fmt.Errorf("make the database in %s: %w", dir, err)
	}
	return p.local.URL(databaseName), nil
}

func (p *program) prepare(ctx context.Context, role string, concurrency int, pictures *picture.Studio) error {
	if role != healthRole {
		if err := p.store.MigrateUp(ctx); err != nil {
			return err
		}
	}
	registrations := engines.Registrations(os.Getenv("OLLAMA_HOST"))
	for i, r := range registrations {
		registrations[i] = r.Watched(p.watchEngine)
	}
	registry := engine.NewRegistry(registrations...)
	p.catalogue = all.Catalogue(p.store, registry, p.storage, pictures)
	if role == "serve" {
		p.metrics = p.newMetrics()
	}
	p.settings = settings.New(p.catalogue, p.store)
	p.curation = curation.New(p.catalogue, p.store)
	p.errors = errorlog.New(p.store, p.log)
	var err error
	p.executor, err = executor.New(executor.Options{
		Catalogue: p.catalogue, Store: p.store, Log: p.log, Role: role, Version: version, Concurrency: concurrency, Observer: p.metrics,
	})
	if err != nil {
		return err
	}
	query := queryEmbedder{executor: p.executor, registry: registry}
	p.search = search.New(search.Options{Store: p.store, EmbedQuery: query.embed, Log: p.log, Patience: searchPatience[role]})
	return nil
}

// warnOfSettings says which stored settings this release does not take: they are not applied, and the pages show what runs instead.
func (p *program) warnOfSettings(ctx context.Context) error {
	stored, err := p.store.Overrides(ctx)
	if err != nil {
		return err
	}
	for name, s := range stored {
		def, err := p.catalogue.Lookup(name)
		if err == nil {
			_, err = worker.CheckChange(def, worker.OverrideChange{Settings: s})
		}
		if err != nil {
			p.log.WarnContext(ctx, "stored settings do not fit and are not applied", "worker", name, "err", err)
		}
	}
	return nil
}

// searchPatience is how long a search waits for the vectors to be loaded: a command has nobody who could search again.
var searchPatience = map[string]time.Duration{"search": 5 * time.Minute}

// Close leaves the database; the last to leave the private one stops it.
func (p *program) Close() {
	if p.store != nil {
		p.store.Close()
	}
	if p.local != nil {
		if err := p.local.Close(); err != nil {
			p.log.Warn("the private database could not be left cleanly", "err", err)
		}
	}
}

// quieter lets only warnings and errors through.
type quieter struct{ slog.Handler }

func (q quieter) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && q.Handler.Enabled(ctx, l)
}

// WithAttrs keeps the threshold.
func (q quieter) WithAttrs(attrs []slog.Attr) slog.Handler {
	return quieter{q.Handler.WithAttrs(attrs)}
}

// WithGroup keeps the threshold.
func (q quieter) WithGroup(name string) slog.Handler { return quieter{q.Handler.WithGroup(name)} }

// who is the operating-system user on this host, as the ledger notes it.
func who() string {
	name := "uid " + strconv.Itoa(os.Getuid())
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	host, err := os.Hostname()
	if err != nil {
		return name
	}
	return name + "@" + strings.SplitN(host, ".", 2)[0]
}
