package lexical

import (
	"maps"
	"slices"
	"strings"
	"sync"
)

// Term is a word of a name or a phrase, as the word lists see it.
type Term struct {
	Folded string // in small letters, without accents
	Lemma  string // Folded without its plural
	Known  bool   // the lists have it, in the singular or the plural: a word of the language, and not only somebody's name
	Kin    bool   // the lists have a word of its stem
}

// Terms cuts a text into its words.
func Terms(text string) []Term {
	known := knownOnce()
	var out []Term
	for w := range words(text, maxTokens) {
		l := lemma(w)
		out = append(out, Term{w, l, known.lemmas[l], len(l) > 4 && known.stems[stem(w)]})
	}
	return out
}

// Vocabulary lists the lemmas of every word that the lists have, in alphabetical order.
func Vocabulary() []string { return slices.Clone(knownOnce().sorted) }

// Begins says whether a folded word is the beginning of a longer one that the lists have.
func Begins(folded string) bool {
	sorted := knownOnce().sorted
	i, _ := slices.BinarySearch(sorted, folded)
	for ; i < len(sorted) && strings.HasPrefix(sorted[i], folded); i++ {
		if sorted[i] != folded {
			return true
		}
	}
	return false
}

// known has the lemmas and stems of every word of the lexicon and the synonyms.
type known struct {
	lemmas, stems map[string]bool
	sorted        []string // the lemmas
}

var knownOnce = sync.OnceValue(func() known {
	k := known{lemmas: map[string]bool{}, stems: map[string]bool{}}
	add := func(text string) {
		for w := range words(text, len(text)) {
			k.lemmas[lemma(w)], k.stems[stem(w)] = true, true
		}
	}
	for line := range strings.Lines(lexiconData) {
		if columns := strings.Split(line, "\t"); line[0] != '#' && len(columns) == 3 {
			add(columns[2])
		}
	}
	for line := range strings.Lines(synonymData) {
		if line[0] != '#' {
			add(line)
		}
	}
	k.sorted = slices.Sorted(maps.Keys(k.lemmas))
	return k
})
