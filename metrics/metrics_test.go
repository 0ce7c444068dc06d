package metrics_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"scrinalia/metrics"
	"scrinalia/worker"
)

func scrape(t *testing.T, m *metrics.Metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", http.NoBody))
	if w.Code != http.StatusOK {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	return w.Body.String()
}

func TestScrapeShowsWhatHappened(t *testing.T) {
	t.Parallel()
	m := metrics.New(metrics.Options{Version: "1.2", Pool: func() metrics.Pool {
		return metrics.Pool{Acquired: 3, Max: 12, Waits: 4, Waited: 1500 * time.Millisecond}
	}}, []string{"ner", "transfer"})
	m.Checks(func() []metrics.Verdict { return []metrics.Verdict{{Check: "storage", Verdict: "failed"}} })
	m.RunEnded("ner", worker.Failed, 20*time.Second)
	m.RunEnded("ner", worker.Cancelled, 0)
	m.UnitsDone("ner", worker.Counts{Processed: 7, Failed: 2})
	pending := int64(41)
	at := time.Unix(1_700_000_000, 0)
	m.QueueCounted("ner", worker.Queue{Pending: &pending, Failed: 2, Stale: 5}, at)
	m.QueueCounted("ner", worker.Queue{Processed: 9}, at.Add(time.Hour)) // not measured: the last count stays
	m.LedgerRead("ner", worker.Latest{Active: &worker.Run{Status: worker.Running}, Last: &worker.Run{Status: worker.Interrupted}})
	m.LedgerRead("transfer", worker.Latest{Last: &worker.Run{Status: worker.Success}})
	m.JobsRead(map[string]int64{"available": 2})
	m.DatabaseUp(true)
	m.EngineCalled(worker.NER, "ollama", time.Second, nil)
	m.EngineCalled(worker.NER, "ollama", time.Second, worker.Errorf(worker.Unavailable, "away"))
	m.EngineCalled(worker.NER, "ollama", time.Second, errors.New("odd"))
	m.Answered(http.MethodGet, "/workers/:name", 200, 3*time.Millisecond)
	m.Answered("BREW", "", 404, time.Millisecond)
	got := scrape(t, m)
	for _, line := range []string{
		`scrinalia_build_info{go_version="go`, `version="1.2"} 1`,
		`scrinalia_runs_total{outcome="FAILED",worker="ner"} 1`, `scrinalia_runs_total{outcome="SUCCESS",worker="transfer"} 0`,
		`scrinalia_run_duration_seconds_count{worker="ner"} 1`, `scrinalia_run_duration_seconds_bucket{worker="ner",le="60"} 1`,
		`scrinalia_units_total{outcome="failed",worker="ner"} 2`, `scrinalia_queue_units{state="pending",worker="ner"} 41`,
		`scrinalia_queue_counted_timestamp_seconds{worker="ner"} 1.7e+09`, `scrinalia_runs_in_flight{status="RUNNING",worker="ner"} 1`,
		`scrinalia_runs_in_flight{status="QUEUED",worker="ner"} 0`, `scrinalia_last_run_failed{worker="ner"} 1`, `scrinalia_last_run_failed{worker="transfer"} 0`,
		`scrinalia_jobs{state="available"} 2`, `scrinalia_database_up 1`, `scrinalia_engine_calls_total{axis="NER",engine="ollama",result="unavailable"} 1`,
		`scrinalia_engine_calls_total{axis="NER",engine="ollama",result="error"} 1`, `scrinalia_engine_call_duration_seconds_count{axis="NER",engine="ollama"} 3`,
		`scrinalia_http_requests_total{method="GET",route="/workers/:name",status="200"} 1`, `scrinalia_http_requests_total{method="other",route="none",status="404"} 1`,
		`scrinalia_db_connections{state="acquired"} 3`, `scrinalia_db_waits_total 4`, `scrinalia_db_wait_seconds_total 1.5`,
		`scrinalia_check_verdict{check="storage",verdict="failed"} 1`, `scrinalia_check_verdict{check="storage",verdict="ok"} 0`, "go_goroutines ",
	} {
		if !strings.Contains(got, line) {
			t.Errorf("%s is missing", line)
		}
	}
	var none *metrics.Metrics
	none.RunEnded("ner", worker.Failed, 1)
	none.UnitsDone("ner", worker.Counts{})
	none.QueueCounted("ner", worker.Queue{Pending: &pending}, at)
	none.EngineCalled(worker.NER, "x", 1, nil)
}
