package main

import (
	"maps"
	"os"
	"os/user"
	"slices"
	"strings"
	"testing"

	"scrinalia/store/localpg"
	"scrinalia/worker"

	"github.com/google/go-cmp/cmp"
)

const (
	sampleFile      = "../../sample/collection.jsonl"
	sampleRecords   = 402
	sampleRuleUnits = 4160 // what cleaning looks at: a rule on a text of a description
)

// TestFreshDirectory is the first hour of a stranger, on the command line: nothing is there but the program.
func TestFreshDirectory(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	env := []string{"SCRINALIA_DATA_DIR=" + dir}

	out := succeed(t, env, "import", sampleFile)
	if want := "collection.jsonl (jsonl, UTF-8): 402 read = 402 imported + 0 unchanged + 0 rejected\n"; out != want {
		t.Errorf("import said %q, want %q", out, want)
	}
	wantNoPostgres(t, dir)

	wantCatalogue(t, env)
	for _, name := range []string{worker.Transfer, worker.Cleaning, worker.QualityValidator} {
		out := succeed(t, env, "run", name)
		if !strings.Contains(out, " "+name+": SUCCESS, ") {
			t.Errorf("run %s said %q", name, out)
		}
	}
	for _, name := range []string{worker.Transfer, worker.Cleaning, worker.QualityValidator} {
		r := decode[worker.Run](t, succeed(t, env, "run", name, "--json"))
		if r.Status != worker.Success || r.Sum() != 0 || r.Total == nil || *r.Total != 0 {
			t.Errorf("the second run of %s: %s with %+v of %v", name, r.Status, r.Counts, r.Total)
		}
	}
	out = succeed(t, env, "import", sampleFile)
	if !strings.Contains(out, "402 read = 0 imported + 402 unchanged + 0 rejected") {
		t.Errorf("the second import said %q", out)
	}
	wantSixRuns(t, dir, env)
	wantNoPostgres(t, dir)

	shareOneCluster(t, dir, env)
	wantNoPostgres(t, dir)
}

// wantCatalogue compares workers --json with the contract, each key and value of one worker.
func wantCatalogue(t *testing.T, env []string) {
	t.Helper()
	got := decode[map[string]any](t, succeed(t, env, "workers", "--json"))
	if keys := slices.Sorted(maps.Keys(got)); !slices.Equal(keys, []string{"generated_at", "workers"}) {
		t.Fatalf("workers --json has %v", keys)
	}
	byName := map[string]map[string]any{}
	for i, w := range got["workers"].([]any) {
		w := w.(map[string]any)
		byName[w["name"].(string)] = w
		if i == 0 && w["name"] != worker.Transfer {
			t.Errorf("the first worker is %v", w["name"])
		}
		for _, key := range []string{"label", "description"} {
			if s, _ := w[key].(string); s == "" {
				t.Errorf("%v has no %s", w["name"], key)
			}
			delete(w, key)
		}
		delete(w["queue"].(map[string]any), "counted_ms")
	}
	byDefault := func(v any) any { return map[string]any{"value": v, "origin": "default"} }
	want := map[string]any{
		"name": "transfer", "order": 1.0, "unit": "staging record", "governed": false, "engine_source": "none",
		"queue": map[string]any{"pending": float64(sampleRecords), "processed": 0.0, "failed": 0.0, "stale": 0.0, "unmeasurable_reason": nil},
		"config": map[string]any{
			"engine": nil, "preset": nil, "batch_size": byDefault(5000.0), "resolved": map[string]any{},
			"options": map[string]any{"dry_run": byDefault(false), "force": byDefault(false), "limit": byDefault(0.0)},
		},
		"overridden": false, "note": nil, "active_run": nil, "last_run": nil,
	}
	if diff := cmp.Diff(want, byName[worker.Transfer]); diff != "" {
		t.Errorf("transfer in workers --json: -want +got:\n%s", diff)
	}
	qv := byName[worker.QualityValidator]
	if qv["engine_source"] != "rule" || qv["axis"] == nil || qv["governed"] != true || qv["note"] == nil {
		t.Errorf("quality-validator in workers --json: %v", qv)
	}
}

