package feature_test

import (
	"slices"
	"testing"

	"scrinalia/engine/tagger/gazetteer"
	"scrinalia/engine/tagger/internal/feature"
	"scrinalia/engine/tagger/internal/token"
)

// TestExtractAgain holds that a scratch leaves nothing for the next sentence.
func TestExtractAgain(t *testing.T) {
	t.Parallel()
	g := gazetteer.Default()
	texts := []string{"FERREIRA, JOÃO BATISTA", "Rua Coronel Quirino, em Campinas (SP).", "x", "CREA-DF e OAB/SP"}
	var used feature.Scratch
	for _, text := range append(texts, texts...) {
		tokens := token.Split(text)
		ids, ends := used.Extract(g, text, tokens)
		freshIDs, freshEnds := new(feature.Scratch).Extract(g, text, tokens)
		if !slices.Equal(ids, freshIDs) || !slices.Equal(ends, freshEnds) {
			t.Errorf("%q: features depend on what was there before", text)
		}
		if len(ends) != len(tokens) || int(ends[len(ends)-1]) != len(ids) {
			t.Errorf("%q: %d ends for %d tokens", text, len(ends), len(tokens))
		}
		for _, id := range ids {
			if id >= 1<<feature.SpaceBits {
				t.Errorf("%q: feature %d is out of range", text, id)
			}
		}
	}
}
