package main

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"
)

// fillHuge makes an archive in SQL: staging, descriptions, a tag each, and the stamps of runs that have seen everything, but for all
// cleaning rules except two. The triggers count as they always do.
var fillHuge = []string{
	`INSERT INTO staging_records (description_id, title, scope_content, content_hash)
		SELECT 'h-' || i, 'Ofício n. ' || i, 'Ofício sobre a ponte do mercado antigo, folha ' || i, sha256(i::text::bytea) FROM generate_series(1, $documents) i`,
	`INSERT INTO documents (id, description_id, original_title, scope_content, level_id)
		SELECT id, description_id, title, scope_content, 6 FROM staging_records`,
	`INSERT INTO tags (name) SELECT 'assunto de exemplo ' || i FROM generate_series(1, 8000) i`,
	`INSERT INTO document_tags (document_id, tag_id, origin) SELECT d.id, t.id, 'source'
		FROM documents d JOIN (SELECT id, row_number() OVER (ORDER BY id) - 1 AS n FROM tags) t ON t.n = d.id % 8000`,
	`INSERT INTO execution_log (worker_name, unit_kind, unit_id, fingerprint, run_id, outcome)
		SELECT 'transfer', 'staging', id, content_hash, (SELECT max(id) FROM archive_worker_runs WHERE worker_name = 'transfer'), 'DONE' FROM staging_records`,
	`INSERT INTO execution_log (worker_name, unit_kind, unit_id, rule_version, fingerprint, run_id, outcome)
		SELECT 'cleaning', 'document', d.id, r.version, input_hash(target_text(d, r.target_column)),
			(SELECT max(id) FROM archive_worker_runs WHERE worker_name = 'cleaning'), 'DONE'
		FROM documents d CROSS JOIN (SELECT * FROM cleaning_rules WHERE kind = 'REWRITE' ORDER BY position LIMIT 2) r`,
	`INSERT INTO execution_log (worker_name, unit_kind, unit_id, fingerprint, run_id, outcome)
		SELECT 'quality-validator', 'document', d.id, input_hash(d.original_title), (SELECT max(id) FROM archive_worker_runs WHERE worker_name = 'quality-validator'),
			'DONE' FROM documents d WHERE d.id % 10 <> 0`,
	`VACUUM ANALYZE`,
}

// measureHuge counts at a million documents.
func (b *bench) measureHuge(ctx context.Context) error {
	const database = "bench_huge"
	if err := b.make(ctx, database, ""); err != nil {
		return err
	}
	p, err := b.open(ctx, database)
	if err != nil {
		return err
	}
	defer p.close()
	for _, name := range p.catalogue.Names() { // runs for the stamps to point at
		if _, err := p.work(ctx, name); err != nil {
			return err
		}
	}
	for _, sql := range fillHuge {
		begin := time.Now()
		if err := b.exec(ctx, database, strings.ReplaceAll(sql, "$documents", strconv.Itoa(b.size.huge))); err != nil {
			return err
		}
		b.say("  %.40s... took %.1f s", sql, time.Since(begin).Seconds())
	}
	web, err := b.serve(ctx, p)
	if err != nil {
		return err
	}
	defer web.close()
	size := thousands(int64(b.size.huge)) + " documents"
	if err := b.pages(ctx, p, web, size, hugeBudget); err != nil {
		return err
	}
	if err := b.polls(ctx, p, web, size); err != nil {
		return err
	}
	return b.hugeServer(ctx, database, size)
}

// hugeServer looks at the program as a process of its own.
func (b *bench) hugeServer(ctx context.Context, database, size string) error {
	program, err := b.build(ctx)
	if err != nil {
		return err
	}
	s, err := b.startServer(ctx, program, database)
	if err != nil {
		return err
	}
	err = s.use(ctx, b.size.requests)
	memory := s.resident()
	if err := errors.Join(err, s.stop()); err != nil {
		return err
	}
	b.within("start to the first 200 of /health/ready, "+size, inMilliseconds(s.ready), milliseconds, readyBudget)
	b.within("resident memory, "+size, memory, megabytes, memoryBudget)
	return nil
}
