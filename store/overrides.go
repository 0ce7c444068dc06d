package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"scrinalia/store/db"
	"scrinalia/worker"

	"github.com/jackc/pgx/v5"
)

// Overrides returns every stored override, by worker.
func (s *Store) Overrides(ctx context.Context) (map[string]worker.Settings, error) {
	rows, err := s.q.ListOverrides(ctx)
	if err != nil {
		return nil, translate("read overrides", err)
	}
	out := map[string]worker.Settings{}
	for _, r := range rows {
		if out[r.WorkerName], err = settingsFrom(r.Settings); err != nil {
			return nil, fmt.Errorf("override of %s: %w", r.WorkerName, err)
		}
	}
	return out, nil
}

func settingsFrom(raw []byte) (s worker.Settings, err error) {
	if err := json.Unmarshal(raw, &s); err != nil {
		return s, fmt.Errorf("decode settings: %w", err)
	}
	return s, nil
}

// Override returns the stored override of one worker; one that was never set has version 0.
func (s *Store) Override(ctx context.Context, name string) (worker.Override, error) {
	o, err := getOverride(ctx, s.q, name)
	return o, translate("read override", err)
}

func getOverride(ctx context.Context, q *db.Queries, name string) (worker.Override, error) {
	row, err := q.GetOverride(ctx, name)
	if errors.Is(err, pgx.ErrNoRows) {
		return worker.Override{}, nil
	}
	if err != nil {
		return worker.Override{}, err
	}
	set, err := settingsFrom(row.Settings)
	return worker.Override{Version: row.Version, Settings: set}, err
}

// maxEditor is how many bytes of a person's name are kept.
const maxEditor = 200

// SaveOverride moves a worker's override on, and notes the revision in the same transaction. An editor who saw another version than the one in
// force gets *worker.SettingsChangedError. Settings that are in force already write nothing. The settings must have been checked.
func (s *Store) SaveOverride(ctx context.Context, c worker.OverrideChange) (worker.Saved, error) {
	after, err := json.Marshal(c.Settings)
	if err != nil {
		return worker.Saved{}, fmt.Errorf("encode settings of %s: %w", c.Worker, err)
	}
	var saved worker.Saved
	err = s.inTx(ctx, "save override", func(q *db.Queries) error {
		if err := q.LockOverride(ctx, c.Worker); err != nil {
			return err
		}
		current, err := getOverride(ctx, q, c.Worker)
		if err != nil {
			return err
		}
		if c.Seen != worker.AnyVersion && c.Seen != current.Version {
			return settingsChanged(ctx, q, c, current.Version)
		}
		if len(worker.SettingsDiffer(current.Settings, c.Settings)) == 0 {
			saved = worker.Saved{Override: current}
			return nil
		}
		before, err := json.Marshal(current.Settings)
		if err != nil {
			return fmt.Errorf("encode settings of %s: %w", c.Worker, err)
		}
		revision := db.InsertRevisionParams{
			WorkerName: c.Worker, Version: current.Version + 1, ChangedBy: CleanText(c.By, maxEditor), Channel: string(c.Channel), Note: c.Note,
			Before: before, After: after,
		}
		if c.RestoredFrom > 0 {
			revision.RestoredFrom = &c.RestoredFrom
		}
		if err := q.InsertRevision(ctx, revision); err != nil {
			return err
		}
		saved = worker.Saved{Override: worker.Override{Version: revision.Version, Settings: c.Settings}, Changed: true}
		return q.PutOverride(ctx, db.PutOverrideParams{WorkerName: c.Worker, Version: revision.Version, Settings: after})
	})
	return saved, err
}

// settingsChanged is the conflict of an editor who saw another version. One who claims to have seen a version that never was started from
// nothing that is known.
func settingsChanged(ctx context.Context, q *db.Queries, c worker.OverrideChange, version int64) error {
	if version == 0 {
		return worker.Errorf(worker.Conflict, "%s has no settings of its own yet, so that nobody can have seen revision %d of them. Nothing was saved.", c.Worker, c.Seen)
	}
	row, err := q.GetRevision(ctx, db.GetRevisionParams{WorkerName: c.Worker, Version: version})
	if err != nil {
		return err
	}
	current, err := revisionFrom(row)
	if err != nil {
		return err
	}
	return &worker.SettingsChangedError{Seen: c.Seen, Current: current}
}

// Revision returns one revision of a worker's override.
func (s *Store) Revision(ctx context.Context, name string, version int64) (worker.Revision, error) {
	row, err := s.q.GetRevision(ctx, db.GetRevisionParams{WorkerName: name, Version: version})
	if errors.Is(err, pgx.ErrNoRows) {
		return worker.Revision{}, worker.Errorf(worker.NotFound, "The settings of %s have no revision %d.", name, version)
	}
	if err != nil {
		return worker.Revision{}, translate("read revision", err)
	}
	return revisionFrom(row)
}

// Revisions returns a page of a worker's revisions, newest first.
func (s *Store) Revisions(ctx context.Context, f worker.RevisionFilter) (worker.RevisionPage, error) {
	limit := f.Limit
	if limit <= 0 {
		limit = 20
	}
	rows, err := s.q.ListRevisions(ctx, db.ListRevisionsParams{
		WorkerName: f.Worker, Before: f.Before, ChangedBy: CleanText(f.By, maxEditor), Field: CleanText(f.Field, maxEditor), MaxRows: int32(limit + 1),
	})
	if err != nil {
		return worker.RevisionPage{}, translate("list revisions", err)
	}
	page := worker.RevisionPage{}
	if len(rows) > limit {
		rows = rows[:limit]
		page.Older = rows[limit-1].Version
	}
	for _, row := range rows {
		r, err := revisionFrom(row)
		if err != nil {
			return page, err
		}
		page.Revisions = append(page.Revisions, r)
	}
	return page, nil
}

// maxEditors is how many people a filter offers.
const maxEditors = 100

// Editors lists who changed a worker's override, by name.
func (s *Store) Editors(ctx context.Context, name string) ([]string, error) {
	editors, err := s.q.ListEditors(ctx, db.ListEditorsParams{WorkerName: name, MaxRows: maxEditors})
	return editors, translate("list editors", err)
}

func revisionFrom(row db.WorkerOverrideRevision) (worker.Revision, error) {
	r := worker.Revision{
		Worker: row.WorkerName, Version: row.Version, At: row.ChangedAt, By: row.ChangedBy, Channel: worker.Trigger(row.Channel), Note: row.Note,
		RestoredFrom: row.RestoredFrom,
	}
	var err error
	if r.Before, err = settingsFrom(row.Before); err == nil {
		r.After, err = settingsFrom(row.After)
	}
	return r, err
}
