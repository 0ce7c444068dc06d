package ollama_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"

	"scrinalia/engine"
	"scrinalia/engine/ollama"
	"scrinalia/worker"

	"github.com/google/go-cmp/cmp"
)

var fieldOfSchema = regexp.MustCompile(`"(entities|text|type|label|winner|suspect|confidence|reason)":\{`)

// A server writes the fields of an answer in the order in which the schema has them, so that a model that has to begin with its confidence
// would say how sure it is of what it has not found yet.
func TestAnswersEndWithConfidence(t *testing.T) {
	t.Parallel()
	want := map[worker.Axis][]string{
		worker.NER:            {"entities", "text", "type", "confidence"},
		worker.Classification: {"label", "confidence"},
		worker.LLMs:           {"winner", "confidence", "reason"},
		worker.TitleQuality:   {"suspect", "confidence", "reason"},
	}
	r := engine.NewRegistry(ollama.Registrations("")...)
	for axis, want := range want {
		t.Run(string(axis), func(t *testing.T) {
			t.Parallel()
			formats := make(chan json.RawMessage, 2)
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				var sent struct{ Format json.RawMessage }
				_ = json.NewDecoder(req.Body).Decode(&sent)
				formats <- sent.Format
				_, _ = io.WriteString(w, `{"message":{"content":"{}"},"done":true}`)
			}))
			t.Cleanup(s.Close)
			d, err := r.Describe(axis, ollama.Name, "", map[string]any{"host": s.URL})
			if err != nil {
				t.Fatal(err)
			}
			ask(t, r, d)
			var got []string
			for _, field := range fieldOfSchema.FindAllStringSubmatch(string(<-formats), -1) {
				got = append(got, field[1])
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
