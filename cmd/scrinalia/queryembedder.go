package main

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"time"

	"scrinalia/engine"
	"scrinalia/executor"
	"scrinalia/worker"
)

// queryTime is how long the model may take over a query before the search answers by words only.
const queryTime = 5 * time.Second

// queryEmbedder turns queries into vectors with the engine that the embedding worker has in force, so that they are in the space of its vectors.
type queryEmbedder struct {
	executor *executor.Executor
	registry *engine.Registry

	mu        sync.Mutex
	described engine.Description // of model
	model     engine.Embedder
}

func (q *queryEmbedder) embed(ctx context.Context, text string) (string, []float32, error) {
	r, err := q.executor.Resolve(ctx, worker.Embedding)
	if err != nil {
		return "", nil, err
	}
	model, err := q.engine(r.Engine)
	if err != nil {
		return "", nil, err
	}
	name := worker.VectorModel(r.Engine.Engine, r.Engine.Text("model"), model.Dimensions())
	ctx, cancel := context.WithTimeout(ctx, queryTime)
	defer cancel()
	vectors, err := model.Embed(ctx, []string{text})
	switch {
	case err != nil:
		return name, nil, err
	case errors.Is(vectors[0].Err, engine.ErrNoWords):
		return name, nil, nil
	}
	return name, vectors[0].Values, vectors[0].Err
}

// engine is the one of that description; it is built anew when the configuration has changed.
func (q *queryEmbedder) engine(d engine.Description) (engine.Embedder, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.model != nil && reflect.DeepEqual(q.described.Values, d.Values) && q.described.Engine == d.Engine && q.described.Preset == d.Preset {
		return q.model, nil
	}
	model, err := q.registry.NewEmbedder(d)
	if err != nil {
		return nil, err
	}
	q.described, q.model = d, model
	return model, nil
}
