package thumbnail_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"scrinalia/worker"
	"scrinalia/worker/thumbnail"

	"github.com/google/go-cmp/cmp"
)

// world is a database, a storage and a web in which time passes only in the test.
type world struct {
	mu        sync.Mutex
	addresses []string // of the documents 1, 2, ...
	stamped   map[int64]string
	commits   []int // how many documents each commit had
	stored    map[string]bool
	deleted   []string
	dry       bool

	fetches map[string][]time.Duration // when each host was asked, from the start
	now     map[string]int             // requests under way
	most    map[string]int
	begin   time.Time

	fetch func(ctx context.Context, address string) error
	put   func(key string) error
	panic string // at this address
}

func newWorld(addresses ...string) *world {
	return &world{
		addresses: addresses, stamped: map[int64]string{}, stored: map[string]bool{}, fetches: map[string][]time.Duration{}, now: map[string]int{}, most: map[string]int{},
		begin: time.Now(), fetch: func(context.Context, string) error { return nil }, put: func(string) error { return nil },
	}
}

func (w *world) ClaimThumbnails(_ context.Context, after, size int64, force bool) ([]worker.Reading, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []worker.Reading
	for i, a := range w.addresses {
		id := int64(i) + 1
		if state := w.stamped[id]; id > after && int64(len(out)) < size && (force || state == "" || state == "FAILED") {
			out = append(out, worker.Reading{ID: id, Name: fmt.Sprint("d", id), Text: a, Fingerprint: []byte("fingerprint")})
		}
	}
	return out, nil
}

func (w *world) ApplyThumbnails(_ context.Context, _ int64, dry bool, made []worker.Thumbnail) (c worker.Counts, loose []string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dry = dry
	w.commits = append(w.commits, len(made))
	for _, t := range made {
		switch {
		case t.Failure == nil:
			if !dry && !w.stored[t.Key] {
				return c, nil, fmt.Errorf("%s is said to be stored and is not", t.Key)
			}
			w.stamped[t.Reading.ID], c.Processed = "DONE", c.Processed+1
		case t.Failure.Reason.Permanent():
			w.stamped[t.Reading.ID], c.Failed = "GIVEN_UP", c.Failed+1
		default:
			w.stamped[t.Reading.ID], c.Failed = "FAILED", c.Failed+1
		}
	}
	return c, []string{"loose.jpg"}, nil
}

func (w *world) Put(_ context.Context, key, _ string, _ []byte) error {
	if err := w.put(key); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stored[key] = true
	return nil
}

func (w *world) Delete(_ context.Context, key string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.deleted = append(w.deleted, key)
	return nil
}

func host(address string) string {
	return strings.SplitN(strings.TrimPrefix(address, "http://"), "/", 2)[0]
}

func (w *world) Fetch(ctx context.Context, address string, _ time.Duration, _ int64) (*os.File, error) {
	h := host(address)
	w.mu.Lock()
	w.fetches[h] = append(w.fetches[h], time.Since(w.begin))
	w.now[h]++
	w.most[h] = max(w.most[h], w.now[h])
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		w.now[h]--
		w.mu.Unlock()
	}()
	if address == w.panic {
		panic("boom")
	}
	if err := w.fetch(ctx, address); err != nil {
		return nil, err
	}
	return os.Open(os.DevNull)
}

func (w *world) Reduce(context.Context, *os.File, int, int64) (jpeg []byte, width, height int, err error) {
	return []byte("jpeg"), 3, 2, nil
}

// run runs the worker and returns what it reported.
func (w *world) run(ctx context.Context, t *testing.T, options map[string]any) (worker.Batch, error) {
	t.Helper()
	r, err := worker.Resolve(thumbnail.New(w, w, w), worker.Settings{}, worker.Settings{Options: options})
	if err != nil {
		t.Fatal(err)
	}
	total := worker.Batch{Notes: map[string]worker.Note{}}
	err = r.Task(ctx, worker.Env{RunID: 1, Log: slog.New(slog.DiscardHandler), Report: func(_ context.Context, b worker.Batch) error {
		total.Counts, total.Seen = total.Add(b.Counts), total.Seen+b.Seen
		for name, n := range b.Notes {
			have := total.Notes[name]
			total.Notes[name] = worker.Note{Count: have.Count + n.Count, Examples: append(have.Examples, n.Examples...)}
		}
		return nil
	}})
	return total, err
}

