package ollama_test

import (
	"errors"
	"strings"
	"testing"

	"scrinalia/engine"
	"scrinalia/engine/ollama"
	"scrinalia/worker"

	"github.com/google/go-cmp/cmp"
)

func TestResolveHost(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, option, env, want string }{
		{"nothing", "", "", "http://127.0.0.1:11434"},
		{"option wins", "a", "b", "http://a:11434"},
		{"environment", "", "b", "http://b:11434"},
		{"white space is nothing", "  ", " b ", "http://b:11434"},
		{"quotes of a settings file", "", `"b:1"`, "http://b:1"},
		{"port alone", ":8080", "", "http://127.0.0.1:8080"},
		{"name and port", "models:1234", "", "http://models:1234"},
		{"empty port", "models:", "", "http://models:11434"},
		{"http", "http://models", "", "http://models:80"},
		{"https", "https://models", "", "https://models:443"},
		{"https and port", "https://models:8443", "", "https://models:8443"},
		{"Ollama's own", "ollama.com", "", "https://ollama.com:443"},
		{"path", "models/ollama/v1/", "", "http://models:11434/ollama/v1"},
		{"scheme, port and path", "https://models:1/ollama", "", "https://models:1/ollama"},
		{"slash alone", "http://models:5/", "", "http://models:5"},
		{"IPv4", "10.0.0.7", "", "http://10.0.0.7:11434"},
		{"IPv6", "2001:db8::1", "", "http://[2001:db8::1]:11434"},
		{"IPv6 in brackets", "[2001:db8::1]", "", "http://[2001:db8::1]:11434"},
		{"IPv6 and port", "[2001:db8::1]:99", "", "http://[2001:db8::1]:99"},
		{"IPv6 and scheme", "http://[::1]:99/x", "", "http://[::1]:99/x"},
		{"every IPv4 interface", "0.0.0.0", "", "http://127.0.0.1:11434"},
		{"every IPv4 interface and port", "http://0.0.0.0:9", "", "http://127.0.0.1:9"},
		{"every IPv6 interface", "[::]:9", "", "http://[::1]:9"},
		{"every IPv6 interface without port", "::", "", "http://[::1]:11434"},
		{"port that is none", "models:70000", "", "http://models:11434"},
		{"port in words", "http://models:www", "", "http://models:80"},
		{"credentials", "", "https://ana:s:ecret@models/x", "https://ana:s%3Aecret@models:443/x"},
		{"user alone", "ana@models:5", "", "http://ana@models:5"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			u, err := ollama.ResolveHost(tt.option, tt.env)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, u.String()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			again, err := ollama.ResolveHost(u.String(), "elsewhere")
			if err != nil || again.String() != u.String() {
				t.Errorf("resolved again: %v, %v", again, err)
			}
		})
	}
}

func TestResolveHostRefuses(t *testing.T) {
	t.Parallel()
	for _, give := range []string{"ftp://models", "://models", "two words", "http://a b", "models?x=1", "http://models/x#y", "a\x00b", "http://[models"} {
		t.Run(give, func(t *testing.T) {
			t.Parallel()
			if u, err := ollama.ResolveHost(give, ""); worker.KindOf(err) != worker.Invalid {
				t.Errorf("got %v, %v, want Invalid", u, err)
			}
		})
	}
}

func TestHostIsDescribed(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, env string
		overrides map[string]any
		host      string
		origin    worker.Origin
		refused   string
	}{
		{"default", "", nil, "http://127.0.0.1:11434", worker.FromDefault, ""},
		{"environment, without its credentials", "https://ana:secret@models", nil, "https://models:443", engine.FromEnvironment, ""},
		{"option", "models", map[string]any{"host": "0.0.0.0:7"}, "http://127.0.0.1:7", worker.FromOverride, ""},
		{"broken environment", "ftp://models", nil, "", "", "http:// or https://"},
		{"broken environment does not matter to an option", "ftp://models", map[string]any{"host": "a"}, "http://a:11434", worker.FromOverride, ""},
		{"credentials in the option", "", map[string]any{"host": "http://ana:secret@models"}, "", "", "environment variable OLLAMA_HOST"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d, err := engine.NewRegistry(ollama.Registrations(tt.env)...).Describe(worker.NER, "", "", tt.overrides)
			if got := message(err); !strings.Contains(got, tt.refused) || (tt.refused == "") != (err == nil) || strings.Contains(got, "secret") {
				t.Fatalf("got %v, want %q in it", err, tt.refused)
			}
			if d.Text("host") != tt.host || d.Origins["host"] != tt.origin {
				t.Errorf("got %q (%s), want %q (%s)", d.Text("host"), d.Origins["host"], tt.host, tt.origin)
			}
		})
	}
}

