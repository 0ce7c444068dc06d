// Package cleaning is the second worker: it applies the active REWRITE rules to the texts of descriptions. It imports worker and the
// standard library; the database reaches it as Store.
package cleaning

import (
	"context"

	"scrinalia/worker"
)

// Options are what a run of cleaning takes.
type Options struct {
	worker.Common
	BatchSize int64 `json:"batch_size" min:"1" max:"20000" help:"Units, each a document with a rule, that are committed together."`
}

// Store is the database as this worker needs it.
type Store interface {
	RewriteRules(ctx context.Context) ([]worker.Rule, error)
	// ClaimCleaning returns the units of whole documents after a key; last is the key to go on from, 0 at the end.
	ClaimCleaning(ctx context.Context, after, size int64, force bool) (units []worker.TextUnit, last int64, err error)
	// ApplyCleaning writes the edits of documents that still say what was read, and stamps them.
	ApplyCleaning(ctx context.Context, runID int64, dry bool, edits []worker.TextEdit) (worker.Counts, error)
}

// New is the worker on a store. It opens nothing; listing the catalogue may pass nil.
func New(store Store) worker.Definition {
	return worker.Define(worker.Spec{
		Name:         worker.Cleaning,
		Label:        "Cleaning rules",
		Description:  "Applies the active rewrite rules to titles and texts. The old text is kept in the run's record of changes.",
		Order:        2,
		Unit:         worker.DocumentRule,
		Governed:     true,
		EngineSource: worker.EngineNone,
		Stamp:        "per rule, on the document",
		Reads:        "the column that each rule names",
		Writes:       "that column",
		Notes:        []string{"rewritten", "refused_empty_title", "would_change"},
	}, Options{BatchSize: 4000}, func(ctx context.Context, env worker.Env, o Options) error {
		rules, err := store.RewriteRules(ctx)
		if err != nil {
			return err
		}
		patterns, err := compile(rules)
		if err != nil {
			return err
		}
		return worker.Batches(ctx, env, o.Limit, o.BatchSize, func(ctx context.Context, after, size int64) (worker.Batch, error) {
			units, last, err := store.ClaimCleaning(ctx, after, size, o.Force)
			if err != nil || len(units) == 0 {
				return worker.Batch{}, err
			}
			edits, notes := rewrite(units, patterns)
			if o.DryRun {
				notes["would_change"] = preview(units, edits)
			}
			counts, err := store.ApplyCleaning(ctx, env.RunID, o.DryRun, edits)
			return worker.Batch{Last: last, Seen: len(units), Unit: units[len(units)-1].Name, Counts: counts, Notes: notes}, err
		})
	})
}
