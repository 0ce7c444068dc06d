package main

import (
	"context"
	"fmt"
	"time"

	"scrinalia/worker"
)

// overheadBudget is what a run with nothing to do may take, in milliseconds.
const overheadBudget = 50

// measureOverhead submits runs that have nothing to do: in an empty archive, and in one of real size.
func (b *bench) measureOverhead(ctx context.Context) error {
	if err := b.make(ctx, "bench_overhead_empty", ""); err != nil {
		return err
	}
	if err := b.overhead(ctx, "bench_overhead_empty", "empty archive", worker.Transfer); err != nil {
		return err
	}
	if err := b.makeReal(ctx); err != nil {
		return err
	}
	if err := b.make(ctx, "bench_overhead_real", realDatabase); err != nil {
		return err
	}
	return b.overhead(ctx, "bench_overhead_real", "real size", worker.Transfer, worker.Cleaning, worker.NamedEntities, worker.QualityValidator, worker.Embedding)
}

func (b *bench) overhead(ctx context.Context, database, state string, workers ...string) error {
	p, err := b.open(ctx, database)
	if err != nil {
		return err
	}
	defer p.close()
	if err := p.executor.Start(ctx); err != nil {
		return err
	}
	defer func() {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		_ = p.executor.Stop(last)
	}()
	for _, name := range workers {
		var whole, inLedger, started []time.Duration
		var used time.Duration
		for i := range b.size.runs + 3 {
			r, took, err := p.submitted(ctx, name)
			if err != nil {
				return err
			}
			if i == 2 { // the first ones make connections and plans
				used = b.cpu()
			}
			if i > 2 {
				whole = append(whole, took)
				inLedger = append(inLedger, r.FinishedAt.Sub(r.QueuedAt))
				started = append(started, r.StartedAt.Sub(r.QueuedAt))
			}
		}
		b.add(figure{
			what: fmt.Sprintf("run of %s, nothing to do, %s: queued -> finished, p95", name, state), value: percentile(inLedger, 95), unit: milliseconds,
			budget: overheadBudget, cpu: (b.cpu() - used) / time.Duration(len(whole)),
		})
		b.also("  median", percentile(inLedger, 50), milliseconds)
		b.also("  queued -> running, p95", percentile(started, 95), milliseconds)
		b.also("  queued -> running, median", percentile(started, 50), milliseconds)
		b.also("  Submit called -> outcome seen, p95", percentile(whole, 95), milliseconds)
	}
	return nil
}

// submitted queues a run, waits for its outcome, and says how long both took. The ledger is asked every two milliseconds.
func (p *program) submitted(ctx context.Context, name string) (worker.Run, time.Duration, error) {
	begin := time.Now()
	r, err := p.executor.Submit(ctx, worker.Request{Worker: name, Trigger: worker.API, RequestedBy: "bench"})
	for err == nil && r.Status.Active() {
		if time.Since(begin) > 20*time.Second {
			return r, 0, fmt.Errorf("run %d of %s is still %s", r.ID, name, r.Status)
		}
		time.Sleep(2 * time.Millisecond)
		r, err = p.store.Run(ctx, r.ID)
	}
	took := time.Since(begin)
	if err == nil && (r.Status != worker.Success || r.Sum() != 0) {
		err = fmt.Errorf("run %d of %s ended %s with %d units", r.ID, name, r.Status, r.Sum())
	}
	return r, took, err
}
