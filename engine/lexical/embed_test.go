package lexical_test

import (
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scrinalia/engine/lexical"
)

var update = flag.Bool("update", false, "write the golden files")

// TestVectorsAreTheSameEverywhere compares every bit. When it fails because
// vectors were meant to change, change EmbeddingModel and run it with -update.
func TestVectorsAreTheSameEverywhere(t *testing.T) {
	t.Parallel()
	vectors := lexical.NewEmbedder().Embed([]string{
		"Ata da sessão em que a Câmara aprovou a compra de dois bondes elétricos, 1912",
		"Letter about the flood, the bridge and the bridge again 🌉 Привет",
	})
	var b strings.Builder
	fmt.Fprintln(&b, lexical.EmbeddingModel)
	for _, v := range vectors {
		for i, x := range v {
			fmt.Fprintf(&b, "%08x", math.Float32bits(x))
			if (i+1)%8 == 0 {
				b.WriteByte('\n')
			} else {
				b.WriteByte(' ')
			}
		}
	}
	const golden = "testdata/vectors.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Error(diff)
	}
}

func TestVectorsAreUnitOrAbsent(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("Relatório da comissão de águas, 1904. ", 1<<20/38)
	tests := []struct {
		name, text string
		want       bool
	}{
		{"empty", "", false},
		{"blanks", " \t\u00a0\n", false},
		{"marks", "--- … ?!", false},
		{"NUL", "\x00\x00", false},
		{"emoji", "🏛️🚋", false},
		{"invalid UTF-8", "\xff\xfe\xc3", false},
		{"word amid garbage", "\xffponte\x00\xc3", true},
		{"function words", "para o de", true},
		{"capitals", "PONTE METÁLICA", true},
		{"another script", "мост через реку", true},
		{"1 MB", big, true},
		{"1 MB without a blank", strings.Repeat("a", 1<<20), false},
		{"1 MB of marks", strings.Repeat("\u0301", 1<<19), false},
	}
	e := lexical.NewEmbedder()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v := e.Embed([]string{tt.text})[0]
			if (v != nil) != tt.want {
				t.Fatalf("vector %v, want %v", v != nil, tt.want)
			}
			if v == nil {
				return
			}
			norm := 0.0
			for _, x := range v {
				norm += float64(x) * float64(x)
			}
			if len(v) != lexical.Dimensions || math.Abs(norm-1) > 1e-5 {
				t.Errorf("%d numbers, squares sum to %v", len(v), norm)
			}
		})
	}
}

func cosine(e *lexical.Embedder, a, b string) float64 {
	v := e.Embed([]string{a, b})
	sum := 0.0
	for i := range v[0] {
		sum += float64(v[0][i]) * float64(v[1][i])
	}
	return sum
}

func TestSpellingsMeet(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, a, b string
		least      float64
	}{
		{"accents", "Inauguração do hospício", "inauguracao do hospicio", 0.999},
		{"decomposed", "estação", "estac\u0327a\u0303o", 0.999},
		{"capitals", "ESTAÇÃO DE TREM", "estação de trem", 0.999},
		{"plural", "estações", "estação", 0.999},
		{"inflection", "restaurar a ponte", "restauração das pontes", 0.6},
		{"misspelt", "matricula de alunos", "matrcula de alunos", 0.5},
		{"English", "railway bridge", "ponte ferroviária", 0.3},
		{"function words", "a ponte do rio", "ponte rio", 0.95},
	}
	e := lexical.NewEmbedder()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := cosine(e, tt.a, tt.b); got < tt.least {
				t.Errorf("cosine of %q and %q is %.3f, want at least %.3f", tt.a, tt.b, got, tt.least)
			}
		})
	}
}

func TestEmbeddingDoesNotDependOnWhatCameBefore(t *testing.T) {
	t.Parallel()
	f := readSearch(t, "search-a.json")
	var docs []string
	for _, d := range f.Documents {
		docs = append(docs, d.Text)
	}
	e := lexical.NewEmbedder()
	want := e.Embed(docs)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			if diff := cmp.Diff(want, e.Embed(docs)); diff != "" {
				t.Error(diff)
			}
		})
	}
	group.Wait()
	for i, d := range docs {
		if diff := cmp.Diff(want[i], lexical.NewEmbedder().Embed([]string{d})[0]); diff != "" {
			t.Fatalf("%q alone: %s", d, diff)
		}
	}
}
