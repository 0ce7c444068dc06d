package store

import (
	"context"
	"encoding/binary"
	"math"

	"scrinalia/store/db"
	"scrinalia/worker"
)

// ClaimEmbedding returns the next documents with their whole text.
func (s *Store) ClaimEmbedding(ctx context.Context, after, size int64, force bool) ([]worker.Reading, error) {
	rows, err := s.q.ClaimEmbedding(ctx, db.ClaimEmbeddingParams{After: after, Force: force, MaxRows: int32(size)})
	if err != nil {
		return nil, translate("claim embedding", err)
	}
	readings := make([]worker.Reading, len(rows))
	for i, r := range rows {
		readings[i] = reading(r.UnitID, r.UnitName, r.Value)
	}
	return readings, nil
}

// ApplyVectors stores the vectors of documents that nobody rejected and that still say what was read, and stamps them. Vectors that other models
// made of an older text are emptied: they would be found by what the document no longer says.
func (s *Store) ApplyVectors(ctx context.Context, runID int64, dry bool, model string, placements []worker.Placement) (counts worker.Counts, err error) {
	ids := make([]int64, len(placements))
	for i, p := range placements {
		ids[i] = p.Reading.ID
	}
	err = s.inRunTx(ctx, "apply vectors", runID, dry, &counts, func(q *db.Queries) error {
		stamps := newStamping(worker.Embedding, "document", runID)
		locked, err := q.LockIndexable(ctx, ids)
		if err != nil {
			return err
		}
		for _, l := range locked {
			stamps.now[l.ID] = l.Fingerprint
		}
		save := db.SaveVectorsParams{Model: model, RunID: runID}
		for _, p := range placements {
			if !stamps.fresh(p.Reading) {
				continue
			}
			stamps.add(p.Reading, false, p.Error)
			if p.Error != "" {
				continue
			}
			save.Ids, save.Fingerprints = append(save.Ids, p.Reading.ID), append(save.Fingerprints, p.Reading.Fingerprint)
			save.Vectors = append(save.Vectors, encodeVector(p.Vector))
		}
		counts = stamps.counts
		if err := q.SaveVectors(ctx, save); err != nil {
			return err
		}
		if err := q.DropOldVectors(ctx, db.DropOldVectorsParams{Ids: stamps.UnitIds, Fingerprints: stamps.Fingerprints}); err != nil {
			return err
		}
		return q.StampUnits(ctx, stamps.StampUnitsParams)
	})
	return counts, err
}

// encodeVector writes little-endian 32-bit floats; no vector is nil.
func encodeVector(v []float32) []byte {
	if v == nil {
		return nil
	}
	out := make([]byte, 0, 4*len(v))
	for _, f := range v {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(f))
	}
	return out
}
