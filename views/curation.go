package views

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"scrinalia/curation"
	"scrinalia/worker"
)

// CurationPath is the address of a list.
func CurationPath(l curation.List) string {
	if l == curation.Rules {
		return "/rules"
	}
	return "/vocabulary/" + url.PathEscape(string(l))
}

// NewEntryPath is the form for a new entry; kind is that of a rule, or empty.
func NewEntryPath(l curation.List, kind string) string {
	if kind == "" {
		return CurationPath(l) + "/new"
	}
	return CurationPath(l) + "/new?" + url.Values{"kind": {kind}}.Encode()
}

// EntryPath is the form of an entry, with its history.
func EntryPath(l curation.List, id int32) string { return CurationPath(l) + "/" + itoa(int64(id)) }

// EntrySavedPath is the form of an entry after it was saved; revision is what it became, 0 when nothing changed.
func EntrySavedPath(l curation.List, id int32, revision int64) string {
	return EntryPath(l, id) + "?saved=" + itoa(revision)
}

// RetirePath asks before an entry is retired, and retires it.
func RetirePath(l curation.List, id int32) string { return EntryPath(l, id) + "/retire" }

// ReactivatePath asks before an entry is brought back, and brings it back.
func ReactivatePath(l curation.List, id int32) string { return EntryPath(l, id) + "/reactivate" }

// MovePath is where a rule is moved.
func MovePath(id int32) string { return EntryPath(curation.Rules, id) + "/move" }

// EntryHistoryPath is a page of the changes of a list, or of one entry.
func EntryHistoryPath(f curation.Filter) string {
	path := CurationPath(f.List) + "/revisions"
	if f.EntryID != 0 {
		path = EntryPath(f.List, f.EntryID) + "/revisions"
	}
	if f.Before > 0 {
		path += "?before=" + itoa(f.Before)
	}
	return path
}

// EntryRestorePath is where a revision is restored.
func EntryRestorePath(l curation.List, id int32, revision int64) string {
	return EntryPath(l, id) + "/revisions/" + itoa(revision) + "/restore"
}

// ListWord is the name of a list.
func (f Frame) ListWord(l curation.List) string { return f.T("curation.list." + string(l)) }

// CurationField is the label of a field.
func (f Frame) CurationField(l curation.List, name string) string {
	return f.Or("curation.field."+string(l)+"."+name, f.T("curation.field."+name))
}

// CurationHelp says what a field is for.
func (f Frame) CurationHelp(l curation.List, name string) string {
	return f.Or("curation.help."+string(l)+"."+name, f.Or("curation.help."+name, ""))
}

// CurationChoice is a choice of a field in words.
func (f Frame) CurationChoice(l curation.List, name, v string) string {
	switch name {
	case "target_column":
		return f.FieldLabel(strings.TrimPrefix(v, "original_"))
	case "kind", "scope":
		return f.Or("curation.choice."+string(l)+"."+v, f.Or("curation.choice."+v, v))
	}
	return v
}

// CurationValue is the value of a field in words.
func (f Frame) CurationValue(l curation.List, name string, v any) string {
	switch v := v.(type) {
	case nil:
		return f.T("curation.nothing")
	case bool:
		if name == curation.ActiveField {
			return f.ActiveWord(v)
		}
		if v {
			return f.T("value.yes")
		}
		return f.T("value.no")
	case int64:
		return f.Num(v)
	case string:
		if v == "" {
			return f.T("curation.nothing")
		}
		if fd, ok := l.Field(name); ok && fd.Type == curation.Choice {
			return f.CurationChoice(l, name, v)
		}
		return v
	}
	return fmt.Sprint(v)
}

// ActiveWord says whether an entry is in use.
func (f Frame) ActiveWord(active bool) string {
	if active {
		return f.T("curation.active")
	}
	return f.T("curation.retired")
}

// ChangeLabel is the label of what a revision changed.
func (f Frame) ChangeLabel(l curation.List, name string) string {
	if name == curation.ActiveField {
		return f.T("curation.state")
	}
	return f.CurationField(l, name)
}

// CurationEditor is who made a change.
func (f Frame) CurationEditor(r curation.Revision) string { return f.Asker(r.By) }

// EffectText says what a change does to a queue. unit is what the worker processes.
func (f Frame) EffectText(e curation.Effect, unit worker.Unit) string {
	n, word := e.After-e.Before, f.WorkerLabel(e.Worker, "")
	of := "description"
	if unit == worker.Tag {
		of = "tag"
	}
	if n > 0 {
		return f.N("curation.more."+of, n, word)
	}
	return f.N("curation.fewer."+of, -n, word)
}

// CurationPage is the page of a list.
type CurationPage struct {
	Frame

	List    curation.List
	Entries []curation.Entry
	Weights map[int32]int64
	Matches map[int32]curation.Preview // of rules
}

// Sections are the parts of the page: of rules the kinds, else one.
func (p CurationPage) Sections() []string {
	if p.List == curation.Rules {
		return curation.Kinds
	}
	return []string{""}
}

// Of lists the entries of a part.
func (p CurationPage) Of(kind string) []curation.Entry {
	if kind == "" {
		return p.Entries
	}
	return slices.DeleteFunc(slices.Clone(p.Entries), func(e curation.Entry) bool { return e.Values["kind"] != kind })
}

// Details are the fields of an entry beside its name, as far as they say something.
func (p CurationPage) Details() []curation.Field { return p.List.Fields()[1:] }

// Weight is how many descriptions an entry bears on.
func (p CurationPage) Weight(e curation.Entry) string { return p.Num(p.Weights[e.ID]) }

