// Package judge tells by rules whether a name that is both a tag and a named entity belongs to the one or the other: people, places,
// institutions and shops are entities, abstract subjects and kinds of things are tags. It knows the words of engine/lexical, the names of
// engine/tagger/gazetteer and lists of its own, for Brazilian Portuguese first and English second. It imports these, engine and the standard
// library.
package judge

import (
	"fmt"
	"math"
	"strings"

	"scrinalia/engine"
)

// Model names the rules and lists that rulings come from. It changes whenever a ruling would.
const Model = "name-rules-v1"

// clue is a piece of evidence in log odds: above 0 for the entity, below for the tag.
type clue struct {
	weight float64
	why    string
}

// What the shapes of names weigh: 1.73 is the odds of a confidence of 0.85, which is where rulings are applied without a person.
const (
	certain = 3.2
	strong  = 2.6
	clear   = 2.0
	leaning = 1.0
	slight  = 0.4
)

// surest bounds every confidence: rules that know no context are never surer.
const surest = 0.97

// Rule rules on one pair.
func Rule(p engine.Pair) engine.Ruling {
	clues := append([]clue{shape(p)}, beside(p)...)
	total := 0.0
	for _, c := range clues {
		total += c.weight
	}
	r := engine.Ruling{Winner: engine.EntityWins, Confidence: min(surest, 1/(1+math.Exp(-math.Abs(total))))}
	if total < 0 {
		r.Winner = engine.TagWins
	}
	main := clues[0]
	for _, c := range clues[1:] {
		if c.weight*total > main.weight*total {
			main = c
		}
	}
	r.Reason = main.why
	return r
}

// beside is the evidence beside the shape of the name: how the entity is written, its type, and how both are used.
func beside(p engine.Pair) []clue {
	n := read(p.Entity)
	var clues []clue
	if n.capitals > 0 && n.small > 0 {
		clues = append(clues, clue{-leaning, "written in small letters within a text, as common nouns are"})
	}
	if p.EntityType == engine.Person && n.capitals > 1 && n.common == 0 {
		clues = append(clues, clue{leaning, "found as a person, and no common word is in it"})
	}
	switch t, e := float64(p.TagDocuments), float64(p.EntityDocuments); {
	case t == 0 || e == 0:
	case t >= 8*e:
		clues = append(clues, clue{-slight, "used as a subject far more often than it is named in texts"})
	case e >= 8*t:
		clues = append(clues, clue{slight, "named in texts far more often than it is used as a subject"})
	}
	return clues
}

// shape is what the name itself says. The entity's spelling is read, since tags have lost their capitals; an inverted name may be either.
func shape(p engine.Pair) clue {
	if inverted(p.Entity) || inverted(p.Tag) {
		return clue{certain, "a personal name with the surname first"}
	}
	n := read(p.Entity)
	if len(n.words) == 0 {
		n = read(p.Tag)
	}
	for _, rule := range []func(name, engine.EntityType) (clue, bool){fixed, event, place, firm, titled, namesake, plural, headed, club, tailed, person, language} {
		if c, ok := rule(n, p.EntityType); ok {
			return c
		}
	}
	switch {
	case n.capitals > 1:
		return clue{leaning, "unknown words in capitals, as names are written"}
	case n.capitals == 1 && p.EntityType != "":
		return clue{slight, "an unknown word in capitals"}
	}
	return clue{-slight, "nothing known speaks for a name"}
}

// fixed are phrases that are listed as they are.
func fixed(n name, _ engine.EntityType) (clue, bool) {
	l := listed()
	switch {
	case l.subjects[n.phrase]:
		return clue{-strong, "a phrase that is known as a subject"}, true
	case l.wholes[n.phrase]:
		return clue{strong, "an institution that is known by this name"}, true
	}
	for w := range l.wholes {
		if strings.HasPrefix(n.phrase, w+" ") && !n.words[0].plural {
			return clue{strong, "begins with the name of an institution"}, true
		}
	}
	return clue{}, false
}

