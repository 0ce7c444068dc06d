package views

import (
	"net/url"
	"slices"
	"strings"

	"scrinalia/worker"
)

// WorkerPage is one worker: what it is, what waits, its configuration, a form to run it, what ran.
type WorkerPage struct {
	WorkerRow
	Runs     []worker.Run
	More     bool // there are older runs than these
	Form     RunForm
	Edit     SettingsForm
	Saved    *int64            // the revision that was just saved; 0: there was nothing to change
	History  HistoryPage       // the newest changes of the settings
	SetAside []worker.SetAside // units that wait to be released
	Previous *Neighbour
	Next     *Neighbour
}

// Neighbour is a worker beside this one in the order.
type Neighbour struct {
	Order int
	Name  string
	Label string
}

// RunForm is what was typed into the form of a run, and what of it was refused.
type RunForm struct {
	Given   map[string]string
	Refused map[string]string
	Message string // the refusal in a sentence, for what belongs to no field
}

// Polls says whether the page has something to wait for.
func (p WorkerPage) Polls() bool { return p.ActiveRun != nil }

// Summary is what is announced when it changes.
func (p WorkerPage) Summary() string {
	if p.ActiveRun == nil {
		return p.T("worker.idle", p.Title())
	}
	return p.Title() + ": " + p.Outcome(*p.ActiveRun).Word
}

// Describe says what the worker does.
func (p WorkerPage) Describe() string { return p.Or("worker."+p.Name+".description", p.Description) }

// Reads says what the worker reads.
func (p WorkerPage) Reads() string { return p.Or("worker."+p.Name+".reads", p.Def.Reads) }

// Writes says what the worker writes.
func (p WorkerPage) Writes() string { return p.Or("worker."+p.Name+".writes", p.Def.Writes) }

// Stamp says where the worker's stamps go.
func (p WorkerPage) Stamp() string { return p.Or("worker."+p.Name+".stamp", p.Def.Stamp) }

// Remark is the note beside the configuration: which rule gives the engine, or the note of the worker, in the page's language as long as it is
// the one that the worker declares.
func (p WorkerPage) Remark() string {
	note := value(p.Note)
	switch rule := p.Config.Rule; {
	case p.RuleBroken && rule != nil:
		return p.T("rule.broken", rule.Name, strings.TrimSpace(rule.Engine+" "+rule.Preset))
	case note == "" && rule != nil:
		return p.T("rule.active", rule.Name)
	}
	if note != "" && note == p.Def.Note {
		return p.Or("worker."+p.Name+".note", note)
	}
	return note
}

// StaleLine says with what else some stale units were processed.
func (p WorkerPage) StaleLine(g worker.StaleGroup) string {
	said := make([]string, len(g.Differences))
	for i, d := range g.Differences {
		said[i] = p.T("stale.difference", p.OptionLabel(d.Name), p.chosen(worker.Option{Name: d.Name}, d.Was), p.chosen(worker.Option{Name: d.Name}, d.Now))
	}
	if len(said) == 0 {
		return p.T("stale.unknown", p.Num(g.Units))
	}
	return p.T("stale.group", p.Num(g.Units), strings.Join(said, "; "))
}

// Fields are the options that the form asks for beside units, limit and dry run.
func (p WorkerPage) Fields() []worker.Option {
	return slices.DeleteFunc(slices.Clone(p.Def.Options), func(o worker.Option) bool { return o.RunOnly })
}

// EngineField is the name of the field that asks for engine and preset at once, so that a preset cannot meet an engine that is not its own.
const EngineField = "engine_preset"

// EngineChoice is the value of that field.
func EngineChoice(engine, preset string) string { return engine + "/" + preset }

// Engines are the engines that the form offers: those of the worker's axis.
func (p WorkerPage) Engines() []worker.EngineChoice { return p.Def.EngineChoices() }

// EngineInForce names the engine and preset that the run takes when nothing else is chosen.
func (p WorkerPage) EngineInForce() string { return p.EngineLine(p.Config) }

// EngineFields are the options of the axis's engines, each once. Where one engine takes any text and another a few, any is asked for.
func (p WorkerPage) EngineFields() []worker.Option {
	var fields []worker.Option
	for _, e := range p.Def.EngineChoices() {
		for _, o := range e.Options {
			o.Help = p.EngineOptionHelp(e.Name, o)
			i := slices.IndexFunc(fields, func(f worker.Option) bool { return f.Name == o.Name })
			switch {
			case i < 0:
				fields = append(fields, o)
			case len(o.Choices) == 0:
				fields[i] = o
			}
		}
	}
	return fields
}

