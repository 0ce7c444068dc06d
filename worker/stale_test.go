package worker_test

import (
	"context"
	"encoding/json"
	"maps"
	"testing"

	"scrinalia/worker"

	"github.com/google/go-cmp/cmp"
)

// axis is a registry with two engines whose results depend on a model, and not on a host.
type axis struct{}

func (axis) Describe(_ worker.Axis, engine, preset string, overrides map[string]any) (worker.EngineDescription, error) {
	d := worker.EngineDescription{Engine: "a", Preset: "first", Values: map[string]any{"model": "m", "host": "h", "size": int64(3)}, Origins: map[string]worker.Origin{}}
	if engine != "" {
		d.Engine = engine
	}
	if preset != "" {
		d.Preset = preset
	}
	maps.Copy(d.Values, overrides)
	return d, nil
}

func (axis) Identity(d worker.EngineDescription) map[string]any {
	return map[string]any{"engine": d.Engine, "preset": d.Preset, "model": d.Values["model"], "size": d.Values["size"]}
}

func (axis) Choices(worker.Axis) []worker.EngineChoice {
	options := []worker.Option{{Name: "model", Type: worker.Text}, {Name: "host", Type: worker.Text}, {Name: "size", Type: worker.Integer}}
	return []worker.EngineChoice{{Name: "a", Presets: []worker.PresetName{{Name: "first"}}, Options: options}, {Name: "b", Presets: []worker.PresetName{{Name: "first"}}, Options: options}}
}

// TestDifferSaysWhyTheFingerprintIsAnother: whatever makes results stale is named, and nothing else is; also when the configuration of then
// comes from the ledger.
func TestDifferSaysWhyTheFingerprintIsAnother(t *testing.T) {
	t.Parallel()
	d := worker.DefineWithEngine(worker.Spec{Name: "probe", Order: 1, Axis: worker.NER, EngineSource: worker.EngineDefault}, defaults, axis{},
		func(context.Context, worker.Env, worker.EngineDescription, options) error { return nil })
	now, err := worker.Resolve(d, worker.Settings{}, worker.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		was  worker.Settings
		want []worker.Difference
	}{
		{"the same", worker.Settings{}, nil},
		{"batch size", worker.Settings{BatchSize: 7}, nil},
		{"a run of its own", worker.Settings{Options: map[string]any{"limit": 3, "force": true}}, nil},
		{"neutral", worker.Settings{Options: map[string]any{"host": "elsewhere"}}, nil},
		{"threshold", worker.Settings{Options: map[string]any{"threshold": 0.5}}, []worker.Difference{{"threshold", 0.5, 0.4}}},
		{"list", worker.Settings{Options: map[string]any{"columns": []any{"scope"}}}, []worker.Difference{{"columns", []any{"scope"}, []any{"title"}}}},
		{"engine", worker.Settings{Engine: "b"}, []worker.Difference{{"engine", "b", "a"}}},
		{"model and size", worker.Settings{Options: map[string]any{"model": "n", "size": int64(4)}}, []worker.Difference{{"model", "n", "m"}, {"size", 4.0, 3.0}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			was, err := worker.Resolve(d, worker.Settings{}, tt.was)
			if err != nil {
				t.Fatal(err)
			}
			raw, err := json.Marshal(was.Config)
			if err != nil {
				t.Fatal(err)
			}
			var kept worker.Config
			if err := json.Unmarshal(raw, &kept); err != nil {
				t.Fatal(err)
			}
			got := d.Differ(kept, now.Config)
			if diff := cmp.Diff(jsonOf(t, tt.want), jsonOf(t, got)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if stale := string(was.Fingerprint(d)) != string(now.Fingerprint(d)); stale != (len(got) > 0) {
				t.Errorf("stale %t, with %d reasons", stale, len(got))
			}
		})
	}
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
