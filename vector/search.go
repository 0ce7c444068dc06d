package vector

import (
	"cmp"
	"container/heap"
	"context"
	"encoding/binary"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Hit is a near vector. Score is the cosine of the angle between it and the query.
type Hit struct {
	ID    int64
	Score float64
}

// Found are the nearest vectors, the nearest first, equally near ones by id; and how near all vectors are on the whole, so
// that the caller can tell which stand out.
type Found struct {
	Hits            []Hit
	Mean, Deviation float64
}

// Fetch brings vectors from where they are kept. Those of ids that are gone are left out.
type Fetch func(ctx context.Context, ids []int64) (map[int64][]float32, error)

// fetched is how many vectors are brought at once; fetchedAtMost bounds how many are brought for one search. Only where more vectors
// than that lie within the error of the bytes, about 0.01, of the last place, which takes as many texts that are nearly the same, is
// the order beyond them that of the bytes.
const (
	fetched       = 512
	fetchedAtMost = 32 * fetched
)

// Search returns the k nearest vectors. Ids whose vectors are gone are forgotten.
func (x *Index) Search(ctx context.Context, query []float32, k int, fetch Fetch) (Found, error) {
	unit, err := direction(query)
	if err != nil {
		return Found{}, err
	}
	x.mu.RLock()
	dimensions := x.dimensions
	x.mu.RUnlock()
	if k < 1 || dimensions == 0 {
		return Found{}, nil
	}
	if len(query) != dimensions {
		return Found{}, ErrLength
	}
	q := newProbe(unit)
	for {
		candidates, spread := x.candidates(q, k)
		best, gone, err := compare(ctx, candidates, unit, k, fetch)
		if err != nil {
			return Found{}, err
		}
		if len(gone) > 0 {
			x.Remove(gone...)
			continue // they took the place of others
		}
		return Found{Hits: best, Mean: spread.mean, Deviation: spread.deviation}, nil
	}
}

// probe is a query, made for comparing with codes: a step of it is what one of its 63 levels stands for.
type probe struct {
	unit []float64
	// Four codes of a query stand in a word, 16 bits each, in reverse: a multiplication with four codes of a vector then leaves the sum of
	// the four products in its upper 16 bits. 255 x 63 x 4 still fits, and the sums below, of fewer products, carry nothing into it.
	even, odd []uint64
	scale     float64
	off       float64 // the length of what the codes left out
	sum       int64   // of the codes
}

// The codes of a query have six bits, so that four products and their sum fit into 16.
const (
	probeZero   = 32
	probeLevels = 31
)

func newProbe(unit []float64) *probe {
	q := &probe{unit: unit, even: make([]uint64, (len(unit)+7)/8), odd: make([]uint64, (len(unit)+7)/8)}
	most := 0.0
	for _, a := range unit {
		most = max(most, math.Abs(a))
	}
	q.scale = most / probeLevels
	squares := 0.0
	for i, a := range unit {
		n := math.Round(a / q.scale)
		left := a - n*q.scale
		squares += left * left
		code := uint64(n + probeZero)
		q.sum += int64(code)
		word, lane := i/8, i%8
		half := q.even
		if lane%2 == 1 {
			half = q.odd
		}
		half[word] |= code << (16 * (3 - lane/2))
	}
	q.off = math.Sqrt(squares)
	return q
}

// product is the sum of the products of codes, four at a time.
func (q *probe) product(codes []byte) int64 {
	const everySecond = 0x00ff00ff00ff00ff
	even, odd := q.even, q.odd[:len(q.even)]
	codes = codes[:8*len(even)]
	var a, b uint64
	for i, e := range even {
		word := binary.LittleEndian.Uint64(codes[8*i:])
		a += (word & everySecond * e) >> 48
		b += (word >> 8 & everySecond * odd[i]) >> 48
	}
	return int64(a + b)
}

// rounding is more than what floating point may add to a bound.
const rounding = 1e-5

// near says how near a vector is, give or take the second value.
func (q *probe) near(b *block, i, stride, dimensions int) (score, error float32) {
	// the codes of both sides are shifted to be positive; this takes the shifts back
	n := q.product(b.codes[i*stride:][:stride]) - probeZero*int64(b.sum[i]) - zero*q.sum + zero*probeZero*int64(dimensions)
	off := float64(b.off[i])
	return float32(float64(n) * float64(b.scale[i]) * q.scale), float32(off + (1+off)*q.off + rounding)
}

// nearer is near with the query as it is: slower, with the error of the vector's codes alone.
func (q *probe) nearer(b *block, i, stride int) (score, error float32) {
	codes := b.codes[i*stride:][:len(q.unit)]
	var n [4]float64 // sums that do not wait for each other
	j := 0
	for ; j+4 <= len(codes); j += 4 {
		c, u := codes[j:j+4:j+4], q.unit[j:j+4:j+4]
		n[0] += float64(int(c[0])-zero) * u[0]
		n[1] += float64(int(c[1])-zero) * u[1]
		n[2] += float64(int(c[2])-zero) * u[2]
		n[3] += float64(int(c[3])-zero) * u[3]
	}
	for ; j < len(codes); j++ {
		n[0] += float64(int(codes[j])-zero) * q.unit[j]
	}
	return float32((n[0] + n[1] + n[2] + n[3]) * float64(b.scale[i])), b.off[i] + rounding
}

// candidate is a vector that may be among the nearest: at least and at most this near.
type candidate struct {
	id          int64
	least, most float32
}

type spread struct{ mean, deviation float64 }

// candidates returns every vector that may be among the k nearest, the most promising first.
func (x *Index) candidates(q *probe, k int) ([]candidate, spread) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	rough, all := x.rough(q, k)
	exact := make([]candidate, len(rough))
	const piece = 256
	share(runtime.GOMAXPROCS(0), (len(rough)+piece-1)/piece, func(_, n int) {
		for i := n * piece; i < min(len(rough), (n+1)*piece); i++ {
			b, at := x.blocks[rough[i]/blockSize], rough[i]%blockSize
			score, off := q.nearer(b, at, x.stride)
			exact[i] = candidate{b.ids[at], score - off, score + off}
		}
	})
	floor := newFloor(k)
	for _, c := range exact {
		floor.add(c.least)
	}
	exact = slices.DeleteFunc(exact, func(c candidate) bool { return c.most < floor.value() })
	slices.SortFunc(exact, func(a, b candidate) int { return cmp.Or(cmp.Compare(b.most, a.most), cmp.Compare(a.id, b.id)) })
	return exact, all
}

