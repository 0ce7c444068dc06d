package executor_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"scrinalia/executor"
	"scrinalia/worker"

	"github.com/google/go-cmp/cmp"
)

// newPipeline is a bench whose workers a, b, c are in this order.
func newPipeline(t *testing.T, a, b, c work) *bench {
	t.Helper()
	bench := newBench(t, nil)
	var defs []worker.Definition
	for i, do := range []work{a, b, c} {
		defs = append(defs, worker.Define(worker.Spec{Name: string(rune('a' + i)), Order: i + 1}, options{BatchSize: 10, Word: "default"}, do))
	}
	bench.catalogue = worker.NewCatalogue(defs...)
	return bench
}

func succeeds(context.Context, worker.Env, options) error { return nil }

func fails(context.Context, worker.Env, options) error { return errors.New("it broke") }

var everything = worker.PipelineRequest{Trigger: worker.Panel, RequestedBy: "test"}

func (b *bench) awaitPipeline(id int64, want worker.Status) worker.Pipeline {
	b.t.Helper()
	var p worker.Pipeline
	b.await("pipeline "+string(want), func() bool {
		var err error
		if p, err = b.Pipeline(b.t.Context(), id); err != nil {
			b.t.Fatal(err)
		}
		return !p.Active()
	})
	if p.Status != want {
		b.t.Errorf("the pipeline ended %s, want %s", p.Status, want)
	}
	return p
}

// ran lists the runs of a pipeline with their outcomes.
func ran(p worker.Pipeline) string {
	var said []string
	for _, r := range p.Runs {
		said = append(said, r.Worker+" "+string(r.Status))
	}
	return strings.Join(said, ", ")
}

func TestPipelineRunsEveryWorkerInOrder(t *testing.T) {
	t.Parallel()
	b := newPipeline(t, succeeds, succeeds, succeeds)
	e := b.started()
	p, err := e.RunPipeline(t.Context(), everything)
	if err != nil {
		t.Fatal(err)
	}
	p = b.awaitPipeline(p.ID, worker.Success)
	if got := ran(p); got != "a SUCCESS, b SUCCESS, c SUCCESS" {
		t.Error(got)
	}
	for _, r := range p.Runs {
		if r.RequestedBy != "test" || r.Trigger != worker.Panel || r.PipelineID == nil || *r.PipelineID != p.ID {
			t.Errorf("%+v", r)
		}
	}
	if _, err := e.RunPipeline(t.Context(), everything); err != nil {
		t.Errorf("a second one after the first: %v", err)
	}
}

func TestPipelineStopsAtTheFirstFailure(t *testing.T) {
	t.Parallel()
	b := newPipeline(t, succeeds, fails, succeeds)
	p, err := b.started().RunPipeline(t.Context(), everything)
	if err != nil {
		t.Fatal(err)
	}
	if got := ran(b.awaitPipeline(p.ID, worker.Failed)); got != "a SUCCESS, b FAILED" {
		t.Error(got)
	}
}

func TestPipelineIsCancelledAsAWhole(t *testing.T) {
	t.Parallel()
	started := make(chan int64, 1)
	b := newPipeline(t, succeeds, waiting(started), succeeds)
	e := b.started()
	p, err := e.RunPipeline(t.Context(), everything)
	if err != nil {
		t.Fatal(err)
	}
	<-started
	_, err = b.executor(0).RunPipeline(t.Context(), everything)
	if worker.KindOf(err) != worker.Conflict || !strings.Contains(err.Error(), "started by test") {
		t.Errorf("a second one: %v", err)
	}
	if p, err = b.executor(0).CancelPipeline(t.Context(), p.ID, "somebody else"); err != nil || *p.CancelRequestedBy != "somebody else" {
		t.Fatalf("%+v %v", p, err)
	}
	if got := ran(b.awaitPipeline(p.ID, worker.Cancelled)); got != "a SUCCESS, b CANCELLED" {
		t.Error(got)
	}
	if _, err := e.CancelPipeline(t.Context(), p.ID, "again"); worker.KindOf(err) != worker.Conflict {
		t.Errorf("cancelled twice: %v", err)
	}
	if _, err := e.CancelPipeline(t.Context(), 99, "nobody"); worker.KindOf(err) != worker.NotFound {
		t.Errorf("no such pipeline: %v", err)
	}
}

// TestPipelineWaitsForARunInTheWay: somebody else's run of the next worker is no failure; the pipeline goes on when it ends.
func TestPipelineWaitsForARunInTheWay(t *testing.T) {
	t.Parallel()
	started, goOn := make(chan int64, 3), make(chan struct{})
	slow := func(_ context.Context, env worker.Env, _ options) error {
		started <- env.RunID
		<-goOn
		return nil
	}
	b := newPipeline(t, slow, succeeds, succeeds)
	done := runHere(t.Context(), b.executor(0), "a")
	<-started
	p, err := b.started().RunPipeline(t.Context(), everything)
	if err != nil || len(p.Runs) != 0 || !p.Active() {
		t.Fatalf("%+v %v", p, err)
	}
	close(goOn)
	if r := <-done; r.err != nil {
		t.Fatal(r.err)
	}
	if got := ran(b.awaitPipeline(p.ID, worker.Success)); got != "a SUCCESS, b SUCCESS, c SUCCESS" {
		t.Error(got)
	}
}

