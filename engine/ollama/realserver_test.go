//go:build ollama && unix

package ollama_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/ollama/ollama/api"
)

// The models that every real server of these tests has. Chat, held to a schema, answers the name Ana wherever it may write freely; babble
// and loop never end a text by themselves: Anababab, Anaaaa. Embed makes vectors.
const (
	chatModel   = "tiny-chat"
	babbleModel = "tiny-babble"
	loopModel   = "tiny-loop"
	embedModel  = "tiny-embed"
)

func models() map[string][]byte {
	ana := []string{`"A`, "An", "na", `a"`, `"P`, ":t", ":0", "0.", ".9", "9}", "9,", "[{", "}]"}
	return map[string][]byte{
		chatModel:   tinyChat(ana...),
		babbleModel: tinyChat(append([]string{"ab", "ba"}, ana...)...),
		loopModel:   tinyChat(append([]string{"aa"}, ana...)...),
		embedModel:  tinyEmbed(dimensions, "carta", "ata", "planta", "mercado", "cemitério", "reunião", "fotografia", "letter", "map", "market"),
	}
}

// realServer is an Ollama server of the tests' own: a free port, an empty folder of models and no way to the Internet.
type realServer struct {
	host   string // as OLLAMA_HOST has it
	client *api.Client
	cmd    *exec.Cmd
	ended  chan struct{}
}

// serverBinary finds the server program.
func serverBinary(t *testing.T) string {
	t.Helper()
	if bin := os.Getenv("OLLAMA_BIN"); bin != "" {
		return bin
	}
	bin, err := exec.LookPath("ollama")
	if err != nil {
		t.Fatal("there is no Ollama server to test with: put ollama on the PATH, set OLLAMA_BIN to the program, or run `make test-ollama`, which builds one")
	}
	return bin
}

func startOllama(t *testing.T) *realServer {
	t.Helper()
	host, dir := freeAddress(t), t.TempDir()
	log, err := os.Create(filepath.Join(dir, "server.log"))
	if err != nil {
		t.Fatal(err)
	}
	s := &realServer{host: host, ended: make(chan struct{})}
	s.client = api.NewClient(&url.URL{Scheme: "http", Host: host}, &http.Client{})
	s.cmd = exec.Command(serverBinary(t), "serve")
	s.cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir, "OLLAMA_HOST=" + host, "OLLAMA_MODELS=" + filepath.Join(dir, "models"),
		"OLLAMA_NUM_PARALLEL=1", "HTTP_PROXY=http://127.0.0.1:9", "HTTPS_PROXY=http://127.0.0.1:9", "NO_PROXY=127.0.0.1",
	}
	s.cmd.Stdout, s.cmd.Stderr = log, log
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // the server starts a process for each model
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = s.cmd.Wait()
		close(s.ended)
	}()
	t.Cleanup(func() {
		s.stop()
		if said, err := os.ReadFile(log.Name()); err == nil && t.Failed() {
			t.Logf("the server's log ends so:\n%s", said[max(0, len(said)-4000):])
		}
		_ = log.Close()
	})
	s.await(t)
	for name, file := range models() {
		s.create(t, name, file)
	}
	return s
}

// await returns when the server answers.
func (s *realServer) await(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for s.client.Heartbeat(ctx) != nil {
		select {
		case <-tick.C:
		case <-s.ended:
			t.Fatalf("%s ended at once", s.cmd.Path)
		case <-ctx.Done():
			t.Fatalf("%s does not answer within a minute", s.cmd.Path)
		}
	}
}

// create makes a model of a file.
func (s *realServer) create(t *testing.T, name string, file []byte) {
	t.Helper()
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256(file))
	if err := s.client.CreateBlob(t.Context(), digest, bytes.NewReader(file)); err != nil {
		t.Fatal(err)
	}
	req := &api.CreateRequest{Model: name, Files: map[string]string{name + ".gguf": digest}, Parameters: map[string]any{"num_thread": 1}}
	if name != embedModel {
		req.Template = "{{ range .Messages }}{{ .Role }}: {{ .Content }}\n{{ end }}"
	}
	if err := s.client.Create(t.Context(), req, func(api.ProgressResponse) error { return nil }); err != nil {
		t.Fatal(err)
	}
}

// stop ends the server and the processes of its models, if need be by force.
func (s *realServer) stop() {
	_ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGTERM)
	select {
	case <-s.ended:
	case <-time.After(5 * time.Second):
	}
	s.kill()
}

// kill ends the server and the processes of its models like a power failure.
func (s *realServer) kill() {
	_ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL)
	<-s.ended
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
