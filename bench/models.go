package main

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"scrinalia/engine"
	engines "scrinalia/engine/all"
	"scrinalia/executor"
	"scrinalia/importer"
	"scrinalia/sample"
	"scrinalia/worker"
	"scrinalia/worker/all"

	"github.com/jackc/pgx/v5"
)

// The budgets of engines, in texts a second on one core, and of what a run may spend beside an engine that takes its time.
const (
	nerBudget       = 3000
	typologyBudget  = 10_000
	embeddingBudget = 5000
	besideBudget    = 0.05
)

// measureModels measures the built-in engines alone on one core, then in runs, then what a run with a slow engine spends beside it.
func (b *bench) measureModels(ctx context.Context) error {
	if err := b.enginesAlone(ctx); err != nil {
		return err
	}
	if err := b.enginesInRuns(ctx); err != nil {
		return err
	}
	return b.slowEngine(ctx)
}

// sampleTexts are the texts of the sample collection as workers read them: the titles, and everything.
func (b *bench) sampleTexts(ctx context.Context) (titles, whole, tags []string, err error) {
	const name = "bench_sample"
	if err := b.make(ctx, name, ""); err != nil {
		return nil, nil, nil, err
	}
	p, err := b.open(ctx, name)
	if err != nil {
		return nil, nil, nil, err
	}
	defer p.close()
	if _, err := importer.Import(ctx, p.store, sample.Collection(), importer.Options{Name: "sample.jsonl"}, nil); err != nil {
		return nil, nil, nil, err
	}
	for _, w := range []string{worker.Transfer, worker.Cleaning} {
		if _, err := p.work(ctx, w); err != nil {
			return nil, nil, nil, err
		}
	}
	column := func(sql string) []string {
		rows, queryErr := p.store.Pool().Query(ctx, sql)
		if queryErr != nil {
			err = queryErr
			return nil
		}
		texts, collectErr := pgx.CollectRows(rows, pgx.RowTo[string])
		if collectErr != nil {
			err = collectErr
		}
		return texts
	}
	titles = column("SELECT composed_text(d, '{original_title}') FROM documents d ORDER BY id")
	whole = column("SELECT composed_text(d, text_columns('{}')) FROM documents d ORDER BY id")
	tags = column("SELECT name FROM tags ORDER BY id")
	return titles, whole, tags, err
}

