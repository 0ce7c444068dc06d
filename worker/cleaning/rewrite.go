package cleaning

import (
	"fmt"
	"regexp"
	"strings"

	"scrinalia/worker"
)

const titleColumn = "original_title"

// edit is a TextEdit under way.
type edit struct{ worker.TextEdit }

type compiled struct {
	worker.Rule

	re *regexp.Regexp
}

func compile(rules []worker.Rule) (map[int64]compiled, error) {
	out := make(map[int64]compiled, len(rules))
	for _, r := range rules {
		re, err := r.Compile()
		if err != nil {
			return nil, err
		}
		out[r.Version] = compiled{Rule: r, re: re}
	}
	return out, nil
}

// rewrite applies the rules of the units, which come by document and in the rules' order, and gathers one edit a column. A rule that was
// switched off since the run started is left out.
func rewrite(units []worker.TextUnit, rules map[int64]compiled) ([]worker.TextEdit, map[string]worker.Note) {
	type key struct {
		document int64
		column   string
	}
	var edits []*edit
	at := map[key]*edit{}
	notes := map[string]worker.Note{}
	for _, u := range units {
		rule, ok := rules[u.RuleVersion]
		if !ok {
			continue
		}
		e := at[key{u.Document, u.Column}]
		if e == nil {
			e = &edit{worker.TextEdit{Document: u.Document, Column: u.Column, Before: u.Text, After: u.Text}}
			at[key{u.Document, u.Column}] = e
			edits = append(edits, e)
		}
		e.apply(u, rule, notes)
	}
	out := make([]worker.TextEdit, len(edits))
	for i, e := range edits {
		out[i] = e.TextEdit
	}
	return out, notes
}

// maxExamples is how many documents a note names.
const maxExamples = 5

func (e *edit) apply(u worker.TextUnit, r compiled, notes map[string]worker.Note) {
	e.Rules = append(e.Rules, u.RuleVersion)
	text := r.re.ReplaceAllString(e.After, r.Replacement)
	if text == e.After {
		return
	}
	note := "rewritten"
	if u.Column == titleColumn && strings.TrimSpace(text) == "" {
		note = "refused_empty_title"
	}
	n := notes[note]
	n.Count++
	if len(n.Examples) < maxExamples {
		n.Examples = append(n.Examples, u.Name+": "+r.Name)
	}
	notes[note] = n
	if note != "rewritten" {
		return
	}
	e.Changes = append(e.Changes, worker.TextChange{RuleID: u.RuleID, Before: e.After, After: text})
	e.After = text
}

// A preview shows so many changes of a batch, and so many characters on each side.
const (
	previewChanges = 50
	previewRunes   = 200
)

// preview shows what a dry run would change, before and after.
func preview(units []worker.TextUnit, edits []worker.TextEdit) worker.Note {
	names := map[int64]string{}
	for _, u := range units {
		names[u.Document] = u.Name
	}
	var n worker.Note
	for _, e := range edits {
		if e.Before == e.After {
			continue
		}
		n.Count++
		if len(n.Examples) < previewChanges {
			n.Examples = append(n.Examples, fmt.Sprintf("%s, %s: \u201c%s\u201d \u2192 \u201c%s\u201d", names[e.Document], e.Column, clip(e.Before), clip(e.After)))
		}
	}
	return n
}

func clip(s string) string {
	if r := []rune(s); len(r) > previewRunes {
		return string(r[:previewRunes]) + "\u2026"
	}
	return s
}
