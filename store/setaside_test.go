package store_test

import (
	"strings"
	"testing"
	"time"

	"scrinalia/store"
	"scrinalia/worker"

	"github.com/google/go-cmp/cmp"
)

// dies is a run whose process died with these units in work.
func (a *archive) dies(name string, units ...worker.UnitRef) (run int64) {
	a.t.Helper()
	run, err := a.NextRunID(a.t.Context())
	if err != nil {
		a.t.Fatal(err)
	}
	resolution, err := a.executor.Resolve(a.t.Context(), name)
	if err != nil {
		a.t.Fatal(err)
	}
	owner, ok, err := a.Own(a.t.Context(), run)
	if err != nil || !ok {
		a.t.Fatal(ok, err)
	}
	defer owner.Release()
	if err := a.InsertRun(a.t.Context(), run, store.NewRun{Worker: name, Trigger: worker.CLI, RequestedBy: "test", Config: resolution.Config, Fingerprint: []byte("f")}, nil); err != nil {
		a.t.Fatal(err)
	}
	if ok, err := owner.Start(a.t.Context(), "scr-3/work/4711", 1); err != nil || !ok {
		a.t.Fatal(ok, err)
	}
	if err := owner.NoteInWork(a.t.Context(), "scr-3/work/4711", units); err != nil {
		a.t.Fatal(err)
	}
	return run
}

// recovers recovers until a run is over: the server takes a moment to see that a connection has ended.
func (a *archive) recovers(run int64) {
	a.t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if _, err := a.executor.Recover(a.t.Context()); err != nil {
			a.t.Fatal(err)
		}
		if r, err := a.Run(a.t.Context(), run); err != nil || !r.Status.Active() {
			return
		}
		select {
		case <-tick.C:
		case <-a.t.Context().Done():
			a.t.Fatalf("run %d is never recovered", run)
		}
	}
}

func (a *archive) pending(name string) int64 {
	a.t.Helper()
	state, err := a.executor.State(a.t.Context(), name)
	if err != nil || state.Queue.Pending == nil {
		a.t.Fatal(name, state.Queue, err)
	}
	return *state.Queue.Pending
}

// TestAUnitThatKillsIsSetAside, of every worker that takes up units one by one, and comes back only when it is released.
func TestAUnitThatKillsIsSetAside(t *testing.T) {
	t.Parallel()
	a := newSample(t)
	for _, d := range a.catalogue.All() {
		view, watched := map[string]string{
			worker.NamedEntities: "ner_queue", worker.Typology: "typology_queue", worker.Thumbnails: "thumbnail_queue", worker.ConflictJudge: "conflict_judge_queue",
			worker.MacroCategory: "macro_category_queue", worker.QualityValidator: "quality_validator_queue", worker.Embedding: "embedding_queue",
		}[d.Name]
		if watched {
			a.setsAside(d.Name, view)
		}
		a.run(d.Name, nil)
		if watched && a.pending(d.Name) != 0 && d.Name != worker.Thumbnails {
			t.Errorf("%s: %d wait after a run", d.Name, a.pending(d.Name))
		}
	}
}

