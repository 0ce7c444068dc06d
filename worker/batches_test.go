package worker_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"scrinalia/worker"

	"github.com/google/go-cmp/cmp"
)

// ask is what a step was asked for.
type ask struct{ After, Size int64 }

// queue is a step over units with these keys.
func queue(keys []int64, asked *[]ask) worker.Step {
	return func(_ context.Context, after, size int64) (worker.Batch, error) {
		*asked = append(*asked, ask{after, size})
		i, found := slices.BinarySearch(keys, after)
		if found {
			i++
		}
		part := keys[i:min(len(keys), i+int(size))]
		if len(part) == 0 {
			return worker.Batch{}, nil
		}
		return worker.Batch{Last: part[len(part)-1], Seen: len(part), Counts: worker.Counts{Processed: int64(len(part))}}, nil
	}
}

func TestBatches(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name        string
		keys        []int64
		limit, size int64
		want        []ask
		processed   int64
	}{
		{"empty queue", nil, 0, 3, []ask{{0, 3}}, 0},
		{"the cursor is the last key", []int64{2, 5, 9, 11}, 0, 3, []ask{{0, 3}, {9, 3}, {11, 2}}, 4},
		{"limit within a batch", []int64{1, 2, 3, 4, 5}, 2, 3, []ask{{0, 2}}, 2},
		{"limit over batches", []int64{1, 2, 3, 4, 5}, 4, 3, []ask{{0, 3}, {3, 1}}, 4},
		{"limit beyond the end", []int64{1, 2}, 9, 5, []ask{{0, 5}, {2, 4}}, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var asked []ask
			var sum worker.Counts
			env := worker.Env{Report: func(_ context.Context, b worker.Batch) error {
				sum = sum.Add(b.Counts)
				return nil
			}}
			if err := worker.Batches(t.Context(), env, tt.limit, tt.size, queue(tt.keys, &asked)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, asked); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if sum.Processed != tt.processed {
				t.Errorf("reported %d, want %d", sum.Processed, tt.processed)
			}
		})
	}
}

var errStop = errors.New("stop")

func TestBatchesStops(t *testing.T) {
	t.Parallel()
	cancelled, cancel := context.WithCancelCause(t.Context())
	cancel(errStop)
	step := func(err error) worker.Step {
		return func(context.Context, int64, int64) (worker.Batch, error) { return worker.Batch{Last: 1, Seen: 1}, err }
	}
	report := func(err error) func(context.Context, worker.Batch) error {
		return func(context.Context, worker.Batch) error { return err }
	}
	tests := []struct {
		name string
		ctx  context.Context
		env  worker.Env
		step worker.Step
	}{
		{"on the step's error, unreported", t.Context(), worker.Env{Report: report(errors.New("reported"))}, step(errStop)},
		{"when the report says so", t.Context(), worker.Env{Report: report(errStop)}, step(nil)},
		{"with the context's cause, before the next step", cancelled, worker.Env{Report: report(nil)}, step(errors.New("stepped"))},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if err := worker.Batches(tt.ctx, tt.env, 0, 1, tt.step); !errors.Is(err, errStop) {
				t.Errorf("got %v, want %v", err, errStop)
			}
		})
	}
}