// event are events, eras and fields of knowledge, whatever name stands in them.
func event(n name, t engine.EntityType) (clue, bool) {
	first := n.words[0]
	for i, w := range n.words[:min(2, len(n.words))] {
		if i == 1 && !first.is(ordinal) && !n.last().is(eventHead) {
			break
		}
		if w.is(eventHead) && (len(n.words) > 1 || t != engine.Place) {
			return clue{-strong, fmt.Sprintf("%q is an event or a time", w.folded)}, true
		}
	}
	if first.is(topicHead) && (len(n.words) == 1 || n.rest(1).linked || n.rest(1).adjectives()) && !first.is(shopHead|firmHead) {
		return clue{-strong, fmt.Sprintf("%q is a subject", first.folded)}, true
	}
	return clue{}, false
}

// place are names of the gazetteer.
func place(n name, t engine.EntityType) (clue, bool) {
	if !n.isPlace() {
		return clue{}, false
	}
	const why = "the name of a place"
	switch {
	case len(n.words) > 1 || n.common == 0:
		return clue{certain, why}, true
	case t == engine.Place && !abstract(n.words[0].folded):
		return clue{leaning, why + ", and a common word"}, true
	case t == engine.Place:
		return clue{slight, why + ", and an abstract noun"}, true
	}
	return clue{}, false
}

// firm are companies with their legal form, and English institutions, whose kind stands last.
func firm(n name, _ engine.EntityType) (clue, bool) {
	if len(n.words) < 2 {
		return clue{}, false
	}
	if last := n.last(); last.is(legalForm) {
		return clue{certain, fmt.Sprintf("%q ends the name of a firm", last.folded)}, true
	}
	last := n.last()
	if !last.english || last.plural || !last.is(firmHead|shopHead|placeHead) {
		return clue{}, false
	}
	before := n.upTo(len(n.words) - 1)
	switch {
	case before.named || before.public || last.is(firmHead):
		return clue{strong, fmt.Sprintf("%q names an institution or a place", last.folded)}, true
	case before.unknown:
		return clue{clear, fmt.Sprintf("%q with an unknown word before it", last.folded)}, true
	}
	return clue{}, false
}

// titled are people with a title: "Padre José", "Barão de Itapetininga", "São Benedito".
func titled(n name, _ engine.EntityType) (clue, bool) {
	first := n.words[0]
	if first.plural || !first.is(title) || len(n.words) < 2 {
		return clue{}, false
	}
	switch rest := n.rest(1); {
	case rest.named || rest.numeral:
		return clue{certain, fmt.Sprintf("%q stands before a personal name", first.folded)}, true
	case rest.unknown:
		return clue{clear, fmt.Sprintf("%q stands before an unknown name", first.folded)}, true
	}
	return clue{}, false
}

// namesake are what was found as a person, is written as one and ends with a surname, whatever else its words mean: "Campos Salles".
func namesake(n name, t engine.EntityType) (clue, bool) {
	last := n.last()
	if t != engine.Person || len(n.words) < 2 || abstract(n.words[0].folded) || n.small > 0 || !last.first && !last.last || last.plainly() || n.words[0].plainly() && last.linked != "" {
		return clue{}, false
	}
	return clue{clear, "found as a person, and ends with a surname"}, true
}

// club are institutions whose kind stands second: "Esporte Clube Mogiana".
func club(n name, _ engine.EntityType) (clue, bool) {
	if len(n.words) > 2 && n.words[1].is(firmHead) && !n.words[1].plural && n.words[1].linked == "" && n.small == 0 {
		return clue{strong, fmt.Sprintf("%q is an institution", n.words[1].folded)}, true
	}
	return clue{}, false
}

// plural are kinds of things and of people.
func plural(n name, _ engine.EntityType) (clue, bool) {
	first := n.words[0]
	if !first.plural || !first.common {
		return clue{}, false
	}
	if rest := n.rest(1); rest.named && !rest.linked {
		return clue{-slight, fmt.Sprintf("%q is a plural, but a name follows", first.folded)}, true
	}
	return clue{-certain, fmt.Sprintf("%q is a plural: a kind of things or people", first.folded)}, true
}

