package health_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"scrinalia/engine/ollama"
	"scrinalia/health"
	"scrinalia/storage"
	"scrinalia/worker"
)

// asked counts the looks at the workers, of which one is set to a model server. It stands for a database that answers until it is away.
type asked struct {
	looks atomic.Int64
	away  atomic.Bool
}

func (a *asked) answer() error {
	if a.away.Load() {
		return errors.New("away")
	}
	return nil
}

func (a *asked) Overview(context.Context) ([]worker.State, error) {
	a.looks.Add(1)
	engine := &worker.Value{Value: ollama.Name}
	return []worker.State{{Name: worker.NamedEntities, Config: worker.Config{Engine: engine, Resolved: map[string]any{"host": "http://h", "model": "m"}}}}, a.answer()
}

func (a *asked) DatabaseFacts(context.Context) (worker.DatabaseFacts, error) {
	return worker.DatabaseFacts{MaxConnections: 9}, a.answer()
}

func (a *asked) RunFacts(context.Context) (worker.RunFacts, error) {
	return worker.RunFacts{}, a.answer()
}

// TestOneLookAReport: the checks that read the workers share one look, and the models that were needed last are checked while the database is away.
func TestOneLookAReport(t *testing.T) {
	t.Parallel()
	bucket, err := storage.Open(storage.Address{Folder: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		a := &asked{}
		doctor := health.New(nil, health.Patient{
			Database: a, Panel: a, Storage: bucket, Process: func() health.Finding { return health.Finding{Verdict: health.OK} },
			Models: func(context.Context, string) (ollama.Server, error) { return ollama.Server{Host: "http://h"}, nil },
		}.Checks()...)
		want := func(when string, looks int64, want map[string]health.Verdict) {
			t.Helper()
			for _, r := range doctor.Report(t.Context()).Results {
				if v, ok := want[r.Code]; ok && r.Verdict != v {
					t.Errorf("%s: %s is %s, want %s", when, r.Code, r.Verdict, v)
				}
			}
			if n := a.looks.Swap(0); n != looks {
				t.Errorf("%s: %d looks at the workers, want %d", when, n, looks)
			}
		}
		want("at first", 1, map[string]health.Verdict{"database": health.OK, "models": health.Failed, "configuration": health.OK})
		time.Sleep(health.Fresh) // of the bubble
		want("once more", 1, map[string]health.Verdict{"configuration": health.OK})
		a.away.Store(true)
		time.Sleep(health.Fresh)
		want("without a database", 2, map[string]health.Verdict{"database": health.Failed, "models": health.Failed, "configuration": health.Unknown})
	})
}
