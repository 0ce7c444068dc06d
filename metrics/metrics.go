// Package metrics counts what the process does, for Prometheus. It has a registry of its own, keeps what others tell it, and reads nothing
// on a scrape but values in memory. It may import worker and the Prometheus client.
package metrics

import (
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"time"

	"scrinalia/worker"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Options are where values in memory are read on a scrape. Pool may be nil and must not wait.
type Options struct {
	Version string
	Pool    func() Pool
}

// Verdict is what a health check came to: ok, degraded, failed or unknown.
type Verdict struct{ Check, Verdict string }

// Pool is the state of the database connections.
type Pool struct {
	Acquired, Idle, Total, Max int64
	Acquires, Waits            int64         // how often one was taken, and how often none was free
	Waited                     time.Duration // in all
}

// Metrics takes what happens and answers scrapes. It is safe for concurrent use; a nil one takes everything and keeps nothing.
type Metrics struct {
	registry *prometheus.Registry

	runs        *prometheus.CounterVec
	runTook     *prometheus.HistogramVec
	units       *prometheus.CounterVec
	queue       *prometheus.GaugeVec
	queueAt     *prometheus.GaugeVec
	inFlight    *prometheus.GaugeVec
	lastFailed  *prometheus.GaugeVec
	jobs        *prometheus.GaugeVec
	databaseUp  prometheus.Gauge
	calls       *prometheus.CounterVec
	callTook    *prometheus.HistogramVec
	requests    *prometheus.CounterVec
	requestTook *prometheus.HistogramVec
}

// New makes the metrics of a process. The workers are those of the catalogue, so that each has its series from the start.
func New(o Options, workers []string) *Metrics {
	r := prometheus.NewRegistry()
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "scrinalia_" + name, Help: help}, labels)
		r.MustRegister(c)
		return c
	}
	gauge := func(name, help string, labels ...string) *prometheus.GaugeVec {
		g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "scrinalia_" + name, Help: help}, labels)
		r.MustRegister(g)
		return g
	}
	histogram := func(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
		h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "scrinalia_" + name, Help: help, Buckets: buckets}, labels)
		r.MustRegister(h)
		return h
	}
	m := &Metrics{
		registry:    r,
		runs:        counter("runs_total", "Runs that this process ended, by outcome.", "worker", "outcome"),
		runTook:     histogram("run_duration_seconds", "How long runs took, from started to finished.", []float64{.1, .5, 1, 5, 15, 60, 300, 900, 3600, 14400, 43200}, "worker"),
		units:       counter("units_total", "Units that runs of this process looked at, by outcome.", "worker", "outcome"),
		queue:       gauge("queue_units", "Units of a queue as of its last count.", "worker", "state"),
		queueAt:     gauge("queue_counted_timestamp_seconds", "When a queue was counted last.", "worker"),
		inFlight:    gauge("runs_in_flight", "Runs of any process that are queued or running, as the ledger was read last.", "worker", "status"),
		lastFailed:  gauge("last_run_failed", "1 when the last finished run of a worker, of any process, failed or was interrupted.", "worker"),
		jobs:        gauge("jobs", "Jobs of the queue, as it was read last.", "state"),
		calls:       counter("engine_calls_total", "Calls of engines: ok, unavailable (the service), error.", "axis", "engine", "result"),
		callTook:    histogram("engine_call_duration_seconds", "How long calls of engines took.", []float64{.001, .01, .05, .25, 1, 5, 15, 60, 300}, "axis", "engine"),
		requests:    counter("http_requests_total", "Requests answered.", "method", "route", "status"),
		requestTook: histogram("http_request_duration_seconds", "How long answers took.", []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10}, "method", "route"),
		databaseUp:  prometheus.NewGauge(prometheus.GaugeOpts{Name: "scrinalia_database_up", Help: "1 when the database answered as it was asked last."}),
	}
	build := gauge("build_info", "What runs; always 1.", "version", "go_version")
	build.WithLabelValues(o.Version, runtime.Version()).Set(1)
	r.MustRegister(m.databaseUp, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if o.Pool != nil {
		r.MustRegister(poolCollector{o.Pool})
	}
	for _, w := range workers {
		m.lastFailed.WithLabelValues(w)
		m.runTook.WithLabelValues(w)
		for _, s := range worker.Statuses {
			if s.Active() {
				m.inFlight.WithLabelValues(w, string(s))
			} else {
				m.runs.WithLabelValues(w, string(s))
			}
		}
		for _, outcome := range []string{"processed", "failed", "skipped"} {
			m.units.WithLabelValues(w, outcome)
		}
	}
	return m
}