// rough is the pass over every vector. It returns the slots of those that may be among the nearest.
func (x *Index) rough(q *probe, k int) (slots []int, all spread) {
	count := len(x.at)
	scores := make([]float32, count)
	offs := make([]float32, count)
	parts := make([]struct {
		floor        *floor
		sum, squares float64
	}, runtime.GOMAXPROCS(0))
	for i := range parts {
		parts[i].floor = newFloor(k)
	}
	share(len(parts), len(x.blocks), func(worker, n int) {
		p := &parts[worker]
		for slot := n * blockSize; slot < min(count, (n+1)*blockSize); slot++ {
			score, off := q.near(x.blocks[n], slot%blockSize, x.stride, x.dimensions)
			scores[slot], offs[slot] = score, off
			p.floor.add(score - off)
			p.sum += float64(score)
			p.squares += float64(score) * float64(score)
		}
	})
	least := newFloor(k)
	sum, squares := 0.0, 0.0
	for _, p := range parts {
		for _, v := range p.floor.values {
			least.add(v)
		}
		sum, squares = sum+p.sum, squares+p.squares
	}
	if count == 0 {
		return nil, spread{}
	}
	for slot, score := range scores {
		if score+offs[slot] >= least.value() {
			slots = append(slots, slot)
		}
	}
	mean := sum / float64(count)
	return slots, spread{mean, math.Sqrt(max(0, squares/float64(count)-mean*mean))}
}

// compare brings the candidates' vectors, the most promising first, until no other can be nearer than the k found.
func compare(ctx context.Context, candidates []candidate, unit []float64, k int, fetch Fetch) (best []Hit, gone []int64, err error) {
	for done := 0; done < len(candidates) && done < fetchedAtMost; {
		if len(best) == k && float64(candidates[done].most) < best[k-1].Score {
			break
		}
		ids := make([]int64, 0, fetched)
		for _, c := range candidates[done:min(len(candidates), done+fetched)] {
			ids = append(ids, c.id)
		}
		done += len(ids)
		vectors, err := fetch(ctx, ids)
		if err != nil {
			return nil, nil, err
		}
		for _, id := range ids {
			score, ok := cosine(unit, vectors[id])
			if !ok {
				gone = append(gone, id)
				continue
			}
			best = append(best, Hit{id, score})
		}
		slices.SortFunc(best, func(a, b Hit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
		best = best[:min(k, len(best))]
	}
	return best, gone, nil
}

func cosine(unit []float64, v []float32) (float64, bool) {
	if len(v) != len(unit) {
		return 0, false
	}
	product, squares := 0.0, 0.0
	for i, a := range v {
		product += float64(a) * unit[i]
		squares += float64(a) * float64(a)
	}
	score := product / math.Sqrt(squares)
	return score, !math.IsNaN(score)
}

// floor keeps the k largest of the values it is given, the least of them on top.
type floor struct {
	k      int
	values floats
}

func newFloor(k int) *floor { return &floor{k: k} }

// value is what a value must reach to be among the k largest.
func (f *floor) value() float32 {
	if len(f.values) < f.k {
		return float32(math.Inf(-1))
	}
	return f.values[0]
}

func (f *floor) add(v float32) {
	if len(f.values) < f.k {
		heap.Push(&f.values, v)
	} else if v > f.values[0] {
		f.values[0] = v
		heap.Fix(&f.values, 0)
	}
}

type floats []float32

// Len, Less, Swap, Push and Pop make floats a heap.
func (f floats) Len() int           { return len(f) }
func (f floats) Less(i, j int) bool { return f[i] < f[j] }
func (f floats) Swap(i, j int)      { f[i], f[j] = f[j], f[i] }

// Push adds a value.
func (f *floats) Push(v any) { *f = append(*f, v.(float32)) }

// Pop takes the last value away.
func (f *floats) Pop() any {
	last := (*f)[len(*f)-1]
	*f = (*f)[:len(*f)-1]
	return last
}

// share lets so many workers do n pieces of work. A worker does one at a time.
func share(workers, n int, do func(worker, i int)) {
	var next atomic.Int64
	var group sync.WaitGroup
	for worker := range min(workers, n) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(worker, i)
			}
		})
	}
	group.Wait()
}
