package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"scrinalia/views"
	"scrinalia/worker"

	"github.com/spf13/cobra"
)

func (a *app) failuresCommand() *cobra.Command {
	var asJSON bool
	var f worker.FailureFilter
	c := &cobra.Command{
		Use:   "failures",
		Short: "List what failed, by cause: runs, units and server errors",
		Args:  exactly(0, "no argument"),
		RunE:  func(c *cobra.Command, _ []string) error { return a.failures(c.Context(), f, asJSON) },
	}
	c.Flags().IntVar(&f.Days, "days", worker.FailureDays, fmt.Sprintf("causes seen in so many days, 1 to %d", worker.MaxFailureDays))
	c.Flags().StringVar(&f.Worker, "worker", "", "only failures of this worker")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func (a *app) failures(ctx context.Context, f worker.FailureFilter, asJSON bool) error {
	if f.Days < 1 || f.Days > worker.MaxFailureDays {
		return usageError{fmt.Errorf("--days is %d; it takes 1 to %d", f.Days, worker.MaxFailureDays)}
	}
	p, err := a.open(ctx, "failures", 0)
	if err != nil {
		return err
	}
	defer p.Close()
	if f.Worker != "" {
		if _, err := p.catalogue.Lookup(f.Worker); err != nil {
			return err
		}
	}
	if _, err := p.executor.Recover(ctx); err != nil {
		return err
	}
	now := time.Now()
	list, err := p.store.Failures(ctx, f, now)
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(a.stdout, map[string]any{"generated_at": now, "days": f.Days, "failures": list.Failures, "more": list.More})
	}
	rows := make([][]string, len(list.Failures))
	for i, x := range list.Failures {
		known, newest := "", x.RequestID
		if x.Acknowledged != nil {
			known = x.Acknowledged.By
		}
		if x.RunID > 0 {
			newest = fmt.Sprintf("run %d", x.RunID)
		}
		rows[i] = []string{
			string(x.Kind), fmt.Sprint(x.Counts.Hour), fmt.Sprint(x.Counts.Day), fmt.Sprint(x.Counts.Week), fmt.Sprint(x.Counts.Month),
			x.LastAt.Local().Format("2006-01-02 15:04:05"), strings.Join(append(x.Workers, x.Routes...), ", "), newest, known, oneLine(views.Frame{Lang: views.English}.FirstLine(&x.Message), 160),
		}
	}
	table(a.stdout, "WHAT\t1 H\t24 H\t7 D\t30 D\tLAST SEEN\tWHERE\tNEWEST\tACKNOWLEDGED BY\tCAUSE", rows)
	return nil
}
