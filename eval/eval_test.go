package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestEveryTableIsPrinted(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-C", ".."}, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"# NER: builtin, archival_tagger", "archival-b.tsv", "PER", "all types",
		"# classification: builtin, lexical", "typology-c.tsv", "subjects-c.tsv", "Ata de Reunião", "all labels", " taken for ",
		"# embeddings: builtin, lexical_384", "search-b.json", "recall in 10", "queries.tsv", "words and meaning, test",
		"# LLMs: builtin, name_rules", "pairs-d.tsv", "from 0.85 on", "# title_quality: builtin, title_rules", "titles-b.tsv",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in the output:\n%s", want, out.String())
		}
	}
}

func TestWrongFlags(t *testing.T) {
	t.Parallel()
	tests := []struct{ args, want string }{
		{"-axis nope", `there are no examples for the axis "nope"`},
		{"-engine nope", "there is no engine"},
		{"-axis NER -preset nope", "there is no preset"},
		{"-axis NER -option colour=1", "has no option"},
		{"-axis NER -C /nowhere", "archival-a.tsv"},
	}
	for _, tt := range tests {
		if err := run(t.Context(), strings.Fields(tt.args), &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.args, err, tt.want)
		}
	}
}
