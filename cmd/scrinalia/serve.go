package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"scrinalia/handlers"
	"scrinalia/health"
	"scrinalia/views"
	"scrinalia/worker"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"
)

type serveFlags struct {
	addr, language, environment string
	concurrency, allowedHosts   string
	sample                      bool
}

func (a *app) serveCommand() *cobra.Command {
	var f serveFlags
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve the panel and its API, and execute queued runs",
		Long: "Serves the panel and its API, and executes the runs that are queued. Without DATABASE_URL it keeps a private PostgreSQL in the data directory.\n" +
			"It listens on this machine only, unless --addr says otherwise: there are no accounts, so whoever reaches it may run workers.",
		Args: exactly(0, "no argument"),
		RunE: func(c *cobra.Command, _ []string) error { return a.serve(c.Context(), f) },
	}
	fl := c.Flags()
	fl.StringVar(&f.addr, "addr", a.envOr("SCRINALIA_ADDR", "127.0.0.1:8080"), "host and port to listen on (SCRINALIA_ADDR)")
	fl.StringVar(&f.language, "lang", a.envOr("SCRINALIA_LANG", "en"), "language for visitors whose browser asks for neither: en or pt-BR (SCRINALIA_LANG)")
	fl.StringVar(&f.environment, "environment", a.getenv("SCRINALIA_ENVIRONMENT"), "shown in the bar of every page, such as production (SCRINALIA_ENVIRONMENT)")
	fl.StringVar(&f.concurrency, "concurrency", a.envOr("SCRINALIA_CONCURRENCY", "1"), "runs that are executed at once, 1 to 9 (SCRINALIA_CONCURRENCY)")
	fl.StringVar(&f.allowedHosts, "allowed-hosts", a.getenv("SCRINALIA_ALLOWED_HOSTS"), "names that the panel answers to beside loopback and its address, separated by commas (SCRINALIA_ALLOWED_HOSTS)")
	fl.BoolVar(&f.sample, "sample", false, "import the sample collection into an empty database")
	return c
}

// maxConcurrency: the guard lets each of nine workers run once.
const maxConcurrency = 9

func parseConcurrency(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > maxConcurrency {
		return 0, usageError{fmt.Errorf("--concurrency (SCRINALIA_CONCURRENCY) is %q; it takes 1 to %d", s, maxConcurrency)}
	}
	return n, nil
}

func (f serveFlags) check() (concurrency int, err error) {
	if concurrency, err = parseConcurrency(f.concurrency); err != nil {
		return 0, err
	}
	if !views.Language(f.language).Known() {
		return 0, usageError{fmt.Errorf("--lang (SCRINALIA_LANG) is %q; it takes en or pt-BR", f.language)}
	}
	return concurrency, nil
}

// hosts are the names that the panel answers to at the address that it listens on.
func (f serveFlags) hosts(bound string) (handlers.Hosts, error) {
	var allowed []string
	if strings.TrimSpace(f.allowedHosts) != "" {
		allowed = strings.Split(f.allowedHosts, ",")
	}
	machine, _ := os.Hostname() // without a name it is reached by address
	hosts, err := handlers.NewHosts(f.addr, bound, allowed, machine)
	if err != nil {
		return hosts, usageError{fmt.Errorf("--allowed-hosts (SCRINALIA_ALLOWED_HOSTS): %w", err)}
	}
	return hosts, nil
}

func (a *app) serve(ctx context.Context, f serveFlags) error {
	concurrency, err := f.check()
	if err != nil {
		return err
	}
	listener, err := listen(ctx, f.addr)
	if err != nil {
		return err
	}
	defer listener.Close()
	hosts, err := f.hosts(listener.Addr().String())
	if err != nil {
		return err
	}
	if a.databaseURL == "" {
		unlock, err := lockDataDir(a.dataDir, listener.Addr().String())
		if err != nil {
			return err
		}
		defer unlock()
	}
	p, err := a.open(ctx, "serve", concurrency)
	if err != nil {
		return err
	}
	defer p.Close()
	if _, err := p.executor.Recover(ctx); err != nil { // the first page already tells what became of runs whose process is gone
		return err
	}
	if err := p.warnOfSettings(ctx); err != nil {
		return err
	}
	if f.sample {
		if err := p.loadSampleIfEmpty(ctx); err != nil {
			return err
		}
	}
	doctor := a.doctor(p)
	p.watchChecks(doctor)
	server := a.server(p, f, hosts, doctor)
	fmt.Fprintf(a.stderr, "Thumbnails are kept in %s\n", p.storage)
	fmt.Fprintf(a.stderr, "Scrinalia is at http://%s (Ctrl-C stops it)\n", listener.Addr())
	return p.serveUntil(ctx, server, listener)
}