// wantSixRuns compares the ledger with what the database holds.
func wantSixRuns(t *testing.T, dir string, env []string) {
	t.Helper()
	type row struct {
		Worker           string
		Status           worker.Status
		Trigger          worker.Trigger
		RequestedBy      string
		Processed, Total int64
		Failed, Skipped  int64
	}
	by := operator(t)
	want := []row{ // newest first
		{worker.QualityValidator, worker.Success, worker.CLI, by, 0, 0, 0, 0},
		{worker.Cleaning, worker.Success, worker.CLI, by, 0, 0, 0, 0},
		{worker.Transfer, worker.Success, worker.CLI, by, 0, 0, 0, 0},
		{worker.QualityValidator, worker.Success, worker.CLI, by, sampleRecords, sampleRecords, 0, 0},
		{worker.Cleaning, worker.Success, worker.CLI, by, sampleRuleUnits, sampleRuleUnits, 0, 0},
		{worker.Transfer, worker.Success, worker.CLI, by, sampleRecords, sampleRecords, 0, 0},
	}
	runs := ledger(t, env)
	var got []row
	for _, r := range runs {
		got = append(got, row{r.Worker, r.Status, r.Trigger, r.RequestedBy, r.Processed, *r.Total, r.Failed, r.Skipped})
		if r.StartedAt == nil || r.FinishedAt == nil || r.DurationMS == nil || r.Owner == nil || r.Error != nil {
			t.Errorf("run %d: started %v, finished %v, duration %v, owner %v, error %v", r.ID, r.StartedAt, r.FinishedAt, r.DurationMS, r.Owner, r.Error)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("the ledger: -want +got:\n%s", diff)
	}
	s, err := localpg.Open(t.Context(), localpg.Options{Dir: dir})
	must(t, err)
	defer s.Close()
	db := dial(t, s.URL(databaseName))
	for _, r := range runs {
		if n := scalar[int64](t, db, "SELECT count(*) FROM execution_log WHERE run_id = $1", r.ID); n != r.Processed {
			t.Errorf("run %d of %s counts %d units, %d are stamped", r.ID, r.Worker, r.Processed, n)
		}
	}
	if n := scalar[int64](t, db, "SELECT count(*) FROM documents"); n != sampleRecords {
		t.Errorf("%d descriptions, want %d", n, sampleRecords)
	}
	must(t, db.Close(t.Context()))
}

// operator is who runs the tests, as the ledger notes it.
func operator(t *testing.T) string {
	t.Helper()
	u, err := user.Current()
	must(t, err)
	host, err := os.Hostname()
	must(t, err)
	host, _, _ = strings.Cut(host, ".")
	return u.Username + "@" + host
}

// shareOneCluster runs three commands at once, first when no server runs, then beside one.
func shareOneCluster(t *testing.T, dir string, env []string) {
	t.Helper()
	three := func() {
		t.Helper()
		var all []*process
		for _, args := range [][]string{{"workers", "--json"}, {"runs"}, {"import", sampleFile}} {
			all = append(all, start(t, env, args...))
		}
		for _, p := range all {
			p.wantExit(0)
			if p.stdout.String() == "" || p.stderr.String() != "" {
				t.Errorf("%v said %q and %q", p.cmd.Args[1:], p.stdout.String(), p.stderr.String())
			}
		}
	}
	three()
	wantNoPostgres(t, dir)
	s, err := localpg.Open(t.Context(), localpg.Options{Dir: dir})
	must(t, err)
	defer s.Close()
	pid := postmaster(t, dir)
	three()
	if now := postmaster(t, dir); now != pid {
		t.Errorf("the server was process %d, is %d", pid, now)
	}
	must(t, s.Close())
}
