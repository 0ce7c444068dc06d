package store

import (
	"context"
	"encoding/json"
	"fmt"

	"scrinalia/archive"
	"scrinalia/store/db"
)

// Reviews returns a page of what waits for a person.
func (s *Store) Reviews(ctx context.Context, kind archive.Kind, after int64, limit int) (archive.ReviewPage, error) {
	list := map[archive.Kind]func(context.Context, int64, int32) ([]archive.Review, error){
		archive.Conflict: s.conflicts, archive.Subject: s.subjects, archive.Anomaly: s.anomalies,
	}[kind]
	found, err := list(ctx, after, int32(limit+1))
	if err != nil {
		return archive.ReviewPage{}, translate("list reviews", err)
	}
	p := archive.ReviewPage{Reviews: found[:min(limit, len(found))]}
	if len(found) > limit {
		p.Next = p.Reviews[limit-1].ID
	}
	return p, nil
}

func (s *Store) conflicts(ctx context.Context, after int64, limit int32) ([]archive.Review, error) {
	rows, err := s.q.ListConflicts(ctx, db.ListConflictsParams{After: after, MaxRows: limit})
	if err != nil {
		return nil, err
	}
	found := make([]archive.Review, len(rows))
	for i, r := range rows {
		found[i] = archive.Review{
			ID: r.ID, Kind: archive.Conflict, Since: r.CreatedAt, RunID: r.RunID, TagID: r.TagID, TagName: r.Tag, EntityID: r.EntityID, Entity: r.Entity, Type: r.Type,
			TagUse: archive.Use{Descriptions: r.TagDocuments, Titles: r.TagTitles}, EntityUse: archive.Use{Descriptions: r.EntityDocuments, Titles: r.EntityTitles},
		}
		if err := json.Unmarshal(r.Evidence, &found[i].Evidence); err != nil {
			return nil, fmt.Errorf("decode the evidence of review %d: %w", r.ID, err)
		}
	}
	return found, nil
}

func (s *Store) subjects(ctx context.Context, after int64, limit int32) ([]archive.Review, error) {
	rows, err := s.q.ListSubjects(ctx, db.ListSubjectsParams{After: after, MaxRows: limit})
	if err != nil {
		return nil, err
	}
	found := make([]archive.Review, len(rows))
	for i, r := range rows {
		found[i] = archive.Review{
			ID: r.ID, Kind: archive.Subject, Since: r.CreatedAt, RunID: r.RunID, TagID: r.TagID, TagName: r.Tag,
			TagUse: archive.Use{Descriptions: r.TagDocuments, Titles: r.TagTitles},
		}
		if err := json.Unmarshal(r.Evidence, &found[i].Evidence); err != nil {
			return nil, fmt.Errorf("decode the evidence of review %d: %w", r.ID, err)
		}
	}
	return found, nil
}

func (s *Store) anomalies(ctx context.Context, after int64, limit int32) ([]archive.Review, error) {
	rows, err := s.q.ListAnomalies(ctx, db.ListAnomaliesParams{After: after, MaxRows: limit})
	if err != nil {
		return nil, err
	}
	found := make([]archive.Review, len(rows))
	for i, r := range rows {
		found[i] = archive.Review{ID: r.ID, Kind: archive.Anomaly, Since: r.UpdatedAt, Excerpt: r.Excerpt, Document: &archive.Summary{
			ID: r.ID, DescriptionID: r.DescriptionID, ReferenceCode: text(r.ReferenceCode), Title: r.OriginalTitle, Level: text(r.Level), Date: text(r.Date),
			Status: archive.NeedsReview, Reasons: listed(r.AnomalyReasons),
		}}
	}
	return found, nil
}

// ReviewCounts says how much waits of each kind.
func (s *Store) ReviewCounts(ctx context.Context) (map[archive.Kind]archive.Count, error) {
	r, err := s.q.CountReviews(ctx)
	if err != nil {
		return nil, translate("count reviews", err)
	}
	counts := map[archive.Kind]archive.Count{}
	for kind, n := range map[archive.Kind]int64{archive.Conflict: r.Conflicts, archive.Subject: r.Subjects, archive.Anomaly: r.Anomalies} {
		counts[kind] = archive.Count{N: min(n, archive.CountUpTo), Capped: n > archive.CountUpTo}
	}
	return counts, nil
}

// Decided returns what was decided last, the newest first.
func (s *Store) Decided(ctx context.Context, limit int) ([]archive.Review, error) {
	return s.decided(ctx, 0, limit)
}

// DecidedReview returns one decided review.
func (s *Store) DecidedReview(ctx context.Context, id int64) (archive.Review, error) {
	found, err := s.decided(ctx, id, 1)
	if err != nil {
		return archive.Review{}, err
	}
	if len(found) == 0 {
		return archive.Review{}, noSuch(errNoRows, "There is no decided review %d.", id)
	}
	return found[0], nil
}

func (s *Store) decided(ctx context.Context, id int64, limit int) ([]archive.Review, error) {
	rows, err := s.q.ListDecided(ctx, db.ListDecidedParams{ID: id, MaxRows: int32(limit)})
	if err != nil {
		return nil, translate("list decisions", err)
	}
	found := make([]archive.Review, len(rows))
	for i, r := range rows {
		one := archive.Review{
			ID: r.ID, Kind: archive.Kind(r.Kind), Since: r.CreatedAt, RunID: r.RunID, TagName: text(r.Tag), Entity: text(r.Entity), Type: text(r.EntityType),
			DecidedAt: r.DecidedAt, DecidedBy: text(r.DecidedBy), Verdict: archive.Verdict(text(r.Decision)),
		}
		if err := json.Unmarshal(r.Evidence, &one.Evidence); err != nil {
			return nil, fmt.Errorf("decode the evidence of review %d: %w", r.ID, err)
		}
		if r.Tag != nil {
			one.TagID = *r.TagID
		} else {
			one.TagName = one.Evidence.Tag
		}
		if r.Entity != nil {
			one.EntityID = *r.EntityID
		} else {
			one.Entity, one.Type = one.Evidence.Entity, one.Evidence.EntityType
		}
		if r.DocumentID != nil {
			one.Document = &archive.Summary{
				ID: *r.DocumentID, DescriptionID: text(r.DescriptionID), ReferenceCode: text(r.ReferenceCode), Title: text(r.OriginalTitle), Reasons: listed(one.Evidence.Reasons),
			}
		}
		found[i] = one
	}
	return found, nil
}

// Alike returns the reviews that one decision may answer: the conflicts of names that are the very same, or the descriptions that have the title of
// this one.
func (s *Store) Alike(ctx context.Context, kind archive.Kind, id int64) (archive.Alike, error) {
	var a archive.Alike
	add := func(id int64, name string) {
		a.IDs, a.Names = append(a.IDs, id), append(a.Names, name)
	}
	switch kind {
	case archive.Conflict:
		rows, err := s.q.ListSameNames(ctx, archive.MaxAlike)
		if err != nil {
			return a, translate("list same names", err)
		}
		for _, r := range rows {
			add(r.ID, r.Name)
		}
	case archive.Anomaly:
		rows, err := s.q.ListSameTitles(ctx, db.ListSameTitlesParams{ID: id, MaxRows: archive.MaxAlike})
		if err != nil {
			return a, translate("list same titles", err)
		}
		for _, r := range rows {
			add(r.ID, r.OriginalTitle)
		}
	case archive.Subject: // no two tags bear the same name
	}
	return a, nil
}
