package tagger_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"testing"

	"scrinalia/engine/tagger"
)

// TestModelNameFollowsTheWeights: results name the model they come from, so other weights need another name.
func TestModelNameFollowsTheWeights(t *testing.T) {
	t.Parallel()
	checksums := map[string]string{"archival-crf-v1": "8088fa2b4aab5e57e767daa3c1a894855e312480f7cb048197297130de5da05e"}
	raw, err := os.ReadFile("model.bin")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(raw)
	if got := hex.EncodeToString(sum[:]); got != checksums[tagger.ModelName] {
		t.Errorf("model.bin is not that of %s: give ModelName the next version and add its checksum %s", tagger.ModelName, got)
	}
}
