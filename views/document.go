package views

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"scrinalia/archive"
	"scrinalia/worker"
)

// DocumentPage is one description with all that is known of it.
type DocumentPage struct {
	Frame
	archive.Document
	Labels map[string]string // of the workers in English, by name
}

// Line is a field of a description as it is shown.
type Line struct {
	Name  string // of the field
	Label string
	Text  string
}

// Area is an area of ISAD(G) with what the description says in it.
type Area struct {
	Number string
	Key    string
	Title  string
	Lines  []Line
}

// areas are the areas of ISAD(G), with the fields that stand in each.
var areas = []struct {
	number, key string
	fields      []string
}{
	{"3.1", "identity", []string{"reference_code", "title", "date", "level", "extent"}},
	{"3.2", "context", []string{"repository", "producers", "admin_bio_history", "provenance"}},
	{"3.3", "content", []string{"scope_content"}},
	{"3.4", "access", []string{"access_conditions", "language"}},
	{"3.6", "notes", []string{"archivist_notes"}},
}

// Areas lists the areas. A field without a text is left out, an area without any says so.
func (p DocumentPage) Areas() []Area {
	list := make([]Area, len(areas))
	for i, a := range areas {
		list[i] = Area{Number: a.number, Key: a.key, Title: p.T("isad." + a.key)}
		for _, name := range a.fields {
			if text := p.shown(name); strings.TrimSpace(text) != "" {
				list[i].Lines = append(list[i].Lines, Line{name, p.FieldLabel(name), text})
			}
		}
	}
	return list
}

func (p DocumentPage) shown(field string) string {
	switch field {
	case "reference_code":
		return p.ReferenceCode
	case "level":
		return p.Level
	}
	return p.Text(field)
}

// FieldLabel is the name of a field as ISAD(G) and NOBRADE have it.
func (f Frame) FieldLabel(name string) string {
	return f.Or("isad."+name, f.Or("field."+name, strings.ReplaceAll(name, "_", " ")))
}

// ReviewText says what the review status means for the description.
func (p DocumentPage) ReviewText() string { return p.T("document.means." + string(p.Status)) }

// Look is the class of the notice about the review status.
func (p DocumentPage) Look() string {
	switch p.Status {
	case archive.NeedsReview:
		return "s-warn"
	case archive.HumanApproved:
		return "s-ok"
	case archive.PendingAI, archive.AIApproved, archive.Rejected:
	}
	return ""
}

// TypologyBy says who chose the typology.
func (p DocumentPage) TypologyBy() string {
	switch {
	case p.TypologyPerson != "":
		return p.T("document.by.person", p.Asker(p.TypologyPerson))
	case p.TypologyScore == nil:
		return ""
	case p.TypologyID == 0:
		return p.T("document.typology.best", p.TypologyScore.Label, p.Dec(p.TypologyScore.Score, 2))
	}
	return p.T("document.score", p.Dec(p.TypologyScore.Score, 2))
}

// LinkBy says who made a link.
func (p DocumentPage) LinkBy(l archive.Link) string {
	switch {
	case l.Origin == "human":
		return p.T("document.by.person", p.Asker(l.Person))
	case l.RunID != nil && l.Score != nil:
		return p.T("document.by.run.score", p.RunNumber(*l.RunID), p.Dec(*l.Score, 2))
	case l.RunID != nil:
		return p.T("document.by.run", p.RunNumber(*l.RunID))
	}
	return p.T("document.by.source")
}

// LinkClass and LinkIcon tell who made a link by edge and shape.
func LinkClass(l archive.Link) string {
	switch l.Origin {
	case "human":
		return "human"
	case "run":
		return "ai"
	}
	return "source"
}

// LinkIcon is the shape of who made a link; the source has none.
func LinkIcon(l archive.Link) string {
	switch l.Origin {
	case "human":
		return "p-human"
	case "run":
		return "p-ai"
	}
	return ""
}

