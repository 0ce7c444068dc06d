package feature

import (
	"math/bits"

	"scrinalia/engine/tagger/gazetteer"
	"scrinalia/engine/tagger/internal/token"
)

// SpaceBits is the size of the space that features are hashed into; with the
// 2^18 features kept, one in sixteen numbers is taken.
const SpaceBits = 22

// Extract returns the features of each token: those of token i are
// ids[ends[i-1]:ends[i]]. The slices hold until the next call with s.
func (s *Scratch) Extract(g *gazetteer.Table, text string, tokens []token.Token) (ids []uint32, ends []int32) {
	s.view(g, text, tokens)
	s.ids, s.ends = s.ids[:0], s.ends[:0]
	for i := range s.words {
		s.spelling(i)
		s.context(i)
		s.lists(i)
		s.stretch(i)
		s.patterns(i)
		s.ends = append(s.ends, int32(len(s.ids)))
	}
	return s.ids, s.ends
}

// Templates, each a name space for hashes of its own.
const (
	tBias = iota
	tLow
	tFold
	tFoldCap
	tShape
	tPrefix
	tSuffix      = tPrefix + 4
	tWord        = tSuffix + 4
	tWordShape   = tWord + 5
	tShapes      = tWordShape + 5
	tGaz         = tShapes + 5
	tGazBit      = tGaz + 5
	tGazPair     = tGazBit + 5
	tPlace       = tGazPair + 5
	tPlaceWord   = tPlace + 3
	tLeft        = tPlaceWord + 2
	tRight       = tLeft + 4
	tFirst       = tRight + 2
	tPosition    = tFirst + 4
	tComma       = tPosition + 3
	tSide        = tComma + 4
	tPairs       = tSide + 4
	tSuffixShape = tPairs + 4
	tTail        = tSuffixShape + 2
)

