package archive

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"scrinalia/worker"
)

// Actor is who decides, and from where.
type Actor struct {
	Person  string
	Channel worker.Trigger
}

// Field is a text of a description that people edit, by its name in JSON.
type Field struct {
	Name     string
	Max      int // characters
	Long     bool
	Required bool
}

// Fields lists the texts that people edit, in the order of ISAD(G).
var Fields = []Field{
	{Name: "title", Max: 10_000, Required: true},
	{Name: "date", Max: 1000},
	{Name: "extent", Max: 10_000},
	{Name: "repository", Max: 1000},
	{Name: "producers", Max: 10_000},
	{Name: "admin_bio_history", Max: 200_000, Long: true},
	{Name: "provenance", Max: 200_000, Long: true},
	{Name: "scope_content", Max: 200_000, Long: true},
	{Name: "access_conditions", Max: 10_000, Long: true},
	{Name: "language", Max: 1000},
	{Name: "archivist_notes", Max: 200_000, Long: true},
}

// FieldOf returns the field of that name.
func FieldOf(name string) (Field, bool) {
	for _, f := range Fields {
		if f.Name == name {
			return f, true
		}
	}
	return Field{}, false
}

// Text is the value of a field of Fields.
func (d Document) Text(field string) string {
	switch field {
	case "title":
		return d.Title
	case "date":
		return d.Date
	case "extent":
		return d.Extent
	case "repository":
		return d.Repository
	case "producers":
		return d.Producers
	case "admin_bio_history":
		return d.AdminBioHistory
	case "provenance":
		return d.Provenance
	case "scope_content":
		return d.ScopeContent
	case "access_conditions":
		return d.Access
	case "language":
		return d.Language
	case "archivist_notes":
		return d.ArchivistNotes
	}
	return ""
}

// Decision is what a person decides on a description as a whole.
type Decision string

// The decisions. Without one an edit approves.
const (
	Approve  Decision = "approve"
	Reject   Decision = "reject"
	GiveBack Decision = "return" // to the workers
)

// Known says whether d is a decision, or none.
func (d Decision) Known() bool {
	return d == "" || d == Approve || d == Reject || d == GiveBack
}

// Named is an entity to be linked.
type Named struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// Edit is what a person changes of a description. What it does not name stays.
type Edit struct {
	// Version is the Version of the description that the person saw. When a field that can be edited, or a decision, is another one by
	// now, the edit is refused with a ChangedError. Empty takes the description as it is, for single steps that overwrite nothing.
	Version string

	Texts          map[string]string // by the name of a Field
	Level          *int32            // 0 is none
	Typology       *int32            // 0 is none
	AddTags        []string
	RemoveTags     []int64
	AddEntities    []Named
	RemoveEntities []int64
	Decision       Decision
	Note           string // why, for the revision
}

// MaxNote is how many characters the reason of an edit may have.
const MaxNote = 1000

// The bounds of names, as the workers have them.
const (
	MinName   = 3
	MaxTag    = 100
	MaxEntity = 149
)

// EntityTypes are the types of entities.
var EntityTypes = []string{"PER", "ORG", "LOC"}

// Check cleans the texts and says, field by field, what is not accepted. What depends on the archive (a level that is not there) the store
// checks.
func (e *Edit) Check() error {
	wrong := map[string]string{}
	for name, text := range e.Texts {
		f, ok := FieldOf(name)
		if !ok {
			wrong[name] = fmt.Sprintf("%s is not known, or not edited here", clip(name))
			continue
		}
		text = tidy(text, f.Long)
		e.Texts[name] = text
		switch n := utf8.RuneCountInString(text); {
		case f.Required && text == "":
			wrong[name] = name + " takes a text; it must not be empty"
		case n > f.Max:
			wrong[name] = fmt.Sprintf("%s takes at most %d characters; this has %d", name, f.Max, n)
		}
	}
	for i, t := range e.AddTags {
		e.AddTags[i] = strings.ToLower(tidy(t, false))
		checkName(wrong, "add_tags", e.AddTags[i], MaxTag)
	}
	for i, n := range e.AddEntities {
		e.AddEntities[i].Name = tidy(n.Name, false)
		checkName(wrong, "add_entities", e.AddEntities[i].Name, MaxEntity)
		if !slices.Contains(EntityTypes, n.Type) {
			wrong["add_entities"] = "the type takes one of " + strings.Join(EntityTypes, ", ")
		}
	}
	if !e.Decision.Known() {
		wrong["decision"] = fmt.Sprintf("decision takes one of %s, %s, %s", Approve, Reject, GiveBack)
	}
	if e.Note = tidy(e.Note, true); utf8.RuneCountInString(e.Note) > MaxNote {
		wrong["note"] = fmt.Sprintf("note takes at most %d characters", MaxNote)
	}
	return Refuse(wrong)
}

// Refuse is an Invalid error about these fields; nil when there is none.
func Refuse(wrong map[string]string) error {
	if len(wrong) == 0 {
		return nil
	}
	return &worker.Error{Kind: worker.Invalid, Msg: "The description was not changed.", Fields: wrong}
}

func checkName(wrong map[string]string, field, name string, most int) {
	if n := utf8.RuneCountInString(name); n < MinName || n > most {
		wrong[field] = fmt.Sprintf("a name takes %d to %d characters; this has %d", MinName, most, n)
	}
}

// tidy makes a typed text storable: no control characters, line ends as line feeds, nothing around it; one line where it is not long.
func tidy(s string, long bool) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, s)
	if !long {
		return strings.Join(strings.Fields(s), " ")
	}
	return strings.TrimSpace(s)
}

func clip(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}

// ChangedError says that a description is no longer what its editor saw.
type ChangedError struct {
	Fields []string // what changed meanwhile
	Now    Document
	Last   *Revision // the last revision of a person, when there is one
}

// Error names what changed.
func (e *ChangedError) Error() string {
	by := ""
	if e.Last != nil {
		by = fmt.Sprintf(" The last edit is by %s, at %s.", e.Last.Person, e.Last.At.UTC().Format("2006-01-02 15:04:05 MST"))
	}
	return "The description was changed meanwhile: " + strings.Join(e.Fields, ", ") + "." + by + " Nothing was stored."
}

// As lets KindOf see a Conflict.
func (e *ChangedError) As(target any) bool {
	if t, ok := target.(**worker.Error); ok {
		*t = &worker.Error{Kind: worker.Conflict, Msg: e.Error()}
		return true
	}
	return false
}

// ChangedTexts are the texts of a checked edit that say something else than d does. Blanks and line ends that a form may have changed do not
// count.
func (e Edit) ChangedTexts(d Document) map[string]string {
	changed := map[string]string{}
	for name, text := range e.Texts {
		if f, ok := FieldOf(name); ok && text != tidy(d.Text(name), f.Long) {
			changed[name] = text
		}
	}
	return changed
}
