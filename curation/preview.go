package curation

import (
	"context"
	"strings"
	"time"

	"scrinalia/worker"
)

// Sample is one text of a description.
type Sample struct {
	Document int64
	Name     string // how people know the description
	Text     string
}

// Example is a text that a rule matches, with what a rewrite makes of it.
type Example struct {
	Document int64  `json:"document"`
	Name     string `json:"name"`
	Before   string `json:"before"`
	After    string `json:"after"`
}

// Preview is what a rule does to the texts that were looked at.
type Preview struct {
	Total    int64     `json:"total"`  // texts that there are
	Looked   int64     `json:"looked"` // of them that were looked at
	Matches  int64     `json:"matches"`
	Changes  int64     `json:"changes,omitempty"` // of the matches, those that a rewrite makes another text of
	Examples []Example `json:"examples,omitempty"`
}

// Sampled says whether some texts were not looked at.
func (p Preview) Sampled() bool { return p.Looked < p.Total }

// Bounds of a preview: it answers within a second over any collection, reading included.
const (
	previewTime = 600 * time.Millisecond
	maxExamples = 12
	maxShown    = 20_000 // bytes of an example's text
)

// Preview applies a rule to real descriptions without writing anything: to all of them, or to as many of a sample as time allows.
func (c *Curation) Preview(ctx context.Context, ch Change) (Preview, error) {
	ch, err := c.Check(ch)
	if err != nil {
		return Preview{}, err
	}
	p := Preview{Examples: []Example{}}
	if ch.List != Rules || ch.State.Values.String("kind") == LLMCheck {
		return p, nil
	}
	rule := Entry{List: Rules, State: ch.State}.Rule()
	re, err := rule.Compile()
	if err != nil {
		return p, err
	}
	end := time.Now().Add(previewTime)
	p.Total, err = c.EachText(ctx, rule.Column, func(s Sample) bool {
		p.Looked++
		if re.MatchString(s.Text) {
			p.Matches++
			p.take(s, ch.State.Values.String("kind"), func() string { return re.ReplaceAllString(s.Text, rule.Replacement) })
		}
		return time.Now().Before(end)
	})
	p.Total = max(p.Total, p.Looked)
	return p, err
}

// take counts a text that matches and keeps it as an example.
func (p *Preview) take(s Sample, kind string, rewritten func() string) {
	e := Example{Document: s.Document, Name: s.Name, Before: s.Text, After: s.Text}
	if kind == Rewrite {
		if e.After = rewritten(); e.After == s.Text {
			return
		}
		p.Changes++
	}
	if len(p.Examples) < maxExamples && len(s.Text) <= maxShown && len(e.After) <= maxShown {
		p.Examples = append(p.Examples, e)
	}
}

// matchTime is how long a list of rules may look for matches.
const matchTime = 400 * time.Millisecond

// Matches says for each rule with a pattern how many of the texts that were looked at it matches.
func (c *Curation) Matches(ctx context.Context, rules []Entry) (map[int32]Preview, error) {
	out := map[int32]Preview{}
	byColumn := map[string][]worker.Rule{}
	for _, e := range rules {
		if r := e.Rule(); e.Values.String("kind") != LLMCheck {
			byColumn[r.Column] = append(byColumn[r.Column], r)
		}
	}
	for _, column := range Columns {
		if err := c.matchesIn(ctx, column, byColumn[column], matchTime/time.Duration(len(byColumn)+1), out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (c *Curation) matchesIn(ctx context.Context, column string, rules []worker.Rule, most time.Duration, out map[int32]Preview) error {
	if len(rules) == 0 {
		return nil
	}
	finders := map[int32]func(string) bool{}
	for _, r := range rules {
		re, err := r.Compile()
		if err != nil {
			continue // the run says so; the list shows no number
		}
		finders[r.ID] = re.MatchString
	}
	looked, matches, end := int64(0), map[int32]int64{}, time.Now().Add(most)
	total, err := c.EachText(ctx, column, func(s Sample) bool {
		looked++
		for id, matching := range finders {
			if matching(s.Text) {
				matches[id]++
			}
		}
		return time.Now().Before(end)
	})
	for id := range finders {
		out[id] = Preview{Total: max(total, looked), Looked: looked, Matches: matches[id]}
	}
	return err
}

// Key is what an entry is known by where lists travel: its name, and what tells apart two of the same name.
func (e Entry) Key() string {
	parts := []string{e.Name(), e.Values.String("scope")}
	if e.List == Exclusions {
		parts[1] = e.Values.String("kind")
	}
	return strings.ToLower(strings.TrimSpace(strings.Join(parts, " ")))
}
