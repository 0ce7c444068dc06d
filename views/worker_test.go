package views

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"scrinalia/engine"
	engines "scrinalia/engine/all"
	"scrinalia/worker"
	"scrinalia/worker/all"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"
)

// workerDocument renders the page of a real worker.
func workerDocument(t *testing.T, name string, override worker.Settings, change func(*WorkerPage)) *goquery.Document {
	t.Helper()
	d, err := all.Catalogue(nil, engine.NewRegistry(engines.Registrations("models.example")...), nil, nil).Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	r, err := worker.Resolve(d, override, worker.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	p := WorkerPage{WorkerRow: WorkerRow{Frame: frame(English), State: worker.NewState(d, r, !override.Empty()), Def: d}, Edit: StoredForm(worker.Override{Version: 1, Settings: override})}
	if change != nil {
		change(&p)
	}
	var out bytes.Buffer
	if err := Worker(p).Render(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	doc, err := goquery.NewDocumentFromReader(&out)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func texts(s *goquery.Selection) []string {
	return s.Map(func(_ int, one *goquery.Selection) string { return strings.Join(strings.Fields(one.Text()), " ") })
}

// TestConfigurationShowsOrigins: engine, preset, and everything that the engine is built from, each with where it comes from.
func TestConfigurationShowsOrigins(t *testing.T) {
	t.Parallel()
	doc := workerDocument(t, worker.Embedding, worker.Settings{Engine: "ollama", Options: map[string]any{"model": "nomic-embed-text", "dimensions": 768}}, nil)
	got := map[string]string{}
	doc.Find("[aria-labelledby=cfg] tbody tr").Each(func(_ int, row *goquery.Selection) {
		row.Find("code, .sub").Remove()
		cells := texts(row.Find("th, td"))
		got[cells[0]] = cells[1] + " | " + cells[2]
	})
	want := map[string]string{
		"Engine": "ollama | override", "Preset": "multilingual_minilm | default", "Model": "nomic-embed-text | override",
		"Dimensions": "768 | override", "Host": "http://models.example:11434 | environment",
	}
	for name := range got {
		if _, asked := want[name]; !asked {
			delete(got, name)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestTheRunFormOffersItsAxisOnly: engines and presets of the worker's own axis; none for a worker without.
func TestTheRunFormOffersItsAxisOnly(t *testing.T) {
	t.Parallel()
	registry := engine.NewRegistry(engines.Registrations("")...)
	for _, d := range all.Catalogue(nil, registry, nil, nil).All() {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			doc := workerDocument(t, d.Name, worker.Settings{}, nil)
			var want []string
			if d.EngineSource == worker.EngineDefault {
				for _, e := range registry.Engines(d.Axis) {
					for _, p := range e.Presets {
						want = append(want, e.Name+"/"+p.Name)
					}
				}
			}
			var got []string
			doc.Find("#run-engine option").Each(func(_ int, o *goquery.Selection) {
				if v := o.AttrOr("value", ""); v != "" {
					got = append(got, v)
				}
			})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-axis +form:\n%s", diff)
			}
		})
	}
}

// TestRefusedEngineStaysTyped: what was typed stays, the error stands at its field, and the folds with errors are open.
func TestRefusedEngineStaysTyped(t *testing.T) {
	t.Parallel()
	doc := workerDocument(t, worker.NamedEntities, worker.Settings{}, func(p *WorkerPage) {
		p.Form = RunForm{
			Given:   map[string]string{EngineField: "ollama/gemma_4b_local", "num_ctx": "1", "columns": "provenance,original_title"},
			Refused: map[string]string{"num_ctx": "too small", "preset": "not that one"},
		}
	})
	if got := doc.Find("#run-engine option[selected]").AttrOr("value", ""); got != "ollama/gemma_4b_local" {
		t.Errorf("selected %q", got)
	}
	if got := doc.Find("#run-num_ctx").AttrOr("value", ""); got != "1" {
		t.Errorf("num_ctx is %q", got)
	}
	for id, want := range map[string]string{"#run-engine-h": "not that one", "#run-num_ctx-h": "too small"} {
		if got := texts(doc.Find(id)); !slices.Equal(got, []string{want}) {
			t.Errorf("%s says %q, want %q", id, got, want)
		}
	}
	if n := doc.Find("details[open]").Length(); n != 2 {
		t.Errorf("%d folds are open, want both", n)
	}
	if got := texts(doc.Find(".slip a")); !slices.Equal(got, []string{"Engine", "Context window"}) {
		t.Errorf("the summary links %q", got)
	}
	var ticked []string
	doc.Find(`[name="option.columns"][checked]`).Each(func(_ int, s *goquery.Selection) { ticked = append(ticked, s.AttrOr("value", "")) })
	if !slices.Equal(ticked, []string{"original_title", "provenance"}) {
		t.Errorf("ticked %q", ticked)
	}
}

// TestStaleHasItsReason: what the stale units were processed with, in words.
func TestStaleHasItsReason(t *testing.T) {
	t.Parallel()
	doc := workerDocument(t, worker.Typology, worker.Settings{}, func(p *WorkerPage) {
		p.Queue = worker.Queue{Pending: new(int64), Processed: 402, Stale: 402, StaleBecause: []worker.StaleGroup{
			{Units: 400, Differences: []worker.Difference{{Name: "threshold", Was: 0.5, Now: 0.4}, {Name: "engine", Was: "ollama", Now: "builtin"}}}, {Units: 2},
		}}
	})
	want := []string{
		"400 processed with other settings: Threshold was 0.50, is now 0.40; Engine was ollama, is now builtin.",
		"2 processed with settings of an earlier version.",
	}
	if diff := cmp.Diff(want, texts(doc.Find(".stale li"))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestTheRuleGivesTheEngine: what the page of a worker shows whose engine comes from a rule, with a rule, with a broken one and with none.
func TestTheRuleGivesTheEngine(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		rule   *worker.RuleEngine
		engine string // value and origin
		remark string
	}{
		{"no rule", nil, "", "No LLM_CHECK rule: deterministic validation only."},
		{"a rule", &worker.RuleEngine{Name: "titles", Engine: "ollama", Preset: "gemma_4b_local"}, "ollama | rule", "Titles are checked with the engine of the LLM_CHECK rule “titles”."},
		{"a rule that leaves the engine open", &worker.RuleEngine{Name: "titles"}, "builtin | default", "Titles are checked with the engine of the LLM_CHECK rule “titles”."},
		{
			"a rule whose engine is gone",
			&worker.RuleEngine{Name: "titles", Engine: "vanished", Preset: "x"}, "vanished | rule",
			"The LLM_CHECK rule “titles” asks for vanished x, which is not there: runs fail until the rule is changed.",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			doc := workerDocument(t, worker.QualityValidator, worker.Settings{}, func(p *WorkerPage) {
				r, err := worker.ResolveByRule(p.Def, tt.rule, worker.Settings{}, worker.Settings{})
				if err != nil {
					t.Fatal(err)
				}
				p.State = worker.NewState(p.Def, r, false)
			})
			got := ""
			doc.Find("[aria-labelledby=cfg] tbody tr").Each(func(_ int, row *goquery.Selection) {
				row.Find("code, td .sub").Remove()
				if cells := texts(row.Find("th, td")); cells[0] == "Engine" {
					got = cells[1] + " | " + cells[2]
				}
			})
			if got != tt.engine {
				t.Errorf("engine %q, want %q", got, tt.engine)
			}
			if diff := cmp.Diff([]string{tt.remark}, texts(doc.Find("p.remark:not(.fixed)"))); diff != "" {
				t.Errorf("remark, -want +got:\n%s", diff)
			}
			if doc.Find("#run-engine, #run-model").Length() > 0 {
				t.Error("the form asks for an engine")
			}
		})
	}
}
