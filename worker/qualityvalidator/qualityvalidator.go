// Package qualityvalidator is the eighth worker: it flags what is wrong with a description and never rewrites a field. It imports worker,
// engine and the standard library; the database reaches it as Store.
package qualityvalidator

import (
	"context"
	"slices"
	"time"

	"scrinalia/engine"
	"scrinalia/worker"
)

// Options are what a run of quality-validator takes.
type Options struct {
	worker.Common
	BatchSize       int64   `json:"batch_size" min:"1" max:"5000" help:"Documents that are committed together."`
	RepeatThreshold int64   `json:"repeat_threshold" min:"2" max:"100" help:"A title that so many documents have, whatever its accents and case, is reported as repeated."`
	LLMConfidence   float64 `json:"llm_confidence" min:"0" max:"1" help:"A title that the engine of the LLM_CHECK rule suspects is flagged when the engine is at least so sure of it."`
}

// Store is the database as this worker needs it.
type Store interface {
	ValidationRules(ctx context.Context) ([]worker.Rule, error)
	// TitleRule returns the rule whose engine checks titles, nil when none is active.
	TitleRule(ctx context.Context) (*worker.RuleEngine, error)
	ClaimValidation(ctx context.Context, after, size int64, force bool) ([]worker.Description, error)
	// ApplyVerdicts writes and stamps the verdicts on documents that still say what was read; changed counts those whose state moved.
	ApplyVerdicts(ctx context.Context, runID int64, dry bool, verdicts []worker.Verdict) (counts worker.Counts, changed int64, err error)
}

// Engines are the engines of the axis.
type Engines interface {
	worker.Engines
	NewTitleChecker(d engine.Description) (engine.TitleChecker, error)
}

// New is the worker on a store. It opens nothing; listing the catalogue may pass a nil store.
func New(store Store, engines Engines) worker.Definition {
	return worker.DefineWithEngine(worker.Spec{
		Name:         worker.QualityValidator,
		Label:        "Quality validator",
		Description:  "Flags what is wrong with a description: dates, titles, missing access points, rules. It never rewrites a field.",
		Order:        8,
		Unit:         worker.Document,
		Governed:     true,
		Axis:         worker.TitleQuality,
		EngineSource: worker.EngineRule,
		Stamp:        "on the document",
		Reads:        "title, date and texts; which tags, typology and entities there are; the active validation rules and the LLM_CHECK rule",
		Writes:       "the reasons of an anomaly and the review status",
		Note:         "No LLM_CHECK rule: deterministic validation only.",
		Notes: slices.Concat([]string{
			MissingDate, FutureDate, EmptyTitle, RepeatedTitle, AllCapsTitle, NoTags, NoTypology, NoEntities, worker.RuleMatch, SuspectTitle,
			"would_flag", "status_changed", "below_confidence",
		}, engine.UsageNotes),
	}, Options{BatchSize: 1000, RepeatThreshold: 3, LLMConfidence: 0.6}, engines,
		func(ctx context.Context, env worker.Env, d engine.Description, o Options) error {
			rules, err := store.ValidationRules(ctx)
			if err != nil {
				return err
			}
			check, err := newChecker(rules, o.RepeatThreshold, time.Now())
			if err != nil {
				return err
			}
			titles, err := newTitleCheck(ctx, store, engines, d)
			if err != nil {
				return err
			}
			return worker.Batches(ctx, env, o.Limit, o.BatchSize, func(ctx context.Context, after, size int64) (worker.Batch, error) {
				docs, err := store.ClaimValidation(ctx, after, size, o.Force)
				if err != nil || len(docs) == 0 {
					return worker.Batch{}, err
				}
				before := engine.UsageOf(titles.model)
				suspicions, err := titles.ask(ctx, env.Watch, docs)
				if err != nil {
					return worker.Batch{}, err
				}
				docs = docs[:len(suspicions)]
				verdicts, notes := check.all(docs, suspicions, o.LLMConfidence)
				if o.DryRun {
					notes["would_flag"] = preview(docs, verdicts)
				}
				counts, changed, err := store.ApplyVerdicts(ctx, env.RunID, o.DryRun, verdicts)
				last := docs[len(docs)-1]
				return worker.Batch{
					Last: last.ID, Unit: last.Name, Seen: len(docs), Counts: counts,
					Notes: worker.MergeNotes(notes, worker.CountedNote("status_changed", changed), engine.UsageOf(titles.model).Since(before)),
				}, err
			})
		})
}

// titleCheck asks the engine of the LLM_CHECK rule about titles; without a rule there is no model, and nobody is asked.
type titleCheck struct{ model engine.TitleChecker }

func newTitleCheck(ctx context.Context, store Store, engines Engines, d engine.Description) (titleCheck, error) {
	rule, err := store.TitleRule(ctx)
	if err != nil {
		return titleCheck{}, err
	}
	if err := worker.CheckRule(engines, worker.TitleQuality, rule, d); err != nil {
		return titleCheck{}, err
	}
	if rule == nil {
		return titleCheck{}, nil
	}
	model, err := engines.NewTitleChecker(d)
	return titleCheck{model}, err
}

// ask returns what the engine says of the titles of the first documents, at least one; a title that is as good as empty needs no engine.
func (t titleCheck) ask(ctx context.Context, watch *worker.Watch, docs []worker.Description) ([]engine.TitleVerdict, error) {
	if t.model == nil {
		return make([]engine.TitleVerdict, len(docs)), nil
	}
	titles := make([]string, len(docs))
	units := make([]worker.UnitRef, len(docs))
	for i, d := range docs {
		units[i] = worker.UnitRef{ID: d.ID, Name: d.Name}
		if !emptyTitle(d.Title) {
			titles[i] = d.Title
		}
	}
	return worker.Infer(ctx, watch, units, titles, worker.Texts(t.model.Check))
}
