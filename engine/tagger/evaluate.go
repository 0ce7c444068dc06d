package tagger

import (
	"fmt"
	"io"
	"strings"

	"scrinalia/engine/tagger/internal/corpus"
)

// Count holds the entities found rightly, found wrongly and missed.
type Count struct{ Right, Wrong, Missed int }

// Precision is the share of what was found that is right.
func (c Count) Precision() float64 { return ratio(c.Right, c.Right+c.Wrong) }

// Recall is the share of what there is that was found.
func (c Count) Recall() float64 { return ratio(c.Right, c.Right+c.Missed) }

// F1 is the harmonic mean of both.
func (c Count) F1() float64 { return ratio(2*c.Right, 2*c.Right+c.Wrong+c.Missed) }

func ratio(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// Report is an evaluation: exact matches of bounds and type.
type Report struct {
	Sentences int
	Overall   Count
	ByType    map[string]Count
}

// String writes a line for all entities and one for each type.
func (r Report) String() string {
	var b strings.Builder
	line := func(name string, c Count) {
		fmt.Fprintf(&b, "%-4s P %.3f  R %.3f  F1 %.3f  (%d right, %d wrong, %d missed)\n",
			name, c.Precision(), c.Recall(), c.F1(), c.Right, c.Wrong, c.Missed)
	}
	line("all", r.Overall)
	for _, t := range []string{"PER", "ORG", "LOC"} {
		line(t, r.ByType[t])
	}
	return b.String()
}

// Evaluate tags the text of a corpus (token TAB tag, IOB2, blank line between
// sentences) and compares. The words are joined as they would be written, so
// that the model's own cutting into words is measured too.
func Evaluate(m *Model, r io.Reader) (Report, error) {
	sentences, err := corpus.Read(r)
	if err != nil {
		return Report{}, fmt.Errorf("corpus: %w", err)
	}
	return EvaluateSentences(m, sentences), nil
}

// EvaluateSentences is Evaluate on sentences already read.
func EvaluateSentences(m *Model, sentences []corpus.Sentence) Report {
	rep := Report{Sentences: len(sentences), ByType: map[string]Count{}}
	for _, s := range sentences {
		text, gold := s.Text(false)
		rep.compare(gold, m.Entities(text))
	}
	return rep
}

func (r *Report) compare(gold []corpus.Span, found []Span) {
	open := make(map[corpus.Span]bool, len(gold))
	for _, g := range gold {
		open[g] = true
	}
	for _, f := range found {
		k := corpus.Span{Start: f.Start, End: f.End, Type: f.Type}
		if open[k] {
			r.add(f.Type, Count{Right: 1})
			delete(open, k)
		} else {
			r.add(f.Type, Count{Wrong: 1})
		}
	}
	for g := range open {
		r.add(g.Type, Count{Missed: 1})
	}
}

func (r *Report) add(kind string, c Count) {
	sum := func(a, b Count) Count { return Count{a.Right + b.Right, a.Wrong + b.Wrong, a.Missed + b.Missed} }
	r.Overall = sum(r.Overall, c)
	r.ByType[kind] = sum(r.ByType[kind], c)
}

// Sentence is one sentence of a corpus with the entities that are in it.
type Sentence struct {
	Text     string
	Entities []Span
}

// ReadCorpus reads a tagged corpus (token TAB tag, IOB2, blank line between sentences). The words are joined as they would be written.
func ReadCorpus(r io.Reader) ([]Sentence, error) {
	sentences, err := corpus.Read(r)
	if err != nil {
		return nil, fmt.Errorf("corpus: %w", err)
	}
	out := make([]Sentence, len(sentences))
	for i, s := range sentences {
		text, gold := s.Text(false)
		out[i].Text = text
		for _, g := range gold {
			out[i].Entities = append(out[i].Entities, Span{Start: g.Start, End: g.End, Type: g.Type})
		}
	}
	return out, nil
}
