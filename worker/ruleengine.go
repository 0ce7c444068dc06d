package worker

import "fmt"

// RuleEngine is the active rule that a worker's engine comes from, and what it asks for. An engine or preset left empty is the default one.
type RuleEngine struct {
	ID     int32  `json:"id"`
	Name   string `json:"name"`
	Engine string `json:"engine,omitempty"`
	Preset string `json:"preset,omitempty"`

	values map[string]any // of a run that is on record: what its engine was to be built from
}

// recorded is the rule with the values that a run was resolved to, so that nothing of today's defaults gets in.
func (r *RuleEngine) recorded(values map[string]any) *RuleEngine {
	if r == nil {
		return nil
	}
	c := *r
	c.values = values
	return &c
}

// ruleChoice is the engine that a rule asks for, none without a rule. With an error it shows what was asked for.
func ruleChoice(d Definition, rule *RuleEngine) (engineChoice, error) {
	if rule == nil || d.engines == nil {
		return engineChoice{}, nil
	}
	c := engineChoice{engine: FromDefault, preset: FromDefault, rule: rule}
	if rule.Engine != "" {
		c.engine = FromRule
	}
	if rule.Preset != "" {
		c.preset = FromRule
	}
	var err error
	if c.description, err = d.engines.Describe(d.Axis, rule.Engine, rule.Preset, rule.values); err != nil {
		c.description = EngineDescription{Axis: d.Axis, Engine: rule.Engine, Preset: rule.Preset, Values: rule.values}
		return c, Errorf(Invalid, "The LLM_CHECK rule %q asks for an engine that cannot be had; change the rule. %w", clip(rule.Name), err)
	}
	return c, nil
}

// CheckRule says whether the engine that a run was resolved to is still the one that the active rule asks for. The rule may have been changed
// while the run waited in the queue: what it found would be taken for the work of another engine.
func CheckRule(engines Engines, axis Axis, rule *RuleEngine, resolved EngineDescription) error {
	var now EngineDescription
	if rule != nil {
		var err error
		if now, err = engines.Describe(axis, rule.Engine, rule.Preset, nil); err != nil {
			return fmt.Errorf("describe the engine of rule %q: %w", rule.Name, err)
		}
	}
	if now.Engine != resolved.Engine || now.Preset != resolved.Preset {
		return Errorf(Invalid, "The LLM_CHECK rule was changed after this run was asked for; start it again.")
	}
	return nil
}
