package main

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"scrinalia/store/storetest"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
)

// collectionState are queries for all that workers leave in a collection, by what people know things by: numbers that depend on who came first are left out.
var collectionState = map[string]string{
	"documents":    `SELECT (to_jsonb(d) - '{created_at,updated_at,typology_id}'::text[])::text || coalesce(t.name, '') FROM documents d LEFT JOIN typologies t ON t.id = d.typology_id`,
	"hierarchy":    `SELECT to_jsonb(h)::text FROM document_hierarchy h`,
	"tags":         `SELECT t.name || ': ' || coalesce(c.name, '-') FROM tags t LEFT JOIN subject_categories c ON c.id = t.subject_category_id`,
	"tag links":    `SELECT concat_ws(' | ', l.document_id, t.name, l.origin) FROM document_tags l JOIN tags t ON t.id = l.tag_id`,
	"entities":     `SELECT e.name || ' ' || e.type FROM entities e`,
	"entity links": `SELECT concat_ws(' | ', l.document_id, e.name, e.type, l.origin, round(l.score::numeric, 4)) FROM document_entities l JOIN entities e ON e.id = l.entity_id`,
	"typologies":   `SELECT concat_ws(' | ', s.document_id, t.name, round(s.score::numeric, 4)) FROM typology_scores s LEFT JOIN typologies t ON t.id = s.typology_id`,
	"subjects":     `SELECT concat_ws(' | ', t.name, c.name, round(s.score::numeric, 4), s.refusal) FROM subject_scores s JOIN tags t ON t.id = s.tag_id LEFT JOIN subject_categories c ON c.id = s.subject_category_id`,
	"vectors":      `SELECT concat_ws(' | ', document_id, model, encode(fingerprint, 'hex'), vector IS NULL) FROM document_vectors`,
	"thumbnails":   `SELECT concat_ws(' | ', document_id, key, encode(digest, 'hex')) FROM thumbnails`,
	"reviews":      `SELECT concat_ws(' | ', q.kind, q.document_id, t.name, e.name, q.decision, q.evidence ->> 'winner') FROM review_queue q LEFT JOIN tags t ON t.id = q.tag_id LEFT JOIN entities e ON e.id = q.entity_id`,
	"resolutions":  `SELECT concat_ws(' | ', r.winner, r.loser ->> 'name', r.undone_at) FROM resolutions r`,
	"stamps":       `SELECT concat_ws(' | ', worker_name, unit_kind, unit_id, rule_version, encode(fingerprint, 'hex'), outcome, error, current, held) FROM execution_log WHERE unit_kind IN ('staging', 'document')`,
	"tag stamps":   `SELECT concat_ws(' | ', worker_name, t.name, outcome, error, current, held) FROM execution_log l JOIN tags t ON t.id = l.unit_id WHERE l.unit_kind = 'tag'`,
	"tallies":      `SELECT concat_ws(' | ', worker_name, measure, rule_version, sum(n)) FROM queue_tally GROUP BY worker_name, measure, rule_version HAVING sum(n) <> 0`,
	"deaths":       `SELECT concat_ws(' | ', worker_name, unit_name) FROM unit_deaths WHERE deaths > 1`,
	"in work":      `SELECT concat_ws(' | ', run_id, owner) FROM units_in_work`,
	"units":        `SELECT concat_ws(' | ', worker_name, sum(processed), sum(failed)) FROM archive_worker_runs GROUP BY worker_name`,
}

func readState(t *testing.T, db *pgx.Conn) map[string][]string {
	t.Helper()
	state := map[string][]string{}
	for what, sql := range collectionState {
		rows, err := db.Query(t.Context(), sql)
		must(t, err)
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		slices.Sort(lines)
		state[what] = lines
	}
	return state
}

// undisturbed is the sample collection after all workers, when nothing went wrong.
var undisturbed struct {
	sync.Mutex
	state map[string][]string
}

// wantUndisturbed compares a collection with one that nothing happened to.
func wantUndisturbed(t *testing.T, db *pgx.Conn) {
	t.Helper()
	undisturbed.Lock()
	defer undisturbed.Unlock()
	if undisturbed.state == nil {
		url := storetest.URL(t)
		succeed(t, database(url), "import", sampleFile)
		if out := succeed(t, database(url), "run", "--all"); strings.Count(out, ": SUCCESS, ") != 9 {
			t.Fatalf("the undisturbed run: %s", out)
		}
		undisturbed.state = readState(t, dial(t, url))
	}
	state := readState(t, db)
	for _, what := range slices.Sorted(func(yield func(string) bool) {
		for k := range collectionState {
			if !yield(k) {
				return
			}
		}
	}) {
		if diff := cmp.Diff(undisturbed.state[what], state[what]); diff != "" {
			t.Errorf("%s: -undisturbed +this:\n%.3000s", what, diff)
		}
	}
}

// wantTrueLedger wants every run over, and every count of a run as what is there says.
func wantTrueLedger(t *testing.T, db *pgx.Conn) {
	t.Helper()
	for what, sql := range map[string]string{
		"runs that never ended":                                       "SELECT count(*) FROM archive_worker_runs WHERE status IN ('QUEUED', 'RUNNING')",
		"pipelines that never ended":                                  "SELECT count(*) FROM pipelines WHERE finished_at IS NULL",
		"runs that say nothing of their end":                          "SELECT count(*) FROM archive_worker_runs WHERE status IN ('FAILED', 'INTERRUPTED') AND coalesce(error, '') = ''",
		"runs that ended before they began":                           "SELECT count(*) FROM archive_worker_runs WHERE finished_at < started_at OR started_at < queued_at",
		"runs of transfer whose counts are not those of their stamps": `SELECT count(*) FROM archive_worker_runs r WHERE worker_name = 'transfer' AND processed <> (SELECT count(*) FROM execution_log l WHERE l.run_id = r.id)`,
		"rows of units in work":                                       "SELECT count(*) FROM units_in_work",
	} {
		if n := scalar[int64](t, db, sql); n != 0 {
			t.Errorf("%d %s", n, what)
		}
	}
}
