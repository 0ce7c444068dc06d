package main

import (
	"context"
	"fmt"
	"time"
)

const (
	orphans        = 1000
	recoveryBudget = 2000 // milliseconds, for all of them
)

// measureRecovery ends the runs of a thousand dead processes.
func (b *bench) measureRecovery(ctx context.Context) error {
	const database = "bench_recovery"
	if err := b.make(ctx, database, ""); err != nil {
		return err
	}
	p, err := b.open(ctx, database)
	if err != nil {
		return err
	}
	defer p.close()
	_, err = p.store.Pool().Exec(ctx, `INSERT INTO archive_worker_runs (worker_name, status, trigger, requested_by, config, config_fingerprint, started_at, heartbeat_at, owner)
		SELECT 'w' || g, 'RUNNING', 'CLI', 'bench', '{}', '', now(), now(), 'host/work/' || g FROM generate_series(1, $1::int) g`, orphans)
	if err != nil {
		return err
	}
	begin, used := time.Now(), b.cpu()
	n, err := p.executor.Recover(ctx)
	took := time.Since(begin)
	if err != nil || n != orphans {
		return fmt.Errorf("recovered %d of %d: %w", n, orphans, err)
	}
	b.add(figure{what: "recovery of 1,000 orphans", value: float64(took.Microseconds()) / 1000, unit: milliseconds, budget: recoveryBudget, cpu: b.cpu() - used})
	return nil
}
