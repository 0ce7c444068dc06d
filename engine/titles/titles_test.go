package titles_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"scrinalia/engine/lexical"
	"scrinalia/engine/titles"
)

func examples(t *testing.T, file string) []lexical.Labelled {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out, err := lexical.ReadLabelled(f)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestExamples holds the figures of docs/engines.md, at the confidence from which quality-validator flags.
func TestExamples(t *testing.T) {
	t.Parallel()
	for file, most := range map[string]struct{ missed, falseAlarms int }{
		"testdata/titles-a.tsv": {0, 0}, "testdata/titles-b.tsv": {1, 0}, "../lexical/testdata/typology-c.tsv": {0, 0}, "../lexical/testdata/subjects-c.tsv": {0, 0},
	} {
		var missed, falseAlarms []string
		for _, x := range examples(t, file) {
			v := titles.Check(x.Text)
			got, want := v.Suspect && v.Confidence >= 0.6, x.Label == "suspect"
			switch {
			case want && !got:
				missed = append(missed, x.Text)
			case got && !want:
				falseAlarms = append(falseAlarms, x.Text)
			}
			if v.Suspect != (v.Reason != "") || v.Confidence < 0.5 || v.Confidence > 1 {
				t.Errorf("%q: %+v", x.Text, v)
			}
		}
		if len(missed) > most.missed || len(falseAlarms) > most.falseAlarms {
			t.Errorf("%s: missed %q, false alarms %q", file, missed, falseAlarms)
		}
	}
}

// TestModelNamesTheVerdicts: who changes a verdict gives Model its next version, so that what was checked before counts as stale.
func TestModelNamesTheVerdicts(t *testing.T) {
	t.Parallel()
	known := map[string]string{"title-rules-v1": "d340b8cb9a17556f473567acdd62d8f36904471c745ebda9c6410ee3ecdf0e3f"}
	h := sha256.New()
	for _, file := range []string{"testdata/titles-a.tsv", "testdata/titles-b.tsv", "../lexical/testdata/typology-c.tsv"} {
		for _, x := range examples(t, file) {
			v := titles.Check(x.Text)
			fmt.Fprintf(h, "%t %.4f %s\n", v.Suspect, v.Confidence, v.Reason)
		}
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != known[titles.Model] {
		t.Errorf("these are not the verdicts of %s: give Model the next version and add its checksum %s", titles.Model, got)
	}
}

func TestReasons(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for title, want := range map[string]string{
		"PraÃ§a da SÃ©":                   titles.Encoding,
		"<b>Planta</b>":                   titles.Markup,
		"IMG_2034.jpg":                    titles.FileName,
		"Inserir título aqui":             titles.Placeholder,
		"Teste 123":                       titles.TestEntry,
		"verificar título":                titles.Remark,
		"asdfgh":                          titles.Keyboard,
		"123456":                          titles.NoWords,
		"aaaaaa":                          titles.Letters,
		"Planta da praça Planta da praça": titles.Words,
		"Segundo relatório da":            titles.CutOff,
		"Ofício nº ___ de ___":            titles.BlankForm,
		"Плaнта":                          titles.Scripts,
		"Fot0gr~f|a d@ c1d@de":            titles.Noise,
	} {
		v := titles.Check(title)
		if v.Reason != want {
			t.Errorf("%q: %q, want %q", title, v.Reason, want)
		}
		seen[want] = true
	}
	for _, r := range titles.Reasons {
		if !seen[r] {
			t.Errorf("no example of %q", r)
		}
	}
}

func FuzzCheck(f *testing.F) {
	for _, s := range []string{"", " ", "\xff", "\x00", "...", "a", "é\u0301", strings.Repeat("ab ", 2000), strings.Repeat("x", 9000), "東京 東京 東京", "___"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, title string) {
		v := titles.Check(title)
		if v.Suspect && !slices.Contains(titles.Reasons, v.Reason) || !v.Suspect && v.Reason != "" || v.Confidence < 0 || v.Confidence > 1 {
			t.Errorf("%q: %+v", title, v)
		}
	})
}
