package views

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"scrinalia/worker"
)

// Setting is one line of a configuration: what it is, its value in force and where that comes from.
type Setting struct {
	Name    string
	Label   string
	Help    string
	Value   string
	Origin  worker.Origin
	Once    bool   // belongs to one run
	Meaning string // what an engine or a preset is
	Was     string // what it was in the run before, in a sentence; empty when that was the same
}

// Set says whether somebody set the value, against the code.
func (s Setting) Set() bool {
	return s.Origin == worker.FromOverride || s.Origin == worker.FromArgument
}

// Alias says whether the name that one types cannot be told from the label.
func (s Setting) Alias() bool {
	return !strings.EqualFold(strings.ReplaceAll(s.Label, " ", "_"), s.Name)
}

// OriginIcon is the shape of an origin.
func OriginIcon(o worker.Origin) string {
	switch o {
	case worker.FromOverride:
		return "o-set"
	case worker.FromArgument:
		return "o-once"
	case worker.FromRule:
		return "o-rule"
	default:
	}
	return "o-code"
}

// OriginWord names an origin.
func (f Frame) OriginWord(o worker.Origin) string { return f.Or("origin."+string(o), string(o)) }

// Settings lists a configuration line by line: engine, preset, what follows from them, batch size, options in declared order.
func (f Frame) Settings(c worker.Config, def worker.Definition) []Setting {
	var rows []Setting
	add := func(name string, v *worker.Value) {
		if v != nil {
			rows = append(rows, f.setting(name, *v, def))
		}
	}
	add("engine", c.Engine)
	add("preset", c.Preset)
	for i := range rows {
		rows[i].Meaning = f.meaning(def, c, rows[i].Name)
	}
	engine, _ := engineInForce(def, c)
	for _, name := range declaredFirst(engine.Options, c.Resolved) {
		row := f.setting(name, worker.Value{Value: c.Resolved[name], Origin: c.ResolvedOrigins[name]}, def)
		if o, ok := engineOption(def, c, name); ok {
			row.Help = f.EngineOptionHelp(text(c.Engine), o)
		}
		rows = append(rows, row)
	}
	add("batch_size", c.BatchSize)
	for _, name := range declaredFirst(def.Options, c.Options) {
		v := c.Options[name]
		add(name, &v)
	}
	return rows
}

// meaning says what the engine or the preset of a configuration is.
func (f Frame) meaning(def worker.Definition, c worker.Config, name string) string {
	e, ok := engineInForce(def, c)
	if !ok {
		return ""
	}
	if name == "engine" {
		return f.EngineLabel(def.Axis, e)
	}
	for _, p := range e.Presets {
		if p.Name == text(c.Preset) {
			return f.PresetLabel(p)
		}
	}
	return ""
}

// engineInForce is the engine of a configuration as it is declared; one that is gone is not.
func engineInForce(def worker.Definition, c worker.Config) (worker.EngineChoice, bool) {
	for _, e := range def.AxisEngines() {
		if e.Name == text(c.Engine) {
			return e, true
		}
	}
	return worker.EngineChoice{}, false
}

