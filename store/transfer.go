package store

import (
	"context"
	"slices"

	"scrinalia/store/db"
	"scrinalia/worker"

	"github.com/jackc/pgx/v5"
)

// The notes of a transfer.
const (
	noteCreated      = "created"
	noteRenewed      = "renewed"
	noteUnknownLevel = "unknown_level"
	noteOrphans      = "orphans"
	noteAdopted      = "adopted"
	noteTagsLinked   = "tags_linked"
	noteTagsUnlinked = "tags_unlinked"
)

// TransferBatch transfers the next records in one transaction. When the data of some record breaks the set, the set is halved
// until that record stands alone; it is stamped as failed and the others go on.
func (s *Store) TransferBatch(ctx context.Context, runID int64, o worker.Common, after, size int64) (worker.Batch, error) {
	b := worker.Batch{Notes: map[string]worker.Note{}}
	err := translate("transfer", pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		ids, err := s.q.WithTx(tx).ClaimTransfer(ctx, db.ClaimTransferParams{After: after, Force: o.Force, MaxRows: int32(size)})
		if err != nil || len(ids) == 0 {
			return err
		}
		b.Seen, b.Last = len(ids), ids[len(ids)-1]
		if err := s.transferSet(ctx, tx, runID, ids, &b); err != nil {
			return err
		}
		return endBatch(ctx, s.q.WithTx(tx), runID, o.DryRun, b.Counts)
	}))
	return b, ignoreDryRun(err)
}

// transferSet transfers a set below a savepoint, or its halves.
func (s *Store) transferSet(ctx context.Context, tx pgx.Tx, runID int64, ids []int64, b *worker.Batch) error {
	notes := map[string]worker.Note{}
	var done int
	err := pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) (err error) {
		done, err = transferRecords(ctx, s.q.WithTx(tx), runID, ids, notes)
		return err
	})
	if err == nil {
		b.Processed += int64(done)
		b.Skipped += int64(len(ids) - done) // decided on by a human since the claim
		mergeNotes(b.Notes, notes)
		return nil
	}
	message, bad := dataError(err)
	if !bad {
		return err
	}
	if len(ids) > 1 {
		half := len(ids) / 2
		if err := s.transferSet(ctx, tx, runID, ids[:half], b); err != nil {
			return err
		}
		return s.transferSet(ctx, tx, runID, ids[half:], b)
	}
	b.Failed++
	return s.q.WithTx(tx).FailTransfer(ctx, db.FailTransferParams{ID: ids[0], RunID: runID, Error: CleanText(message, 2000)})
}

func transferRecords(ctx context.Context, q *db.Queries, runID int64, ids []int64, notes map[string]worker.Note) (int, error) {
	rows, err := q.TransferDocuments(ctx, ids)
	if err != nil {
		return 0, err
	}
	done := make([]int64, 0, len(rows))
	var unknown []int64
	for _, r := range rows {
		done = append(done, r.ID)
		if r.UnknownLevel {
			unknown = append(unknown, r.ID)
		}
		if r.Created {
			count(notes, noteCreated, 1)
		} else {
			count(notes, noteRenewed, 1)
		}
	}
	if err := noteUnknownLevels(ctx, q, unknown, notes); err != nil {
		return 0, err
	}
	tagged, err := q.TagTransferred(ctx, done)
	if err != nil {
		return 0, err
	}
	count(notes, noteTagsLinked, tagged.Linked)
	count(notes, noteTagsUnlinked, tagged.Unlinked)
	if err := placeRecords(ctx, q, done, notes); err != nil {
		return 0, err
	}
	return len(done), q.StampTransfer(ctx, db.StampTransferParams{Ids: done, RunID: runID})
}

// placeRecords finds the parents of the batch, and adopts the orphans that waited for it.
func placeRecords(ctx context.Context, q *db.Queries, ids []int64, notes map[string]worker.Note) error {
	if err := q.PlaceTransferred(ctx, ids); err != nil {
		return err
	}
	adopted, err := adoptOrphans(ctx, q, ids)
	if err != nil {
		return err
	}
	orphans, err := q.CountOrphans(ctx, ids)
	count(notes, noteOrphans, orphans)
	count(notes, noteAdopted, adopted)
	return err
}

// adoptOrphans places the orphans that waited for the batch, then those that waited for them: the members of a circle that was mended come
// back one after the other. Each is placed once, so that a circle that is still closed ends it.
func adoptOrphans(ctx context.Context, q *db.Queries, ids []int64) (adopted int64, err error) {
	placed := map[int64]bool{}
	for next := ids; len(next) > 0; {
		for _, id := range next {
			placed[id] = true
		}
		found, err := q.ListAdoptable(ctx, next)
		if err != nil {
			return adopted, err
		}
		next = slices.DeleteFunc(found, func(id int64) bool { return placed[id] })
		if len(next) == 0 {
			break
		}
		if err := q.PlaceTransferred(ctx, next); err != nil {
			return adopted, err
		}
		adopted += int64(len(next))
	}
	return adopted, nil
}

func noteUnknownLevels(ctx context.Context, q *db.Queries, ids []int64, notes map[string]worker.Note) error {
	if len(ids) == 0 {
		return nil
	}
	count(notes, noteUnknownLevel, int64(len(ids)))
	names, err := q.NameRecords(ctx, ids[:min(len(ids), maxExamples)])
	if err != nil {
		return err
	}
	n := notes[noteUnknownLevel]
	for _, r := range names {
		level := r.Level
		if level == "" {
			level = "-"
		}
		n.Examples = append(n.Examples, CleanText(r.Name+": "+level, 120))
	}
	notes[noteUnknownLevel] = n
	return nil
}

// maxExamples is how many examples a note keeps.
const maxExamples = 5

func count(notes map[string]worker.Note, name string, n int64) {
	if n == 0 {
		return
	}
	note := notes[name]
	note.Count += n
	notes[name] = note
}

func mergeNotes(into, from map[string]worker.Note) {
	for name, n := range from {
		have := into[name]
		have.Count += n.Count
		have.Examples = append(have.Examples, n.Examples[:min(len(n.Examples), max(0, maxExamples-len(have.Examples)))]...)
		into[name] = have
	}
}
