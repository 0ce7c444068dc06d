package views

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"scrinalia/worker"

	"github.com/a-h/templ"
)

// SettingsForm is the form in which the settings of a worker are changed: what is stored, or what was typed and not saved.
type SettingsForm struct {
	Version int64             // of the override that it started from
	Set     map[string]bool   // set here, against the code; what is not follows it
	Given   map[string]string // what stands in each field
	Note    string
	Refused map[string]string
	Message string // the refusal in a sentence, for what belongs to no field
}

// StoredForm is the form of what is stored.
func StoredForm(o worker.Override) SettingsForm {
	f := SettingsForm{Version: o.Version, Set: map[string]bool{}, Given: map[string]string{}}
	for _, d := range worker.SettingsDiffer(worker.Settings{}, o.Settings) {
		f.Set[d.Name], f.Given[d.Name] = true, Typed(d.Now)
	}
	return f
}

// Typed writes a value as one types it into a field.
func Typed(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case []string:
		return strings.Join(v, ",")
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = fmt.Sprint(v[i])
		}
		return strings.Join(parts, ",")
	}
	return fmt.Sprint(v)
}

// The names of a setting's two fields: whether it follows the code, and its value.
const (
	FromField  = "from."
	ValueField = "value."
)

// ShownField names the engine whose options the form shows.
const ShownField = "shown"

// SettingField is one line of the form: the value in force with its origin, and how another is asked for.
type SettingField struct {
	Setting

	Option  worker.Option
	Asked   bool   // people may set it
	Follow  string // its value when it follows the code
	On      bool   // set here
	Given   string // what stands in the field
	Refused string
	Same    bool // set to what the code says anyway
	InUse   bool // part of the configuration in force
	Bounds  string
}

// ID is the stem of the ids of the line's controls.
func (s SettingField) ID() string { return "set-" + s.Name }

// Ticked says whether a choice of a list is ticked.
func (s SettingField) Ticked(choice string) bool {
	return slices.Contains(strings.Split(s.Given, ","), choice)
}

// Short says whether a few characters are enough for the value.
func (s SettingField) Short() bool {
	return s.Option.Type == worker.Integer || s.Option.Type == worker.Number
}

// InputMode is the keyboard that a phone shows.
func (s SettingField) InputMode() string {
	switch s.Option.Type {
	case worker.Integer:
		return "numeric"
	case worker.Number:
		return "decimal"
	default:
	}
	return "text"
}

// Chosen is the engine that the form is about: the one that is set in it, else the code's.
func (p WorkerPage) Chosen() (worker.EngineChoice, bool) {
	engines := p.Engines()
	if len(engines) == 0 || p.Def.EngineSource != worker.EngineDefault {
		return worker.EngineChoice{}, false
	}
	if p.Edit.Set["engine"] {
		for _, e := range engines {
			if e.Name == p.Edit.Given["engine"] {
				return e, true
			}
		}
	}
	return engines[0], true
}

// SettingFields are the lines of the form: engine, preset, what follows from them, batch size, options in declared order.
func (p WorkerPage) SettingFields() []SettingField {
	rows := map[string]Setting{}
	var order []string
	for _, s := range p.Settings(p.Config, p.Def) {
		if !s.Once {
			rows[s.Name] = s
			order = append(order, s.Name)
		}
	}
	chosen, chooses := p.Chosen()
	preset := ""
	if p.Edit.Set["preset"] {
		preset = p.Edit.Given["preset"]
	}
	followed := p.Def.Followed(chosen.Name, preset)
	var fields []SettingField
	ask := func(o worker.Option, help, bounds string) {
		fields = append(fields, p.settingField(o, rows, followed, help, bounds))
		delete(rows, o.Name)
	}
	fixed := func(keep func(name string) bool) {
		for _, name := range order {
			if s, ok := rows[name]; ok && keep(name) {
				fields = append(fields, SettingField{Setting: s, InUse: true})
				delete(rows, name)
			}
		}
	}
	if chooses {
		ask(worker.Option{Name: "engine", Type: worker.Text}, p.T("settings.engine.help"), "")
		ask(worker.Option{Name: "preset", Type: worker.Text}, p.T("settings.preset.help"), "")
		for _, o := range chosen.Options {
			ask(o, p.EngineOptionHelp(chosen.Name, o), p.bounds(o))
		}
		for _, e := range p.Engines() { // of an engine that is in force, but not the one chosen in the form
			for _, o := range e.Options {
				delete(rows, o.Name)
			}
		}
	}
	fixed(func(name string) bool {
		_, resolved := p.Config.Resolved[name]
		return resolved || name == "engine" || name == "preset"
	})
	for _, o := range p.Def.Options {
		if !o.RunOnly {
			ask(o, p.OptionHelp(p.Name, o), p.bounds(o))
		}
	}
	fixed(func(string) bool { return true })
	return fields
}

