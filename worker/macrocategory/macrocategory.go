// Package macrocategory is the seventh worker: it files tags under subject categories and leaves to people what it is not sure of. It imports
// worker, engine and the standard library; the database reaches it as Store.
package macrocategory

import (
	"context"
	"slices"

	"scrinalia/engine"
	"scrinalia/worker"
)

// Options are what a run of macro-category takes.
type Options struct {
	worker.Common
	BatchSize int64   `json:"batch_size" min:"1" max:"20000" help:"Tags that are committed together at most."`
	Threshold float64 `json:"threshold" min:"0" max:"1" help:"The category is set when the engine is surer of it than this; else a person is asked."`
}

// Store is the database as this worker needs it.
type Store interface {
	// SubjectLabels returns the active subject categories with the label that classifiers are offered.
	SubjectLabels(ctx context.Context) ([]worker.Label, error)
	// Exclusions returns the terms that are no subject.
	Exclusions(ctx context.Context) ([]worker.Exclusion, error)
	ClaimTags(ctx context.Context, after, size int64, force bool) ([]worker.Reading, error)
	// ApplyCategories files, scores and stamps tags that have no category yet, with force also those that runs filed, and whose name is what was read; it keeps one
	// open row in the review queue for each tag that a person has to decide.
	ApplyCategories(ctx context.Context, runID int64, o worker.Common, filings []worker.Filing) (worker.Counts, error)
}

// Engines are the engines of the axis.
type Engines interface {
	worker.Engines
	NewClassifier(d engine.Description) (engine.Classifier, error)
}

// Guard refuses, before any model sees them, tags that cannot be a subject.
type Guard interface {
	NotASubject(tag string) (reason string, refused bool)
}

// personOfTheCollection is why the guard refuses those whom the collection is about.
const personOfTheCollection = "person_of_the_collection"

// New is the worker on a store; newGuard makes a guard that refuses these terms beside what it refuses anyway. It opens nothing; listing the
// catalogue may pass a nil store.
func New(store Store, engines Engines, newGuard func(terms []string) Guard) worker.Definition {
	return worker.DefineWithEngine(worker.Spec{
		Name:         worker.MacroCategory,
		Label:        "Subject categories",
		Description:  "Files tags under subject categories. What is no subject is refused first; what the model is not sure of waits for a person.",
		Order:        7,
		Unit:         worker.Tag,
		Axis:         worker.Classification,
		EngineSource: worker.EngineDefault,
		Stamp:        "on the tag",
		Reads:        "the tag's name; the labels of the active subject categories; the exclusions",
		Writes:       "the tag's category and its score, and the review queue",
		Notes:        slices.Concat([]string{"filed", "below_threshold", "no_label", "no_subject", "would_file"}, engine.UsageNotes),
	}, Options{BatchSize: 500, Threshold: 0.55}, engines,
		func(ctx context.Context, env worker.Env, d engine.Description, o Options) error {
			labels, err := store.SubjectLabels(ctx)
			if err != nil {
				return err
			}
			if len(labels) == 0 {
				return worker.Errorf(worker.Invalid, "There is no active subject category to choose from; add one, or bring one back.")
			}
			refuse, err := refuser(ctx, store, newGuard)
			if err != nil {
				return err
			}
			model, err := engines.NewClassifier(d)
			if err != nil {
				return err
			}
			classify := func(ctx context.Context, texts []string) ([]engine.Choice, error) {
				return model.Classify(ctx, texts, worker.LabelNames(labels))
			}
			return worker.Batches(ctx, env, o.Limit, o.BatchSize, func(ctx context.Context, after, size int64) (worker.Batch, error) {
				tags, err := store.ClaimTags(ctx, after, size, o.Force)
				if err != nil || len(tags) == 0 {
					return worker.Batch{}, err
				}
				refusals, asked := refuse(tags)
				before := engine.UsageOf(model)
				choices, err := worker.Infer(ctx, env.Watch, worker.Refs(asked), worker.ReadingTexts(asked), classify)
				if err != nil {
					return worker.Batch{}, err
				}
				if len(choices) < len(asked) { // the next batch begins with the first tag that was not answered
					tags = tags[:slices.IndexFunc(tags, func(t worker.Reading) bool { return t.ID == asked[len(choices)].ID })]
				}
				filings := merge(tags, refusals, engine.Filings(asked[:len(choices)], choices, labels, o.Threshold))
				notes := worker.FilingNotes(filings, labels, o.DryRun)
				counts, err := store.ApplyCategories(ctx, env.RunID, o.Common, filings)
				last := tags[len(tags)-1]
				return worker.Batch{
					Last: last.ID, Unit: last.Name, Seen: len(tags), Counts: counts, Notes: worker.MergeNotes(notes, engine.UsageOf(model).Since(before)),
				}, err
			})
		})
}

// merge puts the tags that were refused and those that were asked about back into one order.
func merge(tags []worker.Reading, refusals map[int64]string, asked []worker.Filing) []worker.Filing {
	filings := make([]worker.Filing, 0, len(tags))
	for _, t := range tags {
		if reason, refused := refusals[t.ID]; refused {
			filings = append(filings, worker.Filing{Reading: t, Refusal: reason})
			continue
		}
		filings = append(filings, asked[0])
		asked = asked[1:]
	}
	return filings
}

// refuser says why tags are no subject, by id, and which are left to ask about.
func refuser(ctx context.Context, store Store, newGuard func([]string) Guard) (func([]worker.Reading) (map[int64]string, []worker.Reading), error) {
	exclusions, err := store.Exclusions(ctx)
	if err != nil {
		return nil, err
	}
	var subjects, people []string
	for _, x := range exclusions {
		if x.Collection {
			people = append(people, x.Term)
		} else {
			subjects = append(subjects, x.Term)
		}
	}
	guard, known := newGuard(subjects), newGuard(people)
	return func(tags []worker.Reading) (map[int64]string, []worker.Reading) {
		refusals := map[int64]string{}
		var asked []worker.Reading
		for _, t := range tags {
			reason, refused := guard.NotASubject(t.Text)
			if !refused {
				if _, refused = known.NotASubject(t.Text); refused {
					reason = personOfTheCollection
				}
			}
			if refused {
				refusals[t.ID] = reason
				continue
			}
			asked = append(asked, t)
		}
		return refusals, asked
	}, nil
}
