package main

import (
	"net"
	"strings"
	"testing"

	"scrinalia/store/storetest"
	"scrinalia/worker"
)

// TestModels: without a model server everything works with what is built in; an engine whose server is away ends its run and stamps nothing.
func TestModels(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	closed := l.Addr().String()
	must(t, l.Close())
	env := append(database(url), "OLLAMA_HOST="+closed)
	db := dial(t, url)
	succeed(t, env, "import", sampleFile)

	for _, name := range []string{worker.Transfer, worker.Cleaning} {
		succeed(t, env, "run", name)
	}
	models := []string{worker.NamedEntities, worker.Typology, worker.MacroCategory, worker.Embedding}
	for _, name := range models {
		p := start(t, env, "run", name, "--engine", "ollama")
		p.wantExit(exitFailed)
		for _, say := range []string{"FAILED, 0 processed, 0 failed, 0 skipped", "Ollama at http://" + closed + ", model ", "the server does not answer; start it with `ollama serve`"} {
			if !strings.Contains(p.stdout.String(), say) {
				t.Errorf("run %s --engine ollama said %q, without %q", name, p.stdout.String(), say)
			}
		}
	}
	if n := scalar[int](t, db, "SELECT count(*) FROM execution_log WHERE worker_name <> ALL ('{transfer,cleaning}')"); n != 0 {
		t.Errorf("%d units are stamped, want none", n)
	}

	start(t, env, "run", "--all", "--engine", "ollama").wantExit(exitFailed)
	if last := ledger(t, env)[0]; last.Worker != worker.NamedEntities || last.Status != worker.Failed {
		t.Errorf("run --all --engine ollama ended with %s of %s, want FAILED of ner", last.Status, last.Worker)
	}

	out := succeed(t, env, "run", "--all")
	if n := strings.Count(out, ": SUCCESS, "); n != 9 {
		t.Errorf("%d workers succeeded, want 9:\n%s", n, out)
	}
	for what, sql := range map[string]string{
		"entities": "SELECT count(*) FROM document_entities", "typologies": "SELECT count(*) FROM documents WHERE typology_id IS NOT NULL",
		"categories": "SELECT count(*) FROM tags WHERE subject_category_id IS NOT NULL", "vectors": "SELECT count(*) FROM document_vectors WHERE vector IS NOT NULL",
	} {
		if n := scalar[int](t, db, sql); n < 100 {
			t.Errorf("%d %s, want more", n, what)
		}
	}
	for _, name := range models {
		if r := decode[worker.Run](t, succeed(t, env, "run", name, "--json")); r.Sum() != 0 {
			t.Errorf("a second run of %s looked at %d units", name, r.Sum())
		}
	}
	p := start(t, env, "run", worker.NamedEntities, "--engine", "builtin", "--preset", "granite_local")
	p.wantExit(exitUsage)
	if want := `"granite_local" is a preset of ollama, not of builtin`; !strings.Contains(p.stderr.String(), want) {
		t.Errorf("a preset of another engine: %q, want %q", p.stderr.String(), want)
	}
}
