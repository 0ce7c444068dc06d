package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"scrinalia/curation"
	"scrinalia/store/db"
	"scrinalia/worker"

	"github.com/jackc/pgx/v5"
)

// Entries returns a list in the order in which people read it, or the one entry of that id when it is not 0.
func (s *Store) Entries(ctx context.Context, l curation.List, id int32) ([]curation.Entry, error) {
	list, err := entries(ctx, s.q, l, id)
	return list, translate("read "+string(l), err)
}

func entries(ctx context.Context, q *db.Queries, l curation.List, id int32) ([]curation.Entry, error) {
	rows, err := q.ListEntries(ctx, db.ListEntriesParams{List: string(l), ID: id})
	if err != nil {
		return nil, err
	}
	list := make([]curation.Entry, len(rows))
	for i, r := range rows {
		e := curation.Entry{List: l, ID: r.ID, Revision: r.Revision, State: curation.State{Active: r.Active}}
		if e.Values, err = decodeValues(l, r.Fields); err != nil {
			return nil, err
		}
		list[i] = e
	}
	slices.SortStableFunc(list, func(a, b curation.Entry) int {
		if l == curation.Rules {
			if d := slices.Index(curation.Kinds, a.Values.String("kind")) - slices.Index(curation.Kinds, b.Values.String("kind")); d != 0 {
				return d
			}
		}
		if d := a.Values.Number("position") - b.Values.Number("position"); d != 0 {
			return int(d)
		}
		if l == curation.Rules || l == curation.Levels {
			return int(a.ID - b.ID)
		}
		return strings.Compare(strings.ToLower(a.Name()), strings.ToLower(b.Name()))
	})
	return list, nil
}

// decodeValues reads the fields of an entry with their types. What a list does not have any more is left out.
func decodeValues(l curation.List, raw []byte) (curation.Values, error) {
	var stored map[string]any
	if err := json.Unmarshal(raw, &stored); err != nil {
		return nil, fmt.Errorf("decode an entry of %s: %w", l, err)
	}
	values := curation.Values{}
	for _, f := range l.Fields() {
		v := stored[f.Name]
		switch f.Type {
		case curation.Number:
			n, _ := v.(float64)
			values[f.Name] = int64(n)
		case curation.Flag:
			b, _ := v.(bool)
			values[f.Name] = b
		default:
			t, _ := v.(string)
			values[f.Name] = t
		}
	}
	return values, nil
}

// storedState is a state in a revision.
type storedState struct {
	Active bool            `json:"active"`
	Values json.RawMessage `json:"values"`
}

func decodeState(l curation.List, raw []byte) (curation.State, error) {
	var stored storedState
	if err := json.Unmarshal(raw, &stored); err != nil {
		return curation.State{}, fmt.Errorf("decode a revision of %s: %w", l, err)
	}
	values, err := decodeValues(l, stored.Values)
	return curation.State{Active: stored.Active, Values: values}, err
}

// SaveEntries makes changes of checked states in one transaction, each with its revision. A state that is in force already writes nothing.
func (s *Store) SaveEntries(ctx context.Context, changes []curation.Change) ([]curation.Saved, error) {
	var saved []curation.Saved
	err := s.inTx(ctx, "save rules and vocabularies", func(q *db.Queries) (err error) {
		saved, err = saveEntries(ctx, q, changes)
		return err
	})
	return saved, err
}

func saveEntries(ctx context.Context, q *db.Queries, changes []curation.Change) ([]curation.Saved, error) {
	if err := q.LockCuration(ctx); err != nil {
		return nil, err
	}
	var all []curation.Saved
	for _, c := range changes {
		saved, err := saveEntry(ctx, q, c)
		if err != nil {
			return nil, err
		}
		all = append(all, saved)
	}
	return all, nil
}

func saveEntry(ctx context.Context, q *db.Queries, c curation.Change) (curation.Saved, error) {
	var current curation.Entry
	if c.ID != 0 {
		found, err := entries(ctx, q, c.List, c.ID)
		if err != nil {
			return curation.Saved{}, err
		}
		if len(found) == 0 {
			return curation.Saved{}, noSuch(pgx.ErrNoRows, "There is no entry %d in this list.", int64(c.ID))
		}
		current = found[0]
		if c.Seen != curation.AnyRevision && c.Seen != current.Revision {
			return curation.Saved{}, entryChanged(ctx, q, c, current)
		}
		if len(curation.Differ(c.List, current.State, c.State)) == 0 {
			return curation.Saved{Entry: current}, nil
		}
	}
	next := curation.Entry{List: c.List, ID: c.ID, Revision: current.Revision + 1, State: c.State}
	id, err := putEntry(ctx, q, next)
	if err != nil {
		return curation.Saved{}, err
	}
	next.ID = id
	r := db.InsertEntryRevisionParams{
		List: string(c.List), EntryID: id, Revision: next.Revision, ChangedBy: CleanText(c.By, maxEditor), Channel: string(c.Channel), Note: c.Note,
	}
	if c.RestoredFrom > 0 {
		r.RestoredFrom = &c.RestoredFrom
	}
	if c.ID != 0 {
		if r.Before, err = json.Marshal(current.State); err != nil {
			return curation.Saved{}, fmt.Errorf("encode an entry: %w", err)
		}
	}
	if r.After, err = json.Marshal(c.State); err != nil {
		return curation.Saved{}, fmt.Errorf("encode an entry: %w", err)
	}
	return curation.Saved{Entry: next, Changed: true}, q.InsertEntryRevision(ctx, r)
}

