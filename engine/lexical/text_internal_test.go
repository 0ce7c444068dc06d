package lexical

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFoldFastAgreesWithFold(t *testing.T) {
	t.Parallel()
	for r := range rune(0x250) {
		s := "a" + string(r) + "b"
		if got, ok := foldFast(s); ok {
			if diff := cmp.Diff(foldAny(s), got); diff != "" {
				t.Errorf("%U: %s", r, diff)
			}
		}
	}
}

func TestLemmasAndStemsMeet(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		words []string
		of    func(string) string
	}{
		{"lemma", []string{"sessao", "sessoes"}, lemma},
		{"lemma", []string{"torre", "torres"}, lemma},
		{"lemma", []string{"dossie", "dossies"}, lemma},
		{"lemma", []string{"museu", "museus"}, lemma},
		{"lemma", []string{"minute", "minutes"}, lemma},
		{"lemma", []string{"ceu", "ceus"}, lemma},
		{"lemma", []string{"onibus"}, lemma},
		{"stem", []string{"restauracao", "restauracoes", "restaurar"}, stem},
		{"stem", []string{"escola", "escolas", "escolar", "escolares"}, stem},
		{"stem", []string{"meeting", "meetings"}, stem},
	}
	for _, tt := range tests {
		for _, w := range tt.words[1:] {
			if diff := cmp.Diff(tt.of(tt.words[0]), tt.of(w)); diff != "" {
				t.Errorf("%s of %q and %q: %s", tt.name, tt.words[0], w, diff)
			}
		}
	}
}

func TestParseLexiconRefuses(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"ata\tform", "ata\thead\tata", "ata\tform\tata\nata\tnosuch\tx", "ata\tform\t;", "ata\tform\tata\nata\twithin\tx"} {
		if _, err := parseLexicon(bad); err == nil {
			t.Errorf("no error for %q", bad)
		}
	}
}
