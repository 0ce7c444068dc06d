package main

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"scrinalia/store/storetest"
	"scrinalia/worker"

	"github.com/jackc/pgx/v5"
)

// records is how many staging records a held run has before it, batch how many it commits at once.
const (
	records   = 500
	batch     = 100
	heldAt    = 250 // the record at which hold stops a transfer
	committed = 200 // by the batches before
)

// collection is a database of its own with staging records to transfer.
func collection(t *testing.T) (url string, db *pgx.Conn) {
	t.Helper()
	url = storetest.URL(t)
	db = dial(t, url)
	_, err := db.Exec(t.Context(), `INSERT INTO staging_records (id, description_id, title, date, content_hash)
		SELECT g, 'r' || g, 'Relatório ' || g, '1912', sha256(g::text::bytea) FROM generate_series(1, $1::int) g`, records)
	must(t, err)
	return url, db
}

func dial(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	must(t, err)
	t.Cleanup(func() { _ = c.Close(context.WithoutCancel(t.Context())) })
	return c
}

func scalar[T any](t *testing.T, db *pgx.Conn, sql string, args ...any) (v T) {
	t.Helper()
	if err := db.QueryRow(t.Context(), sql, args...).Scan(&v); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return v
}

// hold lets a transfer go as far as record heldAt, where it waits for the returned release.
func hold(t *testing.T, url string) (release func()) {
	t.Helper()
	return block(t, url, "INSERT INTO documents (id, description_id, original_title) VALUES ("+strconv.Itoa(heldAt)+", 'in the way', 'in the way')")
}

// block keeps the locks of a statement until release, which takes the statement back.
func block(t *testing.T, url, sql string) (release func()) {
	t.Helper()
	tx, err := dial(t, url).Begin(t.Context())
	must(t, err)
	_, err = tx.Exec(t.Context(), sql)
	must(t, err)
	return func() {
		t.Helper()
		must(t, tx.Rollback(t.Context()))
	}
}

// awaitHeld waits until a transfer stands at hold, with everything before it noted in the ledger, and returns its run.
func awaitHeld(t *testing.T, db *pgx.Conn) (run int64) {
	t.Helper()
	await(t, "a transfer that is held", func() bool {
		return scalar[bool](t, db, `SELECT EXISTS (SELECT FROM archive_worker_runs WHERE status = 'RUNNING' AND processed = $1)
			AND EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')`, committed)
	})
	return scalar[int64](t, db, "SELECT id FROM archive_worker_runs WHERE status = 'RUNNING'")
}

// heldRun is a run transfer on the command line that stands at hold.
func heldRun(t *testing.T, url string, db *pgx.Conn) (p *process, run int64, release func()) {
	t.Helper()
	release = hold(t, url)
	p = start(t, database(url), "run", "transfer", "--batch", strconv.Itoa(batch))
	return p, awaitHeld(t, db), release
}

func status(t *testing.T, db *pgx.Conn, run int64) worker.Status {
	t.Helper()
	return worker.Status(scalar[string](t, db, "SELECT status FROM archive_worker_runs WHERE id = $1", run))
}

// wantTransferredOnce checks that every record became one description with one stamp, and that the ledger's counts add up to that.
func wantTransferredOnce(t *testing.T, db *pgx.Conn) {
	t.Helper()
	for what, sql := range map[string]string{
		"descriptions":    "SELECT count(*) FROM documents",
		"stamps":          "SELECT count(*) FROM execution_log WHERE worker_name = 'transfer' AND outcome = 'DONE'",
		"counted units":   "SELECT sum(processed)::bigint FROM archive_worker_runs WHERE worker_name = 'transfer'",
		"tallied units":   "SELECT sum(n)::bigint FROM queue_tally WHERE worker_name = '' AND measure = 'staging'",
		"distinct titles": "SELECT count(DISTINCT original_title) FROM documents",
	} {
		if n := scalar[int64](t, db, sql); n != records {
			t.Errorf("%d %s, want %d", n, what, records)
		}
	}
}

// answer is what a server said.
type answer struct {
	status int
	header http.Header
	body   string
}

func ask(t *testing.T, method, url, body string, headers ...string) (a answer, err error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	must(t, err)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(r)
	if err != nil {
		return a, err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	return answer{res.StatusCode, res.Header, string(raw)}, err
}

func get(t *testing.T, url string, headers ...string) answer {
	t.Helper()
	a, err := ask(t, http.MethodGet, url, "", headers...)
	must(t, err)
	return a
}

const wantsJSON = "Accept: application/json"

// postJSON sends JSON and wants a status.
func postJSON(t *testing.T, want int, url, body string) answer {
	t.Helper()
	a, err := ask(t, http.MethodPost, url, body, wantsJSON, "Content-Type: application/json")
	must(t, err)
	if a.status != want {
		t.Fatalf("POST %s %s answered %d, want %d: %s", url, body, a.status, want, a.body)
	}
	return a
}

// order asks a server for a run, and wants it queued.
func order(t *testing.T, address, name string) worker.Run {
	t.Helper()
	a := postJSON(t, http.StatusCreated, address+"/workers/"+name+"/runs", `{"batch_size": `+strconv.Itoa(batch)+`}`)
	return decode[worker.Run](t, a.body)
}

// fetchRun reads a run from a server.
func fetchRun(t *testing.T, address string, run int64) worker.Run {
	t.Helper()
	a := get(t, address+"/runs/"+strconv.FormatInt(run, 10), wantsJSON)
	if a.status != http.StatusOK {
		t.Fatalf("run %d: %d %s", run, a.status, a.body)
	}
	return decode[worker.Run](t, a.body)
}

func awaitRun(t *testing.T, address string, run int64, want worker.Status) {
	t.Helper()
	await(t, "run "+strconv.FormatInt(run, 10)+" to be "+string(want), func() bool { return fetchRun(t, address, run).Status == want })
}
