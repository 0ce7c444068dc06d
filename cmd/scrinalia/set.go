package main

import (
	"context"
	"fmt"
	"strings"

	"scrinalia/worker"

	"github.com/spf13/cobra"
)

// changeFlags are those of every command that changes settings.
type changeFlags struct {
	note, by string
	json     bool
}

func (f *changeFlags) declare(c *cobra.Command) {
	c.Flags().StringVar(&f.note, "note", "", "why, for the history")
	c.Flags().StringVar(&f.by, "by", "", "who changes it, for the history (default: the operating-system user)")
	c.Flags().BoolVar(&f.json, "json", false, "print what is set now as JSON")
}

func (f *changeFlags) change(name string) worker.OverrideChange {
	c := worker.OverrideChange{Worker: name, Seen: worker.AnyVersion, Note: f.note, By: f.by, Channel: worker.CLI}
	if c.By == "" {
		c.By = who()
	}
	return c
}

type setFlags struct {
	changeFlags
	engine, preset, batch string
	follow                []string
}

func (a *app) setCommand() *cobra.Command {
	var f setFlags
	c := &cobra.Command{
		Use:   "set WORKER [NAME=VALUE]...",
		Short: "Set values of a worker against the code, for the runs to come",
		Long: "Sets options of a worker, its engine, preset and batch size, against the code. What is not named stays as it is; --follow lets a field follow\n" +
			"the code again. Each change is a revision, which history lists and reset --to brings back.\n" +
			"Exit status: 0 saved, or nothing to change; 2 refused.",
		Example: "  scrinalia set ner threshold=0.5 --note \"street names were taken for people\"\n  scrinalia set ner --engine ollama --preset granite_local\n  scrinalia set ner --follow threshold --follow engine",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError{fmt.Errorf("%s takes the name of one worker and NAME=VALUE; %s --help says more", c.CommandPath(), c.CommandPath())}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return a.set(c.Context(), f, args[0], args[1:]) },
	}
	fl := c.Flags()
	fl.StringVar(&f.engine, "engine", "", "the engine")
	fl.StringVar(&f.preset, "preset", "", "the preset, which belongs to the engine")
	fl.StringVar(&f.batch, "batch", "", "units that are committed together")
	fl.StringArrayVar(&f.follow, "follow", nil, "a field that follows the code: an option, engine, preset or batch_size; may be repeated")
	f.declare(c)
	return c
}

// fields are the fields that the command line names, with their values; nil for one that follows the code.
func (f setFlags) fields(values []string) (map[string]any, error) {
	fields := map[string]any{}
	for _, v := range values {
		name, value, ok := strings.Cut(v, "=")
		if name = strings.TrimSpace(name); !ok || name == "" {
			return nil, usageError{fmt.Errorf("%q is not of the form NAME=VALUE", v)}
		}
		fields[name] = value
	}
	for name, v := range map[string]string{"engine": f.engine, "preset": f.preset, "batch_size": f.batch} {
		if v != "" {
			fields[name] = v
		}
	}
	for _, name := range f.follow {
		if _, set := fields[name]; set {
			return nil, usageError{fmt.Errorf("%s cannot be set and follow the code at once", name)}
		}
		fields[name] = nil
	}
	if len(fields) == 0 {
		return nil, usageError{fmt.Errorf("nothing is to be set: name at least one NAME=VALUE, --engine, --preset, --batch or --follow")}
	}
	return fields, nil
}

func (a *app) set(ctx context.Context, f setFlags, name string, values []string) error {
	fields, err := f.fields(values)
	if err != nil {
		return err
	}
	return a.changeSettings(ctx, f.json, name, func(p *program) (worker.Saved, error) {
		return p.settings.Patch(ctx, f.change(name), fields)
	})
}

