package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"scrinalia/worker"

	"github.com/spf13/cobra"
)

type runFlags struct {
	all, json          bool
	engine, preset, by string
	batch, limit       string
	dryRun, force      bool
	options            []string
}

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run WORKER | --all",
		Short: "Run one worker here and note it in the ledger",
		Long: "Runs one worker in this process and notes it in the ledger. Ctrl-C stops it after the unit it is at; what was committed stays.\n" +
			"Exit status: 0 SUCCESS, 1 FAILED, 2 refused, 3 a run of this worker is in the way, 130 cancelled.",
		Example: "  scrinalia run transfer\n  scrinalia run quality-validator --option repeat_threshold=5 --dry-run\n  scrinalia run --all",
		Args: func(c *cobra.Command, args []string) error {
			if f.all {
				return exactly(0, "no worker beside --all")(c, args)
			}
			return exactly(1, "the name of one worker, or --all")(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error { return a.run(c.Context(), f, args) },
	}
	fl := c.Flags()
	fl.BoolVar(&f.all, "all", false, "every worker in order; stops at the first that fails")
	fl.StringVar(&f.engine, "engine", "", "engine for this run; with --all for every worker that takes one")
	fl.StringVar(&f.preset, "preset", "", "preset of the engine for this run")
	fl.StringVar(&f.batch, "batch", "", "units that are committed together, for this run")
	fl.StringVar(&f.limit, "limit", "", "stop after so many units")
	fl.BoolVar(&f.dryRun, "dry-run", false, "show what would change, write nothing but the run")
	fl.BoolVar(&f.force, "force", false, "read every eligible unit again, also those that are done")
	fl.StringArrayVar(&f.options, "option", nil, "an option of the worker as name=value; may be repeated")
	fl.StringVar(&f.by, "by", "", "who asks, for the ledger (default: the operating-system user)")
	fl.BoolVar(&f.json, "json", false, "print the run as JSON")
	return c
}

// arguments turns the flags into the argument layer; the worker's declaration checks them.
func (f runFlags) arguments() (worker.Settings, error) {
	s := worker.Settings{Engine: f.engine, Preset: f.preset, Options: map[string]any{}}
	if f.batch != "" {
		s.BatchSize = f.batch
	}
	if f.limit != "" {
		s.Options["limit"] = f.limit
	}
	if f.dryRun {
		s.Options["dry_run"] = true
	}
	if f.force {
		s.Options["force"] = true
	}
	for _, o := range f.options {
		name, value, ok := strings.Cut(o, "=")
		if !ok || name == "" {
			return s, usageError{fmt.Errorf("--option %q is not of the form name=value", o)}
		}
		s.Options[strings.TrimSpace(name)] = value
	}
	return s, nil
}

func (a *app) run(ctx context.Context, f runFlags, names []string) error {
	arguments, err := f.arguments()
	if err != nil {
		return err
	}
	p, err := a.open(ctx, "run", 0)
	if err != nil {
		return err
	}
	defer p.Close()
	if _, err := p.executor.Recover(ctx); err != nil {
		return err
	}
	if err := p.warnOfSettings(ctx); err != nil {
		return err
	}
	by := oneLine(f.by, 100)
	if by == "" {
		by = who()
	}
	if f.all {
		return a.runAll(ctx, p, f.json, worker.PipelineRequest{Arguments: arguments, Trigger: worker.CLI, RequestedBy: by})
	}
	r, err := a.runOne(ctx, p, f.json, worker.Request{Worker: names[0], Arguments: arguments, Trigger: worker.CLI, RequestedBy: by})
	if err != nil {
		return err
	}
	return exitOf(r.Status)
}

// runAll runs every worker in order, as one pipeline that the panel shows and can cancel.
func (a *app) runAll(ctx context.Context, p *program, asJSON bool, r worker.PipelineRequest) error {
	show := newProgress(a.stderr)
	var printed error
	done, err := p.executor.RunPipelineHere(ctx, r, show.update, func(run worker.Run) {
		show.clear()
		printed = errors.Join(printed, a.print(run, asJSON))
	})
	show.clear()
	if err != nil {
		return a.refused(err, asJSON)
	}
	if printed != nil {
		return printed
	}
	return exitOf(done.Status)
}

func exitOf(s worker.Status) error {
	if code := statusOfRun(s); code != 0 {
		return exitError(code)
	}
	return nil
}

// refused tells a script which run is in the way.
func (a *app) refused(err error, asJSON bool) error {
	var busy *worker.InFlightError
	if errors.As(err, &busy) && asJSON {
		_ = printJSON(a.stdout, map[string]any{"in_flight": busy.Run})
	}
	return err
}

func (a *app) print(r worker.Run, asJSON bool) error {
	if asJSON {
		return printJSON(a.stdout, r)
	}
	printOutcome(a.stdout, r)
	return nil
}

func (a *app) runOne(ctx context.Context, p *program, asJSON bool, r worker.Request) (worker.Run, error) {
	show := newProgress(a.stderr)
	done, err := p.executor.RunHere(ctx, r, show.update)
	show.clear()
	if err != nil {
		return done, a.refused(err, asJSON)
	}
	return done, a.print(done, asJSON)
}

func statusOfRun(s worker.Status) int {
	switch s {
	case worker.Success:
		return 0
	case worker.Cancelled:
		return exitCancelled
	case worker.Failed, worker.Interrupted, worker.Queued, worker.Running:
	}
	return exitFailed
}
