package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"scrinalia/pairs"
	"scrinalia/store/db"
	"scrinalia/worker"
)

const (
	// maxPairs is how many similar pairs are kept at most. More of them are no conflicts, but names of one pattern.
	maxPairs = 2_000_000
	// compareFor is how long a page waits for names to be compared. The comparison goes on; the next page has its figure.
	compareFor = 200 * time.Millisecond
	// compareAtMost ends a comparison that nobody waits for any more.
	compareAtMost = 10 * time.Minute
)

// comparison is one comparison of names that goes on behind the pages.
type comparison struct {
	done chan struct{}
	err  error
}

// comparisons are those under way, by threshold.
type comparisons struct {
	mu       sync.Mutex
	underWay map[float64]*comparison
}

// start begins a comparison, or joins the one that is under way.
func (c *comparisons) start(threshold float64, compare func() error) *comparison {
	c.mu.Lock()
	defer c.mu.Unlock()
	if one, ok := c.underWay[threshold]; ok {
		return one
	}
	one := &comparison{done: make(chan struct{})}
	if c.underWay == nil {
		c.underWay = map[float64]*comparison{}
	}
	c.underWay[threshold] = one
	go func() {
		one.err = compare()
		c.mu.Lock()
		delete(c.underWay, threshold)
		c.mu.Unlock()
		close(one.done)
	}()
	return one
}

// MeasurePairs counts the pairs of a tag and an entity that are at least so similar. Names that are new or changed are compared first; when that takes longer
// than a page may wait, nothing is counted, and behind says how many there are.
func (s *Store) MeasurePairs(ctx context.Context, threshold float64) (count worker.PairCount, behind int64, err error) {
	state, fresh, err := s.pairState(ctx, threshold)
	if err != nil {
		return count, 0, err
	}
	if !fresh {
		one := s.comparisons.start(threshold, func() error {
			background, cancel := context.WithTimeout(s.background, compareAtMost)
			defer cancel()
			return s.ComparePairs(background, threshold)
		})
		wait := time.NewTimer(compareFor)
		defer wait.Stop()
		select {
		case <-one.done:
			if one.err != nil {
				return count, 0, one.err
			}
		case <-wait.C:
			return count, max(1, state.Changed), nil
		case <-ctx.Done():
			return count, 0, context.Cause(ctx)
		}
	}
	count, err = s.CountPairs(ctx, threshold)
	return count, 0, err
}

// pairState says whether the known pairs can answer for this threshold.
func (s *Store) pairState(ctx context.Context, threshold float64) (db.PairStateRow, bool, error) {
	state, err := s.q.PairState(ctx)
	return state, err == nil && answers(state, threshold), translate("read the state of pairs", err)
}

func answers(state db.PairStateRow, threshold float64) bool {
	return state.Changed == 0 && state.Floor != nil && *state.Floor <= threshold
}

// CountPairs counts the pairs that are known.
func (s *Store) CountPairs(ctx context.Context, threshold float64) (worker.PairCount, error) {
	t, err := pairThreshold(threshold)
	if err != nil {
		return worker.PairCount{}, err
	}
	numerator, denominator := t.Fraction()
	row, err := s.q.CountPairs(ctx, db.CountPairsParams{Numerator: numerator, Denominator: denominator})
	return worker.PairCount{Pending: row.Pending, Eligible: row.Eligible}, translate("count pairs", err)
}

func pairThreshold(v float64) (pairs.Threshold, error) {
	t, err := pairs.NewThreshold(v)
	if err != nil {
		return t, worker.Errorf(worker.Invalid, "%v is no threshold of similarity, which is above 0 and at most 1.", v)
	}
	return t, nil
}

// ComparePairs compares the names that are new or changed since the last comparison with all others, so that every pair that is at least so similar is known.
// One comparison goes on at a time; where none is needed it costs one look.
func (s *Store) ComparePairs(ctx context.Context, threshold float64) error {
	if _, err := pairThreshold(threshold); err != nil {
		return err
	}
	if _, fresh, err := s.pairState(ctx, threshold); err != nil || fresh {
		return err
	}
	return s.inTx(ctx, "compare names", func(q *db.Queries) error {
		if err := q.LockPairs(ctx); err != nil {
			return err
		}
		state, err := q.PairState(ctx)
		if err != nil || answers(state, threshold) {
			return err
		}
		backlog, err := q.ListChangedNames(ctx) // before the names: whatever changes from here on will be in the backlog again
		if err != nil {
			return err
		}
		n, err := readNames(ctx, q)
		if err != nil {
			return err
		}
		everything := state.Floor == nil || threshold < *state.Floor
		floor := threshold
		if !everything {
			floor = *state.Floor
		}
		done := make([]int64, len(backlog))
		for i, b := range backlog {
			done[i] = b.ID
			n.change(b.Kind, b.Ids)
		}
		found, err := n.join(ctx, floor, everything)
		if err != nil {
			return err
		}
		if err := savePairs(ctx, q, n, found, everything); err != nil {
			return err
		}
		if err := q.ForgetChangedNames(ctx, done); err != nil {
			return err
		}
		return q.SetPairFloor(ctx, floor)
	})
}

