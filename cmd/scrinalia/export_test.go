package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"scrinalia/store/storetest"

	"github.com/google/go-cmp/cmp"
)

// TestExport: to standard output or to a file that appears whole, in a state or all; and an export is no news.
func TestExport(t *testing.T) {
	t.Parallel()
	env := database(storetest.URL(t))
	dir := t.TempDir()
	source, file := filepath.Join(dir, "source.csv"), filepath.Join(dir, "all.csv")
	must(t, os.WriteFile(source, []byte("legacyId,parentId,title,subjectAccessPoints\n2,1,Ata,Reuniões\n1,,Atas,\n"), 0o600))
	succeed(t, env, "import", source)
	if out := succeed(t, env, "export"); out != "" {
		t.Errorf("an empty archive: %q", out)
	}
	succeed(t, env, "run", "transfer")
	lines := strings.Split(strings.TrimSpace(succeed(t, env, "export")), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], `"description_id":"1"`) || !strings.Contains(lines[1], `"tags":[{"name":"reuniões"`) {
		t.Errorf("lines: %q", lines)
	}
	if out := succeed(t, env, "export", "--status", "rejected"); out != "" {
		t.Errorf("none is rejected: %q", out)
	}
	if out := succeed(t, env, "export", "--format", "atom-csv", "--status", "pending_ai", file); out != "2 descriptions in "+file+" (atom-csv)\n" {
		t.Errorf("it said %q", out)
	}
	if out := succeed(t, env, "import", file); !strings.Contains(out, "2 read = 0 imported + 2 unchanged + 0 rejected") {
		t.Errorf("import of the export: %q", out)
	}
	refusal{args: []string{"export", file}, status: exitUsage, says: []string{file + " exists", "--force", "Nothing was written"}}.check(t, env)
	refusal{args: []string{"export", dir}, status: exitUsage, says: []string{dir, "directory"}}.check(t, env)
	refusal{args: []string{"export", filepath.Join(dir, "no", "such")}, status: exitUsage, says: []string{"no such file"}}.check(t, env)
	link := filepath.Join(dir, "link.jsonl")
	must(t, os.Symlink(file, link))
	succeed(t, env, "export", "--force", link)
	raw, err := os.ReadFile(file)
	must(t, err)
	if diff := cmp.Diff(strings.Join(lines, "\n")+"\n", string(raw)); diff != "" {
		t.Errorf("file and standard output: -stdout +file:\n%s", diff)
	}
	succeed(t, env, "export", os.DevNull)
	p := start(t, env, "export", "/dev/full")
	p.wantExit(exitFailed)
	wantOneSentence(t, p)
	if said := p.stderr.String(); !strings.Contains(said, "/dev/full cannot be written: no space left on device.") {
		t.Errorf("it said %q", said)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	must(t, err)
	if diff := cmp.Diff([]string{file, link, source}, left); diff != "" {
		t.Errorf("left behind: -want +got:\n%s", diff)
	}
}

// TestExportToNobody: when the reader has gone, the export ends without a word, as programs do.
func TestExportToNobody(t *testing.T) {
	t.Parallel()
	url, _ := collection(t)
	succeed(t, database(url), "run", "transfer")
	exe, err := os.Executable()
	must(t, err)
	r, w, err := os.Pipe()
	must(t, err)
	must(t, r.Close())
	c := exec.CommandContext(context.WithoutCancel(t.Context()), exe, "export")
	c.Env = append(os.Environ(), actAsProgram+"=1", "DATABASE_URL="+url)
	var stderr strings.Builder
	c.Stdout, c.Stderr = w, &stderr
	_ = c.Run()
	must(t, w.Close())
	if status := c.ProcessState.ExitCode(); status != exitPipe || stderr.String() != "" {
		t.Errorf("status %d, it said %q; want %d and nothing", status, stderr.String(), exitPipe)
	}
}
