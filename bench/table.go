package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// unit is how a figure is written.
type unit string

const (
	milliseconds unit = "ms"
	megabytes    unit = "MB"
	perSecond    unit = "rows/s"
	textsASecond unit = "texts/s"
	share        unit = "" // of something else that was measured in the same run
)

func (u unit) write(v float64) string {
	switch {
	case u == perSecond || u == textsASecond || u == imagesASecond:
		return thousands(int64(math.Round(v))) + " " + string(u)
	case u == share:
		return strconv.FormatFloat(v, 'f', 3, 64)
	case v < 100:
		return strconv.FormatFloat(v, 'f', 1, 64) + " " + string(u)
	}
	return thousands(int64(math.Round(v))) + " " + string(u)
}

func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// figure is a line of the table. Without a budget it is there to be compared with.
type figure struct {
	what    string
	value   float64
	unit    unit
	budget  float64
	atLeast bool          // the budget is a floor; otherwise a ceiling
	cpu     time.Duration // of the processors, for one request or run; 0 when it was not looked at
}

// used is the share of the budget that the figure takes: above 1 it is missed.
func (f figure) used() float64 {
	if f.atLeast {
		return f.budget / f.value
	}
	return f.value / f.budget
}

func (f figure) cells() []string {
	cells := []string{f.what, f.unit.write(f.value), "-", "-", "", ""}
	if f.budget > 0 {
		sign, verdict := "<= ", "ok"
		if f.atLeast {
			sign = ">= "
		}
		if f.used() > 1 {
			verdict = "over"
		}
		cells[2], cells[3], cells[4] = sign+f.unit.write(f.budget), strconv.FormatFloat(f.used(), 'f', 2, 64), verdict
	}
	if f.cpu > 0 {
		cells[5] = milliseconds.write(inMilliseconds(f.cpu))
	}
	return cells
}

// within adds a figure that must not be above its budget.
func (b *bench) within(what string, v float64, u unit, budget float64) {
	b.add(figure{what: what, value: v, unit: u, budget: budget})
}

// answered adds the p95 of requests.
func (b *bench) answered(what string, v visits, budget float64) {
	b.add(figure{what: what + ", p95", value: percentile(v.took, 95), unit: milliseconds, budget: budget, cpu: v.each})
}

// atLeast adds a figure that must not be below its budget.
func (b *bench) atLeast(what string, v float64, u unit, budget float64) {
	b.add(figure{what: what, value: v, unit: u, budget: budget, atLeast: true})
}

// also adds a figure without a budget.
func (b *bench) also(what string, v float64, u unit) { b.add(figure{what: what, value: v, unit: u}) }

func (b *bench) add(f figure) {
	b.figures = append(b.figures, f)
	b.say("  %s", strings.Join(f.cells(), "  "))
}

// print writes the table.
func (b *bench) print(w io.Writer) {
	fmt.Fprintf(w, "\n%s\n", b.machine)
	fmt.Fprintln(w, "ratio: the share of the budget that the figure takes; above 1.00 it is missed")
	fmt.Fprintln(w, "processors: their time for one request or run on average, client, server and database together")
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "what\tfigure\tbudget\tratio\t\tprocessors")
	for _, f := range b.figures {
		fmt.Fprintln(t, strings.Join(f.cells(), "\t"))
	}
	_ = t.Flush()
}

// percentile is the value that p of 100 samples do not exceed, in milliseconds.
func percentile(samples []time.Duration, p float64) float64 {
	if len(samples) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(samples))
	i := int(math.Ceil(p/100*float64(len(sorted)))) - 1
	return inMilliseconds(sorted[max(0, i)])
}

func inMilliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// median of few samples.
func median(samples []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(samples))
	return sorted[len(sorted)/2]
}

func perSecondOf(rows int, s spent) float64 { return float64(rows) / s.wall.Seconds() }