func (b *bench) enginesAlone(ctx context.Context) error {
	titles, whole, tags, err := b.sampleTexts(ctx)
	if err != nil {
		return err
	}
	w, err := watchedBuiltins()
	if err != nil {
		return err
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, m := range []struct {
		what   string
		texts  []string
		budget float64
		ask    func() error
	}{
		{"ner, the engine alone, sample descriptions, one core", whole, nerBudget, func() error { _, err := w.Entities(ctx, whole); return err }},
		{"typology, the engine alone, sample titles, one core", titles, typologyBudget, func() error { _, err := w.Classify(ctx, titles, typologies); return err }},
		{"macro-category, the engine alone, sample tags, one core", tags, 0, func() error { _, err := w.Classify(ctx, tags, typologies[:8]); return err }},
		{"embedding, the engine alone, sample descriptions, one core", whole, embeddingBudget, func() error { _, err := w.Embed(ctx, whole); return err }},
	} {
		took := make([]time.Duration, 0, 9)
		for range cap(took) {
			begin := time.Now()
			if err := m.ask(); err != nil {
				return err
			}
			took = append(took, time.Since(begin))
		}
		b.atLeast(m.what, float64(len(m.texts))/median(took).Seconds(), textsASecond, m.budget)
	}
	return nil
}

// typologies are labels to choose from; the seeds.
var typologies = []string{
	"Planta Arquitetônica", "Mapa / Croqui Urbanístico", "Fotografia", "Decreto / Lei / Portaria", "Ofício / Memorando", "Audiovisual",
	"Ata de Reunião", "Relatório Técnico", "Processo Administrativo", "Dossiê Funcional",
}

func builtin[E any](r *engine.Registry, axis worker.Axis, build func(engine.Description) (E, error)) (E, error) {
	d, err := r.Describe(axis, "", "", nil)
	if err != nil {
		var none E
		return none, err
	}
	return build(d)
}

// watched is an engine of every axis that keeps the time that the one below it takes.
type watched struct {
	spent      *atomic.Int64
	entities   func(context.Context, []string) ([]engine.Found, error)
	classify   func(context.Context, []string, []string) ([]engine.Choice, error)
	embed      func(context.Context, []string) ([]engine.Vector, error)
	dimensions int
}

// watchedBuiltins are the engines that are built in, watched.
func watchedBuiltins() (watched, error) {
	r := engine.NewRegistry(engines.Registrations("")...)
	names, err := builtin(r, worker.NER, r.NewNER)
	if err != nil {
		return watched{}, err
	}
	classifier, err := builtin(r, worker.Classification, r.NewClassifier)
	if err != nil {
		return watched{}, err
	}
	embedder, err := builtin(r, worker.Embeddings, r.NewEmbedder)
	if err != nil {
		return watched{}, err
	}
	return watched{
		spent: new(atomic.Int64), entities: names.Entities, classify: classifier.Classify, embed: embedder.Embed,
		dimensions: embedder.Dimensions(),
	}, nil
}

func (w watched) since(begin time.Time) { w.spent.Add(int64(time.Since(begin))) }

func (w watched) Entities(ctx context.Context, texts []string) ([]engine.Found, error) {
	defer w.since(time.Now())
	return w.entities(ctx, texts)
}

func (w watched) Classify(ctx context.Context, texts, labels []string) ([]engine.Choice, error) {
	defer w.since(time.Now())
	return w.classify(ctx, texts, labels)
}

func (w watched) Embed(ctx context.Context, texts []string) ([]engine.Vector, error) {
	defer w.since(time.Now())
	return w.embed(ctx, texts)
}

func (w watched) Dimensions() int { return w.dimensions }

// registry has w as the only engine of each axis.
func (w watched) registry() *engine.Registry {
	spec := engine.Spec{Name: "watched", Presets: []engine.Preset{{Name: "watched"}}}
	return engine.NewRegistry(
		engine.ForNER(spec, func(engine.Description) (engine.NER, error) { return w, nil }),
		engine.ForClassification(spec, func(engine.Description) (engine.Classifier, error) { return w, nil }),
		engine.ForEmbeddings(spec, func(engine.Description) (engine.Embedder, error) { return w, nil }))
}

// equip gives the program other engines.
func (p *program) equip(r *engine.Registry) (err error) {
	p.catalogue = all.Catalogue(p.store, r, nil, nil)
	p.executor, err = executor.New(executor.Options{Catalogue: p.catalogue, Store: p.store, Log: p.log, Role: "serve", Concurrency: 1})
	return err
}

// modelWorkers are the workers that need a text model.
var modelWorkers = []string{worker.NamedEntities, worker.Typology, worker.MacroCategory, worker.Embedding}

// described makes an archive of real size with transferred descriptions and nothing else.
func (b *bench) described(ctx context.Context, name string, records int) (*program, error) {
	if err := b.make(ctx, name, ""); err != nil {
		return nil, err
	}
	c := b.size.real()
	c.records = records
	lines, _, err := b.files(c)
	if err != nil {
		return nil, err
	}
	p, err := b.open(ctx, name)
	if err != nil {
		return nil, err
	}
	err = p.load(ctx, lines, importer.JSONLines, c.records)
	if err == nil {
		_, err = p.work(ctx, worker.Transfer)
	}
	if err == nil {
		err = p.store.Analyze(ctx)
	}
	if err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// enginesInRuns says how fast whole runs are and how much of their time is not the engine's: the database's, above all.
func (b *bench) enginesInRuns(ctx context.Context) error {
	p, err := b.described(ctx, "bench_models", b.size.realDocuments)
	if err != nil {
		return err
	}
	defer p.close()
	w, err := watchedBuiltins()
	if err != nil {
		return err
	}
	if err := p.equip(w.registry()); err != nil {
		return err
	}
	for _, name := range modelWorkers {
		w.spent.Store(0)
		begin := time.Now()
		run, err := p.work(ctx, name)
		if err != nil {
			return err
		}
		took := time.Since(begin)
		b.also(fmt.Sprintf("run of %s, %s units", name, thousands(run.Processed)), float64(run.Processed)/took.Seconds(), textsASecond)
		b.also("  share of the time that is not the engine's", 1-time.Duration(w.spent.Load()).Seconds()/took.Seconds(), share)
	}
	return nil
}

const (
	slowCall = 50 * time.Millisecond
	slowRun  = 1000 // units
)

// slowEngine measures runs with an engine that takes slowCall for every text, as a model server does that is asked about one text a call.
func (b *bench) slowEngine(ctx context.Context) error {
	units := min(slowRun, b.size.realDocuments)
	p, err := b.described(ctx, "bench_slow", units)
	if err != nil {
		return err
	}
	defer p.close()
	wait := func(ctx context.Context, texts int) error {
		t := time.NewTimer(slowCall * time.Duration(texts))
		defer t.Stop()
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-t.C:
			return nil
		}
	}
	w := watched{
		spent: new(atomic.Int64), dimensions: 2,
		entities: func(ctx context.Context, texts []string) ([]engine.Found, error) {
			return make([]engine.Found, len(texts)), wait(ctx, len(texts))
		},
		classify: func(ctx context.Context, texts, _ []string) ([]engine.Choice, error) {
			return make([]engine.Choice, len(texts)), wait(ctx, len(texts))
		},
	}
	if err := p.equip(w.registry()); err != nil {
		return err
	}
	for _, name := range []string{worker.NamedEntities, worker.Typology} {
		w.spent.Store(0)
		begin := time.Now()
		run, err := p.work(ctx, name)
		if err != nil {
			return err
		}
		took := time.Since(begin)
		b.within(fmt.Sprintf("run of %s, %s units, an engine of %d ms a text: share of the time beside it", name, thousands(run.Processed), slowCall.Milliseconds()),
			1-time.Duration(w.spent.Load()).Seconds()/took.Seconds(), share, besideBudget)
	}
	return nil
}
