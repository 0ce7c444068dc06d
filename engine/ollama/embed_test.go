package ollama_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"scrinalia/engine"
	"scrinalia/worker"

	"github.com/google/go-cmp/cmp"
)

func inputs(req map[string]any) []string {
	var texts []string
	for _, v := range req["input"].([]any) {
		texts = append(texts, v.(string))
	}
	return texts
}

// vectorsOf gives each text a vector of three values that begins with its length.
func vectorsOf(texts []string) reply {
	vectors := make([][]float32, len(texts))
	for i, s := range texts {
		vectors[i] = []float32{float32(len(s)), 1, 0}
	}
	raw, _ := json.Marshal(vectors)
	return reply{vectors: string(raw)}
}

var three = map[string]any{"dimensions": 3, "batch": 4}

func TestEmbedInBatches(t *testing.T) {
	t.Parallel()
	f := serveFunc(t, func(_ int, req map[string]any) reply { return vectorsOf(inputs(req)) })
	e := newEmbedder(t, f, map[string]any{"dimensions": 3, "batch": 2})
	got, err := e.Embed(t.Context(), []string{"a", " ", "bb", "ccc"})
	if err != nil {
		t.Fatal(err)
	}
	if message(got[1].Err) != "there is no text to embed" {
		t.Errorf("empty text: %v", got[1].Err)
	}
	got[1].Err = nil
	want := []engine.Vector{{Values: []float32{1, 1, 0}}, {}, {Values: []float32{2, 1, 0}}, {Values: []float32{3, 1, 0}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	var sent [][]string
	for _, r := range f.seen() {
		sent = append(sent, inputs(r))
	}
	if diff := cmp.Diff([][]string{{"a", "bb"}, {"ccc"}}, sent); diff != "" || e.Dimensions() != 3 {
		t.Errorf("%d dimensions; -want +got:\n%s", e.Dimensions(), diff)
	}
}

// A batch that is refused is split until the text at fault stands alone.
func TestEmbedIsolates(t *testing.T) {
	t.Parallel()
	long := "bad " + strings.Repeat("b", 40)
	tests := []struct {
		name      string
		fault     reply
		want      string // of the error of the text at fault, empty when it was shortened
		truncated bool
	}{
		{"400", reply{status: http.StatusBadRequest, message: "invalid input"}, "Ollama refused the text: invalid input", false},
		{"too long", reply{status: http.StatusBadRequest, message: "the input length exceeds the context length"}, "", true},
		{"too long, as older servers say it", reply{status: http.StatusInternalServerError, message: "input exceeds maximum context length"}, "", true},
		{"NaN that the server cannot write", reply{status: http.StatusInternalServerError, message: "json: unsupported value: NaN"}, "could not write the vector", false},
		{"a number beyond 32 bits", reply{vectors: `[[1e39,0,0]]`}, "no number of 32 bits", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := serveFunc(t, func(_ int, req map[string]any) reply {
				for _, s := range inputs(req) {
					if strings.HasPrefix(s, "bad") && (len(s) > 30 || !tt.truncated) {
						return tt.fault
					}
				}
				return vectorsOf(inputs(req))
			})
			e := newEmbedder(t, f, three)
			got, err := e.Embed(t.Context(), []string{"a", "bb", long, "dddd"})
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range map[int]float32{0: 1, 1: 2, 3: 4} {
				if got[i].Err != nil || got[i].Truncated || got[i].Values[0] != want {
					t.Errorf("text %d: %v", i, got[i])
				}
			}
			if m := message(got[2].Err); !strings.Contains(m, tt.want) || (m == "") != (tt.want == "") || got[2].Truncated != tt.truncated {
				t.Errorf("text at fault: %v, want %q", got[2], tt.want)
			}
			if n := engine.UsageOf(e).Truncated; (n == 1) != tt.truncated {
				t.Errorf("counted %d as truncated", n)
			}
		})
	}
}

func TestEmbedNeverFits(t *testing.T) {
	t.Parallel()
	f := serve(t, reply{status: http.StatusBadRequest, message: "the input length exceeds the context length"})
	got, err := newEmbedder(t, f, three).Embed(t.Context(), []string{strings.Repeat("palavra ", 90)})
	if err != nil || !strings.Contains(message(got[0].Err), "context length") || !got[0].Truncated {
		t.Errorf("got %v, %v", got, err)
	}
	if n := len(f.seen()); n != 4 {
		t.Errorf("%d requests, want 4", n)
	}
}

func TestEmbedOutageWhileIsolating(t *testing.T) {
	t.Parallel()
	refused := reply{status: http.StatusBadRequest, message: "the input length exceeds the context length"}
	for name, after := range map[string]int{"first half": 1, "shortened": 2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := serveFunc(t, func(n int, _ map[string]any) reply {
				if n < after {
					return refused
				}
				return reply{status: http.StatusInternalServerError}
			})
			got, err := newEmbedder(t, f, three).Embed(t.Context(), []string{"a a", "b b"})
			checkOutage(t, err, f.URL, "HTTP 500")
			if got != nil {
				t.Errorf("got %v beside the error", got)
			}
		})
	}
}

