package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
)

func (a *app) migrateCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "migrate up|down|status",
		Short: "Bring the database's schema up, one step down, or say where it is",
		Args:  exactly(1, "up, down or status"),
		RunE:  func(c *cobra.Command, args []string) error { return a.migrate(c.Context(), args[0]) },
	}
	return c
}

func (a *app) migrate(ctx context.Context, what string) error {
	if what != "up" && what != "down" && what != "status" {
		return usageError{fmt.Errorf("scrinalia migrate takes up, down or status, not %q", what)}
	}
	p, err := a.connect(ctx, "migrate")
	if err != nil {
		return err
	}
	defer p.Close()
	switch what {
	case "up":
		err = p.store.MigrateUp(ctx)
	case "down":
		err = p.store.MigrateDown(ctx)
	}
	if err != nil {
		return err
	}
	v, err := p.store.SchemaVersion(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "schema %d of %d, job queue %d\n", v.Database, v.Program, v.Queue)
	if v.Dirty {
		fmt.Fprintln(a.stdout, "A migration stopped half-way. Restore the backup, or repair by hand what the failed file changed.")
		return exitError(exitFailed)
	}
	return nil
}
