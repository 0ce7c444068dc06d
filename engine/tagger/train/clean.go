package main

import (
	"slices"

	"scrinalia/engine/tagger/internal/corpus"
)

// clean evens out what Paramopama tags now one way, now the other: countries,
// which it often has as organisations ("A Índia registrou forte crescimento"),
// and the bare words "Estado" and "República". Brackets are written as such.
func clean(sentences []corpus.Sentence) []corpus.Sentence {
	countries := sections(listText)["country"]
	out := make([]corpus.Sentence, len(sentences))
	for i, s := range sentences {
		t := slices.Clone(s)
		for from := 0; from < len(t); {
			to := entityEnd(t, from)
			if t[from].Tag == "B-ORG" {
				retag(t[from:to], countries)
			}
			from = to
		}
		for k := range t {
			switch t[k].Text {
			case "-LRB-":
				t[k].Text = "("
			case "-RRB-":
				t[k].Text = ")"
			}
		}
		out[i] = t
	}
	return out
}

// entityEnd returns where the entity, or the plain word, at from ends.
func entityEnd(s corpus.Sentence, from int) int {
	to := from + 1
	for s[from].Tag != "O" && to < len(s) && s[to].Tag[0] == 'I' {
		to++
	}
	return to
}

func retag(entity corpus.Sentence, countries []string) {
	plainText := slices.Clone(entity)
	for i := range plainText {
		plainText[i].Tag = "O"
	}
	name, _ := plainText.Text(true)
	switch {
	case name == "Estado" || name == "República":
		copy(entity, plainText)
	case slices.Contains(countries, name):
		for i := range entity {
			entity[i].Tag = entity[i].Tag[:2] + "LOC"
		}
	}
}