func (p WorkerPage) settingField(o worker.Option, rows map[string]Setting, followed map[string]any, help, bounds string) SettingField {
	row, inUse := rows[o.Name]
	if !inUse {
		row = Setting{Name: o.Name, Label: p.OptionLabel(o.Name)}
	}
	row.Help = help
	f := SettingField{
		Setting: row, InUse: inUse, Option: o, Asked: !only(o) || p.Edit.Set[o.Name], Bounds: bounds, Follow: p.chosen(o, followed[o.Name]),
		On: p.Edit.Set[o.Name], Given: p.Edit.Given[o.Name], Refused: p.Edit.Refused[o.Name],
	}
	f.Same = f.On && f.Refused == "" && f.Given == Typed(followed[o.Name])
	return f
}

// only says whether the option takes one value, so that there is nothing to ask.
func only(o worker.Option) bool {
	return len(o.Choices) == 1 || o.Min != nil && o.Max != nil && *o.Min == *o.Max
}

// bounds says which values an option takes, where that is not seen from the field.
func (p WorkerPage) bounds(o worker.Option) string {
	if o.Type != worker.Integer && o.Type != worker.Number {
		return ""
	}
	return p.T("form.accepts", p.Accepts(o))
}

// RefusedSettings lists the refused fields in the order of the form, for the summary above it.
func (p WorkerPage) RefusedSettings() []SettingField {
	return slices.DeleteFunc(p.SettingFields(), func(s SettingField) bool { return s.Refused == "" || !s.Asked })
}

// OtherRefusedSettings are refusals of something that the form has no field for.
func (p WorkerPage) OtherRefusedSettings() []string {
	asked := []string{"note"}
	for _, s := range p.SettingFields() {
		if s.Asked {
			asked = append(asked, s.Name)
		}
	}
	var said []string
	for name, why := range p.Edit.Refused {
		if !slices.Contains(asked, name) {
			said = append(said, why)
		}
	}
	slices.Sort(said)
	return said
}

// SettingsLede says how many values are set here.
func (p WorkerPage) SettingsLede() string {
	set := int64(0)
	for _, s := range p.Settings(p.Config, p.Def) {
		if s.Origin == worker.FromOverride {
			set++
		}
	}
	if set == 0 {
		return p.T("settings.lede.none")
	}
	return p.N("settings.lede", set)
}

// OncePerRun names what belongs to one run and is never stored.
func (p WorkerPage) OncePerRun() string {
	var names []string
	for _, o := range p.Def.Options {
		if o.RunOnly {
			names = append(names, p.OptionLabel(o.Name))
		}
	}
	return strings.Join(names, ", ")
}

// Asks says whether there is anything that people may set.
func (p WorkerPage) Asks() bool {
	return slices.ContainsFunc(p.SettingFields(), func(s SettingField) bool { return s.Asked })
}

// SetWord writes a value of a setting as the history does; one that is not set follows the code.
func (f Frame) SetWord(def worker.Definition, name string, v any) string {
	if v == nil {
		return f.T("history.code")
	}
	o, _ := declared(def, name)
	o.Name = name
	return f.chosen(o, v)
}

// ConflictPage shows both versions of settings that two people changed at once.
type ConflictPage struct {
	WorkerRow
	Seen    int64
	Base    worker.Settings // what the editor started from
	Mine    worker.Settings // what the editor wants
	Current worker.Revision // what somebody else saved meanwhile
	Note    string
}

// ConflictLine is a setting that one of both changed.
type ConflictLine struct {
	Label, Base, Theirs, Mine string
	ByThem, ByMe              bool
}

// Clash says whether both changed it, to different values.
func (l ConflictLine) Clash() bool { return l.ByMe && l.ByThem && l.Mine != l.Theirs }

// Lines are the settings that one of both changed.
func (p ConflictPage) Lines() []ConflictLine {
	var lines []ConflictLine
	add := func(name string) {
		base, _ := p.Base.Field(name)
		theirs, _ := p.Current.After.Field(name)
		mine, _ := p.Mine.Field(name)
		l := ConflictLine{
			Label: p.OptionLabel(name), Base: p.SetWord(p.Def, name, base), Theirs: p.SetWord(p.Def, name, theirs), Mine: p.SetWord(p.Def, name, mine),
		}
		l.ByThem, l.ByMe = differs(p.Base, p.Current.After, name), differs(p.Base, p.Mine, name)
		lines = append(lines, l)
	}
	seen := map[string]bool{}
	for _, d := range slices.Concat(worker.SettingsDiffer(p.Base, p.Mine), worker.SettingsDiffer(p.Base, p.Current.After)) {
		if !seen[d.Name] {
			add(d.Name)
		}
		seen[d.Name] = true
	}
	return lines
}

