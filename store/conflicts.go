package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"scrinalia/store/db"
	"scrinalia/worker"
)

// The notes of conflict-judge.
const (
	noteKeptTag       = "kept_tag"
	noteKeptEntity    = "kept_entity"
	noteForAPerson    = "for_a_person"
	noteWouldResolve  = "would_resolve"
	maxPreviewRulings = 50
)

// ClaimPairs returns the next pairs that are at least so similar.
func (s *Store) ClaimPairs(ctx context.Context, threshold float64, after, size int64, force bool) ([]worker.NamePair, error) {
	t, err := pairThreshold(threshold)
	if err != nil {
		return nil, err
	}
	numerator, denominator := t.Fraction()
	rows, err := s.q.ClaimPairs(ctx, db.ClaimPairsParams{After: after, Force: force, Numerator: numerator, Denominator: denominator, MaxRows: int32(size)})
	if err != nil {
		return nil, translate("claim pairs", err)
	}
	claimed := make([]worker.NamePair, len(rows))
	for i, r := range rows {
		claimed[i] = worker.NamePair{
			ID: r.UnitID, TagID: r.TagID, Tag: r.Tag, EntityID: r.EntityID, Entity: r.Entity, EntityType: r.EntityType,
			Similarity:   float64(r.Shared) / float64(r.Total),
			TagDocuments: r.TagDocuments, EntityDocuments: r.EntityDocuments, SharedDocuments: r.SharedDocuments,
		}
	}
	return claimed, nil
}

// lockedNames are tags and entities that nobody else may change before the transaction ends.
type lockedNames struct {
	tags     map[int64]string
	entities map[int64]db.LockEntitiesRow
}

func lockNames(ctx context.Context, q *db.Queries, tags, entities []int64) (lockedNames, error) {
	l := lockedNames{tags: map[int64]string{}, entities: map[int64]db.LockEntitiesRow{}}
	tagRows, err := q.LockTags(ctx, tags)
	if err != nil {
		return l, err
	}
	entityRows, err := q.LockEntities(ctx, entities)
	if err != nil {
		return l, err
	}
	for _, t := range tagRows {
		l.tags[t.ID] = t.Name
	}
	for _, e := range entityRows {
		l.entities[e.ID] = e
	}
	return l, nil
}

// holds says whether both sides of a pair are still there, and are still called that.
func (l lockedNames) holds(p worker.NamePair) bool {
	tag, hasTag := l.tags[p.TagID]
	entity, hasEntity := l.entities[p.EntityID]
	return hasTag && hasEntity && tag == p.Tag && entity.Name == p.Entity && entity.Type == p.EntityType
}

// forget notes that the loser of a pair is gone.
func (l lockedNames) forget(p worker.NamePair, winner string) {
	if winner == worker.KeepTag {
		delete(l.entities, p.EntityID)
	} else {
		delete(l.tags, p.TagID)
	}
}

// evidence is what the review queue shows of a pair.
type evidence struct {
	Tag        string  `json:"tag"`
	Entity     string  `json:"entity"`
	EntityType string  `json:"entity_type"`
	Similarity float64 `json:"similarity"`
	Winner     string  `json:"winner"`
	Confidence float64 `json:"confidence"`
	Reason     string  `json:"reason"`
	// how both were used when the judge was asked
	TagDocuments    int64 `json:"tag_documents"`
	EntityDocuments int64 `json:"entity_documents"`
	SharedDocuments int64 `json:"shared_documents"`
}

