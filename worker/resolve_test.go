package worker_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"scrinalia/worker"

	"github.com/google/go-cmp/cmp"
)

func TestResolvePrecedence(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name                string
		override, arguments worker.Settings
		option              string
		want                worker.Value
	}{
		{"default", worker.Settings{}, worker.Settings{}, "threshold", worker.Value{Value: 0.4, Origin: worker.FromDefault}},
		{
			"override over default",
			worker.Settings{Options: map[string]any{"threshold": 0.5}},
			worker.Settings{},
			"threshold",
			worker.Value{Value: 0.5, Origin: worker.FromOverride},
		},
		{
			"argument over override",
			worker.Settings{Options: map[string]any{"threshold": 0.5}},
			worker.Settings{Options: map[string]any{"threshold": 0.6}},
			"threshold",
			worker.Value{Value: 0.6, Origin: worker.FromArgument},
		},
		{
			"argument equal to the default is still the argument's",
			worker.Settings{},
			worker.Settings{Options: map[string]any{"threshold": 0.4}},
			"threshold",
			worker.Value{Value: 0.4, Origin: worker.FromArgument},
		},
		{
			"another field's override changes nothing",
			worker.Settings{Options: map[string]any{"mode": "slow"}},
			worker.Settings{},
			"threshold",
			worker.Value{Value: 0.4, Origin: worker.FromDefault},
		},
		{"zero is a value", worker.Settings{}, worker.Settings{Options: map[string]any{"threshold": 0.0}}, "threshold", worker.Value{Value: 0.0, Origin: worker.FromArgument}},
		{
			"batch size of its own",
			worker.Settings{BatchSize: 7},
			worker.Settings{},
			"batch_size",
			worker.Value{Value: int64(7), Origin: worker.FromOverride},
		},
		{
			"batch size as argument",
			worker.Settings{BatchSize: 7},
			worker.Settings{BatchSize: json.Number("8")},
			"batch_size",
			worker.Value{Value: int64(8), Origin: worker.FromArgument},
		},
		{
			"false wins over true",
			worker.Settings{Options: map[string]any{"strict": true}},
			worker.Settings{Options: map[string]any{"strict": false}},
			"strict",
			worker.Value{Value: false, Origin: worker.FromArgument},
		},
		{"run option", worker.Settings{}, worker.Settings{Options: map[string]any{"limit": 3}}, "limit", worker.Value{Value: int64(3), Origin: worker.FromArgument}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, err := worker.Resolve(define(worker.EngineNone, new(options)), tt.override, tt.arguments)
			if err != nil {
				t.Fatal(err)
			}
			got := r.Config.Options[tt.option]
			if tt.option == "batch_size" {
				got = *r.Config.BatchSize
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if len(r.Ignored) != 0 {
				t.Errorf("ignored %v, want nothing", r.Ignored)
			}
		})
	}
}