func (a *app) resetCommand() *cobra.Command {
	var f changeFlags
	var to int64
	c := &cobra.Command{
		Use:     "reset WORKER [--to REVISION]",
		Short:   "Let a worker follow the code everywhere, or go back to a revision of its settings",
		Long:    "Takes back everything that is set of a worker, or with --to makes the settings of a revision those in force again. Both are revisions of their own.",
		Example: "  scrinalia reset ner --note \"back to what was measured\"\n  scrinalia reset ner --to 12",
		Args:    exactly(1, "the name of one worker"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.changeSettings(c.Context(), f.json, args[0], func(p *program) (worker.Saved, error) {
				if c.Flags().Changed("to") {
					return p.settings.Restore(c.Context(), f.change(args[0]), to)
				}
				return p.settings.Save(c.Context(), f.change(args[0]))
			})
		},
	}
	c.Flags().Int64Var(&to, "to", 0, "the revision whose settings are to be in force again")
	f.declare(c)
	return c
}

// changeSettings makes a change and prints what came of it.
func (a *app) changeSettings(ctx context.Context, asJSON bool, name string, change func(*program) (worker.Saved, error)) error {
	p, err := a.open(ctx, "set", 0)
	if err != nil {
		return err
	}
	defer p.Close()
	saved, err := change(p)
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(a.stdout, saved)
	}
	if !saved.Changed {
		fmt.Fprintf(a.stdout, "%s: nothing changed, these settings are in force already\n", name)
		return nil
	}
	r, err := p.store.Revision(ctx, name, saved.Version)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "%s: saved as revision %d\n", name, r.Version)
	for _, line := range changeLines(r) {
		fmt.Fprintln(a.stdout, "  "+line)
	}
	return nil
}

// changeLines says what a revision changed, a line a field.
func changeLines(r worker.Revision) []string {
	word := func(v any) string {
		if v == nil {
			return "(code)"
		}
		return oneLine(fmt.Sprint(v), longest)
	}
	var lines []string
	for _, d := range r.Changes() {
		lines = append(lines, fmt.Sprintf("%s: %s -> %s", oneLine(d.Name, longest), word(d.Was), word(d.Now)))
	}
	return lines
}

// longest is how many characters of a value or a note a line shows; --json has the whole.
const longest = 120

type historyFlags struct {
	filter worker.RevisionFilter
	json   bool
}

func (a *app) historyCommand() *cobra.Command {
	var f historyFlags
	c := &cobra.Command{
		Use:   "history WORKER",
		Short: "List the changes to a worker's settings, newest first",
		Args:  exactly(1, "the name of one worker"),
		RunE: func(c *cobra.Command, args []string) error {
			f.filter.Worker = args[0]
			return a.history(c.Context(), f)
		},
	}
	fl := c.Flags()
	fl.StringVar(&f.filter.Field, "field", "", "only changes of this option, engine, preset or batch_size")
	fl.StringVar(&f.filter.By, "by", "", "only changes by this person, as the list names it")
	fl.Int64Var(&f.filter.Before, "before", 0, "only revisions below this one")
	fl.IntVar(&f.filter.Limit, "limit", 20, "rows, 1 to 500")
	fl.BoolVar(&f.json, "json", false, "print JSON")
	return c
}

func (a *app) history(ctx context.Context, f historyFlags) error {
	if f.filter.Limit < 1 || f.filter.Limit > 500 {
		return usageError{fmt.Errorf("--limit is %d; it takes 1 to 500", f.filter.Limit)}
	}
	p, err := a.open(ctx, "history", 0)
	if err != nil {
		return err
	}
	defer p.Close()
	if _, err := p.catalogue.Lookup(f.filter.Worker); err != nil {
		return err
	}
	page, err := p.store.Revisions(ctx, f.filter)
	if err != nil {
		return err
	}
	if f.json {
		if page.Revisions == nil {
			page.Revisions = []worker.Revision{}
		}
		return printJSON(a.stdout, map[string]any{"revisions": page.Revisions})
	}
	rows := make([][]string, len(page.Revisions))
	for i, r := range page.Revisions {
		note := oneLine(r.Note, longest)
		if r.RestoredFrom != nil {
			note = strings.TrimSpace(fmt.Sprintf("restore of revision %d %s", *r.RestoredFrom, note))
		}
		rows[i] = []string{
			fmt.Sprint(r.Version), r.At.Local().Format("2006-01-02 15:04:05"), oneLine(r.By, longest), string(r.Channel), strings.Join(changeLines(r), "; "), note,
		}
	}
	table(a.stdout, "REVISION\tWHEN\tBY\tFROM\tCHANGED\tNOTE", rows)
	return nil
}