// Checks shows the verdicts that last returns, from memory. It is called once at most.
func (m *Metrics) Checks(last func() []Verdict) { m.registry.MustRegister(checkCollector{last}) }

// ServeHTTP answers a scrape.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError}).ServeHTTP(w, r)
}

// RunEnded takes a run that this process ended. took is 0 for one that did not start.
func (m *Metrics) RunEnded(name string, s worker.Status, took time.Duration) {
	if m == nil {
		return
	}
	m.runs.WithLabelValues(name, string(s)).Inc()
	if took > 0 {
		m.runTook.WithLabelValues(name).Observe(took.Seconds())
	}
}

// UnitsDone takes what a batch did.
func (m *Metrics) UnitsDone(name string, c worker.Counts) {
	if m == nil {
		return
	}
	for outcome, n := range map[string]int64{"processed": c.Processed, "failed": c.Failed, "skipped": c.Skipped} {
		m.units.WithLabelValues(name, outcome).Add(float64(n))
	}
}

// QueueCounted takes a count of a queue. One that was not measured keeps the last count.
func (m *Metrics) QueueCounted(name string, q worker.Queue, at time.Time) {
	if m == nil || q.Pending == nil {
		return
	}
	for state, n := range map[string]int64{"pending": *q.Pending, "processed": q.Processed, "failed": q.Failed, "stale": q.Stale} {
		m.queue.WithLabelValues(name, state).Set(float64(n))
	}
	m.queueAt.WithLabelValues(name).Set(float64(at.UnixMilli()) / 1000)
}

// LedgerRead takes the run in flight and the last finished one of a worker.
func (m *Metrics) LedgerRead(name string, l worker.Latest) {
	if m == nil {
		return
	}
	for _, s := range []worker.Status{worker.Queued, worker.Running} {
		m.inFlight.WithLabelValues(name, string(s)).Set(truth(l.Active != nil && l.Active.Status == s))
	}
	m.lastFailed.WithLabelValues(name).Set(truth(l.Last != nil && (l.Last.Status == worker.Failed || l.Last.Status == worker.Interrupted)))
}

// JobsRead takes how many jobs are in each state.
func (m *Metrics) JobsRead(states map[string]int64) {
	if m == nil {
		return
	}
	for s, n := range states {
		m.jobs.WithLabelValues(s).Set(float64(n))
	}
}

// DatabaseUp takes whether the database answered.
func (m *Metrics) DatabaseUp(up bool) {
	if m != nil {
		m.databaseUp.Set(truth(up))
	}
}

// EngineCalled takes a call of an engine.
func (m *Metrics) EngineCalled(axis worker.Axis, engine string, took time.Duration, err error) {
	if m == nil {
		return
	}
	result := "ok"
	switch {
	case worker.KindOf(err) == worker.Unavailable:
		result = "unavailable"
	case err != nil:
		result = "error"
	}
	m.calls.WithLabelValues(string(axis), engine, result).Inc()
	m.callTook.WithLabelValues(string(axis), engine).Observe(took.Seconds())
}

var methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions}

// Answered takes a request. route is the pattern, empty when none fits.
func (m *Metrics) Answered(method, route string, status int, took time.Duration) {
	if m == nil {
		return
	}
	if !slices.Contains(methods, method) {
		method = "other"
	}
	if route == "" {
		route = "none"
	}
	m.requests.WithLabelValues(method, route, strconv.Itoa(status)).Inc()
	m.requestTook.WithLabelValues(method, route).Observe(took.Seconds())
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