// entryChanged is the conflict of an editor who saw another revision.
func entryChanged(ctx context.Context, q *db.Queries, c curation.Change, now curation.Entry) error {
	e := &curation.ChangedError{Seen: c.Seen, Now: now}
	if now.Revision == 0 {
		return e
	}
	row, err := q.GetEntryRevision(ctx, db.GetEntryRevisionParams{List: string(c.List), EntryID: c.ID, Revision: now.Revision})
	if err != nil {
		return err
	}
	if e.Last, err = entryRevision(row); err != nil {
		return err
	}
	return e
}

func putEntry(ctx context.Context, q *db.Queries, e curation.Entry) (int32, error) {
	v := e.Values
	switch e.List {
	case curation.Rules:
		return q.PutRule(ctx, db.PutRuleParams{
			ID: e.ID, Name: v.String("name"), Kind: v.String("kind"), TargetColumn: v.String("target_column"), Pattern: v.String("pattern"),
			Replacement: v.String("replacement"), CaseSensitive: v.Flag("case_sensitive"), Engine: v.String("engine"), Preset: v.String("preset"),
			Position: int32(v.Number("position")), Active: e.Active, Revision: e.Revision,
		})
	case curation.Typologies:
		return q.PutTypology(ctx, db.PutTypologyParams{ID: e.ID, Name: v.String("name"), Active: e.Active, Revision: e.Revision})
	case curation.Categories:
		return q.PutCategory(ctx, db.PutCategoryParams{ID: e.ID, Name: v.String("name"), ClassifierLabel: v.String("classifier_label"), Active: e.Active, Revision: e.Revision})
	case curation.Levels:
		id, err := q.PutLevel(ctx, db.PutLevelParams{
			ID: int16(e.ID), Name: v.String("name"), Position: int16(v.Number("position")), NeedsParent: v.Flag("needs_parent"), IsLeaf: v.Flag("is_leaf"),
			Active: e.Active, Revision: e.Revision,
		})
		return int32(id), err
	case curation.Stopwords:
		return q.PutStopword(ctx, db.PutStopwordParams{ID: e.ID, Term: v.String("term"), Scope: v.String("scope"), Active: e.Active, Revision: e.Revision})
	case curation.Synonyms:
		return q.PutSynonym(ctx, db.PutSynonymParams{
			ID: e.ID, Term: v.String("term"), Canonical: v.String("canonical"), Scope: v.String("scope"), Active: e.Active, Revision: e.Revision,
		})
	case curation.Exclusions:
		return q.PutExclusion(ctx, db.PutExclusionParams{ID: e.ID, Term: v.String("term"), Kind: v.String("kind"), Active: e.Active, Revision: e.Revision})
	}
	return 0, fmt.Errorf("there is no list %q", e.List)
}

// errEffectKnown takes back a change that was only made to count.
var errEffectKnown = errors.New("the effect is known: rolled back")

// EffectOf makes the changes, counts the queues, and takes it all back. It returns the workers whose queue changes, in no order.
func (s *Store) EffectOf(ctx context.Context, changes []curation.Change) ([]curation.Effect, error) {
	var effects []curation.Effect
	err := s.inTx(ctx, "count what a change does", func(q *db.Queries) error {
		before, err := pending(ctx, q)
		if err != nil {
			return err
		}
		if _, err := saveEntries(ctx, q, changes); err != nil {
			return err
		}
		after, err := pending(ctx, q)
		if err != nil {
			return err
		}
		for name, n := range after {
			if n != before[name] {
				effects = append(effects, curation.Effect{Worker: name, Before: before[name], After: n})
			}
		}
		return errEffectKnown
	})
	if errors.Is(err, errEffectKnown) {
		err = nil
	}
	return effects, err
}

