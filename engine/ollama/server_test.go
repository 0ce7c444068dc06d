package ollama_test

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"scrinalia/engine"
	"scrinalia/engine/ollama"
	"scrinalia/worker"
)

// reply is what the server does with one request. The zero value answers nothing of use.
type reply struct {
	content, thinking string
	done              string // done_reason, "stop" when empty
	tokens            int    // prompt_eval_count; 0 is what was sent, at four bytes a token
	vectors           string // of /api/embed, as JSON
	status            int    // an error of this status
	message           string // of the error
	raw               string // the whole body
	cut               bool   // the connection is cut within the answer
	wait              bool   // no answer until the caller goes away
}

// fake behaves like Ollama's documented API for the models it has.
type fake struct {
	*httptest.Server
	models []string

	mu       sync.Mutex
	answer   func(n int, req map[string]any) reply // n counts requests from 0
	requests []map[string]any
	asked    chan struct{} // a request that waits has arrived
	gone     chan struct{} // its caller went away
}

// serve starts a server whose nth request gets the nth reply; the last one is repeated.
func serve(t *testing.T, replies ...reply) *fake {
	t.Helper()
	return serveFunc(t, func(n int, _ map[string]any) reply { return replies[min(n, len(replies)-1)] })
}

func serveFunc(t *testing.T, answer func(int, map[string]any) reply) *fake {
	t.Helper()
	f := &fake{
		models: []string{"granite4.1:3b", "gemma4:e4b", "paraphrase-multilingual-MiniLM-L12-v2:latest"},
		answer: answer, asked: make(chan struct{}, 9), gone: make(chan struct{}, 9),
	}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

// seen returns the requests so far.
func (f *fake) seen() []map[string]any {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.requests
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	var req map[string]any
	if err := json.Unmarshal(raw, &req); err != nil {
		http.Error(w, `{"error":"bad request"}`, http.StatusBadRequest)
		return
	}
	req["path"], req["bytes"] = r.URL.Path, float64(len(raw))
	user, password, _ := r.BasicAuth()
	req["user"] = user + ":" + password
	f.mu.Lock()
	n := len(f.requests)
	f.requests = append(f.requests, req)
	f.mu.Unlock()
	if model, _ := req["model"].(string); !f.has(model) {
		f.write(w, req, reply{status: http.StatusNotFound, message: "model '" + model + "' not found"})
		return
	}
	rep := f.answer(n, req)
	if rep.wait {
		f.asked <- struct{}{}
		<-r.Context().Done()
		f.gone <- struct{}{}
		return
	}
	f.write(w, req, rep)
}

func (f *fake) has(model string) bool {
	for _, m := range f.models {
		if ollama.SameModel(m, model) {
			return true
		}
	}
	return false
}

func (f *fake) write(w http.ResponseWriter, req map[string]any, rep reply) {
	body := []byte(rep.raw)
	switch {
	case rep.raw != "":
	case rep.status != 0:
		body, _ = json.Marshal(map[string]string{"error": rep.message})
	case strings.HasSuffix(req["path"].(string), "/api/embed"):
		body = []byte(`{"model":"m","embeddings":` + rep.vectors + `,"prompt_eval_count":` + number(rep.count(req)) + `,"load_duration":5}`)
	default:
		body, _ = json.Marshal(map[string]any{
			"model": req["model"], "message": map[string]string{"role": "assistant", "content": rep.content, "thinking": rep.thinking},
			"done": true, "done_reason": "stop", "prompt_eval_count": rep.count(req), "eval_count": 7, "load_duration": 5,
		})
		if rep.done != "" {
			body = []byte(strings.Replace(string(body), `"done_reason":"stop"`, `"done_reason":"`+rep.done+`"`, 1))
		}
	}
	if rep.cut {
		w.Header().Set("Content-Length", "9999")
		_, _ = w.Write(body[:len(body)/2])
		panic(http.ErrAbortHandler)
	}
	if rep.status != 0 {
		w.WriteHeader(rep.status)
	}
	_, _ = w.Write(body)
}

func (rep reply) count(req map[string]any) int {
	if rep.tokens != 0 {
		return rep.tokens
	}
	return int(req["bytes"].(float64)) / 4
}

func number(n int) string { raw, _ := json.Marshal(n); return string(raw) }

// describe describes the default preset of an axis for this server.
func describe(t *testing.T, f *fake, axis worker.Axis, overrides map[string]any) (*engine.Registry, engine.Description) {
	t.Helper()
	r := engine.NewRegistry(ollama.Registrations("")...)
	values := map[string]any{"host": f.URL}
	maps.Copy(values, overrides)
	d, err := r.Describe(axis, "", "", values)
	if err != nil {
		t.Fatal(err)
	}
	return r, d
}

func newNER(t *testing.T, f *fake, overrides map[string]any) engine.NER {
	t.Helper()
	r, d := describe(t, f, worker.NER, overrides)
	e, err := r.NewNER(d)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func newClassifier(t *testing.T, f *fake, overrides map[string]any) engine.Classifier {
	t.Helper()
	r, d := describe(t, f, worker.Classification, overrides)
	e, err := r.NewClassifier(d)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func newEmbedder(t *testing.T, f *fake, overrides map[string]any) engine.Embedder {
	t.Helper()
	r, d := describe(t, f, worker.Embeddings, overrides)
	e, err := r.NewEmbedder(d)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func newJudge(t *testing.T, f *fake) engine.Judge {
	t.Helper()
	r, d := describe(t, f, worker.LLMs, nil)
	e, err := r.NewJudge(d)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func newTitleChecker(t *testing.T, f *fake) engine.TitleChecker {
	t.Helper()
	r, d := describe(t, f, worker.TitleQuality, nil)
	e, err := r.NewTitleChecker(d)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// message is the error's text, empty for none.
func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
