package main

import (
	"context"
	"fmt"
	"time"

	"scrinalia/settings"
	"scrinalia/worker"
)

// The budgets of settings, in milliseconds, with settingsRevisions in the history of a worker.
const (
	settingsPageBudget = 25
	settingsSaveBudget = 10
	settingsRevisions  = 10_000
)

// fillRevisions makes a long history: each revision moves the threshold, each seventh the batch size too, one the engine.
const fillRevisions = `WITH states AS (
    SELECT i AS version, jsonb_build_object('batch_size', 64 + i / 7, 'options', jsonb_build_object('threshold', (i % 90 + 5) / 100.0))
        || CASE WHEN i = 17 THEN '{"engine": "builtin"}'::jsonb ELSE '{}' END AS settings FROM generate_series(0, $1::int) i
), made AS (
    INSERT INTO worker_override_revisions (worker_name, version, changed_by, channel, note, before, after)
    SELECT 'ner', s.version, 'person ' || s.version % 40, 'PANEL', 'revision of the bench', b.settings, s.settings
    FROM states s JOIN states b ON b.version = s.version - 1 ORDER BY s.version RETURNING worker_name, version, after
)
INSERT INTO worker_overrides (worker_name, version, settings) SELECT worker_name, version, after FROM made WHERE version = $1::int`

func (b *bench) measureSettings(ctx context.Context) error {
	const database = "bench_settings"
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
	if _, err := p.store.Pool().Exec(ctx, fillRevisions, settingsRevisions); err != nil {
		return err
	}
	if err := b.exec(ctx, database, "VACUUM ANALYZE worker_override_revisions, worker_overrides"); err != nil {
		return err
	}
	web, err := b.serve(ctx, p)
	if err != nil {
		return err
	}
	defer web.close()
	const history = "/workers/ner/settings/revisions"
	for _, f := range []filter{
		{"GET /workers/ner", []string{"/workers/ner"}},
		{"its history", []string{history, history + "?before=5000", history + "?before=20"}},
		{"its history, one person", []string{history + "?by=person+7", history + "?by=person+7&before=300"}},
		{"its history, a setting that changed once", []string{history + "?field=engine"}},
		{"its history, a person and a setting that never meet", []string{history + "?by=person+7&field=engine"}},
	} {
		v, err := web.visit(ctx, b.size.filtered, false, f.paths...)
		if err != nil {
			return err
		}
		b.answered(fmt.Sprintf("%s, %s revisions", f.name, thousands(settingsRevisions)), v, settingsPageBudget)
	}
	return b.measureSave(ctx, settings.New(p.catalogue, p.store))
}

// measureSave saves as the panel does: check, lock, compare, revision, override.
func (b *bench) measureSave(ctx context.Context, s *settings.Settings) error {
	var took []time.Duration
	for i := range 200 {
		begin := time.Now()
		saved, err := s.Save(ctx, worker.OverrideChange{
			Worker: worker.NamedEntities, Seen: worker.AnyVersion, By: "bench", Channel: worker.API, Settings: worker.Settings{BatchSize: 100 + i},
		})
		if err != nil {
			return err
		}
		if !saved.Changed {
			return fmt.Errorf("nothing was saved the %dth time", i)
		}
		took = append(took, time.Since(begin))
	}
	b.within("saving settings with their revision, p95", percentile(took, 95), milliseconds, settingsSaveBudget)
	return nil
}