// RefusedEngine is what is wrong with the engine or the preset.
func (p WorkerPage) RefusedEngine() string {
	if len(p.Engines()) == 0 {
		return ""
	}
	if said := p.Form.Refused["engine"]; said != "" {
		return said
	}
	return p.Form.Refused["preset"]
}

// RefusedOfEngine says whether anything about the engine was refused.
func (p WorkerPage) RefusedOfEngine() bool {
	return p.RefusedEngine() != "" || slices.ContainsFunc(p.EngineFields(), func(o worker.Option) bool { return p.Form.Refused[o.Name] != "" })
}

// Ticked says whether a choice of a list was ticked.
func (p WorkerPage) Ticked(o worker.Option, choice string) bool {
	return slices.Contains(strings.Split(p.Form.Given[o.Name], ","), choice)
}

// FieldName is the name of an option's field in the form.
func FieldName(o worker.Option) string {
	if o.Name == "batch_size" {
		return o.Name
	}
	return "option." + o.Name
}

// InForce writes the value that the run takes when the field is left as it is.
func (p WorkerPage) InForce(o worker.Option) string {
	if o.Name == "batch_size" && p.Config.BatchSize != nil {
		return p.Value(o.Name, p.Config.BatchSize.Value)
	}
	if v, ok := p.Config.Options[o.Name]; ok {
		return p.chosen(o, v.Value)
	}
	if v, ok := p.Config.Resolved[o.Name]; ok {
		return p.Value(o.Name, v)
	}
	return p.Value(o.Name, o.Default)
}

// FieldHelp is the line below an option's field.
func (p WorkerPage) FieldHelp(o worker.Option) string {
	help := o.Help // of an engine, in the page's language already
	if _, own := p.Def.Option(o.Name); own {
		help = p.OptionHelp(p.Name, o)
	}
	return strings.TrimSpace(help + " " + p.T("form.accepts", p.Accepts(o)) + " " + p.inForceFrom(o))
}

// inForceFrom says which value the run starts from, and where that comes from; nothing of an option that is not in use.
func (p WorkerPage) inForceFrom(o worker.Option) string {
	origin, used := p.Config.ResolvedOrigins[o.Name]
	if v, ok := p.Config.Options[o.Name]; ok {
		origin, used = v.Origin, true
	}
	if o.Name == "batch_size" && p.Config.BatchSize != nil {
		origin, used = p.Config.BatchSize.Origin, true
	}
	if !used {
		return ""
	}
	return p.T("form.inforce", p.InForce(o), p.OriginWord(origin))
}

// RefusedFields lists the refused fields in the order of the form, for the summary above it.
func (p WorkerPage) RefusedFields() []string {
	var names []string
	if p.RefusedEngine() != "" {
		names = append(names, "engine")
	}
	for _, o := range slices.Concat(p.EngineFields(), p.Def.Options) {
		if p.Form.Refused[o.Name] != "" {
			names = append(names, o.Name)
		}
	}
	return names
}

// OtherRefusals are refusals of something that the form has no field for.
func (p WorkerPage) OtherRefusals() []string {
	var said []string
	for name, why := range p.Form.Refused {
		if _, ok := declared(p.Def, name); !ok && (name != "engine" && name != "preset" || len(p.Engines()) == 0) {
			said = append(said, why)
		}
	}
	slices.Sort(said)
	return said
}

// ForcePage asks before every unit is read again.
type ForcePage struct {
	WorkerRow
	Values url.Values // what the form asked for, sent again with the confirmation
}

// HiddenValues are the fields that the confirmation repeats.
func (p ForcePage) HiddenValues() [][2]string {
	var out [][2]string
	names := make([]string, 0, len(p.Values))
	for name := range p.Values {
		if name != "confirm" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		for _, v := range p.Values[name] {
			out = append(out, [2]string{name, v})
		}
	}
	return out
}

// Dry says whether the forced run is to write nothing.
func (p ForcePage) Dry() bool { return p.Values.Get("dry_run") != "" }

// Asked is the number of units that the run would read, in words.
func (p ForcePage) Asked() string {
	if n, ok := p.Everything(); ok {
		return p.Units(n)
	}
	return p.T("force.unknown")
}
