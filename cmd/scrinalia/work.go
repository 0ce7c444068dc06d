package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"scrinalia/worker"

	"github.com/spf13/cobra"
)

func (a *app) workCommand() *cobra.Command {
	var concurrency string
	c := &cobra.Command{
		Use:   "work",
		Short: "Execute queued runs on this machine, beside those that serve",
		Long: "Executes the runs that are queued, on the same database as the panel: start it on as many machines as you like, none of which two execute the same\n" +
			"run. It serves no page. Ctrl-C or SIGTERM stops it: what it executes ends INTERRUPTED within seconds, and the next run goes on from there.",
		Args: exactly(0, "no argument"),
		RunE: func(c *cobra.Command, _ []string) error {
			n, err := parseConcurrency(concurrency)
			if err != nil {
				return err
			}
			return a.work(c.Context(), n)
		},
	}
	c.Flags().StringVar(&concurrency, "concurrency", a.envOr("SCRINALIA_CONCURRENCY", "1"), "runs that are executed at once, 1 to 9 (SCRINALIA_CONCURRENCY)")
	return c
}

func (a *app) work(ctx context.Context, concurrency int) error {
	p, err := a.open(ctx, "work", concurrency)
	if err != nil {
		return err
	}
	defer p.Close()
	if err := p.startExecutor(ctx); err != nil {
		return err
	}
	if ctx.Err() == nil {
		fmt.Fprintf(a.stderr, "Thumbnails are kept in %s\n", p.storage)
		fmt.Fprintf(a.stderr, "Executes queued runs, %d at once (Ctrl-C stops it)\n", concurrency)
	}
	<-ctx.Done()
	p.stopExecutor(ctx)
	return nil
}

// stopExecutor tells the runs under way to stop and gives them a few seconds.
func (p *program) stopExecutor(ctx context.Context) {
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopRunsWithin)
	defer cancel()
	if err := p.executor.Stop(last); err != nil {
		p.log.WarnContext(last, "runs under way did not stop in time; the next start notes them as interrupted", "err", err)
	}
}

func (a *app) processesCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "processes",
		Short: "List the processes that execute queued runs",
		Args:  exactly(0, "no argument"),
		RunE:  func(c *cobra.Command, _ []string) error { return a.listProcesses(c.Context(), asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func (a *app) listProcesses(ctx context.Context, asJSON bool) error {
	p, err := a.open(ctx, "processes", 0)
	if err != nil {
		return err
	}
	defer p.Close()
	list, err := p.store.Processes(ctx)
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(a.stdout, map[string]any{"processes": list})
	}
	if len(list) == 0 {
		fmt.Fprintln(a.stdout, "No process executes queued runs. Start one with scrinalia serve or scrinalia work.")
		return nil
	}
	rows := make([][]string, len(list))
	for i, one := range list {
		rows[i] = []string{one.Host, strconv.Itoa(one.PID), one.Role, one.Version, strconv.Itoa(one.Concurrency), one.StartedAt.Local().Format(time.DateTime), runNumbers(one)}
	}
	table(a.stdout, "HOST\tPID\tROLE\tVERSION\tAT ONCE\tSINCE\tRUNS", rows)
	return nil
}

func runNumbers(p worker.Process) string {
	said := make([]string, len(p.Runs))
	for i, id := range p.Runs {
		said[i] = "#" + strconv.FormatInt(id, 10)
	}
	return strings.Join(said, " ")
}

func (a *app) cancelCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "cancel RUN",
		Short: "Tell a run to stop, wherever it runs",
		Long:  "Takes a queued run back, or tells a running one to stop: it ends CANCELLED after the unit it is at, and what was committed stays.",
		Args:  exactly(1, "the number of one run"),
		RunE:  func(c *cobra.Command, args []string) error { return a.cancelRun(c.Context(), args[0]) },
	}
}

func (a *app) cancelRun(ctx context.Context, number string) error {
	id, err := strconv.ParseInt(strings.TrimPrefix(number, "#"), 10, 64)
	if err != nil || id < 1 {
		return usageError{fmt.Errorf("%q is no number of a run; scrinalia runs lists them", number)}
	}
	p, err := a.open(ctx, "cancel", 0)
	if err != nil {
		return err
	}
	defer p.Close()
	run, err := p.executor.Cancel(ctx, id, who())
	if err != nil {
		return err
	}
	if run.Status.Active() {
		fmt.Fprintf(a.stdout, "Run #%d of %s was told to stop.\n", run.ID, run.Worker)
		return nil
	}
	fmt.Fprintf(a.stdout, "Run #%d of %s: %s.\n", run.ID, run.Worker, run.Status)
	return nil
}
