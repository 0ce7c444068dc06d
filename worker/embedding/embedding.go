// Package embedding is the ninth and last worker: it gives each description its place in a space of meaning, for search. It imports worker,
// engine and the standard library; the database reaches it as Store.
package embedding

import (
	"context"
	"errors"
	"slices"

	"scrinalia/engine"
	"scrinalia/worker"
)

// Options are what a run of embedding takes.
type Options struct {
	worker.Common
	BatchSize int64 `json:"batch_size" min:"1" max:"5000" help:"Documents that are committed together at most."`
}

// Store is the database as this worker needs it.
type Store interface {
	ClaimEmbedding(ctx context.Context, after, size int64, force bool) ([]worker.Reading, error)
	// ApplyVectors stores the vectors of documents that still say what was read, and stamps them.
	ApplyVectors(ctx context.Context, runID int64, dry bool, model string, placements []worker.Placement) (worker.Counts, error)
}

// Engines are the engines of the axis.
type Engines interface {
	worker.Engines
	NewEmbedder(d engine.Description) (engine.Embedder, error)
}

// New is the worker on a store. It opens nothing; listing the catalogue may pass a nil store.
func New(store Store, engines Engines) worker.Definition {
	return worker.DefineWithEngine(worker.Spec{
		Name:         worker.Embedding,
		Label:        "Embedding",
		Description:  "Turns each description into a vector, so that it is found by what it means. Approved descriptions are included: the vector is an index, not content.",
		Order:        9,
		Unit:         worker.Document,
		Axis:         worker.Embeddings,
		EngineSource: worker.EngineDefault,
		Stamp:        "on the document",
		Reads:        "title, scope and content, history, provenance",
		Writes:       "the vector of the engine's model",
		Notes:        slices.Concat([]string{"without_words"}, engine.UsageNotes),
	}, Options{BatchSize: 500}, engines,
		func(ctx context.Context, env worker.Env, d engine.Description, o Options) error {
			model, err := engines.NewEmbedder(d)
			if err != nil {
				return err
			}
			name := worker.VectorModel(d.Engine, d.Text("model"), model.Dimensions())
			return worker.Batches(ctx, env, o.Limit, o.BatchSize, func(ctx context.Context, after, size int64) (worker.Batch, error) {
				readings, err := store.ClaimEmbedding(ctx, after, size, o.Force)
				if err != nil || len(readings) == 0 {
					return worker.Batch{}, err
				}
				before := engine.UsageOf(model)
				vectors, err := worker.Infer(ctx, env.Watch, worker.Refs(readings), worker.ReadingTexts(readings), worker.Texts(model.Embed))
				if err != nil {
					return worker.Batch{}, err
				}
				placements, without := place(readings, vectors)
				counts, err := store.ApplyVectors(ctx, env.RunID, o.DryRun, name, placements)
				last := readings[len(vectors)-1]
				return worker.Batch{
					Last: last.ID, Unit: last.Name, Seen: len(vectors), Counts: counts,
					Notes: worker.MergeNotes(worker.CountedNote("without_words", without), engine.UsageOf(model).Since(before)),
				}, err
			})
		})
}

func place(readings []worker.Reading, vectors []engine.Vector) (placements []worker.Placement, without int64) {
	placements = make([]worker.Placement, len(vectors))
	for i, v := range vectors {
		placements[i] = worker.Placement{Reading: readings[i], Vector: v.Values}
		switch {
		case v.Err != nil && !errors.Is(v.Err, engine.ErrNoWords):
			placements[i].Error = v.Err.Error()
		case v.Values == nil:
			without++
		}
	}
	return placements, without
}