// LinkPath is the list of the descriptions that have the same tag or entity.
func LinkPath(l archive.Link) string {
	if l.Type != "" {
		return DocumentsPath(archive.Filter{Entity: l.ID})
	}
	return DocumentsPath(archive.Filter{Tag: l.ID})
}

// LinkNote is what stands beside a name: the type of an entity, the category of a tag.
func (p DocumentPage) LinkNote(l archive.Link) string {
	if l.Type != "" {
		return p.Or("entitytype."+l.Type, l.Type)
	}
	return l.Category
}

// Label is the name of a worker.
func (p DocumentPage) Label(name string) string { return p.WorkerLabel(name, p.Labels[name]) }

// StandingOf is how a worker stands to the description, as it is shown.
func (p DocumentPage) StandingOf(w archive.Work) Outcome {
	o := Outcome{Icon: "s-queue", Class: "still"}
	switch w.Standing {
	case archive.FailedBefore, archive.GivenUp:
		o.Icon, o.Class = "s-fail", "bad"
	case archive.DoneBy, archive.SettledBy:
		o.Icon, o.Class = "s-ok", "ok"
		if w.Stale {
			o.Icon, o.Class = "s-part", "warn"
		}
	case archive.LeftAlone:
		o.Icon, o.Class = "p-human", "still"
	case archive.NothingToDo:
		o.Icon = "s-none"
	case archive.NeverProcessed, archive.TextChanged, archive.RulesChanged, archive.Waiting:
	}
	o.Word = p.T("standing." + string(w.Standing))
	if w.Standing == archive.LeftAlone && p.Status == archive.Rejected {
		o.Word = p.T("standing.rejected")
	}
	return o
}

// NamesWork is how the names of a description stand to a worker whose units are names.
type NamesWork struct {
	Worker, About              string
	Pending, ForPerson         int64
	PendingText, ForPersonText string
	Kind                       archive.Kind // of what waits for a person
}

// NamesWork lists the workers whose units are names.
func (p DocumentPage) NamesWork() []NamesWork {
	n := p.Names
	return []NamesWork{
		{
			worker.ConflictJudge, p.T("document.names.pairs"), n.PairsPending, n.ConflictsToDecide,
			p.N("document.names.pairs.pending", n.PairsPending), p.N("document.names.pairs.person", n.ConflictsToDecide), archive.Conflict,
		},
		{
			worker.MacroCategory, p.T("document.names.tags"), n.TagsPending, n.TagsForPerson,
			p.N("document.names.tags.pending", n.TagsPending), p.N("document.names.tags.person", n.TagsForPerson), archive.Subject,
		},
	}
}

// NamesStanding says how they stand.
func (p DocumentPage) NamesStanding(w NamesWork) Outcome {
	switch {
	case w.Pending > 0:
		return Outcome{Icon: "s-queue", Class: "still", Word: p.T("standing.pending")}
	case w.ForPerson > 0:
		return Outcome{Icon: "p-human", Class: "warn", Word: p.T("standing.person")}
	}
	return Outcome{Icon: "s-none", Class: "still", Word: p.T("standing.nothing")}
}

// WorkText is the line below how a worker stands: with what it was done, and whether that is still in force.
func (p DocumentPage) WorkText(w archive.Work) string {
	var parts []string
	if w.Engine != "" {
		parts = append(parts, w.Engine)
	}
	if w.Rules > 0 {
		parts = append(parts, p.N("document.rules", int64(w.Rules)))
	}
	if w.Stale {
		parts = append(parts, p.T("document.stale"))
	}
	return strings.Join(parts, ", ")
}

// Altered is a field that a revision changed.
type Altered struct {
	Label         string
	Before, After string
}

// Altered lists what a revision changed.
func (f Frame) Altered(r archive.Revision) []Altered {
	var list []Altered
	for name := range r.After {
		list = append(list, Altered{f.FieldLabel(name), f.stored(name, r.Before[name]), f.stored(name, r.After[name])})
	}
	slices.SortFunc(list, func(a, b Altered) int { return strings.Compare(a.Label, b.Label) })
	return list
}

