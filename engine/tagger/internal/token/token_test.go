package token_test

import (
	"testing"

	"scrinalia/engine/tagger/internal/token"

	"github.com/google/go-cmp/cmp"
)

func TestSplit(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       []string
	}{
		{"abbreviations", "O Dr. João, Cel. da Av. Brasil, n.º 3.", []string{"O", "Dr.", "João", ",", "Cel.", "da", "Av.", "Brasil", ",", "n.º", "3", "."}},
		{"initials", "J. B. Souza & Cia. da S.A. U.S. fim.", []string{"J.", "B.", "Souza", "&", "Cia.", "da", "S.A.", "U.S.", "fim", "."}},
		{"inside words", "guarda-chuva Sant'Anna 1.234,50 12/3", []string{"guarda-chuva", "Sant'Anna", "1.234,50", "12", "/", "3"}},
		{"odd bytes", "a\xffb \u00a0c… d...", []string{"a", "b", "c", "…", "d", "..."}},
		{"empty", "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, k := range token.Split(tt.text) {
				got = append(got, tt.text[k.Start:k.End])
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestSentences(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       []string
	}{
		{"full stop", "Foto de Ana. Sem data.", []string{"Foto de Ana.", "Sem data."}},
		{"abbreviation", "O Dr. Lima. E o Sr . Souza .", []string{"O Dr. Lima.", "E o Sr . Souza ."}},
		{"lines", "ATA\nReunião de\nCampinas com\noutros\nFim", []string{"ATA", "Reunião de\nCampinas com\noutros", "Fim"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			tokens := token.Split(tt.text)
			for i := 0; i < len(tokens); {
				end := token.SentenceEnd(tt.text, tokens, i)
				got = append(got, tt.text[tokens[i].Start:tokens[end-1].End])
				i = end
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestAppendFolded(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Antônio": "antonio", "SÃO": "sao", "S.A.": "sa", "1932": "0000", "Łódź": "lodz", "Ação": "acao",
		"Đà": "da", "ÿŽſ": "yzs", ".": ".", "日本": "日本", "Œuvre": "ouvre",
	} {
		if got := string(token.AppendFolded(nil, in)); got != want {
			t.Errorf("AppendFolded(%q) = %q, want %q", in, got, want)
		}
	}
}
