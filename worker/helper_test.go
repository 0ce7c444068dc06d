package worker_test

import (
	"context"
	"errors"
	"testing"

	"scrinalia/worker"
)

// options are those of the test workers: one of each type.
type options struct {
	worker.Common
	BatchSize int64    `json:"batch_size" min:"1" max:"100" help:"Units committed together."`
	Threshold float64  `json:"threshold" min:"0" max:"1" help:"Scores below are dropped."`
	Strict    bool     `json:"strict" help:"Take nothing that is doubtful."`
	Mode      string   `json:"mode" choices:"fast,slow" help:"How it works."`
	Columns   []string `json:"columns" choices:"title,scope,history" help:"What is read."`
	Words     []string `json:"words" help:"Free words."`
	Prefix    string   `json:"prefix" help:"Free text."`
}

var defaults = options{BatchSize: 10, Threshold: 0.4, Mode: "fast", Columns: []string{"title"}, Words: []string{"a"}, Prefix: "p"}

// define makes a test worker; got receives the options that its work was given.
func define(source worker.EngineSource, got *options) worker.Definition {
	return worker.Define(worker.Spec{Name: "probe", Order: 1, EngineSource: source}, defaults, func(_ context.Context, _ worker.Env, o options) error {
		*got = o
		return nil
	})
}

// refusal is the Invalid error behind err.
func refusal(t *testing.T, err error) *worker.Error {
	t.Helper()
	e, ok := errors.AsType[*worker.Error](err)
	if !ok || e.Kind != worker.Invalid {
		t.Fatalf("got %v, want an Invalid error", err)
	}
	return e
}

func mustPanic(t *testing.T, f func()) (message string) {
	t.Helper()
	defer func() {
		r := recover()
		if r == nil {
			t.Fatal("no panic")
		}
		message, _ = r.(string)
	}()
	f()
	return ""
}

// checkOverride validates settings as an override.
func checkOverride(d worker.Definition, s worker.Settings) error {
	_, err := worker.CheckChange(d, worker.OverrideChange{Settings: s})
	return err
}