// stored writes a value of a revision.
func (f Frame) stored(name string, v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case []any:
		words := make([]string, len(v))
		for i, w := range v {
			words[i] = fmt.Sprint(w)
		}
		return strings.Join(words, "; ")
	case string:
		if name == "review_status" {
			return f.Or("reviewstatus."+v, v)
		}
		return v
	}
	return fmt.Sprint(v)
}

// Image is the address of the source's image as far as a page may link to it.
func (p DocumentPage) Image() string {
	u, err := url.Parse(p.ImageURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return ""
	}
	return p.ImageURL
}

// EditForm is what was typed into the form of a description, and what became of it.
type EditForm struct {
	Given   url.Values
	Refused map[string]string
	Version string                // that the form was made of, when it is shown again
	Changed *archive.ChangedError // what changed meanwhile
}

// EditPage is the form of one description.
type EditPage struct {
	Frame
	archive.Document
	Choices archive.Choices
	Form    EditForm
}

// Seen is the version that the form is about: the newest, once its reader is told what changed.
func (p EditPage) Seen() string {
	if p.Form.Version != "" && p.Form.Changed == nil {
		return p.Form.Version
	}
	return p.Document.Version
}

// Value is what a field of the form holds: what was typed, else what the description says.
func (p EditPage) Value(name string) string {
	if p.Form.Given.Has(name) {
		return p.Form.Given.Get(name)
	}
	return p.Text(name)
}

// Number is the chosen entry of a select field.
func (p EditPage) Number(name string, stored int64) int64 {
	if p.Form.Given.Has(name) {
		var n int64
		_, _ = fmt.Sscan(p.Form.Given.Get(name), &n)
		return n
	}
	return stored
}

// Offered are the entries of a vocabulary with the one that the description has, which may be retired by now.
func Offered(list []archive.Choice, has archive.Choice) []archive.Choice {
	if has.ID == 0 || slices.Contains(list, has) {
		return list
	}
	return append(slices.Clone(list), has)
}

// Ticked says whether a link was marked for removal.
func (p EditPage) Ticked(name string, id int64) bool {
	return slices.Contains(p.Form.Given[name], itoa(id))
}

// Why says why a field was refused; empty when it was not.
func (p EditPage) Why(name string) string {
	if s, ok := p.Form.Refused[name]; ok {
		return p.Refused(name, s)
	}
	return ""
}

// Refused says, in the page's language, what a field of an edit accepts.
func (f Frame) Refused(name, english string) string {
	if field, ok := archive.FieldOf(name); ok {
		if field.Required {
			return f.T("edit.refused.required", f.Num(int64(field.Max)))
		}
		return f.T("edit.refused.text", f.Num(int64(field.Max)))
	}
	return f.Or("edit.refused."+name, f.Sentence(english))
}

// ChangedNow lists the fields that changed meanwhile, with what was typed before and what stands there now.
func (p EditPage) ChangedNow() []Altered {
	if p.Form.Changed == nil {
		return nil
	}
	var list []Altered
	for _, name := range p.Form.Changed.Fields {
		one := Altered{Label: p.FieldLabel(name), Before: p.Form.Given.Get(name)}
		switch name {
		case "level_id":
			one.After = p.Level
		case "typology_id":
			one.After = p.Typology
		case "review_status":
			one.After = p.Review(p.Status).Word
		default:
			one.After = p.Text(name)
		}
		list = append(list, one)
	}
	return list
}

// ChangedBy says who edited it last.
func (p EditPage) ChangedBy() string {
	if p.Form.Changed == nil || p.Form.Changed.Last == nil {
		return ""
	}
	return p.T("edit.changed.by", p.Asker(p.Form.Changed.Last.Person), p.When(p.Form.Changed.Last.At))
}
