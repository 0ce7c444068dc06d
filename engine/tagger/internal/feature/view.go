package feature

import (
	"scrinalia/engine/tagger/gazetteer"
	"scrinalia/engine/tagger/internal/token"
)

// Scratch holds what one call works on, to be used again by the next.
type Scratch struct {
	words  []word
	folded []byte
	caps   uint64 // how much of the sentence is in capitals: 0 little, 1 some, 2 most
	runs   []run
	ids    []uint32
	ends   []int32
}

// run is the stretch of name-like words that a word stands in, [from, to).
type run struct{ from, to int }

// view fills the scratch with all that is known of the sentence's words.
func (s *Scratch) view(g *gazetteer.Table, text string, tokens []token.Token) {
	s.words, s.folded = s.words[:0], s.folded[:0]
	for _, t := range tokens {
		s.words = append(s.words, s.look(g, text[t.Start:t.End]))
	}
	s.caps = capsOf(s.words)
	for i := range s.words {
		s.setCap(&s.words[i])
	}
	s.quieten()
	s.matchPlaces(g)
	s.findRuns()
}

// capsOf says how much of a sentence is in capitals. Archives write whole titles
// so; above capsMost of the words, capitals say nothing about names.
func capsOf(words []word) uint64 {
	const capsSome, capsMost = 2, 6 // tenths of the words with letters
	var ups, all int
	for i := range words {
		w := &words[i]
		if w.letter == noLetters || w.single {
			continue
		}
		all++
		if w.letter == upper {
			ups++
		}
	}
	switch {
	case ups*10 > all*capsMost:
		return 2
	case ups*10 > all*capsSome:
		return 1
	}
	return 0
}

// Shapes of words in a line of capitals, where the true shape says nothing.
const (
	shapeCapsName   = 0x51ed27
	shapeCapsCommon = 0x7a3c11
)

// setCap decides whether a word looks like a part of a name. In a line of
// capitals the words known as common are seen as small letters, the others as titles.
func (s *Scratch) setCap(w *word) {
	if s.caps < 2 || w.letter != upper {
		w.cap = w.letter >= title
		return
	}
	english := w.gaz&gazetteer.English != 0 && w.gaz&named == 0
	if english || w.gaz&(gazetteer.Common|gazetteer.Particle) != 0 {
		w.shape = shapeCapsCommon
		return
	}
	w.cap = true
	w.shape = shapeCapsName
}

// named are the lists whose words begin names, common as they may be.
const named = gazetteer.First | gazetteer.Last | gazetteer.Place | gazetteer.PlacePrefix

// heads are the lists whose words may begin the name of a place or of an organisation.
const heads = gazetteer.Street | gazetteer.OrgHead

// quieten takes back the capital that a common word has only because it begins a
// sentence ("Retrato de ...", "Photograph of ...").
func (s *Scratch) quieten() {
	for i := range s.words {
		w := &s.words[i]
		if i > 0 && !begins(&s.words[i-1]) || w.letter != title {
			continue
		}
		common := w.gaz&(gazetteer.Common|gazetteer.Doc) != 0 || w.gaz&gazetteer.English != 0 && w.gaz&named == 0
		if common && w.gaz&heads == 0 {
			w.cap = false
		}
	}
}

// begins says whether the word after prev may be written large for beginning a sentence.
func begins(prev *word) bool { return prev.fold == foldStop || prev.fold == foldColon }

var (
	foldStop  = gazetteer.HashWord(".")
	foldColon = gazetteer.HashWord(":")
)

// matchPlaces marks the longest place names, left to right.
func (s *Scratch) matchPlaces(g *gazetteer.Table) {
	for i := 0; i < len(s.words); {
		n := s.placeAt(g, i)
		if n == 1 {
			s.words[i].place = placeWhole
		}
		for k := i; n > 1 && k < i+n; k++ {
			s.words[k].place = placeInside
			if k == i {
				s.words[k].place = placeFirst
			}
		}
		i += max(n, 1)
	}
}

// placeAt returns the number of words of the longest place name at i, or 0.
func (s *Scratch) placeAt(g *gazetteer.Table, i int) int {
	w := &s.words[i]
	if w.letter < title || w.gaz&(gazetteer.Place|gazetteer.PlacePrefix) == 0 {
		return 0
	}
	best := 0
	if w.gaz&gazetteer.Place != 0 {
		best = 1
	}
	hash := w.fold
	bits := w.gaz
	for n := 2; n <= gazetteer.MaxPlace && i+n <= len(s.words) && bits&gazetteer.PlacePrefix != 0; n++ {
		hash = gazetteer.Join(hash, s.words[i+n-1].fold)
		if bits = g.Lookup(hash); bits&gazetteer.Place != 0 {
			best = n
		}
	}
	return best
}

// findRuns finds each word's stretch of name-like words; particles count inside it.
func (s *Scratch) findRuns() {
	n := len(s.words)
	s.runs = s.runs[:0]
	for i := 0; i < n; {
		if !s.words[i].cap {
			s.runs = append(s.runs, run{i, i})
			i++
			continue
		}
		end := i + 1
		for k := i + 1; k < n && (s.words[k].cap || s.words[k].gaz&gazetteer.Particle != 0); k++ {
			if s.words[k].cap {
				end = k + 1
			}
		}
		for k := i; k < end; k++ {
			s.runs = append(s.runs, run{i, end})
		}
		i = end
	}
}
