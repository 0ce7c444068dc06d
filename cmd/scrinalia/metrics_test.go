package main

import (
	"net/http"
	"strings"
	"testing"

	"scrinalia/worker"
)

// TestMetricsOfTheProgram: a run and requests are counted, queues are there without anybody having looked, and a scrape is not in the log.
func TestMetricsOfTheProgram(t *testing.T) {
	t.Parallel()
	url, _ := collection(t)
	p, address := serve(t, database(url))
	run := order(t, address, "transfer")
	awaitRun(t, address, run.ID, worker.Success)
	get(t, address+"/nosuch")
	get(t, address+"/health", wantsJSON)
	await(t, "the metrics of the run", func() bool {
		return strings.Contains(get(t, address+"/metrics").body, `scrinalia_runs_total{outcome="SUCCESS",worker="transfer"} 1`)
	})
	await(t, "the sample of the database", func() bool { return strings.Contains(get(t, address+"/metrics").body, "scrinalia_database_up 1") })
	a := get(t, address+"/metrics")
	if a.status != http.StatusOK || !strings.HasPrefix(a.header.Get("Content-Type"), "text/plain") {
		t.Errorf("%d %s", a.status, a.header.Get("Content-Type"))
	}
	for _, want := range []string{
		`scrinalia_units_total{outcome="processed",worker="transfer"} 500`, `scrinalia_run_duration_seconds_count{worker="transfer"} 1`,
		`scrinalia_queue_units{state="pending",worker="transfer"}`, `scrinalia_http_requests_total{method="POST",route="/workers/:name/runs",status="201"} 1`,
		`scrinalia_http_requests_total{method="GET",route="none",status="404"} 1`, `scrinalia_db_connections{state="max"} 12`, `scrinalia_jobs{state="running"}`,
		`scrinalia_check_verdict{check="database",verdict="ok"} 1`, "scrinalia_build_info{",
	} {
		if !strings.Contains(a.body, want) {
			t.Errorf("%s is missing", want)
		}
	}
	if strings.Contains(p.stderr.String(), "path=/metrics") || !strings.Contains(p.stderr.String(), "route=/workers/:name/runs") {
		t.Errorf("the log: %s", p.stderr.String())
	}
	for line := range strings.SplitSeq(p.stderr.String(), "\n") {
		if strings.Contains(line, `msg="run finished"`) && (strings.Count(line, "run_id=") != 1 || strings.Count(line, "worker=") != 1) {
			t.Errorf("the line of the run: %s", line)
		}
	}
}

// TestFailuresOnTheCommandLine lists a run that failed, as a table and as JSON.
func TestFailuresOnTheCommandLine(t *testing.T) {
	t.Parallel()
	url, db := collection(t)
	_, err := db.Exec(t.Context(), `INSERT INTO archive_worker_runs (worker_name, status, trigger, requested_by, config, config_fingerprint, started_at, finished_at, error)
		VALUES ('ner', 'FAILED', 'CLI', 'ana', '{}', '', now(), now(), 'Ollama does not answer after 3 tries')`)
	must(t, err)
	env := database(url)
	if out := succeed(t, env, "failures"); !strings.Contains(out, "Ollama does not answer after 3 tries") || !strings.Contains(out, "run 1") {
		t.Errorf("the table: %s", out)
	}
	got := decode[struct{ Failures []worker.Failure }](t, succeed(t, env, "failures", "--json", "--days", "30", "--worker", "ner"))
	if len(got.Failures) != 1 || got.Failures[0].Counts.Hour != 1 || got.Failures[0].Fingerprint != "ollama does not answer after <n> tries" {
		t.Errorf("%+v", got.Failures)
	}
	for _, args := range [][]string{{"failures", "--days", "0"}, {"failures", "--worker", "nobody"}} {
		refusal{args: args, status: exitUsage}.check(t, env)
	}
}
