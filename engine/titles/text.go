package titles

import (
	"strings"
	"sync"
	"unicode"

	"scrinalia/engine/lexical"
	"scrinalia/engine/tagger/gazetteer"
)

// text is a title as the checks read it.
type text struct {
	title  string // with single blanks
	phrase string // its words, folded, with single blanks
	words  []word
}

// word is a run of letters and digits.
type word struct {
	text   string
	folded string
	apart  bool // more than a blank stands before it
	known  bool // a word of the language, a name, or a part of one
	lower  bool // every letter is a small one
}

func read(title string) text {
	t := text{title: title}
	end := 0
	var folded []string
	for start, stop := range runs(title) {
		w := word{text: title[start:stop], apart: strings.Trim(title[end:start], " ") != ""}
		end = stop
		for _, term := range lexical.Terms(w.text) {
			w.folded += term.Folded
			w.known = w.known || term.Known || term.Kin
		}
		if w.folded == "" {
			w.folded = strings.ToLower(w.text)
		}
		w.known = w.known || gazetteer.Default().Lookup(gazetteer.HashWord(w.text)) != 0
		w.lower = strings.ToLower(w.text) == w.text
		t.words = append(t.words, w)
		folded = append(folded, w.folded)
	}
	t.phrase = strings.Join(folded, " ")
	return t
}

// runs yields where letters and digits, with the marks upon them, stand together.
func runs(s string) func(yield func(start, stop int) bool) {
	return func(yield func(int, int) bool) {
		start := -1
		for i, r := range s {
			inside := unicode.IsLetter(r) || unicode.IsDigit(r) || start >= 0 && unicode.IsMark(r)
			switch {
			case inside && start < 0:
				start = i
			case !inside && start >= 0:
				if !yield(start, i) {
					return
				}
				start = -1
			}
		}
		if start >= 0 {
			yield(start, len(s))
		}
	}
}

func count(s string, is func(rune) bool) int {
	n := 0
	for _, r := range s {
		if is(r) {
			n++
		}
	}
	return n
}

func isLetter(r rune) bool { return unicode.IsLetter(r) }

// triples are the runs of three letters, with the blanks around a word, that the names and words of the lists have.
var triples = sync.OnceValue(func() map[string]bool {
	seen := map[string]bool{}
	add := func(s string) {
		for _, t := range lexical.Terms(s) {
			for g := range tripled(t.Folded) {
				seen[g] = true
			}
		}
	}
	for _, list := range [][]string{gazetteer.Firsts(), gazetteer.Lasts(), gazetteer.Places(), gazetteer.Englishes(), lexical.Vocabulary()} {
		for _, s := range list {
			add(s)
		}
	}
	return seen
})

func tripled(w string) func(yield func(string) bool) {
	padded := " " + w + " "
	return func(yield func(string) bool) {
		for i := 0; i+3 <= len(padded); i++ {
			if !yield(padded[i : i+3]) {
				return
			}
		}
	}
}

// strange is the share of a word's triples that no word and no name has.
func strange(folded string) float64 {
	all, odd := 0, 0
	for g := range tripled(folded) {
		all++
		if !triples()[g] {
			odd++
		}
	}
	if all == 0 {
		return 0
	}
	return float64(odd) / float64(all)
}
