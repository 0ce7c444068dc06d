package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"
)

func (a *app) releaseCommand() *cobra.Command {
	var unit int64
	var list, asJSON bool
	c := &cobra.Command{
		Use:   "release WORKER",
		Short: "Let units be tried again that were set aside because processes died while they were in work",
		Long: "A unit that was in work when two processes in a row died is set aside: it does not wait, and the next run leaves it alone.\n" +
			"Releases every such unit of a worker, or one; with --list it only lists them.",
		Args: exactly(1, "the name of one worker"),
		RunE: func(c *cobra.Command, args []string) error {
			if unit < 0 {
				return usageError{fmt.Errorf("--unit is %d; it takes the number of a unit, as --list shows it", unit)}
			}
			if list {
				return a.listSetAside(c.Context(), args[0], asJSON)
			}
			return a.release(c.Context(), args[0], unit, asJSON)
		},
	}
	fl := c.Flags()
	fl.Int64Var(&unit, "unit", 0, "only this unit")
	fl.BoolVar(&list, "list", false, "list what is set aside, and release nothing")
	fl.BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func (a *app) listSetAside(ctx context.Context, name string, asJSON bool) error {
	p, err := a.open(ctx, "release", 0)
	if err != nil {
		return err
	}
	defer p.Close()
	d, err := p.catalogue.Lookup(name)
	if err != nil {
		return err
	}
	if _, err := p.executor.Recover(ctx); err != nil {
		return err
	}
	aside, err := p.store.SetAside(ctx, d.Name)
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(a.stdout, map[string]any{"set_aside": aside})
	}
	if len(aside) == 0 {
		fmt.Fprintf(a.stdout, "No unit of %s is set aside.\n", d.Name)
		return nil
	}
	rows := make([][]string, len(aside))
	for i, u := range aside {
		rows[i] = []string{strconv.FormatInt(u.ID, 10), u.Name, strconv.Itoa(u.Deaths), u.Owner, "#" + strconv.FormatInt(u.RunID, 10)}
	}
	table(a.stdout, "UNIT\tNAME\tDEATHS\tLAST PROCESS\tRUN", rows)
	return nil
}

func (a *app) release(ctx context.Context, name string, unit int64, asJSON bool) error {
	p, err := a.open(ctx, "release", 0)
	if err != nil {
		return err
	}
	defer p.Close()
	d, err := p.catalogue.Lookup(name)
	if err != nil {
		return err
	}
	released, err := p.store.ReleaseUnits(ctx, d.Name, unit)
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(a.stdout, map[string]any{"released": released})
	}
	for _, u := range released {
		fmt.Fprintf(a.stdout, "Released %s (unit %d).\n", u.Name, u.ID)
	}
	if len(released) == 0 {
		fmt.Fprintf(a.stdout, "No such unit of %s is set aside; nothing was released.\n", d.Name)
	}
	return nil
}