func noteCounts(b worker.Batch) map[string]int64 {
	out := map[string]int64{}
	for name, n := range b.Notes {
		out[name] = n.Count
	}
	return out
}

// takes makes every fetch take this long.
func takes(d time.Duration) func(context.Context, string) error {
	return func(ctx context.Context, _ string) error {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(d):
			return nil
		}
	}
}

func many(n int, hosts ...string) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf("http://%s/%d.jpg", hosts[i%len(hosts)], i))
	}
	return out
}

// TestHostsAreAskedPolitely: few at the same time, a pause in between, and none waits for another.
func TestHostsAreAskedPolitely(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(many(60, "a.example", "b.example", "c.example")...)
		w.fetch = takes(time.Second)
		got, err := w.run(t.Context(), t, map[string]any{"per_host": 2, "pause_ms": 500})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(worker.Counts{Processed: 60}, got.Counts); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		for h, when := range w.fetches {
			if w.most[h] != 2 {
				t.Errorf("%s got %d requests at the same time, want 2", h, w.most[h])
			}
			slices.Sort(when)
			for i, at := range when { // twenty, in pairs
				if want := time.Duration(i/2) * 1500 * time.Millisecond; at != want {
					t.Errorf("request %d of %s began after %s, want %s", i, h, at, want)
				}
			}
		}
		if took := time.Since(w.begin); took > 15*time.Second {
			t.Errorf("three hosts side by side took %s", took)
		}
		if len(w.commits) < 4 {
			t.Errorf("commits of %v: what is made in 14 seconds is committed every three", w.commits)
		}
	})
}

// TestASilentHostIsLeftAlone: after three failures in a row it is asked once a minute; the others go on.
func TestASilentHostIsLeftAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(many(80, "silent.example", "good.example")...)
		good := takes(5 * time.Second)
		w.fetch = func(ctx context.Context, address string) error {
			if host(address) == "good.example" {
				return good(ctx, address)
			}
			if err := takes(10*time.Second)(ctx, address); err != nil {
				return err
			}
			return &worker.PictureError{Reason: worker.PictureUnreachable, Msg: "silence"}
		}
		got, err := w.run(t.Context(), t, map[string]any{"pause_ms": 0})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(worker.Counts{Processed: 40, Failed: 40}, got.Counts); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		if n := len(w.fetches["silent.example"]); n > 4 {
			t.Errorf("the silent host was asked %d times", n)
		}
		if diff := cmp.Diff(map[string]int64{"made": 40, "unreachable": 40}, noteCounts(got)); diff != "" {
			t.Errorf("notes, -want +got:\n%s", diff)
		}
		if took := time.Since(w.begin); took != 100*time.Second { // what the good one takes by itself
			t.Errorf("the silent host made the run take %s", took)
		}
	})
}

// TestStorageThatIsAwayEndsTheRun: after three tries. What is there was stamped, what is not there was not, and the next run does the rest.
func TestStorageThatIsAwayEndsTheRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(many(30, "a.example")...)
		w.fetch = takes(time.Second)
		away := errors.New("no route")
		var tries atomic.Int64
		w.put = func(string) error {
			if time.Since(w.begin) < 5*time.Second {
				return nil
			}
			tries.Add(1)
			return &worker.Error{Kind: worker.Unavailable, Msg: "The storage does not answer.", Err: away}
		}
		got, err := w.run(t.Context(), t, map[string]any{"pause_ms": 0})
		if !errors.Is(err, away) {
			t.Fatalf("the run ended with %v", err)
		}
		if tries.Load() < 3 {
			t.Errorf("given up after %d tries", tries.Load())
		}
		if len(w.stamped) != len(w.stored) || int64(len(w.stored)) != got.Processed || got.Processed == 0 || got.Failed != 0 {
			t.Errorf("%d are stamped, %d are stored, %+v", len(w.stamped), len(w.stored), got.Counts)
		}
		before := got.Processed
		w.put = func(string) error { return nil }
		if got, err = w.run(t.Context(), t, nil); err != nil || got.Processed != 30-before {
			t.Errorf("the next run did %+v, %v; %d were left", got.Counts, err, 30-before)
		}
	})
}

