// Package ner is the third worker: it finds people, organisations and places in descriptions and links them. It imports worker, engine and
// the standard library; the database reaches it as Store.
package ner

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"scrinalia/engine"
	"scrinalia/worker"
)

// Options are what a run of ner takes.
type Options struct {
	worker.Common
	BatchSize int64    `json:"batch_size" min:"1" max:"5000" help:"Documents that are committed together at most."`
	Columns   []string `json:"columns" choices:"original_title,scope_content,admin_bio_history,provenance" help:"The texts that are read."`
	Threshold float64  `json:"threshold" min:"0" max:"1" help:"Names of which the engine is less sure than this are left out."`
}

// Store is the database as this worker needs it.
type Store interface {
	ClaimNER(ctx context.Context, columns []string, after, size int64, force bool) ([]worker.Reading, error)
	// ApplyEntities replaces the links that runs made of documents which still say what was read, and stamps them.
	ApplyEntities(ctx context.Context, runID int64, dry bool, columns []string, found []worker.Recognition) (worker.Counts, map[string]worker.Note, error)
}

// Engines are the engines of the axis.
type Engines interface {
	worker.Engines
	NewNER(d engine.Description) (engine.NER, error)
}

// New is the worker on a store. It opens nothing; listing the catalogue may pass a nil store.
func New(store Store, engines Engines) worker.Definition {
	return worker.DefineWithEngine(worker.Spec{
		Name:         worker.NamedEntities,
		Label:        "Named entities",
		Description:  "Finds the people, organisations and places that a description names, and links them. Links that a person made stay.",
		Order:        3,
		Unit:         worker.Document,
		Governed:     true,
		Axis:         worker.NER,
		EngineSource: worker.EngineDefault,
		Stamp:        "on the document",
		Reads:        "title, scope and content, history, provenance; stop words, synonyms and exclusions",
		Writes:       "entities and their links",
		Notes:        slices.Concat([]string{"names", "entities_linked", "entities_unlinked", "below_threshold", "would_link"}, engine.UsageNotes),
	}, Options{BatchSize: 256, Columns: []string{"original_title", "scope_content", "admin_bio_history", "provenance"}}, engines,
		func(ctx context.Context, env worker.Env, d engine.Description, o Options) error {
			model, err := engines.NewNER(d)
			if err != nil {
				return err
			}
			return worker.Batches(ctx, env, o.Limit, o.BatchSize, func(ctx context.Context, after, size int64) (worker.Batch, error) {
				readings, err := store.ClaimNER(ctx, o.Columns, after, size, o.Force)
				if err != nil || len(readings) == 0 {
					return worker.Batch{}, err
				}
				before := engine.UsageOf(model)
				found, err := worker.Infer(ctx, env.Watch, worker.Refs(readings), texts(readings), worker.Texts(model.Entities))
				if err != nil {
					return worker.Batch{}, err
				}
				recognitions, notes := recognise(readings, found, o.Threshold)
				counts, changed, err := store.ApplyEntities(ctx, env.RunID, o.DryRun, o.Columns, recognitions)
				last := readings[len(found)-1]
				return worker.Batch{
					Last: last.ID, Unit: last.Name, Seen: len(found), Counts: counts,
					Notes: worker.MergeNotes(changed, notes, engine.UsageOf(model).Since(before)),
				}, err
			})
		})
}

// address matches what names nobody: web and mail addresses.
var address = regexp.MustCompile(`(?i)\b(?:https?://|ftp://|www\.)\S+|\S+@\S+\.\S+`)

// texts are what the engine reads. An address leaves a semicolon, so that the names around it stay two.
func texts(readings []worker.Reading) []string {
	out := make([]string, len(readings))
	for i, r := range readings {
		out[i] = strings.Trim(address.ReplaceAllString(r.Text, ";"), "; ")
	}
	return out
}

func recognise(readings []worker.Reading, found []engine.Found, threshold float64) ([]worker.Recognition, map[string]worker.Note) {
	recognitions := make([]worker.Recognition, len(found))
	dropped := int64(0)
	for i, f := range found {
		recognitions[i].Reading = readings[i]
		if f.Err != nil {
			recognitions[i].Error = f.Err.Error()
			continue
		}
		for _, e := range f.Entities {
			if e.Score < threshold {
				dropped++
				continue
			}
			recognitions[i].Entities = append(recognitions[i].Entities, worker.Entity{Name: e.Name, Type: string(e.Type), Score: e.Score})
		}
	}
	return recognitions, worker.CountedNote("below_threshold", dropped)
}
