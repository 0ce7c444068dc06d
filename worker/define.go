package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
)

// Common are the options that every worker takes. Worker options embed it.
type Common struct {
	Limit  int64 `json:"limit" min:"0" run:"only" help:"Stop after so many units; 0 means no limit."`
	DryRun bool  `json:"dry_run" run:"only" help:"Show what would change, write nothing but the run."`
	Force  bool  `json:"force" run:"only" help:"Read every eligible unit again, once, also those that are done."`
}

// Task is a worker with its settings bound: the very work that a run does.
type Task func(ctx context.Context, env Env) error

// Validator is implemented by options whose fields depend on each other.
type Validator interface{ Validate() error }

// Definition is one worker of the catalogue: what it is, which options it takes, and how they are bound to its work.
type Definition struct {
	Spec
	Options []Option
	engines Engines // nil: the worker takes no engine
	bind    func(options map[string]any, engine EngineDescription) (Task, error)
}

// Define makes a worker without an engine from its spec, its options with their defaults, and its work. The options are described
// from the very type that the work receives, so that a form cannot show what a run would not use. It does no I/O.
func Define[O any](spec Spec, defaults O, run func(ctx context.Context, env Env, o O) error) Definition {
	return DefineWithEngine(spec, defaults, nil, func(ctx context.Context, env Env, _ EngineDescription, o O) error { return run(ctx, env, o) })
}

// DefineWithEngine is Define for a worker that builds an engine of its axis from the description that its run was resolved to.
func DefineWithEngine[O any](spec Spec, defaults O, engines Engines, run func(ctx context.Context, env Env, e EngineDescription, o O) error) Definition {
	d := Definition{Spec: spec, Options: describe(defaults), engines: engines, bind: func(values map[string]any, e EngineDescription) (Task, error) {
		raw, err := json.Marshal(values)
		if err != nil {
			return nil, fmt.Errorf("encode options of %s: %w", spec.Name, err)
		}
		var o O // decoded afresh: copying the defaults would share their slices
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&o); err != nil {
			return nil, fmt.Errorf("decode options of %s: %w", spec.Name, err)
		}
		if v, ok := any(o).(Validator); ok {
			if err := v.Validate(); err != nil {
				return nil, err
			}
		}
		return func(ctx context.Context, env Env) error { return run(ctx, env, e, o) }, nil
	}}
	for _, c := range d.EngineChoices() {
		for _, o := range c.Options {
			if _, taken := d.Option(o.Name); taken {
				panic("worker: " + spec.Name + " and its engine " + c.Name + " both have an option " + o.Name)
			}
		}
	}
	return d
}

// EngineChoices lists the engines that a run or an override may ask for, the default first; none where nobody chooses.
func (d Definition) EngineChoices() []EngineChoice {
	if d.EngineSource != EngineDefault {
		return nil
	}
	return d.AxisEngines()
}

// AxisEngines lists the engines of the worker's axis, the default first; none for a worker without.
func (d Definition) AxisEngines() []EngineChoice {
	if d.engines == nil {
		return nil
	}
	return d.engines.Choices(d.Axis)
}

// Option returns the option of that name.
func (d Definition) Option(name string) (Option, bool) {
	for _, o := range d.Options {
		if o.Name == name {
			return o, true
		}
	}
	return Option{}, false
}