// declaredFirst are the names of the values, in the order in which their options are declared; those that are declared no more come last.
func declaredFirst[V any](options []worker.Option, values map[string]V) []string {
	var names []string
	for _, o := range options {
		if _, ok := values[o.Name]; ok {
			names = append(names, o.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func engineOption(def worker.Definition, c worker.Config, name string) (worker.Option, bool) {
	e, _ := engineInForce(def, c)
	for _, o := range e.Options {
		if o.Name == name {
			return o, true
		}
	}
	return worker.Option{}, false
}

// text is a value of a configuration as text; none is empty.
func text(v *worker.Value) string {
	if v == nil {
		return ""
	}
	s, _ := v.Value.(string)
	return s
}

func (f Frame) setting(name string, v worker.Value, def worker.Definition) Setting {
	o, _ := def.Option(name)
	return Setting{
		Name: name, Label: f.OptionLabel(name), Help: f.OptionHelp(def.Name, o),
		Value: f.chosen(o, v.Value), Origin: v.Origin, Once: o.RunOnly,
	}
}

// chosen writes a value of an option; of choices, as people read them.
func (f Frame) chosen(o worker.Option, v any) string {
	label := func(c any) any { return f.ChoiceLabel(o.Name, fmt.Sprint(c)) }
	switch v := v.(type) {
	case []string:
		return f.chosen(o, anyOf(v))
	case []any:
		labels := make([]any, len(v))
		for i := range v {
			labels[i] = label(v[i])
		}
		return f.Value(o.Name, labels)
	}
	return f.Value(o.Name, v)
}

func anyOf(list []string) []any {
	out := make([]any, len(list))
	for i := range list {
		out[i] = list[i]
	}
	return out
}

// OptionLabel is the name of an option as people read it.
func (f Frame) OptionLabel(name string) string {
	return f.Or("option."+name+".label", strings.ReplaceAll(name, "_", " "))
}

// OptionHelp says what an option does.
func (f Frame) OptionHelp(workerName string, o worker.Option) string {
	return f.Or("option."+workerName+"."+o.Name+".help", f.Or("option."+o.Name+".help", o.Help))
}

// Value writes a value of a configuration.
func (f Frame) Value(name string, v any) string {
	switch v := v.(type) {
	case nil:
		return f.T("value.none")
	case bool:
		if v {
			return f.T("value.yes")
		}
		return f.T("value.no")
	case string:
		if v == "" {
			return f.T("value.none")
		}
		return v
	case int64:
		return f.whole(name, v)
	case float64:
		if v == float64(int64(v)) {
			return f.whole(name, int64(v))
		}
		return f.Dec(v, decimalPlaces(v))
	case []string:
		return strings.Join(v, ", ")
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = fmt.Sprint(v[i])
		}
		return strings.Join(parts, ", ")
	}
	return fmt.Sprint(v)
}

func (f Frame) whole(name string, n int64) string {
	if name == "limit" && n == 0 {
		return f.T("value.nolimit")
	}
	return f.Num(n)
}

func decimalPlaces(v float64) int {
	_, after, _ := strings.Cut(fmt.Sprint(v), ".")
	return min(max(len(after), 2), 6)
}

// Accepts says which values an option takes.
func (f Frame) Accepts(o worker.Option) string {
	switch o.Type {
	case worker.Integer, worker.Number:
		key := "accepts." + string(o.Type)
		switch {
		case o.Min != nil && o.Max != nil:
			return f.T(key+".between", f.bound(*o.Min), f.bound(*o.Max))
		case o.Min != nil:
			return f.T(key+".min", f.bound(*o.Min))
		}
		return f.T(key)
	case worker.Boolean:
		return f.T("accepts.boolean")
	case worker.List:
		if o.Choices != nil {
			return f.T("accepts.list.choices", f.choices(o))
		}
		return f.T("accepts.list")
	case worker.Text:
		if o.Choices != nil {
			return f.T("accepts.text.choices", f.choices(o))
		}
	}
	return f.T("accepts.text")
}

// choices lists what may be typed, each with its meaning where the name does not say it.
func (f Frame) choices(o worker.Option) string {
	said := make([]string, len(o.Choices))
	for i, c := range o.Choices {
		said[i] = c
		if label := f.ChoiceLabel(o.Name, c); label != c {
			said[i] += " (" + label + ")"
		}
	}
	return strings.Join(said, ", ")
}

// ChoiceLabel is one of the values that an option takes, as people read it. A column has the name that it has elsewhere.
func (f Frame) ChoiceLabel(option, choice string) string {
	return f.Or("choice."+option+"."+choice, f.Or("field."+choice, choice))
}

// EngineLabel says what an engine is.
func (f Frame) EngineLabel(axis worker.Axis, c worker.EngineChoice) string {
	return f.Or("engine."+string(axis)+"."+c.Name+".label", c.Label)
}

// PresetLabel says what a preset is.
func (f Frame) PresetLabel(p worker.PresetName) string {
	return f.Or("preset."+p.Name+".label", p.Label)
}

// EngineOptionHelp says what an option of an engine does.
func (f Frame) EngineOptionHelp(engine string, o worker.Option) string {
	return f.Or("engine."+engine+"."+o.Name+".help", o.Help)
}

func (f Frame) bound(v float64) string {
	if v == float64(int64(v)) {
		return f.Num(int64(v))
	}
	return f.Dec(v, decimalPlaces(v))
}

// Refusals writes what is wrong with settings in the page's language. given is what was typed, by option.
func (f Frame) Refusals(def worker.Definition, given, fields map[string]string) map[string]string {
	out := make(map[string]string, len(fields))
	for name, said := range fields {
		out[name] = f.Refusal(def, name, said)
		o, ok := def.Option(name)
		if !ok {
			continue
		}
		if v, sent := given[name]; sent {
			if _, err := o.Parse(v); err != nil {
				out[name] = f.T("form.refused", cut(v, 80), f.Accepts(o))
			}
		}
	}
	return out
}

// Refusal writes in the page's language why a setting was refused or does not hold, as far as the declaration of the worker and its engines
// tells; what only the worker knows stays as it was said.
func (f Frame) Refusal(def worker.Definition, name, said string) string {
	if f.Lang == English {
		return said
	}
	choices := def.EngineChoices()
	o, known := declared(def, name)
	quoted, err := strconv.QuotedPrefix(said)
	switch {
	case name == "note":
		return f.T("refusal.note")
	case known && err == nil && strings.HasPrefix(said[len(quoted):], " is not accepted"):
		v, _ := strconv.Unquote(quoted)
		return f.T("form.refused", v, f.Accepts(o))
	case known && o.RunOnly && strings.HasSuffix(said, "is never stored"):
		return f.T("refusal.once", f.OptionLabel(name))
	case known:
		return f.Sentence(said)
	case name == "engine" || name == "preset":
		return f.engineRefusal(def, choices, name)
	case name == "options":
		return f.T("refusal.together")
	case strings.Contains(said, " has no option "):
		return f.T("refusal.unknown", name)
	}
	return f.Sentence(said)
}

func (f Frame) engineRefusal(def worker.Definition, choices []worker.EngineChoice, name string) string {
	var names []string
	for _, c := range choices {
		if name == "engine" {
			names = append(names, c.Name)
			continue
		}
		for _, p := range c.Presets {
			names = append(names, p.Name+" ("+c.Name+")")
		}
	}
	switch {
	case def.EngineSource == worker.EngineRule:
		return f.T("refusal.engine.rule")
	case len(names) == 0:
		return f.T("refusal.engine.none")
	}
	return f.T("refusal."+name, strings.Join(names, ", "))
}

// declared finds an option of the worker or of one of its engines.
func declared(def worker.Definition, name string) (worker.Option, bool) {
	if o, ok := def.Option(name); ok {
		return o, true
	}
	for _, c := range def.EngineChoices() {
		for _, o := range c.Options {
			if o.Name == name {
				return o, true
			}
		}
	}
	return worker.Option{}, false
}

func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}
