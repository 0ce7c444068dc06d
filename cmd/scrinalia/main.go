// Command scrinalia is the program: the panel and its API, the command line, and the only place where concrete types meet.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"scrinalia/executor"
	"scrinalia/store/localpg"
	"scrinalia/worker"

	"github.com/spf13/cobra"
)

// version is set by the build.
var version = "dev"

// The exit statuses that scripts rely on.
const (
	exitFailed    = 1   // the run failed, or something that is needed does not answer
	exitUsage     = 2   // wrong usage, a refused configuration, an unreadable file
	exitInFlight  = 3   // a run of this worker is in the way
	exitCancelled = 130 // stopped by Ctrl-C or from elsewhere
)

func main() {
	ctx, stop := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		stop(executor.ErrCancelled)
		signal.Stop(signals) // a second Ctrl-C ends the program at once
	}()
	os.Exit(run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr))
}

// run is the program without its process: arguments and environment in, exit status out.
func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	out := &standardOutput{w: stdout}
	a := &app{getenv: getenv, stdout: out, stderr: stderr}
	root := a.rootCommand()
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		err = out.failed()
	}
	if err == nil {
		return 0
	}
	if status, ok := errors.AsType[exitError](err); ok {
		return int(status)
	}
	if errors.Is(context.Cause(ctx), executor.ErrCancelled) && errors.Is(err, context.Canceled) {
		err = executor.ErrCancelled // Ctrl-C where no run is under way; what it cut short is not worth telling
	}
	a.sayError(err)
	return statusOf(err)
}

// exitError is an exit status that ends the program: an error that was told already.
type exitError int

func (s exitError) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// usageError marks what the command line parser refused.
type usageError struct{ error }

func statusOf(err error) int {
	var usage usageError
	switch {
	case errors.As(err, new(*worker.InFlightError)):
		return exitInFlight
	case errors.As(err, &usage), worker.KindOf(err) == worker.Invalid, worker.KindOf(err) == worker.NotFound:
		return exitUsage
	case errors.Is(err, executor.ErrCancelled):
		return exitCancelled
	}
	return exitFailed
}

func (a *app) sayError(err error) {
	fmt.Fprintln(a.stderr, "scrinalia:", sentence(err))
}

// sentence is an error for a person: what it says, with the cause only where nothing better is known.
func sentence(err error) string {
	var known *worker.Error
	var pg *localpg.Error
	switch {
	case errors.As(err, &known):
		return known.Msg
	case errors.As(err, &pg):
		return pg.Msg
	}
	return err.Error()
}

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "scrinalia",
		Short:         "Enriches an archive's descriptions and shows how",
		Long:          "Scrinalia enriches an archive's descriptions with workers and shows which there are, what waits for them, what ran and how it ended.",
		Version:       version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          func(*cobra.Command, []string) error { return nil },
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError{fmt.Errorf("there is no command %q; scrinalia --help lists them", args[0])}
			}
			return c.Help()
		},
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usageError{fmt.Errorf("%w; %s --help says what there is", err, c.CommandPath())}
	})
	root.CompletionOptions.HiddenDefaultCmd = true
	a.globalFlags(root)
	root.AddCommand(a.serveCommand(), a.workersCommand(), a.runCommand(), a.runsCommand(), a.failuresCommand(), a.setCommand(), a.resetCommand(), a.historyCommand(),
		a.importCommand(), a.exportCommand(), a.searchCommand(), a.migrateCommand(), a.workCommand(), a.processesCommand(), a.cancelCommand(), a.releaseCommand(), a.healthCommand())
	return root
}

// exactly checks the number of arguments in words.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != n {
			return usageError{fmt.Errorf("%s takes %s; %s --help says more", c.CommandPath(), what, c.CommandPath())}
		}
		return nil
	}
}
