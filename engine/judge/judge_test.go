package judge_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"scrinalia/engine"
	"scrinalia/engine/judge"
)

func examples(t *testing.T, file string) []judge.Labelled {
	t.Helper()
	f, err := os.Open("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out, err := judge.ReadLabelled(f)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestExamples holds the figures of docs/engines.md: how many rulings are right, and how many of those that would be applied.
func TestExamples(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]struct{ right, sure, sureRight float64 }{
		"pairs-a.tsv": {0.99, 0.96, 0.98}, "pairs-b.tsv": {0.96, 0.94, 1}, "pairs-c.tsv": {0.97, 0.93, 0.99}, "pairs-d.tsv": {0.94, 0.88, 0.97},
	} {
		right, sure, sureRight := 0.0, 0.0, 0.0
		all := examples(t, file)
		for _, x := range all {
			r := judge.Rule(x.Pair)
			hit := 0.0
			if r.Winner == x.Winner {
				hit = 1
			}
			right += hit
			if r.Confidence >= 0.85 {
				sure++
				sureRight += hit
			}
		}
		n := float64(len(all))
		if right/n < want.right || sure/n < want.sure || sureRight/sure < want.sureRight {
			t.Errorf("%s: %.3f right, %.3f sure, of these %.3f right; want %+v", file, right/n, sure/n, sureRight/sure, want)
		}
	}
}

// TestModelNamesTheRulings: who changes a ruling gives Model its next version, so that what was ruled before counts as stale.
func TestModelNamesTheRulings(t *testing.T) {
	t.Parallel()
	known := map[string]string{"name-rules-v1": "83f7d9f34df7f5eb671a573d530c17e7c122203beb57c33a5b8dc84bf5457978"}
	h := sha256.New()
	for _, file := range []string{"pairs-a.tsv", "pairs-b.tsv", "pairs-c.tsv", "pairs-d.tsv"} {
		for _, x := range examples(t, file) {
			r := judge.Rule(x.Pair)
			fmt.Fprintf(h, "%s %.4f\n", r.Winner, r.Confidence)
		}
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != known[judge.Model] {
		t.Errorf("these are not the rulings of %s: give Model the next version and add its checksum %s", judge.Model, got)
	}
}

func TestRulings(t *testing.T) {
	t.Parallel()
	tests := []struct {
		tag, entity string
		kind        engine.EntityType
		want        engine.Winner
		sure        bool
		why         string
	}{
		{"ferreira, joão", "João Ferreira", engine.Person, engine.EntityWins, true, "surname first"},
		{"praças", "Praças", engine.Place, engine.TagWins, true, "plural"},
		{"praça da sé", "Praça da Sé", engine.Place, engine.EntityWins, true, "place"},
		{"casa branca", "Casa Branca", engine.Organisation, engine.EntityWins, true, "place"},
		{"escola de samba", "Escola de Samba", engine.Organisation, engine.TagWins, true, "only its kind"},
		{"história do brasil", "História do Brasil", engine.Place, engine.TagWins, true, "subject"},
		{"urbanização", "Urbanização", "", engine.TagWins, true, "noun"},
		{"qwxz", "Qwxz", engine.Organisation, engine.EntityWins, false, "unknown"},
		{"liberdade", "Liberdade", engine.Place, engine.EntityWins, false, "place"},
	}
	for _, tt := range tests {
		r := judge.Rule(engine.Pair{Tag: tt.tag, Entity: tt.entity, EntityType: tt.kind})
		if r.Winner != tt.want || r.Confidence >= 0.85 != tt.sure || !strings.Contains(r.Reason, tt.why) {
			t.Errorf("%s: %s, %.2f, %s; want %s, sure %t, %q", tt.entity, r.Winner, r.Confidence, r.Reason, tt.want, tt.sure, tt.why)
		}
	}
}

// TestUseInDocuments: how often both are used moves the confidence a little, and never far.
func TestUseInDocuments(t *testing.T) {
	t.Parallel()
	with := func(tags, entities int) float64 {
		r := judge.Rule(engine.Pair{Tag: "teatro oficina", Entity: "Teatro Oficina", EntityType: engine.Organisation, TagDocuments: tags, EntityDocuments: entities})
		if r.Winner != engine.EntityWins {
			t.Fatalf("%+v", r)
		}
		return r.Confidence
	}
	if often, unknown, seldom := with(1, 20), with(0, 0), with(20, 1); often <= unknown || unknown <= seldom || often-seldom > 0.3 {
		t.Errorf("named often %.2f, unknown %.2f, seldom %.2f", often, unknown, seldom)
	}
}

func FuzzRule(f *testing.F) {
	for _, s := range []string{"", " ", ",", "de, da", "a,b,c", "\xff\x00", "IV", "de", "São", strings.Repeat("Rua ", 500), strings.Repeat("a", 5000), "\u0301", "東京, João"} {
		f.Add(s, "Maria "+s, "PER")
		f.Add("x", s, "")
	}
	f.Fuzz(func(t *testing.T, tag, entity, kind string) {
		r := judge.Rule(engine.Pair{Tag: tag, Entity: entity, EntityType: engine.EntityType(kind)})
		if r.Confidence < 0.5 || r.Confidence > 1 || r.Reason == "" || utf8.RuneCountInString(r.Reason) > 200 || strings.ContainsAny(r.Reason, "\n\x00") || !utf8.ValidString(r.Reason) {
			t.Errorf("%q, %q: %+v", tag, entity, r)
		}
	})
}
