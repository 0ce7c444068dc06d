package engine_test

import (
	"context"
	"errors"
	"testing"

	"scrinalia/engine"
	engines "scrinalia/engine/all"
	"scrinalia/worker"

	"github.com/google/go-cmp/cmp"
)

// TestWatchedEngines answer as the engine does, on every axis, and every call is told.
func TestWatchedEngines(t *testing.T) {
	t.Parallel()
	var calls []engine.Call
	var failed []error
	type key struct{}
	watch := func(ctx context.Context, c engine.Call) (context.Context, func(error)) {
		calls = append(calls, c)
		return context.WithValue(ctx, key{}, true), func(err error) { failed = append(failed, err) }
	}
	regs := engines.Registrations("")
	for i := range regs {
		regs[i] = regs[i].Watched(watch)
	}
	r := engine.NewRegistry(regs...)
	describe := func(axis worker.Axis) engine.Description {
		d, err := r.Describe(axis, "", "", nil)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	ner, err := r.NewNER(describe(worker.NER))
	if err == nil {
		_, err = ner.Entities(t.Context(), []string{"Ana", "Rui"})
	}
	c, err2 := r.NewClassifier(describe(worker.Classification))
	if err2 == nil {
		_, err2 = c.Classify(t.Context(), []string{"Planta"}, []string{"Planta", "Mapa"})
	}
	e, err3 := r.NewEmbedder(describe(worker.Embeddings))
	if err3 == nil {
		_, err3 = e.Embed(t.Context(), []string{"ponte"})
	}
	j, err4 := r.NewJudge(describe(worker.LLMs))
	if err4 == nil {
		_, err4 = j.Judge(t.Context(), []engine.Pair{{Tag: "obras", Entity: "Obras"}})
	}
	tc, err5 := r.NewTitleChecker(describe(worker.TitleQuality))
	if err5 == nil {
		_, err5 = tc.Check(t.Context(), []string{"Ponte"})
	}
	if err := errors.Join(err, err2, err3, err4, err5); err != nil {
		t.Fatal(err)
	}
	want := []engine.Call{}
	for i, axis := range engine.Axes {
		d := describe(axis)
		want = append(want, engine.Call{Axis: axis, Engine: d.Engine, Preset: d.Preset, Units: []int{2, 1, 1, 1, 1}[i]})
	}
	if diff := cmp.Diff(want, calls); diff != "" || len(failed) != 5 || errors.Join(failed...) != nil {
		t.Errorf("%v %s", failed, diff)
	}
}
