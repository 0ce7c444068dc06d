package health

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"scrinalia/engine/ollama"
	"scrinalia/storage"
	"scrinalia/worker"
)

// Database answers about itself.
type Database interface {
	DatabaseFacts(ctx context.Context) (worker.DatabaseFacts, error)
	RunFacts(ctx context.Context) (worker.RunFacts, error)
}

// Panel knows what a run of each worker would use now.
type Panel interface {
	Overview(ctx context.Context) ([]worker.State, error)
}

// Probe asks a server of models, the default one when host is empty. Host is set also when it fails.
type Probe func(ctx context.Context, host string) (ollama.Server, error)

// inquiry is what the checks that ask the database share: one connection, by turns, and one look at the workers a report.
type inquiry struct {
	turn  chan struct{} // holds who asks; what follows is theirs
	panel Panel
	state []worker.State
	read  time.Time

	needs needs
}

func (q *inquiry) ask(ctx context.Context, ask func() error) error {
	select {
	case q.turn <- struct{}{}:
		defer func() { <-q.turn }()
		return ask()
	case <-ctx.Done():
		return worker.Errorf(worker.Unavailable, "The database does not answer: %w", ctx.Err())
	}
}

// states are the workers as a run of each would find them now. Reports are further apart than Limit, so that none is given those of the one before.
func (q *inquiry) states(ctx context.Context) (list []worker.State, err error) {
	err = q.ask(ctx, func() error {
		if q.read.IsZero() || time.Since(q.read) >= Limit {
			states, err := q.panel.Overview(ctx)
			if err != nil {
				return err
			}
			q.state, q.read = states, time.Now()
			q.needs.learn(states)
		}
		list = q.state
		return nil
	})
	return list, err
}

// Patient is what the checks of one program share.
type Patient struct {
	Database Database
	Panel    Panel
	Storage  storage.Bucket
	Models   Probe
	Process  func() Finding
	Disk     func() (path string, free, total int64, err error) // where the program keeps files; nil: it cannot be known
}

// Checks are all checks, in the order in which they matter.
func (p Patient) Checks() []Check {
	q := &inquiry{turn: make(chan struct{}, 1), panel: p.Panel}
	list := []Check{
		{"database", func(ctx context.Context) Finding { return p.database(ctx, q) }},
		{"models", func(ctx context.Context) Finding { return p.models(ctx, q) }},
		{"storage", p.storage},
		{"executors", func(ctx context.Context) Finding { return p.executors(ctx, q) }},
		{"configuration", func(ctx context.Context) Finding { return configuration(ctx, q) }},
	}
	if p.Disk != nil {
		list = append(list, Check{"disk", func(context.Context) Finding { return p.disk() }})
	}
	return append(list, Check{"process", func(context.Context) Finding { return p.Process() }})
}

// Limits of the database, in its own measures. Someone should look before they are reached.
const (
	fewConnectionsLeft = 0.9     // of those that are allowed
	longTransaction    = 1       // open for five minutes or more
	manyDeadRows       = 100_000 // of the job queue, and more than there are live ones
	farBehind          = 64 << 20
)

