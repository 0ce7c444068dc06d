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
			Name: name, Label: f.noteLabel(name),
			Count: f.Num(notes[name].Count), Examples: notes[name].Examples,
		}
	}
	return rows
}

// ruleNote begins the names of notes that count the matches of one rule.
const ruleNote = "RULE_MATCH:"

func (f Frame) noteLabel(name string) string {
	if rule, ok := strings.CutPrefix(name, ruleNote); ok {
		return f.T("note.rule", rule)
	}
	return f.Or("note."+name, strings.ReplaceAll(name, "_", " "))
}