func TestResolveReadsText(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, option, text string
		want               any
	}{
		{"integer", "limit", " 12 ", int64(12)},
		{"number", "threshold", "0.75", 0.75},
		{"boolean", "strict", "true", true},
		{"boolean as digit", "dry_run", "1", true},
		{"text", "prefix", "x y", "x y"},
		{"choice", "mode", "slow", "slow"},
		{"list", "columns", "title, scope,,title", []string{"title", "scope"}},
		{"batch size", "batch_size", "100", int64(100)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, err := worker.Resolve(define(worker.EngineNone, new(options)), worker.Settings{}, worker.Settings{Options: map[string]any{tt.option: tt.text}})
			if err != nil {
				t.Fatal(err)
			}
			got := r.Config.Options[tt.option].Value
			if tt.option == "batch_size" {
				got = r.Config.BatchSize.Value
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// wrongSettings are refused as arguments, with these fields; each reason says what would be accepted.
var wrongSettings = []struct {
	name   string
	source worker.EngineSource
	give   worker.Settings
	want   map[string]string // field -> part of the reason
}{
	{"unknown option", worker.EngineNone, worker.Settings{Options: map[string]any{"treshold": 1}}, map[string]string{"treshold": "batch_size, threshold"}},
	{"wrong type", worker.EngineNone, worker.Settings{Options: map[string]any{"strict": 3}}, map[string]string{"strict": "true or false"}},
	{"text for a number", worker.EngineNone, worker.Settings{Options: map[string]any{"threshold": "high"}}, map[string]string{"threshold": "from 0 to 1"}},
	{"fraction for an integer", worker.EngineNone, worker.Settings{Options: map[string]any{"limit": 1.5}}, map[string]string{"limit": "whole number"}},
	{"list for a text", worker.EngineNone, worker.Settings{Options: map[string]any{"prefix": []any{"a"}}}, map[string]string{"prefix": "a text"}},
	{"null", worker.EngineNone, worker.Settings{Options: map[string]any{"threshold": nil}}, map[string]string{"threshold": "from 0 to 1"}},
	{"below the bound", worker.EngineNone, worker.Settings{Options: map[string]any{"limit": -1}}, map[string]string{"limit": "at least 0"}},
	{"above the bound", worker.EngineNone, worker.Settings{BatchSize: 101}, map[string]string{"batch_size": "from 1 to 100"}},
	{"no number at all", worker.EngineNone, worker.Settings{Options: map[string]any{"threshold": math.NaN()}}, map[string]string{"threshold": "from 0 to 1"}},
	{"text NaN", worker.EngineNone, worker.Settings{Options: map[string]any{"threshold": "NaN"}}, map[string]string{"threshold": "from 0 to 1"}},
	{"endless", worker.EngineNone, worker.Settings{Options: map[string]any{"limit": "+Inf"}}, map[string]string{"limit": "at least 0"}},
	{"not exact in JSON", worker.EngineNone, worker.Settings{Options: map[string]any{"limit": 1e300}}, map[string]string{"limit": "whole number"}},
	{"no such choice", worker.EngineNone, worker.Settings{Options: map[string]any{"mode": "medium"}}, map[string]string{"mode": "fast, slow"}},
	{"no such item", worker.EngineNone, worker.Settings{Options: map[string]any{"columns": []any{"title", "notes"}}}, map[string]string{"columns": "title, scope, history"}},
	{"item of another type", worker.EngineNone, worker.Settings{Options: map[string]any{"words": []any{"a", 1}}}, map[string]string{"words": "list of texts"}},
	{"empty list", worker.EngineNone, worker.Settings{Options: map[string]any{"columns": []any{}}}, map[string]string{"columns": "one or more"}},
	{"engine without engines", worker.EngineNone, worker.Settings{Engine: "builtin"}, map[string]string{"engine": "takes no engine"}},
	{"preset without engines", worker.EngineNone, worker.Settings{Preset: "small"}, map[string]string{"preset": "takes no engine"}},
	{
		"engine of a rule", worker.EngineRule,
		worker.Settings{Engine: "builtin", Preset: "small"},
		map[string]string{"engine": "LLM_CHECK rule", "preset": "LLM_CHECK rule"},
	},
	{
		"every field is named", worker.EngineNone,
		worker.Settings{Engine: "x", BatchSize: "many", Options: map[string]any{"mode": 1, "nope": 2, "threshold": 0.5}},
		map[string]string{"engine": "takes no engine", "batch_size": "whole number", "mode": "fast, slow", "nope": "no option"},
	},
}

func checkFields(t *testing.T, got, want map[string]string) {
	t.Helper()
	for field, part := range want {
		if !strings.Contains(got[field], part) {
			t.Errorf("%s: got %q, want %q in it", field, got[field], part)
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %v, want the fields of %v", got, want)
	}
}

func TestResolveRefusesArguments(t *testing.T) {
	t.Parallel()
	for _, tt := range wrongSettings {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, err := worker.Resolve(define(tt.source, new(options)), worker.Settings{}, tt.give)
			e := refusal(t, err)
			checkFields(t, e.Fields, tt.want)
			for _, reason := range e.Fields {
				if !strings.Contains(e.Msg, reason) {
					t.Errorf("the sentence %q lacks %q", e.Msg, reason)
				}
			}
			if r.Task != nil {
				t.Error("a refused configuration has a task")
			}
		})
	}
}

func TestResolveIgnoresAWrongOverride(t *testing.T) {
	t.Parallel()
	for _, tt := range wrongSettings {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.name == "below the bound" || tt.name == "fraction for an integer" || tt.name == "endless" || tt.name == "not exact in JSON" {
				tt.want = map[string]string{"limit": "belongs to one run"}
			}
			r, err := worker.Resolve(define(tt.source, new(options)), tt.give, worker.Settings{})
			if err != nil {
				t.Fatal(err)
			}
			checkFields(t, r.Ignored, tt.want)
			for field := range tt.want {
				if v, ok := r.Config.Options[field]; ok && v.Origin != worker.FromDefault {
					t.Errorf("%s runs with %v, want the default", field, v)
				}
			}
			e := refusal(t, checkOverride(define(tt.source, new(options)), tt.give))
			checkFields(t, e.Fields, tt.want)
		})
	}
}
