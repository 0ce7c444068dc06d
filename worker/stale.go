package worker

import (
	"maps"
	"reflect"
	"slices"
)

// StaleGroup are units that were processed with one other configuration.
type StaleGroup struct {
	Units       int64        `json:"units"`
	Differences []Difference `json:"differences"`
}

// Difference is a value that was another one then; nil where there was none.
type Difference struct {
	Name string `json:"name"` // engine, preset, or an option
	Was  any    `json:"was"`
	Now  any    `json:"now"`
}

// StaleUnits are units that were processed with a configuration of the past, as the ledger has it.
type StaleUnits struct {
	Units  int64
	Config Config
}

// Differ lists what makes results of one configuration stale under another, in the order engine, preset, what the engine is built from, options.
// Batch size, neutral options and what belongs to one run make nothing stale.
func (d Definition) Differ(was, now Config) []Difference {
	var out []Difference
	add := func(name string, a, b any) {
		if !same(a, b) {
			out = append(out, Difference{name, a, b})
		}
	}
	add("engine", valueOf(was.Engine), valueOf(now.Engine))
	add("preset", valueOf(was.Preset), valueOf(now.Preset))
	for _, name := range slices.Sorted(maps.Keys(d.identity(now))) {
		if name == "engine" || name == "preset" {
			continue
		}
		add(name, was.Resolved[name], now.Resolved[name])
	}
	for _, o := range d.Options {
		if !o.RunOnly && !o.Neutral && o.Name != batchSize {
			a, b := was.Options[o.Name], now.Options[o.Name]
			add(o.Name, a.Value, b.Value)
		}
	}
	return out
}

// Compare lists every value in which two configurations differ, in the order engine, preset, what the engine is built from, batch size, options;
// what belongs to one run included. nil is a value that one of both does not have.
func Compare(was, now Config) []Difference {
	var out []Difference
	add := func(name string, a, b any) {
		if !same(a, b) {
			out = append(out, Difference{name, a, b})
		}
	}
	add("engine", valueOf(was.Engine), valueOf(now.Engine))
	add("preset", valueOf(was.Preset), valueOf(now.Preset))
	for _, name := range keys(was.Resolved, now.Resolved) {
		add(name, was.Resolved[name], now.Resolved[name])
	}
	add(batchSize, valueOf(was.BatchSize), valueOf(now.BatchSize))
	for _, name := range keys(was.Options, now.Options) {
		add(name, was.Options[name].Value, now.Options[name].Value)
	}
	return out
}

// keys are the names that one of two maps has, sorted.
func keys[V any](a, b map[string]V) []string {
	all := maps.Clone(a)
	if all == nil {
		all = map[string]V{}
	}
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}

// identity is what results depend on of the engine of a configuration.
func (d Definition) identity(c Config) map[string]any {
	if d.engines == nil || c.Engine == nil {
		return nil
	}
	e := EngineDescription{Axis: d.Axis, Values: c.Resolved}
	e.Engine, _ = c.Engine.Value.(string)
	if c.Preset != nil {
		e.Preset, _ = c.Preset.Value.(string)
	}
	return d.engines.Identity(e)
}

func valueOf(v *Value) any {
	if v == nil {
		return nil
	}
	return v.Value
}

// same compares values of which one may have been through JSON.
func same(a, b any) bool {
	return reflect.DeepEqual(plain(a), plain(b))
}

func plain(v any) any {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case []string:
		return anySlice(v)
	}
	return v
}
