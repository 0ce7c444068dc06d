package lexical_test

import (
	"os"
	"testing"

	"scrinalia/engine/lexical"
)

// The -a examples were tuned on, the -weak ones written and used to calibrate
// scores, the -b ones held back until the end. One hand wrote them all and the
// lexicon: the figures say what the rules do, not what strange titles will get.

func readLabelled(t testing.TB, name string) []lexical.Labelled {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out, err := lexical.ReadLabelled(f)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return out
}

func texts(examples []lexical.Labelled) []string {
	out := make([]string, len(examples))
	for i, e := range examples {
		out[i] = e.Text
	}
	return out
}

func TestClassifierReachesItsFloors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		file              string
		labels            []string
		threshold         float64
		precision, recall float64 // floors
	}{
		{"typology-a.tsv", typologies, typologyThreshold, 0.95, 0.95},
		{"typology-b.tsv", typologies, typologyThreshold, 0.95, 0.95},
		{"typology-weak.tsv", typologies, typologyThreshold, 0.80, 0.50},
		{"subjects-a.tsv", subjects, subjectThreshold, 0.95, 0.95},
		{"subjects-b.tsv", subjects, subjectThreshold, 0.95, 0.95},
		{"subjects-weak.tsv", subjects, subjectThreshold, 0.75, 0.40},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			t.Parallel()
			examples := readLabelled(t, tt.file)
			choices := lexical.NewClassifier(lexical.Settings{}).Classify(texts(examples), tt.labels)
			r := lexical.EvaluateChoices(examples, choices, tt.labels, tt.threshold)
			for _, l := range append(r.Labels, r.Overall) {
				t.Logf("%-32q P %.2f R %.2f F1 %.2f (%d)", l.Label, l.Precision, l.Recall, l.F1, l.Expected)
			}
			for i, e := range examples {
				if c := choices[i]; c.Label != e.Label || c.Score <= tt.threshold && e.Label != "" {
					t.Logf("%q: got %q %.2f, want %q", e.Text, c.Label, c.Score, e.Label)
				}
			}
			if r.Overall.Precision < tt.precision || r.Overall.Recall < tt.recall {
				t.Errorf("precision %.3f, recall %.3f; want at least %.2f, %.2f", r.Overall.Precision, r.Overall.Recall, tt.precision, tt.recall)
			}
		})
	}
}

func TestScoresAreCalibrated(t *testing.T) {
	t.Parallel()
	tests := []struct {
		files  []string
		labels []string
	}{
		{[]string{"typology-a.tsv", "typology-weak.tsv"}, typologies},
		{[]string{"subjects-a.tsv", "subjects-weak.tsv"}, subjects},
	}
	for _, tt := range tests {
		t.Run(tt.files[0], func(t *testing.T) {
			t.Parallel()
			var examples []lexical.Labelled
			for _, f := range tt.files {
				examples = append(examples, readLabelled(t, f)...)
			}
			choices := lexical.NewClassifier(lexical.Settings{}).Classify(texts(examples), tt.labels)
			for _, band := range [][2]float64{{0, 0.4}, {0.4, 0.8}, {0.8, 1}} {
				sum, right, n := 0.0, 0, 0
				for i, c := range choices {
					if c.Label == "" || c.Score <= band[0] || c.Score > band[1] {
						continue
					}
					n++
					sum += c.Score
					if c.Label == examples[i].Label {
						right++
					}
				}
				mean, share := sum/float64(n), float64(right)/float64(n)
				t.Logf("scores in (%.1f, %.1f]: mean %.2f, right %.2f of %d", band[0], band[1], mean, share, n)
				if mean > share+0.15 {
					t.Errorf("scores in (%.1f, %.1f] promise %.2f and hold %.2f", band[0], band[1], mean, share)
				}
			}
		})
	}
}
