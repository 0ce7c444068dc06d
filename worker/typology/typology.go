// Package typology is the fourth worker: it gives descriptions their documentary form. It imports worker, engine and the standard library;
// the database reaches it as Store.
package typology

import (
	"context"
	"slices"

	"scrinalia/engine"
	"scrinalia/worker"
)

// Options are what a run of typology takes.
type Options struct {
	worker.Common
	BatchSize int64    `json:"batch_size" min:"1" max:"20000" help:"Documents that are committed together at most."`
	Columns   []string `json:"columns" choices:"original_title,scope_content,admin_bio_history,provenance" help:"The texts that are read."`
	Threshold float64  `json:"threshold" min:"0" max:"1" help:"The typology is set when the engine is surer of it than this."`
}

// Store is the database as this worker needs it.
type Store interface {
	// Typologies returns the active typologies.
	Typologies(ctx context.Context) ([]worker.Label, error)
	ClaimTypology(ctx context.Context, columns []string, after, size int64, force bool) ([]worker.Reading, error)
	// ApplyTypologies sets and scores documents that have no typology yet, with force also those that runs gave one, and that still say what was read, and stamps them.
	ApplyTypologies(ctx context.Context, runID int64, o worker.Common, columns []string, filings []worker.Filing) (worker.Counts, error)
}

// Engines are the engines of the axis.
type Engines interface {
	worker.Engines
	NewClassifier(d engine.Description) (engine.Classifier, error)
}

// New is the worker on a store. It opens nothing; listing the catalogue may pass a nil store.
func New(store Store, engines Engines) worker.Definition {
	return worker.DefineWithEngine(worker.Spec{
		Name:         worker.Typology,
		Label:        "Typology",
		Description:  "Gives descriptions without a typology the one that fits their title best, when the score is high enough. What a person chose stays.",
		Order:        4,
		Unit:         worker.Document,
		Governed:     true,
		Axis:         worker.Classification,
		EngineSource: worker.EngineDefault,
		Stamp:        "on the document",
		Reads:        "the title; the names of the active typologies",
		Writes:       "the typology and its score",
		Notes:        slices.Concat([]string{"filed", "below_threshold", "no_label", "would_file"}, engine.UsageNotes),
	}, Options{BatchSize: 1000, Columns: []string{"original_title"}, Threshold: 0.40}, engines,
		func(ctx context.Context, env worker.Env, d engine.Description, o Options) error {
			labels, err := store.Typologies(ctx)
			if err != nil {
				return err
			}
			if len(labels) == 0 {
				return worker.Errorf(worker.Invalid, "There is no active typology to choose from; add one, or bring one back.")
			}
			model, err := engines.NewClassifier(d)
			if err != nil {
				return err
			}
			classify := worker.Texts(func(ctx context.Context, texts []string) ([]engine.Choice, error) {
				return model.Classify(ctx, texts, worker.LabelNames(labels))
			})
			return worker.Batches(ctx, env, o.Limit, o.BatchSize, func(ctx context.Context, after, size int64) (worker.Batch, error) {
				readings, err := store.ClaimTypology(ctx, o.Columns, after, size, o.Force)
				if err != nil || len(readings) == 0 {
					return worker.Batch{}, err
				}
				before := engine.UsageOf(model)
				choices, err := worker.Infer(ctx, env.Watch, worker.Refs(readings), worker.ReadingTexts(readings), classify)
				if err != nil {
					return worker.Batch{}, err
				}
				filings := engine.Filings(readings[:len(choices)], choices, labels, o.Threshold)
				notes := worker.FilingNotes(filings, labels, o.DryRun)
				counts, err := store.ApplyTypologies(ctx, env.RunID, o.Common, o.Columns, filings)
				last := readings[len(choices)-1]
				return worker.Batch{
					Last: last.ID, Unit: last.Name, Seen: len(choices), Counts: counts, Notes: worker.MergeNotes(notes, engine.UsageOf(model).Since(before)),
				}, err
			})
		})
}
