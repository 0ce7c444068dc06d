package store

import (
	"context"

	"scrinalia/store/db"
	"scrinalia/worker"
)

// SubjectLabels returns the active subject categories with the label that classifiers are offered.
func (s *Store) SubjectLabels(ctx context.Context) ([]worker.Label, error) {
	rows, err := s.q.ListSubjectLabels(ctx)
	if err != nil {
		return nil, translate("list subject categories", err)
	}
	labels := make([]worker.Label, len(rows))
	for i, r := range rows {
		labels[i] = worker.Label{ID: r.ID, Name: r.Label}
	}
	return labels, nil
}

// Exclusions returns the terms that are no subject.
func (s *Store) Exclusions(ctx context.Context) ([]worker.Exclusion, error) {
	rows, err := s.q.ListNoSubjects(ctx)
	if err != nil {
		return nil, translate("list exclusions", err)
	}
	terms := make([]worker.Exclusion, len(rows))
	for i, r := range rows {
		terms[i] = worker.Exclusion{Term: r.Term, Collection: r.Kind == "COLLECTION"}
	}
	return terms, nil
}

// ClaimTags returns the next tags without a subject category.
func (s *Store) ClaimTags(ctx context.Context, after, size int64, force bool) ([]worker.Reading, error) {
	rows, err := s.q.ClaimTags(ctx, db.ClaimTagsParams{After: after, Force: force, MaxRows: int32(size)})
	if err != nil {
		return nil, translate("claim tags", err)
	}
	readings := make([]worker.Reading, len(rows))
	for i, r := range rows {
		readings[i] = reading(r.UnitID, r.Name, r.Name)
	}
	return readings, nil
}

// ApplyCategories files, scores and stamps tags that have no category yet (with force: or one that a run set) and whose name is what was read. A tag that a person has to decide
// has one open row in the review queue, one that was filed or refused has none.
func (s *Store) ApplyCategories(ctx context.Context, runID int64, o worker.Common, filings []worker.Filing) (counts worker.Counts, err error) {
	err = s.inRunTx(ctx, "apply categories", runID, o.DryRun, &counts, func(q *db.Queries) error {
		stamps := newStamping(worker.MacroCategory, "tag", runID)
		locked, err := q.LockUncategorised(ctx, db.LockUncategorisedParams{Ids: filedIDs(filings), Force: o.Force})
		if err != nil {
			return err
		}
		for _, l := range locked {
			stamps.now[l.ID] = l.Fingerprint
		}
		var set db.SetCategoriesParams
		scores := db.SaveSubjectScoresParams{RunID: runID}
		ask := db.AskForSubjectsParams{RunID: runID}
		var settled []int64
		for _, f := range filings {
			if !stamps.fresh(f.Reading) {
				continue
			}
			stamps.add(f.Reading, f.Set, f.Error)
			if f.Error != "" {
				continue
			}
			scores.Ids, scores.Categories = append(scores.Ids, f.Reading.ID), append(scores.Categories, f.Label)
			scores.Scores, scores.Refusals = append(scores.Scores, float32(f.Score)), append(scores.Refusals, f.Refusal)
			set.Ids, set.Categories = append(set.Ids, f.Reading.ID), append(set.Categories, settledLabel(f))
			if f.Set || f.Refusal != "" {
				settled = append(settled, f.Reading.ID)
			} else {
				ask.Ids, ask.Categories, ask.Scores = append(ask.Ids, f.Reading.ID), append(ask.Categories, f.Label), append(ask.Scores, float32(f.Score))
			}
		}
		counts = stamps.counts
		if err := q.JournalCategories(ctx, db.JournalCategoriesParams{RunID: runID, Ids: set.Ids, Categories: set.Categories}); err != nil {
			return err
		}
		if err := q.SetCategories(ctx, set); err != nil {
			return err
		}
		if err := q.SaveSubjectScores(ctx, scores); err != nil {
			return err
		}
		if err := q.WithdrawSubjects(ctx, settled); err != nil {
			return err
		}
		if err := q.AskForSubjects(ctx, ask); err != nil {
			return err
		}
		return q.StampUnits(ctx, stamps.StampUnitsParams)
	})
	return counts, err
}