// reportsDir is where the reports of imports through the panel are kept.
func (a *app) reportsDir() string { return filepath.Join(a.dataDir, "imports") }

func (a *app) server(p *program, f serveFlags, hosts handlers.Hosts, doctor *health.Doctor) *http.Server {
	return &http.Server{
		Handler: handlers.New(handlers.Options{
			Catalogue: p.catalogue, Panel: p.executor, Ledger: p.store, Settings: p.settings, Curation: p.curation, Archive: p.store, Reviews: p.store, Importer: &panelImporter{p.store, a.reportsDir()}, Search: p.search, Thumbnails: p.store, Objects: p.storage, Doctor: doctor, Metrics: p.metrics, Failures: p.store, Errors: p.errors, ReportsDir: a.reportsDir(), Log: p.log,
			Version: version, Environment: f.environment, Location: time.Local, Language: f.language, Hosts: hosts,
		}),
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second, // an import sets limits of its own
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(p.log.Handler(), slog.LevelDebug),
	}
}

const (
	stopWithin     = 10 * time.Second // for requests under way
	stopRunsWithin = 5 * time.Second  // for runs under way to write their outcome
	readWords      = 5 * time.Second  // between two looks for descriptions that changed, for search
	startAgain     = 2 * time.Second  // between two tries while the database is away
)

// serveUntil serves and executes until ctx ends, then stops both.
func (p *program) serveUntil(ctx context.Context, server *http.Server, listener net.Listener) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serve: %w", err)
		}
		return nil
	})
	group.Go(func() error { return p.startExecutor(ctx) })
	group.Go(func() error { return p.keepLocal(ctx) })
	group.Go(func() error { return p.search.Keep(ctx, readWords) })
	group.Go(func() error { return p.errors.Keep(ctx) })
	group.Go(func() error { return p.sampleMetrics(ctx) })
	group.Go(func() error {
		<-ctx.Done()
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
		defer cancel()
		if err := server.Shutdown(last); err != nil {
			p.log.WarnContext(last, "requests under way did not end in time and are cut short", "err", err)
			return server.Close()
		}
		return nil
	})
	err := group.Wait()
	p.stopExecutor(ctx)
	return err
}

// keepLocal brings the private database back when it ended while serving.
func (p *program) keepLocal(ctx context.Context) error {
	if p.local == nil {
		return nil
	}
	tick := time.NewTicker(startAgain)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if err := p.store.Ping(ctx); worker.KindOf(err) != worker.Unavailable || ctx.Err() != nil {
			continue
		}
		if err := p.local.Revive(ctx); err != nil && ctx.Err() == nil {
			p.log.WarnContext(ctx, "the private database could not be started again", "err", err)
		}
	}
}

// startExecutor starts the executor, again and again while the database is away.
func (p *program) startExecutor(ctx context.Context) error {
	for {
		err := p.executor.Start(ctx)
		switch {
		case ctx.Err() != nil:
			return nil //nolint:nilerr // stopping is no failure
		case err == nil || worker.KindOf(err) != worker.Unavailable:
			return err
		}
		p.log.WarnContext(ctx, "the database does not answer; queued runs wait", "err", err)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(startAgain):
		}
	}
}

func listen(ctx context.Context, addr string) (net.Listener, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	switch {
	case err == nil:
		return l, nil
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s is taken by another program, perhaps another Scrinalia; stop it, or choose another address with --addr", addr)
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("this user may not listen on %s; choose a port above 1023 with --addr", addr)
	}
	return nil, usageError{fmt.Errorf("--addr (SCRINALIA_ADDR) is %q, which cannot be listened on: %w; it takes host:port, such as 127.0.0.1:8080", addr, err)}
}
