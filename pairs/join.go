package pairs

import (
	"cmp"
	"context"
	"errors"
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Match is a pair of names, by their places in the two lists, with the trigrams they share and those they have together.
type Match struct {
	A, B          int32
	Shared, Total int32
}

// ErrTooMany means that more pairs are similar enough than were asked for at most.
var ErrTooMany = errors.New("too many pairs are that similar")

// Join returns the pairs of a name of a and a name of b, each given by its trigrams, that are similar enough: the most similar first, then in
// the order of a and b. It keeps all processors busy. More than limit pairs are ErrTooMany.
//
// Trigrams are put in order of rarity. Two sets that share enough must share one of their first, rarest ones, so that only names with a rare trigram in common are
// looked at; their sizes, the places of that trigram, and a signature of each set rule most of these out before they are compared.
func Join(ctx context.Context, a, b [][]uint32, t Threshold, limit int) ([]Match, error) {
	sides := rank(a, b)
	longest := 0
	for i := range sides {
		sides[i].sortBySize()
		longest = max(longest, sides[i].longest())
	}
	j := joiner{t: t, limit: int64(limit), overlap: make([]int32, 2*longest+1)}
	for sum := range j.overlap {
		j.overlap[sum] = int32(t.overlap(sum))
	}
	for i := range sides {
		sides[i].index(func(size int) int { return size - int(j.overlap[2*size]) + 1 })
	}
	// the longer set of a pair is looked up in the index of the other side; of equally long ones, that of a
	if err := j.probe(ctx, &sides[0], &sides[1], false); err != nil {
		return nil, err
	}
	if err := j.probe(ctx, &sides[1], &sides[0], true); err != nil {
		return nil, err
	}
	Sort(j.found)
	return j.found, nil
}

// Sort puts the most similar pairs first, equally similar ones in the order of the lists.
func Sort(found []Match) {
	slices.SortFunc(found, func(x, y Match) int {
		return cmp.Or(cmp.Compare(int64(y.Shared)*int64(x.Total), int64(x.Shared)*int64(y.Total)), cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B))
	})
}

// side is one of the lists: its sets sorted by size, and where to find a trigram in them.
type side struct {
	sets       [][]uint32 // ranks of trigrams, rarest first
	names      []int32    // the place of each set in the list
	signatures [][2]uint64
	from       []int32 // trigram t is found in postings[from[t]:from[t+1]]
	postings   []posting
}

// posting says that a set of a size has a trigram at a place.
type posting struct{ set, place, size int32 }

// rank replaces trigrams by their rank, the rarest of all having the lowest.
func rank(lists ...[][]uint32) [2]side {
	numbers := map[uint32]uint32{}
	var counts []int32
	var sides [2]side
	for i, list := range lists {
		members := 0
		for _, set := range list {
			members += len(set)
		}
		room := make([]uint32, 0, members) // one piece for all sets
		for k, set := range list {
			if len(set) == 0 {
				continue
			}
			begin := len(room)
			for _, trigram := range set {
				n, known := numbers[trigram]
				if !known {
					n = uint32(len(counts))
					numbers[trigram], counts = n, append(counts, 0)
				}
				counts[n]++
				room = append(room, n)
			}
			sides[i].sets, sides[i].names = append(sides[i].sets, room[begin:len(room):len(room)]), append(sides[i].names, int32(k))
		}
	}
	order := make([]uint32, len(counts))
	for n := range order {
		order[n] = uint32(n)
	}
	slices.SortFunc(order, func(x, y uint32) int { return cmp.Or(cmp.Compare(counts[x], counts[y]), cmp.Compare(x, y)) })
	ranks := make([]uint32, len(counts))
	for r, n := range order {
		ranks[n] = uint32(r)
	}
	for i := range sides {
		sides[i].from = make([]int32, len(counts)+1)
		for _, set := range sides[i].sets {
			for k, n := range set {
				set[k] = ranks[n]
			}
			slices.Sort(set)
		}
	}
	return sides
}

func (s *side) sortBySize() {
	order := make([]int, len(s.sets))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(len(s.sets[x]), len(s.sets[y])) })
	sets, names := make([][]uint32, len(order)), make([]int32, len(order))
	s.signatures = make([][2]uint64, len(order))
	for i, o := range order {
		sets[i], names[i] = s.sets[o], s.names[o]
		for _, r := range sets[i] {
			bit := r * 2654435761 >> 25 // a number below 128
			s.signatures[i][bit>>6] |= 1 << (bit & 63)
		}
	}
	s.sets, s.names = sets, names
}

