package main

import (
	"bytes"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scrinalia/engine/tagger/internal/corpus"
)

func small() corpora {
	return corpora{train: []corpus.Sentence{
		{{Text: "Ana", Tag: "B-PER"}, {Text: "Souza", Tag: "I-PER"}, {Text: "mora", Tag: "O"}, {Text: "em", Tag: "O"}, {Text: "Campinas", Tag: "B-LOC"}},
		{{Text: "A", Tag: "O"}, {Text: "Vale", Tag: "B-ORG"}, {Text: "S.A.", Tag: "I-ORG"}, {Text: "faliu", Tag: "O"}, {Text: ".", Tag: "O"}},
	}}
}

func TestFitIsDeterministic(t *testing.T) {
	t.Parallel()
	set := defaults
	set.epochs, set.mix.synthetic = 2, 200
	first, err := fit(set, small(), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	second, err := fit(set, small(), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, second) {
		t.Error("two trainings on the same data differ")
	}
}

// TestGrammar expands every rule, so that a name without a rule shows.
func TestGrammar(t *testing.T) {
	t.Parallel()
	out, err := passages(nil, mix{synthetic: 20_000}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range out {
		text, spans := p.text()
		for _, s := range spans {
			if s.Start >= s.End || s.End > len(text) {
				t.Fatalf("%q: span %+v", text, s)
			}
		}
	}
}

func TestClean(t *testing.T) {
	t.Parallel()
	in := []corpus.Sentence{{
		{Text: "Coreia", Tag: "B-ORG"},
		{Text: "do", Tag: "I-ORG"},
		{Text: "Sul", Tag: "I-ORG"},
		{Text: "-LRB-", Tag: "O"},
		{Text: "Estado", Tag: "B-ORG"},
		{Text: "-RRB-", Tag: "O"},
		{Text: "Vale", Tag: "B-ORG"},
	}}
	want := []corpus.Sentence{{
		{Text: "Coreia", Tag: "B-LOC"},
		{Text: "do", Tag: "I-LOC"},
		{Text: "Sul", Tag: "I-LOC"},
		{Text: "(", Tag: "O"},
		{Text: "Estado", Tag: "O"},
		{Text: ")", Tag: "O"},
		{Text: "Vale", Tag: "B-ORG"},
	}}
	if d := cmp.Diff(want, clean(in)); d != "" {
		t.Error(d)
	}
}
