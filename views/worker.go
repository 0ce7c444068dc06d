package views

import (
	"net/url"
	"slices"

	"scrinalia/worker"
)

// WorkerPage is one worker: what it is, what waits, its configuration, a form to run it, what ran.
type WorkerPage struct {
	WorkerRow
	Runs     []worker.Run
	More     bool // there are older runs than these
	Form     RunForm
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

// Remark is the note beside the configuration, in the page's language as long as it is the one that the worker declares.
func (p WorkerPage) Remark() string {
	note := value(p.Note)
	if note != "" && note == p.Def.Note {
		return p.Or("worker."+p.Name+".note", note)
	}
	return note
}

// Rows are the settings in force, without those that belong to one run.
func (p WorkerPage) Rows() []Setting {
	return slices.DeleteFunc(p.Settings(p.Config, p.Def), func(s Setting) bool { return s.Once })
}

// Fields are the options that the form asks for beside units, limit and dry run.
func (p WorkerPage) Fields() []worker.Option {
	return slices.DeleteFunc(slices.Clone(p.Def.Options), func(o worker.Option) bool { return o.RunOnly })
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
		return p.Value(o.Name, v.Value)
	}
	return p.Value(o.Name, o.Default)
}

// FieldHelp is the line below an option's field.
func (p WorkerPage) FieldHelp(o worker.Option) string {
	return p.OptionHelp(p.Name, o) + " " + p.T("form.accepts", p.Accepts(o))
}

// RefusedFields lists the refused fields in the order of the form, for the summary above it.
func (p WorkerPage) RefusedFields() []string {
	var names []string
	for _, o := range p.Def.Options {
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
		if _, ok := p.Def.Option(name); !ok {
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
