package worker

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Origin says where a value in force comes from.
type Origin string

// The origins. An argument wins over an override, an override over the default; a rule wins where the engine is the rule's.
const (
	FromDefault  Origin = "default"
	FromOverride Origin = "override"
	FromArgument Origin = "argument"
	FromRule     Origin = "rule"
)

// Value is a value in force with its origin.
type Value struct {
	Value  any    `json:"value"`
	Origin Origin `json:"origin"`
}

// Config is the configuration of a run, as the panel shows it and as the work receives it.
type Config struct {
	Engine    *Value           `json:"engine"` // nil: the worker takes none
	Preset    *Value           `json:"preset"`
	BatchSize *Value           `json:"batch_size"` // nil: the worker does not batch
	Options   map[string]Value `json:"options"`
	Resolved  map[string]any   `json:"resolved"` // what the engine is built from: model, host, ...
	// ResolvedOrigins says where each resolved value comes from: the origins above, "preset" or "environment".
	ResolvedOrigins map[string]Origin `json:"resolved_origins,omitempty"`
	Rule            *RuleEngine       `json:"rule,omitempty"` // the rule that the engine comes from
}

// Settings is one layer of values: an override as stored, or the arguments of one run. A field left out follows the layer below.
type Settings struct {
	Engine    string         `json:"engine,omitempty"`
	Preset    string         `json:"preset,omitempty"`
	BatchSize any            `json:"batch_size,omitempty"`
	Options   map[string]any `json:"options,omitempty"`
}

// Empty says whether the layer sets nothing.
func (s Settings) Empty() bool {
	return s.Engine == "" && s.Preset == "" && s.BatchSize == nil && len(s.Options) == 0
}

// Resolution is the configuration with the work that is bound to exactly these values.
type Resolution struct {
	Config Config
	Task   Task
	Engine EngineDescription // zero when the worker takes none
	Common Common
	// Ignored holds what an override says that no longer fits: field -> why. What runs instead is in Config.
	Ignored map[string]string
	// Problem says why the engine that a rule asks for cannot be had; the task fails with it.
	Problem error
}

// Fingerprint identifies the values that make results comparable: engine, preset, resolved values and options, but not batch size,
// neutral options, nor what belongs to one run. Results of another fingerprint are stale.
func (r Resolution) Fingerprint(d Definition) []byte {
	key := map[string]any{"resolved": map[string]any{}}
	if d.engines != nil {
		key["resolved"] = d.engines.Identity(r.Engine)
	}
	for name, v := range r.Config.Options {
		if o, ok := d.Option(name); ok && !o.RunOnly && !o.Neutral {
			key["option:"+name] = v.Value
		}
	}
	raw, err := json.Marshal(key) // maps are encoded with sorted keys
	if err != nil {
		panic(fmt.Sprintf("worker: configuration of %s cannot be encoded: %v", d.Name, err))
	}
	sum := sha256.Sum256(raw)
	return sum[:]
}

const batchSize = "batch_size"

// Resolve merges the defaults, the stored override and the arguments of a run, field by field, and binds the work to the result.
// A wrong argument is refused as Invalid, with every field named; a wrong override is ignored and reported.
func Resolve(d Definition, override, arguments Settings) (Resolution, error) {
	return ResolveByRule(d, nil, override, arguments)
}

// ResolveByRule is Resolve for a worker whose engine comes from a rule, the active one; nil: there is none. A rule that asks for what there is
// not is no refusal, since nobody who starts a run could mend it: the resolution has a Problem.
func ResolveByRule(d Definition, rule *RuleEngine, override, arguments Settings) (Resolution, error) {
	values := map[string]Value{}
	for _, o := range d.Options {
		values[o.Name] = Value{normal(o, o.Default), FromDefault}
	}
	stored, ignored := layer(d, values, override, FromOverride)
	asked, wrong := layer(d, values, arguments, FromArgument)
	choice := resolveEngine(d, stored, asked, ignored, wrong)
	var problem error
	if d.EngineSource == EngineRule {
		choice, problem = ruleChoice(d, rule)
	}
	if len(wrong) > 0 {
		return Resolution{}, refusal(d, wrong)
	}
	task, common, err := bindTask(d, values, choice.description)
	if err != nil && !override.Empty() { // each value fits, but not all together: without the override they may
		r, err := ResolveByRule(d, rule, Settings{}, arguments)
		r.Ignored = map[string]string{"options": "the stored values do not fit together"}
		return r, err
	}
	if err != nil {
		return Resolution{}, err
	}
	cfg := Config{Options: map[string]Value{}, Resolved: map[string]any{}}
	for name, v := range values {
		if name == batchSize {
			cfg.BatchSize = &v
			continue
		}
		cfg.Options[name] = v
	}
	choice.show(&cfg)
	if problem != nil {
		task = func(context.Context, Env) error { return problem }
	}
	return Resolution{Config: cfg, Task: task, Common: common, Engine: choice.description, Ignored: ignored, Problem: problem}, nil
}

