package engine_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"scrinalia/engine"

	"github.com/google/go-cmp/cmp"
)

func TestOutputErrorKeepsTheBeginning(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, give, want string }{
		{"short", `{"a":1`, `{"a":1`},
		{"cut between characters", strings.Repeat("a", 2047) + "ção", strings.Repeat("a", 2047)},
		{"cut after a character", strings.Repeat("ã", 2000), strings.Repeat("ã", 1024)},
		{"no UTF-8", "a\xffb", "a�b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := engine.NewOutputError("no JSON", tt.give)
			if diff := cmp.Diff("invalid model output: no JSON\n"+tt.want, err.Error()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestImports(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"scrinalia/engine", "scrinalia/worker"}
	if got := slices.Sorted(strings.FieldsSeq(string(out))); !slices.Equal(got, want) {
		t.Errorf("engine depends on %v, want %v", got, want)
	}
}
