package store_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"scrinalia/store"
	"scrinalia/store/storetest"
	"scrinalia/worker"

	"github.com/google/go-cmp/cmp"
)

func failRun(t *testing.T, s *store.Store, name, message string) int64 {
	t.Helper()
	id := insertRun(t, s, name)
	finishRun(t, s, id, worker.Failed, message)
	return id
}

func sql(t *testing.T, s *store.Store, text string, args ...any) {
	t.Helper()
	if _, err := s.Pool().Exec(t.Context(), text, args...); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

func failures(t *testing.T, s *store.Store, f worker.FailureFilter) map[string]worker.Failure {
	t.Helper()
	list, err := s.Failures(t.Context(), f, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]worker.Failure{}
	for _, x := range list.Failures {
		found[string(x.Kind)+" "+x.Fingerprint] = x
	}
	return found
}

// aged writes a run that failed so long ago.
func aged(t *testing.T, s *store.Store, name, message, ago string) {
	t.Helper()
	sql(t, s, `INSERT INTO archive_worker_runs (worker_name, status, trigger, requested_by, config, config_fingerprint, queued_at, started_at, finished_at, error)
		VALUES ($1, 'FAILED', 'CLI', 'ana', '{}', '', now() - $3::interval, now() - $3::interval, now() - $3::interval, $2)`, name, message, ago)
}

func TestFailuresByCause(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	const cause = "RUN engine <n> is away"
	aged(t, s, "ner", "engine 1 is away", "60 days")
	aged(t, s, "ner", "engine 2 is away", "20 days")
	aged(t, s, "typology", "engine 3 is away", "5 days")
	aged(t, s, "ner", "engine 4 is away", "3 hours")
	newest := failRun(t, s, "ner", "Engine 5 is away\nand more")
	aged(t, s, "cleaning", "an old one", "10 days")
	got := failures(t, s, worker.FailureFilter{})
	f := got[cause]
	if diff := cmp.Diff(worker.FailureCounts{Hour: 1, Day: 2, Week: 3, Month: 4}, f.Counts); diff != "" || f.RunID != newest || !strings.HasPrefix(f.Message, "Engine 5") {
		t.Errorf("%+v %s", f, diff)
	}
	if diff := cmp.Diff([]string{"ner", "typology"}, f.Workers); diff != "" {
		t.Error(diff)
	}
	if age := time.Since(f.FirstAt); age < 59*24*time.Hour || time.Since(f.LastAt) > time.Hour {
		t.Errorf("first %s, last %s", f.FirstAt, f.LastAt)
	}
	if _, ok := got["RUN an old one"]; ok || len(got) != 1 {
		t.Errorf("in 7 days: %v", got)
	}
	if got := failures(t, s, worker.FailureFilter{Days: 90}); len(got) != 2 || got[cause].Counts.Month != 4 {
		t.Errorf("in 90 days: %v", got)
	}
	if got := failures(t, s, worker.FailureFilter{Worker: "typology"}); len(got) != 1 || got[cause].Counts.Week != 1 {
		t.Errorf("of typology: %v", got)
	}
}

// TestFailedUnitsAreCountedOnce: when they fail, not when a flag of their stamp changes; a stamp that is renewed by another run counts again.
func TestFailedUnitsAreCountedOnce(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	const stamp = `INSERT INTO execution_log (worker_name, unit_kind, unit_id, fingerprint, run_id, outcome, error)
		SELECT 'transfer', 'staging', g, '', $1, CASE WHEN g = 4 THEN 'DONE' ELSE 'FAILED' END, CASE WHEN g < 4 THEN 'byte ' || g || ' is none' END
		FROM generate_series($2::int, $3::int) g
		ON CONFLICT (worker_name, unit_id, rule_version) DO UPDATE SET run_id = excluded.run_id, error = excluded.error, outcome = excluded.outcome`
	first := failRun(t, s, "transfer", "stopped")
	sql(t, s, stamp, first, 1, 1)
	sql(t, s, stamp, first, 2, 4)
	sql(t, s, "UPDATE execution_log SET held = true")
	if f := failures(t, s, worker.FailureFilter{})["UNIT byte <n> is none"]; f.Counts.Hour != 3 || f.RunID != first || f.Workers[0] != "transfer" {
		t.Errorf("%+v", f)
	}
	second := failRun(t, s, "transfer", "stopped")
	sql(t, s, stamp, second, 3, 3)
	if f := failures(t, s, worker.FailureFilter{})["UNIT byte <n> is none"]; f.Counts.Hour != 4 || f.RunID != second {
		t.Errorf("%+v", f)
	}
}

func TestServerErrorsAreFoldedByMinute(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	now := time.Now()
	var errs []worker.ServerError
	for i := range 50 {
		errs = append(errs, worker.ServerError{At: now, Route: "GET /workers/:name", Worker: "ner", RequestID: strconv.Itoa(i), Message: "column 7\x00 is gone " + strconv.Itoa(i)})
	}
	errs = append(errs, worker.ServerError{At: now.Add(-100 * 24 * time.Hour), Route: "GET /runs", RequestID: "old", Message: "old"})
	for range 2 {
		if err := s.NoteServerErrors(t.Context(), errs); err != nil {
			t.Fatal(err)
		}
	}
	if f := failures(t, s, worker.FailureFilter{})["REQUEST column <n>\uFFFD is gone <n>"]; f.Counts.Hour != 100 || f.RequestID != "49" || f.Routes[0] != "GET /workers/:name" || f.Workers[0] != "ner" {
		t.Errorf("%+v", f)
	}
	if err := s.ForgetFailures(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	var rows int
	if err := s.Pool().QueryRow(t.Context(), "SELECT count(*) FROM server_errors").Scan(&rows); err != nil || rows != 1 {
		t.Errorf("%d rows, %v", rows, err)
	}
}

// TestAcknowledgedComesBack when it is seen again, also when that was between looking and acknowledging.
func TestAcknowledgedComesBack(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	failRun(t, s, "ner", "away")
	seen := failures(t, s, worker.FailureFilter{})["RUN away"]
	a := worker.Acknowledging{Kind: worker.FailedRun, Fingerprint: "away", SeenAt: seen.LastAt, By: "Ana", Channel: worker.Panel, Note: "the server is being moved"}
	if _, err := s.AcknowledgeFailure(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	if f := failures(t, s, worker.FailureFilter{})["RUN away"]; f.Acknowledged == nil || f.Acknowledged.By != "Ana" || f.Acknowledged.Note != a.Note {
		t.Errorf("%+v", f)
	}
	failRun(t, s, "ner", "away")
	if f := failures(t, s, worker.FailureFilter{})["RUN away"]; f.Acknowledged != nil {
		t.Errorf("%+v", f.Acknowledged)
	}
	if _, err := s.AcknowledgeFailure(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	if f := failures(t, s, worker.FailureFilter{})["RUN away"]; f.Acknowledged != nil {
		t.Error("what was not seen is acknowledged")
	}
	a.SeenAt = time.Time{}
	if _, err := s.AcknowledgeFailure(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	if f := failures(t, s, worker.FailureFilter{})["RUN away"]; f.Acknowledged == nil {
		t.Error("it is not acknowledged")
	}
	a.Fingerprint = "never seen"
	if _, err := s.AcknowledgeFailure(t.Context(), a); worker.KindOf(err) != worker.NotFound {
		t.Errorf("got %v", err)
	}
}
