package main

import (
	"context"
	"strconv"
	"strings"
	"time"

	"scrinalia/worker"
)

// documentsBudget is what a page of descriptions or reviews may take, in milliseconds.
const documentsBudget = 50

// fillDocuments makes an archive in SQL that is as uneven as archives are: what is rare stands at the end, where a page that reads from the
// beginning finds it last. ner saw the last tenth with other settings than those in force, and has not seen the last thousandth.
var fillDocuments = []string{
	`INSERT INTO staging_records (description_id, title, content_hash) SELECT 'd-' || i, 'Ofício n. ' || i, sha256(i::text::bytea) FROM generate_series(1, $documents) i`,
	`INSERT INTO documents (id, description_id, reference_code, original_title, date, level_id, typology_id, review_status, is_anomaly, anomaly_reasons)
		SELECT s.id, s.description_id, 'BR PC ' || s.id, s.title, '1911', s.level, s.typology, s.status, s.reasons <> '{}', s.reasons
		FROM (SELECT r.id, r.description_id, r.title,
				CASE WHEN r.id = 1 THEN 1 WHEN r.id > $documents - 20 THEN 2 WHEN r.id % 100 = 0 THEN 4 ELSE 6 END AS level,
				CASE WHEN r.id > $documents - 200 THEN 10 WHEN r.id % 3 = 0 THEN 1 + r.id % 9 END AS typology,
				CASE WHEN r.id > $documents * 0.98 THEN CASE WHEN r.id % 40 = 0 THEN 'REJECTED' ELSE 'PENDING_AI' END
					WHEN r.id % 10 = 3 THEN 'NEEDS_REVIEW' WHEN r.id % 50 = 1 THEN 'HUMAN_APPROVED' ELSE 'AI_APPROVED' END AS status,
				CASE WHEN r.id > $documents - 300 THEN ARRAY['FUTURE_DATE'] WHEN r.id % 20 = 3 THEN ARRAY['MISSING_DATE'] WHEN r.id % 10 = 3 THEN ARRAY['NO_TYPOLOGY', 'NO_TAGS']
					ELSE '{}' END AS reasons
			FROM staging_records r) s`,
	`INSERT INTO document_hierarchy (document_id, parent_id, ancestors) SELECT id, CASE WHEN id > 1 THEN 1 END, CASE WHEN id > 1 THEN ARRAY[1::bigint] ELSE '{}' END FROM documents`,
	`INSERT INTO tags (name) SELECT 'assunto de exemplo ' || i FROM generate_series(1, 200000) i`,
	`INSERT INTO entities (name, type) SELECT 'Pessoa de Exemplo ' || i, 'PER' FROM generate_series(1, 100000) i`,
	`INSERT INTO document_tags (document_id, tag_id, origin) SELECT d.id, 1 + d.id % 8000, 'source' FROM documents d`,
	`INSERT INTO document_tags (document_id, tag_id, origin) SELECT d.id, 200000, 'source' FROM documents d WHERE d.id > $documents / 2`,
	`INSERT INTO document_entities (document_id, entity_id, origin, run_id) SELECT d.id, 1 + d.id % 4000, 'run', (SELECT max(id) FROM archive_worker_runs WHERE worker_name = 'ner') FROM documents d`,
	`INSERT INTO execution_log (worker_name, unit_kind, unit_id, fingerprint, run_id, outcome)
		SELECT 'ner', 'document', d.id, input_hash(d.original_title),
			CASE WHEN d.id > $documents * 0.9 THEN (SELECT min(id) FROM archive_worker_runs WHERE worker_name = 'ner') ELSE (SELECT max(id) FROM archive_worker_runs WHERE worker_name = 'ner') END, 'DONE'
		FROM documents d WHERE d.id <= $documents * 0.999`,
	`INSERT INTO review_queue (kind, tag_id, evidence) SELECT 'SUBJECT', id, jsonb_build_object('subject_category_id', 1 + id % 8, 'category', 'Religião', 'score', 0.4) FROM tags WHERE id <= $reviews`,
	`INSERT INTO review_queue (kind, tag_id, entity_id, evidence) SELECT 'CONFLICT', t.id, e.id, jsonb_build_object('similarity', 0.9, 'winner', 'ENTITY', 'confidence', 0.6, 'reason', 'exemplo')
		FROM tags t JOIN entities e ON e.id = t.id WHERE t.id <= $reviews`,
	`VACUUM ANALYZE`,
}