// ApplyRulings keeps what was ruled of pairs of which both sides are still there: a row each in the review queue. What the judge was sure of is resolved. A
// pair that an earlier one of the batch took a side from is skipped.
func (s *Store) ApplyRulings(ctx context.Context, runID int64, dry bool, rulings []worker.Ruling) (counts worker.Counts, notes map[string]worker.Note, err error) {
	var tags, entities []int64
	for _, r := range rulings {
		tags, entities = append(tags, r.Pair.TagID), append(entities, r.Pair.EntityID)
	}
	var kept map[string]int64
	var preview worker.Note
	err = s.inRunTx(ctx, "apply rulings", runID, dry, &counts, func(q *db.Queries) error {
		counts, kept, preview = worker.Counts{}, map[string]int64{}, worker.Note{}
		stamps := newStamping(worker.ConflictJudge, "pair", runID)
		names, err := lockNames(ctx, q, tags, entities)
		if err != nil {
			return err
		}
		var judged []int64
		for _, r := range rulings {
			if !names.holds(r.Pair) {
				stamps.counts.Skipped++
				continue
			}
			if r.Error != "" {
				stamps.add(pairReading(r.Pair), false, r.Error)
				continue
			}
			review, err := saveRuling(ctx, q, runID, r)
			if err != nil {
				return err
			}
			if review == 0 { // a person decided meanwhile
				stamps.counts.Skipped++
				continue
			}
			stamps.counts.Processed++
			judged = append(judged, r.Pair.ID)
			if !r.Resolve {
				kept[noteForAPerson]++
				continue
			}
			if _, err := q.ResolveConflict(ctx, db.ResolveConflictParams{
				ReviewID: review, Winner: r.Winner, RunID: runID, DecidedBy: fmt.Sprintf("run:%d", runID), Confidence: new(float32(r.Confidence)), Reason: r.Reason,
			}); err != nil {
				return err
			}
			names.forget(r.Pair, r.Winner)
			kept[map[string]string{worker.KeepTag: noteKeptTag, worker.KeepEntity: noteKeptEntity}[r.Winner]]++
			preview.Count++
			if len(preview.Examples) < maxPreviewRulings {
				preview.Examples = append(preview.Examples, fmt.Sprintf("%s / %s (%s): %s (%.2f)", r.Pair.Tag, r.Pair.Entity, r.Pair.EntityType, r.Winner, r.Confidence))
			}
		}
		counts = stamps.counts
		if err := q.DropStamps(ctx, db.DropStampsParams{WorkerName: worker.ConflictJudge, UnitIds: judged}); err != nil {
			return err
		}
		return q.StampUnits(ctx, stamps.StampUnitsParams)
	})
	if err != nil {
		return worker.Counts{}, nil, err
	}
	notes = map[string]worker.Note{}
	for name, n := range kept {
		notes[name] = worker.Note{Count: n}
	}
	if dry && preview.Count > 0 {
		notes[noteWouldResolve] = preview
	}
	return counts, notes, nil
}

// pairReading is a pair as stamps know it.
func pairReading(p worker.NamePair) worker.Reading {
	return worker.Reading{ID: p.ID, Fingerprint: fingerprint(strings.Join([]string{p.Tag, p.Entity, p.EntityType}, "\n"))}
}

// saveRuling returns the row of the review queue, 0 when a person decided it.
func saveRuling(ctx context.Context, q *db.Queries, runID int64, r worker.Ruling) (int64, error) {
	raw, err := json.Marshal(evidence{
		Tag: r.Pair.Tag, Entity: r.Pair.Entity, EntityType: r.Pair.EntityType, Similarity: r.Pair.Similarity,
		Winner: r.Winner, Confidence: r.Confidence, Reason: CleanText(r.Reason, maxUnitError),
		TagDocuments: r.Pair.TagDocuments, EntityDocuments: r.Pair.EntityDocuments, SharedDocuments: r.Pair.SharedDocuments,
	})
	if err != nil {
		return 0, fmt.Errorf("encode the evidence of a pair: %w", err)
	}
	ids, err := q.SaveRuling(ctx, db.SaveRulingParams{TagID: r.Pair.TagID, EntityID: r.Pair.EntityID, Evidence: raw, RunID: runID})
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return ids[0], nil
}

// inConflict runs fn on an open row of the review queue that speaks of a pair whose both sides are there; all three are locked.
func (s *Store) inConflict(ctx context.Context, op string, reviewID int64, fn func(q *db.Queries, review db.ReviewQueue) error) error {
	return s.inTx(ctx, op, func(q *db.Queries) error {
		seen, err := q.GetReview(ctx, reviewID)
		if err != nil {
			return err
		}
		if seen.Kind != "CONFLICT" || seen.TagID == nil || seen.EntityID == nil {
			return worker.Errorf(worker.Invalid, "This entry of the review queue is no conflict of a tag with an entity.")
		}
		names, err := lockNames(ctx, q, []int64{*seen.TagID}, []int64{*seen.EntityID}) // in the order in which runs lock
		if err != nil {
			return err
		}
		review, err := q.LockReview(ctx, reviewID)
		if err != nil {
			return err
		}
		if review.DecidedAt != nil {
			return worker.Errorf(worker.Conflict, "This was decided already: %s, by %s.", *review.Decision, *review.DecidedBy)
		}
		if len(names.tags) == 0 || len(names.entities) == 0 {
			return worker.Errorf(worker.Conflict, "There is nothing to decide any more: the tag or the entity is gone.")
		}
		return fn(q, review)
	})
}

