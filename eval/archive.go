package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"scrinalia/engine"
	"scrinalia/executor"
	"scrinalia/importer"
	"scrinalia/sample"
	"scrinalia/search"
	"scrinalia/store"
	"scrinalia/store/localpg"
	"scrinalia/worker"
	"scrinalia/worker/all"
)

// archive searches the sample collection for the labelled queries: by words only, and by words and the engine's vectors. It has a private
// database in a temporary folder.
func (e *evaluation) archive(ctx context.Context) (err error) {
	f, err := e.open("search", "testdata", "queries.tsv")
	if err != nil {
		return err
	}
	defer f.Close()
	examples, err := search.ReadExamples(f)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "scrinalia-eval-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o711); err != nil { // root hands the server to another account, which must pass
		return err
	}
	server, err := localpg.Open(ctx, localpg.Options{Dir: filepath.Join(dir, "db"), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	if err := server.EnsureDatabase(ctx, "eval"); err != nil {
		return err
	}
	s, err := store.Open(ctx, server.URL("eval"), slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer s.Close()
	if err := e.fill(ctx, s); err != nil {
		return err
	}
	model, err := e.registry.NewEmbedder(e.described)
	if err != nil {
		return err
	}
	name := worker.VectorModel(e.described.Engine, e.described.Text("model"), model.Dimensions())
	embed := func(ctx context.Context, text string) (string, []float32, error) {
		v, err := model.Embed(ctx, []string{text})
		if err != nil || errors.Is(v[0].Err, engine.ErrNoWords) {
			return name, nil, err
		}
		return name, v[0].Values, v[0].Err
	}
	fmt.Fprintf(e.out, "\nqueries.tsv: search in the sample collection, %d queries; nothing was tuned on the half called test\n", len(examples))
	for _, by := range []struct {
		name  string
		embed search.EmbedQuery
	}{{"words", nil}, {"words and meaning", embed}} {
		service := search.New(search.Options{Store: s, EmbedQuery: by.embed})
		reports, err := search.Evaluate(ctx, examples, func(ctx context.Context, query string) ([]string, error) {
			answer, err := service.Search(ctx, search.Query{Text: query})
			codes := make([]string, len(answer.Results))
			for i, r := range answer.Results {
				codes[i] = r.ReferenceCode
			}
			return codes, err
		})
		if err != nil {
			return err
		}
		for _, r := range reports {
			fmt.Fprintf(e.out, "  %-32s recall in 10 %.3f  MRR %.3f  (%d queries)\n", by.name+", "+r.Half, r.RecallAt10, r.MRR, r.Queries)
			for _, q := range r.Missed {
				fmt.Fprintf(e.out, "    nothing found: %s\n", q)
			}
		}
	}
	return nil
}

// fill makes the archive of the sample collection, with the vectors of the engine.
func (e *evaluation) fill(ctx context.Context, s *store.Store) error {
	if err := s.MigrateUp(ctx); err != nil {
		return err
	}
	if _, err := importer.Import(ctx, s, sample.Collection(), importer.Options{Name: "sample.jsonl"}, nil); err != nil {
		return err
	}
	x, err := executor.New(executor.Options{Catalogue: all.Catalogue(s, e.registry, nil, nil), Store: s, Log: slog.New(slog.DiscardHandler), Role: "eval"})
	if err != nil {
		return err
	}
	for _, name := range []string{worker.Transfer, worker.Cleaning, worker.Embedding} {
		request := worker.Request{Worker: name, Trigger: worker.CLI, RequestedBy: "eval"}
		if name == worker.Embedding {
			request.Arguments = worker.Settings{Engine: e.described.Engine, Preset: e.described.Preset, Options: e.described.Values}
		}
		r, err := x.RunHere(ctx, request, nil)
		if err != nil {
			return err
		}
		if r.Status != worker.Success {
			return fmt.Errorf("%s ended %s: %s", name, r.Status, *r.Error)
		}
	}
	return nil
}
