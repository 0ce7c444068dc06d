// Package conflictjudge is the sixth worker: where a tag and an entity bear almost the same name, it gives the name to one of them, or leaves the pair to
// people. It imports worker, engine and the standard library; the database reaches it as Store.
package conflictjudge

import (
	"context"
	"fmt"
	"slices"

	"scrinalia/engine"
	"scrinalia/worker"
)

// Options are what a run of conflict-judge takes.
type Options struct {
	worker.Common
	BatchSize   int64   `json:"batch_size" min:"1" max:"5000" help:"Pairs that are committed together at most."`
	Similarity  float64 `json:"similarity_threshold" min:"0.5" max:"1" help:"Names are a pair when they are at least so similar: the share of the trigrams of both that both have."`
	AutoResolve float64 `json:"auto_resolve_threshold" min:"0" max:"1" help:"A pair is resolved when the engine is at least so sure; else a person is asked."`
}

// Store is the database as this worker needs it.
type Store interface {
	// ComparePairs makes every pair that is at least so similar known.
	ComparePairs(ctx context.Context, similarity float64) error
	ClaimPairs(ctx context.Context, similarity float64, after, size int64, force bool) ([]worker.NamePair, error)
	// ApplyRulings keeps what was ruled of pairs of which both sides are still there, and resolves what the judge was sure of.
	ApplyRulings(ctx context.Context, runID int64, dry bool, rulings []worker.Ruling) (worker.Counts, map[string]worker.Note, error)
}

// Engines are the engines of the axis.
type Engines interface {
	worker.Engines
	NewJudge(d engine.Description) (engine.Judge, error)
}

// New is the worker on a store. It opens nothing; listing the catalogue may pass a nil store.
func New(store Store, engines Engines) worker.Definition {
	return worker.DefineWithEngine(worker.Spec{
		Name:         worker.ConflictJudge,
		Label:        "Tags or entities",
		Description:  "Where a tag and an entity bear almost the same name, gives the name to one of them. What the model is not sure of waits for a person; every decision can be undone.",
		Order:        6,
		Unit:         worker.Pair,
		Axis:         worker.LLMs,
		EngineSource: worker.EngineDefault,
		Stamp:        "the row in the review queue",
		Reads:        "the names of tags and of entities, the types of entities, and how many documents have each",
		Writes:       "links of documents with tags and entities, the stop words of tags and the exclusions of names, and the review queue",
		Notes:        slices.Concat([]string{"kept_tag", "kept_entity", "for_a_person", "would_resolve"}, engine.UsageNotes),
	}, Options{BatchSize: 100, Similarity: 0.90, AutoResolve: 0.85}, engines,
		func(ctx context.Context, env worker.Env, d engine.Description, o Options) error {
			model, err := engines.NewJudge(d)
			if err != nil {
				return err
			}
			if err := store.ComparePairs(ctx, o.Similarity); err != nil {
				return err
			}
			return worker.Batches(ctx, env, o.Limit, o.BatchSize, func(ctx context.Context, after, size int64) (worker.Batch, error) {
				pairs, err := store.ClaimPairs(ctx, o.Similarity, after, size, o.Force)
				if err != nil || len(pairs) == 0 {
					return worker.Batch{}, err
				}
				before := engine.UsageOf(model)
				answers, err := worker.Infer(ctx, env.Watch, units(pairs), questions(pairs), model.Judge)
				if err != nil {
					return worker.Batch{}, err
				}
				pairs = pairs[:len(answers)]
				counts, notes, err := store.ApplyRulings(ctx, env.RunID, o.DryRun, rulings(pairs, answers, o.AutoResolve))
				last := pairs[len(pairs)-1]
				return worker.Batch{
					Last: last.ID, Unit: last.Tag + " / " + last.Entity, Seen: len(pairs), Counts: counts,
					Notes: worker.MergeNotes(notes, engine.UsageOf(model).Since(before)),
				}, err
			})
		})
}

// units are the pairs as people know them.
func units(pairs []worker.NamePair) []worker.UnitRef {
	known := make([]worker.UnitRef, len(pairs))
	for i, p := range pairs {
		known[i] = worker.UnitRef{ID: p.ID, Name: p.Tag + " / " + p.Entity}
	}
	return known
}

// questions are the pairs as engines are asked about them.
func questions(pairs []worker.NamePair) []engine.Pair {
	asked := make([]engine.Pair, len(pairs))
	for i, p := range pairs {
		asked[i] = engine.Pair{
			Tag: p.Tag, Entity: p.Entity, EntityType: engine.EntityType(p.EntityType),
			TagDocuments: int(p.TagDocuments), EntityDocuments: int(p.EntityDocuments), Shared: int(p.SharedDocuments),
		}
	}
	return asked
}

// rulings are the answers as the store keeps them; one that names no side, or no share as its confidence, is a failure of that pair.
func rulings(pairs []worker.NamePair, answers []engine.Ruling, autoResolve float64) []worker.Ruling {
	out := make([]worker.Ruling, len(answers))
	for i, a := range answers {
		out[i] = worker.Ruling{Pair: pairs[i], Winner: string(a.Winner), Confidence: a.Confidence, Reason: a.Reason, Resolve: a.Confidence >= autoResolve}
		switch {
		case a.Err != nil:
			out[i] = worker.Ruling{Pair: pairs[i], Error: a.Err.Error()}
		case a.Winner != engine.TagWins && a.Winner != engine.EntityWins:
			out[i] = worker.Ruling{Pair: pairs[i], Error: fmt.Sprintf("the engine named %q as the winner, which is neither TAG nor ENTITY", a.Winner)}
		case !(a.Confidence >= 0 && a.Confidence <= 1): // NaN is neither
			out[i] = worker.Ruling{Pair: pairs[i], Error: fmt.Sprintf("the engine gave a confidence of %v, which is not from 0 to 1", a.Confidence)}
		}
	}
	return out
}
