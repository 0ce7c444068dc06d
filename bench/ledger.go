package main

import (
	"context"
	"net/url"
	"strconv"

	"scrinalia/worker"
)

// ledgerBudget is what a page of the ledger may take, in milliseconds.
const ledgerBudget = 25

// fillLedger makes finished runs: of every worker; nine in ten went well; the errors are of few kinds, the first of which is half of them.
// One run, near the oldest, has an error of its own. The configuration is one that a run really had.
const fillLedger = `INSERT INTO archive_worker_runs (worker_name, status, trigger, requested_by, config, config_fingerprint, queued_at, started_at, finished_at,
    total, processed, owner, error)
SELECT c.names[1 + i % cardinality(c.names)], s.status, (ARRAY['PANEL', 'CLI', 'API'])[1 + i % 3], 'bench', c.config, c.config_fingerprint,
    t.at, t.at + interval '20 ms', t.at + interval '3 s', 100, 100, 'host/serve/1',
    CASE WHEN s.status IN ('FAILED', 'INTERRUPTED') THEN
        CASE WHEN i = 1017 THEN 'an error that came once' WHEN i % 2 = 0 THEN 'connection to 10.0.0.' || i % 250 || ' refused'
             ELSE 'engine ' || chr(97 + (i / 7 % 26)::int) || ' answered ' || i || E' times with nothing\nand a second line' END END
FROM generate_series(1, $2::int) i
CROSS JOIN (SELECT $1::text[] AS names, config, config_fingerprint FROM archive_worker_runs ORDER BY id LIMIT 1) c
CROSS JOIN LATERAL (SELECT now() - ($2::int - i) * interval '1 minute' AS at) t
CROSS JOIN LATERAL (SELECT CASE WHEN i = 1017 OR i % 100 < 7 THEN 'FAILED' WHEN i % 100 < 9 THEN 'INTERRUPTED' WHEN i % 100 = 9 THEN 'CANCELLED'
    ELSE 'SUCCESS' END AS status) s`

// filter is a way to look at the ledger.
type filter struct {
	name  string
	paths []string
}

func (b *bench) measureLedger(ctx context.Context) error {
	const database = "bench_ledger"
	if err := b.makeReal(ctx); err != nil {
		return err
	}
	if err := b.make(ctx, database, realDatabase); err != nil {
		return err
	}
	p, err := b.open(ctx, database)
	if err != nil {
		return err
	}
	defer p.close()
	n := b.size.ledger
	b.say("  writing %s runs", thousands(int64(n)))
	if _, err := p.store.Pool().Exec(ctx, fillLedger, p.catalogue.Names(), n); err != nil {
		return err
	}
	if err := b.exec(ctx, database, "VACUUM ANALYZE archive_worker_runs"); err != nil {
		return err
	}
	web, err := b.serve(ctx, p)
	if err != nil {
		return err
	}
	defer web.close()
	for _, f := range filters(n) {
		v, err := web.visit(ctx, b.size.filtered, false, f.paths...)
		if err != nil {
			return err
		}
		b.answered("GET /runs, "+f.name, v, ledgerBudget)
	}
	for _, f := range []filter{
		{"the last 7 days", []string{"/failures"}}, {"the last 90 days", []string{"/failures?days=90"}}, {"a worker, 90 days", []string{"/failures?days=90&worker=" + worker.Cleaning}},
	} {
		v, err := web.visit(ctx, b.size.filtered, false, f.paths...)
		if err != nil {
			return err
		}
		b.answered("GET /failures, "+f.name, v, 0)
	}
	return nil
}

// filters are every page and filter that the budget speaks of, and the pairs that an index may not help with.
func filters(n int) []filter {
	const once, often = "an error that came once", "connection to <n> refused"
	run := func(pairs ...string) string {
		q := url.Values{}
		for i := 0; i < len(pairs); i += 2 {
			q.Set(pairs[i], pairs[i+1])
		}
		return "/runs?" + q.Encode()
	}
	middle, first := strconv.Itoa(n/2), "2000"
	list := []filter{
		{"first page", []string{"/runs"}},
		{"deep pages", []string{run("before", middle), run("before", first), run("after", middle), run("after", "1")}},
		{"each worker", []string{run("worker", worker.Transfer), run("worker", worker.Cleaning), run("worker", worker.QualityValidator)}},
		{"a worker, deep", []string{run("worker", worker.Cleaning, "before", middle), run("worker", worker.Cleaning, "after", first)}},
		{"a worker that has no runs", []string{run("worker", "ner")}},
	}
	for _, s := range worker.Statuses {
		list = append(list, filter{"status " + string(s), []string{run("status", string(s)), run("status", string(s), "before", middle)}})
	}
	return append(list,
		filter{"an error of half the failures", []string{run("fingerprint", often), run("fingerprint", often, "before", middle)}},
		filter{"an error that came once", []string{run("fingerprint", once)}},
		filter{"worker and status", []string{run("worker", worker.Cleaning, "status", "FAILED"), run("worker", worker.Cleaning, "status", "CANCELLED", "before", middle)}},
		filter{"worker and error", []string{run("worker", worker.Cleaning, "fingerprint", often), run("worker", worker.Cleaning, "fingerprint", once)}},
		filter{"status and error", []string{run("status", "INTERRUPTED", "fingerprint", often)}},
		filter{"status and error that never meet", []string{run("status", "CANCELLED", "fingerprint", often), run("status", "SUCCESS", "fingerprint", often)}},
		filter{"worker and error that never meet", []string{run("worker", "ner", "fingerprint", often)}},
		filter{"worker, status and error", []string{run("worker", worker.Cleaning, "status", "FAILED", "fingerprint", often, "before", middle)}},
	)
}
