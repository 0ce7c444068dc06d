package store_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"testing"

	"scrinalia/engine"
	engines "scrinalia/engine/all"
	"scrinalia/executor"
	"scrinalia/importer"
	"scrinalia/picture"
	"scrinalia/sample"
	"scrinalia/storage"
	"scrinalia/store"
	"scrinalia/store/storetest"
	"scrinalia/worker"
	"scrinalia/worker/all"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
)

// archive is a store with the real workers, on a database of its own.
type archive struct {
	*store.Store

	t         testing.TB
	executor  *executor.Executor
	catalogue *worker.Catalogue
}

func newArchive(t testing.TB) *archive {
	t.Helper()
	return newArchiveWith(t, engine.NewRegistry(engines.Registrations("")...))
}

// newArchiveWith is an archive whose workers have these engines.
func newArchiveWith(t testing.TB, registry *engine.Registry) *archive {
	t.Helper()
	s := storetest.New(t)
	bucket, pictures := forThumbnails(t)
	a := &archive{Store: s, t: t, catalogue: all.Catalogue(s, registry, bucket, pictures)}
	var err error
	a.executor, err = executor.New(executor.Options{Catalogue: a.catalogue, Store: s, Log: slog.New(slog.DiscardHandler), Role: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// forThumbnails is a storage in a folder, and pictures that may come from this machine.
func forThumbnails(t testing.TB) (storage.Bucket, *picture.Studio) {
	t.Helper()
	bucket, err := storage.Open(storage.Address{Folder: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	networks, err := picture.ParseNetworks("127.0.0.0/8")
	if err != nil {
		t.Fatal(err)
	}
	return bucket, picture.New(picture.Options{Private: networks})
}

// newSample is an archive with the sample collection in staging.
func newSample(t testing.TB) *archive {
	t.Helper()
	a := newArchive(t)
	if _, err := importer.Import(t.Context(), a.Store, sample.Collection(), importer.Options{Name: "sample.jsonl"}, nil); err != nil {
		t.Fatal(err)
	}
	return a
}

// record is one description as JSON Lines give it.
type record map[string]any

// load imports records.
func (a *archive) load(records ...record) {
	a.t.Helper()
	var lines bytes.Buffer
	enc := json.NewEncoder(&lines)
	for _, r := range records {
		if err := enc.Encode(r); err != nil {
			a.t.Fatal(err)
		}
	}
	report, err := importer.Import(a.t.Context(), a.Store, &lines, importer.Options{Format: importer.JSONLines, Name: "test.jsonl"}, nil)
	if err != nil || report.Rejected > 0 {
		a.t.Fatalf("import: %v, rejected %v", err, report.Rejects)
	}
}

// run runs a worker, which must end SUCCESS.
func (a *archive) run(name string, options map[string]any) worker.Run {
	a.t.Helper()
	r := a.attempt(name, worker.Settings{Options: options})
	if r.Status != worker.Success {
		message := ""
		if r.Error != nil {
			message = *r.Error
		}
		a.t.Fatalf("%s ended %s: %s", name, r.Status, message)
	}
	return r
}

// runAll runs every worker, in order.
func (a *archive) runAll() {
	a.t.Helper()
	for _, name := range a.catalogue.Names() {
		a.run(name, nil)
	}
}

// processed runs a worker and wants this many units processed.
func (a *archive) processed(name string, want int64) worker.Run {
	a.t.Helper()
	r := a.run(name, nil)
	if diff := cmp.Diff(worker.Counts{Processed: want}, r.Counts); diff != "" {
		a.t.Errorf("%s: -want +got:\n%s", name, diff)
	}
	return r
}

func (a *archive) exec(sql string, args ...any) {
	a.t.Helper()
	if _, err := a.Pool().Exec(a.t.Context(), sql, args...); err != nil {
		a.t.Fatalf("%s: %v", sql, err)
	}
}

// column returns the rows of a query of one column.
func column[T any](a *archive, sql string, args ...any) []T {
	a.t.Helper()
	rows, err := a.Pool().Query(a.t.Context(), sql, args...)
	if err != nil {
		a.t.Fatalf("%s: %v", sql, err)
	}
	got, err := pgx.CollectRows(rows, pgx.RowTo[T])
	if err != nil {
		a.t.Fatalf("%s: %v", sql, err)
	}
	return got
}

func value[T any](a *archive, sql string, args ...any) T {
	a.t.Helper()
	got := column[T](a, sql, args...)
	if len(got) != 1 {
		a.t.Fatalf("%s: %d rows, want 1", sql, len(got))
	}
	return got[0]
}

// pending counts a worker's queue by its own view.
var pendingOf = map[string]string{
	worker.Transfer:         "SELECT count(*) FILTER (WHERE pending) FROM transfer_queue",
	worker.Cleaning:         "SELECT count(*) FILTER (WHERE pending) FROM cleaning_queue",
	worker.NamedEntities:    "SELECT count(*) FILTER (WHERE pending) FROM ner_queue",
	worker.Typology:         "SELECT count(*) FILTER (WHERE pending) FROM typology_queue",
	worker.ConflictJudge:    "SELECT count(*) FILTER (WHERE pending) FROM conflict_judge_queue WHERE 10 * shared >= 9 * total",
	worker.MacroCategory:    "SELECT count(*) FILTER (WHERE pending) FROM macro_category_queue",
	worker.Thumbnails:       "SELECT count(*) FILTER (WHERE pending) FROM thumbnail_queue",
	worker.QualityValidator: "SELECT count(*) FILTER (WHERE pending) FROM quality_validator_queue",
	worker.Embedding:        "SELECT count(*) FILTER (WHERE pending) FROM embedding_queue",
}

// wantPending wants these queues, all others empty.
func (a *archive) wantPending(when string, want map[string]int64) {
	a.t.Helper()
	got := a.pendingByView()
	for name, n := range got {
		if _, asked := want[name]; n == 0 && !asked {
			delete(got, name)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		a.t.Errorf("pending %s: -want +got:\n%s", when, diff)
	}
	a.checkQueues()
}

func (a *archive) pendingByView() map[string]int64 {
	a.t.Helper()
	a.compare()
	got := map[string]int64{}
	for name, sql := range pendingOf {
		got[name] = value[int64](a, sql)
	}
	return got
}

// compare brings the known pairs up to date.
func (a *archive) compare() {
	a.t.Helper()
	if err := a.ComparePairs(a.t.Context(), 0.9); err != nil {
		a.t.Fatal(err)
	}
}

func (a *archive) queues() map[string]worker.Queue {
	a.t.Helper()
	prints := map[string][]byte{}
	for _, d := range a.catalogue.All() {
		r, err := worker.Resolve(d, worker.Settings{}, worker.Settings{})
		if err != nil {
			a.t.Fatal(err)
		}
		prints[d.Name] = r.Fingerprint(d)
	}
	q, err := a.Queues(a.t.Context(), prints)
	if err != nil {
		a.t.Fatal(err)
	}
	a.compare()
	for name, one := range q {
		one.CountedMS = 0
		if name == worker.ConflictJudge {
			count, err := a.CountPairs(a.t.Context(), 0.9)
			if err != nil {
				a.t.Fatal(err)
			}
			one.Pending = &count.Pending
		}
		q[name] = one
	}
	return q
}

// checkQueues compares the tallies with the views, and that folding the tallies changes no figure.
func (a *archive) checkQueues() {
	a.t.Helper()
	before := a.queues()
	got := map[string]int64{}
	for name, q := range before {
		got[name] = *q.Pending
	}
	if diff := cmp.Diff(a.pendingByView(), got); diff != "" {
		a.t.Errorf("pending, -by the views +by the tallies:\n%s", diff)
	}
	a.exec("SELECT compact_queue_tally()")
	if diff := cmp.Diff(before, a.queues()); diff != "" {
		a.t.Errorf("figures changed when the tallies were folded:\n%s", diff)
	}
}
