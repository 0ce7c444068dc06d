package views

import (
	"slices"
	"time"

	"scrinalia/health"
)

// HealthPage is what the checks came to.
type HealthPage struct {
	Frame
	Report health.Report
	Fresh  bool              // false: a new report is being made
	Labels map[string]string // of the workers in English, by name
}

// HealthCheck is the name of a check.
func (f Frame) HealthCheck(code string) string { return f.Or("health.check."+code, code) }

// HealthSay is a message of a check in words; empty for none. Names of workers stay as they are.
func (f Frame) HealthSay(m *health.Message) string {
	if m == nil {
		return ""
	}
	args := make([]any, len(m.Args))
	for i, a := range m.Args {
		switch n := a.(type) {
		case int:
			a = f.Num(int64(n))
		case int64:
			a = f.Num(n)
		}
		args[i] = a
	}
	return f.T("health.say."+m.Key, args...)
}

// HealthFact is the name of a fact; settings have their own.
func (f Frame) HealthFact(name string) string { return f.Or("health.fact."+name, name) }

// HealthVerdict is a verdict with its look.
func (f Frame) HealthVerdict(v health.Verdict) Outcome {
	o := map[health.Verdict]Outcome{
		health.OK: {Icon: "s-ok", Class: "ok"}, health.Degraded: {Icon: "s-warn", Class: "warn"},
		health.Failed: {Icon: "s-fail", Class: "bad"}, health.Unknown: {Icon: "s-unk", Class: "still"},
	}[v]
	o.Word = f.T("health.verdict." + string(v))
	return o
}

// Headline is what somebody who was woken up has to know.
func (p HealthPage) Headline() string {
	down := p.with(health.Failed)
	switch {
	case p.Report.CheckedAt.IsZero():
		return p.T("health.checking")
	case len(down) == 1:
		return p.T("health.one", p.HealthCheck(down[0].Code))
	case len(down) > 1:
		return p.N("health.many", int64(len(down)))
	case p.Report.Status == health.OK:
		return p.T("health.fine")
	}
	return p.T("health.look")
}

func (p HealthPage) with(verdicts ...health.Verdict) (list []health.Result) {
	for _, r := range p.Report.Results {
		if slices.Contains(verdicts, r.Verdict) {
			list = append(list, r)
		}
	}
	return list
}

// Needing are the results that need somebody, the worst first.
func (p HealthPage) Needing() []health.Result {
	return p.with(health.Failed, health.Degraded, health.Unknown)
}

// Fine are the others.
func (p HealthPage) Fine() []health.Result { return p.with(health.OK) }

// Tally is how many results have each verdict, the worst first.
func (p HealthPage) Tally() []Outcome {
	var list []Outcome
	for _, v := range []health.Verdict{health.Failed, health.Degraded, health.Unknown, health.OK} {
		if n := len(p.with(v)); n > 0 {
			o := p.HealthVerdict(v)
			o.Word = p.Num(int64(n)) + " " + o.Word
			list = append(list, o)
		}
	}
	return list
}

// Process are the facts of the process.
func (p HealthPage) Process() []health.Fact {
	for _, r := range p.Report.Results {
		if r.Code == "process" {
			return r.Facts
		}
	}
	return nil
}

// Milliseconds writes how long a check took.
func (p HealthPage) Milliseconds(d time.Duration) string { return p.Num(d.Milliseconds()) + " ms" }

// The JSON of /health, a contract. Sentences are in the language of who asks.
type (
	// HealthJSON is a report.
	HealthJSON struct {
		Status      health.Verdict    `json:"status"`
		GeneratedAt time.Time         `json:"generated_at"`
		Checks      []HealthCheckJSON `json:"checks"`
	}
	// HealthCheckJSON is one result.
	HealthCheckJSON struct {
		Code      string             `json:"code"`
		Title     string             `json:"title"`
		Verdict   health.Verdict     `json:"verdict"`
		Message   string             `json:"message"`
		Measured  string             `json:"measured,omitempty"`
		Error     string             `json:"error,omitempty"`
		LatencyMS int64              `json:"latency_ms"`
		CheckedAt time.Time          `json:"checked_at"`
		Since     time.Time          `json:"since"`
		LastOK    *time.Time         `json:"last_ok"`
		Affects   []string           `json:"affects"` // workers; ["*"] is everything
		Advice    []HealthAdviceJSON `json:"advice"`
		Facts     []HealthFactJSON   `json:"facts"`
	}
	// HealthAdviceJSON is one thing to do.
	HealthAdviceJSON struct {
		Text    string `json:"text"`
		Command string `json:"command,omitempty"`
		Path    string `json:"path,omitempty"`
	}
	// HealthFactJSON is something that a check read.
	HealthFactJSON struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
)

// NewHealthJSON writes a report in the language of a frame.
func NewHealthJSON(f Frame, r health.Report) HealthJSON {
	j := HealthJSON{Status: r.Status, GeneratedAt: r.CheckedAt, Checks: []HealthCheckJSON{}}
	for _, one := range r.Results {
		c := HealthCheckJSON{
			Code: one.Code, Title: f.HealthCheck(one.Code), Verdict: one.Verdict, Message: f.HealthSay(one.Say), Measured: f.HealthSay(one.Measured), Error: one.Error,
			LatencyMS: one.Latency.Milliseconds(), CheckedAt: one.CheckedAt, Since: one.Since, Affects: one.Stops, Advice: []HealthAdviceJSON{}, Facts: []HealthFactJSON{},
		}
		if one.All {
			c.Affects = []string{"*"}
		}
		if c.Affects == nil {
			c.Affects = []string{}
		}
		if !one.LastOK.IsZero() {
			c.LastOK = &one.LastOK
		}
		for _, d := range one.Do {
			c.Advice = append(c.Advice, HealthAdviceJSON{f.HealthSay(d.Text), d.Command, d.Path})
		}
		for _, fact := range one.Facts {
			c.Facts = append(c.Facts, HealthFactJSON(fact))
		}
		j.Checks = append(j.Checks, c)
	}
	return j
}
