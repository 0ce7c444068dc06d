package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"scrinalia/importer"
	"scrinalia/store/storetest"

	"github.com/google/go-cmp/cmp"
)

// TestRefusedImports: status 2, one sentence, and nothing is written to the database.
func TestRefusedImports(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	empty, header := file("empty.csv", ""), file("header.csv", "legacyId,title\n")
	picture, prose := file("picture.csv", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00"), file("prose.csv", "Dear archive,\nplease find enclosed nothing.\n")
	good := file("good.csv", "legacyId,title\n1,One\n")
	for _, r := range []refusal{
		{"missing", []string{"import", filepath.Join(dir, "nosuch.csv")}, exitUsage, []string{"nosuch.csv", "no such file", "Nothing was written"}},
		{"directory", []string{"import", dir}, exitUsage, []string{dir, "directory", "Nothing was written"}},
		{"empty", []string{"import", empty}, exitUsage, []string{empty, "The file is empty", "are accepted"}},
		{"picture", []string{"import", picture}, exitUsage, []string{picture, "are accepted"}},
		{"prose", []string{"import", prose}, exitUsage, []string{prose, "are accepted"}},
		{"csv as lines", []string{"import", "--format", "jsonl", good}, exitUsage, []string{good, "JSON Lines"}},
		{"second of two", []string{"import", header, empty}, exitUsage, []string{empty, "The file is empty"}},
	} {
		p := start(t, database(url), r.args...)
		p.wantExit(r.status)
		wantOneSentence(t, p)
		for _, want := range r.says {
			if said := p.stderr.String(); !strings.Contains(said, want) {
				t.Errorf("%s: it said %q, not %q", r.name, said, want)
			}
		}
	}
	// a file without records is no mistake, but is told
	if out := succeed(t, database(url), "import", header); !strings.Contains(out, "0 read = 0 imported + 0 unchanged + 0 rejected") || !strings.Contains(out, "has no records") {
		t.Errorf("a header alone: %q", out)
	}
	for _, table := range []string{"staging_records", "documents", "archive_worker_runs"} {
		if n := scalar[int64](t, dial(t, url), "SELECT count(*) FROM "+table); n != 0 {
			t.Errorf("%d rows in %s, want none", n, table)
		}
	}
	left, err := filepath.Glob(filepath.Join(dir, "*.rejects.csv"))
	must(t, err)
	if diff := cmp.Diff([]string{good + ".rejects.csv"}, left); diff != "" { // says why each row was none of JSON Lines
		t.Errorf("left behind: -want +got:\n%s", diff)
	}
}

// TestImportReports: rejects go to a file beside the source, a check keeps nothing, standard input is a source too.
func TestImportReports(t *testing.T) {
	t.Parallel()
	env := database(storetest.URL(t))
	path := filepath.Join(t.TempDir(), "some.csv")
	must(t, os.WriteFile(path, []byte("legacyId,title\n1,One\n,Two\n3,Three\n"), 0o600))
	report := func(args ...string) [4]int64 {
		t.Helper()
		files := decode[struct {
			Files []importer.Report `json:"files"`
		}](t, succeed(t, env, append([]string{"import", "--json", path}, args...)...)).Files
		if len(files) != 1 {
			t.Fatalf("%d reports, want 1", len(files))
		}
		return [4]int64{files[0].Read, files[0].Imported, files[0].Unchanged, files[0].Rejected}
	}
	for _, c := range []struct {
		args []string
		want [4]int64
	}{
		{[]string{"--check"}, [4]int64{3, 2, 0, 1}},
		{nil, [4]int64{3, 2, 0, 1}},
		{nil, [4]int64{3, 0, 2, 1}},
	} {
		if diff := cmp.Diff(c.want, report(c.args...)); diff != "" {
			t.Errorf("import %v: read, imported, unchanged, rejected: -want +got:\n%s", c.args, diff)
		}
	}
	p := start(t, env, "import", path, path+".nosuch") // the first of two stays, whatever becomes of the second
	p.wantExit(exitUsage)
	if !strings.Contains(p.stdout.String(), "3 read = 0 imported + 2 unchanged + 1 rejected") || !strings.Contains(p.stderr.String(), "some.csv.nosuch cannot be read") {
		t.Errorf("two files, one missing: %q, %q", p.stdout.String(), p.stderr.String())
	}
	if said := p.stdout.String(); !strings.Contains(said, "every rejected row is in "+path+".rejects.csv") {
		t.Errorf("the file of the rejects is not named: %q", said)
	}
	p = start(t, env, "import", "--json", path, path+".nosuch")
	p.wantExit(exitUsage)
	done := decode[importsDone](t, p.stdout.String())
	if len(done.Files) != 1 || done.Files[0].Unchanged != 2 || done.Files[0].RejectsFile != path+".rejects.csv" || !strings.Contains(done.Error, "some.csv.nosuch cannot be read") {
		t.Errorf("two files as JSON, one missing: %+v", done)
	}
	rejects, err := os.ReadFile(path + ".rejects.csv")
	must(t, err)
	if diff := cmp.Diff("line,column,id,reason\n3,legacyId,,", string(rejects)[:min(len(rejects), len("line,column,id,reason\n3,legacyId,,"))]); diff != "" {
		t.Errorf("the rejects file: -want +got:\n%s", diff)
	}
}