// TestAShortOutageIsSatOut.
func TestAShortOutageIsSatOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(many(3, "a.example")...)
		w.put = func(string) error {
			if time.Since(w.begin) < time.Second {
				return worker.Errorf(worker.Unavailable, "The storage does not answer.")
			}
			return nil
		}
		got, err := w.run(t.Context(), t, nil)
		if err != nil || got.Processed != 3 {
			t.Errorf("%+v, %v", got.Counts, err)
		}
	})
}

func TestWhatBecomesOfFailures(t *testing.T) {
	t.Parallel()
	var addresses []string
	for _, r := range worker.PictureReasons {
		addresses = append(addresses, "http://"+string(r)+".example/x.jpg")
	}
	w := newWorld(addresses...)
	w.fetch = func(_ context.Context, address string) error {
		return &worker.PictureError{Reason: worker.PictureReason(strings.TrimSuffix(host(address), ".example")), Msg: "No."}
	}
	got, err := w.run(t.Context(), t, nil)
	if err != nil || got.Failed != int64(len(addresses)) {
		t.Fatalf("%+v, %v", got.Counts, err)
	}
	for i, r := range worker.PictureReasons {
		want := "FAILED"
		if r.Permanent() {
			want = "GIVEN_UP"
		}
		if state := w.stamped[int64(i)+1]; state != want {
			t.Errorf("%s: %s, want %s", r, state, want)
		}
		if n := got.Notes[string(r)]; n.Count != 1 || len(n.Examples) != 1 || n.Examples[0] != fmt.Sprintf("d%d: No.", i+1) {
			t.Errorf("note of %s: %+v", r, n)
		}
	}
}

func TestLimitForceAndDryRun(t *testing.T) {
	t.Parallel()
	w := newWorld(many(700, "a.example", "b.example")...)
	for _, tt := range []struct {
		options map[string]any
		want    int64
	}{
		{map[string]any{"dry_run": true, "limit": 5, "pause_ms": 0}, 5},
		{map[string]any{"limit": 300, "pause_ms": 0}, 300},
		{map[string]any{"limit": 301, "pause_ms": 0}, 301},
		{map[string]any{"pause_ms": 0}, 99},
		{map[string]any{"pause_ms": 0}, 0},
		{map[string]any{"pause_ms": 0, "force": true}, 700},
	} {
		got, err := w.run(t.Context(), t, tt.options)
		if err != nil || got.Processed != tt.want || int64(got.Seen) != tt.want {
			t.Errorf("%v: %+v, %v, want %d", tt.options, got.Counts, err, tt.want)
		}
		if w.dry {
			if len(w.stored)+len(w.deleted) != 0 || got.Notes["would_make"].Count != 5 || got.Notes["would_make"].Examples[0] == "" {
				t.Errorf("a dry run stored %v, deleted %v, noted %v", slices.Collect(maps.Keys(w.stored)), w.deleted, got.Notes)
			}
			clear(w.stamped)
		}
	}
	if len(w.stored) != 700 || len(w.deleted) == 0 {
		t.Errorf("%d are stored, %d loose ones deleted", len(w.stored), len(w.deleted))
	}
}

func TestCancelAndPanic(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		why := errors.New("cancelled by ana")
		ctx, stop := context.WithCancelCause(t.Context())
		w := newWorld(many(300, "a.example")...)
		w.fetch = takes(time.Hour)
		time.AfterFunc(2*time.Second, func() { stop(why) })
		if _, err := w.run(ctx, t, nil); !errors.Is(err, why) || time.Since(w.begin) != 2*time.Second {
			t.Errorf("cancelled: %v after %s", err, time.Since(w.begin))
		}
		if len(w.stamped) != 0 {
			t.Errorf("stamped: %v", w.stamped)
		}
	})
	w := newWorld(many(3, "a.example")...)
	w.panic = w.addresses[1]
	if _, err := w.run(t.Context(), t, map[string]any{"per_host": 1}); err == nil || !strings.Contains(err.Error(), "d2") {
		t.Errorf("a panic ended the run with %v", err)
	}
}
