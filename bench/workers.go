package main

import (
	"context"
	"fmt"
	"time"

	"scrinalia/importer"
	"scrinalia/store"
	"scrinalia/worker"

	"github.com/jackc/pgx/v5"
)

// The budgets of the panel, in milliseconds.
const (
	workersBudget = 25
	pollBudget    = 5
	hugeBudget    = 150
)

// realDatabase has the archive of real size, with every worker's queue empty. Measurements work on copies of it.
const realDatabase = "bench_real"

// makeReal makes realDatabase unless there is one.
func (b *bench) makeReal(ctx context.Context) error {
	if b.has(realDatabase) {
		return nil
	}
	c := b.size.real()
	b.say("  making an archive of %d documents, %d tags, %d entities", c.records, c.terms, b.size.realEntities)
	if err := b.make(ctx, realDatabase, ""); err != nil {
		return err
	}
	lines, _, err := b.files(c)
	if err != nil {
		return err
	}
	p, err := b.open(ctx, realDatabase)
	if err != nil {
		return err
	}
	defer p.close()
	if err := p.load(ctx, lines, importer.JSONLines, c.records); err != nil {
		return err
	}
	for _, name := range p.catalogue.Names() {
		if name == worker.QualityValidator { // it reads which entities there are
			if err := b.exec(ctx, realDatabase, b.entities()...); err != nil {
				return err
			}
		}
		if _, err := p.work(ctx, name); err != nil {
			return err
		}
	}
	return b.exec(ctx, realDatabase, "VACUUM ANALYZE")
}

// entities fill up what ner found in the synthetic texts, which name few.
func (b *bench) entities() []string {
	return []string{
		fmt.Sprintf(`INSERT INTO entities (name, type) SELECT 'Pessoa de Exemplo ' || i, (ARRAY['PER', 'ORG', 'LOC'])[1 + i %% 3]
			FROM generate_series(1, %d - (SELECT count(*) FROM entities)) i`, b.size.realEntities),
		fmt.Sprintf(`INSERT INTO document_entities (document_id, entity_id, origin)
			SELECT d.id, e.id, 'source' FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM documents) d
			CROSS JOIN generate_series(1, %d) k
			JOIN (SELECT id, row_number() OVER (ORDER BY id) AS n FROM entities) e ON e.n = 1 + (d.n * 7 + k * 997) %% %d
			WHERE k < %d OR d.n %% 5 <> 0 ON CONFLICT DO NOTHING`, b.size.entitiesEach, b.size.realEntities, b.size.entitiesEach),
	}
}

// pendingEdit puts every title and content before two cleaning rules again.
const pendingEdit = `UPDATE cleaning_rules SET replacement = replacement || ' ' WHERE name IN ('Abreviatura Fotogr. no título', 'Abreviatura Fotogr. no âmbito e conteúdo')`

func (b *bench) measureWorkers(ctx context.Context) error {
	if err := b.makeReal(ctx); err != nil {
		return err
	}
	if err := b.make(ctx, "bench_workers", realDatabase); err != nil {
		return err
	}
	p, err := b.open(ctx, "bench_workers")
	if err != nil {
		return err
	}
	defer p.close()
	if err := b.describe(ctx, p.store); err != nil {
		return err
	}
	web, err := b.serve(ctx, p)
	if err != nil {
		return err
	}
	defer web.close()
	if err := b.pages(ctx, p, web, "nothing pending", workersBudget); err != nil {
		return err
	}
	if err := b.exec(ctx, "bench_workers", pendingEdit); err != nil {
		return err
	}
	if err := b.pages(ctx, p, web, "two rules edited", workersBudget); err != nil {
		return err
	}
	if err := b.exec(ctx, "bench_workers", `INSERT INTO queue_tally (worker_name, measure, n)
		SELECT '', 'governed', (-1) ^ i FROM generate_series(1, 2 * ((1998 - (SELECT count(*) FROM queue_tally)) / 2)) i`); err != nil {
		return err
	}
	if err := b.pages(ctx, p, web, "tallies just before they are folded", workersBudget); err != nil {
		return err
	}
	return b.polls(ctx, p, web, "real size")
}

