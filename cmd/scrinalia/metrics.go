package main

import (
	"context"
	"time"

	"scrinalia/engine"
	"scrinalia/health"
	"scrinalia/metrics"
	"scrinalia/worker"
)

// sampleEvery is how often the database is asked for what a scrape shows of it; a scrape itself asks nothing.
const (
	sampleEvery  = 15 * time.Second
	sampleWithin = 5 * time.Second
)

func (p *program) newMetrics() *metrics.Metrics {
	return metrics.New(metrics.Options{Version: version, Pool: func() metrics.Pool {
		s := p.store.Pool().Stat()
		return metrics.Pool{
			Acquired: int64(s.AcquiredConns()), Idle: int64(s.IdleConns()), Total: int64(s.TotalConns()), Max: int64(s.MaxConns()),
			Acquires: s.AcquireCount(), Waits: s.EmptyAcquireCount(), Waited: s.EmptyAcquireWaitTime(),
		}
	}}, p.catalogue.Names())
}

// watchChecks shows the verdicts of the last health report. A scrape makes the next one, which it does not wait for.
func (p *program) watchChecks(d *health.Doctor) {
	p.metrics.Checks(func() []metrics.Verdict {
		report, _ := d.Last()
		verdicts := make([]metrics.Verdict, len(report.Results))
		for i, r := range report.Results {
			verdicts[i] = metrics.Verdict{Check: r.Code, Verdict: string(r.Verdict)}
		}
		return verdicts
	})
}

// watchEngine measures calls of engines.
func (p *program) watchEngine(ctx context.Context, c engine.Call) (context.Context, func(error)) {
	start := time.Now()
	return ctx, func(err error) {
		if ctx.Err() == nil { // a call that was taken back says nothing of the engine
			p.metrics.EngineCalled(c.Axis, c.Engine, time.Since(start), err)
		}
	}
}

// sampleMetrics reads queues, ledger and jobs now and then until ctx ends.
func (p *program) sampleMetrics(ctx context.Context) error {
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	for {
		if err := p.sample(ctx); ctx.Err() == nil {
			p.metrics.DatabaseUp(worker.KindOf(err) != worker.Unavailable)
			if err != nil {
				p.log.DebugContext(ctx, "the metrics of the database are as they were", "err", err)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

func (p *program) sample(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, sampleWithin)
	defer cancel()
	prints, err := p.executor.Fingerprints(ctx)
	if err != nil {
		return err
	}
	queues, err := p.store.Queues(ctx, prints)
	if err != nil {
		return err
	}
	latest, err := p.store.LatestRuns(ctx, p.catalogue.Names())
	if err != nil {
		return err
	}
	for _, d := range p.catalogue.All() {
		p.metrics.LedgerRead(d.Name, latest[d.Name])
		if q := queues[d.Name]; d.Unit != worker.Pair && d.Unmeasurable == "" { // pairs are only counted when somebody looks: that may compare names
			p.metrics.QueueCounted(d.Name, q, time.Now())
		}
	}
	jobs, err := p.store.Jobs(ctx)
	if err != nil {
		return err
	}
	p.metrics.JobsRead(jobs)
	return nil
}
