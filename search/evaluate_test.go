package search_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"scrinalia/sample"
	"scrinalia/search"
)

// TestSearchReachesItsFloors asks the labelled queries of the sample collection, with the built-in embedder and without.
func TestSearchReachesItsFloors(t *testing.T) {
	t.Parallel()
	f, err := os.Open("testdata/queries.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	examples, err := search.ReadExamples(f)
	if err != nil {
		t.Fatal(err)
	}
	a := newArchive(t).read(sample.Collection()).lexicalVectors()
	known := map[string]bool{}
	rows, err := a.Pool().Query(t.Context(), "SELECT reference_code FROM documents")
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var code string
		if err := rows.Scan(&code); err != nil {
			t.Fatal(err)
		}
		known[code] = true
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	for _, e := range examples {
		for _, code := range e.Expected {
			if !known[code] {
				t.Errorf("%q expects %s, which is not in the sample", e.Query, code)
			}
		}
	}
	for _, tt := range []struct {
		name   string
		by     *search.Service
		floors map[string][2]float64 // recall, MRR
	}{
		{"by words", search.New(search.Options{Store: a.Store}), map[string][2]float64{"tune": {0.80, 0.80}, "test": {0.70, 0.70}}},
		{"by words and meaning", a.Service, map[string][2]float64{"tune": {0.95, 0.85}, "test": {0.95, 0.85}}},
	} {
		reports, err := search.Evaluate(t.Context(), examples, func(ctx context.Context, query string) ([]string, error) {
			answer, err := tt.by.Search(ctx, search.Query{Text: query})
			var codes []string
			for _, r := range answer.Results {
				codes = append(codes, r.ReferenceCode)
			}
			return codes, err
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range reports {
			t.Logf("%s, %s: recall@10 %.3f, MRR %.3f of %d queries; missed %q", tt.name, r.Half, r.RecallAt10, r.MRR, r.Queries, r.Missed)
			if floor := tt.floors[r.Half]; r.RecallAt10 < floor[0] || r.MRR < floor[1] {
				t.Errorf("%s, %s: recall@10 %.3f, MRR %.3f; want at least %v", tt.name, r.Half, r.RecallAt10, r.MRR, floor)
			}
		}
	}
}

func TestReadExamples(t *testing.T) {
	t.Parallel()
	for give, says := range map[string]string{
		"tune\tpt\tponte": "line 1", "# a remark\n\nother\tpt\tponte\tA": "line 3", "test\tpt\t\tA": "line 1", "tune\tpt\tponte\tA": "",
	} {
		_, err := search.ReadExamples(strings.NewReader(give))
		if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", give, err)
		}
	}
}
