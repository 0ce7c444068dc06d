// Package settings changes what is set of the workers against the code, for the panel, the API and the command line alike: it checks a change,
// saves it with its revision, resets, and restores revisions. It imports worker only; the database reaches it as Store.
package settings

import (
	"context"
	"errors"

	"scrinalia/worker"
)

// Store keeps overrides and their revisions.
type Store interface {
	Override(ctx context.Context, name string) (worker.Override, error)
	// SaveOverride saves checked settings with their revision, or fails with *worker.SettingsChangedError.
	SaveOverride(ctx context.Context, c worker.OverrideChange) (worker.Saved, error)
	Revision(ctx context.Context, name string, version int64) (worker.Revision, error)
	Revisions(ctx context.Context, f worker.RevisionFilter) (worker.RevisionPage, error)
	Editors(ctx context.Context, name string) ([]string, error)
}

// Settings are the overrides of the catalogue's workers. They are safe for concurrent use.
type Settings struct {
	Store

	catalogue *worker.Catalogue
}

// New returns the settings of a catalogue's workers.
func New(c *worker.Catalogue, s Store) *Settings { return &Settings{Store: s, catalogue: c} }

// Save replaces a worker's override. It fails with NotFound, with Invalid and its fields, or with *worker.SettingsChangedError. Settings that
// are in force already write nothing.
func (s *Settings) Save(ctx context.Context, c worker.OverrideChange) (worker.Saved, error) {
	def, err := s.catalogue.Lookup(c.Worker)
	if err != nil {
		return worker.Saved{}, err
	}
	if c, err = worker.CheckChange(def, c); err != nil {
		return worker.Saved{}, err
	}
	return s.SaveOverride(ctx, c)
}

// patchTries is how often a patch is put on top of what somebody else saved in the same moment.
const patchTries = 20

// Patch changes some fields of a worker's override and leaves the others as they are, whatever they are; nil lets a field follow the code.
func (s *Settings) Patch(ctx context.Context, c worker.OverrideChange, fields map[string]any) (worker.Saved, error) {
	def, err := s.catalogue.Lookup(c.Worker)
	if err != nil {
		return worker.Saved{}, err
	}
	for try := 1; ; try++ {
		current, err := s.Override(ctx, c.Worker)
		if err != nil {
			return worker.Saved{}, err
		}
		c.Seen, c.Settings = current.Version, current.Settings
		for name, v := range fields {
			if _, set := current.Settings.Field(name); v == nil && !set && !def.Takes(name) {
				return worker.Saved{}, worker.Errorf(worker.Invalid, "%s has no setting %q that could follow the code.", def.Name, name)
			}
			c.Settings = c.Settings.With(name, v)
		}
		saved, err := s.Save(ctx, c)
		if _, moved := errors.AsType[*worker.SettingsChangedError](err); !moved || try == patchTries {
			return saved, err
		}
	}
}

// Restore makes the settings of a revision those in force again, which is a revision of its own. A revision that no longer fits is refused.
func (s *Settings) Restore(ctx context.Context, c worker.OverrideChange, version int64) (worker.Saved, error) {
	if _, err := s.catalogue.Lookup(c.Worker); err != nil {
		return worker.Saved{}, err
	}
	r, err := s.Revision(ctx, c.Worker, version)
	if err != nil {
		return worker.Saved{}, err
	}
	c.Settings, c.RestoredFrom = r.After, version
	return s.Save(ctx, c)
}
