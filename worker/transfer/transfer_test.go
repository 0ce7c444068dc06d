package transfer_test

import (
	"context"
	"errors"
	"testing"

	"scrinalia/worker"
	"scrinalia/worker/transfer"

	"github.com/google/go-cmp/cmp"
)

// staging is a store of records 1 to n.
type staging struct {
	n    int64
	fail int64 // the record at which the store gives up; 0 for none
	got  []call
	most int64 // the most records that were asked for at once
}

type call struct {
	Run        int64
	Dry, Force bool
	After      int64
}

var errStore = errors.New("the store gave up")

// TransferBatch counts the records of a batch as processed.
func (s *staging) TransferBatch(_ context.Context, run int64, o worker.Common, after, size int64) (worker.Batch, error) {
	s.got = append(s.got, call{run, o.DryRun, o.Force, after})
	s.most = max(s.most, size)
	last := min(after+size, s.n)
	if s.fail > after && s.fail <= last {
		return worker.Batch{}, errStore
	}
	return worker.Batch{Last: last, Seen: int(last - after), Counts: worker.Counts{Processed: last - after}}, nil
}

// run resolves the arguments of a run as the executor does and carries it out; it returns what the run reported.
func run(t *testing.T, s *staging, options map[string]any) (worker.Counts, error) {
	t.Helper()
	r, err := worker.Resolve(transfer.New(s), worker.Settings{}, worker.Settings{Options: options})
	if err != nil {
		t.Fatal(err)
	}
	var sum worker.Counts
	err = r.Task(t.Context(), worker.Env{RunID: 7, Report: func(_ context.Context, b worker.Batch) error {
		sum = sum.Add(b.Counts)
		return nil
	}})
	return sum, err
}

func TestRun(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		options   map[string]any
		want      []call
		most      int64
		processed int64
	}{
		{"as configured", nil, []call{{7, false, false, 0}, {7, false, false, 12}}, 5000, 12},
		{"in batches, to the end of the queue", map[string]any{"batch_size": 5}, []call{{7, false, false, 0}, {7, false, false, 5}, {7, false, false, 10}, {7, false, false, 12}}, 5, 12},
		{"limited", map[string]any{"batch_size": 5, "limit": 7}, []call{{7, false, false, 0}, {7, false, false, 5}}, 5, 7},
		{"forced, each record once", map[string]any{"batch_size": 12, "force": true}, []call{{7, false, true, 0}, {7, false, true, 12}}, 12, 12},
		{"a simulation", map[string]any{"dry_run": true, "limit": 1}, []call{{7, true, false, 0}}, 1, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := &staging{n: 12}
			counts, err := run(t, s, tt.options)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, s.got); diff != "" {
				t.Errorf("what the store was asked for: -want +got:\n%s", diff)
			}
			if counts.Processed != tt.processed || s.most != tt.most {
				t.Errorf("%d reported and up to %d at once, want %d and %d", counts.Processed, s.most, tt.processed, tt.most)
			}
		})
	}
}

// TestRunStopsOnAnError keeps what was committed and goes no further.
func TestRunStopsOnAnError(t *testing.T) {
	t.Parallel()
	s := &staging{n: 12, fail: 8}
	counts, err := run(t, s, map[string]any{"batch_size": 5})
	if !errors.Is(err, errStore) || counts.Processed != 5 || len(s.got) != 2 {
		t.Errorf("%v after %d records and %d batches, want the store's error after 5 and 2", err, counts.Processed, len(s.got))
	}
}

// TestDeclaration: transfer needs no engine, and refuses what it has no use for.
func TestDeclaration(t *testing.T) {
	t.Parallel()
	d := transfer.New(nil)
	if d.Name != worker.Transfer || d.Order != 1 || d.Unit != worker.StagingRecord || d.Governed || d.EngineSource != worker.EngineNone {
		t.Errorf("declared as %+v", d.Spec)
	}
	for field, s := range map[string]worker.Settings{
		"engine":     {Engine: "builtin"},
		"batch_size": {BatchSize: 0},
		"limit":      {Options: map[string]any{"limit": -1}},
		"colour":     {Options: map[string]any{"colour": "red"}},
	} {
		_, err := worker.Resolve(d, worker.Settings{}, s)
		e, ok := errors.AsType[*worker.Error](err)
		if !ok || e.Kind != worker.Invalid || e.Fields[field] == "" {
			t.Errorf("%s: %v", field, err)
		}
	}
}