func (s *Scratch) add(template, h uint64) {
	x := (h + template*0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9
	x ^= x >> 29
	x *= 0x94d049bb133111eb
	s.ids = append(s.ids, uint32(x>>(64-SpaceBits)))
}

func pair(a, b uint64) uint64 { return bits.RotateLeft64(a, 23)*0x9ddfea08eb382d69 ^ b }

// edge stands for the words before the first and after the last.
var edge = word{low: 1, fold: 3, shape: 5}

func (s *Scratch) at(i int) *word {
	if i < 0 || i >= len(s.words) {
		return &edge
	}
	return &s.words[i]
}

// spelling adds the word itself, its shape and its affixes.
func (s *Scratch) spelling(i int) {
	w := &s.words[i]
	s.add(tBias, s.caps)
	s.add(tLow, w.low)
	s.add(tFold, w.fold)
	s.add(tFoldCap, pair(w.fold, uint64(w.letter)))
	s.add(tShape, pair(w.shape, s.caps))
	letters := s.folded[w.from:w.to]
	if w.tail != 0 {
		s.add(tTail, w.tail)
		s.add(tTail+1, pair(w.tail, w.shape))
	}
	h := uint64(14695981039346656037)
	for k := 0; k < min(4, len(letters)); k++ {
		h = (h ^ uint64(letters[k])) * 1099511628211
		if k > 0 {
			s.add(tPrefix+uint64(k), h)
		}
	}
	h = 14695981039346656037
	for k := 0; k < min(4, len(letters)); k++ {
		h = (h ^ uint64(letters[len(letters)-1-k])) * 1099511628211
		s.add(tSuffix+uint64(k), h)
		if k >= 2 {
			s.add(tSuffixShape+uint64(k-2), pair(h, w.shape))
		}
	}
}

// context adds the words about it and their shapes.
func (s *Scratch) context(i int) {
	w := &s.words[i]
	for d := -2; d <= 2; d++ {
		if d == 0 {
			continue
		}
		o := s.at(i + d)
		s.add(tWord+uint64(d+2), o.fold)
		s.add(tWordShape+uint64(d+2), o.shape)
	}
	before, after := s.at(i-1), s.at(i+1)
	s.add(tPairs, pair(before.fold, w.fold))
	s.add(tPairs+1, pair(w.fold, after.fold))
	s.add(tPairs+2, pair(before.fold, w.shape))
	s.add(tPairs+3, pair(after.fold, w.shape))
	s.add(tShapes, pair(before.shape, w.shape))
	s.add(tShapes+1, pair(w.shape, after.shape))
	s.add(tShapes+2, pair(pair(before.shape, w.shape), after.shape))
	s.add(tShapes+3, pair(pair(s.at(i-2).shape, before.shape), w.shape))
	s.add(tShapes+4, pair(pair(w.shape, after.shape), s.at(i+2).shape))
}

// names are the lists that say something about names; the others are about words.
const names = gazetteer.First | gazetteer.Last | gazetteer.Place | gazetteer.State | gazetteer.Common |
	gazetteer.Honorific | gazetteer.Street | gazetteer.OrgHead | gazetteer.OrgTail | gazetteer.Particle

// lists adds what the gazetteers know.
func (s *Scratch) lists(i int) {
	w, before, after := &s.words[i], s.at(i-1), s.at(i+1)
	g, gb, ga := uint64(w.gaz), uint64(before.gaz), uint64(after.gaz)
	s.add(tGaz, g)
	s.add(tGaz+1, pair(g, w.shape))
	s.add(tGaz+2, pair(uint64(before.gaz&names), g))
	s.add(tGaz+3, pair(g, uint64(after.gaz&names)))
	s.add(tGaz+4, pair(pair(uint64(before.gaz&names), uint64(w.gaz&names)), uint64(after.gaz&names)))
	for b := g; b != 0; b &= b - 1 {
		s.add(tGazBit, pair(b&-b, uint64(w.letter)))
	}
	for b := gb; b != 0; b &= b - 1 {
		s.add(tGazBit+1, pair(b&-b, boolean(w.cap)))
	}
	for b := ga; b != 0; b &= b - 1 {
		s.add(tGazBit+2, pair(b&-b, boolean(w.cap)))
	}
	s.add(tGazPair, pair(uint64(s.at(i-2).gaz&names), gb))
	s.add(tGazPair+1, pair(ga, uint64(s.at(i+2).gaz&names)))
	place := pair(uint64(w.place), boolean(w.cap))
	s.add(tPlace, place)
	s.add(tPlace+1, pair(place, uint64(before.place)))
	s.add(tPlace+2, pair(place, uint64(after.place)))
	s.add(tPlaceWord, pair(place, before.fold))
	s.add(tPlaceWord+1, pair(place, uint64(before.gaz&names)))
}

// stretch adds what surrounds the stretch of name-like words: what stands
// before and after it, its first word, where in it the word is.
func (s *Scratch) stretch(i int) {
	r := s.runs[i]
	if r.from == r.to {
		// Outside of names: the nearest name-like neighbours matter less than the word.
		return
	}
	left, right := s.at(r.from-1), s.at(r.to)
	first, last := &s.words[r.from], &s.words[r.to-1]
	inside := boolean(i > r.from)
	s.add(tLeft, pair(left.fold, inside))
	s.add(tLeft+1, pair(pair(s.at(r.from-2).fold, left.fold), inside))
	s.add(tLeft+2, pair(uint64(left.gaz), inside))
	s.add(tLeft+3, pair(left.fold, first.fold))
	s.add(tRight, pair(right.fold, inside))
	s.add(tRight+1, pair(uint64(right.gaz), inside))
	s.add(tFirst, pair(first.fold, inside))
	s.add(tFirst+1, pair(pair(uint64(first.gaz), inside), s.caps))
	s.add(tFirst+2, pair(last.fold, inside))
	s.add(tFirst+3, pair(pair(uint64(first.gaz), uint64(last.gaz)), inside))
	length := uint64(min(r.to-r.from, 6))
	s.add(tPosition, pair(pair(length, uint64(min(i-r.from, 4))), s.caps))
	s.add(tPosition+1, pair(pair(length, boolean(r.from == 0)), boolean(r.to == len(s.words))))
	s.add(tPosition+2, pair(pair(uint64(left.gaz), uint64(first.gaz)), uint64(right.gaz)))
}

// patterns adds what a comma or a bracket nearby tells: "Ferreira, João Batista",
// "Campinas, São Paulo", "Campinas (SP)".
func (s *Scratch) patterns(i int) {
	w := &s.words[i]
	s.add(tSide, pair(boolean(i == 0), boolean(i == len(s.words)-1)))
	if next := s.at(i + 1); next.sign {
		after := s.at(i + 2)
		h := pair(pair(next.fold, uint64(w.gaz&names)), uint64(after.gaz&names))
		s.add(tComma, h)
		s.add(tComma+1, pair(h, boolean(s.at(i-1).cap)))
	}
	if prev := s.at(i - 1); prev.sign {
		before := s.at(i - 2)
		h := pair(pair(prev.fold, uint64(w.gaz&names)), uint64(before.gaz&names))
		s.add(tComma+2, h)
		s.add(tComma+3, pair(before.fold, prev.fold))
	}
	if w.sign {
		b, a := s.at(i-1), s.at(i+1)
		s.add(tSide+1, pair(pair(w.fold, uint64(b.gaz&names)), uint64(a.gaz&names)))
		begins := boolean(i >= 1 && s.runs[i-1].from == 0)
		s.add(tSide+2, pair(pair(w.fold, begins), uint64(a.gaz&names)))
	}
}

func boolean(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
