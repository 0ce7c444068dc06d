package cleaning

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"scrinalia/worker"

	"github.com/google/go-cmp/cmp"
)

// unit is a document's column under one rule.
func unit(document int64, rule int32, column, text string) worker.TextUnit {
	return worker.TextUnit{Document: document, Name: fmt.Sprintf("doc%d", document), RuleID: rule, RuleVersion: int64(rule) * 10, Column: column, Text: text}
}

func rule(id int32, column, pattern, replacement string) worker.Rule {
	return worker.Rule{ID: id, Version: int64(id) * 10, Name: fmt.Sprintf("rule%d", id), Column: column, Pattern: pattern, Replacement: replacement}
}

func caseSensitive(r worker.Rule) worker.Rule {
	r.CaseSensitive = true
	return r
}

func TestRewrite(t *testing.T) {
	t.Parallel()
	const title, scope = "original_title", "scope_content"
	tests := []struct {
		name  string
		rules []worker.Rule
		units []worker.TextUnit
		want  []worker.TextEdit
		notes map[string]worker.Note
	}{
		{
			"rules apply one after the other, each with its part in the journal",
			[]worker.Rule{rule(1, title, "a", "b"), rule(2, title, "bb", "c")},
			[]worker.TextUnit{unit(1, 1, title, "ab"), unit(1, 2, title, "ab")},
			[]worker.TextEdit{{Document: 1, Column: title, Before: "ab", After: "c", Rules: []int64{10, 20}, Changes: []worker.TextChange{
				{RuleID: 1, Before: "ab", After: "bb"}, {RuleID: 2, Before: "bb", After: "c"},
			}}},
			map[string]worker.Note{"rewritten": {Count: 2, Examples: []string{"doc1: rule1", "doc1: rule2"}}},
		},
		{
			"the order is that of the units",
			[]worker.Rule{rule(1, title, "a", "b"), rule(2, title, "bb", "c")},
			[]worker.TextUnit{unit(1, 2, title, "ab"), unit(1, 1, title, "ab")},
			[]worker.TextEdit{{Document: 1, Column: title, Before: "ab", After: "bb", Rules: []int64{20, 10}, Changes: []worker.TextChange{{RuleID: 1, Before: "ab", After: "bb"}}}},
			map[string]worker.Note{"rewritten": {Count: 1, Examples: []string{"doc1: rule1"}}},
		},
		{
			"no match is an edit without change, so that it is stamped",
			[]worker.Rule{rule(1, title, "x", "y")},
			[]worker.TextUnit{unit(1, 1, title, "ab")},
			[]worker.TextEdit{{Document: 1, Column: title, Before: "ab", After: "ab", Rules: []int64{10}}},
			map[string]worker.Note{},
		},
		{
			"an emptied title is refused, and the rules after it see the old one",
			[]worker.Rule{rule(1, title, ".*", " "), rule(2, title, "a", "b")},
			[]worker.TextUnit{unit(1, 1, title, "a"), unit(1, 2, title, "a")},
			[]worker.TextEdit{{Document: 1, Column: title, Before: "a", After: "b", Rules: []int64{10, 20}, Changes: []worker.TextChange{{RuleID: 2, Before: "a", After: "b"}}}},
			map[string]worker.Note{"refused_empty_title": {Count: 1, Examples: []string{"doc1: rule1"}}, "rewritten": {Count: 1, Examples: []string{"doc1: rule2"}}},
		},
		{
			"a no-break space is no title",
			[]worker.Rule{rule(1, title, "a", "\u00a0")},
			[]worker.TextUnit{unit(1, 1, title, "a")},
			[]worker.TextEdit{{Document: 1, Column: title, Before: "a", After: "a", Rules: []int64{10}}},
			map[string]worker.Note{"refused_empty_title": {Count: 1, Examples: []string{"doc1: rule1"}}},
		},
		{
			"another column may be emptied",
			[]worker.Rule{rule(1, scope, "^-+$", "")},
			[]worker.TextUnit{unit(1, 1, scope, "--")},
			[]worker.TextEdit{{Document: 1, Column: scope, Before: "--", After: "", Rules: []int64{10}, Changes: []worker.TextChange{{RuleID: 1, Before: "--", After: ""}}}},
			map[string]worker.Note{"rewritten": {Count: 1, Examples: []string{"doc1: rule1"}}},
		},
		{
			"without regard to case, groups are filled in",
			[]worker.Rule{rule(1, title, `(?P<word>fotogr)\.`, "<${word}>"), rule(2, title, `\s+([,;])`, "$1")},
			[]worker.TextUnit{unit(1, 1, title, "FOTOGR. ;"), unit(1, 2, title, "FOTOGR. ;")},
			[]worker.TextEdit{{Document: 1, Column: title, Before: "FOTOGR. ;", After: "<FOTOGR>;", Rules: []int64{10, 20}, Changes: []worker.TextChange{
				{RuleID: 1, Before: "FOTOGR. ;", After: "<FOTOGR> ;"}, {RuleID: 2, Before: "<FOTOGR> ;", After: "<FOTOGR>;"},
			}}},
			map[string]worker.Note{"rewritten": {Count: 2, Examples: []string{"doc1: rule1", "doc1: rule2"}}},
		},
		{
			"with regard to case",
			[]worker.Rule{caseSensitive(rule(1, title, "a", "b"))},
			[]worker.TextUnit{unit(1, 1, title, "Aa")},
			[]worker.TextEdit{{Document: 1, Column: title, Before: "Aa", After: "Ab", Rules: []int64{10}, Changes: []worker.TextChange{{RuleID: 1, Before: "Aa", After: "Ab"}}}},
			map[string]worker.Note{"rewritten": {Count: 1, Examples: []string{"doc1: rule1"}}},
		},
		{
			"columns and documents apart, a rule that is gone left out",
			[]worker.Rule{rule(1, title, "a", "b"), rule(2, scope, "a", "c")},
			[]worker.TextUnit{unit(1, 1, title, "a"), unit(1, 2, scope, "a"), unit(2, 1, title, "a"), unit(2, 3, title, "a"), unit(3, 3, title, "a")},
			[]worker.TextEdit{
				{Document: 1, Column: title, Before: "a", After: "b", Rules: []int64{10}, Changes: []worker.TextChange{{RuleID: 1, Before: "a", After: "b"}}},
				{Document: 1, Column: scope, Before: "a", After: "c", Rules: []int64{20}, Changes: []worker.TextChange{{RuleID: 2, Before: "a", After: "c"}}},
				{Document: 2, Column: title, Before: "a", After: "b", Rules: []int64{10}, Changes: []worker.TextChange{{RuleID: 1, Before: "a", After: "b"}}},
			},
			map[string]worker.Note{"rewritten": {Count: 3, Examples: []string{"doc1: rule1", "doc1: rule2", "doc2: rule1"}}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			patterns, err := compile(tt.rules)
			if err != nil {
				t.Fatal(err)
			}
			edits, notes := rewrite(tt.units, patterns)
			if diff := cmp.Diff(tt.want, edits); diff != "" {
				t.Errorf("edits: -want +got:\n%s", diff)
			}
			if diff := cmp.Diff(tt.notes, notes); diff != "" {
				t.Errorf("notes: -want +got:\n%s", diff)
			}
		})
	}
}

