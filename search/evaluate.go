package search

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Example is a query with the reference codes of the descriptions that answer it.
type Example struct {
	Half     string // tune or test: what is tuned looks at one half only
	Language string // pt or en
	Query    string
	Expected []string
}

// Halves are those of the examples, in order.
var Halves = []string{"tune", "test"}

// ReadExamples reads examples, one a line: half, language, query, expected reference codes with | between them. Lines that begin with #
// are remarks.
func ReadExamples(r io.Reader) ([]Example, error) {
	var list []Example
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if line == "" || line[0] == '#' {
			continue
		}
		cells := strings.Split(line, "\t")
		if len(cells) != 4 || !slices.Contains(Halves, cells[0]) || cells[2] == "" || cells[3] == "" {
			return nil, fmt.Errorf("line %d: want half, language, query and codes with tabs between them, found %q", n, line)
		}
		list = append(list, Example{cells[0], cells[1], cells[2], strings.Split(cells[3], "|")})
	}
	return list, lines.Err()
}

// Report is how well the examples of one half were answered. RecallAt10 is the mean share of the expected descriptions among the first ten;
// MRR the mean of 1 / rank of the first expected one.
type Report struct {
	Half       string
	Queries    int
	RecallAt10 float64
	MRR        float64
	Missed     []string // queries with no expected description among the first ten
}

// Evaluate asks find for the reference codes that each query finds, the best first, and reports each half.
func Evaluate(ctx context.Context, examples []Example, find func(ctx context.Context, query string) ([]string, error)) ([]Report, error) {
	reports := make([]Report, len(Halves))
	for i, half := range Halves {
		r := &reports[i]
		r.Half = half
		for _, e := range examples {
			if e.Half != half {
				continue
			}
			codes, err := find(ctx, e.Query)
			if err != nil {
				return nil, fmt.Errorf("search %q: %w", e.Query, err)
			}
			recall, reciprocal := e.judge(codes)
			r.Queries++
			r.RecallAt10 += recall
			r.MRR += reciprocal
			if recall == 0 {
				r.Missed = append(r.Missed, e.Query)
			}
		}
		if r.Queries > 0 {
			r.RecallAt10 /= float64(r.Queries)
			r.MRR /= float64(r.Queries)
		}
	}
	return reports, nil
}

func (e Example) judge(codes []string) (recall, reciprocal float64) {
	for i, code := range codes {
		if !slices.Contains(e.Expected, code) {
			continue
		}
		if reciprocal == 0 {
			reciprocal = 1 / float64(i+1)
		}
		if i < 10 {
			recall += 1 / float64(len(e.Expected))
		}
	}
	return recall, reciprocal
}
