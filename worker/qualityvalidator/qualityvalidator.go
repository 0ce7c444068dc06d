// Package qualityvalidator is the eighth worker: it flags what is wrong with a description and never rewrites a field. It imports worker and
// the standard library; the database reaches it as Store.
package qualityvalidator

import (
	"context"
	"time"

	"scrinalia/worker"
)

// Options are what a run of quality-validator takes.
type Options struct {
	worker.Common
	BatchSize       int64 `json:"batch_size" min:"1" max:"5000" help:"Documents that are committed together."`
	RepeatThreshold int64 `json:"repeat_threshold" min:"2" max:"100" help:"A title that so many documents have, whatever its accents and case, is reported as repeated."`
}

// Store is the database as this worker needs it.
type Store interface {
	ValidationRules(ctx context.Context) ([]worker.Rule, error)
	ClaimValidation(ctx context.Context, after, size int64, force bool) ([]worker.Description, error)
	// ApplyVerdicts writes and stamps the verdicts on documents that still say what was read; changed counts those whose state moved.
	ApplyVerdicts(ctx context.Context, runID int64, dry bool, verdicts []worker.Verdict) (counts worker.Counts, changed int64, err error)
}

// New is the worker on a store. It opens nothing; listing the catalogue may pass nil.
func New(store Store) worker.Definition {
	return worker.Define(worker.Spec{
		Name:         worker.QualityValidator,
		Label:        "Quality validator",
		Description:  "Flags what is wrong with a description: dates, titles, missing access points, rules. It never rewrites a field.",
		Order:        8,
		Unit:         worker.Document,
		Governed:     true,
		Axis:         worker.TitleQuality,
		EngineSource: worker.EngineRule,
		Stamp:        "on the document",
		Reads:        "title, date and texts; which tags, typology and entities there are; the active validation rules",
		Writes:       "the reasons of an anomaly and the review status",
		Note:         "No LLM_CHECK rule: deterministic validation only.",
		Notes: []string{
			MissingDate, FutureDate, EmptyTitle, RepeatedTitle, AllCapsTitle, NoTags, NoTypology, NoEntities, worker.RuleMatch,
			"would_flag", "status_changed",
		},
	}, Options{BatchSize: 1000, RepeatThreshold: 3}, func(ctx context.Context, env worker.Env, o Options) error {
		rules, err := store.ValidationRules(ctx)
		if err != nil {
			return err
		}
		check, err := newChecker(rules, o.RepeatThreshold, time.Now())
		if err != nil {
			return err
		}
		return worker.Batches(ctx, env, o.Limit, o.BatchSize, func(ctx context.Context, after, size int64) (worker.Batch, error) {
			docs, err := store.ClaimValidation(ctx, after, size, o.Force)
			if err != nil || len(docs) == 0 {
				return worker.Batch{}, err
			}
			verdicts, notes := check.all(docs)
			if o.DryRun {
				notes["would_flag"] = preview(docs, verdicts)
			}
			counts, changed, err := store.ApplyVerdicts(ctx, env.RunID, o.DryRun, verdicts)
			if changed > 0 {
				notes["status_changed"] = worker.Note{Count: changed}
			}
			return worker.Batch{Last: docs[len(docs)-1].ID, Unit: docs[len(docs)-1].Name, Seen: len(docs), Counts: counts, Notes: notes}, err
		})
	})
}
