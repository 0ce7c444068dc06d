package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"scrinalia/engine"
	"scrinalia/worker"

	"github.com/google/go-cmp/cmp"
)

type fakeNER struct{ d engine.Description }

func (fakeNER) Entities(context.Context, []string) ([]engine.Found, error) { return nil, nil }
func (fakeNER) Usage() engine.Usage                                        { return engine.Usage{Calls: 3} }

type fakeEmbedder struct{ engine.Embedder }

func options() []engine.Option {
	low, high := 1.0, 10.0
	return []engine.Option{
		{Option: worker.Option{Name: "model", Type: worker.Text, Default: "plain"}},
		{Option: worker.Option{Name: "size", Type: worker.Integer, Default: int64(4), Min: &low, Max: &high}},
		{Option: worker.Option{Name: "rate", Type: worker.Number, Default: 0.5}},
		{
			Option: worker.Option{Name: "host", Type: worker.Text, Default: "", Neutral: true}, Source: engine.FromEnvironment,
			Normalise: func(v any) (any, error) {
				if v == "bad" {
					return nil, errors.New("no host")
				}
				return "http://" + strings.TrimPrefix(v.(string), "http://"), nil
			},
		},
	}
}

func spec(name string, presets ...engine.Preset) engine.Spec {
	return engine.Spec{Name: name, Options: options(), Presets: presets}
}

var (
	small = engine.Preset{Name: "small", Values: map[string]any{"size": 2}}
	large = engine.Preset{Name: "large", Values: map[string]any{"size": int64(9), "model": "big"}}
	rules = engine.Preset{Name: "rules"}
)

func newNER(d engine.Description) (engine.NER, error) { return fakeNER{d}, nil }