func (p Patient) database(ctx context.Context, q *inquiry) Finding {
	var f worker.DatabaseFacts
	err := q.ask(ctx, func() (err error) { f, err = p.Database.DatabaseFacts(ctx); return err })
	if err != nil {
		return Finding{
			Verdict: Failed, Say: Say("database.down"), Error: words(err), All: true,
			Do: []Advice{{Text: Say("database.start"), Command: "pg_isready"}, {Text: Say("database.url")}},
		}
	}
	r := Finding{Verdict: OK, Say: Say("database.up"), Measured: Say("database.connections", f.Connections, f.MaxConnections), Facts: []Fact{
		{"version", "PostgreSQL " + f.Version},
		{"size", megabytes(f.Bytes)},
		{"schema", fmt.Sprintf("%d / %d", f.Schema, f.Program)},
		{"transactions", fmt.Sprint(f.LongTransactions)},
		{"queue", fmt.Sprintf("%d / %d", f.QueueDead, f.QueueRows)},
	}}
	if f.ReplicationServers > 0 {
		r.Facts = append(r.Facts, Fact{"replication", megabytes(f.ReplicationBytes)})
	}
	switch {
	case f.Dirty:
		r.Verdict, r.Say, r.All = Failed, Say("database.dirty", f.Schema), true
		r.Do = []Advice{{Text: Say("database.migrate"), Command: "scrinalia migrate up"}}
	case f.Schema < f.Program:
		r.Verdict, r.Say, r.All = Failed, Say("database.behind", f.Schema, f.Program), true
		r.Do = []Advice{{Text: Say("database.migrate"), Command: "scrinalia migrate up"}}
	case f.Schema > f.Program:
		r.Verdict, r.Say = Degraded, Say("database.ahead", f.Schema, f.Program)
		r.Do = []Advice{{Text: Say("database.upgrade")}}
	case f.Standby:
		r.Verdict, r.Say, r.All = Failed, Say("database.standby"), true
		r.Do = []Advice{{Text: Say("database.primary")}}
	case float64(f.Connections) >= fewConnectionsLeft*float64(f.MaxConnections):
		r.Verdict, r.Say = Degraded, Say("database.crowded", f.Connections, f.MaxConnections)
		r.Do = []Advice{{Text: Say("database.who"), Command: "psql -c 'SELECT pid, usename, application_name, state, query FROM pg_stat_activity'"}}
	case f.LongTransactions >= longTransaction:
		r.Verdict, r.Say = Degraded, Say("database.long", f.LongTransactions, f.OldestTransaction.Round(time.Second).String())
		r.Do = []Advice{{Text: Say("database.who"), Command: "psql -c \"SELECT pid, now() - xact_start AS open, query FROM pg_stat_activity WHERE xact_start < now() - interval '5 minutes'\""}}
	case f.QueueDead > manyDeadRows && f.QueueDead > f.QueueRows/2:
		r.Verdict, r.Say = Degraded, Say("database.bloat", f.QueueDead)
		r.Do = []Advice{{Text: Say("database.vacuum"), Command: "psql -c 'VACUUM river_job'"}}
	case f.ReplicationBytes > farBehind:
		r.Verdict, r.Say = Degraded, Say("database.lag", megabytes(f.ReplicationBytes))
		r.Do = []Advice{{Text: Say("database.follower")}}
	}
	return r
}

// probeKey is written, read and deleted.
const probeKey = "health/probe.txt"

func (p Patient) storage(ctx context.Context) Finding {
	r := Finding{Verdict: OK, Say: Say("storage.up"), Measured: Say("storage.probe"), Facts: []Fact{{"place", p.Storage.String()}}}
	if err := p.probeStorage(ctx); err != nil {
		r.Verdict, r.Say, r.Error, r.Measured, r.Stops = Failed, Say("storage.down"), words(err), nil, []string{worker.Thumbnails}
		if ctx.Err() != nil {
			r.Say, r.Error = Say("storage.silent", Limit.String()), ""
		}
		r.Do = []Advice{{Text: Say("storage.fix")}, {Text: Say("storage.again"), Command: "scrinalia health"}}
	}
	return r
}

func (p Patient) probeStorage(ctx context.Context) error {
	text := []byte("scrinalia was here\n")
	if err := p.Storage.Put(ctx, probeKey, "text/plain; charset=utf-8", text); err != nil {
		return err
	}
	body, _, err := p.Storage.Get(ctx, probeKey)
	if err != nil {
		return err
	}
	got, err := io.ReadAll(io.LimitReader(body, 1<<10))
	if err = errors.Join(err, body.Close()); err != nil {
		return fmt.Errorf("read it back: %w", err)
	}
	if string(got) != string(text) {
		return worker.Errorf(worker.Unavailable, "The storage gave back something else than was put there.")
	}
	return p.Storage.Delete(ctx, probeKey)
}

// waitsTooLong is how long a run may be queued while nothing runs.
const waitsTooLong = 10 * time.Second

