package worker_test

import (
	"os/exec"
	"strings"
	"testing"
)

func TestImportsOnlyTheStandardLibrary(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Fields(string(out)); len(got) != 1 || got[0] != "scrinalia/worker" {
		t.Errorf("worker depends on %v; everything imports it, so it may depend on nothing", got)
	}
}
