package lexical

import (
	"slices"
	"strings"
)

// entry is what a phrase says for one label.
type entry struct {
	label  int // index into labelSet.labels; rivals start at len(labels)
	weight float64
	role   role
}

// phrase is a sequence of lemmas, or of stems, after its first.
type phrase struct {
	rest    []string
	entries []entry
}

// labelSet is a list of labels made ready to be matched.
type labelSet struct {
	labels  []string
	targets int  // labels and rivals
	forms   bool // labels are documentary forms: the head of a title decides
	known   bool // the lexicon knows at least one of them
	byLemma map[string][]phrase
	byStem  map[string][]phrase
	skip    map[string]bool
	fuzzy   trigramIndex
}

// prepare resolves labels against the lexicon. A concept that no label answers
// to goes to the one it lies within, and else becomes a rival: "Carta do
// arquiteto" is not filed under plans merely because letters have no label.
func prepare(lex *lexicon, labels []string) *labelSet {
	s := &labelSet{labels: slices.Clone(labels), byLemma: map[string][]phrase{}, byStem: map[string][]phrase{}, skip: lex.skip}
	owners := make([][]int, len(lex.concepts))
	forms, topics := 0, 0
	for i, label := range s.labels {
		found := s.addOwn(lex, i, label)
		for _, c := range found {
			if !slices.Contains(owners[c], i) {
				owners[c] = append(owners[c], i)
			}
			if lex.concepts[c].form {
				forms++
			} else {
				topics++
			}
		}
	}
	s.forms, s.known = forms > topics, forms+topics > 0
	s.targets = len(s.labels)
	for c := range lex.concepts {
		if lex.concepts[c].form != s.forms && len(owners[c]) == 0 || !s.known {
			continue
		}
		owner := owners[c]
		for up := c; len(owner) == 0 && lex.concepts[up].within != ""; {
			up = lex.byID[lex.concepts[up].within]
			owner = owners[up]
		}
		if len(owner) == 0 {
			owner = []int{s.targets}
			s.targets++
		}
		s.addConcept(&lex.concepts[c], owner)
	}
	s.finish()
	return s
}

// parts splits a label into the names it joins: "Decreto / Lei / Portaria",
// "Economia e Comércio".
func parts(label string) []string {
	for _, sep := range [...]string{" e ", " and ", " & ", " ou ", " or ", ","} {
		label = strings.ReplaceAll(label, sep, "/")
	}
	return strings.Split(label, "/")
}

// addOwn adds the label's own words and returns the concepts its parts name.
func (s *labelSet) addOwn(lex *lexicon, i int, label string) []int {
	folded := fold(label)
	whole := lemmas(folded)
	if len(whole) == 0 {
		return nil
	}
	s.add(whole, entry{label: i, weight: 1, role: roleName})
	found := slices.Clone(lex.byName[strings.Join(whole, " ")])
	named := len(found) > 0
	for _, part := range parts(folded) {
		ls := lemmas(part)
		if len(ls) == 0 {
			continue
		}
		concepts := lex.byName[strings.Join(ls, " ")]
		found = append(found, concepts...)
		s.add(ls, entry{label: i, weight: 1, role: roleName})
		if named || len(concepts) > 0 || len(ls) == 1 {
			continue
		}
		// "Atas da Câmara": the first word names the form, the others tell labels apart.
		for k, w := range ls {
			weight := 0.45
			if k == 0 && len(lex.byName[w]) > 0 {
				weight = 0.9
			}
			if !lex.skip[w] {
				s.add([]string{w}, entry{label: i, weight: weight, role: roleName})
			}
		}
	}
	return found
}

func (s *labelSet) addConcept(c *concept, owners []int) {
	for _, t := range c.terms {
		weight := 1.0
		switch t.role {
		case roleWeak:
			weight = 0.5
		case roleHint:
			weight = 0.3
		default:
		}
		for _, o := range owners {
			s.add(t.lemmas, entry{label: o, weight: weight, role: t.role})
		}
	}
}

func (s *labelSet) add(ls []string, e entry) {
	addPhrase(s.byLemma, ls, e)
	stems := make([]string, len(ls))
	for i, w := range ls {
		stems[i] = stem(w)
	}
	addPhrase(s.byStem, stems, e)
}

func addPhrase(m map[string][]phrase, words []string, e entry) {
	list := m[words[0]]
	for i := range list {
		if !slices.Equal(list[i].rest, words[1:]) {
			continue
		}
		for k := range list[i].entries {
			if old := &list[i].entries[k]; old.label == e.label {
				if e.weight > old.weight {
					*old = e
				}
				return
			}
		}
		list[i].entries = append(list[i].entries, e)
		return
	}
	m[words[0]] = append(list, phrase{rest: words[1:], entries: []entry{e}})
}

// finish puts longer phrases first and indexes single words for misspellings.
func (s *labelSet) finish() {
	for _, m := range []map[string][]phrase{s.byLemma, s.byStem} {
		for _, list := range m {
			slices.SortStableFunc(list, func(a, b phrase) int { return len(b.rest) - len(a.rest) })
		}
	}
	words := make([]string, 0, len(s.byLemma))
	for w, list := range s.byLemma {
		if len(list[len(list)-1].rest) == 0 {
			words = append(words, w)
		}
	}
	slices.Sort(words)
	s.fuzzy = newTrigramIndex(words)
}