func (p Patient) executors(ctx context.Context, q *inquiry) Finding {
	var f worker.RunFacts
	err := q.ask(ctx, func() (err error) { f, err = p.Database.RunFacts(ctx); return err })
	if err != nil {
		return Finding{Verdict: Unknown, Say: Say("needs.database"), Error: words(err)}
	}
	r := Finding{Verdict: OK, Say: Say("executors.up"), Measured: Say("executors.runs", f.Running, f.Queued, f.Processes), Facts: []Fact{{"interrupted", fmt.Sprint(f.Interrupted)}}}
	switch {
	case f.QueueLost:
		r.Verdict, r.Say, r.All = Failed, Say("executors.lost"), true
		r.Do = []Advice{{Text: Say("executors.remake"), Command: "scrinalia migrate up"}}
	case f.Queued > 0 && (f.Processes == 0 || f.Running == 0 && f.OldestQueued > waitsTooLong):
		r.Verdict, r.Say, r.All = Failed, Say("executors.nobody", f.Queued, f.OldestQueued.Round(time.Second).String()), true
		r.Do = []Advice{{Text: Say("executors.start"), Command: "scrinalia work"}}
	case len(f.Stuck) > 0:
		s := f.Stuck[0]
		r.Verdict, r.Say, r.Stops = Degraded, Say("executors.stuck", s.ID, s.Worker, s.Still.Round(time.Minute).String()), []string{s.Worker}
		r.Do = []Advice{{Text: Say("executors.look"), Path: fmt.Sprintf("/runs/%d", s.ID)}}
	case f.Interrupted > 0 && f.LastInterrupt != nil:
		r.Verdict, r.Say = Degraded, Say("executors.interrupted", f.Interrupted)
		r.Do = []Advice{{Text: Say("executors.last"), Path: fmt.Sprintf("/runs/%d", *f.LastInterrupt)}}
	}
	return r
}

func configuration(ctx context.Context, q *inquiry) Finding {
	states, err := q.states(ctx)
	if err != nil {
		return Finding{Verdict: Unknown, Say: Say("needs.database"), Error: words(err)}
	}
	r := Finding{Verdict: OK, Say: Say("configuration.up"), Measured: Say("configuration.workers", len(states))}
	note := func(v Verdict, s worker.State, say *Message, do Advice) {
		if v.Worse(r.Verdict) {
			r.Verdict, r.Say = v, say
		}
		r.Stops = append(r.Stops, s.Name)
		r.Do = append(r.Do, do)
	}
	for _, s := range states {
		path := "/workers/" + s.Name
		switch {
		case s.RuleBroken && s.Note != nil:
			note(Failed, s, Say("configuration.rule", s.Name, *s.Note), Advice{Text: Say("configuration.repair", s.Name), Path: path})
		case len(s.NotApplied) > 0:
			names := make([]string, 0, len(s.NotApplied))
			for name := range s.NotApplied {
				names = append(names, name)
			}
			slices.Sort(names)
			note(Degraded, s, Say("configuration.notapplied", s.Name, strings.Join(names, ", ")), Advice{Text: Say("configuration.correct", s.Name), Path: path})
		case s.Name == worker.Embedding && otherModel(s):
			note(Degraded, s, Say("configuration.vectors", s.Queue.Stale), Advice{Text: Say("configuration.embed"), Command: "scrinalia run embedding"})
		}
	}
	return r
}

// otherModel says whether there are vectors of another model than the effective one.
func otherModel(s worker.State) bool {
	for _, g := range s.Queue.StaleBecause {
		for _, d := range g.Differences {
			if d.Name == "model" || d.Name == "engine" || d.Name == "preset" {
				return true
			}
		}
	}
	return false
}

// Little room: the share and the bytes below which a disk needs somebody, and those below which it is as good as full.
const (
	littleShare, littleBytes = 0.05, 2 << 30
	fullBytes                = 200 << 20
)

func (p Patient) disk() Finding {
	path, free, total, err := p.Disk()
	if err != nil {
		return Finding{Verdict: Unknown, Say: Say("disk.unknown"), Error: words(err)}
	}
	r := Finding{Verdict: OK, Say: Say("disk.up"), Measured: Say("disk.free", megabytes(free), megabytes(total)), Facts: []Fact{{"place", path}}}
	switch {
	case free < fullBytes:
		r.Verdict, r.Say, r.All = Failed, Say("disk.full", megabytes(free)), true
	case free < littleBytes && float64(free) < littleShare*float64(total):
		r.Verdict, r.Say = Degraded, Say("disk.little", megabytes(free))
	}
	if r.Verdict != OK {
		r.Do = []Advice{{Text: Say("disk.look"), Command: "du -xh --max-depth=2 " + path + " | sort -h | tail"}}
	}
	return r
}

// words are an error's text on one line.
func words(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

func megabytes(n int64) string {
	switch {
	case n >= 10<<30:
		return fmt.Sprintf("%d GB", n>>30)
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
	}
	return fmt.Sprintf("%d MB", n>>20)
}
