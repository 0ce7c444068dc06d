package worker_test

import (
	"encoding/json"
	"strings"
	"testing"

	"scrinalia/worker"

	"github.com/google/go-cmp/cmp"
)

func TestCheckChangeReturnsTypedValues(t *testing.T) {
	t.Parallel()
	d := define(worker.EngineNone, new(options))
	got, err := worker.CheckChange(d, worker.OverrideChange{Note: " why\n", Settings: worker.Settings{
		BatchSize: "20", Options: map[string]any{"threshold": json.Number("0.5"), "columns": "scope,title", "strict": "true"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := worker.OverrideChange{Note: "why", Settings: worker.Settings{
		BatchSize: int64(20), Options: map[string]any{"threshold": 0.5, "columns": []string{"title", "scope"}, "strict": true},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestCheckChangeRefuses(t *testing.T) {
	t.Parallel()
	d := define(worker.EngineNone, new(options))
	long := strings.Repeat("x", 1<<20)
	many := map[string]any{}
	for i := range 1000 {
		many[strings.Repeat("o", i+1)] = i
	}
	for _, tt := range []struct {
		name   string
		note   string
		values map[string]any
		want   map[string]string
	}{
		{"a text of a megabyte", "", map[string]any{"prefix": long}, map[string]string{"prefix": "up to 500 characters"}},
		{"a NUL", "", map[string]any{"prefix": "a\x00b"}, map[string]string{"prefix": "without control characters"}},
		{"broken UTF-8", "", map[string]any{"prefix": "a\xff"}, map[string]string{"prefix": "up to 500 characters"}},
		{"an item of a megabyte", "", map[string]any{"words": []any{long}}, map[string]string{"words": "list of texts, up to 100"}},
		{"too many items", "", map[string]any{"words": items(101)}, map[string]string{"words": "list of texts, up to 100"}},
		{"an unknown option with a name of a megabyte", "", map[string]any{long: 1}, map[string]string{strings.Repeat("x", 60) + "…": "no option"}},
		{"a thousand unknown options", "", many, map[string]string{"options": "1000 options are not accepted"}},
		{"a long note", strings.Repeat("é", 1001), nil, map[string]string{"note": "up to 1000"}},
		{"a NUL in the note", "a\x00", nil, map[string]string{"note": "control characters"}},
		{"note and option at once", "\x1b[31m", map[string]any{"mode": "x"}, map[string]string{"note": "control characters", "mode": "fast, slow"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := worker.CheckChange(d, worker.OverrideChange{Note: tt.note, Settings: worker.Settings{Options: tt.values}})
			e := refusal(t, err)
			checkFields(t, e.Fields, tt.want)
			if len(e.Msg) > 2000 {
				t.Errorf("the refusal has %d bytes", len(e.Msg))
			}
		})
	}
}

func items(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("w", i+1) + ",")
	}
	return b.String()
}

func TestSettingsDifferAndMerge(t *testing.T) {
	t.Parallel()
	base := worker.Settings{Engine: "a", BatchSize: float64(20), Options: map[string]any{"threshold": 0.5, "mode": "slow"}}
	mine := worker.Settings{Engine: "a", BatchSize: int64(20), Options: map[string]any{"threshold": 0.6, "columns": []string{"title"}}}
	want := []worker.Difference{{"columns", nil, []string{"title"}}, {"mode", "slow", nil}, {"threshold", 0.5, 0.6}}
	if diff := cmp.Diff(want, worker.SettingsDiffer(base, mine)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	current := worker.Settings{Preset: "p", Options: map[string]any{"threshold": 0.7, "mode": "slow", "strict": true}}
	merged := worker.Settings{Preset: "p", Options: map[string]any{"threshold": 0.6, "columns": []string{"title"}, "strict": true}}
	if diff := cmp.Diff(merged, worker.MergeSettings(base, mine, current)); diff != "" {
		t.Errorf("merged: -want +got:\n%s", diff)
	}
	if diff := cmp.Diff(map[string]any{"threshold": 0.7, "mode": "slow", "strict": true}, current.Options); diff != "" {
		t.Errorf("the merge wrote into what it was given: %s", diff)
	}
}
