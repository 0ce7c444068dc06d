package engine

import (
	"context"

	"scrinalia/worker"
)

// Call is one call of an engine.
type Call struct {
	Axis   worker.Axis
	Engine string
	Preset string
	Units  int // texts, pairs or titles
}

// Watch is told of each call before it is made; done is called with how it ended.
type Watch func(ctx context.Context, c Call) (inner context.Context, done func(err error))

// Watched is the same engine, whose calls watch is told of.
func (r Registration) Watched(watch Watch) Registration {
	build := r.build
	r.build = func(d Description) (any, error) {
		e, err := build(d)
		if err != nil {
			return nil, err
		}
		w := watcher{watch, Call{Axis: d.Axis, Engine: d.Engine, Preset: d.Preset}, e}
		switch d.Axis {
		case worker.NER:
			return watchedNER{w, e.(NER)}, nil
		case worker.Classification:
			return watchedClassifier{w, e.(Classifier)}, nil
		case worker.Embeddings:
			return watchedEmbedder{w, e.(Embedder)}, nil
		case worker.LLMs:
			return watchedJudge{w, e.(Judge)}, nil
		case worker.TitleQuality:
			return watchedTitleChecker{w, e.(TitleChecker)}, nil
		case worker.NoAxis:
		}
		return e, nil
	}
	return r
}

type watcher struct {
	watch Watch
	call  Call
	built any
}

// Usage is what the engine itself has counted.
func (w watcher) Usage() Usage { return UsageOf(w.built) }

func watched[T any](ctx context.Context, w watcher, units int, ask func(context.Context) (T, error)) (T, error) {
	w.call.Units = units
	ctx, done := w.watch(ctx, w.call)
	out, err := ask(ctx)
	done(err)
	return out, err
}

type watchedNER struct {
	watcher
	NER
}

// Entities asks the engine.
func (e watchedNER) Entities(ctx context.Context, texts []string) ([]Found, error) {
	return watched(ctx, e.watcher, len(texts), func(ctx context.Context) ([]Found, error) { return e.NER.Entities(ctx, texts) })
}

type watchedClassifier struct {
	watcher
	Classifier
}

// Classify asks the engine.
func (e watchedClassifier) Classify(ctx context.Context, texts, labels []string) ([]Choice, error) {
	return watched(ctx, e.watcher, len(texts), func(ctx context.Context) ([]Choice, error) { return e.Classifier.Classify(ctx, texts, labels) })
}

type watchedEmbedder struct {
	watcher
	Embedder
}

// Embed asks the engine.
func (e watchedEmbedder) Embed(ctx context.Context, texts []string) ([]Vector, error) {
	return watched(ctx, e.watcher, len(texts), func(ctx context.Context) ([]Vector, error) { return e.Embedder.Embed(ctx, texts) })
}

type watchedJudge struct {
	watcher
	judge Judge
}

// Judge asks the engine.
func (e watchedJudge) Judge(ctx context.Context, pairs []Pair) ([]Ruling, error) {
	return watched(ctx, e.watcher, len(pairs), func(ctx context.Context) ([]Ruling, error) { return e.judge.Judge(ctx, pairs) })
}

type watchedTitleChecker struct {
	watcher
	TitleChecker
}

// Check asks the engine.
func (e watchedTitleChecker) Check(ctx context.Context, titles []string) ([]TitleVerdict, error) {
	return watched(ctx, e.watcher, len(titles), func(ctx context.Context) ([]TitleVerdict, error) { return e.TitleChecker.Check(ctx, titles) })
}
