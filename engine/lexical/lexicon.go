package lexical

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
)

//go:embed lexicon.tsv
var lexiconData string

// role says how much a term of the lexicon tells.
type role uint8

const (
	roleName role = iota // what labels are called: full weight
	roleHead             // full weight at the head of a title
	roleWord             // full weight
	roleWeak             // half
	roleHint             // too little by itself
	roleSkip             // may come before the head
)

var roles = map[string]role{"form": roleName, "topic": roleName, "head": roleHead, "word": roleWord, "weak": roleWeak, "hint": roleHint, "skip": roleSkip}

// term is one phrase of a concept.
type term struct {
	lemmas []string
	role   role
}

// concept is one documentary form or one subject.
type concept struct {
	name, within string
	form         bool // a documentary form, not a subject
	terms        []term
}

// lexicon is the parsed word list.
type lexicon struct {
	concepts []concept
	byName   map[string][]int // joined lemmas of a name to concepts
	byID     map[string]int
	skip     map[string]bool // lemmas
}

var lexiconOnce = sync.OnceValue(func() *lexicon {
	l, err := parseLexicon(lexiconData)
	if err != nil {
		panic(err) // the data is part of the program and a test reads it
	}
	return l
})

func parseLexicon(data string) (*lexicon, error) {
	l := &lexicon{byName: map[string][]int{}, byID: map[string]int{}, skip: map[string]bool{}}
	n := 0
	for line := range strings.Lines(data) {
		n++
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 3 {
			return nil, fmt.Errorf("lexicon line %d: %d columns, want 3", n, len(f))
		}
		if err := l.add(f[0], f[1], f[2]); err != nil {
			return nil, fmt.Errorf("lexicon line %d: %w", n, err)
		}
	}
	for _, c := range l.concepts {
		if _, ok := l.byID[c.within]; c.within != "" && !ok {
			return nil, fmt.Errorf("lexicon: %s is within %s, which is not there", c.name, c.within)
		}
	}
	return l, nil
}

func (l *lexicon) add(name, kind, list string) error {
	id, known := l.byID[name]
	r, isRole := roles[kind]
	switch {
	case r == roleSkip && isRole:
		for t := range strings.SplitSeq(list, ";") {
			for _, w := range lemmas(t) {
				l.skip[w] = true
			}
		}
		return nil
	case r == roleName && isRole && !known:
		id = len(l.concepts)
		l.byID[name] = id
		l.concepts = append(l.concepts, concept{name: name, form: kind == "form"})
	case !known:
		return fmt.Errorf("concept %q is not declared", name)
	case kind == "within":
		l.concepts[id].within = list
		return nil
	case !isRole:
		return fmt.Errorf("no role %q", kind)
	}
	c := &l.concepts[id]
	for t := range strings.SplitSeq(list, ";") {
		ls := lemmas(t)
		if len(ls) == 0 {
			return fmt.Errorf("empty term in %q", list)
		}
		c.terms = append(c.terms, term{lemmas: ls, role: r})
		if r == roleName {
			key := strings.Join(ls, " ")
			l.byName[key] = append(l.byName[key], id)
		}
	}
	return nil
}

// lemmas are the content words of a phrase, without plurals.
func lemmas(s string) []string {
	var out []string
	for _, t := range tokenize(nil, s, maxTokens) {
		out = append(out, t.lemma)
	}
	return out
}
