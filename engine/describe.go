package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"scrinalia/worker"
)

// Description is all that an engine is built from.
type Description = worker.EngineDescription

// Describe returns what an engine would be built from: the engine's defaults, the preset over them, the overrides over both. An empty
// engine or preset is the default one. Whatever is refused is named in the fields of an Invalid error, with what would be accepted.
func (r *Registry) Describe(axis worker.Axis, engine, preset string, overrides map[string]any) (Description, error) {
	if len(r.engines[axis]) == 0 {
		return Description{}, refuse(map[string]string{"axis": fmt.Sprintf("there are no engines for %q; the axes are %s", clip(string(axis)), list(r.axisNames()))})
	}
	if engine == "" {
		engine = r.engines[axis][0].spec.Name
	}
	g, ok := r.find(axis, engine)
	if !ok {
		return Description{}, refuse(map[string]string{"engine": fmt.Sprintf("there is no engine %q for %s; it has %s", clip(engine), axis, list(r.engineNames(axis)))})
	}
	fields := map[string]string{}
	p := g.spec.Presets[0]
	if preset != "" {
		if named, ok := g.spec.preset(preset); ok {
			p = named
		} else {
			fields["preset"] = r.wrongPreset(g.spec, preset)
		}
	}
	d := g.spec.describe(p, overrides, fields)
	if len(fields) > 0 {
		return Description{}, refuse(fields)
	}
	return d, nil
}

// describe merges the layers; what is wrong goes into fields.
func (s Spec) describe(p Preset, overrides map[string]any, fields map[string]string) Description {
	d := Description{Axis: s.Axis, Engine: s.Name, Preset: p.Name, Values: map[string]any{}, Origins: map[string]worker.Origin{}}
	for name := range overrides {
		if _, ok := s.option(name); !ok {
			fields[clip(name)] = fmt.Sprintf("%s has no option %q; it takes %s", s.Name, clip(name), list(s.optionNames()))
		}
	}
	for _, o := range s.Options {
		raw, origin := o.layered(p, overrides)
		v, err := o.read(raw)
		if err == nil {
			v, err = o.normalise(v)
		}
		if err != nil {
			fields[o.Name] = err.Error()
			continue
		}
		d.Values[o.Name], d.Origins[o.Name] = v, origin
	}
	if s.Check != nil && len(fields) == 0 {
		maps.Copy(fields, s.Check(d.Values))
	}
	return d
}

func (o Option) layered(p Preset, overrides map[string]any) (any, worker.Origin) {
	if v, ok := overrides[o.Name]; ok {
		return v, worker.FromOverride
	}
	if v, ok := p.Values[o.Name]; ok {
		return v, FromPreset
	}
	if o.Source != "" {
		return o.Default, o.Source
	}
	return o.Default, worker.FromDefault
}

// Identity is the part of a description that results depend on. Results of another identity are stale.
func (r *Registry) Identity(d Description) map[string]any {
	id := map[string]any{"engine": d.Engine, "preset": d.Preset}
	g, _ := r.find(d.Axis, d.Engine)
	for _, o := range g.spec.Options {
		if !o.Neutral {
			id[o.Name] = d.Values[o.Name]
		}
	}
	return id
}

// wrongPreset says whose preset it is, if it is anybody's.
func (r *Registry) wrongPreset(s Spec, preset string) string {
	for _, g := range r.engines[s.Axis] {
		if _, ok := g.spec.preset(preset); ok {
			return fmt.Sprintf("%q is a preset of %s, not of %s, which has %s", preset, g.spec.Name, s.Name, list(s.presetNames()))
		}
	}
	return fmt.Sprintf("there is no preset %q; %s has %s", clip(preset), s.Name, list(s.presetNames()))
}

func (r *Registry) axisNames() []string {
	var names []string
	for _, a := range Axes {
		if len(r.engines[a]) > 0 {
			names = append(names, string(a))
		}
	}
	return names
}

func (r *Registry) engineNames(axis worker.Axis) []string {
	names := make([]string, len(r.engines[axis]))
	for i, g := range r.engines[axis] {
		names[i] = g.spec.Name
	}
	return names
}

func refuse(fields map[string]string) *worker.Error {
	reasons := make([]string, 0, len(fields))
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		reasons = append(reasons, name+": "+fields[name])
	}
	return &worker.Error{Kind: worker.Invalid, Msg: "This engine cannot be used so. " + strings.Join(reasons, ". ") + ".", Fields: fields}
}

func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

func clip(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}
