package ollama_test

import (
	"encoding/json"
	"strings"
	"testing"

	"scrinalia/engine"
	"scrinalia/engine/ollama"
	"scrinalia/worker"

	"github.com/google/go-cmp/cmp"
)

func TestEntities(t *testing.T) {
	t.Parallel()
	text := "Carta de JOÃO  BATISTA ao prefeito de São Paulo sobre a banana; Ana assina. Joa\u0303o Batista."
	f := serve(t, reply{content: `{"entities":[
		{"text":"joao batista","type":"PER","confidence":0.8},
		{"text":"João Batista","type":"PER","confidence":0.9},
		{"text":"SAO PAULO","type":"LOC","confidence":1},
		{"text":"Ana","type":"PER","confidence":0}]}`})
	got, err := newNER(t, f, nil).Entities(t.Context(), []string{text, " "})
	if err != nil {
		t.Fatal(err)
	}
	want := []engine.Found{{Entities: []engine.Entity{
		{Name: "JOÃO  BATISTA", Type: engine.Person, Score: 0.9},
		{Name: "São Paulo", Type: engine.Place, Score: 1},
		{Name: "Ana", Type: engine.Person, Score: 0},
	}}, {}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if n := len(f.seen()); n != 1 {
		t.Errorf("%d requests, want 1: an empty text is not asked about", n)
	}
}

func TestEntitiesKeepAccentsOfTheText(t *testing.T) {
	t.Parallel()
	f := serve(t, reply{content: `{"entities":[{"text":"Antônia Conceição","type":"PER","confidence":1}]}`})
	decomposed := "Antonia Conceic\u0327a\u0303o"
	got, err := newNER(t, f, nil).Entities(t.Context(), []string{"Carta de " + decomposed + ", viúva"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]engine.Found{{Entities: []engine.Entity{{Name: decomposed, Type: engine.Person, Score: 1}}}}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestEntitiesKeepSignsOfTheText(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, answer, want string }{
		{"typographic quotes", "Loja “D’Ouro” Ltda", `Loja "D'Ouro" Ltda`, "Loja “D’Ouro” Ltda"},
		{"dash", "Estrada Santos–Jundiaí", "estrada santos-jundiai", "Estrada Santos–Jundiaí"},
		{"ligature", "O oﬁcial Lima", "oficial lima", "oﬁcial Lima"},
		{"no-break space", "Rua  Direita", "Rua Direita", "Rua  Direita"},
		{"whole words only, the second time", "Mariana, Ana", "ana", "Ana"},
		{"marks at the end", "sobre José, pai", "josé", "José"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			raw, _ := json.Marshal(map[string]any{"entities": []any{map[string]any{"text": tt.answer, "type": "ORG", "confidence": 1}}})
			got, err := newNER(t, serve(t, reply{content: string(raw)}), nil).Entities(t.Context(), []string{tt.text})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]engine.Found{{Entities: []engine.Entity{{Name: tt.want, Type: engine.Organisation, Score: 1}}}}, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestClassify(t *testing.T) {
	t.Parallel()
	f := serve(
		t, reply{content: `{"label":"Ata de Reunião","confidence":0.7}`},
		reply{content: `{"label":"","confidence":0.2}`},
	)
	got, err := newClassifier(t, f, nil).Classify(t.Context(), []string{"Ata da 3ª sessão", "Coisas", ""}, []string{"Fotografia", "Ata de Reunião"})
	if err != nil {
		t.Fatal(err)
	}
	want := []engine.Choice{{Label: "Ata de Reunião", Score: 0.7}, {Score: 0.2}, {}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	offered := f.seen()[0]["format"].(map[string]any)["properties"].(map[string]any)["label"].(map[string]any)["enum"]
	if diff := cmp.Diff([]any{"Fotografia", "Ata de Reunião", ""}, offered); diff != "" {
		t.Errorf("offered: -want +got:\n%s", diff)
	}
}

func TestClassifyNeedsLabels(t *testing.T) {
	t.Parallel()
	f := serve(t, reply{})
	for _, labels := range [][]string{nil, {"a", ""}} {
		if _, err := newClassifier(t, f, nil).Classify(t.Context(), []string{"x"}, labels); worker.KindOf(err) != worker.Invalid {
			t.Errorf("%q: got %v, want Invalid", labels, err)
		}
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	f := serve(t, reply{content: `{"winner":"ENTITY","confidence":0.95,"reason":" É um\n bairro. "}`})
	got, err := newJudge(t, f).Judge(t.Context(), []engine.Pair{{Tag: "cambuí", Entity: "Cambuí", EntityType: engine.Place}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]engine.Ruling{{Winner: engine.EntityWins, Confidence: 0.95, Reason: "É um bairro."}}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestJudgeIsToldOfUse: how both are used reaches the model, when it is known.
func TestJudgeIsToldOfUse(t *testing.T) {
	t.Parallel()
	f := serve(t, reply{content: `{"winner":"TAG","confidence":0.9,"reason":"x"}`})
	pairs := []engine.Pair{{Tag: "a", Entity: "A", TagDocuments: 12, EntityDocuments: 3}, {Tag: "b", Entity: "B"}}
	if _, err := newJudge(t, f).Judge(t.Context(), pairs); err != nil {
		t.Fatal(err)
	}
	seen := f.seen()
	if len(seen) != 2 {
		t.Fatalf("%d requests, want 2", len(seen))
	}
	for i, want := range []string{`{"tag":"a","entity":"A","documents":{"tag":12,"entity":3,"both":0}}`, `{"tag":"b","entity":"B"}`} {
		messages, _ := seen[i]["messages"].([]any)
		last, _ := messages[len(messages)-1].(map[string]any)
		if said, _ := last["content"].(string); !strings.Contains(said, want) {
			t.Errorf("the model is shown %q, want %s in it", said, want)
		}
	}
}

func TestTitleCheck(t *testing.T) {
	t.Parallel()
	f := serve(
		t, reply{content: `{"suspect":true,"confidence":0.8,"reason":"Nome de arquivo."}`},
		reply{content: `{"suspect":false,"confidence":1,"reason":""}`},
	)
	got, err := newTitleChecker(t, f).Check(t.Context(), []string{"IMG_0001.tif", "Ata", ""})
	if err != nil {
		t.Fatal(err)
	}
	want := []engine.TitleVerdict{{Suspect: true, Confidence: 0.8, Reason: "Nome de arquivo."}, {Confidence: 1}, {}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// ask makes an engine of a description do one unit.
func ask(t *testing.T, r *engine.Registry, d engine.Description) {
	t.Helper()
	var err error
	switch d.Axis {
	case worker.NER:
		var e engine.NER
		if e, err = r.NewNER(d); err == nil {
			_, err = e.Entities(t.Context(), []string{"x"})
		}
	case worker.Classification:
		var e engine.Classifier
		if e, err = r.NewClassifier(d); err == nil {
			_, err = e.Classify(t.Context(), []string{"x"}, []string{"a"})
		}
	case worker.Embeddings:
		var e engine.Embedder
		if e, err = r.NewEmbedder(d); err == nil {
			_, err = e.Embed(t.Context(), []string{"x"})
		}
	case worker.LLMs:
		var e engine.Judge
		if e, err = r.NewJudge(d); err == nil {
			_, err = e.Judge(t.Context(), []engine.Pair{{Tag: "x", Entity: "x"}})
		}
	default:
		var e engine.TitleChecker
		if e, err = r.NewTitleChecker(d); err == nil {
			_, err = e.Check(t.Context(), []string{"x"})
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// What was described is what goes over the wire, for every axis and preset, and no two requests of a run differ in what would make
// the server load the model again.
func TestSentIsWhatWasDescribed(t *testing.T) {
	t.Parallel()
	set := map[string]any{"num_ctx": 2048, "keep_alive": "90s", "device": "cpu"}
	r := engine.NewRegistry(ollama.Registrations("")...)
	for _, axis := range engine.Axes {
		for _, preset := range r.Engines(axis)[0].Presets {
			t.Run(string(axis)+" "+preset.Name, func(t *testing.T) {
				t.Parallel()
				f := serve(t, reply{content: `{}`, vectors: `[[]]`}) // of no use, so that chat asks twice
				set := map[string]any{"host": f.URL, "num_ctx": set["num_ctx"], "keep_alive": set["keep_alive"], "device": set["device"]}
				d, err := r.Describe(axis, ollama.Name, preset.Name, set)
				if err != nil {
					t.Fatal(err)
				}
				ask(t, r, d)
				want := map[string]any{"model": d.Text("model"), "keep_alive": "1m30s", "options": wireOptions(d), "truncate": false}
				if axis != worker.Embeddings {
					want["think"], want["stream"], want["shift"] = false, false, false
				}
				for _, req := range f.seen() {
					for _, varies := range []string{"path", "bytes", "user", "messages", "format", "input"} {
						delete(req, varies)
					}
					if diff := cmp.Diff(want, req); diff != "" {
						t.Errorf("-described +sent:\n%s", diff)
					}
				}
			})
		}
	}
}

// wireOptions are the options of the model as JSON reads them.
func wireOptions(d engine.Description) map[string]any {
	o := map[string]any{"num_ctx": float64(d.Int("num_ctx")), "num_gpu": 0.0}
	if d.Axis != worker.Embeddings {
		o["temperature"], o["num_predict"], o["repeat_penalty"] = d.Number("temperature"), float64(d.Int("num_predict")), 1.0
	}
	return o
}

func TestThink(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]any{"false": false, "true": true, "low": "low", "unset": nil} {
		t.Run(given, func(t *testing.T) {
			t.Parallel()
			f := serve(t, reply{content: `{"entities":[]}`})
			if _, err := newNER(t, f, map[string]any{"think": given, "keep_alive": "-1"}).Entities(t.Context(), []string{"x"}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]any{want, -1.0}, []any{f.seen()[0]["think"], f.seen()[0]["keep_alive"]}); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestUsageCounts(t *testing.T) {
	t.Parallel()
	f := serve(t, reply{content: `no`, tokens: 500, done: "length"}, reply{content: `{"entities":[]}`, tokens: 600})
	n := newNER(t, f, nil)
	if _, err := n.Entities(t.Context(), []string{"x"}); err != nil {
		t.Fatal(err)
	}
	want := engine.Usage{Calls: 2, Repairs: 1, CutAnswers: 1, PromptTokens: 1100, AnswerTokens: 14, LoadTime: 10}
	if diff := cmp.Diff(want, engine.UsageOf(n)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	second := f.seen()[1]["messages"].([]any)
	if raw, _ := json.Marshal(second[3]); len(second) != 4 || !json.Valid(raw) {
		t.Errorf("the second attempt sent %d messages, want the question, the answer and what is wrong with it", len(second))
	}
}
