package gazetteer_test

import (
	"strings"
	"testing"

	"scrinalia/engine/tagger/gazetteer"
)

func TestLookup(t *testing.T) {
	t.Parallel()
	g := gazetteer.Default().With([]uint64{gazetteer.HashWord("mesa")})
	tests := []struct {
		name string
		want gazetteer.Bits
	}{
		{"Antônio", gazetteer.First},
		{"ANTONIO", gazetteer.First},
		{"Oliveira", gazetteer.Last},
		{"Campinas", gazetteer.Place},
		{"São Paulo", gazetteer.Place},
		{"Rio Grande do", gazetteer.PlacePrefix},
		{"Cel.", gazetteer.Honorific},
		{"Rua", gazetteer.Street},
		{"Companhia", gazetteer.OrgHead},
		{"SP", gazetteer.State},
		{"the", gazetteer.English},
		{"mesa", gazetteer.Common},
	}
	for _, tt := range tests {
		var run uint64
		for w := range strings.FieldsSeq(tt.name) {
			run = gazetteer.Join(run, gazetteer.HashWord(w))
		}
		if got := g.Lookup(run); got&tt.want == 0 {
			t.Errorf("Lookup(%q) = %b, want %b in it", tt.name, got, tt.want)
		}
	}
}

// TestOwn holds that the training program finds the project's own lists.
func TestOwn(t *testing.T) {
	t.Parallel()
	for section, least := range map[string]int{"first": 500, "last": 400, "place": 300} {
		if n := len(gazetteer.Own(section)); n < least {
			t.Errorf("Own(%q) has %d entries, want %d or more", section, n, least)
		}
	}
}
