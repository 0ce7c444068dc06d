package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"scrinalia/archive"
	"scrinalia/store/db"
	"scrinalia/worker"

	"github.com/jackc/pgx/v5"
)

var errNoRows = pgx.ErrNoRows

// Decide decides a review as a person wants, and returns the id of the decided review, which can be undone. It fails with NotFound, with Invalid and
// its fields, or with a Conflict when somebody was faster.
func (s *Store) Decide(ctx context.Context, j archive.Judgement, by archive.Actor) (int64, error) {
	person, err := cleanPerson(by.Person)
	if err != nil {
		return 0, err
	}
	by.Person = person
	switch j.Verdict {
	case archive.KeepTag, archive.KeepEntity:
		_, err = s.Resolve(ctx, j.ID, string(j.Verdict), person)
		return j.ID, noSuch(err, noSuchReview, j.ID)
	case archive.Dismiss:
		return j.ID, noSuch(s.Dismiss(ctx, j.ID, person), noSuchReview, j.ID)
	case archive.File, archive.NoSubject:
		return j.ID, noSuch(s.inTx(ctx, "decide subject", func(q *db.Queries) error { return decideSubject(ctx, q, j, person) }), noSuchReview, j.ID)
	case archive.Accept, archive.TurnDown:
		var id int64
		err := s.inTx(ctx, "decide anomaly", func(q *db.Queries) (err error) {
			id, err = decideAnomaly(ctx, q, j, by)
			return err
		})
		return id, noSuch(err, noSuchRecord, j.ID)
	}
	return 0, refuse("verdict", "verdict takes one of what can be decided in a review of this kind")
}

const noSuchReview = "There is no review %d."

// subjectDecision is what a decision about a tag notes to be undone.
type subjectDecision struct {
	Chosen    string     `json:"chosen,omitempty"`
	ChosenID  int32      `json:"chosen_id,omitempty"`
	Exclusion int32      `json:"exclusion_id,omitempty"`
	Made      bool       `json:"exclusion_made,omitempty"` // the exclusion was not in force before
	RetiredAt *time.Time `json:"exclusion_retired_at,omitempty"`
}

// decideSubject files a tag under the category that a person chose, or notes that it is no subject.
func decideSubject(ctx context.Context, q *db.Queries, j archive.Judgement, person string) error {
	review, err := lockOpen(ctx, q, j.ID, archive.Subject)
	if err != nil {
		return err
	}
	tag, err := q.LockTag(ctx, *review.TagID)
	if err != nil {
		return err
	}
	if tag.SubjectCategoryID != nil {
		return worker.Errorf(worker.Conflict, "The tag %q has a category by now.", tag.Name)
	}
	var note subjectDecision
	if j.Verdict == archive.File {
		note, err = fileTag(ctx, q, *review.TagID, j.Category, person)
	} else {
		note, err = excludeTag(ctx, q, tag.Name)
	}
	if err != nil {
		return err
	}
	more, err := json.Marshal(note)
	if err != nil {
		return fmt.Errorf("encode decision: %w", err)
	}
	verdict := string(j.Verdict)
	return q.DecideReview(ctx, db.DecideReviewParams{ID: j.ID, Person: &person, Decision: &verdict, More: more})
}

func fileTag(ctx context.Context, q *db.Queries, tag int64, category int32, person string) (subjectDecision, error) {
	c, err := q.GetCategory(ctx, category)
	if missing(err) {
		return subjectDecision{}, refuse("category", "category takes the id of a subject category that is in use")
	}
	if err != nil {
		return subjectDecision{}, err
	}
	return subjectDecision{Chosen: c.Name, ChosenID: c.ID}, q.FileTag(ctx, db.FileTagParams{ID: tag, SubjectCategoryID: &c.ID, CategoryPerson: &person})
}

