package engine

import (
	"fmt"
	"maps"
	"slices"

	"scrinalia/worker"
)

// Builtin is the name of the engines that need nothing installed. It is the default of every axis that has one.
const Builtin = "builtin"

// Where the value of an engine's option comes from, beside worker.FromDefault and worker.FromOverride.
const (
	FromPreset      worker.Origin = "preset"
	FromEnvironment worker.Origin = "environment"
)

// Option is a value that an engine takes.
type Option struct {
	worker.Option
	// Source is the origin of the default, when it is not the program.
	Source worker.Origin `json:"-"`
	// Normalise turns an accepted value into the one that is described and used; it does no I/O. It may be nil.
	Normalise func(value any) (any, error) `json:"-"`
}

// read checks a value of any origin, text from a form or a flag included.
func (o Option) read(v any) (any, error) {
	if s, ok := v.(string); ok {
		return o.Parse(s)
	}
	return o.Check(v)
}

func (o Option) normalise(v any) (any, error) {
	if o.Normalise == nil {
		return v, nil
	}
	return o.Normalise(v)
}

// Preset is a named set of values for one engine; options it leaves out follow the engine's defaults.
type Preset struct {
	Name   string         `json:"name"`
	Label  string         `json:"label"` // in English; the pages translate it by name
	Values map[string]any `json:"values"`
}

// Spec says what an engine is on one axis. The first preset is the default.
type Spec struct {
	Axis    worker.Axis `json:"axis"` // set by the registration
	Name    string      `json:"name"`
	Label   string      `json:"label"` // one sentence, in English
	Options []Option    `json:"options"`
	Presets []Preset    `json:"presets"`
	// Check looks at values together and returns option -> what is wrong with it. It may be nil.
	Check func(values map[string]any) map[string]string `json:"-"`
}

func (s Spec) option(name string) (Option, bool) {
	i := slices.IndexFunc(s.Options, func(o Option) bool { return o.Name == name })
	if i < 0 {
		return Option{}, false
	}
	return s.Options[i], true
}

func (s Spec) preset(name string) (Preset, bool) {
	i := slices.IndexFunc(s.Presets, func(p Preset) bool { return p.Name == name })
	if i < 0 {
		return Preset{}, false
	}
	return s.Presets[i], true
}

func (s Spec) optionNames() []string {
	names := make([]string, len(s.Options))
	for i, o := range s.Options {
		names[i] = o.Name
	}
	return names
}

func (s Spec) presetNames() []string {
	names := make([]string, len(s.Presets))
	for i, p := range s.Presets {
		names[i] = p.Name
	}
	return names
}

// clone is a copy that a caller may change.
func (s Spec) clone() Spec {
	s.Options, s.Presets = slices.Clone(s.Options), slices.Clone(s.Presets)
	for i := range s.Presets {
		s.Presets[i].Values = maps.Clone(s.Presets[i].Values)
	}
	return s
}

// Registration is an engine on one axis: what it is and how it is built. ForNER and its siblings make one.
type Registration struct {
	spec  Spec
	build func(Description) (any, error)
}

// Observed is the same engine, with see called with what the constructor receives, before it does.
func (r Registration) Observed(see func(Description)) Registration {
	build := r.build
	r.build = func(d Description) (any, error) {
		see(d)
		return build(d)
	}
	return r
}

// ForNER registers an engine on the NER axis.
func ForNER(s Spec, build func(Description) (NER, error)) Registration {
	return register(worker.NER, s, build)
}

// ForClassification registers an engine on the classification axis.
func ForClassification(s Spec, build func(Description) (Classifier, error)) Registration {
	return register(worker.Classification, s, build)
}

// ForEmbeddings registers an engine on the embeddings axis.
func ForEmbeddings(s Spec, build func(Description) (Embedder, error)) Registration {
	return register(worker.Embeddings, s, build)
}

// ForLLMs registers an engine on the LLMs axis.
func ForLLMs(s Spec, build func(Description) (Judge, error)) Registration {
	return register(worker.LLMs, s, build)
}

// ForTitleQuality registers an engine on the title_quality axis.
func ForTitleQuality(s Spec, build func(Description) (TitleChecker, error)) Registration {
	return register(worker.TitleQuality, s, build)
}

func register[E any](axis worker.Axis, s Spec, build func(Description) (E, error)) Registration {
	s = s.clone()
	s.Axis = axis
	return Registration{s, func(d Description) (any, error) { return build(d) }}
}

// mustHold panics when the registration contradicts itself: that is a mistake in the program.
func (r Registration) mustHold() {
	s := r.spec
	if s.Name == "" || len(s.Presets) == 0 || s.Presets[0].Name == "" {
		panic(fmt.Sprintf("engine: an engine of %s has no name or no preset", s.Axis))
	}
	if twice(s.presetNames()) || twice(s.optionNames()) {
		panic(fmt.Sprintf("engine: %s of %s lists a preset or an option twice", s.Name, s.Axis))
	}
	for _, o := range s.Options {
		s.mustAccept("its own default", o.Name, o.Default)
	}
	for _, p := range s.Presets {
		for name, v := range p.Values {
			s.mustAccept("preset "+p.Name, name, v)
		}
	}
}

func (s Spec) mustAccept(who, option string, v any) {
	o, ok := s.option(option)
	if !ok {
		panic(fmt.Sprintf("engine: %s of %s, %s: there is no option %s", s.Name, s.Axis, who, option))
	}
	if _, err := o.Check(v); err != nil {
		panic(fmt.Sprintf("engine: %s of %s, %s: %v", s.Name, s.Axis, who, err))
	}
}

func twice(names []string) bool {
	return len(slices.Compact(slices.Sorted(slices.Values(names)))) != len(names)
}