func registry() *engine.Registry {
	return engine.NewRegistry(
		engine.ForNER(spec("served", small, large), newNER),
		engine.ForNER(spec(engine.Builtin, rules), newNER),
		engine.ForEmbeddings(spec("served", large), func(engine.Description) (engine.Embedder, error) { return fakeEmbedder{}, nil }),
	)
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name           string
		engine, preset string
		overrides      map[string]any
		want           engine.Description
	}{
		{"all by default: builtin, wherever it is listed", "", "", nil, engine.Description{
			Axis: worker.NER, Engine: "builtin", Preset: "rules",
			Values:  map[string]any{"model": "plain", "size": int64(4), "rate": 0.5, "host": "http://"},
			Origins: map[string]worker.Origin{"model": "default", "size": "default", "rate": "default", "host": "environment"},
		}},
		{"the first preset is the engine's default", "served", "", nil, engine.Description{
			Axis: worker.NER, Engine: "served", Preset: "small",
			Values:  map[string]any{"model": "plain", "size": int64(2), "rate": 0.5, "host": "http://"},
			Origins: map[string]worker.Origin{"model": "default", "size": "preset", "rate": "default", "host": "environment"},
		}},
		{"overrides over the preset, text as from a form", "served", "large", map[string]any{"size": "3", "rate": json.Number("1"), "host": "a"}, engine.Description{
			Axis: worker.NER, Engine: "served", Preset: "large",
			Values:  map[string]any{"model": "big", "size": int64(3), "rate": 1.0, "host": "http://a"},
			Origins: map[string]worker.Origin{"model": "preset", "size": "override", "rate": "override", "host": "override"},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := registry().Describe(worker.NER, tt.engine, tt.preset, tt.overrides)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestDescribeRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name           string
		axis           worker.Axis
		engine, preset string
		overrides      map[string]any
		want           map[string]string // field -> part of the reason
	}{
		{"axis without engines", worker.LLMs, "", "", nil, map[string]string{"axis": "NER, embeddings"}},
		{"unknown engine", worker.NER, "Served", "", nil, map[string]string{"engine": "it has builtin, served"}},
		{"engine of another axis", worker.Embeddings, "builtin", "", nil, map[string]string{"engine": "it has served"}},
		{"unknown preset", worker.NER, "served", "huge", nil, map[string]string{"preset": "served has small, large"}},
		{"preset of another engine", worker.NER, "builtin", "large", nil, map[string]string{"preset": "a preset of served, not of builtin, which has rules"}},
		{"preset of another engine, engine by default", worker.NER, "", "large", nil, map[string]string{"preset": "a preset of served"}},
		{"unknown option", worker.NER, "", "", map[string]any{"sise": 1}, map[string]string{"sise": "model, size, rate, host"}},
		{"out of bounds", worker.NER, "", "", map[string]any{"size": 11}, map[string]string{"size": "from 1 to 10"}},
		{"wrong type", worker.NER, "", "", map[string]any{"rate": true}, map[string]string{"rate": "a number"}},
		{"refused by the engine", worker.NER, "", "", map[string]any{"host": "bad"}, map[string]string{"host": "no host"}},
		{"null", worker.NER, "", "", map[string]any{"model": nil}, map[string]string{"model": "a text"}},
		{
			"every field is named", worker.NER, "served", "rules",
			map[string]any{"x": 1, "size": 0},
			map[string]string{"preset": "builtin", "x": "no option", "size": "from 1 to 10"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := registry().Describe(tt.axis, tt.engine, tt.preset, tt.overrides)
			e, ok := errors.AsType[*worker.Error](err)
			if !ok || e.Kind != worker.Invalid || len(e.Fields) != len(tt.want) {
				t.Fatalf("got %v, want an Invalid error with the fields of %v", err, tt.want)
			}
			for field, part := range tt.want {
				if !strings.Contains(e.Fields[field], part) || !strings.Contains(e.Msg, e.Fields[field]) {
					t.Errorf("%s: %q in %q, want %q in it", field, e.Fields[field], e.Msg, part)
				}
			}
		})
	}
}

func TestCheckTogether(t *testing.T) {
	t.Parallel()
	s := spec("served", small)
	s.Check = func(values map[string]any) map[string]string {
		if values["size"] == int64(7) {
			return map[string]string{"size": "not 7"}
		}
		return nil
	}
	r := engine.NewRegistry(engine.ForNER(s, newNER))
	if _, err := r.Describe(worker.NER, "", "", map[string]any{"size": 7}); worker.KindOf(err) != worker.Invalid {
		t.Errorf("got %v, want Invalid", err)
	}
	if _, err := r.Describe(worker.NER, "", "", map[string]any{"size": 6}); err != nil {
		t.Error(err)
	}
}

func TestConstructorReceivesWhatWasDescribed(t *testing.T) {
	t.Parallel()
	r := registry()
	d, err := r.Describe(worker.NER, "served", "large", map[string]any{"host": "h", "size": 3})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	var stored engine.Description
	if err := json.Unmarshal(raw, &stored); err != nil {
		t.Fatal(err)
	}
	for name, given := range map[string]engine.Description{"as described": d, "from the ledger": stored} {
		built, err := r.NewNER(given)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(d, built.(fakeNER).d); diff != "" {
			t.Errorf("%s: -described +received:\n%s", name, diff)
		}
	}
	if d.Text("host") != "http://h" || d.Int("size") != 3 || d.Number("rate") != 0.5 {
		t.Errorf("the typed values differ from %v", d.Values)
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	r := registry()
	d, err := r.Describe(worker.NER, "", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.NewEmbedder(d); worker.KindOf(err) != worker.Invalid {
		t.Errorf("of another axis: %v, want Invalid", err)
	}
	d.Values["size"] = 99
	if _, err := r.NewNER(d); worker.KindOf(err) != worker.Invalid {
		t.Errorf("changed meanwhile: %v, want Invalid", err)
	}
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	r := registry()
	id := func(preset string, overrides map[string]any) map[string]any {
		t.Helper()
		d, err := r.Describe(worker.NER, "served", preset, overrides)
		if err != nil {
			t.Fatal(err)
		}
		return r.Identity(d)
	}
	want := map[string]any{"engine": "served", "preset": "small", "model": "plain", "size": int64(2), "rate": 0.5}
	if diff := cmp.Diff(want, id("", map[string]any{"host": "elsewhere"})); diff != "" {
		t.Errorf("another host: -want +got:\n%s", diff)
	}
	if cmp.Equal(want, id("", map[string]any{"model": "other"})) || cmp.Equal(want, id("large", nil)) {
		t.Error("another model or preset has the same identity")
	}
}

func TestEnginesAreTheCallers(t *testing.T) {
	t.Parallel()
	r := registry()
	r.Engines(worker.NER)[1].Presets[0].Values["size"] = 5
	var names []string
	for _, s := range r.Engines(worker.NER) {
		names = append(names, s.Name)
	}
	if diff := cmp.Diff([]string{"builtin", "served"}, names); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := r.Engines(worker.NER)[1].Presets[0].Values["size"]; got != 2 {
		t.Errorf("a caller changed a preset: %v", got)
	}
}

func TestRegistryPanics(t *testing.T) {
	t.Parallel()
	broken := spec("served", small)
	broken.Options[1].Default = int64(0)
	tests := []struct {
		name string
		give []engine.Registration
	}{
		{"engine twice", []engine.Registration{engine.ForNER(spec("a", rules), newNER), engine.ForNER(spec("a", rules), newNER)}},
		{"no name", []engine.Registration{engine.ForNER(spec("", rules), newNER)}},
		{"no preset", []engine.Registration{engine.ForNER(spec("a"), newNER)}},
		{"preset twice", []engine.Registration{engine.ForNER(spec("a", rules, rules), newNER)}},
		{"preset with an unknown option", []engine.Registration{engine.ForNER(spec("a", engine.Preset{Name: "p", Values: map[string]any{"x": 1}}), newNER)}},
		{"preset out of bounds", []engine.Registration{engine.ForNER(spec("a", engine.Preset{Name: "p", Values: map[string]any{"size": 99}}), newNER)}},
		{"default out of bounds", []engine.Registration{engine.ForNER(broken, newNER)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			engine.NewRegistry(tt.give...)
		})
	}
}

func TestUsageOf(t *testing.T) {
	t.Parallel()
	if got := engine.UsageOf(fakeNER{}); got.Calls != 3 {
		t.Errorf("got %v", got)
	}
	if got := engine.UsageOf(fakeEmbedder{}); got != (engine.Usage{}) {
		t.Errorf("an engine that does not count: %v", got)
	}
}
