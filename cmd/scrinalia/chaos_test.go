package main

import (
	"flag"
	"math/rand/v2"
	"net/http"
	"testing"

	"scrinalia/store/storetest"
	"scrinalia/worker"

	"github.com/jackc/pgx/v5"
)

var (
	kills = flag.Int("kills", 9, "how many processes TestKilledAtRandom kills")
	seed  = flag.Uint64("seed", 0, "of what is random in the fault tests; 0 draws one")
)

// TestKilledAtRandom kills servers, worker processes and command lines with kill -9, again and again, at moments that chance chooses, and lets the work end: the
// collection has to be as if nothing had happened.
func TestKilledAtRandom(t *testing.T) {
	t.Parallel()
	drawn := *seed
	if drawn == 0 {
		drawn = rand.Uint64() //nolint:gosec // printed, to be repeated
	}
	t.Logf("-seed %d", drawn)
	c := &chaos{T: t, random: rand.New(rand.NewPCG(drawn, 0)), url: storetest.URL(t)} //nolint:gosec // as above
	c.env, c.db = database(c.url), dial(t, c.url)
	succeed(t, c.env, "import", sampleFile)
	c.server, c.address = serve(t, c.env)
	c.work = start(t, c.env, "work")
	for i := range *kills {
		switch i % 3 {
		case 0:
			c.order()
			c.moment()
			c.server.kill()
			c.server, c.address = serve(t, c.env)
		case 1:
			c.order()
			c.moment()
			c.work.kill()
			c.work = start(t, c.env, "work")
		case 2:
			c.settle()
			line := start(t, c.env, "run", "--all")
			c.moment()
			line.kill()
		}
	}
	c.settle()
	for _, name := range []string{worker.NamedEntities, worker.Typology, worker.Thumbnails, worker.ConflictJudge, worker.MacroCategory, worker.QualityValidator, worker.Embedding} {
		postJSON(t, http.StatusOK, c.address+"/workers/"+name+"/release", "")
	}
	for range 2 { // the second finds nothing more to do
		await(t, "the command line to do all that is left", func() bool {
			p := start(t, c.env, "run", "--all")
			return p.wait() == 0
		})
	}
	wantTrueLedger(t, c.db)
	wantUndisturbed(t, c.db)
	wantNoPanic(t, c.server)
	wantNoPanic(t, c.work)
}

// chaos is a collection with processes that come and go.
type chaos struct {
	*testing.T

	random       *rand.Rand
	url, address string
	env          []string
	db           *pgx.Conn
	server, work *process
}

// order starts a pipeline, unless one is under way.
func (c *chaos) order() {
	c.Helper()
	a, err := ask(c.T, http.MethodPost, c.address+"/pipelines", "", wantsJSON, "Content-Type: application/json")
	must(c.T, err)
	if a.status != http.StatusCreated && a.status != http.StatusConflict {
		c.Fatalf("POST /pipelines answered %d: %s", a.status, a.body)
	}
}

// moment waits until the run under way has done a few more units than now, as many as chance says, or until nothing is under way.
func (c *chaos) moment() {
	c.Helper()
	const done = "SELECT coalesce(sum(processed + failed), 0)::bigint FROM archive_worker_runs"
	until := scalar[int64](c.T, c.db, done) + c.random.Int64N(600)
	looks := c.random.IntN(150) // a run that has nothing to do counts nothing
	await(c.T, "a moment to kill at", func() bool {
		looks--
		return looks < 0 || scalar[int64](c.T, c.db, done) > until
	})
}

// settle waits until nothing is under way. Those that live notice the dead within a minute; a command that starts does at once.
func (c *chaos) settle() {
	c.Helper()
	ledger(c.T, c.env)
	await(c.T, "everything under way to end", func() bool {
		return scalar[int64](c.T, c.db, "SELECT count(*) FROM archive_worker_runs WHERE status IN ('QUEUED', 'RUNNING')") == 0 &&
			scalar[int64](c.T, c.db, "SELECT count(*) FROM pipelines WHERE finished_at IS NULL") == 0
	})
}
