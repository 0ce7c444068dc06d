package views

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"scrinalia/worker"
)

// Setting is one line of a configuration: what it is, its value in force and where that comes from.
type Setting struct {
	Name   string
	Label  string
	Help   string
	Value  string
	Origin worker.Origin
	By     string // for a value that follows from another one: that other one
	Once   bool   // belongs to one run
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
	case worker.FromDefault:
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
	for _, name := range slices.Sorted(maps.Keys(c.Resolved)) {
		row := f.setting(name, worker.Value{Value: c.Resolved[name], Origin: worker.FromDefault}, def)
		row.By = f.T("origin.follows")
		if c.Preset != nil {
			row.Origin = c.Preset.Origin
		}
		rows = append(rows, row)
	}
	add("batch_size", c.BatchSize)
	for _, name := range f.optionOrder(c, def) {
		v := c.Options[name]
		add(name, &v)
	}
	return rows
}

func (f Frame) optionOrder(c worker.Config, def worker.Definition) []string {
	var names []string
	for _, o := range def.Options {
		if _, ok := c.Options[o.Name]; ok {
			names = append(names, o.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Options)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func (f Frame) setting(name string, v worker.Value, def worker.Definition) Setting {
	o, _ := def.Option(name)
	return Setting{
		Name: name, Label: f.OptionLabel(name), Help: f.OptionHelp(def.Name, o),
		Value: f.Value(name, v.Value), Origin: v.Origin, Once: o.RunOnly,
	}
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
			return f.T("accepts.list.choices", strings.Join(o.Choices, ", "))
		}
		return f.T("accepts.list")
	case worker.Text:
		if o.Choices != nil {
			return f.T("accepts.text.choices", strings.Join(o.Choices, ", "))
		}
	}
	return f.T("accepts.text")
}

func (f Frame) bound(v float64) string {
	if v == float64(int64(v)) {
		return f.Num(int64(v))
	}
	return f.Dec(v, decimalPlaces(v))
}

// Refusals writes what is wrong with settings in the page's language where the declaration tells, else as the worker said it.
func (f Frame) Refusals(def worker.Definition, given, fields map[string]string) map[string]string {
	out := make(map[string]string, len(fields))
	for name, said := range fields {
		out[name] = said
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

func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}