// measureDocuments looks at the pages of descriptions and reviews with a million of the one and a hundred thousand of the other.
func (b *bench) measureDocuments(ctx context.Context) error {
	const database = "bench_documents"
	if err := b.make(ctx, database, ""); err != nil {
		return err
	}
	p, err := b.open(ctx, database)
	if err != nil {
		return err
	}
	defer p.close()
	for _, options := range []map[string]any{{"threshold": 0.9}, nil} { // a run with other settings, and one with those in force
		r := worker.Request{Worker: worker.NamedEntities, Trigger: worker.CLI, RequestedBy: "bench", Arguments: worker.Settings{Options: options}}
		if _, err := p.executor.RunHere(ctx, r, nil); err != nil {
			return err
		}
	}
	n := b.size.huge
	fill := strings.NewReplacer("$documents", strconv.Itoa(n), "$reviews", strconv.Itoa(min(100_000, n)))
	for _, sql := range fillDocuments {
		begin := time.Now()
		if err := b.exec(ctx, database, fill.Replace(sql)); err != nil {
			return err
		}
		b.say("  %.60s... took %.1f s", sql, time.Since(begin).Seconds())
	}
	web, err := b.serve(ctx, p)
	if err != nil {
		return err
	}
	defer web.close()
	for _, f := range documentFilters(n) {
		v, err := web.visit(ctx, b.size.filtered, false, f.paths...)
		if err != nil {
			return err
		}
		budget := float64(documentsBudget)
		if strings.Contains(f.name, "waits") || strings.Contains(f.name, "alike") || strings.Contains(f.name, "&reason&") {
			budget = 0 // no index leads there; the page says so, or is asked for once
		}
		b.answered("GET "+f.name, v, budget)
	}
	return b.drop(ctx, database)
}

// documentFilters are the filters that an index serves, common and rare, on the first and on deep pages, and what waits, which none serves.
func documentFilters(n int) []filter {
	deep := "&after=" + strconv.Itoa(n/2)
	return []filter{
		{"/documents, first, deep and last page", []string{"/documents", "/documents?after=" + strconv.Itoa(n/2), "/documents?before=" + strconv.Itoa(n)}},
		{"/documents?status, common and rare", []string{"/documents?status=AI_APPROVED", "/documents?status=NEEDS_REVIEW" + deep, "/documents?status=REJECTED", "/documents?status=PENDING_AI"}},
		{"/documents?reason, common and rare", []string{"/documents?reason=NO_TAGS", "/documents?reason=NO_TAGS" + deep, "/documents?reason=FUTURE_DATE", "/documents?reason=EMPTY_TITLE"}},
		{"/documents?typology, common and rare", []string{"/documents?typology=1", "/documents?typology=1" + deep, "/documents?typology=10"}},
		{"/documents?level, common and rare", []string{"/documents?level=6", "/documents?level=4" + deep, "/documents?level=2", "/documents?level=1"}},
		{"/documents?tag, of half of them and of few", []string{"/documents?tag=200000", "/documents?tag=200000&after=" + strconv.Itoa(n*3/4), "/documents?tag=17"}},
		{"/documents?entity", []string{"/documents?entity=17", "/documents?entity=17" + deep}},
		{"/documents?stale", []string{"/documents?stale=ner", "/documents?stale=ner&after=" + strconv.Itoa(n*95/100)}},
		{"/documents?status&tag", []string{"/documents?status=NEEDS_REVIEW&tag=17", "/documents?status=AI_APPROVED&tag=200000"}},
		{"/documents?status&reason&typology", []string{"/documents?status=NEEDS_REVIEW&reason=MISSING_DATE&typology=4"}},
		{"/documents of what waits, at the end", []string{"/documents?pending=ner"}},
		{"/reviews, each kind, first and deep page", []string{
			"/reviews?kind=CONFLICT", "/reviews?kind=CONFLICT&after=150000", "/reviews?kind=SUBJECT", "/reviews?kind=SUBJECT&after=50000",
			"/reviews?kind=ANOMALY", "/reviews?kind=ANOMALY&after=" + strconv.Itoa(n/2), "/reviews?kind=DECIDED",
		}},
		{"/reviews/alike, all names that are the very same", []string{"/reviews/alike?kind=CONFLICT"}},
		{"/documents/{id}", []string{"/documents/17", "/documents/" + strconv.Itoa(n)}},
		{"/documents/1, which contains all others", []string{"/documents/1"}},
	}
}
