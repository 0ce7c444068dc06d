package all_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"scrinalia/engine"
	"scrinalia/engine/all"
	"scrinalia/worker"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files")

// observed is the registry of all engines, with what their constructors receive.
func observed() (*engine.Registry, *[]engine.Description) {
	received := new([]engine.Description)
	registrations := all.Registrations("")
	for i, r := range registrations {
		registrations[i] = r.Observed(func(d engine.Description) { *received = append(*received, d) })
	}
	return engine.NewRegistry(registrations...), received
}

// build builds the engine of a description's axis.
func build(r *engine.Registry, d engine.Description) (built any, err error) {
	switch d.Axis {
	case worker.NER:
		return r.NewNER(d)
	case worker.Classification:
		return r.NewClassifier(d)
	case worker.Embeddings:
		return r.NewEmbedder(d)
	case worker.LLMs:
		return r.NewJudge(d)
	default:
		return r.NewTitleChecker(d)
	}
}

// descriptions describes every preset of every engine of every axis.
func descriptions(t *testing.T, r *engine.Registry) []engine.Description {
	t.Helper()
	var ds []engine.Description
	for _, axis := range engine.Axes {
		for _, s := range r.Engines(axis) {
			for _, p := range s.Presets {
				d, err := r.Describe(axis, s.Name, p.Name, nil)
				if err != nil {
					t.Fatal(err)
				}
				ds = append(ds, d)
			}
		}
	}
	return ds
}

func TestEveryPresetIsBuiltFromWhatIsDescribed(t *testing.T) {
	t.Parallel()
	r, received := observed()
	described := descriptions(t, r)
	if len(*received) != 0 {
		t.Fatalf("describing built %v", *received)
	}
	for _, d := range described {
		built, err := build(r, d)
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := built.(engine.Embedder); ok && e.Dimensions() != d.Int("dimensions") {
			t.Errorf("%s %s: %d dimensions, described were %d", d.Engine, d.Preset, e.Dimensions(), d.Int("dimensions"))
		}
	}
	if diff := cmp.Diff(described, *received); diff != "" {
		t.Errorf("-described +received:\n%s", diff)
	}
}

func TestEveryAxisHasAnEngine(t *testing.T) {
	t.Parallel()
	r, _ := observed()
	for _, axis := range engine.Axes {
		if _, err := r.Describe(axis, "", "", nil); err != nil {
			t.Error(err)
		}
	}
}

func TestGoldens(t *testing.T) {
	t.Parallel()
	r, _ := observed()
	engines := map[worker.Axis][]engine.Spec{}
	for _, axis := range engine.Axes {
		engines[axis] = r.Engines(axis)
	}
	golden(t, "engines.golden", engines)
	golden(t, "descriptions.golden", descriptions(t, r))
}

func golden(t *testing.T, name string, v any) {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("-want +got (write with -update):\n%s", diff)
	}
}
