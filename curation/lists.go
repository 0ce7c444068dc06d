// Package curation knows what curators own: the rules of cleaning and validation, and the vocabularies. It declares each list and its fields,
// checks a change, tells before saving what it does, and saves it with its revision. It imports worker only; the database reaches it as Store.
package curation

import (
	"slices"

	"scrinalia/worker"
)

// List is one of the lists that curators own.
type List string

// The lists.
const (
	Rules      List = "rules"
	Typologies List = "typologies"
	Categories List = "categories" // of subjects
	Levels     List = "levels"     // of description
	Stopwords  List = "stopwords"
	Synonyms   List = "synonyms"
	Exclusions List = "exclusions"
)

// Lists are all lists, in the order in which pages show them.
var Lists = []List{Rules, Typologies, Categories, Levels, Stopwords, Synonyms, Exclusions}

// Vocabularies are the lists but for the rules.
var Vocabularies = Lists[1:]

// Known says whether there is such a list.
func (l List) Known() bool { return slices.Contains(Lists, l) }

// FieldType is the type of a field's values.
type FieldType string

// The types, with the Go type of a value.
const (
	Text   FieldType = "text"   // string, on one line
	Block  FieldType = "block"  // string, white space counts
	Choice FieldType = "choice" // string
	Flag   FieldType = "flag"   // bool
	Number FieldType = "number" // int64
)

// Field is a property of the entries of a list.
type Field struct {
	Name     string
	Type     FieldType
	Required bool     // a text may not be empty
	Max      int64    // characters of a text, or the largest number
	Choices  []string // of a Choice
	Default  any
}

// The kinds of rules.
const (
	Rewrite  = "REWRITE"
	Validate = "VALIDATE"
	LLMCheck = "LLM_CHECK"
)

// Kinds are the kinds of rules.
var Kinds = []string{Rewrite, Validate, LLMCheck}

// Columns are the texts of a description that a rule may read.
var Columns = []string{"original_title", "scope_content", "admin_bio_history", "provenance", "archivist_notes"}

// Bounds: a name has to fit into a table, a pattern into what RE2 compiles within milliseconds, a position into the database's integer.
const (
	maxName     = 200
	maxPattern  = 10_000
	maxPosition = 1_000_000
	maxLevel    = 30_000 // the position of a level is a smallint
)

var (
	name  = Field{Name: "name", Type: Text, Required: true, Max: maxName}
	term  = Field{Name: "term", Type: Text, Required: true, Max: maxName}
	scope = Field{Name: "scope", Type: Choice, Choices: []string{"ALL", "TAG", "ENTITY"}, Default: "ALL"}
)

var fields = map[List][]Field{
	Rules: {
		name,
		{Name: "kind", Type: Choice, Choices: Kinds, Default: Rewrite},
		{Name: "target_column", Type: Choice, Choices: Columns, Default: "original_title"},
		{Name: "pattern", Type: Block, Max: maxPattern},
		{Name: "replacement", Type: Block, Max: maxPattern},
		{Name: "case_sensitive", Type: Flag},
		{Name: "engine", Type: Text, Max: maxName},
		{Name: "preset", Type: Text, Max: maxName},
		{Name: "position", Type: Number, Max: maxPosition},
	},
	Typologies: {name},
	Categories: {name, {Name: "classifier_label", Type: Text, Max: maxName}},
	Levels:     {name, {Name: "position", Type: Number, Max: maxLevel}, {Name: "needs_parent", Type: Flag}, {Name: "is_leaf", Type: Flag}},
	Stopwords:  {term, scope},
	Synonyms:   {term, {Name: "canonical", Type: Text, Required: true, Max: maxName}, scope},
	Exclusions: {term, {Name: "kind", Type: Choice, Choices: []string{"NER", "SUBJECT", "COLLECTION"}, Default: "NER"}},
}

// Fields are the properties of a list's entries, the name first.
func (l List) Fields() []Field { return fields[l] }

// Field finds a field by its name.
func (l List) Field(name string) (Field, bool) {
	i := slices.IndexFunc(fields[l], func(f Field) bool { return f.Name == name })
	if i < 0 {
		return Field{}, false
	}
	return fields[l][i], true
}

// zero is the value of a field that nobody gave.
func (f Field) zero() any {
	switch {
	case f.Default != nil:
		return f.Default
	case f.Type == Flag:
		return false
	case f.Type == Number:
		return int64(0)
	}
	return ""
}

// Values are the fields of an entry by name, each of the Go type of its FieldType.
type Values map[string]any

// String is the value of a text or a choice.
func (v Values) String(name string) string {
	s, _ := v[name].(string)
	return s
}

// Flag is the value of a flag.
func (v Values) Flag(name string) bool {
	b, _ := v[name].(bool)
	return b
}

// Number is the value of a number.
func (v Values) Number(name string) int64 {
	n, _ := v[name].(int64)
	return n
}

// State is what of an entry has a history: whether it is in use, and its fields.
type State struct {
	Active bool   `json:"active"`
	Values Values `json:"values"`
}

// Entry is one entry of a list. Revision 0 came with the program, or with a decision in the reviews.
type Entry struct {
	List     List  `json:"list"`
	ID       int32 `json:"id"`
	Revision int64 `json:"revision"`

	State
}

// Name is how people know the entry.
func (e Entry) Name() string { return e.Values.String(e.List.Fields()[0].Name) }

// Rule is a rule as the workers apply it.
func (e Entry) Rule() worker.Rule {
	return worker.Rule{
		ID: e.ID, Name: e.Name(), Column: e.Values.String("target_column"), Pattern: e.Values.String("pattern"), Replacement: e.Values.String("replacement"),
		CaseSensitive: e.Values.Flag("case_sensitive"),
	}
}
