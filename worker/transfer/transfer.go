// Package transfer is the first worker: it makes staging records into descriptions of the archive, set by set in SQL. It imports worker
// and the standard library; the database reaches it as Store.
package transfer

import (
	"context"

	"scrinalia/worker"
)

// Options are what a run of transfer takes.
type Options struct {
	worker.Common
	BatchSize int64 `json:"batch_size" min:"1" max:"50000" help:"Records that are committed together."`
}

// Store does the work of one batch: the next records after a key, in one transaction.
type Store interface {
	TransferBatch(ctx context.Context, runID int64, o worker.Common, after, size int64) (worker.Batch, error)
}

// New is the worker on a store. It opens nothing; listing the catalogue may pass nil.
func New(store Store) worker.Definition {
	return worker.Define(worker.Spec{
		Name:         worker.Transfer,
		Label:        "Transfer",
		Description:  "Turns staging records into descriptions, finds their place in the hierarchy, and links their access points as tags. What a person decided is never overwritten.",
		Order:        1,
		Unit:         worker.StagingRecord,
		EngineSource: worker.EngineNone,
		Stamp:        "on the staging record",
		Reads:        "staging records that are new or changed",
		Writes:       "descriptions, their hierarchy, tags and their links",
		Notes:        []string{"created", "renewed", "unknown_level", "orphans", "adopted", "tags_linked", "tags_unlinked"},
	}, Options{BatchSize: 5000}, func(ctx context.Context, env worker.Env, o Options) error {
		return worker.Batches(ctx, env, o.Limit, o.BatchSize, func(ctx context.Context, after, size int64) (worker.Batch, error) {
			return store.TransferBatch(ctx, env.RunID, o.Common, after, size)
		})
	})
}
