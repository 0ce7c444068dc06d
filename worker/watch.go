package worker

import (
	"context"
	"time"
)

// UnitRef is a unit as people know it.
type UnitRef struct {
	ID   int64  `json:"unit_id"`
	Name string `json:"unit"`
}

// SetAside is a unit that waits for somebody to release it, because processes died while it was in work.
type SetAside struct {
	UnitRef

	Worker string `json:"worker"`
	RunID  int64  `json:"run_id"` // the last that died with it
	Deaths int    `json:"deaths"` // in a row
	Owner  string `json:"owner"`  // the last process that died
}

// Watch notes which units a run takes up before it does, so that the death of its process can be laid at their door. Units that were in work when a
// process died are suspects: each is taken up alone. The nil Watch notes nothing and suspects nobody. It is for one goroutine.
type Watch struct {
	note     func(ctx context.Context, units []UnitRef) error
	survived func(ctx context.Context, unit int64) error
	suspects map[int64]bool

	quick bool      // units take so little time that noting each would cost too much
	noted []UnitRef // as they are noted now
	since time.Time // when
}

// NewWatch makes a watch of a run. note replaces what was noted before; survived is told of each suspect that did no harm.
func NewWatch(suspects []int64, note func(ctx context.Context, units []UnitRef) error, survived func(ctx context.Context, unit int64) error) *Watch {
	w := &Watch{note: note, survived: survived, suspects: make(map[int64]bool, len(suspects))}
	for _, id := range suspects {
		w.suspects[id] = true
	}
	return w
}

// Suspect says whether a process died while the unit was in work.
func (w *Watch) Suspect(unit int64) bool { return w != nil && w.suspects[unit] }

// SetInWork notes these units, whatever was noted before.
func (w *Watch) SetInWork(ctx context.Context, units []UnitRef) error {
	if w == nil {
		return nil
	}
	w.noted, w.since = units, time.Now()
	return w.note(ctx, units)
}

// Survived clears a suspect.
func (w *Watch) Survived(ctx context.Context, unit int64) error {
	if !w.Suspect(unit) {
		return nil
	}
	delete(w.suspects, unit)
	return w.survived(ctx, unit)
}

// together is how many of the next units may be taken up at once, at most size: a suspect is alone.
func (w *Watch) together(units []UnitRef, size int) int {
	size = min(size, len(units))
	for i, u := range units[:size] {
		if w.Suspect(u.ID) {
			return max(1, i)
		}
	}
	return size
}

// takeUp notes the first n of these units before they are taken up. While units are quick, all that follow up to the next suspect are noted with them, once.
func (w *Watch) takeUp(ctx context.Context, units []UnitRef, n int) error {
	if w == nil {
		return nil
	}
	if !w.quick || w.Suspect(units[0].ID) {
		return w.SetInWork(ctx, units[:n])
	}
	if time.Since(w.since) < chunkFor && covers(w.noted, units[:n]) {
		return nil
	}
	return w.SetInWork(ctx, units[:w.together(units, len(units))])
}

// did is told that the units that were taken up are done, the first of which is this one.
func (w *Watch) did(ctx context.Context, first UnitRef, quick bool) error {
	if w == nil {
		return nil
	}
	w.quick = quick
	return w.Survived(ctx, first.ID)
}

// covers says whether all units are among those noted, which stand in order.
func covers(noted, units []UnitRef) bool {
	if len(noted) == 0 || len(units) == 0 {
		return false
	}
	first, last := units[0].ID, units[len(units)-1].ID
	return len(noted) > 1 && noted[0].ID <= first && last <= noted[len(noted)-1].ID
}

// Refs are readings as people know them.
func Refs(readings []Reading) []UnitRef {
	units := make([]UnitRef, len(readings))
	for i, r := range readings {
		units[i] = UnitRef{r.ID, r.Name}
	}
	return units
}
