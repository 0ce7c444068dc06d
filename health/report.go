package health

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"
)

// Verdict is what a check comes to.
type Verdict string

// The verdicts, the worst last but for Unknown: a check that could not be made.
const (
	OK       Verdict = "ok"
	Unknown  Verdict = "unknown"
	Degraded Verdict = "degraded" // it works, but somebody should look
	Failed   Verdict = "failed"
)

var severity = map[Verdict]int{OK: 0, Unknown: 1, Degraded: 2, Failed: 3}

// Worse says whether a verdict is worse than another.
func (v Verdict) Worse(than Verdict) bool { return severity[v] > severity[than] }

// Message is a sentence: the key health.say.KEY of the catalogues of texts, and what it names.
type Message struct {
	Key  string
	Args []any
}

// Say is the message of a key.
func Say(key string, args ...any) *Message { return &Message{key, args} }

// Advice is one thing to do: in words, as a command to type, or as an address of the panel to go to.
type Advice struct {
	Text    *Message
	Command string
	Path    string
}

// Fact is something that a check read on the way. Name is the key health.fact.NAME.
type Fact struct {
	Name, Value string
}

// Finding is what a check found.
type Finding struct {
	Verdict  Verdict
	Say      *Message
	Error    string // the technical words, without secrets
	Measured *Message
	Do       []Advice
	Stops    []string // the workers that wait for it, by name
	All      bool     // everything waits for it
	Facts    []Fact
}

// Check is one thing that can be wrong.
type Check struct {
	Code string // names it in JSON and, as health.check.CODE, on pages
	Run  func(ctx context.Context) Finding
}

// Result is a finding with when it was made.
type Result struct {
	Code string
	Finding

	Latency   time.Duration
	CheckedAt time.Time
	LastOK    time.Time // zero: not since the process started
	Since     time.Time // the verdict is the same since then, as far as the process knows
}

// Report is the results of every check, the worst first. Its status is the worst verdict; what is unknown degrades it.
type Report struct {
	Status    Verdict
	CheckedAt time.Time
	Results   []Result
}

const (
	// Limit is what a check may take.
	Limit = 2 * time.Second
	// Fresh is how long a report is given again.
	Fresh = 3 * time.Second
	grace = 200 * time.Millisecond // for a check to say that it ran into its limit
)

// Doctor makes the checks side by side and keeps the last report. It is safe for concurrent use.
type Doctor struct {
	checks []Check
	now    func() time.Time

	mu   sync.Mutex
	last Report
	past map[string]Result
	busy map[string]bool // checks that did not come back; they are not started twice
	made chan struct{}   // closed when the report under way is there; nil: none is under way
}

// New makes a doctor of these checks, whose order breaks ties. now may be nil.
func New(now func() time.Time, checks ...Check) *Doctor {
	if now == nil {
		now = time.Now
	}
	return &Doctor{checks: checks, now: now, past: map[string]Result{}, busy: map[string]bool{}}
}

// Report returns a report that is at most Fresh old. It takes no longer than Limit and a little more, or until ctx ends, which gives the last one.
func (d *Doctor) Report(ctx context.Context) Report {
	_, fresh, made := d.look()
	if !fresh {
		select {
		case <-made:
		case <-ctx.Done():
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.last
}

// Last returns the last report at once, and whether it is fresh. One that is not is made anew meanwhile. Its CheckedAt is zero before the first.
func (d *Doctor) Last() (r Report, fresh bool) {
	r, fresh, _ = d.look()
	return r, fresh
}

func (d *Doctor) look() (r Report, fresh bool, made <-chan struct{}) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.made == nil && !d.last.CheckedAt.IsZero() && d.now().Sub(d.last.CheckedAt) < Fresh {
		return d.last, true, nil
	}
	if d.made == nil {
		d.made = make(chan struct{})
		go d.examine()
	}
	return d.last, false, d.made
}

// examine makes every check. It belongs to nobody's request: whoever asks gets the same report.
func (d *Doctor) examine() {
	ctx, cancel := context.WithTimeout(context.Background(), Limit)
	defer cancel()
	results := make([]Result, len(d.checks))
	var wait sync.WaitGroup
	for i, c := range d.checks {
		wait.Go(func() { results[i] = d.examineOne(ctx, c) })
	}
	wait.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	r := Report{Status: OK, CheckedAt: d.now(), Results: results}
	for i := range results {
		one := &results[i]
		before, known := d.past[one.Code]
		one.LastOK, one.Since = before.LastOK, before.Since
		if one.Verdict == OK {
			one.LastOK = one.CheckedAt
		}
		if !known || before.Verdict != one.Verdict {
			one.Since = one.CheckedAt
		}
		d.past[one.Code] = *one
		verdict := one.Verdict
		if verdict == Unknown {
			verdict = Degraded
		}
		if verdict.Worse(r.Status) {
			r.Status = verdict
		}
	}
	slices.SortStableFunc(r.Results, func(a, b Result) int { return cmp.Compare(severity[b.Verdict], severity[a.Verdict]) })
	d.last = r
	close(d.made)
	d.made = nil
}

// examineOne makes a check within its limit. One that does not come back is left to itself.
func (d *Doctor) examineOne(ctx context.Context, c Check) Result {
	start := time.Now()
	r := Result{Code: c.Code, Finding: Finding{Verdict: Unknown, Say: Say("timeout", Limit.String())}, CheckedAt: d.now()}
	d.mu.Lock()
	stuck := d.busy[c.Code]
	d.busy[c.Code] = true
	d.mu.Unlock()
	if stuck {
		return r
	}
	found := make(chan Finding, 1)
	go func() {
		f := c.Run(ctx)
		d.mu.Lock()
		d.busy[c.Code] = false
		d.mu.Unlock()
		found <- f
	}()
	late := time.NewTimer(Limit + grace)
	defer late.Stop()
	select {
	case r.Finding = <-found:
	case <-late.C:
	}
	r.Latency, r.CheckedAt = time.Since(start), d.now()
	return r
}