func (a *archive) setsAside(name, view string) {
	a.t.Helper()
	before := a.pending(name) // compares names, where the worker needs it
	unit := worker.UnitRef{ID: value[int64](a, "SELECT min(unit_id) FROM "+view+" WHERE pending"), Name: "BR 7.7"}
	other := worker.UnitRef{ID: value[int64](a, "SELECT max(unit_id) FROM "+view+" WHERE pending"), Name: "BR 7.9"}
	first := a.dies(name, unit, other)
	a.recovers(first)
	if run, err := a.Run(a.t.Context(), first); err != nil || !strings.Contains(*run.Error, "The process scr-3/work/4711 stopped answering at ") || !strings.Contains(*run.Error, ", with BR 7.7, BR 7.9 in work;") {
		a.t.Errorf("%s: the reason is %q, %v", name, *run.Error, err)
	}
	suspects, err := a.Suspects(a.t.Context(), name)
	if diff := cmp.Diff([]int64{unit.ID, other.ID}, suspects); diff != "" || err != nil {
		a.t.Errorf("%s: suspects -want +got:\n%s%v", name, diff, err)
	}
	if n := a.pending(name); n != before {
		a.t.Errorf("%s: %d wait after one death, want %d", name, n, before)
	}
	last := a.dies(name, unit)
	a.recovers(last)
	aside, err := a.SetAside(a.t.Context(), name)
	want := []worker.SetAside{{UnitRef: unit, Worker: name, RunID: last, Deaths: 2, Owner: "scr-3/work/4711"}}
	if diff := cmp.Diff(want, aside); diff != "" || err != nil {
		a.t.Errorf("%s: set aside -want +got:\n%s%v", name, diff, err)
	}
	if n := a.pending(name); n != before-1 {
		a.t.Errorf("%s: %d wait after two deaths, want %d", name, n, before-1)
	}
	if value[bool](a, "SELECT pending FROM "+view+" WHERE unit_id = $1", unit.ID) {
		a.t.Errorf("%s: the unit still waits", name)
	}
	run, err := a.Run(a.t.Context(), last)
	if err != nil {
		a.t.Fatal(err)
	}
	failures, err := a.UnitFailures(a.t.Context(), run, 0, 10)
	if err != nil || len(failures) != 1 || failures[0].Unit != unit.ID || !strings.HasPrefix(failures[0].Error, "Set aside: 2 processes in a row died while this was in work, the last was scr-3/work/4711.") {
		a.t.Errorf("%s: the run lists %+v, %v", name, failures, err)
	}
	a.run(name, map[string]any{"limit": 1})
	if n := value[int64](a, "SELECT count(*) FROM execution_log WHERE worker_name = $1 AND unit_id = $2 AND outcome <> 'GIVEN_UP'", name, unit.ID); n != 0 {
		a.t.Errorf("%s: the next run took the unit up", name)
	}
	a.recovers(last) // it does not come back by itself
	if again, err := a.ReleaseUnits(a.t.Context(), name, unit.ID+1_000_000); err != nil || len(again) != 0 {
		a.t.Errorf("%s: released %v, %v", name, again, err)
	}
	waiting := a.pending(name)
	released, err := a.ReleaseUnits(a.t.Context(), name, 0)
	if diff := cmp.Diff([]worker.UnitRef{unit}, released); diff != "" || err != nil {
		a.t.Errorf("%s: released -want +got:\n%s%v", name, diff, err)
	}
	if n := a.pending(name); n != waiting+1 {
		a.t.Errorf("%s: %d wait after the release, want %d", name, n, waiting+1)
	}
}

// TestDeathsThatAreNoUnitsFault are not counted: the run wrote its outcome itself, lost its connection but lives, or the database was restarted.
func TestDeathsThatAreNoUnitsFault(t *testing.T) {
	t.Parallel()
	a := newSample(t)
	a.run(worker.Transfer, nil)
	unit := worker.UnitRef{ID: value[int64](a, "SELECT min(id) FROM documents"), Name: "BR 7.7"}
	alive := a.dies(worker.NamedEntities, unit)
	if err := a.ForgetInWork(t.Context(), alive, "scr-3/work/4711"); err != nil {
		t.Fatal(err)
	}
	a.recovers(alive)
	restarted := a.dies(worker.NamedEntities, unit)
	a.exec("UPDATE units_in_work SET server_started = server_started - interval '1 second' WHERE run_id = $1", restarted)
	a.recovers(restarted)
	if run, err := a.Run(t.Context(), restarted); err != nil || run.Status != worker.Interrupted || strings.Contains(*run.Error, "in work") {
		t.Errorf("%s, %q, %v", run.Status, *run.Error, err)
	}
	a.run(worker.NamedEntities, nil)
	for _, table := range []string{"unit_deaths", "units_in_work"} {
		if n := value[int64](a, "SELECT count(*) FROM "+table); n != 0 {
			t.Errorf("%d rows in %s", n, table)
		}
	}
}

// TestASuspectThatIsSurvived is cleared, so that another death begins to count anew.
func TestASuspectThatIsSurvived(t *testing.T) {
	t.Parallel()
	a := newSample(t)
	a.run(worker.Transfer, nil)
	unit := worker.UnitRef{ID: value[int64](a, "SELECT min(id) FROM documents"), Name: "BR 7.7"}
	a.recovers(a.dies(worker.NamedEntities, unit))
	a.run(worker.NamedEntities, nil)
	if suspects, err := a.Suspects(t.Context(), worker.NamedEntities); err != nil || len(suspects) != 0 {
		t.Errorf("suspects %v, %v", suspects, err)
	}
	a.checkQueues()
}