// headed are institutions, shops and places that begin with what they are.
func headed(n name, t engine.EntityType) (clue, bool) {
	first := n.words[0]
	if first.plural || !first.is(firmHead|shopHead|seatHead|placeHead) {
		return clue{}, false
	}
	kind := "an institution"
	if first.is(placeHead) {
		kind = "a place"
	} else if first.is(shopHead) {
		kind = "a shop or a house"
	}
	with := func(weight float64, what string) (clue, bool) {
		return clue{weight, fmt.Sprintf("%q is %s, %s", first.folded, kind, what)}, true
	}
	if len(n.words) == 1 {
		if first.is(firmHead) {
			return with(-slight, "but without a name")
		}
		return with(-clear, "but without a name")
	}
	switch rest := n.rest(1); {
	case rest.named || rest.numeral:
		return with(certain, "and a name follows")
	case rest.public && !first.is(placeHead):
		return with(strong, "of a certain town, state or country")
	case first.is(firmHead):
		return with(strong, "and what it is for follows")
	case rest.definite:
		if first.is(placeHead) && (!first.is(seatHead) || t == engine.Place) {
			return with(clear+slight, "called after a certain thing")
		}
		return with(leaning, "called after a certain thing")
	case rest.unknown && !rest.linked:
		return with(clear, "and an unknown word follows")
	case rest.unknown:
		return with(leaning, "and an unknown word follows")
	case rest.linked && len(rest.words) > 2:
		return with(-slight, "but only its kind follows")
	case rest.linked:
		return with(-clear, "but only its kind follows")
	case first.is(shopHead) && n.small == 0:
		return with(leaning, "and a word in capitals follows")
	case first.is(streetHead) && t == engine.Place && n.small == 0:
		return with(clear, "and a word in capitals follows")
	case first.is(placeHead) && !first.is(seatHead) && n.small == 0:
		return with(leaning, "and a word in capitals follows")
	}
	return with(-leaning, "but only an adjective follows")
}

// tailed are names with a numeral, as streets and rulers have it.
func tailed(n name, _ engine.EntityType) (clue, bool) {
	if len(n.words) > 1 && n.common < len(n.words)-1 && n.rest(len(n.words)-1).numeral {
		return clue{leaning, "ends with the number of a ruler"}, true
	}
	return clue{}, false
}

// person are first names with surnames, and surnames alone.
func person(n name, t engine.EntityType) (clue, bool) {
	firsts, lasts := 0, 0
	for _, w := range n.words {
		if w.common {
			continue
		}
		if w.first {
			firsts++
		}
		if w.last {
			lasts++
		}
	}
	head := n.words[0]
	switch {
	case len(n.words) > 1 && head.first && (n.last().last || n.last().first) && !n.last().plainly():
		return clue{certain, "a first name with a surname"}, true
	case len(n.words) > 1 && head.first && !head.common && n.common == 0:
		return clue{strong, "begins with a first name"}, true
	case len(n.words) > 1 && n.last().last && n.common == 0:
		return clue{clear, "ends with a surname"}, true
	case len(n.words) == 1 && firsts+lasts > 0 && t == engine.Person:
		return clue{clear, "a surname or a first name"}, true
	case len(n.words) == 1 && firsts+lasts > 0:
		return clue{leaning, "a surname or a first name"}, true
	case len(n.words) == 1 && (head.first || head.last) && t == engine.Person:
		return clue{slight, "a surname, and a common word"}, true
	}
	return clue{}, false
}

// language are words of the language: abstract nouns, common nouns, and these with an adjective.
func language(n name, _ engine.EntityType) (clue, bool) {
	first, rest := n.words[0], n.rest(1)
	switch {
	case len(n.words) == 1 && first.common:
		return clue{-certain, "a common noun"}, true
	case abstract(first.folded) && !rest.named:
		return clue{-strong, fmt.Sprintf("%q is an abstract noun", first.folded)}, true
	case n.common == len(n.words):
		return clue{-strong, "common words of the language"}, true
	case first.common && rest.adjectives():
		return clue{-strong, "a common noun with an adjective"}, true
	case first.common && !rest.named:
		return clue{-leaning, fmt.Sprintf("%q is a common noun, and an unknown word follows", first.folded)}, true
	case first.common && rest.linked:
		return clue{-leaning, fmt.Sprintf("%q is a common noun, and a name follows", first.folded)}, true
	}
	return clue{}, false
}
