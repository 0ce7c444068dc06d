package views

import (
	"maps"
	"slices"
	"strings"

	"scrinalia/worker"
)

// NoteRow is one thing that a run counted beside its units.
type NoteRow struct {
	Name     string
	Label    string
	Known    bool // the label is a text in the page's language, not made from the name
	Count    string
	Examples []string
}

// Notes lists what a run noted, known names in the page's language, the most frequent first.
func (f Frame) Notes(notes map[string]worker.Note) []NoteRow {
	names := slices.SortedFunc(maps.Keys(notes), func(a, b string) int {
		if d := notes[b].Count - notes[a].Count; d != 0 {
			return int(min(max(d, -1), 1))
		}
		return strings.Compare(a, b)
	})
	rows := make([]NoteRow, len(names))
	for i, name := range names {
		rows[i] = NoteRow{
			Name: name, Label: f.noteLabel(name), Known: f.hasLabel(name),
			Count: f.Num(notes[name].Count), Examples: f.examples(name, notes[name].Examples),
		}
	}
	return rows
}

func (f Frame) noteLabel(name string) string {
	if rule, ok := strings.CutPrefix(name, worker.RuleMatch); ok {
		return f.T("note.rule", rule)
	}
	if why, ok := strings.CutPrefix(name, worker.LLMSuspect); ok {
		return f.T("note.suspect", f.Or("suspect."+why, why))
	}
	return f.Or("note."+name, strings.ReplaceAll(name, "_", " "))
}

// noteOfReasons is the note whose examples name a description with the validator's reasons: "OP-03-0127: MISSING_DATE, NO_TAGS".
const noteOfReasons = "would_flag"

func (f Frame) examples(note string, examples []string) []string {
	if note != noteOfReasons {
		return examples
	}
	out := make([]string, len(examples))
	for i, e := range examples {
		out[i] = f.reasons(e)
	}
	return out
}

// reasons writes the reasons at the end of an example as labels. What is no known reason stays as it is.
func (f Frame) reasons(example string) string {
	for i := range example {
		codes, ok := strings.CutPrefix(example[i:], ": ")
		if !ok {
			continue
		}
		words := strings.Split(codes, ", ")
		if !f.hasLabel(words[0]) { // the name of the description has a colon
			continue
		}
		for j, w := range words {
			if f.hasLabel(w) {
				words[j] = f.noteLabel(w)
			}
		}
		return example[:i] + ": " + strings.Join(words, ", ")
	}
	return example
}

func (f Frame) hasLabel(code string) bool {
	_, known := f.Lang.find("note." + code)
	return known || strings.HasPrefix(code, worker.RuleMatch) || strings.HasPrefix(code, worker.LLMSuspect)
}
