// Package storagetest starts S3 servers for tests: versitygw, a real one that checks signatures, on a folder of the test. It is built from
// s3.mod, a module file of its own, and kept in Go's build cache. It is for tests only.
package storagetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// The credentials of servers. Other knows the server and may do nothing there.
const (
	Key         = "scrinalia"
	Secret      = "a secret of the tests"
	OtherKey    = "somebody"
	OtherSecret = "a secret of somebody's"
	Bucket      = "archive" // the one bucket that there is
	Region      = "us-east-1"
)

// build returns the path of the server's program. The first build on a machine takes a minute or more.
var build = sync.OnceValues(func() (string, error) {
	module, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	root := filepath.Dir(strings.TrimSpace(string(module)))
	tool := exec.Command("go", "tool", "-modfile="+filepath.Join(root, "s3.mod"), "-n", "versitygw")
	tool.Dir, tool.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	var said bytes.Buffer
	tool.Stderr = &said
	path, err := tool.Output()
	if err != nil {
		return "", fmt.Errorf("build versitygw: %w: %s", err, said.String())
	}
	return strings.TrimSpace(string(path)), nil
})

// Server is a running server. Start and Stop may be called again and again: it keeps its address and its objects.
type Server struct {
	Address string // host:port
	Folder  string // holds a folder for each bucket, and in it the objects as files

	t         testing.TB
	arguments []string
	mu        sync.Mutex
	process   *exec.Cmd
}

// New starts a server that ends with the test. Options are further arguments of the program, such as --readonly.
func New(t testing.TB, options ...string) *Server {
	t.Helper()
	dir := t.TempDir()
	s := &Server{Address: freeAddress(t), Folder: filepath.Join(dir, "buckets"), t: t}
	accounts := filepath.Join(dir, "accounts")
	notes := filepath.Join(dir, "notes")
	for _, d := range []string{filepath.Join(s.Folder, Bucket), accounts, notes} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	users, err := json.Marshal(map[string]any{"accessAccounts": map[string]any{
		OtherKey: map[string]any{"access": OtherKey, "secret": OtherSecret, "role": "user"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(accounts, "users.json"), users, 0o600); err != nil {
		t.Fatal(err)
	}
	s.arguments = append([]string{
		"--access", Key, "--secret", Secret, "--region", Region, "--port", s.Address, "--iam-dir", accounts, "--health", "/health", "--quiet", "--keep-alive",
	}, options...)
	s.arguments = append(s.arguments, "posix", "--sidecar", notes, s.Folder)
	t.Cleanup(s.Stop)
	s.Start()
	return s
}

// Start starts the server, and returns once it answers.
func (s *Server) Start() {
	s.t.Helper()
	program, err := build()
	if err != nil {
		s.t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.process = exec.Command(program, s.arguments...) //nolint:noctx // ends with Stop
	s.process.Dir = s.Folder
	s.process.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	var said bytes.Buffer
	s.process.Stdout, s.process.Stderr = &said, &said
	if err := s.process.Start(); err != nil {
		s.t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		answer, err := http.Get("http://" + s.Address + "/health") //nolint:noctx // on this machine
		if err == nil {
			_ = answer.Body.Close()
			return
		}
		if s.process.ProcessState != nil {
			break
		}
		<-time.After(10 * time.Millisecond)
	}
	s.t.Fatalf("the S3 server does not answer: %s", said.String())
}

// Stop kills the server.
func (s *Server) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.process == nil {
		return
	}
	_ = s.process.Process.Kill()
	_ = s.process.Wait()
	s.process = nil
}

// URL is SCRINALIA_STORAGE_URL for the server.
func (s *Server) URL() string {
	return "s3://" + Bucket + "?endpoint=" + s.Address + "&region=" + Region
}

// Getenv is an environment with the credentials.
func Getenv(name string) string {
	return map[string]string{"AWS_ACCESS_KEY_ID": Key, "AWS_SECRET_ACCESS_KEY": Secret}[name]
}

// Objects lists the keys of the bucket.
func (s *Server) Objects() []string {
	s.t.Helper()
	root := filepath.Join(s.Folder, Bucket)
	var keys []string
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != root {
			return filepath.SkipDir // what the server was writing when it was stopped
		}
		if err == nil && d.Type().IsRegular() {
			key, relErr := filepath.Rel(root, path)
			keys, err = append(keys, filepath.ToSlash(key)), relErr
		}
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return keys
}

func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // on this machine
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
