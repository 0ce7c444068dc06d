package main

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"scrinalia/engine/tagger/internal/corpus"
)

// mix says how much of what is added to the corpora.
type mix struct {
	synthetic int // passages of the grammar
	capitals  int // percent of corpus sentences copied in capitals
	names     int // percent copied with the people in capitals
	swapped   int // percent of those with people copied with other people
}

// passages turns the corpora and the grammar into training text.
func passages(sentences []corpus.Sentence, m mix, seed uint64) ([]passage, error) {
	random := rand.New(rand.NewPCG(seed, 3))
	g, err := newGrammar(random)
	if err != nil {
		return nil, err
	}
	var out []passage
	for i, s := range sentences {
		p := fromSentence(s, i%2 == 0)
		out = append(out, p)
		if random.IntN(100) < m.capitals {
			out = append(out, p.mapped(func(piece) bool { return true }, strings.ToUpper))
		}
		if random.IntN(100) < m.names && p.has("PER") {
			out = append(out, p.mapped(func(x piece) bool { return x.kind == "PER" }, strings.ToUpper))
		}
		if random.IntN(100) < m.swapped && p.has("PER") {
			q, err := g.swapped(p)
			if err != nil {
				return nil, err
			}
			out = append(out, q)
		}
	}
	for i := range m.synthetic {
		p, err := g.synthetic(i)
		if err != nil {
			return nil, fmt.Errorf("passage %d: %w", i, err)
		}
		out = append(out, p)
	}
	return out, nil
}

// fromSentence cuts a corpus sentence into pieces.
func fromSentence(s corpus.Sentence, apart bool) passage {
	text, spans := s.Text(apart)
	var p passage
	at := 0
	for _, e := range spans {
		if e.Start > at {
			p = append(p, piece{text[at:e.Start], ""})
		}
		p = append(p, piece{text[e.Start:e.End], e.Type})
		at = e.End
	}
	if at < len(text) {
		p = append(p, piece{text[at:], ""})
	}
	return p
}

func (p passage) has(kind string) bool {
	for _, x := range p {
		if x.kind == kind {
			return true
		}
	}
	return false
}

// mapped returns a copy with f applied to the pieces that which takes.
func (p passage) mapped(which func(piece) bool, f func(string) string) passage {
	out := make(passage, len(p))
	for i, x := range p {
		if which(x) {
			x.text = f(x.text)
		}
		out[i] = x
	}
	return out
}

// swapped returns a copy whose people of more than one word have other names.
func (g *grammar) swapped(p passage) (passage, error) {
	out := make(passage, len(p))
	for i, x := range p {
		if x.kind == "PER" && strings.Contains(x.text, " ") {
			q, err := g.passage("person")
			if err != nil {
				return nil, err
			}
			caps := strings.ToUpper(x.text) == x.text
			if x.text, _ = q.text(); caps {
				x.text = strings.ToUpper(x.text)
			}
		}
		out[i] = x
	}
	return out, nil
}

// synthetic writes the i-th passage of the grammar, one in five of them English,
// in the ways that archives write: a quarter in capitals.
func (g *grammar) synthetic(i int) (passage, error) {
	name := "sentence"
	if i%5 == 0 {
		name = "english"
	}
	p, err := g.passage(name)
	if err != nil {
		return nil, err
	}
	all := func(piece) bool { return true }
	switch n := g.random.IntN(100); {
	case n < 25:
		p = p.mapped(all, strings.ToUpper)
	case n < 30:
		p = p.mapped(func(x piece) bool { return x.kind != "" }, strings.ToUpper)
	case n < 34:
		p = p.mapped(func(x piece) bool { return x.kind == "PER" }, strings.ToUpper)
	case n < 40:
		p = p.mapped(all, plain.Replace)
	}
	return p, nil
}

// plain takes the accents away, as old catalogues did.
var plain = strings.NewReplacer("á", "a", "â", "a", "ã", "a", "à", "a", "é", "e", "ê", "e", "í", "i",
	"ó", "o", "ô", "o", "õ", "o", "ú", "u", "ü", "u", "ç", "c", "Á", "A", "Â", "A", "É", "E", "Ê", "E", "Í", "I", "Ó", "O", "Ú", "U")
