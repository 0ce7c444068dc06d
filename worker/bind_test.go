package worker_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"scrinalia/worker"

	"github.com/google/go-cmp/cmp"
)

func TestCheckRefusesRunOptions(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"limit", "dry_run", "force"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			value := any(true)
			if name == "limit" {
				value = 1
			}
			err := checkOverride(define(worker.EngineNone, new(options)), worker.Settings{Options: map[string]any{name: value}})
			checkFields(t, refusal(t, err).Fields, map[string]string{name: "never stored"})
		})
	}
}

func TestCheckAcceptsAnOverride(t *testing.T) {
	t.Parallel()
	err := checkOverride(define(worker.EngineNone, new(options)), worker.Settings{BatchSize: "20", Options: map[string]any{"mode": "slow"}})
	if err != nil {
		t.Error(err)
	}
}

func TestTaskReceivesWhatConfigSays(t *testing.T) {
	t.Parallel()
	var got options
	d := define(worker.EngineNone, &got)
	r, err := worker.Resolve(d, worker.Settings{BatchSize: 20, Options: map[string]any{"columns": []any{"scope"}, "nope": 1}},
		worker.Settings{Options: map[string]any{"limit": "5", "dry_run": true, "threshold": 0.9}})
	if err != nil {
		t.Fatal(err)
	}
	want := defaults
	want.Common = worker.Common{Limit: 5, DryRun: true}
	want.BatchSize, want.Threshold, want.Columns = 20, 0.9, []string{"scope"}
	if err := r.Task(t.Context(), worker.Env{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("resolved task: -want +got:\n%s", diff)
	}
	if diff := cmp.Diff(want.Common, r.Common); diff != "" {
		t.Errorf("common: -want +got:\n%s", diff)
	}

	// the same once the configuration was in the ledger
	raw, err := json.Marshal(r.Config)
	if err != nil {
		t.Fatal(err)
	}
	var stored worker.Config
	if err := json.Unmarshal(raw, &stored); err != nil {
		t.Fatal(err)
	}
	got = options{}
	task, common, err := worker.Bind(d, stored)
	if err != nil {
		t.Fatal(err)
	}
	if err := task(t.Context(), worker.Env{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("task from the ledger: -want +got:\n%s", diff)
	}
	if diff := cmp.Diff(want.Common, common); diff != "" {
		t.Errorf("common from the ledger: -want +got:\n%s", diff)
	}
}

func TestTasksShareNoDefaults(t *testing.T) {
	t.Parallel()
	d := worker.Define(worker.Spec{Name: "probe"}, defaults, func(_ context.Context, _ worker.Env, o options) error {
		o.Columns[0] = "scribbled"
		return nil
	})
	r, err := worker.Resolve(d, worker.Settings{}, worker.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Task(t.Context(), worker.Env{}); err != nil {
		t.Fatal(err)
	}
	if got := defaults.Columns[0]; got != "title" {
		t.Errorf("a run changed the default to %q", got)
	}
}

func TestFingerprint(t *testing.T) {
	t.Parallel()
	d := define(worker.EngineNone, new(options))
	print := func(s worker.Settings) string {
		t.Helper()
		r, err := worker.Resolve(d, worker.Settings{}, s)
		if err != nil {
			t.Fatal(err)
		}
		return string(r.Fingerprint(d))
	}
	base := print(worker.Settings{})
	tests := []struct {
		name string
		give worker.Settings
		same bool
	}{
		{"batch size", worker.Settings{BatchSize: 99}, true},
		{"limit", worker.Settings{Options: map[string]any{"limit": 1}}, true},
		{"dry run and force", worker.Settings{Options: map[string]any{"dry_run": true, "force": true}}, true},
		{"the default given as argument", worker.Settings{Options: map[string]any{"threshold": "0.4"}}, true},
		{"another threshold", worker.Settings{Options: map[string]any{"threshold": 0.41}}, false},
		{"other columns", worker.Settings{Options: map[string]any{"columns": "title,scope"}}, false},
		{"another text", worker.Settings{Options: map[string]any{"prefix": ""}}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := print(tt.give) == base; got != tt.same {
				t.Errorf("same fingerprint: %t, want %t", got, tt.same)
			}
		})
	}
}

type pair struct {
	Low  int64 `json:"low" help:"Lower end."`
	High int64 `json:"high" help:"Upper end."`
}

func (p pair) Validate() error {
	if p.Low > p.High {
		return worker.Errorf(worker.Invalid, "low is above high")
	}
	return nil
}

func TestValidatorRefusesFieldsTogether(t *testing.T) {
	t.Parallel()
	d := worker.Define(worker.Spec{Name: "pair"}, pair{1, 2}, func(context.Context, worker.Env, pair) error { return nil })
	_, err := worker.Resolve(d, worker.Settings{}, worker.Settings{Options: map[string]any{"low": 3}})
	refusal(t, err)
	if err := checkOverride(d, worker.Settings{Options: map[string]any{"low": 3}}); worker.KindOf(err) != worker.Invalid {
		t.Errorf("as an override: %v, want Invalid", err)
	}
}

func TestDefinePanics(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		give func()
		want string
	}{
		{"no json tag", func() {
			defineOf(struct {
				A int64 `help:"x"`
			}{})
		}, "json and a help tag"},
		{"no help tag", func() {
			defineOf(struct {
				A int64 `json:"a"`
			}{})
		}, "json and a help tag"},
		{"no option type", func() {
			defineOf(struct {
				A map[string]int `json:"a" help:"x"`
			}{})
		}, "no option type"},
		{"bound is no number", func() {
			defineOf(struct {
				A int64 `json:"a" help:"x" min:"low"`
			}{})
		}, "no number"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := mustPanic(t, tt.give); !strings.Contains(got, tt.want) {
				t.Errorf("panic %q, want %q in it", got, tt.want)
			}
		})
	}
}

func defineOf[O any](o O) worker.Definition {
	return worker.Define(worker.Spec{Name: "bad"}, o, func(context.Context, worker.Env, O) error { return errors.New("never") })
}

func TestDefaultOutOfBoundsPanics(t *testing.T) {
	t.Parallel()
	d := defineOf(struct {
		A int64 `json:"a" help:"x" min:"1"`
	}{})
	mustPanic(t, func() { _, _ = worker.Resolve(d, worker.Settings{}, worker.Settings{}) })
}