// namesOf are the names of all tags or entities.
type namesOf struct {
	ids     []int64
	names   []string
	changed map[int64]bool
}

// split returns the places of names that changed, and of the others.
func (n *namesOf) split() (changed, others []int32) {
	for i, id := range n.ids {
		if n.changed[id] {
			changed = append(changed, int32(i))
		} else {
			others = append(others, int32(i))
		}
	}
	return changed, others
}

type names struct {
	tags, entities namesOf
	alphabet       pairs.Alphabet
}

func readNames(ctx context.Context, q *db.Queries) (*names, error) {
	n := &names{tags: namesOf{changed: map[int64]bool{}}, entities: namesOf{changed: map[int64]bool{}}, alphabet: pairs.Alphabet{}}
	tags, err := q.ListTagNames(ctx)
	if err != nil {
		return nil, err
	}
	entities, err := q.ListEntityNames(ctx)
	if err != nil {
		return nil, err
	}
	var common [0x250]bool // the letters of Europe, which are nearly all
	rare := map[rune]bool{}
	var characters []string
	add := func(to *namesOf, id int64, name string) {
		to.ids, to.names = append(to.ids, id), append(to.names, name)
		for _, r := range name {
			switch {
			case int(r) < len(common) && !common[r]:
				common[r], characters = true, append(characters, string(r))
			case int(r) >= len(common) && !rare[r]:
				rare[r], characters = true, append(characters, string(r))
			}
		}
	}
	for _, t := range tags {
		add(&n.tags, t.ID, t.Name)
	}
	for _, e := range entities {
		add(&n.entities, e.ID, e.Name)
	}
	shown, err := q.ShowCharacters(ctx, characters)
	if err != nil {
		return nil, err
	}
	for _, c := range shown {
		if err := n.alphabet.Learn([]rune(c.Value)[0], c.Trigrams, c.Lower); err != nil {
			return nil, err
		}
	}
	return n, nil
}

func (n *names) change(kind string, ids []int64) {
	changed := n.tags.changed
	if kind == "entity" {
		changed = n.entities.changed
	}
	for _, id := range ids {
		changed[id] = true
	}
}

// join returns the similar pairs of names of which one has changed, or all of them.
func (n *names) join(ctx context.Context, threshold float64, everything bool) ([]pairs.Match, error) {
	t, err := pairThreshold(threshold)
	if err != nil {
		return nil, err
	}
	tags, entities := n.alphabet.Sets(n.tags.names), n.alphabet.Sets(n.entities.names)
	limit := maxPairs
	one := func(a, b [][]uint32) ([]pairs.Match, error) {
		found, err := pairs.Join(ctx, a, b, t, limit)
		if errors.Is(err, pairs.ErrTooMany) {
			err = worker.Errorf(worker.Invalid, "More than %d pairs of a tag and an entity are that similar; a higher similarity_threshold finds fewer.", maxPairs)
		}
		limit -= len(found)
		return found, err
	}
	if everything {
		return one(tags, entities)
	}
	changedTags, otherTags := n.tags.split()
	changedEntities, _ := n.entities.split()
	found, err := one(choose(tags, changedTags), entities)
	if err != nil {
		return nil, err
	}
	more, err := one(choose(tags, otherTags), choose(entities, changedEntities))
	if err != nil {
		return nil, err
	}
	for i := range found {
		found[i].A = changedTags[found[i].A]
	}
	for _, m := range more {
		m.A, m.B = otherTags[m.A], changedEntities[m.B]
		found = append(found, m)
	}
	pairs.Sort(found)
	return found, nil
}

func choose(sets [][]uint32, places []int32) [][]uint32 {
	chosen := make([][]uint32, len(places))
	for i, p := range places {
		chosen[i] = sets[p]
	}
	return chosen
}

// savePairs makes the known pairs of the names that changed, or all of them, those that were found.
func savePairs(ctx context.Context, q *db.Queries, n *names, found []pairs.Match, everything bool) error {
	var p db.SavePairsParams
	for i, m := range found {
		p.Tags, p.Entities = append(p.Tags, n.tags.ids[m.A]), append(p.Entities, n.entities.ids[m.B])
		p.Shared, p.Total, p.Places = append(p.Shared, m.Shared), append(p.Total, m.Total), append(p.Places, int64(i))
	}
	drop := db.DropPairsParams{Everything: everything, Tags: p.Tags, Entities: p.Entities}
	if !everything {
		drop.ChangedTags, drop.ChangedEntities = keys(n.tags.changed), keys(n.entities.changed)
	}
	if err := q.DropPairs(ctx, drop); err != nil {
		return fmt.Errorf("drop pairs: %w", err)
	}
	return q.SavePairs(ctx, p)
}

func keys(set map[int64]bool) []int64 {
	list := make([]int64, 0, len(set))
	for id := range set {
		list = append(list, id)
	}
	return list
}
