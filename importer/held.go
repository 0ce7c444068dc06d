package importer

import (
	"context"
	"errors"
)

// errStopped: the sink wants no more records.
var errStopped = errors.New("the sink stopped")

const (
	maxHeld      = 500
	maxHeldBytes = 4 << 20 // of raw records
)

// held are records of an export that wait, in their order, for the sink to be
// asked about all of them at once: one that staging has the source of takes
// the source's content hash, and is no news.
type held struct {
	known func(ctx context.Context, ids []string) (map[string]Source, error)
	yield func(Record) bool
	rows  []row
	bytes int
}

// take yields the record of r, at once unless it is marked.
func (h *held) take(ctx context.Context, r row) error {
	if r.marked && h.known != nil {
		h.rows = append(h.rows, r)
		h.bytes += len(r.Raw)
		if len(h.rows) < maxHeld && h.bytes < maxHeldBytes {
			return nil
		}
		return h.flush(ctx)
	}
	if err := h.flush(ctx); err != nil {
		return err
	}
	return h.pass(r)
}

// flush yields what was held.
func (h *held) flush(ctx context.Context) error {
	if len(h.rows) == 0 {
		return nil
	}
	ids := make([]string, len(h.rows))
	for i, r := range h.rows {
		ids[i] = r.DescriptionID
	}
	sources, err := h.known(ctx, ids)
	if err != nil {
		return err
	}
	for _, r := range h.rows {
		if has, ok := sources[r.DescriptionID]; ok && has.equal(r.source) {
			r.ContentHash = has.ContentHash
		}
		if err := h.pass(r); err != nil {
			return err
		}
	}
	clear(h.rows)
	h.rows, h.bytes = h.rows[:0], 0
	return nil
}

func (h *held) pass(r row) error {
	if !h.yield(r.Record) {
		return errStopped
	}
	return nil
}
