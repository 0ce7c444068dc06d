package views

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDiffer(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("palavra ", 20)
	for _, tt := range []struct {
		name, before, after string
		want                Difference
	}{
		{"a space before a mark", "um grupo de pedreiros ; ao fundo", "um grupo de pedreiros; ao fundo", Difference{"um grupo de ", "pedreiros ;", "pedreiros;", " ao fundo"}},
		{"two spaces", "Rua  Direita", "Rua Direita", Difference{"Rua ", " Direita", "Direita", ""}},
		{"a word", "Fotogr. do adro", "Fotografia do adro", Difference{"", "Fotogr.", "Fotografia", " do adro"}},
		{"all of it", "x", "y", Difference{"", "x", "y", ""}},
		{"taken out", "a b c", "a c", Difference{"a ", "b ", "", "c"}},
		{"nothing", "a b", "a b", Difference{"a b", "", "", ""}},
		{"put in", "", "a", Difference{"", "", "a", ""}},
		{"in a long text", long + "São" + " " + long, long + "Santo" + " " + long, Difference{"…" + long[len(long)-60:], "São", "Santo", " " + long[:59] + "…"}},
	} {
		if d := cmp.Diff(tt.want, Differ(tt.before, tt.after)); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, d)
		}
	}
}