func TestCredentialsReachOnlyTheirHost(t *testing.T) {
	t.Parallel()
	f := serve(t, reply{content: `{"entities":[]}`})
	withUser := strings.Replace(f.URL, "http://", "http://ana:secret@", 1)
	tests := []struct{ name, env, want string }{
		{"the host of OLLAMA_HOST", withUser, "ana:secret"},
		{"another host", "http://ana:secret@models", ":"},
	}
	for _, tt := range tests { // one after the other: they share the server's list
		r := engine.NewRegistry(ollama.Registrations(tt.env)...)
		d, err := r.Describe(worker.NER, "", "", map[string]any{"host": f.URL})
		if err != nil {
			t.Fatal(err)
		}
		n, err := r.NewNER(d)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := n.Entities(t.Context(), []string{"Ana"}); err != nil {
			t.Fatal(err)
		}
		seen := f.seen()
		if got := seen[len(seen)-1]["user"]; got != tt.want {
			t.Errorf("%s: sent %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestSameModel(t *testing.T) {
	t.Parallel()
	tests := []struct {
		a, b string
		want bool
	}{
		{"llama3", "llama3:latest", true},
		{"llama3", "llama3", true},
		{"llama3", "llama3:8b", false},
		{"llama3", "llama3.1", false},
		{"llama", "llama3:latest", false},
		{"granite4.1:3b", "granite4.1:3b", true},
		{"granite4.1:3b", "granite4.1:3b-q4", false},
		{"team/llama3", "team/llama3:latest", true},
		{"team/llama3", "llama3:latest", false},
		{"host:5000/team/llama3", "host:5000/team/llama3:latest", true},
		{"host:5000/team/llama3", "host:5000/team/llama3:8b", false},
		{"llama3@sha256:abc", "llama3@sha256:abc", true},
		{"llama3@sha256:abc", "llama3@sha256:abc:latest", false},
		{"llama3@sha256:abc", "llama3", false},
		{"", ":latest", false},
	}
	for _, tt := range tests {
		t.Run(tt.a+" "+tt.b, func(t *testing.T) {
			t.Parallel()
			if got := ollama.SameModel(tt.a, tt.b); got != tt.want {
				t.Errorf("got %t", got)
			}
			if got := ollama.SameModel(tt.b, tt.a); got != tt.want {
				t.Errorf("the other way round: got %t", got)
			}
		})
	}
}

func TestSettingsRefuse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		axis  worker.Axis
		give  map[string]any
		field string
		want  string
	}{
		{"keep_alive", worker.NER, map[string]any{"keep_alive": "long"}, "keep_alive", "10m"},
		{"keep_alive as a number", worker.NER, map[string]any{"keep_alive": "300"}, "keep_alive", "10m"},
		{"think", worker.NER, map[string]any{"think": "hard"}, "think", "unset"},
		{"model", worker.NER, map[string]any{"model": "a b"}, "model", "granite4.1:3b"},
		{"empty model", worker.Embeddings, map[string]any{"model": ""}, "model", "granite4.1:3b"},
		{"answer as long as the window", worker.LLMs, map[string]any{"num_ctx": 1024, "num_predict": 1000}, "num_predict", "up to 512"},
		{"no time", worker.LLMs, map[string]any{"timeout_seconds": 0}, "timeout_seconds", "from 0.1"},
		{"no dimensions for a judge", worker.LLMs, map[string]any{"dimensions": 3}, "dimensions", "num_predict"},
		{"no think for vectors", worker.Embeddings, map[string]any{"think": "true"}, "think", "dimensions"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := engine.NewRegistry(ollama.Registrations("")...).Describe(tt.axis, "", "", tt.give)
			if e, ok := errors.AsType[*worker.Error](err); !ok || e.Kind != worker.Invalid || !strings.Contains(e.Fields[tt.field], tt.want) {
				t.Errorf("got %v, want %q for %s", err, tt.want, tt.field)
			}
		})
	}
}