func pending(ctx context.Context, q *db.Queries) (map[string]int64, error) {
	rows, err := q.CountQueues(ctx, db.CountQueuesParams{Workers: []string{}, ConfigFingerprints: [][]byte{}})
	if err != nil {
		return nil, err
	}
	n := map[string]int64{}
	for _, r := range rows {
		n[r.WorkerName] = r.Eligible - r.Done - r.GivenUp
	}
	return n, nil
}

// EntryRevisions returns a page of the revisions of a list or of one entry, newest first.
func (s *Store) EntryRevisions(ctx context.Context, f curation.Filter) (curation.Page, error) {
	limit := f.Limit
	if limit <= 0 {
		limit = 20
	}
	rows, err := s.q.ListEntryRevisions(ctx, db.ListEntryRevisionsParams{List: string(f.List), EntryID: f.EntryID, BeforeID: f.Before, MaxRows: int32(limit + 1)})
	if err != nil {
		return curation.Page{}, translate("list revisions", err)
	}
	var page curation.Page
	if len(rows) > limit {
		rows = rows[:limit]
		page.Older = rows[limit-1].ID
	}
	for _, row := range rows {
		r, err := entryRevision(row)
		if err != nil {
			return page, err
		}
		page.Revisions = append(page.Revisions, r)
	}
	return page, nil
}

// EntryRevision returns one revision, or NotFound.
func (s *Store) EntryRevision(ctx context.Context, l curation.List, id int32, revision int64) (curation.Revision, error) {
	row, err := s.q.GetEntryRevision(ctx, db.GetEntryRevisionParams{List: string(l), EntryID: id, Revision: revision})
	if err != nil {
		return curation.Revision{}, noSuch(err, "There is no revision %d of this entry.", revision)
	}
	return entryRevision(row)
}

func entryRevision(row db.CurationRevision) (r curation.Revision, err error) {
	r = curation.Revision{
		ID: row.ID, List: curation.List(row.List), EntryID: row.EntryID, Revision: row.Revision, At: row.ChangedAt, By: row.ChangedBy, Channel: worker.Trigger(row.Channel),
		Note: row.Note, RestoredFrom: row.RestoredFrom,
	}
	if len(row.Before) > 0 {
		before, err := decodeState(r.List, row.Before)
		if err != nil {
			return r, err
		}
		r.Before = &before
	}
	r.After, err = decodeState(r.List, row.After)
	return r, err
}

// Weights says how many descriptions each entry of a list bears on.
func (s *Store) Weights(ctx context.Context, l curation.List) (map[int32]int64, error) {
	weights := map[int32]int64{}
	err := weigh(ctx, s.q, l, weights)
	return weights, translate("weigh "+string(l), err)
}

func weigh(ctx context.Context, q *db.Queries, l curation.List, weights map[int32]int64) error {
	switch l {
	case curation.Rules:
		rows, err := q.WeighRules(ctx)
		for _, r := range rows {
			weights[r.ID] = r.Documents
		}
		return err
	case curation.Typologies:
		rows, err := q.WeighTypologies(ctx)
		for _, r := range rows {
			weights[r.ID] = r.Documents
		}
		return err
	case curation.Levels:
		rows, err := q.WeighLevels(ctx)
		for _, r := range rows {
			weights[r.ID] = r.Documents
		}
		return err
	case curation.Categories:
		rows, err := q.WeighCategories(ctx)
		for _, r := range rows {
			weights[r.ID] = r.Documents
		}
		return err
	case curation.Stopwords, curation.Synonyms, curation.Exclusions:
	}
	rows, err := q.WeighTerms(ctx, string(l))
	for _, r := range rows {
		weights[r.ID] = r.Documents
	}
	return err
}

// A sample of a large collection is read in so many pieces of so many descriptions, spread over it. A collection that is not larger is read whole.
const (
	samplePieces = 40
	samplePiece  = 500
)

// EachText calls look with the texts of a column, of all descriptions or of a sample that is spread over the collection, until it returns false.
func (s *Store) EachText(ctx context.Context, column string, look func(curation.Sample) bool) (int64, error) {
	n, err := s.q.CountTexts(ctx, column)
	if err != nil {
		return 0, translate("count texts", err)
	}
	span := n.Highest - n.Lowest + 1
	stride := max(samplePiece, span/samplePieces)
	for from := n.Lowest; from <= n.Highest && n.Highest > 0; from += stride {
		rows, err := s.q.ReadTexts(ctx, db.ReadTextsParams{TargetColumn: column, FromID: from, MaxRows: samplePiece})
		if err != nil {
			return n.Texts, translate("read texts", err)
		}
		for _, r := range rows {
			if r.ID >= from+stride { // the next piece has it
				break
			}
			if r.Value != "" && !look(curation.Sample{Document: r.ID, Name: r.UnitName, Text: r.Value}) {
				return n.Texts, nil
			}
		}
	}
	return n.Texts, nil
}