func differs(a, b worker.Settings, name string) bool {
	return slices.ContainsFunc(worker.SettingsDiffer(a, b), func(d worker.Difference) bool { return d.Name == name })
}

// OnTop are the fields of the form that puts the editor's changes on top of what is in force.
func (p ConflictPage) OnTop() [][2]string {
	merged := worker.MergeSettings(p.Base, p.Mine, p.Current.After)
	var fields [][2]string
	for _, d := range worker.SettingsDiffer(worker.Settings{}, merged) {
		fields = append(fields, [2]string{FromField + d.Name, "set"}, [2]string{ValueField + d.Name, Typed(d.Now)})
	}
	return fields
}

// HistoryPage is a page of the changes to a worker's settings.
type HistoryPage struct {
	WorkerRow
	Filter  worker.RevisionFilter
	Rows    []worker.Revision
	Older   int64
	Current int64    // the version in force
	Editors []string // who made changes
}

// Fields are the settings that the filter offers.
func (p HistoryPage) Fields() []string {
	var names []string
	if len(p.Def.EngineChoices()) > 0 && p.Def.EngineSource == worker.EngineDefault {
		names = append(names, "engine", "preset")
	}
	add := func(options []worker.Option) {
		for _, o := range options {
			if !o.RunOnly && !slices.Contains(names, o.Name) {
				names = append(names, o.Name)
			}
		}
	}
	for _, e := range p.Def.EngineChoices() {
		add(e.Options)
	}
	add(p.Def.Options)
	if f := p.Filter.Field; f != "" && !slices.Contains(names, f) {
		names = append(names, f)
	}
	return names
}

// People are those that the filter offers.
func (p HistoryPage) People() []string {
	if by := p.Filter.By; by != "" && !slices.Contains(p.Editors, by) {
		return append(slices.Clone(p.Editors), by)
	}
	return p.Editors
}

// Filtered says whether some revisions are left out.
func (p HistoryPage) Filtered() bool { return p.Filter.Field != "" || p.Filter.By != "" }

// ToOlder is the filter of the next page.
func (p HistoryPage) ToOlder() worker.RevisionFilter {
	f := p.Filter
	f.Before = p.Older
	return f
}

// ToNewest is the filter of the first page.
func (p HistoryPage) ToNewest() worker.RevisionFilter {
	f := p.Filter
	f.Before = 0
	return f
}

// Editor names who made a revision, as the pages name those who ask for runs.
func (f Frame) Editor(r worker.Revision) string { return f.Asker(r.By) }

// ChangeWord writes a changed value of a revision.
func (p HistoryPage) ChangeWord(name string, v any) string { return p.SetWord(p.Def, name, v) }

// IsChosen says whether the form is about this engine.
func (p WorkerPage) IsChosen(e worker.EngineChoice) bool {
	chosen, ok := p.Chosen()
	return ok && chosen.Name == e.Name
}

// Offers says whether the list of a setting has what stands in its field.
func (p WorkerPage) Offers(s SettingField) bool {
	switch {
	case s.Name == "engine":
		return slices.ContainsFunc(p.Engines(), func(e worker.EngineChoice) bool { return e.Name == s.Given })
	case s.Name == "preset":
		return slices.ContainsFunc(p.Engines(), func(e worker.EngineChoice) bool {
			return slices.ContainsFunc(e.Presets, func(preset worker.PresetName) bool { return preset.Name == s.Given })
		})
	case s.Option.Type == worker.Boolean:
		return s.Given == "true" || s.Given == "false"
	}
	return slices.Contains(s.Option.Choices, s.Given)
}

// control are the attributes of a setting's value: what describes it, and whether it was refused.
func (p WorkerPage) control(s SettingField) templ.Attributes {
	a := invalid(s.ID(), s.Refused)
	a["aria-labelledby"] = s.ID() + "-l"
	return a
}

// follows shows the form again when the engine or the preset changes, since the lines below depend on them.
func (p WorkerPage) follows(s SettingField) templ.Attributes {
	if s.Name != "engine" && s.Name != "preset" {
		return nil
	}
	return templ.Attributes{"hx-post": DraftPath(p.Name), "hx-target": "#settings", "hx-swap": "outerHTML"}
}

// NotAppliedNames lists the settings that are stored and do not hold.
func (p WorkerPage) NotAppliedNames() []string { return slices.Sorted(maps.Keys(p.NotApplied)) }

// RunsInstead says what runs in place of a setting that does not hold.
func (p WorkerPage) RunsInstead(name string) string {
	for _, s := range p.Settings(p.Config, p.Def) {
		if s.Name == name && s.Value != "" {
			return p.T("settings.instead", s.Value)
		}
	}
	return ""
}
