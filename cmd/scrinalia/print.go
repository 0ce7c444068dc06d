package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"scrinalia/worker"

	"golang.org/x/term"
)

func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// standardOutput is where results go. It remembers that something could not be written, which the printing of a line here and there does not look at:
// a list that lost its end on a full disk must not end with status 0. It is safe for concurrent use.
type standardOutput struct {
	mu  sync.Mutex
	w   io.Writer
	err error // the first
}

func (o *standardOutput) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n, err := o.w.Write(b)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

func (o *standardOutput) failed() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		return nil
	}
	return fmt.Errorf("the output could not be written as a whole: %w", o.err)
}

// progress shows a run under way: a bar on a terminal, a line every few seconds elsewhere.
type progress struct {
	w        io.Writer
	terminal bool
	last     time.Time
	drawn    bool
}

func newProgress(w io.Writer) *progress {
	f, ok := w.(*os.File)
	return &progress{w: w, terminal: ok && term.IsTerminal(int(f.Fd()))}
}

const (
	redrawEvery = 100 * time.Millisecond
	lineEvery   = 5 * time.Second
	barWidth    = 30
)

func (p *progress) update(r worker.Run) {
	every := lineEvery
	if p.terminal {
		every = redrawEvery
	}
	if !p.last.IsZero() && time.Since(p.last) < every {
		return
	}
	p.last = time.Now()
	if p.terminal {
		fmt.Fprintf(p.w, "\r\033[K%s %s", bar(r), progressText(r))
		p.drawn = true
		return
	}
	fmt.Fprintln(p.w, progressText(r))
}

func (p *progress) clear() {
	if p.drawn {
		fmt.Fprint(p.w, "\r\033[K")
	}
}

func bar(r worker.Run) string {
	filled := 0
	if r.Total != nil && *r.Total > 0 {
		filled = int(min(1, float64(r.Sum())/float64(*r.Total)) * barWidth)
	}
	return "[" + strings.Repeat("#", filled) + strings.Repeat("-", barWidth-filled) + "]"
}

func progressText(r worker.Run) string {
	total := ""
	if r.Total != nil {
		total = fmt.Sprintf(" of %d", *r.Total)
	}
	text := fmt.Sprintf("run %d %s: %d%s units", r.ID, r.Worker, r.Sum(), total)
	if r.StartedAt != nil {
		if s := time.Since(*r.StartedAt).Seconds(); s > 0.5 {
			text += fmt.Sprintf(", %.0f/s", float64(r.Sum())/s)
		}
	}
	return text
}

func printOutcome(w io.Writer, r worker.Run) {
	fmt.Fprintf(w, "run %d %s: %s, %d processed, %d failed, %d skipped", r.ID, r.Worker, r.Status, r.Processed, r.Failed, r.Skipped)
	if r.DurationMS != nil {
		fmt.Fprintf(w, " in %s", (time.Duration(*r.DurationMS) * time.Millisecond).String())
	}
	if r.DryRun {
		fmt.Fprint(w, " (dry run: nothing was written)")
	}
	fmt.Fprintln(w)
	for _, name := range slices.Sorted(maps.Keys(r.Notes)) {
		n := r.Notes[name]
		fmt.Fprintf(w, "  %-20s %d", name, n.Count)
		if len(n.Examples) > 0 {
			fmt.Fprintf(w, "  e.g. %s", strings.Join(n.Examples, "; "))
		}
		fmt.Fprintln(w)
	}
	if r.Error != nil {
		fmt.Fprintln(w, " ", *r.Error)
	}
}

func table(w io.Writer, head string, rows [][]string) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, head)
	for _, r := range rows {
		fmt.Fprintln(t, strings.Join(r, "\t"))
	}
	_ = t.Flush()
}
