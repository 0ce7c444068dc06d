// Package ollamatest starts servers for tests that speak as much of Ollama's API as the adapters use, over real HTTP, and answer every question
// of theirs in the form that its schema asks for, always the same. It is for tests only.
package ollamatest

import (
	"context"
	"encoding/json"
	"hash/fnv"
	"math/rand/v2"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"scrinalia/engine/ollama"
)

// Server is a running server. Start and Stop may be called again and again: it keeps its address.
type Server struct {
	URL string

	t         testing.TB
	address   string
	models    []string
	mu        sync.Mutex
	running   *http.Server
	stopAfter int // answers that are left; negative: no end
	answered  map[string]int
	held      func(text string) bool // which questions wait
	waiting   int                    // that do
	released  chan struct{}
}

// New starts a server that has these models and ends with the test.
func New(t testing.TB, models ...string) *Server {
	t.Helper()
	s := &Server{t: t, address: "127.0.0.1:0", models: models, stopAfter: -1, answered: map[string]int{}}
	s.Start()
	s.URL = "http://" + s.address
	t.Cleanup(s.Stop)
	return s
}

// Start starts it, again.
func (s *Server) Start() {
	s.t.Helper()
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", s.address)
	if err != nil {
		s.t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.address, s.stopAfter = l.Addr().String(), -1
	s.running = &http.Server{Handler: s.routes()} //nolint:gosec // its only client is the test
	go func(running *http.Server) { _ = running.Serve(l) }(s.running)
}

// Stop stops it at once, in the middle of what it answers.
func (s *Server) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.running.Close()
}

// StopAfter lets it answer n more questions, and stops it at the next.
func (s *Server) StopAfter(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopAfter = n
}

// Hold lets the questions about texts that the function names wait, until Release or until who asked has gone.
func (s *Server) Hold(held func(text string) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held, s.released = held, make(chan struct{})
}

// Release answers the questions that wait, and holds no more.
func (s *Server) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = nil
	close(s.released)
}

// Waiting says how many questions wait.
func (s *Server) Waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiting
}

// wait holds a question, and says whether it is to be answered.
func (s *Server) wait(ctx context.Context, text string) bool {
	s.mu.Lock()
	if s.held == nil || !s.held(text) {
		s.mu.Unlock()
		return true
	}
	released := s.released
	s.waiting++
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.waiting--
	}()
	select {
	case <-released:
		return true
	case <-ctx.Done():
		return false
	}
}

// Answered says how many questions it answered, by the first field of the answer: entities, label, winner, suspect or embeddings.
func (s *Server) Answered(field string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.answered[field]
}

// may says whether a question is answered, and stops the server at the first that is not.
func (s *Server) may(field string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopAfter == 0 {
		go s.Stop()
		return false
	}
	if s.stopAfter > 0 {
		s.stopAfter--
	}
	s.answered[field]++
	return true
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/version", func(w http.ResponseWriter, _ *http.Request) { answer(w, map[string]any{"version": "0.17.4"}) })
	mux.HandleFunc("GET /api/tags", func(w http.ResponseWriter, _ *http.Request) { answer(w, map[string]any{"models": s.named()}) })
	mux.HandleFunc("GET /api/ps", func(w http.ResponseWriter, _ *http.Request) { answer(w, map[string]any{"models": []any{}}) })
	mux.HandleFunc("POST /api/chat", s.chat)
	mux.HandleFunc("POST /api/embed", s.embed)
	return mux
}

func (s *Server) named() []any {
	list := make([]any, len(s.models))
	for i, m := range s.models {
		list[i] = map[string]any{"name": m, "model": m}
	}
	return list
}

// asked is a request of /api/chat or /api/embed, as far as it matters here.
type asked struct {
	Model    string
	Input    []string
	Messages []struct{ Content string }
	Format   struct {
		Properties map[string]struct {
			Enum []string
		}
	}
}

// read reads a request, which has to name a model that is there.
func (s *Server) read(w http.ResponseWriter, r *http.Request) (q asked, ok bool) {
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		answer(w, map[string]any{"error": err.Error()})
		return q, false
	}
	if slices.ContainsFunc(s.models, func(m string) bool { return ollama.SameModel(m, q.Model) }) {
		return q, true
	}
	w.WriteHeader(http.StatusNotFound)
	answer(w, map[string]any{"error": "model '" + q.Model + "' not found"})
	return q, false
}

// name is two or more words with a capital letter, with the particles of Portuguese names.
var name = regexp.MustCompile(`\p{Lu}\p{Ll}+(?: (?:d[aeo]s? )?\p{Lu}\p{Ll}+)+`)

func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	q, ok := s.read(w, r)
	if !ok {
		return
	}
	var field string
	var content any
	_, text, _ := strings.Cut(q.Messages[len(q.Messages)-1].Content, "Text:\n")
	for _, field = range []string{"entities", "label", "winner", "suspect"} {
		if _, ok := q.Format.Properties[field]; ok {
			break
		}
	}
	switch field {
	case "entities":
		found := []any{}
		for _, n := range name.FindAllString(text, -1) {
			found = append(found, map[string]any{"text": n, "type": "PER", "confidence": 0.9})
		}
		content = map[string]any{"entities": found}
	case "label":
		offered := q.Format.Properties["label"].Enum
		content = map[string]any{"label": offered[0], "confidence": 0.9}
	case "winner":
		content = map[string]any{"winner": "ENTITY", "confidence": 0.95, "reason": "um nome próprio"}
	default:
		content = map[string]any{"suspect": false, "confidence": 0.9, "reason": ""}
	}
	if !s.wait(r.Context(), text) || !s.may(field) {
		panic(http.ErrAbortHandler)
	}
	raw, err := json.Marshal(content)
	if err != nil {
		s.t.Error(err)
	}
	answer(w, map[string]any{
		"model": q.Model, "created_at": "2026-01-02T03:04:05Z", "message": map[string]any{"role": "assistant", "content": string(raw)}, "done": true, "done_reason": "stop",
	})
}

// dimensions is the length of the vectors, as of the preset multilingual_minilm.
const dimensions = 384

func (s *Server) embed(w http.ResponseWriter, r *http.Request) {
	q, ok := s.read(w, r)
	if !ok {
		return
	}
	if !s.may("embeddings") {
		panic(http.ErrAbortHandler)
	}
	vectors := make([][]float32, len(q.Input))
	for i, text := range q.Input {
		h := fnv.New64a()
		_, _ = h.Write([]byte(text))
		random := rand.New(rand.NewPCG(h.Sum64(), 0)) //nolint:gosec // the same text has to give the same vector
		vectors[i] = make([]float32, dimensions)
		for k := range vectors[i] {
			vectors[i][k] = float32(random.NormFloat64())
		}
	}
	answer(w, map[string]any{"model": q.Model, "embeddings": vectors})
}

func answer(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body)
}
