package worker_test

import (
	"context"
	"testing"

	"scrinalia/worker"

	"github.com/google/go-cmp/cmp"
)

// TestInferNotesWhatIsInWork: units are noted before the engine sees them; a suspect is alone, noted alone, and cleared when it did no harm.
func TestInferNotesWhatIsInWork(t *testing.T) {
	t.Parallel()
	var noted [][]int64
	var survived []int64
	watch := worker.NewWatch([]int64{5, 6}, func(_ context.Context, units []worker.UnitRef) error {
		var ids []int64
		for _, u := range units {
			ids = append(ids, u.ID)
		}
		noted = append(noted, ids)
		return nil
	}, func(_ context.Context, unit int64) error {
		survived = append(survived, unit)
		return nil
	})
	units := make([]worker.UnitRef, 12)
	inputs := make([]int64, len(units))
	for i := range units {
		units[i] = worker.UnitRef{ID: int64(i + 1)}
		inputs[i] = int64(i + 1)
	}
	var chunks [][]int64
	out, err := worker.Infer(t.Context(), watch, units, inputs, func(_ context.Context, in []int64) ([]int64, error) {
		last := noted[len(noted)-1]
		if first, end := in[0], in[len(in)-1]; first < last[0] || end > last[len(last)-1] {
			t.Errorf("%v are in work, noted were %v", in, last)
		}
		chunks = append(chunks, in)
		return in, nil
	})
	if err != nil || len(out) != len(inputs) {
		t.Fatal(out, err)
	}
	if diff := cmp.Diff([][]int64{{1}, {2, 3}, {4}, {5}, {6}, {7, 8, 9, 10}, {11, 12}}, chunks); diff != "" {
		t.Errorf("together: -want +got:\n%s", diff)
	}
	if diff := cmp.Diff([][]int64{{1}, {2, 3, 4}, {5}, {6}, {7, 8, 9, 10, 11, 12}}, noted); diff != "" {
		t.Errorf("noted: -want +got:\n%s", diff)
	}
	many := make([]worker.UnitRef, 100)
	var suspects []int64
	for i := range many {
		many[i].ID = int64(i + 1)
		suspects = append(suspects, int64(i+1))
	}
	careful := worker.NewWatch(suspects, func(context.Context, []worker.UnitRef) error { return nil }, func(context.Context, int64) error { return nil })
	if out, err := worker.Infer(t.Context(), careful, many, make([]int64, len(many)), func(_ context.Context, in []int64) ([]int64, error) { return in, nil }); err != nil || len(out) != len(many) {
		t.Errorf("%d of many suspects, %v", len(out), err)
	}
	if diff := cmp.Diff([]int64{5, 6}, survived); diff != "" {
		t.Errorf("survived: -want +got:\n%s", diff)
	}
}
