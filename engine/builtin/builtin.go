// Package builtin makes the engines that need nothing installed, and that are the default of their axes, out of engine/tagger and
// engine/lexical: a trained linear tagger, and rules, word lists and statistics. It imports these, engine, worker and the standard library.
package builtin

import (
	"context"
	"runtime"
	"sync"

	"scrinalia/engine"
	"scrinalia/engine/lexical"
	"scrinalia/engine/tagger"
	"scrinalia/worker"
)

const (
	optModel      = "model"
	optDimensions = "dimensions"
)

// Registrations are the built-in engines of every axis that has one.
func Registrations() []engine.Registration {
	return []engine.Registration{
		engine.ForNER(spec("Linear sequence tagger for archival Portuguese, with name lists", "archival_tagger", "Archival tagger", tagger.ModelName),
			func(engine.Description) (engine.NER, error) {
				m, err := tagger.Default()
				return recognizer{m}, err
			}),
		engine.ForClassification(spec("Words, stems and synonyms of the labels", "lexical", "Lexical classifier", lexical.ClassifierModel),
			func(engine.Description) (engine.Classifier, error) {
				return classifier{lexical.NewClassifier(lexical.Settings{})}, nil
			}),
		engine.ForEmbeddings(embedSpec(), func(engine.Description) (engine.Embedder, error) { return embedder{lexical.NewEmbedder()}, nil }),
	}
}

// spec is an engine with one preset, whose model is the one that is embedded in the program.
func spec(label, preset, presetLabel, model string) engine.Spec {
	return engine.Spec{
		Name: engine.Builtin, Label: label,
		Options: []engine.Option{{Option: worker.Option{
			Name: optModel, Type: worker.Text, Default: model, Choices: []string{model}, Help: "The model that is part of this program.",
		}}},
		Presets: []engine.Preset{{Name: preset, Label: presetLabel, Values: map[string]any{optModel: model}}},
	}
}

func embedSpec() engine.Spec {
	s := spec("Hashed words, synonyms and character n-grams", "lexical_384", "Lexical vectors, 384 dimensions", lexical.EmbeddingModel)
	length := float64(lexical.Dimensions)
	s.Options = append(s.Options, engine.Option{Option: worker.Option{
		Name: optDimensions, Type: worker.Integer, Default: int64(lexical.Dimensions), Min: &length, Max: &length, Help: "Length of the model's vectors.",
	}})
	s.Presets[0].Values[optDimensions] = int64(lexical.Dimensions)
	return s
}

type recognizer struct{ model *tagger.Model }

// Entities finds the names of each text.
func (r recognizer) Entities(ctx context.Context, texts []string) ([]engine.Found, error) {
	return spread(ctx, texts, func(part []string, into []engine.Found) {
		for i, text := range part {
			for _, s := range r.model.Entities(text) {
				into[i].Entities = append(into[i].Entities, engine.Entity{Name: text[s.Start:s.End], Type: engine.EntityType(s.Type), Score: s.Score})
			}
		}
	})
}

type classifier struct{ model *lexical.Classifier }

// Classify chooses a label for each text.
func (c classifier) Classify(ctx context.Context, texts, labels []string) ([]engine.Choice, error) {
	return spread(ctx, texts, func(part []string, into []engine.Choice) {
		for i, choice := range c.model.Classify(part, labels) {
			into[i] = engine.Choice{Label: choice.Label, Score: choice.Score}
		}
	})
}

type embedder struct{ model *lexical.Embedder }

// Dimensions is the length of every vector.
func (embedder) Dimensions() int { return lexical.Dimensions }

// Embed turns each text into a vector. A text without words has none.
func (e embedder) Embed(ctx context.Context, texts []string) ([]engine.Vector, error) {
	return spread(ctx, texts, func(part []string, into []engine.Vector) {
		for i, v := range e.model.Embed(part) {
			into[i].Values = v
			if v == nil {
				into[i].Err = engine.ErrNoWords
			}
		}
	})
}

// smallestPart is how many texts are worth a goroutine of their own.
const smallestPart = 16

// spread cuts the texts into parts, one a processor, and works on them at once. A panic of the model stops the caller, not the program.
func spread[T any](ctx context.Context, texts []string, work func(part []string, into []T)) ([]T, error) {
	out := make([]T, len(texts))
	size := max(smallestPart, (len(texts)+runtime.GOMAXPROCS(0)-1)/runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	panics := make(chan any, len(texts)/size+1)
	for from := 0; from < len(texts); from += size {
		to := min(from+size, len(texts))
		all.Go(func() {
			defer func() {
				if r := recover(); r != nil {
					panics <- r
				}
			}()
			work(texts[from:to], out[from:to])
		})
	}
	all.Wait()
	select {
	case r := <-panics:
		panic(r)
	default:
		return out, context.Cause(ctx)
	}
}
