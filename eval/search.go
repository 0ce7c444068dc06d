package main

import (
	"context"
	"encoding/json"
	"fmt"

	"scrinalia/engine/lexical"
)

// searchSets are the examples of embeddings.
var searchSets = []struct{ file, about string }{
	{"search-a.json", "half that was tuned on"},
	{"search-b.json", "other half, by the author of the word lists"},
}

// search ranks documents by the cosine of their vectors with the query's.
func (e *evaluation) search(ctx context.Context) error {
	model, err := e.registry.NewEmbedder(e.described)
	if err != nil {
		return err
	}
	for _, set := range searchSets {
		f, err := e.open("engine", "lexical", "testdata", set.file)
		if err != nil {
			return err
		}
		var examples struct {
			Documents []lexical.Document `json:"documents"`
			Queries   []lexical.Query    `json:"queries"`
		}
		err = json.NewDecoder(f).Decode(&examples)
		_ = f.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", set.file, err)
		}
		var failed error
		r := lexical.EvaluateSearch(examples.Documents, examples.Queries, func(texts []string) [][]float32 {
			out := make([][]float32, len(texts))
			answers, err := ask(ctx, texts, model.Embed)
			if err != nil {
				failed = err
				return out
			}
			for i, a := range answers {
				out[i] = a.Values
			}
			return out
		})
		if failed != nil {
			return failed
		}
		fmt.Fprintf(e.out, "\n%s: search, %s, %d queries over %d documents\n", set.file, set.about, r.Queries, len(examples.Documents))
		row := func(name string, queries int, recall, mrr float64) {
			fmt.Fprintf(e.out, "  %-32s recall in 10 %.3f  MRR %.3f  (%d queries)\n", name, recall, mrr, queries)
		}
		for _, k := range r.Kinds {
			row(k.Kind, k.Queries, k.RecallAt10, k.MRR)
		}
		row("all", r.Queries, r.RecallAt10, r.MRR)
		for _, q := range r.Missed {
			fmt.Fprintf(e.out, "    nothing found: %s\n", q)
		}
	}
	return e.archive(ctx)
}
