package search

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"scrinalia/vector"
)

// neighbours holds the vectors of the model in use, and of no other: vectors of two models are never compared. It is loaded by the
// first search and then asks for what changed.
type neighbours struct {
	store Store
	log   *slog.Logger
	turn  chan struct{} // who holds it may touch what is below
	model string
	since string // the horizon of what was read
	index *vector.Index
}

func newNeighbours(store Store, log *slog.Logger) *neighbours {
	return &neighbours{store: store, log: log, turn: make(chan struct{}, 1)}
}

// errLoading says that the vectors are still being read.
var errLoading = errors.New("the vectors are being loaded")

// loadWithin bounds the reading of all vectors, which goes on after the search that asked for it has given up waiting.
const loadWithin = 10 * time.Minute

// fresh returns an index with every vector of the model that was committed before the call. It fails with errLoading when that takes
// longer than patience; the reading goes on, for the next search.
func (n *neighbours) fresh(ctx context.Context, model string, patience time.Duration) (*vector.Index, error) {
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case n.turn <- struct{}{}:
	case <-late.C:
		return nil, errLoading
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	type outcome struct {
		index *vector.Index
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		defer func() { <-n.turn }()
		within, cancel := context.WithTimeout(context.WithoutCancel(ctx), loadWithin)
		defer cancel()
		err := n.refresh(within, model)
		done <- outcome{n.index, err}
	}()
	select {
	case o := <-done:
		return o.index, o.err
	case <-late.C:
		return nil, errLoading
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// refresh reads what changed. Reading a vector again does no harm, so what fails half-way is read again from the same horizon.
func (n *neighbours) refresh(ctx context.Context, model string) error {
	if n.model != model || n.index == nil {
		n.model, n.since, n.index = model, "", new(vector.Index)
	}
	begin, read := time.Now(), 0
	horizon, err := n.store.ChangedVectors(ctx, model, n.since, func(id int64, v []float32) error {
		read++
		return n.put(ctx, id, v)
	})
	if err != nil {
		return err
	}
	if n.since == "" {
		n.log.InfoContext(ctx, "vectors loaded", "model", model, "vectors", n.index.Len(), "bytes", n.index.Bytes(), "duration_ms", time.Since(begin).Milliseconds())
	}
	n.since = horizon
	return nil
}

func (n *neighbours) put(ctx context.Context, id int64, v []float32) error {
	if len(v) == 0 {
		n.index.Remove(id)
		return nil
	}
	err := n.index.Put(id, v)
	if errors.Is(err, vector.ErrLength) || errors.Is(err, vector.ErrDirection) {
		n.log.WarnContext(ctx, "a vector cannot be compared", "document", id, "model", n.model, "values", len(v), "err", err)
		n.index.Remove(id)
		return nil
	}
	return err
}
