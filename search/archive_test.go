package search_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"io"
	"log/slog"
	"math"
	"testing"
	"time"

	"scrinalia/engine"
	engines "scrinalia/engine/all"
	"scrinalia/engine/lexical"
	"scrinalia/executor"
	"scrinalia/importer"
	"scrinalia/search"
	"scrinalia/store"
	"scrinalia/store/storetest"
	"scrinalia/worker"
	"scrinalia/worker/all"
)

// archive is a store with descriptions, and a search over it.
type archive struct {
	*store.Store
	*search.Service

	t     testing.TB
	model string // of the vectors that queries get
	embed func(text string) ([]float32, error)
}

func newArchive(t testing.TB) *archive {
	t.Helper()
	a := &archive{Store: storetest.New(t), t: t, model: "fake/one/2"}
	a.Service = search.New(search.Options{Store: a.Store, Patience: time.Minute, EmbedQuery: func(_ context.Context, text string) (string, []float32, error) {
		if a.embed == nil {
			return a.model, nil, nil
		}
		v, err := a.embed(text)
		return a.model, v, err
	}})
	return a
}

type record map[string]any

// load imports records and transfers them.
func (a *archive) load(records ...record) *archive {
	a.t.Helper()
	var lines bytes.Buffer
	for _, r := range records {
		if err := json.NewEncoder(&lines).Encode(r); err != nil {
			a.t.Fatal(err)
		}
	}
	return a.read(&lines)
}

func (a *archive) read(lines io.Reader) *archive {
	a.t.Helper()
	report, err := importer.Import(a.t.Context(), a.Store, lines, importer.Options{Format: importer.JSONLines, Name: "test.jsonl"}, nil)
	if err != nil || report.Rejected > 0 {
		a.t.Fatalf("import: %v, rejected %v", err, report.Rejects)
	}
	registry := engine.NewRegistry(engines.Registrations("")...)
	e, err := executor.New(executor.Options{Catalogue: all.Catalogue(a.Store, registry, nil, nil), Store: a.Store, Log: slog.New(slog.DiscardHandler), Role: "test"})
	if err != nil {
		a.t.Fatal(err)
	}
	if r, err := e.RunHere(a.t.Context(), worker.Request{Worker: worker.Transfer, Trigger: worker.CLI, RequestedBy: "test"}, nil); err != nil || r.Status != worker.Success {
		a.t.Fatalf("transfer: %v, %v", r.Status, err)
	}
	return a
}

func (a *archive) exec(sql string, args ...any) {
	a.t.Helper()
	if _, err := a.Pool().Exec(a.t.Context(), sql, args...); err != nil {
		a.t.Fatalf("%s: %v", sql, err)
	}
}

// put gives a description a vector of a model, none for nil.
func (a *archive) put(model, description string, v []float32) {
	a.t.Helper()
	a.exec(putVector, description, model, stored(v))
}

const putVector = `INSERT INTO document_vectors (document_id, model, fingerprint, vector, run_id)
	SELECT d.id, $2, '\x00', $3, (SELECT max(id) FROM archive_worker_runs) FROM documents d WHERE d.description_id = $1
	ON CONFLICT (document_id, model) DO UPDATE SET vector = excluded.vector, changed_in = excluded.changed_in`

func stored(v []float32) []byte {
	if v == nil {
		return nil
	}
	raw := []byte{}
	for _, f := range v {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(f))
	}
	return raw
}

// lexicalVectors gives every description the vector of the built-in embedder, and queries too.
func (a *archive) lexicalVectors() *archive {
	a.t.Helper()
	embedder := lexical.NewEmbedder()
	a.model = "builtin/" + lexical.EmbeddingModel + "/384"
	a.embed = func(text string) ([]float32, error) { return embedder.Embed([]string{text})[0], nil }
	rows, err := a.Pool().Query(a.t.Context(), "SELECT description_id, composed_text(d, text_columns('{}')) FROM documents d")
	if err != nil {
		a.t.Fatal(err)
	}
	texts := map[string]string{}
	for rows.Next() {
		var id, text string
		if err := rows.Scan(&id, &text); err != nil {
			a.t.Fatal(err)
		}
		texts[id] = text
	}
	if err := rows.Err(); err != nil {
		a.t.Fatal(err)
	}
	for id, text := range texts {
		if v := embedder.Embed([]string{text})[0]; v != nil {
			a.put(a.model, id, v)
		}
	}
	return a
}

// find is the answer to a query.
func (a *archive) find(text string) search.Answer {
	a.t.Helper()
	answer, err := a.Search(a.t.Context(), search.Query{Text: text})
	if err != nil {
		a.t.Fatalf("search %q: %v", text, err)
	}
	return answer
}

// ids are the description ids of results, in order.
func ids(a search.Answer) []string {
	list := []string{}
	for _, r := range a.Results {
		list = append(list, r.DescriptionID)
	}
	return list
}
