package corpus_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scrinalia/engine/tagger/internal/corpus"
)

func TestReadAndText(t *testing.T) {
	t.Parallel()
	in := "Vista\tO\n(\tO\nSão\tB-LOC\nPaulo\tI-LOC\n,\tO\nBrasil\tB-LOC\n)\tO\n\n\nAna\tB-PER\nSouza\tB-PER"
	sentences, err := corpus.Read(strings.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	if len(sentences) != 2 {
		t.Fatalf("%d sentences, want 2", len(sentences))
	}
	tests := []struct {
		name     string
		apart    bool
		sentence int
		text     string
		names    []string
	}{
		{"as written", false, 0, "Vista (São Paulo, Brasil)", []string{"São Paulo", "Brasil"}},
		{"apart", true, 0, "Vista ( São Paulo , Brasil )", []string{"São Paulo", "Brasil"}},
		{"neighbours", false, 1, "Ana Souza", []string{"Ana", "Souza"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text, spans := sentences[tt.sentence].Text(tt.apart)
			if text != tt.text {
				t.Errorf("text %q, want %q", text, tt.text)
			}
			var names []string
			for _, s := range spans {
				names = append(names, text[s.Start:s.End])
			}
			if d := cmp.Diff(tt.names, names); d != "" {
				t.Error(d)
			}
		})
	}
}
