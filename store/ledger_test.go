package store_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"

	"scrinalia/store"
	"scrinalia/store/storetest"
	"scrinalia/worker"
)

func newRun(name, by string) store.NewRun {
	return store.NewRun{Worker: name, Trigger: worker.API, RequestedBy: by, Fingerprint: []byte("f")}
}

func insertRun(t *testing.T, s *store.Store, name string) int64 {
	t.Helper()
	id, err := s.NextRunID(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.InsertRun(t.Context(), id, newRun(name, "test"), nil); err != nil {
		t.Fatal(err)
	}
	return id
}

// finishRun ends a run through its owner.
func finishRun(t *testing.T, s *store.Store, id int64, status worker.Status, message string) {
	t.Helper()
	o, ok, err := s.Own(t.Context(), id)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	defer o.Release()
	if ok, err := o.Finish(t.Context(), status, message, worker.Counts{}, nil); err != nil || !ok {
		t.Fatal(ok, err)
	}
}

func TestGuard(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	const n = 50
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			id, err := s.NextRunID(t.Context())
			if err == nil {
				err = s.InsertRun(t.Context(), id, newRun("probe", fmt.Sprint("person ", i)), nil)
			}
			errs[i] = err
		})
	}
	wg.Wait()
	winner := -1
	for i, err := range errs {
		if err == nil {
			if winner >= 0 {
				t.Errorf("%d and %d both won", winner, i)
			}
			winner = i
		}
	}
	if winner < 0 {
		t.Fatalf("nobody won: %v", errs[0])
	}
	for i, err := range errs {
		inFlight, ok := errors.AsType[*worker.InFlightError](err)
		if i != winner && (!ok || inFlight.Run.RequestedBy != fmt.Sprint("person ", winner)) {
			t.Errorf("%d got %v, want the run of person %d", i, err, winner)
		}
	}
	insertRun(t, s, "another worker")
}

// TestAnotherUniqueViolation is no run in flight.
func TestAnotherUniqueViolation(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	id := insertRun(t, s, "a")
	err := s.InsertRun(t.Context(), id, newRun("b", "test"), nil)
	if err == nil || worker.KindOf(err) != worker.Internal {
		t.Errorf("got %v, want an internal error", err)
	}
}

