package engine

import (
	"fmt"
	"maps"
	"slices"

	"scrinalia/worker"
)

// Axes lists the axes that have engines, in the order in which the workers need them.
var Axes = []worker.Axis{worker.NER, worker.Classification, worker.Embeddings, worker.LLMs, worker.TitleQuality}

// Registry knows the engines of every axis.
type Registry struct {
	engines map[worker.Axis][]Registration
}

// NewRegistry takes the engines there are. An engine listed twice on an axis, or one that contradicts itself, is a mistake in
// the program and panics.
func NewRegistry(registrations ...Registration) *Registry {
	r := &Registry{engines: map[worker.Axis][]Registration{}}
	for _, g := range registrations {
		g.mustHold()
		if _, known := r.find(g.spec.Axis, g.spec.Name); known {
			panic(fmt.Sprintf("engine: %s is listed twice for %s", g.spec.Name, g.spec.Axis))
		}
		if g.spec.Name == Builtin {
			r.engines[g.spec.Axis] = slices.Insert(r.engines[g.spec.Axis], 0, g)
			continue
		}
		r.engines[g.spec.Axis] = append(r.engines[g.spec.Axis], g)
	}
	return r
}

func (r *Registry) find(axis worker.Axis, name string) (Registration, bool) {
	for _, g := range r.engines[axis] {
		if g.spec.Name == name {
			return g, true
		}
	}
	return Registration{}, false
}

// Engines lists the engines of an axis, the default first. The values are the caller's.
func (r *Registry) Engines(axis worker.Axis) []Spec {
	specs := make([]Spec, len(r.engines[axis]))
	for i, g := range r.engines[axis] {
		specs[i] = g.spec.clone()
	}
	return specs
}

// Choices lists the engines of an axis as forms offer them, the default first.
func (r *Registry) Choices(axis worker.Axis) []worker.EngineChoice {
	choices := make([]worker.EngineChoice, len(r.engines[axis]))
	for i, g := range r.engines[axis] {
		c := worker.EngineChoice{Name: g.spec.Name, Label: g.spec.Label}
		for _, p := range g.spec.Presets {
			c.Presets = append(c.Presets, worker.PresetName{Name: p.Name, Label: p.Label, Values: maps.Clone(p.Values)})
		}
		for _, o := range g.spec.Options {
			c.Options = append(c.Options, o.Option)
		}
		choices[i] = c
	}
	return choices
}

// NewNER builds the engine that was described.
func (r *Registry) NewNER(d Description) (NER, error) { return build[NER](r, worker.NER, d) }

// NewClassifier builds the engine that was described.
func (r *Registry) NewClassifier(d Description) (Classifier, error) {
	return build[Classifier](r, worker.Classification, d)
}

// NewEmbedder builds the engine that was described.
func (r *Registry) NewEmbedder(d Description) (Embedder, error) {
	return build[Embedder](r, worker.Embeddings, d)
}

// NewJudge builds the engine that was described.
func (r *Registry) NewJudge(d Description) (Judge, error) { return build[Judge](r, worker.LLMs, d) }

// NewTitleChecker builds the engine that was described.
func (r *Registry) NewTitleChecker(d Description) (TitleChecker, error) {
	return build[TitleChecker](r, worker.TitleQuality, d)
}

// build checks the description again, for it may come from the ledger, written by another release and through JSON. One that
// Describe just returned reaches the constructor as it is.
func build[E any](r *Registry, axis worker.Axis, d Description) (E, error) {
	var none E
	if d.Axis != axis {
		return none, refuse(map[string]string{"axis": fmt.Sprintf("%s was described, %s is to be built", d.Axis, axis)})
	}
	checked, err := r.Describe(d.Axis, d.Engine, d.Preset, d.Values)
	if err != nil {
		return none, err
	}
	checked.Origins = maps.Clone(d.Origins)
	g, _ := r.find(axis, checked.Engine)
	built, err := g.build(checked)
	if err != nil {
		return none, fmt.Errorf("build %s of %s: %w", checked.Engine, axis, err)
	}
	return built.(E), nil
}
