package lexical

import (
	_ "embed"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
)

var (
	//go:embed weights.tsv
	weightData string
	//go:embed synonyms.txt
	synonymData string
)

// Weights that no list gives.
const (
	weightNumber = 0.5  // years and counts are shared by texts about different things
	weightLetter = 0.3  // words of one or two letters
	weightPairs  = 0.25 // words below make no pairs
)

// vocabulary is what vectors know of words.
type vocabulary struct {
	weights map[string]float64 // by lemma
	groups  map[string][]int   // by lemma
	stems   map[string][]int   // groups by stem
}

var vocabularyOnce = sync.OnceValue(func() *vocabulary {
	v, err := parseVocabulary(weightData, synonymData)
	if err != nil {
		panic(err) // the data is part of the program and a test reads it
	}
	return v
})

func parseVocabulary(weights, synonyms string) (*vocabulary, error) {
	v := &vocabulary{weights: map[string]float64{}, groups: map[string][]int{}, stems: map[string][]int{}}
	for line := range strings.Lines(weights) {
		if line[0] == '#' {
			continue
		}
		number, list, _ := strings.Cut(line, "\t")
		weight, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return nil, fmt.Errorf("weights: %w", err)
		}
		for w := range words(list, math.MaxInt16) {
			v.weights[lemma(w)] = weight
		}
	}
	group := 0
	for line := range strings.Lines(synonyms) {
		if line[0] == '#' {
			continue
		}
		group++
		for w := range words(line, math.MaxInt16) {
			v.groups[lemma(w)] = append(v.groups[lemma(w)], group)
			s := stem(w)
			if known := v.stems[s]; len(known) == 0 || known[len(known)-1] != group {
				v.stems[s] = append(known, group)
			}
		}
	}
	return v, nil
}

// features of a folded word.
func (v *vocabulary) features(word string) *features {
	l := lemma(word)
	s := stem(l)
	f := &features{weight: v.weight(word, l), stem: hash(seedStem, s)}
	f.slots = append(f.slots, place(f.stem, weightStem*f.weight))
	groups := v.groups[l]
	if len(groups) == 0 {
		groups = v.stems[s]
	}
	for _, g := range groups {
		f.slots = append(f.slots, place(hash(seedGroup, strconv.Itoa(g)), weightGroup*f.weight/math.Sqrt(float64(len(groups)))))
	}
	grams := ngrams(l)
	for _, g := range grams {
		f.slots = append(f.slots, place(hash(seedGram, g), weightGrams*f.weight/math.Sqrt(float64(len(grams)))))
	}
	return f
}

func (v *vocabulary) weight(word, lemma string) float64 {
	if w, ok := v.weights[word]; ok {
		return w
	}
	if w, ok := v.weights[lemma]; ok {
		return w
	}
	switch {
	case lemma[0] >= '0' && lemma[0] <= '9':
		return weightNumber
	case len(lemma) < 3:
		return weightLetter
	}
	return 1
}

// ngrams are the runs of letters of a word between blanks.
func ngrams(w string) []string {
	padded := " " + w + " "
	var out []string
	for n := shortestGram; n <= longestGram; n++ {
		for i := 0; i+n <= len(padded); i++ {
			out = append(out, padded[i:i+n])
		}
	}
	return out
}