// Resolve gives the name of a conflict to the winner, KeepTag or KeepEntity, as a person decided, and returns the decision's id.
func (s *Store) Resolve(ctx context.Context, reviewID int64, winner, person string) (decision int64, err error) {
	if winner != worker.KeepTag && winner != worker.KeepEntity {
		return 0, &worker.Error{Kind: worker.Invalid, Msg: "Either the tag or the entity has to win.", Fields: map[string]string{"winner": fmt.Sprintf("%q is not accepted; it is %s or %s", winner, worker.KeepTag, worker.KeepEntity)}}
	}
	if person, err = cleanPerson(person); err != nil {
		return 0, err
	}
	err = s.inConflict(ctx, "resolve conflict", reviewID, func(q *db.Queries, review db.ReviewQueue) error {
		decision, err = q.ResolveConflict(ctx, db.ResolveConflictParams{ReviewID: review.ID, Winner: winner, DecidedBy: person})
		return err
	})
	return decision, err
}

// Dismiss notes that the tag and the entity of a conflict are different things: both stay, and nobody asks again.
func (s *Store) Dismiss(ctx context.Context, reviewID int64, person string) error {
	person, err := cleanPerson(person)
	if err != nil {
		return err
	}
	return s.inConflict(ctx, "dismiss conflict", reviewID, func(q *db.Queries, review db.ReviewQueue) error {
		return q.DismissConflict(ctx, db.DismissConflictParams{ID: review.ID, Person: &person})
	})
}

// UndoDismissal makes a dismissed conflict wait for a person again.
func (s *Store) UndoDismissal(ctx context.Context, reviewID int64) error {
	return s.inTx(ctx, "undo dismissal", func(q *db.Queries) error {
		review, err := q.LockReview(ctx, reviewID)
		if err != nil {
			return err
		}
		if review.Kind != "CONFLICT" || review.Decision == nil || *review.Decision != worker.Dismissed {
			return worker.Errorf(worker.Conflict, "This conflict is not dismissed; there is nothing to undo.")
		}
		return q.ReopenConflict(ctx, reviewID)
	})
}

// UndoResolution brings the loser of a decision back exactly as it was, and takes back what the decision did. The conflict then waits for a person, and no run
// decides it again.
func (s *Store) UndoResolution(ctx context.Context, decision int64, person string) error {
	person, err := cleanPerson(person)
	if err != nil {
		return err
	}
	return s.inTx(ctx, "undo resolution", func(q *db.Queries) error {
		seen, err := q.GetResolution(ctx, decision)
		if err != nil {
			return err
		}
		if _, err := lockNames(ctx, q, []int64{seen.TagID}, []int64{seen.EntityID}); err != nil { // nobody takes the winner away meanwhile
			return err
		}
		r, err := q.LockResolution(ctx, decision)
		if err != nil {
			return err
		}
		if r.UndoneAt != nil {
			return worker.Errorf(worker.Conflict, "Decision #%d was undone already, by %s.", r.ID, *r.UndoneBy)
		}
		obstacle, err := q.FindObstacle(ctx, decision)
		if err != nil {
			return err
		}
		if len(obstacle) > 0 {
			return worker.Errorf(worker.Conflict, "Undo decision #%d first: it took away what this one kept.", obstacle[0])
		}
		return q.UndoResolution(ctx, db.UndoResolutionParams{ID: decision, Person: person})
	})
}

// Decisions returns what was decided of a conflict, the newest first; the one that stands is not undone.
func (s *Store) Decisions(ctx context.Context, reviewID int64) ([]worker.Decision, error) {
	rows, err := s.q.ListResolutions(ctx, reviewID)
	if err != nil {
		return nil, translate("list decisions", err)
	}
	decisions := make([]worker.Decision, len(rows))
	for i, r := range rows {
		decisions[i] = worker.Decision{
			ID: r.ID, Review: r.ReviewID, Winner: r.Winner, RunID: r.RunID, By: r.DecidedBy, At: r.DecidedAt, Reason: r.Reason, Documents: r.Documents,
			UndoneAt: r.UndoneAt, UndoneBy: r.UndoneBy,
		}
		if r.Confidence != nil {
			decisions[i].Confidence = new(float64(*r.Confidence))
		}
	}
	return decisions, nil
}

// cleanPerson refuses a decision of nobody.
func cleanPerson(person string) (string, error) {
	if person = strings.TrimSpace(CleanText(person, 200)); person == "" {
		return "", worker.Errorf(worker.Invalid, "A decision needs the name of who decides.")
	}
	return person, nil
}
