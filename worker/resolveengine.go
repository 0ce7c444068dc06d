package worker

import (
	"errors"
	"maps"
	"slices"
)

// engineLayer is what one layer of settings says of the engine.
type engineLayer struct {
	engine, preset string
	options        map[string]any
}

func (l engineLayer) empty() bool { return l.engine == "" && l.preset == "" && len(l.options) == 0 }

// engineChoice is an engine as the layers chose it; nothing in it for a worker without.
type engineChoice struct {
	description    EngineDescription
	engine, preset Origin
	rule           *RuleEngine
}

// resolveEngine lays the arguments over the stored choice over the defaults. A preset belongs to an engine, and values to both: an
// argument that names another engine leaves everything of the stored one out, one that names another preset leaves out the
// values that presets set. What does not fit goes into ignored (stored) or wrong (asked), by field.
func resolveEngine(d Definition, stored, asked engineLayer, ignored, wrong map[string]string) engineChoice {
	if d.engines == nil || d.EngineSource != EngineDefault {
		return engineChoice{}
	}
	below, err := d.engines.Describe(d.Axis, stored.engine, stored.preset, stored.options)
	if err != nil && !stored.empty() {
		addFields(ignored, err)
		stored = engineLayer{}
		below, err = d.engines.Describe(d.Axis, "", "", nil)
	}
	switch {
	case asked.engine != "" && asked.engine != below.Engine:
		stored = engineLayer{}
	case asked.preset != "" && asked.preset != below.Preset:
		stored.preset, stored.options = "", withoutPresetValues(d, below.Engine, stored.options)
	}
	c := engineChoice{description: below, engine: FromDefault, preset: FromDefault}
	if stored.engine != "" {
		c.engine = FromOverride
	}
	if stored.preset != "" {
		c.preset = FromOverride
	}
	if asked.engine != "" {
		c.engine, stored.engine = FromArgument, asked.engine
	}
	if asked.preset != "" {
		c.preset, stored.preset = FromArgument, asked.preset
	}
	values := maps.Clone(stored.options)
	if values == nil {
		values = map[string]any{}
	}
	maps.Copy(values, asked.options)
	if !asked.empty() {
		c.description, err = d.engines.Describe(d.Axis, stored.engine, stored.preset, values)
	}
	if err != nil {
		addFields(wrong, err)
		return c
	}
	for name := range asked.options {
		c.description.Origins[name] = FromArgument
	}
	return c
}

// show puts the choice into the configuration that people see.
func (c engineChoice) show(cfg *Config) {
	cfg.Rule = c.rule
	if c.description.Engine != "" {
		cfg.Engine = &Value{c.description.Engine, c.engine}
	}
	if c.description.Preset != "" {
		cfg.Preset = &Value{c.description.Preset, c.preset}
	}
	if c.description.Values != nil {
		cfg.Resolved, cfg.ResolvedOrigins = c.description.Values, c.description.Origins
	}
}

func withoutPresetValues(d Definition, engine string, options map[string]any) map[string]any {
	kept := maps.Clone(options)
	for _, e := range d.EngineChoices() {
		if e.Name != engine {
			continue
		}
		for _, p := range e.Presets {
			for name := range p.Values {
				delete(kept, name)
			}
		}
	}
	return kept
}

// engineOptions lists the options of every engine of the worker's axis, each once.
func engineOptions(d Definition) []string {
	var names []string
	if engineRefusal(d) != "" {
		return nil
	}
	for _, c := range d.EngineChoices() {
		for _, o := range c.Options {
			if !slices.Contains(names, o.Name) {
				names = append(names, o.Name)
			}
		}
	}
	return names
}

// engineRefusal says why nobody chooses the worker's engine; it is empty when people do.
func engineRefusal(d Definition) string {
	switch {
	case d.EngineSource == EngineRule:
		return d.Name + " takes its engine from the active LLM_CHECK rule; change the rule"
	case d.EngineSource == EngineDefault && d.engines != nil:
		return ""
	}
	return d.Name + " takes no engine"
}

func addFields(into map[string]string, err error) {
	if e, ok := errors.AsType[*Error](err); ok && len(e.Fields) > 0 {
		maps.Copy(into, e.Fields)
		return
	}
	into["engine"] = err.Error()
}
