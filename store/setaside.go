package store

import (
	"context"
	"fmt"

	"scrinalia/store/db"
	"scrinalia/worker"
)

// enoughDeaths is how many processes in a row have to die with a unit in work before the unit is set aside.
const enoughDeaths = 2

// NoteInWork notes the units that a process has taken up, in place of those that it noted before. It fails as Save does.
func (o *Owner) NoteInWork(ctx context.Context, owner string, units []worker.UnitRef) error {
	p := db.NoteInWorkParams{RunID: o.runID, Owner: owner, UnitIds: make([]int64, len(units)), UnitNames: make([]string, len(units))}
	for i, u := range units {
		p.UnitIds[i], p.UnitNames[i] = u.ID, CleanText(u.Name, 200)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.q.NoteInWork(ctx, p); err != nil {
		return fmt.Errorf("%w: %w", ErrOwnershipLost, err)
	}
	return nil
}

// ForgetInWork is for a process that lost a run and lives: what it had taken up was in work at no death.
func (s *Store) ForgetInWork(ctx context.Context, runID int64, owner string) error {
	return translate("forget units in work", s.q.ForgetInWork(ctx, db.ForgetInWorkParams{RunID: runID, Owner: owner}))
}

// Suspects returns the units of a worker that were in work when a process died.
func (s *Store) Suspects(ctx context.Context, name string) ([]int64, error) {
	ids, err := s.q.ListSuspects(ctx, name)
	return ids, translate("list suspects", err)
}

// ForgiveUnit clears a unit that did no harm.
func (s *Store) ForgiveUnit(ctx context.Context, name string, unit int64) error {
	return translate("forgive a unit", s.q.ForgiveUnit(ctx, db.ForgiveUnitParams{WorkerName: name, UnitID: unit}))
}

// CountDeaths counts the deaths of the processes whose runs were ended for them, and sets units aside that had enough. It returns these.
func (s *Store) CountDeaths(ctx context.Context) ([]worker.SetAside, error) {
	rows, err := s.q.CountDeaths(ctx, enoughDeaths)
	if err != nil {
		return nil, translate("count deaths", err)
	}
	aside := make([]worker.SetAside, len(rows))
	for i, r := range rows {
		aside[i] = worker.SetAside{UnitRef: worker.UnitRef{ID: r.UnitID, Name: r.UnitName}, Worker: r.WorkerName, RunID: r.RunID}
	}
	return aside, nil
}

// SetAside returns the units of a worker that are set aside, in order of their key.
func (s *Store) SetAside(ctx context.Context, name string) ([]worker.SetAside, error) {
	rows, err := s.q.ListSetAside(ctx, db.ListSetAsideParams{WorkerName: name, Enough: enoughDeaths})
	if err != nil {
		return nil, translate("list units set aside", err)
	}
	aside := make([]worker.SetAside, len(rows))
	for i, r := range rows {
		aside[i] = worker.SetAside{UnitRef: worker.UnitRef{ID: r.UnitID, Name: r.UnitName}, Worker: name, RunID: r.RunID, Deaths: int(r.Deaths), Owner: r.Owner}
	}
	return aside, nil
}

// ReleaseUnits makes units that are set aside wait again: one, or with 0 all of a worker. It returns them.
func (s *Store) ReleaseUnits(ctx context.Context, name string, unit int64) ([]worker.UnitRef, error) {
	rows, err := s.q.ReleaseUnits(ctx, db.ReleaseUnitsParams{WorkerName: name, Enough: enoughDeaths, UnitID: unit})
	if err != nil {
		return nil, translate("release units", err)
	}
	released := make([]worker.UnitRef, len(rows))
	for i, r := range rows {
		released[i] = worker.UnitRef{ID: r.UnitID, Name: r.UnitName}
	}
	return released, nil
}