// maxOptions is far above what any worker takes; a refusal names each option, and must stay readable.
const maxOptions = 100

// layer puts one layer's values over those below. It returns what the layer says of the engine, and what does not fit, by field.
func layer(d Definition, values map[string]Value, s Settings, origin Origin) (engineLayer, map[string]string) {
	wrong := map[string]string{}
	e := engineLayer{engine: s.Engine, preset: s.Preset, options: map[string]any{}}
	if reason := engineRefusal(d); reason != "" {
		if s.Engine != "" {
			wrong["engine"] = reason
		}
		if s.Preset != "" {
			wrong["preset"] = reason
		}
		e = engineLayer{}
	}
	if len(s.Options) > maxOptions {
		wrong["options"] = fmt.Sprintf("%d options are not accepted; %s takes %s", len(s.Options), d.Name, strings.Join(append(optionNames(d), engineOptions(d)...), ", "))
		return e, wrong
	}
	options := maps.Clone(s.Options)
	if s.BatchSize != nil {
		if options == nil {
			options = map[string]any{}
		}
		options[batchSize] = s.BatchSize
	}
	for name, v := range options {
		o, ok := d.Option(name)
		switch {
		case !ok && slices.Contains(engineOptions(d), name):
			e.options[name] = v
			continue
		case !ok:
			wrong[clip(name)] = fmt.Sprintf("%s has no option %q; it takes %s", d.Name, clip(name), strings.Join(append(optionNames(d), engineOptions(d)...), ", "))
			continue
		case o.RunOnly && origin == FromOverride:
			wrong[name] = name + " belongs to one run and is never stored"
			continue
		}
		checked, err := check(o, v)
		if err != nil {
			wrong[name] = err.Error()
			continue
		}
		values[name] = Value{checked, origin}
	}
	return e, wrong
}

// check takes text where another type is meant, as flags and forms give it.
func check(o Option, v any) (any, error) {
	if s, ok := v.(string); ok && o.Type != Text {
		return o.Parse(s)
	}
	return o.Check(v)
}

func refusal(d Definition, wrong map[string]string) error {
	parts := make([]string, 0, len(wrong))
	for _, name := range slices.Sorted(maps.Keys(wrong)) {
		parts = append(parts, wrong[name])
	}
	return &Error{Kind: Invalid, Msg: fmt.Sprintf("The settings of %s were refused: %s.", d.Name, strings.Join(parts, "; ")), Fields: wrong}
}

func bindTask(d Definition, values map[string]Value, e EngineDescription) (Task, Common, error) {
	plain := make(map[string]any, len(values))
	for name, v := range values {
		plain[name] = v.Value
	}
	task, err := d.bind(plain, e)
	common := Common{}
	common.Limit, _ = plain["limit"].(int64)
	common.DryRun, _ = plain["dry_run"].(bool)
	common.Force, _ = plain["force"].(bool)
	return task, common, err
}

func normal(o Option, v any) any {
	checked, err := o.Check(v)
	if err != nil {
		panic("worker: the default of " + o.Name + " is not accepted by itself: " + err.Error())
	}
	return checked
}

func optionNames(d Definition) []string {
	names := make([]string, len(d.Options))
	for i, o := range d.Options {
		names[i] = o.Name
	}
	return names
}

// Bind binds a worker's work to a configuration that was resolved before, as it stands in the ledger.
func Bind(d Definition, c Config) (Task, Common, error) {
	arguments := Settings{Options: map[string]any{}}
	for name, v := range c.Options {
		arguments.Options[name] = v.Value
	}
	if c.BatchSize != nil {
		arguments.BatchSize = c.BatchSize.Value
	}
	if d.EngineSource == EngineRule {
		r, err := ResolveByRule(d, c.Rule.recorded(c.Resolved), Settings{}, arguments)
		return r.Task, r.Common, err
	}
	if c.Engine != nil { // the whole description is recorded, so that nothing of today's defaults gets in
		arguments.Engine, _ = c.Engine.Value.(string)
		if c.Preset != nil {
			arguments.Preset, _ = c.Preset.Value.(string)
		}
		maps.Copy(arguments.Options, c.Resolved)
	}
	r, err := Resolve(d, Settings{}, arguments)
	return r.Task, r.Common, err
}