// TestPipelineIsRecovered: what a process that died left between two runs goes on; the pipeline that it did itself ends.
func TestPipelineIsRecovered(t *testing.T) {
	t.Parallel()
	b := newPipeline(t, succeeds, succeeds, succeeds)
	id, _, err := b.StartPipeline(t.Context(), everything, b.catalogue.Names(), false) // and nobody did its first step
	if err != nil {
		t.Fatal(err)
	}
	b.started()
	b.awaitPipeline(id, worker.Success)

	id, release, err := b.StartPipeline(t.Context(), everything, b.catalogue.Names(), true)
	if err != nil {
		t.Fatal(err)
	}
	e := b.executor(0)
	if _, err := e.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	if p, err := b.Pipeline(t.Context(), id); err != nil || !p.Active() {
		t.Fatalf("its process is alive: %+v %v", p, err)
	}
	release()
	b.await("its lock to be gone", func() bool {
		active, err := b.PipelinesUnderWay(t.Context())
		return err == nil && len(active) == 1 && !active[0].Held
	})
	if _, err := e.RunPipeline(t.Context(), everything); err != nil { // recovers what is in its way
		t.Fatal(err)
	}
	if p := b.awaitPipeline(id, worker.Interrupted); p.Error == nil || len(p.Runs) != 0 {
		t.Errorf("%+v", p)
	}
}

// TestPipelineStepsOnce whoever does the step: many that try at once start one run.
func TestPipelineStepsOnce(t *testing.T) {
	t.Parallel()
	b := newPipeline(t, succeeds, succeeds, succeeds)
	id, _, err := b.StartPipeline(t.Context(), everything, b.catalogue.Names(), false)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 6 {
		e := b.executor(0)
		all.Go(func() {
			if _, err := e.Recover(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if p, err := b.Pipeline(t.Context(), id); err != nil || ran(p) != "a QUEUED" {
		t.Errorf("%s %v", ran(p), err)
	}
}

func TestPipelineInThisProcess(t *testing.T) {
	t.Parallel()
	started := make(chan int64, 1)
	b := newPipeline(t, succeeds, waiting(started), succeeds)
	b.started() // goes on with nobody else's pipeline
	var ended []string
	done := make(chan worker.Pipeline, 1)
	e := b.executor(0)
	go func() {
		p, err := e.RunPipelineHere(t.Context(), everything, nil, func(r worker.Run) { ended = append(ended, r.Worker+" "+string(r.Status)) })
		if err != nil {
			t.Error(err)
		}
		done <- p
	}()
	<-started
	active, err := b.ActivePipeline(t.Context())
	if err != nil || active == nil || active.Current() == nil {
		t.Fatalf("%+v %v", active, err)
	}
	if _, err := b.executor(0).CancelPipeline(t.Context(), active.ID, "the panel"); err != nil {
		t.Fatal(err)
	}
	p := <-done
	if d := cmp.Diff([]string{"a SUCCESS", "b CANCELLED"}, ended); d != "" || p.Status != worker.Cancelled || len(p.Runs) != 2 {
		t.Errorf("%s %s", d, p.Status)
	}
}

func TestPipelineInThisProcessIsStopped(t *testing.T) {
	t.Parallel()
	started := make(chan int64, 1)
	b := newPipeline(t, waiting(started), succeeds, succeeds)
	ctx, stop := context.WithCancelCause(t.Context())
	e := b.executor(0)
	go func() {
		<-started
		stop(executor.ErrCancelled)
	}()
	p, err := e.RunPipelineHere(ctx, everything, nil, func(worker.Run) {})
	if err != nil || p.Status != worker.Cancelled || ran(p) != "a CANCELLED" {
		t.Errorf("%s %s %v", p.Status, ran(p), err)
	}
}

// TestPipelineIsRefused before anything starts, when one of the workers does not take the arguments.
func TestPipelineIsRefused(t *testing.T) {
	t.Parallel()
	b := newPipeline(t, succeeds, succeeds, succeeds)
	r := everything
	r.Arguments.Options = map[string]any{"colour": "red"}
	if _, err := b.executor(0).RunPipeline(t.Context(), r); worker.KindOf(err) != worker.Invalid {
		t.Errorf("%v, want a refusal", err)
	}
	if n := b.count("SELECT count(*) FROM pipelines"); n != 0 {
		t.Errorf("%d pipelines", n)
	}
}