func TestVectorsAreValidated(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, vectors, want string }{
		{"of another length", `[[1,2,3],[1,2]]`, "has 2 values and not 3"},
		{"empty", `[[1,2,3],[]]`, "has 0 values"},
		{"null", `[[1,2,3],null]`, "has 0 values"},
		{"zero", `[[1,2,3],[0,0,0]]`, "zero"},
		{"of nulls", `[[1,2,3],[null,null,null]]`, "zero"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := newEmbedder(t, serve(t, reply{vectors: tt.vectors}), three)
			got, err := e.Embed(t.Context(), []string{"a", "b"})
			if err != nil || got[0].Err != nil {
				t.Fatalf("got %v, %v", got, err)
			}
			wrong, ok := errors.AsType[*engine.OutputError](got[1].Err)
			if !ok || !strings.Contains(wrong.Reason, tt.want) || got[1].Values != nil || engine.UsageOf(e).Invalid != 1 {
				t.Errorf("got %v, want %q", got[1], tt.want)
			}
		})
	}
}

func TestVectorsThatCannotBeMatched(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, vectors, want string }{
		{"too few", `[[1,2,3]]`, "1 vectors for 2 texts"},
		{"too many", `[[1,2,3],[1,2,3],[1,2,3]]`, "3 vectors for 2 texts"},
		{"none", `null`, "0 vectors for 2 texts"},
		{"another model's", `[[1,2,3,4],[1,2,3,4]]`, "have 4 dimensions, 3 were expected; set dimensions to 4"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := serve(t, reply{vectors: tt.vectors})
			_, err := newEmbedder(t, f, three).Embed(t.Context(), []string{"a", "b"})
			checkOutage(t, err, f.URL, tt.want)
		})
	}
}

func TestEmbedTruncation(t *testing.T) {
	t.Parallel()
	words := strings.Repeat("palavra ", 60) // 480 bytes, 180 tokens by estimate
	f := serveFunc(t, func(_ int, req map[string]any) reply {
		r := vectorsOf(inputs(req))
		if len(inputs(req)) == 1 && inputs(req)[0] != "short" {
			r.tokens = 9 // the server read no more of it, and does not say so
		} else if len(inputs(req)) > 1 {
			r.tokens = 12
		}
		return r
	})
	e := newEmbedder(t, f, three)
	got, err := e.Embed(t.Context(), []string{"short", words})
	if err != nil || got[0].Truncated || !got[1].Truncated || engine.UsageOf(e).Truncated != 1 {
		t.Errorf("lost by the server: %v, %v, counted %d", got, err, engine.UsageOf(e).Truncated)
	}

	g := serveFunc(t, func(_ int, req map[string]any) reply { return vectorsOf(inputs(req)) })
	e = newEmbedder(t, g, map[string]any{"dimensions": 3, "num_ctx": 64})
	got, err = e.Embed(t.Context(), []string{words})
	if err != nil || !got[0].Truncated || engine.UsageOf(e).Truncated != 1 {
		t.Errorf("by estimate: %v, %v", got, err)
	}
	if sent := inputs(g.seen()[0])[0]; sent != strings.TrimSpace(strings.Repeat("palavra ", 20)) {
		t.Errorf("sent %q, want whole words of at most 62 tokens", sent)
	}
	if _, err := e.Embed(t.Context(), nil); worker.KindOf(err) != worker.Internal || err != nil {
		t.Errorf("nothing to embed: %v", err)
	}
}
