package main

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"scrinalia/store/storetest"
	"scrinalia/worker"

	"github.com/google/go-cmp/cmp"
)

// TestServe asks a server for what people and scripts ask of it.
func TestServe(t *testing.T) {
	t.Parallel()
	url, db := collection(t)
	p, address := serve(t, database(url), "--sample") // which leaves a database alone that has records
	for path, want := range map[string]string{"/health/live": `"up"`, "/health/ready": `"up"`} {
		if a := get(t, address+path); a.status != http.StatusOK || !strings.Contains(a.body, want) {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	page := get(t, address+"/workers")
	if page.status != http.StatusOK || !strings.HasPrefix(page.header.Get("Content-Type"), "text/html") || !strings.Contains(page.body, "<html") {
		t.Errorf("the page: %d %s", page.status, page.header.Get("Content-Type"))
	}
	wantStates(t, address, worker.Embedding, worker.QualityValidator, worker.MacroCategory, worker.ConflictJudge, worker.Thumbnails, worker.Typology, worker.NamedEntities, worker.Cleaning, worker.Transfer)
	refusesRuns(t, address)

	release := hold(t, url)
	a := postJSON(t, http.StatusCreated, address+"/workers/transfer/runs", `{"batch_size": 100, "by": "nightly"}`)
	run := decode[worker.Run](t, a.body)
	if run.Status != worker.Queued || run.Trigger != worker.API || run.RequestedBy != "nightly, API 127.0.0.1" || a.header.Get("Location") != "/runs/"+strconv.FormatInt(run.ID, 10) {
		t.Errorf("the new run: %+v at %s", run, a.header.Get("Location"))
	}
	awaitHeld(t, db)
	inWay := decode[map[string]any](t, postJSON(t, http.StatusConflict, address+"/workers/transfer/runs", "").body)
	if r, _ := inWay["run"].(map[string]any); r == nil || r["id"] != float64(run.ID) {
		t.Errorf("in the way: %v, want run %d", inWay["run"], run.ID)
	}
	if detail, _ := inWay["detail"].(string); !strings.Contains(detail, "#"+strconv.FormatInt(run.ID, 10)) || !strings.Contains(detail, "nightly") {
		t.Errorf("the refusal says %q", detail)
	}
	start(t, database(url), "run", "transfer").wantExit(exitInFlight)
	release()
	awaitRun(t, address, run.ID, worker.Success)
	wantTransferredOnce(t, db)
	if r := fetchRun(t, address, run.ID); r.Processed != records || *r.Total != records || r.Owner == nil || !strings.Contains(*r.Owner, "/serve/"+strconv.Itoa(p.cmd.Process.Pid)) {
		t.Errorf("the run: %+v", r)
	}
	p.signal(syscall.SIGTERM)
	p.wantExit(0)
	wantNoPanic(t, p)
}

func wantNoPanic(t *testing.T, p *process) {
	t.Helper()
	if said := p.stderr.String(); strings.Contains(strings.ToLower(said), "panic") || strings.Contains(said, "goroutine ") || strings.Contains(said, "DATA RACE") {
		t.Errorf("the log tells of a crash:\n%s", said)
	}
}

// wantStates compares GET /workers in JSON with the names in reverse order.
func wantStates(t *testing.T, address string, reversed ...string) {
	t.Helper()
	a := get(t, address+"/workers", wantsJSON)
	states := decode[struct {
		Workers []worker.State `json:"workers"`
	}](t, a.body).Workers
	var names []string
	for _, s := range states {
		names = append([]string{s.Name}, names...)
	}
	if diff := cmp.Diff(reversed, names); diff != "" || a.header.Get("Content-Type") != "application/json" && !strings.HasPrefix(a.header.Get("Content-Type"), "application/json;") {
		t.Fatalf("the workers (%s): -want +got:\n%s", a.header.Get("Content-Type"), diff)
	}
	if q := states[0].Queue; q.Pending == nil || *q.Pending != records {
		t.Errorf("the queue of %s: %+v", states[0].Name, q)
	}
}

func refusesRuns(t *testing.T, address string) {
	t.Helper()
	for _, path := range []string{"/workers/nosuch/runs"} {
		if a := postJSON(t, http.StatusNotFound, address+path, ""); a.header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %s", path, a.header.Get("Content-Type"))
		}
	}
	for _, path := range []string{"/workers/nosuch", "/runs/77", "/runs/x", "/nosuch"} {
		if a := get(t, address+path, wantsJSON); a.status != http.StatusNotFound {
			t.Errorf("%s: %d", path, a.status)
		}
	}
	for body, field := range map[string]string{
		`{"batch_size": 0}`: "batch_size", `{"options": {"limit": "x"}}`: "limit", `{"options": {"colour": 1}}`: "colour", `{"engine": "ollama"}`: "engine", `{"wat": 1}`: "wat",
	} {
		a := postJSON(t, http.StatusUnprocessableEntity, address+"/workers/transfer/runs", body)
		if fields := decode[struct{ Fields map[string]string }](t, a.body).Fields; len(fields) != 1 || fields[field] == "" {
			t.Errorf("%s: the fields are %v, want %s", body, fields, field)
		}
	}
	a, err := ask(t, http.MethodPost, address+"/workers/transfer/runs", "", "Origin: http://elsewhere.example", "Sec-Fetch-Site: cross-site")
	must(t, err)
	if a.status != http.StatusForbidden {
		t.Errorf("another site's POST: %d", a.status)
	}
}

// TestUpload imports through the form of the first page, then runs transfer by a form.
func TestUpload(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	env := append(database(url), "SCRINALIA_DATA_DIR="+filepath.Join(t.TempDir(), "data"))
	server, address := serve(t, env)
	if a := get(t, address+"/workers"); !strings.Contains(a.body, `enctype="multipart/form-data"`) {
		t.Error("the first page has no upload form")
	}
	upload := func(name, content string) answer {
		t.Helper()
		var body bytes.Buffer
		w := multipart.NewWriter(&body)
		part, err := w.CreateFormFile("file", name)
		must(t, err)
		_, err = part.Write([]byte(content))
		must(t, err)
		must(t, w.Close())
		a, err := ask(t, http.MethodPost, address+"/import", body.String(), "Content-Type: "+w.FormDataContentType(), "Origin: "+address)
		must(t, err)
		return a
	}
	if a := upload("letter.csv", "no table at all"); a.status != http.StatusUnprocessableEntity || !strings.Contains(a.body, "are accepted") {
		t.Errorf("a letter: %d", a.status)
	}
	a := upload("two.csv", "legacyId,title\n1,One\n,Two\n")
	rejects := get(t, address+a.header.Get("Location")+"/rejects.csv")
	if rejects.status != http.StatusOK || !strings.HasPrefix(rejects.body, "line,column,id,reason\n") || strings.Count(rejects.body, "\n") != 2 {
		t.Errorf("the rejects: %d %s", rejects.status, rejects.body)
	}
	server.signal(syscall.SIGTERM)
	server.wantExit(0)
	_, address = serve(t, env)
	if r := get(t, address+a.header.Get("Location")); r.status != http.StatusOK || !strings.Contains(r.body, "two.csv") || !strings.Contains(r.body, a.header.Get("Location")+"/rejects.csv") {
		t.Errorf("the report after a restart: %d", r.status)
	}
	raw, err := os.ReadFile(sampleFile)
	must(t, err)
	a = upload("collection.jsonl", string(raw))
	if a.status != http.StatusSeeOther {
		t.Fatalf("the upload: %d %s", a.status, a.body)
	}
	if r := get(t, address+a.header.Get("Location")); r.status != http.StatusOK || !strings.Contains(r.body, "402") || !strings.Contains(r.body, "collection.jsonl") {
		t.Errorf("the report: %d", r.status)
	}
	a, err = ask(t, http.MethodPost, address+"/workers/transfer/runs", "limit=7", "Content-Type: application/x-www-form-urlencoded")
	must(t, err)
	if a.status != http.StatusSeeOther {
		t.Fatalf("the run: %d", a.status)
	}
	awaitRun(t, address, 1, worker.Success)
	if r := fetchRun(t, address, 1); r.Processed != 7 || r.Trigger != worker.Panel {
		t.Errorf("the run: %+v", r)
	}
}

// TestSampleOnAPrivateDatabase: make run on a new machine, a second start of it, and commands beside it.
func TestSampleOnAPrivateDatabase(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	env := []string{"SCRINALIA_DATA_DIR=" + dir}
	p, address := serve(t, env, "--sample")
	pending := func(address string) int64 {
		t.Helper()
		return *decode[worker.State](t, get(t, address+"/workers/transfer", wantsJSON).body).Queue.Pending
	}
	if n := pending(address); n != sampleRecords {
		t.Errorf("%d records pending, want %d", n, sampleRecords)
	}
	pid := postmaster(t, dir)
	refusal{
		args: []string{"serve", "--addr", "127.0.0.1:0"}, status: exitFailed,
		says: []string{dir, "another serve", strconv.Itoa(p.cmd.Process.Pid), address, "SCRINALIA_DATA_DIR"},
	}.check(t, env)
	succeed(t, env, "run", "transfer")
	if n := pending(address); n != 0 || postmaster(t, dir) != pid {
		t.Errorf("%d records pending after the run beside the server; postgres was %d, is %d", n, pid, postmaster(t, dir))
	}
	p.signal(os.Interrupt)
	p.wantExit(0)
	wantNoPanic(t, p)
	wantNoPostgres(t, dir)

	again, address := serve(t, env, "--sample")
	if n := pending(address); n != 0 {
		t.Errorf("%d records pending after the second start", n)
	}
	again.kill() // the private database stays for whoever comes next
	if runs := ledger(t, env); len(runs) != 1 || runs[0].Processed != sampleRecords {
		t.Errorf("the ledger: %+v", runs)
	}
	wantNoPostgres(t, dir)
}