func excludeTag(ctx context.Context, q *db.Queries, name string) (subjectDecision, error) {
	there, err := q.GetExclusion(ctx, name)
	if err != nil {
		return subjectDecision{}, err
	}
	if len(there) == 0 {
		id, err := q.AddExclusion(ctx, name)
		return subjectDecision{Exclusion: id, Made: true}, err
	}
	note := subjectDecision{Exclusion: there[0].ID, Made: there[0].RetiredAt != nil, RetiredAt: there[0].RetiredAt}
	if !note.Made {
		return note, nil
	}
	return note, q.SetExclusion(ctx, db.SetExclusionParams{ID: note.Exclusion})
}

// lockOpen locks a review that nobody decided yet.
func lockOpen(ctx context.Context, q *db.Queries, id int64, kind archive.Kind) (db.ReviewQueue, error) {
	review, err := q.LockReview(ctx, id)
	if err != nil {
		return review, err
	}
	if review.Kind != string(kind) {
		return review, worker.Errorf(worker.NotFound, "Review %d is of another kind.", id)
	}
	if review.DecidedAt != nil {
		return review, worker.Errorf(worker.Conflict, "This was decided already: %s, by %s.", text(review.Decision), text(review.DecidedBy))
	}
	return review, nil
}

// anomalyDecision is what a decision about a description notes to be undone.
type anomalyDecision struct {
	Reasons  []string `json:"reasons"`
	Revision int64    `json:"revision"`
}

// decideAnomaly approves a description as it is, or rejects it.
func decideAnomaly(ctx context.Context, q *db.Queries, j archive.Judgement, by archive.Actor) (int64, error) {
	if _, err := q.LockDocument(ctx, j.ID); err != nil {
		return 0, err
	}
	d, err := q.GetDocument(ctx, j.ID)
	if err != nil {
		return 0, err
	}
	if d.ReviewStatus != string(archive.NeedsReview) {
		return 0, worker.Errorf(worker.Conflict, "This description does not need a review any more; it is %s.", d.ReviewStatus)
	}
	decision := archive.Approve
	if j.Verdict == archive.TurnDown {
		decision = archive.Reject
	}
	revision, err := editDocument(ctx, q, j.ID, archive.Edit{Decision: decision}, by)
	if err != nil {
		return 0, err
	}
	note, err := json.Marshal(anomalyDecision{Reasons: listed(d.AnomalyReasons), Revision: revision})
	if err != nil {
		return 0, fmt.Errorf("encode decision: %w", err)
	}
	verdict := string(j.Verdict)
	return q.AddDecidedAnomaly(ctx, db.AddDecidedAnomalyParams{DocumentID: j.ID, Evidence: note, Person: &by.Person, Decision: &verdict})
}

// UndoReview takes a decision back, so that it waits for a person again. What somebody changed since is not undone: it fails with a Conflict.
func (s *Store) UndoReview(ctx context.Context, id int64, by archive.Actor) error {
	r, err := s.q.GetReview(ctx, id)
	if err != nil {
		return noSuch(err, noSuchReview, id)
	}
	if r.DecidedAt == nil {
		return worker.Errorf(worker.Conflict, "This is not decided; there is nothing to undo.")
	}
	switch archive.Kind(r.Kind) {
	case archive.Conflict:
		return s.undoConflict(ctx, r, by.Person)
	case archive.Subject:
		return s.inTx(ctx, "undo subject", func(q *db.Queries) error { return undoSubject(ctx, q, id) })
	case archive.Anomaly:
		return s.inTx(ctx, "undo anomaly", func(q *db.Queries) error { return undoAnomaly(ctx, q, id, by) })
	}
	return fmt.Errorf("undo review %d: kind %s", id, r.Kind)
}

func (s *Store) undoConflict(ctx context.Context, r db.ReviewQueue, person string) error {
	if text(r.Decision) == worker.Dismissed {
		return s.UndoDismissal(ctx, r.ID)
	}
	decisions, err := s.Decisions(ctx, r.ID)
	if err != nil {
		return err
	}
	for _, d := range decisions {
		if d.UndoneAt == nil {
			return s.UndoResolution(ctx, d.ID, person)
		}
	}
	return worker.Errorf(worker.Conflict, "This is undone already.")
}

