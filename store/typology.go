package store

import (
	"context"

	"scrinalia/store/db"
	"scrinalia/worker"
)

// Typologies returns the active typologies.
func (s *Store) Typologies(ctx context.Context) ([]worker.Label, error) {
	rows, err := s.q.ListTypologies(ctx)
	if err != nil {
		return nil, translate("list typologies", err)
	}
	labels := make([]worker.Label, len(rows))
	for i, r := range rows {
		labels[i] = worker.Label{ID: r.ID, Name: r.Name}
	}
	return labels, nil
}

// ClaimTypology returns the next documents without a typology, with the text of these columns.
func (s *Store) ClaimTypology(ctx context.Context, columns []string, after, size int64, force bool) ([]worker.Reading, error) {
	rows, err := s.q.ClaimTypology(ctx, db.ClaimTypologyParams{Columns: columns, After: after, Force: force, MaxRows: int32(size)})
	if err != nil {
		return nil, translate("claim typology", err)
	}
	readings := make([]worker.Reading, len(rows))
	for i, r := range rows {
		readings[i] = reading(r.UnitID, r.UnitName, r.Value)
	}
	return readings, nil
}

// ApplyTypologies sets and scores documents that have no typology yet (with force: or one that a run set), that no human decided on and that
// still say what was read, and stamps them.
func (s *Store) ApplyTypologies(ctx context.Context, runID int64, o worker.Common, columns []string, filings []worker.Filing) (counts worker.Counts, err error) {
	err = s.inRunTx(ctx, "apply typologies", runID, o.DryRun, &counts, func(q *db.Queries) error {
		stamps := newStamping(worker.Typology, "document", runID)
		locked, err := q.LockUntyped(ctx, db.LockUntypedParams{Columns: columns, Ids: filedIDs(filings), Force: o.Force})
		if err != nil {
			return err
		}
		for _, l := range locked {
			stamps.now[l.ID] = l.Fingerprint
		}
		var set db.SetTypologiesParams
		scores := db.SaveTypologyScoresParams{RunID: runID}
		for _, f := range filings {
			if !stamps.fresh(f.Reading) {
				continue
			}
			stamps.add(f.Reading, f.Set, f.Error)
			if f.Error != "" {
				continue
			}
			scores.Ids, scores.Typologies, scores.Scores = append(scores.Ids, f.Reading.ID), append(scores.Typologies, f.Label), append(scores.Scores, float32(f.Score))
			set.Ids, set.Typologies = append(set.Ids, f.Reading.ID), append(set.Typologies, settledLabel(f))
		}
		counts = stamps.counts
		if err := q.JournalTypologies(ctx, db.JournalTypologiesParams{RunID: runID, Ids: set.Ids, Typologies: set.Typologies}); err != nil {
			return err
		}
		if err := q.SetTypologies(ctx, set); err != nil {
			return err
		}
		if err := q.SaveTypologyScores(ctx, scores); err != nil {
			return err
		}
		return q.StampUnits(ctx, stamps.StampUnitsParams)
	})
	return counts, err
}

func filedIDs(filings []worker.Filing) []int64 {
	ids := make([]int64, len(filings))
	for i, f := range filings {
		ids[i] = f.Reading.ID
	}
	return ids
}

// settledLabel is the label that a unit gets; 0 is none.
func settledLabel(f worker.Filing) int32 {
	if f.Set {
		return f.Label
	}
	return 0
}