func TestNotesKeepFewExamples(t *testing.T) {
	t.Parallel()
	patterns, err := compile([]worker.Rule{rule(1, "original_title", "a", "b")})
	if err != nil {
		t.Fatal(err)
	}
	var units []worker.TextUnit
	for i := range int64(9) {
		units = append(units, unit(i, 1, "original_title", "a"))
	}
	_, notes := rewrite(units, patterns)
	if n := notes["rewritten"]; n.Count != 9 || len(n.Examples) != maxExamples {
		t.Errorf("got %d counted, %d examples; want 9 and %d", n.Count, len(n.Examples), maxExamples)
	}
}

// badRules is a store with a rule that no longer compiles.
type badRules struct{ Store }

func (badRules) RewriteRules(context.Context) ([]worker.Rule, error) {
	return []worker.Rule{rule(1, "original_title", "(", "")}, nil
}

func TestBadPatternStopsTheRunWithItsName(t *testing.T) {
	t.Parallel()
	r, err := worker.Resolve(New(badRules{}), worker.Settings{}, worker.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	err = r.Task(t.Context(), worker.Env{})
	if worker.KindOf(err) != worker.Invalid {
		t.Fatalf("got %v, want Invalid", err)
	}
	want := "The pattern of rule \"rule1\" is no RE2 expression: error parsing regexp: missing closing ): `(?i)(`"
	if diff := cmp.Diff(want, message(err)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func message(err error) string {
	if e, ok := errors.AsType[*worker.Error](err); ok {
		return e.Msg
	}
	return ""
}
