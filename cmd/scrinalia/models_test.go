package main

import (
	"net"
	"strings"
	"testing"

	"scrinalia/engine/ollama/ollamatest"
	"scrinalia/storage/storagetest"
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

// TestOllamaAndS3 takes the sample through all nine workers, with every engine of Ollama that there is and the thumbnails in a real S3 server. The
// model server ends in the middle of each worker's work: that run ends FAILED with the cause, and the next goes on behind it.
func TestOllamaAndS3(t *testing.T) {
	t.Parallel()
	models := ollamatest.New(t, "granite4.1:3b", "paraphrase-multilingual-MiniLM-L12-v2:latest")
	s3 := storagetest.New(t)
	url := storetest.URL(t)
	env := append(database(url), "OLLAMA_HOST="+models.URL, "SCRINALIA_STORAGE_URL="+s3.Address+"/"+storagetest.Bucket,
		"AWS_ACCESS_KEY_ID="+storagetest.Key, "AWS_SECRET_ACCESS_KEY="+storagetest.Secret)
	db := dial(t, url)
	succeed(t, env, "import", sampleFile)
	_, err := db.Exec(t.Context(), "INSERT INTO cleaning_rules (name, kind, target_column, engine, preset) VALUES ('titles', 'LLM_CHECK', 'original_title', 'ollama', 'granite_local')")
	must(t, err)
	for _, name := range []string{worker.Transfer, worker.Cleaning} {
		succeed(t, env, "run", name)
	}
	for _, step := range []struct {
		worker, field string
		options       []string
		engine        bool
	}{
		{worker: worker.NamedEntities, field: "entities", engine: true},
		{worker: worker.Typology, field: "label", engine: true},
		{worker: worker.ConflictJudge, field: "winner", options: []string{"--batch", "2", "--option", "similarity_threshold=0.6"}, engine: true},
		{worker: worker.MacroCategory, field: "label", engine: true},
		{worker: worker.QualityValidator, field: "suspect"},
		{worker: worker.Embedding, field: "embeddings", engine: true},
	} {
		args := append([]string{"run", step.worker, "--json"}, step.options...)
		if step.engine {
			args = append(args, "--engine", "ollama")
		}
		models.StopAfter(4)
		p := start(t, env, args...)
		p.wantExit(exitFailed)
		cut := decode[worker.Run](t, p.stdout.String())
		if cut.Status != worker.Failed || cut.Error == nil || !strings.Contains(*cut.Error, "Ollama at "+models.URL) {
			t.Errorf("%s, its server gone: %s, %v", step.worker, cut.Status, cut.Error)
		}
		stamped := "SELECT count(*) FROM execution_log WHERE run_id = $1"
		if step.worker == worker.ConflictJudge {
			stamped = "SELECT count(*) FROM review_queue WHERE run_id = $1"
		}
		if n := scalar[int64](t, db, stamped, cut.ID); n != cut.Processed {
			t.Errorf("%s, its server gone: %d units are marked done, %d were", step.worker, n, cut.Processed)
		}
		models.Start()
		before := models.Answered(step.field)
		rest := decode[worker.Run](t, succeed(t, env, args...))
		if rest.Processed == 0 || rest.Failed > 0 || models.Answered(step.field) == before {
			t.Errorf("%s went on: %+v, %d questions", step.worker, rest.Counts, models.Answered(step.field)-before)
		}
	}
	if out := succeed(t, env, "run", "--all", "--engine", "ollama"); strings.Count(out, ": SUCCESS, ") != 9 {
		t.Errorf("run --all said %q", out)
	}
	if keys := s3.Objects(); len(keys) != 51 {
		t.Errorf("%d objects", len(keys))
	}
}
