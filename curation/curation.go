package curation

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"scrinalia/worker"
)

// AnyRevision is what an editor has seen who replaces an entry whatever it is.
const AnyRevision int64 = -1

// Change asks for another state of an entry, or for a new one.
type Change struct {
	List         List
	ID           int32 // 0 adds an entry
	State        State
	Seen         int64 // the revision that the editor started from
	By           string
	Channel      worker.Trigger
	Note         string
	RestoredFrom int64 // the revision whose state this is; 0 for none
}

// Saved is an entry after a change; Changed says whether there was anything to change.
type Saved struct {
	Entry

	Changed bool `json:"changed"`
}

// Revision is one change of an entry. Revisions are never changed or deleted.
type Revision struct {
	ID           int64          `json:"id"` // in the order of the changes of all lists
	List         List           `json:"list"`
	EntryID      int32          `json:"entry_id"`
	Revision     int64          `json:"revision"`
	At           time.Time      `json:"at"`
	By           string         `json:"by"`
	Channel      worker.Trigger `json:"channel"`
	Note         string         `json:"note"`
	Before       *State         `json:"before"` // nil where the entry was added
	After        State          `json:"after"`
	RestoredFrom *int64         `json:"restored_from"`
}

// Name is what the entry was called after the change.
func (r Revision) Name() string { return Entry{List: r.List, State: r.After}.Name() }

// ActiveField is the name under which a difference says that an entry was retired or brought back.
const ActiveField = "active"

// Changes lists what the revision changed, field by field. Of an entry that was added, every field that says something.
func (r Revision) Changes() []worker.Difference {
	if r.Before == nil {
		return Differ(r.List, State{Active: true}, r.After)
	}
	return Differ(r.List, *r.Before, r.After)
}

// Differ lists the fields that differ between two states. nil is a field that says nothing.
func Differ(l List, was, now State) []worker.Difference {
	var out []worker.Difference
	say := func(v any) any {
		if v == "" || v == false || v == int64(0) {
			return nil
		}
		return v
	}
	for _, f := range l.Fields() {
		if a, b := say(was.Values[f.Name]), say(now.Values[f.Name]); !reflect.DeepEqual(a, b) {
			out = append(out, worker.Difference{Name: f.Name, Was: a, Now: b})
		}
	}
	if was.Active != now.Active {
		out = append(out, worker.Difference{Name: ActiveField, Was: was.Active, Now: now.Active})
	}
	return out
}

// Filter selects a page of revisions of a list. Zero fields match everything.
type Filter struct {
	List    List
	EntryID int32
	Before  int64 // those below this Revision.ID
	Limit   int   // rows of a page; 0 means 20
}

// Page is a page of revisions, newest first.
type Page struct {
	Revisions []Revision
	Older     int64 // Before of the next page, 0 when there is none
}

// ChangedError says that the entry was changed since the editor saw it; it carries the entry as it is, and the change.
type ChangedError struct {
	Seen int64
	Now  Entry
	Last Revision // zero when the entry never was changed
}

// Error names who changed it and when.
func (e *ChangedError) Error() string {
	if e.Last.Revision == 0 {
		return fmt.Sprintf("%q is at its first state, so that nobody can have seen revision %d of it. Nothing was saved.", clip(e.Now.Name()), e.Seen)
	}
	return fmt.Sprintf("%q was changed meanwhile: revision %d is in force, by %s at %s; you started from revision %d. Nothing was saved.",
		clip(e.Now.Name()), e.Now.Revision, e.Last.By, e.Last.At.UTC().Format("2006-01-02 15:04:05 MST"), e.Seen)
}

// As lets KindOf see a Conflict.
func (e *ChangedError) As(target any) bool {
	if t, ok := target.(**worker.Error); ok {
		*t = &worker.Error{Kind: worker.Conflict, Msg: e.Error()}
		return true
	}
	return false
}

// Effect is what a change does to the queue of a worker.
type Effect struct {
	Worker string `json:"worker"`
	Before int64  `json:"pending_before"`
	After  int64  `json:"pending_after"`
}

// Store keeps the lists and their revisions.
type Store interface {
	// Entries returns a list, or the one entry of that id when it is not 0.
	Entries(ctx context.Context, l List, id int32) ([]Entry, error)
	// Weights says how many descriptions each entry of a list bears on; an entry that is missing bears on none.
	Weights(ctx context.Context, l List) (map[int32]int64, error)
	// SaveEntries makes changes of checked states in one transaction, or none. It fails with *ChangedError, or with a Conflict when there is such an
	// entry already.
	SaveEntries(ctx context.Context, changes []Change) ([]Saved, error)
	// EffectOf makes the changes, counts the queues, and takes it all back.
	EffectOf(ctx context.Context, changes []Change) ([]Effect, error)
	// EntryRevisions returns a page of revisions.
	EntryRevisions(ctx context.Context, f Filter) (Page, error)
	// EntryRevision returns one revision, or NotFound.
	EntryRevision(ctx context.Context, l List, id int32, revision int64) (Revision, error)
	// EachText calls look with the texts of a column: of all descriptions, or of some that are spread over the collection, until look returns false.
	// total is how many there are.
	EachText(ctx context.Context, column string, look func(Sample) bool) (total int64, err error)
}

// Curation are the lists. It is safe for concurrent use.
type Curation struct {
	Store

	catalogue *worker.Catalogue
}

// New returns the lists of a store. The catalogue says which engines a rule may name.
func New(c *worker.Catalogue, s Store) *Curation { return &Curation{Store: s, catalogue: c} }

// Engines are the engines that a rule of the kind LLM_CHECK may name.
func (c *Curation) Engines() []worker.EngineChoice {
	def, err := c.catalogue.Lookup(worker.QualityValidator)
	if err != nil {
		return nil
	}
	return def.AxisEngines()
}