// MatchLine says how many texts a rule matches, and of how many when not all were looked at.
func (p CurationPage) MatchLine(e curation.Entry) string {
	m, ok := p.Matches[e.ID]
	switch {
	case !ok:
		return p.T("curation.unknown")
	case m.Sampled():
		return p.T("curation.matches.sample", p.Num(m.Matches), p.Num(m.Looked))
	}
	return p.Num(m.Matches)
}

// Count says how many entries are in use and how many are retired.
func (p CurationPage) Count() string {
	used := int64(0)
	for _, e := range p.Entries {
		if e.Active {
			used++
		}
	}
	return p.T("curation.count", p.N("curation.used", used), p.N("curation.gone", int64(len(p.Entries))-used))
}

// EntryPage is the form of an entry, with its history.
type EntryPage struct {
	Frame

	List      curation.List
	Entry     curation.Entry // of a new one the fields' defaults, and ID 0
	Weight    int64
	Given     map[string]string // what was typed; nil for what is stored
	Note      string
	Refused   map[string]string
	Message   string
	Changed   *curation.ChangedError // when somebody else saved meanwhile
	Looked    bool                   // the effect and the preview are there
	Effects   []curation.Effect
	Units     map[string]worker.Unit // of the workers
	Preview   *curation.Preview
	Revisions []curation.Revision
	Older     int64
	Saved     int64 // the revision that was just saved, 0 for none, -1 when nothing changed
	Engines   []worker.EngineChoice
	Worker    string // the worker that the entry is for, to go back to
}

// IsNew says whether the entry is yet to be added.
func (p EntryPage) IsNew() bool { return p.Entry.ID == 0 }

// Heading is the title of the page.
func (p EntryPage) Heading() string {
	if p.IsNew() {
		return p.T("curation.new", p.Kind())
	}
	return p.Entry.Name()
}

// Action is where the form is sent.
func (p EntryPage) Action() string {
	if p.IsNew() {
		return CurationPath(p.List)
	}
	return EntryPath(p.List, p.Entry.ID)
}

// Value is what stands in a field: what was typed, else what is stored.
func (p EntryPage) Value(name string) string {
	if v, ok := p.Given[name]; ok {
		return v
	}
	switch v := p.Entry.Values[name].(type) {
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return itoa(v)
	}
	return ""
}

// Asked are the fields that the form asks for: of a rule those that its kind has, which stands in its heading.
func (p EntryPage) Asked() []curation.Field {
	if p.List != curation.Rules {
		return p.List.Fields()
	}
	without := map[string][]string{
		curation.Rewrite:  {"kind", "engine", "preset"},
		curation.Validate: {"kind", "replacement", "engine", "preset"},
		curation.LLMCheck: {"kind", "target_column", "pattern", "replacement", "case_sensitive", "position"},
	}[p.Value("kind")]
	return slices.DeleteFunc(slices.Clone(p.List.Fields()), func(f curation.Field) bool { return slices.Contains(without, f.Name) && p.Refused[f.Name] == "" })
}

// Kind is what the entry is, for its heading.
func (p EntryPage) Kind() string {
	if p.List == curation.Rules {
		return p.CurationChoice(p.List, "kind", p.Value("kind"))
	}
	return p.ListWord(p.List)
}

// Visible shows a text whose white space at the ends counts.
func Visible(s string) string {
	if strings.TrimSpace(s) != s {
		return "“" + s + "”"
	}
	return s
}

// Revision is the revision that a form starts from: of one that was refused for another's change, that one.
func (p EntryPage) Revision() int64 {
	if p.Changed != nil {
		return p.Changed.Now.Revision
	}
	return p.Entry.Revision
}

// Theirs lists what the other editor changed, beside what was typed here.
func (p EntryPage) Theirs() []Altered {
	var list []Altered
	for _, fd := range p.List.Fields() {
		now := p.Changed.Now.Values[fd.Name]
		if typed, stored := p.Value(fd.Name), (EntryPage{List: p.List, Entry: p.Changed.Now}).Value(fd.Name); typed != stored {
			list = append(list, Altered{Label: p.CurationField(p.List, fd.Name), Before: typed, After: p.CurationValue(p.List, fd.Name, now)})
		}
	}
	return list
}

// EnginePresets lists the choices of an engine and of a preset.
func (p EntryPage) EnginePresets(name string) []string {
	var list []string
	for _, e := range p.Engines {
		if name == "engine" {
			list = append(list, e.Name)
			continue
		}
		for _, preset := range e.Presets {
			list = append(list, preset.Name)
		}
	}
	return list
}

// LookedLine says how much of the collection a preview looked at, and what it found.
func (p EntryPage) LookedLine() string {
	v := p.Preview
	said := p.N("curation.preview.matches", v.Matches)
	if p.Value("kind") == curation.Rewrite {
		said = p.N("curation.preview.changes", v.Changes)
	}
	if v.Sampled() {
		return said + " " + p.T("curation.preview.sample", p.Num(v.Looked), p.Num(v.Total))
	}
	return said + " " + p.N("curation.preview.all", v.Looked)
}

// RetirePage asks before an entry is retired or brought back.
type RetirePage struct {
	Frame

	Entry   curation.Entry
	Weight  int64
	Effects []curation.Effect
	Units   map[string]worker.Unit
	Back    bool // bring it back
}

// Key begins the texts of the page.
func (p RetirePage) Key() string {
	if p.Back {
		return "reactivate"
	}
	return "retire"
}

// EntryHistoryPage is a page of the changes of a list or of an entry.
type EntryHistoryPage struct {
	Frame

	Filter    curation.Filter
	Revisions []curation.Revision
	Older     int64
	Now       map[int32]int64 // the revision of each entry that is in force
}
