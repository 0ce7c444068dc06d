// Package crf is a linear chain over tags of entities: exact decoding, exact
// marginal probabilities, and the compact form of the weights. It imports the
// standard library.
package crf

import "math"

// O is the tag outside of entities; for each type there is one for the first, an
// inner, the last and the only word of an entity. More tags than IOB2 has tell the ends of names better
// (Ratinov and Roth, CoNLL 2009).
const (
	numTypes = 3
	O        = 0
	NumTags  = 1 + 4*numTypes
)

// Places of a word in its entity; the tag is the place plus four times the type.
const (
	first = iota + 1
	inner
	last
	only
)

// Types are the names of the entity types.
var Types = [numTypes]string{"PER", "ORG", "LOC"}

// Tag returns the tag of word i of the n words of an entity.
func Tag(kind, i, n int) uint8 {
	place := inner
	switch {
	case n == 1:
		place = only
	case i == 0:
		place = first
	case i == n-1:
		place = last
	}
	return uint8(kind*4 + place)
}

// kindOf and placeOf take a tag other than O apart.
func kindOf(tag int) int  { return (tag - 1) / 4 }
func placeOf(tag int) int { return (tag-1)%4 + 1 }

// open says whether the entity goes on after tag.
func open(tag int) bool { return tag != O && placeOf(tag) <= inner }

// Entity returns the type and the end of the entity that begins at tags[i];
// the end is i if there is none.
func Entity(tags []uint8, i int) (kind, end int) {
	if tags[i] == O {
		return 0, i
	}
	end = i + 1
	for end < len(tags) && open(int(tags[end-1])) {
		end++
	}
	return kindOf(int(tags[i])), end
}

// Scores are a token's scores by tag.
type Scores [NumTags]float32

// Transitions are the scores of tag pairs; the last row is the start of a sentence.
type Transitions [NumTags + 1][NumTags]float32

// Start is the row of Transitions before the first token.
const Start = NumTags

// Allowed says whether tag may follow prev: an open entity goes on, and only then.
func Allowed(prev, tag int) bool {
	if prev != Start && open(prev) {
		return tag != O && kindOf(tag) == kindOf(prev) && (placeOf(tag) == inner || placeOf(tag) == last)
	}
	return tag == O || placeOf(tag) == first || placeOf(tag) == only
}

const forbidden = -1e9

// Viterbi writes the best sequence of tags to dst, which is as long as emit.
// back is working space; the one returned is to be passed again.
func Viterbi(dst []uint8, emit []Scores, t *Transitions, back [][NumTags]uint8) [][NumTags]uint8 {
	if len(emit) == 0 {
		return back
	}
	back = back[:0]
	var cur Scores
	for k := range cur {
		cur[k] = forbidden
		if Allowed(Start, k) {
			cur[k] = t[Start][k] + emit[0][k]
		}
	}
	back = append(back, [NumTags]uint8{})
	for i := 1; i < len(emit); i++ {
		var next Scores
		var from [NumTags]uint8
		for k := range NumTags {
			best, prev := bestBefore(&cur, t, k)
			next[k], from[k] = best+emit[i][k], prev
		}
		cur, back = next, append(back, from)
	}
	best := O
	for k := range cur {
		if !open(k) && cur[k] > cur[best] {
			best = k
		}
	}
	for i := len(emit) - 1; i >= 0; i-- {
		dst[i] = uint8(best)
		best = int(back[i][best])
	}
	return back
}

// predecessors lists the tags that may stand before each tag.
var predecessors = func() (out [NumTags][]uint8) {
	for k := range out {
		for p := range NumTags {
			if Allowed(p, k) {
				out[k] = append(out[k], uint8(p))
			}
		}
	}
	return out
}()

func bestBefore(cur *Scores, t *Transitions, k int) (float32, uint8) {
	best, prev := float32(math.Inf(-1)), uint8(0)
	for _, p := range predecessors[k] {
		if v := cur[p] + t[p][k]; v > best {
			best, prev = v, p
		}
	}
	return best, prev
}

// Row holds probabilities by tag.
type Row [NumTags]float64

// Lattice holds forward and backward probabilities of one sentence, scaled
// so that Forward[i][k]*Backward[i][k] is the probability of tag k at i.
type Lattice struct {
	Emit, Forward, Backward []Row
	Scale                   []float64
	LogZ                    float64
	Trans                   [NumTags + 1]Row
}

// SetTransitions takes the exponentials of t.
func (l *Lattice) SetTransitions(t *Transitions) {
	for p := range t {
		for k := range t[p] {
			l.Trans[p][k] = 0
			if Allowed(p, k) {
				l.Trans[p][k] = math.Exp(float64(t[p][k]))
			}
		}
	}
}

// Run fills the lattice for the sentence whose scores are emit.
func (l *Lattice) Run(emit []Scores) {
	n := len(emit)
	l.Emit, l.Forward, l.Backward = resize(l.Emit, n), resize(l.Forward, n), resize(l.Backward, n)
	l.Scale = resize(l.Scale, n)
	l.LogZ = 0
	for i := range emit {
		most := emit[i][0]
		for _, v := range emit[i][1:] {
			most = max(most, v)
		}
		l.LogZ += float64(most)
		for k, v := range emit[i] {
			l.Emit[i][k] = math.Exp(float64(v - most))
			if i == n-1 && open(k) {
				l.Emit[i][k] = 0
			}
		}
	}
	for i := range n {
		l.forward(i)
		l.LogZ += math.Log(l.Scale[i])
	}
	l.backward(n)
}

func (l *Lattice) forward(i int) {
	var row Row
	sum := 0.0
	for k := range NumTags {
		row[k] = l.before(i, k) * l.Emit[i][k]
		sum += row[k]
	}
	for k := range row {
		row[k] /= sum
	}
	l.Forward[i], l.Scale[i] = row, sum
}

// before is the probability mass that arrives at tag k of token i.
func (l *Lattice) before(i, k int) float64 {
	if i == 0 {
		return l.Trans[Start][k]
	}
	v := 0.0
	for _, p := range predecessors[k] {
		v += l.Forward[i-1][p] * l.Trans[p][k]
	}
	return v
}

func (l *Lattice) backward(n int) {
	for k := range NumTags {
		l.Backward[n-1][k] = 1
	}
	for i := n - 2; i >= 0; i-- {
		l.Backward[i] = Row{}
		for k := range NumTags {
			v := l.Emit[i+1][k] * l.Backward[i+1][k] / l.Scale[i+1]
			for _, p := range predecessors[k] {
				l.Backward[i][p] += l.Trans[p][k] * v
			}
		}
	}
}

// Span returns the probability that tokens [from, to) are exactly one entity of this type.
func (l *Lattice) Span(from, to, kind int) float64 {
	tag := int(Tag(kind, 0, to-from))
	p := l.before(from, tag) * l.Emit[from][tag] / l.Scale[from]
	for i := from + 1; i < to; i++ {
		next := int(Tag(kind, i-from, to-from))
		p *= l.Trans[tag][next] * l.Emit[i][next] / l.Scale[i]
		tag = next
	}
	return min(p*l.Backward[to-1][tag], 1)
}

func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/2)
	}
	return s[:n]
}