func TestLedgerRefuses(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	done := insertRun(t, a.Store, "done")
	finishRun(t, a.Store, done, worker.Failed, "no")
	insertRun(t, a.Store, "open")
	a.exec("INSERT INTO worker_override_revisions (worker_name, version, changed_by, channel, before, after) VALUES ('w', 1, 'ana', 'CLI', '{}', '{}')")
	const insert = "INSERT INTO archive_worker_runs (worker_name, status, trigger, requested_by, config, config_fingerprint, started_at, finished_at, error) VALUES "
	tests := []struct{ name, sql, want string }{
		{"a run that ended goes on", "UPDATE archive_worker_runs SET status = 'RUNNING', finished_at = NULL WHERE worker_name = 'done'", "runs_stay_finished"},
		{"another outcome", "UPDATE archive_worker_runs SET status = 'SUCCESS' WHERE worker_name = 'done'", "runs_stay_finished"},
		{"another end", "UPDATE archive_worker_runs SET finished_at = now() WHERE worker_name = 'done'", "runs_stay_finished"},
		{"deleted", "DELETE FROM archive_worker_runs WHERE worker_name = 'done'", "runs_are_never_deleted"},
		{"unknown status", insert + "('x', 'PAUSED', 'CLI', 'a', '{}', '', NULL, now(), NULL)", "runs_status_is_known"},
		{"unknown trigger", insert + "('x', 'QUEUED', 'CRON', 'a', '{}', '', NULL, NULL, NULL)", "runs_trigger_is_known"},
		{"no worker", insert + "('', 'QUEUED', 'CLI', 'a', '{}', '', NULL, NULL, NULL)", "runs_worker_is_named"},
		{"ended without an end", insert + "('x', 'SUCCESS', 'CLI', 'a', '{}', '', now(), NULL, NULL)", "runs_finished_exactly_when_terminal"},
		{"an end while it runs", insert + "('x', 'RUNNING', 'CLI', 'a', '{}', '', now(), now(), NULL)", "runs_finished_exactly_when_terminal"},
		{"running without a start", insert + "('x', 'RUNNING', 'CLI', 'a', '{}', '', NULL, NULL, NULL)", "runs_started_before_running"},
		{"failed without an error", insert + "('x', 'FAILED', 'CLI', 'a', '{}', '', now(), now(), NULL)", "runs_error_exactly_when_it_went_wrong"},
		{"negative count", "UPDATE archive_worker_runs SET processed = -1 WHERE worker_name = 'open'", "runs_processed_not_negative"},
		{"second in flight", insert + "('open', 'RUNNING', 'CLI', 'a', '{}', '', now(), NULL, NULL)", "runs_one_in_flight_per_worker"},
		{"revision changed", "UPDATE worker_override_revisions SET note = 'x'", "worker_override_revisions_are_final"},
		{"revision deleted", "DELETE FROM worker_override_revisions", "worker_override_revisions_are_final"},
		{"revisions emptied", "TRUNCATE worker_override_revisions CASCADE", "worker_override_revisions_are_final"},
		{"revision written twice", "INSERT INTO worker_override_revisions (worker_name, version, changed_by, channel, before, after) VALUES ('w', 1, 'eva', 'CLI', '{}', '{}')", "worker_override_revisions_one_per_version"},
		{"override without its revision", "INSERT INTO worker_overrides VALUES ('w', 2, '{}')", "worker_overrides_have_their_revision"},
		{"override that is no object", "INSERT INTO worker_overrides VALUES ('w', 1, '[]')", "worker_overrides_settings_are_an_object"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := a.Pool().Exec(t.Context(), tt.sql)
			pg, ok := errors.AsType[*pgconn.PgError](err)
			if !ok || pg.ConstraintName != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func TestLedgerPages(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	a.exec(`INSERT INTO archive_worker_runs (worker_name, status, trigger, requested_by, config, config_fingerprint, finished_at, error)
		SELECT CASE g % 2 WHEN 0 THEN 'even' ELSE 'odd' END, CASE g % 3 WHEN 0 THEN 'FAILED' ELSE 'SUCCESS' END, 'CLI', 'test', '{}', '', now(), CASE g % 3 WHEN 0 THEN 'no ' || g END
		FROM generate_series(1, 12) g ORDER BY g`)
	first := value[int64](a, "SELECT min(id) FROM archive_worker_runs") - 1 // ids are told from 1
	type page struct {
		IDs          []int64
		Older, Newer int64
	}
	tests := []struct {
		name string
		give worker.RunFilter
		want page
	}{
		{"newest", worker.RunFilter{Limit: 5}, page{[]int64{12, 11, 10, 9, 8}, 8, 0}},
		{"older", worker.RunFilter{Limit: 5, Before: 8}, page{[]int64{7, 6, 5, 4, 3}, 3, 7}},
		{"oldest", worker.RunFilter{Limit: 5, Before: 3}, page{[]int64{2, 1}, 0, 2}},
		{"newer", worker.RunFilter{Limit: 5, After: 2}, page{[]int64{7, 6, 5, 4, 3}, 3, 7}},
		{"newer, up to the newest", worker.RunFilter{Limit: 5, After: 7}, page{[]int64{12, 11, 10, 9, 8}, 8, 0}},
		{"all on one page", worker.RunFilter{}, page{[]int64{12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, 0, 0}},
		{"of a worker", worker.RunFilter{Worker: "odd", Limit: 3}, page{[]int64{11, 9, 7}, 7, 0}},
		{"of a worker, older", worker.RunFilter{Worker: "odd", Limit: 3, Before: 7}, page{[]int64{5, 3, 1}, 0, 5}},
		{"of a status", worker.RunFilter{Status: worker.Failed}, page{[]int64{12, 9, 6, 3}, 0, 0}},
		{"of both, newer", worker.RunFilter{Worker: "even", Status: worker.Failed, Limit: 1, After: 1}, page{[]int64{6}, 6, 6}},
		{"of an error", worker.RunFilter{Fingerprint: "no <n>", Limit: 2}, page{[]int64{12, 9}, 9, 0}},
		{"nothing", worker.RunFilter{Worker: "none"}, page{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, id := range []*int64{&tt.give.Before, &tt.give.After} {
				if *id != 0 {
					*id += first
				}
			}
			p, err := a.Runs(t.Context(), tt.give)
			if err != nil {
				t.Fatal(err)
			}
			var got page
			for _, r := range p.Runs {
				got.IDs = append(got.IDs, r.ID-first)
			}
			if p.Older != 0 {
				got.Older = p.Older - first
			}
			if p.Newer != 0 {
				got.Newer = p.Newer - first
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestErrorTexts(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, give, want string }{
		{"plain", "não há espaço", "não há espaço"},
		{"NUL", "a\x00b", "a\uFFFDb"},
		{"invalid UTF-8", "a\xff\xfeb", "a\uFFFDb"},
		{"empty", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := storetest.New(t)
			id := insertRun(t, s, "probe")
			finishRun(t, s, id, worker.Failed, tt.give)
			run, err := s.Run(t.Context(), id)
			if err != nil || *run.Error != tt.want {
				t.Errorf("got %q, %v; want %q", *run.Error, err, tt.want)
			}
		})
	}
}

func TestALongErrorIsCutBetweenCharacters(t *testing.T) {
	t.Parallel()
	for shift := range 3 {
		s := storetest.New(t)
		id := insertRun(t, s, "probe")
		give := strings.Repeat("x", shift) + strings.Repeat("€", 35_000)
		finishRun(t, s, id, worker.Failed, give)
		run, err := s.Run(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		kept, note, _ := strings.Cut(*run.Error, " [")
		if len(*run.Error) > 8000 || len(*run.Error) < 7990 || !utf8.ValidString(*run.Error) || !strings.HasPrefix(give, kept) {
			t.Errorf("%d bytes, valid %t", len(*run.Error), utf8.ValidString(*run.Error))
		}
		if want := fmt.Sprintf("truncated, %d bytes]", len(give)); note != want {
			t.Errorf("note %q, want %q", note, want)
		}
	}
}
