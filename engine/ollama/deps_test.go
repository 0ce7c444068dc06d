package ollama_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func TestImportsOfOllamaOnlyTheAPI(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{range .Imports}}{{println .}}{{end}}", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	var foreign []string
	for path := range strings.FieldsSeq(string(out)) {
		if strings.Contains(path, ".") || strings.HasPrefix(path, "scrinalia/") {
			foreign = append(foreign, path)
		}
	}
	want := []string{"github.com/ollama/ollama/api", "golang.org/x/text/unicode/norm", "scrinalia/engine", "scrinalia/worker"}
	if !slices.Equal(foreign, want) {
		t.Errorf("it imports %v, want %v", foreign, want)
	}
}
