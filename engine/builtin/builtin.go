// Package builtin makes the engines that need nothing installed, and that are the default of their axes, out of engine/tagger,
// engine/lexical, engine/judge and engine/titles: a trained linear tagger, and rules, word lists and statistics. It imports these, engine,
// worker and the standard library.
package builtin

import (
	"context"
	"runtime"
	"sync"

	"scrinalia/engine"
	"scrinalia/engine/judge"
	"scrinalia/engine/lexical"
	"scrinalia/engine/tagger"
	"scrinalia/engine/titles"
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
		engine.ForLLMs(spec("Rules over the words of the name, with lists of names and subjects", "name_rules", "Name rules", judge.Model),
			func(engine.Description) (engine.Judge, error) { return arbiter{}, nil }),
		engine.ForTitleQuality(spec("Rules for what no cataloguer can have meant", "title_rules", "Title rules", titles.Model),
			func(engine.Description) (engine.TitleChecker, error) { return titleChecker{}, nil }),
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

type arbiter struct{}

// Judge rules on each pair.
func (arbiter) Judge(ctx context.Context, pairs []engine.Pair) ([]engine.Ruling, error) {
	return spread(ctx, pairs, func(part []engine.Pair, into []engine.Ruling) {
		for i, p := range part {
			into[i] = judge.Rule(p)
		}
	})
}

type titleChecker struct{}

// Check looks at each title.
func (titleChecker) Check(ctx context.Context, list []string) ([]engine.TitleVerdict, error) {
	return spread(ctx, list, func(part []string, into []engine.TitleVerdict) {
		for i, title := range part {
			into[i] = titles.Check(title)
		}
	})
}

// smallestPart is how many inputs are worth a goroutine of their own.
const smallestPart = 16

// spread cuts the inputs into parts, one a processor, and works on them at once. A panic of the model stops the caller, not the program.
func spread[In, Out any](ctx context.Context, inputs []In, work func(part []In, into []Out)) ([]Out, error) {
	out := make([]Out, len(inputs))
	size := max(smallestPart, (len(inputs)+runtime.GOMAXPROCS(0)-1)/runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	panics := make(chan any, len(inputs)/size+1)
	for from := 0; from < len(inputs); from += size {
		to := min(from+size, len(inputs))
		all.Go(func() {
			defer func() {
				if r := recover(); r != nil {
					panics <- r
				}
			}()
			work(inputs[from:to], out[from:to])
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
