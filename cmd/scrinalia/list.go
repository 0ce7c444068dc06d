package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"scrinalia/worker"

	"github.com/spf13/cobra"
)

func (a *app) workersCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "workers",
		Short: "List the workers with their queues and the configuration in force",
		Args:  exactly(0, "no argument"),
		RunE:  func(c *cobra.Command, _ []string) error { return a.workers(c.Context(), asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func (a *app) workers(ctx context.Context, asJSON bool) error {
	p, err := a.open(ctx, "workers", 0)
	if err != nil {
		return err
	}
	defer p.Close()
	if _, err := p.executor.Recover(ctx); err != nil {
		return err
	}
	states, err := p.executor.Overview(ctx)
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(a.stdout, map[string]any{"generated_at": time.Now(), "workers": states})
	}
	rows := make([][]string, len(states))
	for i, s := range states {
		pending := "not measured"
		if s.Queue.Pending != nil {
			pending = fmt.Sprint(*s.Queue.Pending)
		}
		rows[i] = []string{fmt.Sprint(s.Order), s.Name, string(s.Unit), engineText(s), pending, fmt.Sprint(s.Queue.Processed), fmt.Sprint(s.Queue.Failed), fmt.Sprint(s.Queue.Stale), runText(s)}
	}
	table(a.stdout, "#\tWORKER\tUNIT\tENGINE\tPENDING\tPROCESSED\tFAILED\tSTALE\tACTIVE OR LAST RUN", rows)
	fmt.Fprintf(a.stdout, "\nThumbnails are kept in %s.\n", p.storage)
	return nil
}

func engineText(s worker.State) string {
	if s.Config.Engine == nil {
		return "no model"
	}
	text := fmt.Sprint(s.Config.Engine.Value)
	if s.Config.Preset != nil {
		text += " " + fmt.Sprint(s.Config.Preset.Value)
	}
	return text
}

func runText(s worker.State) string {
	r := s.ActiveRun
	if r == nil {
		r = s.LastRun
	}
	if r == nil {
		return "never ran"
	}
	return fmt.Sprintf("#%d %s %s", r.ID, r.Status, r.Since().Local().Format("2006-01-02 15:04:05"))
}

func (a *app) runsCommand() *cobra.Command {
	var asJSON bool
	var f worker.RunFilter
	var status string
	c := &cobra.Command{
		Use:   "runs",
		Short: "List the ledger, newest run first",
		Args:  exactly(0, "no argument"),
		RunE: func(c *cobra.Command, _ []string) error {
			f.Status = worker.Status(strings.ToUpper(status))
			if status != "" && !f.Status.Known() {
				return usageError{fmt.Errorf("--status is %q; it takes one of %v", status, worker.Statuses)}
			}
			return a.runs(c.Context(), f, asJSON)
		},
	}
	c.Flags().StringVar(&f.Worker, "worker", "", "only runs of this worker")
	c.Flags().StringVar(&status, "status", "", "only runs in this state")
	c.Flags().IntVar(&f.Limit, "limit", 20, "rows, 1 to 500")
	c.Flags().Int64Var(&f.Before, "before", 0, "only runs below this id")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func (a *app) runs(ctx context.Context, f worker.RunFilter, asJSON bool) error {
	if f.Limit < 1 || f.Limit > 500 {
		return usageError{fmt.Errorf("--limit is %d; it takes 1 to 500", f.Limit)}
	}
	p, err := a.open(ctx, "runs", 0)
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
	page, err := p.store.Runs(ctx, f)
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(a.stdout, map[string]any{"runs": page.Runs})
	}
	rows := make([][]string, len(page.Runs))
	for i, r := range page.Runs {
		duration := ""
		if r.DurationMS != nil {
			duration = (time.Duration(*r.DurationMS) * time.Millisecond).String()
		}
		rows[i] = []string{
			fmt.Sprint(r.ID), r.Worker, string(r.Status), r.QueuedAt.Local().Format("2006-01-02 15:04:05"), duration,
			fmt.Sprint(r.Processed), fmt.Sprint(r.Failed), fmt.Sprint(r.Skipped), r.RequestedBy, string(r.Trigger),
		}
	}
	table(a.stdout, "RUN\tWORKER\tSTATUS\tQUEUED\tDURATION\tPROCESSED\tFAILED\tSKIPPED\tBY\tFROM", rows)
	return nil
}