// describe says what the archive of real size holds, and holds it against what was asked for.
func (b *bench) describe(ctx context.Context, s *store.Store) error {
	var documents, tags, entities, links, tallies int
	err := s.Pool().QueryRow(ctx, `SELECT (SELECT count(*) FROM documents), (SELECT count(*) FROM tags), (SELECT count(*) FROM entities),
		(SELECT count(*) FROM document_tags) + (SELECT count(*) FROM document_entities), (SELECT count(*) FROM queue_tally)`).
		Scan(&documents, &tags, &entities, &links, &tallies)
	if err != nil {
		return err
	}
	b.say("  %d documents, %d tags, %d entities, %d links, %d tally rows", documents, tags, entities, links, tallies)
	if documents != b.size.realDocuments || tags != b.size.realTags || entities != b.size.realEntities {
		return fmt.Errorf("the archive has %d documents, %d tags, %d entities", documents, tags, entities)
	}
	return nil
}

// pages measures the page and its part. The counts that they show must be those of the queues themselves.
func (b *bench) pages(ctx context.Context, p *program, web *panel, state string, budget float64) error {
	if err := p.checkCounts(ctx); err != nil {
		return err
	}
	v, err := web.visit(ctx, b.size.requests, false, "/workers")
	if err != nil {
		return err
	}
	b.answered("GET /workers, "+state, v, budget)
	b.also("  median", percentile(v.took, 50), milliseconds)
	states := web.states.reset()
	b.also("  of it the database, p95", percentile(states, 95), milliseconds)
	b.also("  of it the database, median", percentile(states, 50), milliseconds)
	if v, err = web.visit(ctx, b.size.requests, true, "/workers"); err != nil {
		return err
	}
	b.answered("GET /workers as htmx, "+state, v, budget)
	return nil
}

// checkCounts compares what the panel shows with a count of each queue.
func (p *program) checkCounts(ctx context.Context) error {
	states, err := p.executor.Overview(ctx)
	if err != nil {
		return err
	}
	views := map[string]string{worker.Transfer: "transfer_queue", worker.Cleaning: "cleaning_queue", worker.QualityValidator: "quality_validator_queue"}
	for _, s := range states {
		view, ok := views[s.Name]
		if !ok {
			continue
		}
		var want int64
		if err := p.store.Pool().QueryRow(ctx, "SELECT count(*) FILTER (WHERE pending) FROM "+view).Scan(&want); err != nil {
			return err
		}
		if s.Queue.Pending == nil || *s.Queue.Pending != want {
			return fmt.Errorf("the panel counts %v pending units of %s, the queue has %d", s.Queue.Pending, s.Name, want)
		}
	}
	return nil
}

// polls measures what an open page costs while a run is active: the run is owned and does nothing, so that it takes no time from the poll.
func (b *bench) polls(ctx context.Context, p *program, web *panel, state string) error {
	release, err := p.idleRun(ctx)
	if err != nil {
		return err
	}
	defer release()
	v, err := web.visit(ctx, b.size.requests, true, "/workers")
	if err != nil {
		return err
	}
	states := web.states.reset()
	b.within("poll of /workers, a run active, "+state+": database time with round trips, p95", percentile(states, 95), milliseconds, pollBudget)
	b.also("  median", percentile(states, 50), milliseconds)
	b.answered("  the whole poll", v, 0)
	return nil
}

// idleRun starts a run that never gets on, and returns what lets go of it.
func (p *program) idleRun(ctx context.Context) (release func(), err error) {
	id, err := p.store.NextRunID(ctx)
	if err != nil {
		return nil, err
	}
	owner, ok, err := p.store.Own(ctx, id)
	if err != nil || !ok {
		return nil, fmt.Errorf("own run %d: %t, %w", id, ok, err)
	}
	d, err := p.catalogue.Lookup(worker.Cleaning)
	if err != nil {
		return nil, err
	}
	res, err := worker.Resolve(d, worker.Settings{}, worker.Settings{})
	if err != nil {
		return nil, err
	}
	row := store.NewRun{Worker: d.Name, Trigger: worker.Panel, RequestedBy: "bench", Config: res.Config, Fingerprint: res.Fingerprint(d)}
	if err := p.store.InsertRun(ctx, id, row, func(context.Context, pgx.Tx) (int64, error) { return 0, nil }); err != nil {
		return nil, err
	}
	if _, err := owner.Start(ctx, "bench/idle", 1000); err != nil {
		return nil, err
	}
	return func() {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		_, _ = owner.Finish(last, worker.Cancelled, "", worker.Counts{}, nil)
		owner.Release()
	}, nil
}
