// Package feature turns the words of a sentence into the numbers that the
// tagger's weights are found by. It imports gazetteer and token.
package feature

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"scrinalia/engine/tagger/gazetteer"
	"scrinalia/engine/tagger/internal/token"
)

// letterCase says how a word is written.
type letterCase uint8

const (
	noLetters letterCase = iota
	lower
	title
	upper
	mixed
)

// word is what is known of one token by itself.
type word struct {
	low    uint64 // hash of the small letters, accents kept
	fold   uint64 // hash of the folded word
	shape  uint64
	tail   uint64 // lists that the part after a hyphen is on, as in "CREA-DF"; 0 without a hyphen
	gaz    gazetteer.Bits
	place  uint8 // where in a place name of the gazetteer it stands
	letter letterCase
	single bool // one letter, as in initials
	cap    bool // looks like a part of a name
	sign   bool // neither letters nor digits
	from   int  // its folded letters: buffer[from:to]
	to     int
}

// Places in a gazetteer place name.
const (
	placeNone uint8 = iota
	placeFirst
	placeInside
	placeWhole
)

// look fills w from the text of one token.
func (s *Scratch) look(g *gazetteer.Table, text string) word {
	w := word{from: len(s.folded)}
	s.folded = token.AppendFolded(s.folded, text)
	w.to = len(s.folded)
	w.fold = token.Hash(s.folded[w.from:w.to])
	w.gaz = g.Lookup(w.fold)
	w.low = lowHash(text)
	w.letter, w.single, w.sign = caseOf(text)
	if w.letter != upper {
		w.gaz &^= gazetteer.State
	}
	w.shape = shapeOf(text)
	if i := strings.LastIndexByte(text, '-'); i > 0 {
		w.tail = s.tailOf(g, text[i+1:])
	}
	return w
}

func (s *Scratch) tailOf(g *gazetteer.Table, text string) uint64 {
	n := len(s.folded)
	s.folded = token.AppendFolded(s.folded, text)
	bits := g.Lookup(token.Hash(s.folded[n:]))
	s.folded = s.folded[:n]
	return uint64(bits)<<1 | 1
}

// lowHash hashes the small letters of a word, accents kept, digits as 0.
func lowHash(text string) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(text); {
		r, n := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(text[i:])
			r = unicode.ToLower(r)
		} else if r >= 'A' && r <= 'Z' {
			r |= 0x20
		} else if r >= '0' && r <= '9' {
			r = '0'
		}
		i += n
		h = (h ^ uint64(r)) * 1099511628211
	}
	return h ^ h>>32
}

func caseOf(text string) (c letterCase, single, sign bool) {
	var ups, downs, digits int
	first := false
	for i, r := range text {
		switch kind(r) {
		case 'X':
			ups++
			first = first || i == 0
		case 'x':
			downs++
		case 'd':
			digits++
		}
	}
	single = ups+downs == 1
	switch {
	case ups+downs == 0:
		return noLetters, false, digits == 0
	case ups == 0:
		return lower, single, false
	case downs == 0:
		return upper, single, false
	case first && ups == 1:
		return title, single, false
	}
	return mixed, single, false
}

// kind names the sort of a rune in shapes.
func kind(r rune) byte {
	if r < utf8.RuneSelf {
		switch {
		case r >= 'a' && r <= 'z':
			return 'x'
		case r >= 'A' && r <= 'Z':
			return 'X'
		case r >= '0' && r <= '9':
			return 'd'
		}
		return byte(r)
	}
	switch {
	case unicode.IsUpper(r):
		return 'X'
	case unicode.IsLetter(r):
		return 'x'
	case unicode.IsDigit(r):
		return 'd'
	}
	return '?'
}

// shapeOf hashes the shape of a word, runs cut to two: "Xx" for "João", "dd" for "1932".
func shapeOf(text string) uint64 {
	h := uint64(14695981039346656037)
	var last, before byte
	for _, r := range text {
		k := kind(r)
		if k == last && last == before {
			continue
		}
		h = (h ^ uint64(k)) * 1099511628211
		before, last = last, k
	}
	return h ^ h>>32
}