func lockDecided(ctx context.Context, q *db.Queries, id int64, note any) (db.ReviewQueue, error) {
	r, err := q.LockReview(ctx, id)
	if err != nil {
		return r, err
	}
	if r.DecidedAt == nil {
		return r, worker.Errorf(worker.Conflict, "This is undone already.")
	}
	if err := json.Unmarshal(r.Evidence, note); err != nil {
		return r, fmt.Errorf("decode decision %d: %w", id, err)
	}
	return r, nil
}

func undoSubject(ctx context.Context, q *db.Queries, id int64) error {
	var note subjectDecision
	r, err := lockDecided(ctx, q, id, &note)
	if err != nil {
		return err
	}
	tag, err := q.LockTag(ctx, *r.TagID)
	switch {
	case missing(err):
		return worker.Errorf(worker.Conflict, "The tag is gone meanwhile.")
	case err != nil:
		return err
	case text(r.Decision) == string(archive.File) && (tag.SubjectCategoryID == nil || *tag.SubjectCategoryID != note.ChosenID || text(tag.CategoryPerson) != text(r.DecidedBy)):
		return worker.Errorf(worker.Conflict, "The category of %q was changed since.", tag.Name)
	}
	if text(r.Decision) == string(archive.File) {
		err = q.FileTag(ctx, db.FileTagParams{ID: *r.TagID})
	} else {
		err = undoExclusion(ctx, q, tag.Name, note)
	}
	if err != nil {
		return err
	}
	waits, err := q.HasOpenSubject(ctx, *r.TagID)
	if err != nil {
		return err
	}
	if waits { // a run asked for the tag again
		return q.DropReview(ctx, id)
	}
	return q.ReopenReview(ctx, id)
}

// undoExclusion takes back the exclusion that a decision brought into force. One that is gone or retired meanwhile stays so.
func undoExclusion(ctx context.Context, q *db.Queries, name string, note subjectDecision) error {
	there, err := q.GetExclusion(ctx, name)
	if err != nil || !note.Made || len(there) == 0 || there[0].ID != note.Exclusion || there[0].RetiredAt != nil {
		return err
	}
	if note.RetiredAt != nil {
		return q.SetExclusion(ctx, db.SetExclusionParams{ID: note.Exclusion, RetiredAt: note.RetiredAt})
	}
	return q.DropExclusion(ctx, note.Exclusion)
}

// undoAnomaly makes a description wait for its review again, unless somebody edited it since.
func undoAnomaly(ctx context.Context, q *db.Queries, id int64, by archive.Actor) error {
	var note anomalyDecision
	r, err := lockDecided(ctx, q, id, &note)
	if err != nil {
		return err
	}
	if _, err := q.LockDocument(ctx, *r.DocumentID); err != nil {
		return err
	}
	last, err := readRevisions(ctx, q, *r.DocumentID, 1)
	if err != nil {
		return err
	}
	if len(last) == 0 || last[0].ID != note.Revision {
		return worker.Errorf(worker.Conflict, "The description was edited since.")
	}
	status := archive.NeedsReview
	if err := q.RestoreStatus(ctx, db.RestoreStatusParams{ID: *r.DocumentID, ReviewStatus: string(status)}); err != nil {
		return err
	}
	before, err := json.Marshal(map[string]any{"review_status": last[0].After["review_status"]})
	after, errAfter := json.Marshal(map[string]any{"review_status": status})
	if err := errors.Join(err, errAfter); err != nil {
		return fmt.Errorf("encode revision: %w", err)
	}
	if _, err := q.AddRevision(ctx, db.AddRevisionParams{DocumentID: *r.DocumentID, ChangedBy: CleanText(by.Person, 200), Channel: string(by.Channel), Before: before, After: after}); err != nil {
		return err
	}
	return q.DropReview(ctx, id)
}

func refuse(field, why string) error { return archive.Refuse(map[string]string{field: why}) }
