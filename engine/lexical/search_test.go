package lexical_test

import (
	"encoding/json"
	"os"
	"testing"

	"scrinalia/engine/lexical"
)

type searchFile struct {
	Documents []lexical.Document
	Queries   []lexical.Query
}

func readSearch(t testing.TB, name string) searchFile {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var f searchFile
	if err := json.Unmarshal(data, &f); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestSearchReachesItsFloors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		file        string
		recall, mrr float64 // floors
	}{
		{"search-a.json", 0.90, 0.85},
		{"search-b.json", 0.90, 0.80},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			t.Parallel()
			f := readSearch(t, tt.file)
			r := lexical.EvaluateSearch(f.Documents, f.Queries, lexical.NewEmbedder().Embed)
			for _, k := range r.Kinds {
				t.Logf("%-12s recall@10 %.2f MRR %.2f (%d)", k.Kind, k.RecallAt10, k.MRR, k.Queries)
			}
			t.Logf("recall@10 %.3f MRR %.3f, missed %q", r.RecallAt10, r.MRR, r.Missed)
			if r.RecallAt10 < tt.recall || r.MRR < tt.mrr {
				t.Errorf("recall@10 %.3f, MRR %.3f; want at least %.2f, %.2f", r.RecallAt10, r.MRR, tt.recall, tt.mrr)
			}
		})
	}
}
