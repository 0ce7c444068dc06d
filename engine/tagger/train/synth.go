package main

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"scrinalia/engine/tagger/gazetteer"
	"scrinalia/engine/tagger/internal/corpus"
)

var (
	//go:embed templates.txt
	templateText string
	//go:embed lists.txt
	listText string
)

// piece is a stretch of a passage, an entity if kind is not empty.
type piece struct{ text, kind string }

// passage is text to train on, in pieces.
type passage []piece

// text joins the pieces.
func (p passage) text() (string, []corpus.Span) {
	var b strings.Builder
	var spans []corpus.Span
	for _, x := range p {
		start := b.Len()
		b.WriteString(x.text)
		if x.kind != "" {
			spans = append(spans, corpus.Span{Start: start, End: b.Len(), Type: x.kind})
		}
	}
	return b.String(), spans
}

// rule is a name of the grammar with its alternatives.
type rule struct {
	kind  string
	lines []string
}

// grammar writes passages.
type grammar struct {
	rules  map[string]*rule
	lists  map[string][]string
	random *rand.Rand
}

func newGrammar(random *rand.Rand) (*grammar, error) {
	g := &grammar{rules: map[string]*rule{}, lists: sections(listText), random: random}
	var cur *rule
	for line := range strings.Lines(templateText) {
		line = strings.TrimRight(line, "\n")
		head, isHead := strings.CutPrefix(line, "@")
		switch {
		case line == "" || line[0] == '#':
		case isHead:
			name, kind, _ := strings.Cut(head, " ")
			cur = &rule{kind: kind}
			g.rules[name] = cur
		case cur == nil:
			return nil, fmt.Errorf("template outside of a rule: %q", line)
		default:
			cur.lines = append(cur.lines, line)
		}
	}
	g.addNames()
	return g, nil
}

// addNames takes the lists of names from the gazetteers.
func (g *grammar) addNames() {
	g.lists["ownfirst"] = gazetteer.Own("first")
	g.lists["ownlast"] = gazetteer.Own("last")
	g.lists["ownplace"] = gazetteer.Own("place")
	g.lists["anyfirst"] = gazetteer.Firsts()
	g.lists["anylast"] = gazetteer.Lasts()
	g.lists["anyplace"] = slices.DeleteFunc(gazetteer.Places(), g.likePerson)
}

// likePerson says whether a place has the name of a person, as many Brazilian
// towns do ("Carlos Gomes"): alone, such a name is the person's.
func (g *grammar) likePerson(place string) bool {
	first, rest, ok := strings.Cut(place, " ")
	return ok && rest != "" && slices.Contains(g.lists["ownfirst"], first)
}

func sections(text string) map[string][]string {
	out := map[string][]string{}
	name := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			name = strings.Trim(line, "[]")
		default:
			out[name] = append(out[name], line)
		}
	}
	return out
}

func (g *grammar) choose(list []string) string { return list[g.random.IntN(len(list))] }

// passage expands a rule.
func (g *grammar) passage(name string) (passage, error) {
	var p passage
	if err := g.expand(&p, name, ""); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(p, func(x piece) bool { return x.text == "" }), nil
}

func (g *grammar) expand(p *passage, name, kind string) error {
	if list, ok := strings.CutPrefix(name, "#"); ok {
		w, err := g.word(list)
		p.add(w, kind)
		return err
	}
	r := g.rules[name]
	if r == nil {
		return fmt.Errorf("template names no rule: %q", name)
	}
	if kind == "" && r.kind != "" {
		kind = r.kind
		*p = append(*p, piece{"", kind}) // opens the entity, so that neighbours stay apart
	}
	line := g.choose(r.lines)
	for line != "" {
		before, rest, ok := strings.Cut(line, "{")
		p.add(before, kind)
		if !ok {
			return nil
		}
		inner, after, _ := strings.Cut(rest, "}")
		if err := g.expand(p, inner, kind); err != nil {
			return err
		}
		line = after
	}
	return nil
}

// add appends text to the open entity, or plain text to plain text.
func (p *passage) add(text, kind string) {
	if last := len(*p) - 1; last >= 0 && (*p)[last].kind == kind {
		(*p)[last].text += text
		return
	}
	*p = append(*p, piece{text, kind})
}

// word takes a word of a list. Brazilian names come more often than the others,
// and a few names are made up, so that lists are no condition for a name.
func (g *grammar) word(list string) (string, error) {
	switch list {
	case "first":
		return g.mostly("ownfirst", "anyfirst", 75), nil
	case "last":
		return g.mostly("ownlast", "anylast", 75), nil
	case "engfirst":
		return g.mostly("anyfirst", "ownfirst", 95), nil
	case "englast":
		return g.mostly("anylast", "ownlast", 90), nil
	case "place":
		return g.mostly("ownplace", "anyplace", 70), nil
	case "town":
		return g.mostly("anyplace", "blends", 92), nil
	case "blend":
		return g.blend(), nil
	case "initial":
		return string(rune('A'+g.random.IntN(26))) + ".", nil
	case "acronym":
		return g.acronym(), nil
	case "state":
		return g.choose(strings.Fields(gazetteer.States)), nil
	case "year":
		return fmt.Sprint(1750 + g.random.IntN(275)), nil
	case "day":
		return fmt.Sprint(1 + g.random.IntN(31)), nil
	case "monthnum":
		return fmt.Sprintf("%02d", 1+g.random.IntN(12)), nil
	case "number":
		return fmt.Sprint(1 + g.random.IntN(3000)), nil
	}
	if words := g.lists[list]; len(words) > 0 {
		return g.choose(words), nil
	}
	return "", fmt.Errorf("template names no list: %q", list)
}

func (g *grammar) mostly(list, other string, percent int) string {
	if g.random.IntN(100) >= percent {
		list = other
	}
	if list == "blends" {
		return g.blend()
	}
	return g.choose(g.lists[list])
}

// acronym takes a known one or makes one up.
func (g *grammar) acronym() string {
	if g.random.IntN(2) == 0 {
		return g.choose(g.lists["acronyms"])
	}
	const letters = "AAABCCCDDEEEFFGIIIJLMMNOOPPPRRSSSSTTUV"
	out := make([]byte, 3+g.random.IntN(3))
	for i := range out {
		out[i] = letters[g.random.IntN(len(letters))]
	}
	return string(out)
}

// blend makes up a name of two halves.
func (g *grammar) blend() string {
	a := []rune(g.choose(g.lists["anylast"]))
	b := []rune(g.choose(g.lists["anylast"]))
	return string(a[:(len(a)+1)/2]) + strings.ToLower(string(b[len(b)/2:]))
}