// Entry returns one entry, or NotFound.
func (c *Curation) Entry(ctx context.Context, l List, id int32) (Entry, error) {
	found, err := c.Entries(ctx, l, id)
	if err == nil && len(found) == 0 {
		err = worker.Errorf(worker.NotFound, "There is no entry %d among the %s.", id, string(l))
	}
	if err != nil {
		return Entry{}, err
	}
	return found[0], nil
}

// Find returns the entry that people know by that name, or by its number, or NotFound. A name that several bear is a Conflict.
func (c *Curation) Find(ctx context.Context, l List, name string) (Entry, error) {
	all, err := c.Entries(ctx, l, 0)
	if err != nil {
		return Entry{}, err
	}
	var found []Entry
	for _, e := range all {
		if strings.EqualFold(e.Name(), strings.TrimSpace(name)) || fmt.Sprintf("#%d", e.ID) == name {
			found = append(found, e)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return Entry{}, worker.Errorf(worker.NotFound, "There is no %q among the %s.", clip(name), string(l))
	}
	return Entry{}, worker.Errorf(worker.Conflict, "Several of the %s are called %q; name one by its number, such as #%d.", string(l), clip(name), found[0].ID)
}

// Check validates a change and returns it with its state as it is stored.
func (c *Curation) Check(ch Change) (Change, error) {
	if !ch.List.Known() {
		return ch, noSuchList(ch.List)
	}
	var err error
	ch.State, err = c.check(ch.List, ch.State, ch.Note)
	ch.Note = strings.TrimSpace(ch.Note)
	return ch, err
}

func noSuchList(l List) error {
	all := make([]string, len(Lists))
	for i, known := range Lists {
		all[i] = string(known)
	}
	return worker.Errorf(worker.NotFound, "There is no list %q. The lists are %s.", clip(string(l)), strings.Join(all, ", "))
}

// Save makes a change. It fails with NotFound, with Invalid and its fields, with *ChangedError, or with a Conflict. A state that is in force
// already writes nothing.
func (c *Curation) Save(ctx context.Context, ch Change) (Saved, error) {
	ch, err := c.Check(ch)
	if err != nil {
		return Saved{}, err
	}
	saved, err := c.SaveEntries(ctx, []Change{ch})
	if err != nil {
		return Saved{}, err
	}
	return saved[0], nil
}

// Patch changes some fields of an entry and leaves the others as they are.
func (c *Curation) Patch(ctx context.Context, ch Change, values Values) (Saved, error) {
	e, err := c.Entry(ctx, ch.List, ch.ID)
	if err != nil {
		return Saved{}, err
	}
	ch.Seen, ch.State = e.Revision, State{Active: e.Active, Values: maps.Clone(e.Values)}
	maps.Copy(ch.State.Values, values)
	return c.Save(ctx, ch)
}

// SetActive retires an entry or brings it back.
func (c *Curation) SetActive(ctx context.Context, ch Change, active bool) (Saved, error) {
	e, err := c.Entry(ctx, ch.List, ch.ID)
	if err != nil {
		return Saved{}, err
	}
	ch.State = State{Active: active, Values: e.Values}
	return c.Save(ctx, ch)
}

// Restore makes the state of a revision the one in force again, which is a revision of its own. A state that no longer fits is refused.
func (c *Curation) Restore(ctx context.Context, ch Change, revision int64) (Saved, error) {
	if !ch.List.Known() {
		return Saved{}, noSuchList(ch.List)
	}
	r, err := c.EntryRevision(ctx, ch.List, ch.ID, revision)
	if err != nil {
		return Saved{}, err
	}
	ch.State, ch.RestoredFrom = r.After, revision
	return c.Save(ctx, ch)
}

// step is the distance between the positions of rules after a move.
const step = 10

// Move puts a rule before or behind its neighbour of the same kind. The rules of the kind are numbered anew where they have to be.
func (c *Curation) Move(ctx context.Context, ch Change, down bool) error {
	e, err := c.Entry(ctx, Rules, ch.ID)
	if err != nil {
		return err
	}
	if ch.Seen != AnyRevision && ch.Seen != e.Revision { // let the save tell by whom it was changed
		_, err = c.Save(ctx, Change{List: Rules, ID: e.ID, State: e.State, Seen: ch.Seen, By: ch.By, Channel: ch.Channel})
		return err
	}
	all, err := c.Entries(ctx, Rules, 0)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(o Entry) bool { return o.Values["kind"] != e.Values["kind"] })
	at := slices.IndexFunc(all, func(o Entry) bool { return o.ID == e.ID })
	to := at - 1
	if down {
		to = at + 1
	}
	if at < 0 || to < 0 || to >= len(all) {
		return nil // it stands at the end already
	}
	lowest := all[0].Values.Number("position")
	all[at], all[to] = all[to], all[at]
	var changes []Change
	for i, o := range all {
		o.Values = maps.Clone(o.Values)
		o.Values["position"] = lowest + int64(i)*step
		one := ch
		one.List, one.ID, one.State, one.Seen = Rules, o.ID, o.State, o.Revision
		if one, err = c.Check(one); err != nil {
			return err
		}
		changes = append(changes, one)
	}
	_, err = c.SaveEntries(ctx, changes)
	return err
}

// Effect says what a change would do to the queues, without making it.
func (c *Curation) Effect(ctx context.Context, ch Change) ([]Effect, error) {
	if ch.Channel == "" {
		ch.Channel = worker.Panel
	}
	ch, err := c.Check(ch)
	if err != nil {
		return nil, err
	}
	return c.EffectOf(ctx, []Change{ch})
}