func (s *side) longest() int {
	if len(s.sets) == 0 {
		return 0
	}
	return len(s.sets[len(s.sets)-1])
}

// index fills the postings with the first trigrams of each set; of one trigram they are sorted by the size of the set.
func (s *side) index(prefix func(size int) int) {
	for _, set := range s.sets {
		for _, r := range set[:prefix(len(set))] {
			s.from[r+1]++
		}
	}
	for r := range len(s.from) - 1 {
		s.from[r+1] += s.from[r]
	}
	s.postings = make([]posting, s.from[len(s.from)-1])
	next := slices.Clone(s.from)
	for i, set := range s.sets {
		for place, r := range set[:prefix(len(set))] {
			s.postings[next[r]] = posting{int32(i), int32(place), int32(len(set))}
			next[r]++
		}
	}
}

// joiner is one join under way.
type joiner struct {
	t       Threshold
	limit   int64
	overlap []int32 // that sets of these sizes, added up, must share
	count   atomic.Int64

	mu    sync.Mutex
	found []Match
}

// chunk is how many sets a processor takes at a time.
const chunk = 256

// probe looks the sets of x up among those of y that are not longer, or that are shorter. swapped says that x is the second list.
func (j *joiner) probe(ctx context.Context, x, y *side, swapped bool) error {
	var next atomic.Int64
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			seen := make([]int32, len(y.sets)) // the last set of x that each was compared with, counted from 1
			var found []Match
			for ctx.Err() == nil && j.count.Load() <= j.limit {
				begin := int(next.Add(chunk)) - chunk
				if begin >= len(x.sets) {
					break
				}
				before := len(found)
				for i := begin; i < min(begin+chunk, len(x.sets)); i++ {
					found = j.lookUp(x, y, i, seen, swapped, found)
				}
				j.count.Add(int64(len(found) - before))
			}
			j.mu.Lock()
			defer j.mu.Unlock()
			j.found = append(j.found, found...)
		})
	}
	all.Wait()
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	if j.count.Load() > j.limit {
		return ErrTooMany
	}
	return nil
}

// lookUp adds the matches of one set of x.
func (j *joiner) lookUp(x, y *side, i int, seen []int32, swapped bool, found []Match) []Match {
	set, signature, stamp := x.sets[i], x.signatures[i], int32(i)+1
	size := int32(len(set))
	shortest, longest := int32(j.t.least(len(set))), size
	if swapped {
		longest--
	}
	for place, r := range set[:size-shortest+1] {
		left := size - int32(place)
		postings := y.postings[y.from[r]:y.from[r+1]]
		first, _ := slices.BinarySearchFunc(postings, shortest, func(p posting, size int32) int { return cmp.Compare(p.size, size) })
		for _, p := range postings[first:] {
			if p.size > longest {
				break
			}
			need := j.overlap[size+p.size]
			if min(left, p.size-p.place) < need || seen[p.set] == stamp {
				continue
			}
			seen[p.set] = stamp
			theirs := &y.signatures[p.set]
			apart := bits.OnesCount64(signature[0]^theirs[0]) + bits.OnesCount64(signature[1]^theirs[1])
			if size+p.size-int32(apart) < 2*need {
				continue
			}
			shared := 1 + int32(intersection(set[place+1:], y.sets[p.set][p.place+1:], int(need)-1))
			if shared < need {
				continue
			}
			m := Match{A: x.names[i], B: y.names[p.set], Shared: shared, Total: size + p.size - shared}
			if swapped {
				m.A, m.B = m.B, m.A
			}
			found = append(found, m)
		}
	}
	return found
}

// intersection counts what two sorted sets share, and gives up once need is out of reach.
func intersection(a, b []uint32, need int) (shared int) {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] == b[0]:
			shared++
			a, b = a[1:], b[1:]
		case a[0] < b[0]:
			a = a[1:]
		default:
			b = b[1:]
		}
		if shared+min(len(a), len(b)) < need {
			return 0
		}
	}
	return shared
}
