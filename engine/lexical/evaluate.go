package lexical

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Labelled is an example of a classification: a text and the label it should
// get, "" for none.
type Labelled struct{ Text, Label string }

// ReadLabelled reads examples, one a line: text, tab, label, "-" for none.
func ReadLabelled(r io.Reader) ([]Labelled, error) {
	var out []Labelled
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		text, label, ok := strings.Cut(lines.Text(), "\t")
		if !ok {
			return nil, fmt.Errorf("line %d: no tab in %q", len(out)+1, lines.Text())
		}
		if label == "-" {
			label = ""
		}
		out = append(out, Labelled{Text: text, Label: label})
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("after line %d: %w", len(out), err)
	}
	return out, nil
}

// LabelScore is how well one label was found.
type LabelScore struct {
	Label                 string
	Expected, Given, Hits int // examples of it, choices of it, both
	Precision, Recall, F1 float64
}

// Confusion counts the examples of one label that were given another; "" is
// none on either side.
type Confusion struct {
	Want, Got string
	Count     int
}

// ClassReport is an evaluation at one threshold. Overall leaves "none" out of
// both counts, so abstaining costs recall and never precision.
type ClassReport struct {
	Overall   LabelScore
	Labels    []LabelScore // in the order of the labels, "" last
	Confusion []Confusion  // wrong ones only, most frequent first
	Accuracy  float64      // share of examples right, "none" included
}

// EvaluateChoices compares choices with what was expected. A choice counts as
// none unless its score is above threshold.
func EvaluateChoices(examples []Labelled, choices []Choice, labels []string, threshold float64) ClassReport {
	order := append(slices.Clone(labels), "")
	byLabel := make(map[string]*LabelScore, len(order))
	report := ClassReport{Labels: make([]LabelScore, len(order))}
	for i, l := range order {
		report.Labels[i].Label = l
		byLabel[l] = &report.Labels[i]
	}
	confused := map[[2]string]int{}
	right := 0
	for i, e := range examples {
		got := ""
		if i < len(choices) && choices[i].Score > threshold {
			got = choices[i].Label
		}
		if s := byLabel[e.Label]; s != nil {
			s.Expected++
		}
		if s := byLabel[got]; s != nil {
			s.Given++
		}
		if got != e.Label {
			confused[[2]string{e.Label, got}]++
			continue
		}
		right++
		if s := byLabel[got]; s != nil {
			s.Hits++
		}
	}
	for i := range report.Labels {
		s := &report.Labels[i]
		s.rate()
		if s.Label != "" {
			report.Overall.Expected += s.Expected
			report.Overall.Given += s.Given
			report.Overall.Hits += s.Hits
		}
	}
	report.Overall.rate()
	report.Accuracy = ratio(right, len(examples))
	for k, n := range confused {
		report.Confusion = append(report.Confusion, Confusion{k[0], k[1], n})
	}
	slices.SortFunc(report.Confusion, func(a, b Confusion) int {
		return cmp.Or(b.Count-a.Count, cmp.Compare(a.Want, b.Want), cmp.Compare(a.Got, b.Got))
	})
	return report
}

func (s *LabelScore) rate() {
	s.Precision, s.Recall = ratio(s.Hits, s.Given), ratio(s.Hits, s.Expected)
	if s.Precision+s.Recall > 0 {
		s.F1 = 2 * s.Precision * s.Recall / (s.Precision + s.Recall)
	}
}

func ratio(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// Document is a text that searches may find.
type Document struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// Query is a search with the documents that answer it.
type Query struct {
	Kind     string   `json:"kind"` // what is hard about it
	Text     string   `json:"query"`
	Relevant []string `json:"relevant"`
}

// SearchReport is how well documents were ranked. RecallAt10 is the mean share
// of relevant documents among the first ten; MRR the mean of 1 / rank of the
// first relevant one.
type SearchReport struct {
	Queries    int
	RecallAt10 float64
	MRR        float64
	Kinds      []SearchKind // by name
	Missed     []string     // queries with no relevant document among the first ten
}

// SearchKind is the part of a SearchReport about one kind of query.
type SearchKind struct {
	Kind            string
	Queries         int
	RecallAt10, MRR float64
}

// EvaluateSearch ranks the documents for each query by the inner product of
// what embed returns, which for unit vectors is the cosine. Documents or
// queries without a vector are never near.
func EvaluateSearch(documents []Document, queries []Query, embed func([]string) [][]float32) SearchReport {
	texts := make([]string, len(documents))
	for i, d := range documents {
		texts[i] = d.Text
	}
	wanted := make([]string, len(queries))
	for i, q := range queries {
		wanted[i] = q.Text
	}
	vectors, probes := embed(texts), embed(wanted)
	report := SearchReport{Queries: len(queries)}
	kinds := map[string]*SearchKind{}
	for i, q := range queries {
		recall, reciprocal := rank(documents, vectors, probes[i], q.Relevant)
		k := kinds[q.Kind]
		if k == nil {
			k = &SearchKind{Kind: q.Kind}
			kinds[q.Kind] = k
		}
		k.Queries++
		k.RecallAt10 += recall
		k.MRR += reciprocal
		report.RecallAt10 += recall
		report.MRR += reciprocal
		if recall == 0 {
			report.Missed = append(report.Missed, q.Text)
		}
	}
	for _, k := range kinds {
		k.RecallAt10 /= float64(k.Queries)
		k.MRR /= float64(k.Queries)
		report.Kinds = append(report.Kinds, *k)
	}
	slices.SortFunc(report.Kinds, func(a, b SearchKind) int { return cmp.Compare(a.Kind, b.Kind) })
	if len(queries) > 0 {
		report.RecallAt10 /= float64(len(queries))
		report.MRR /= float64(len(queries))
	}
	return report
}

func rank(documents []Document, vectors [][]float32, probe []float32, relevant []string) (recall, reciprocal float64) {
	type hit struct {
		at    int
		score float64
	}
	var hits []hit
	for i, v := range vectors {
		if len(v) != len(probe) || len(v) == 0 {
			continue
		}
		score := 0.0
		for j := range v {
			score += float64(v[j]) * float64(probe[j])
		}
		hits = append(hits, hit{i, score})
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	found := 0
	for i, h := range hits {
		if !slices.Contains(relevant, documents[h.at].ID) {
			continue
		}
		if reciprocal == 0 {
			reciprocal = 1 / float64(i+1)
		}
		if i < 10 {
			found++
		}
	}
	return ratio(found, len(relevant)), reciprocal
}
