package lexical_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"testing"

	"scrinalia/engine/lexical"
)

// TestModelNameFollowsTheWordLists: results name the model they come from, so other word lists need another name.
func TestModelNameFollowsTheWordLists(t *testing.T) {
	t.Parallel()
	checksums := map[string]string{"lexical-labels-v1": "f0efde6ef7bd26389758ee6320237b90c99595eb4a37ef9f8c9a3b7c855ce033"}
	sum := sha256.New()
	for _, name := range []string{"lexicon.tsv", "weights.tsv", "synonyms.txt"} {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sum.Write(raw)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != checksums[lexical.ClassifierModel] {
		t.Errorf("the word lists are not those of %s: give ClassifierModel the next version and add its checksum %s", lexical.ClassifierModel, got)
	}
}
