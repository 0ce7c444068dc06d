package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"scrinalia/handlers"
	"scrinalia/search"
	"scrinalia/settings"
	"scrinalia/views"
	"scrinalia/worker"
)

// panel is the server in this process, behind a real socket, with a stopwatch between handlers and executor.
type panel struct {
	url    string
	server *http.Server
	client *http.Client
	states *stopwatch
	cpu    func() time.Duration
}

// serve puts the program behind HTTP as its serve command does.
func (b *bench) serve(ctx context.Context, p *program) (*panel, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	states := &stopwatch{Panel: p.executor}
	server := &http.Server{
		Handler: handlers.New(handlers.Options{
			Catalogue: p.catalogue, Panel: states, Ledger: p.store, Settings: settings.New(p.catalogue, p.store), Archive: p.store, Reviews: p.store, Failures: p.store, Importer: noImporter{}, Search: search.New(search.Options{Store: p.store, Log: p.log}), Log: p.log, Version: "bench", Location: time.UTC, Language: "en",
		}),
		ReadHeaderTimeout: 10 * time.Second,
	}
	go func() { _ = server.Serve(l) }()
	return &panel{url: "http://" + l.Addr().String(), server: server, client: &http.Client{Timeout: time.Minute}, states: states, cpu: b.cpu}, nil
}

func (p *panel) close() { _ = p.server.Close() }

// stopwatch notes how long each overview takes: its statements with their round trips, and no rendering.
type stopwatch struct {
	handlers.Panel

	mu   sync.Mutex
	took []time.Duration
}

// Overview is the executor's, timed.
func (s *stopwatch) Overview(ctx context.Context) ([]worker.State, error) {
	begin := time.Now()
	states, err := s.Panel.Overview(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.took = append(s.took, time.Since(begin))
	return states, err
}

// reset returns what was noted so far and forgets it.
func (s *stopwatch) reset() []time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	took := s.took
	s.took = nil
	return took
}

// noImporter stands where nothing is imported.
type noImporter struct{}

var errNoImporter = errors.New("the bench imports nothing through the panel")

// Import refuses.
func (noImporter) Import(context.Context, string, string, bool, io.Reader) (views.ImportReport, error) {
	return views.ImportReport{}, errNoImporter
}

// LoadSample refuses.
func (noImporter) LoadSample(context.Context) (views.ImportReport, error) {
	return views.ImportReport{}, errNoImporter
}

// warmUp is how many requests come before those that count.
const warmUp = 10

// visits are how long answers took until their last byte, and the processor time of each on average: browser, server and database.
type visits struct {
	took []time.Duration
	each time.Duration
}

// visit asks n times, for each path in turn, as a browser or as htmx.
func (p *panel) visit(ctx context.Context, n int, part bool, paths ...string) (visits, error) {
	v := visits{took: make([]time.Duration, n)}
	for i := range warmUp {
		if _, err := get(ctx, p.client, p.url+paths[i%len(paths)], part); err != nil {
			return v, err
		}
	}
	p.states.reset()
	used := p.cpu()
	for i := range v.took {
		var err error
		if v.took[i], err = get(ctx, p.client, p.url+paths[i%len(paths)], part); err != nil {
			return v, err
		}
	}
	v.each = (p.cpu() - used) / time.Duration(n)
	return v, nil
}

func get(ctx context.Context, client *http.Client, url string, part bool) (time.Duration, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, err
	}
	r.Header.Set("Accept", "text/html")
	if part {
		r.Header.Set("Hx-Request", "true")
	}
	begin := time.Now()
	answer, err := client.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	took := time.Since(begin)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answered %s", url, answer.Status)
	}
	return took, err
}
