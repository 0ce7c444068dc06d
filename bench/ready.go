package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	readyBudget  = 300 // milliseconds from start to the first answer
	memoryBudget = 80  // MB
)

// measureReady starts the built program on a migrated database of real size.
func (b *bench) measureReady(ctx context.Context) error {
	if err := b.makeReal(ctx); err != nil {
		return err
	}
	if err := b.make(ctx, "bench_ready", realDatabase); err != nil {
		return err
	}
	program, err := b.build(ctx)
	if err != nil {
		return err
	}
	var live, ready []time.Duration
	var memory float64
	for range b.size.starts {
		s, err := b.startServer(ctx, program, "bench_ready")
		if err != nil {
			return err
		}
		live, ready = append(live, s.live), append(ready, s.ready)
		err = s.use(ctx, b.size.requests)
		memory = max(memory, s.resident())
		if err := errors.Join(err, s.stop()); err != nil {
			return err
		}
	}
	b.within("start to the first 200 of /health/live, median", inMilliseconds(median(live)), milliseconds, readyBudget)
	b.within("start to the first 200 of /health/ready, median", inMilliseconds(median(ready)), milliseconds, readyBudget)
	b.within(fmt.Sprintf("resident memory after %d pages, real size", 2*b.size.requests), memory, megabytes, memoryBudget)
	return nil
}

// build makes the program from the folder that the bench was started in.
func (b *bench) build(ctx context.Context) (string, error) {
	path := filepath.Join(b.dir, "scrinalia")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	b.say("  building the program")
	out, err := exec.CommandContext(ctx, "go", "build", "-o", path, "scrinalia/cmd/scrinalia").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build the program: %w\n%s", err, out)
	}
	return path, nil
}

// server is the program as its own process.
type server struct {
	cmd         *exec.Cmd
	url         string
	log         *strings.Builder
	live, ready time.Duration
}

// startServer starts it and asks until it answers. live and ready are counted from just before the process is made.
func (b *bench) startServer(ctx context.Context, program, database string) (*server, error) {
	addr, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	s := &server{url: "http://" + addr, log: &strings.Builder{}}
	s.cmd = exec.CommandContext(ctx, program, "serve", "--addr", addr)
	s.cmd.Dir = b.dir
	s.cmd.Env = append(os.Environ(), "DATABASE_URL="+b.server.URL(database), "SCRINALIA_DATA_DIR="+filepath.Join(b.dir, "data"), "SCRINALIA_LOG_LEVEL=info")
	s.cmd.Stdout, s.cmd.Stderr = io.Discard, s.log
	begin := time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	if s.live, err = s.answers(ctx, begin, "/health/live"); err == nil {
		s.ready, err = s.answers(ctx, begin, "/health/ready")
	}
	if err != nil {
		_ = s.stop()
		return nil, fmt.Errorf("%w; it said: %s", err, s.log)
	}
	return s, nil
}

// givesUp is how long a start may take at all.
const givesUp = 20 * time.Second

// answers asks until there is a 200, and says how long after begin that was.
func (s *server) answers(ctx context.Context, begin time.Time, path string) (time.Duration, error) {
	client := &http.Client{Timeout: givesUp}
	defer client.CloseIdleConnections()
	for {
		if _, err := get(ctx, client, s.url+path, false); err == nil {
			return time.Since(begin), nil
		} else if ctx.Err() != nil || time.Since(begin) > givesUp {
			return 0, err
		}
		time.Sleep(time.Millisecond)
	}
}

// use reads the pages as people would, so that the memory is that of a server at work.
func (s *server) use(ctx context.Context, requests int) error {
	client := &http.Client{Timeout: time.Minute}
	defer client.CloseIdleConnections()
	for range requests {
		for _, path := range []string{"/workers", "/runs"} {
			if _, err := get(ctx, client, s.url+path, false); err != nil {
				return err
			}
		}
	}
	return nil
}

// resident is the most memory that the process ever had, in MB; 0 where the system does not say.
func (s *server) resident() float64 { return resident(s.cmd.Process.Pid) }

func resident(pid int) float64 {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0
	}
	for l := range strings.Lines(string(raw)) {
		if rest, ok := strings.CutPrefix(l, "VmHWM:"); ok {
			kb, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 64)
			if err == nil {
				return kb / 1000 * 1.024
			}
		}
	}
	return 0
}

// stop asks the process to end and waits for it.
func (s *server) stop() error {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	err := s.cmd.Wait()
	if _, ended := errors.AsType[*exec.ExitError](err); ended {
		return nil // how it ends is not what is measured
	}
	return err
}

func freeAddress(ctx context.Context) (string, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}
