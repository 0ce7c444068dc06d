package all_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"scrinalia/engine"
	engines "scrinalia/engine/all"
	"scrinalia/worker"
	"scrinalia/worker/all"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func catalogue() *worker.Catalogue {
	return all.Catalogue(nil, engine.NewRegistry(engines.Registrations("")...), nil, nil)
}

func TestCatalogueGolden(t *testing.T) {
	t.Parallel()
	type entry struct {
		worker.Spec

		Options []worker.Option
	}
	var entries []entry
	for _, d := range catalogue().All() {
		entries = append(entries, entry{d.Spec, d.Options})
	}
	var got bytes.Buffer
	enc := json.NewEncoder(&got)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(entries); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "catalogue.json")
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("the catalogue changed; if it was meant to, run go test ./worker/all -update: -want +got:\n%s", diff)
	}
}

// TestEveryFolderIsListed: the folder of a worker is its name without the hyphen.
func TestEveryFolderIsListed(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	var folders, listed []string
	for _, e := range entries {
		if e.IsDir() && e.Name() != "all" {
			folders = append(folders, e.Name())
		}
	}
	for _, name := range catalogue().Names() {
		listed = append(listed, strings.ReplaceAll(name, "-", ""))
	}
	slices.Sort(listed)
	if diff := cmp.Diff(folders, listed); diff != "" {
		t.Errorf("-folders of worker +catalogue:\n%s", diff)
	}
}

func TestEveryWorkerResolves(t *testing.T) {
	t.Parallel()
	for _, d := range catalogue().All() {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			if _, err := worker.Resolve(d, worker.Settings{}, worker.Settings{}); err != nil {
				t.Error(err)
			}
			for _, name := range []string{"limit", "dry_run", "force"} {
				if o, ok := d.Option(name); !ok || !o.RunOnly {
					t.Errorf("option %s: there %t, of one run %t", name, ok, o.RunOnly)
				}
			}
		})
	}
}

// forbidden are paths that no worker may reach, with the reason.
var forbidden = map[string]string{
	"net/http":                  "the catalogue is listed without any service; an engine brings its own client",
	"github.com/jackc":          "workers reach the database through an interface of their own",
	"github.com/labstack":       "workers know nothing of pages",
	"github.com/ollama":         "engines are handed to workers",
	"github.com/riverqueue":     "the executor alone knows the job queue",
	"scrinalia/store":           "stores implement the workers' interfaces, not the other way round",
	"scrinalia/executor":        "the executor runs workers, not the other way round",
	"scrinalia/views":           "workers know nothing of pages",
	"github.com/golang-migrate": "workers know nothing of the schema",
	"github.com/spf13":          "workers know nothing of the command line",
}

func TestDependencies(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	if !slices.Contains(deps, "scrinalia/worker") {
		t.Fatalf("go list names %d packages, but not worker", len(deps))
	}
	for _, dep := range deps {
		for path, reason := range forbidden {
			if dep == path || strings.HasPrefix(dep, path+"/") {
				t.Errorf("worker/all reaches %s: %s", dep, reason)
			}
		}
	}
}
