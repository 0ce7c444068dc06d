// Command bench measures what the budgets of the design speak of, on this machine: it starts a private PostgreSQL of its own with
// the settings of a fresh installation (so that a commit waits for the disk), makes a synthetic collection, and prints one table.
// It judges nothing but its own errors: a missed budget does not change the exit status. It may import everything; nothing is
// written outside a temporary folder.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/pprof"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// measurement is a part of the bench that -only can name.
type measurement struct {
	name string
	run  func(*bench, context.Context) error
	what string
}

var measurements = []measurement{
	{"workers", (*bench).measureWorkers, "GET /workers and its polls at real size"},
	{"ready", (*bench).measureReady, "server ready, and its memory"},
	{"overhead", (*bench).measureOverhead, "queued -> running -> finished"},
	{"recovery", (*bench).measureRecovery, "what dead processes left, at a start"},
	{"transfer", (*bench).measureTransfer, "transfer against a bare COPY"},
	{"import", (*bench).measureImport, "import against a bare COPY"},
	{"models", (*bench).measureModels, "the built-in engines, and what a run spends beside its engine"},
	{"pairs", (*bench).measurePairs, "pairs of almost the same name against pg_trgm"},
	{"thumbnails", (*bench).measureThumbnails, "thumbnails a second, and their memory"},
	{"ledger", (*bench).measureLedger, "GET /runs with a long ledger"},
	{"settings", (*bench).measureSettings, "GET /workers/{name} with a long history of its settings"},
	{"search", (*bench).measureSearch, "nearest vectors, and GET /search by words"},
	{"documents", (*bench).measureDocuments, "the pages of descriptions and reviews with a million documents; needs -huge"},
	{"huge", (*bench).measureHuge, "GET /workers with a million documents; needs -huge"},
}

// options are what the command line says.
type options struct {
	only        []string
	quick, huge bool
	keep        bool
	profile     string
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	var only string
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&only, "only", "", "measure only these, separated by commas: "+strings.Join(names(), ", "))
	f.BoolVar(&o.quick, "quick", false, "small sizes: shows that the bench works, the figures mean nothing")
	f.BoolVar(&o.huge, "huge", false, "also count at 1,000,000 documents, which takes several minutes")
	f.BoolVar(&o.keep, "keep", false, "at the end, keep the databases and print their address until Ctrl-C")
	f.StringVar(&o.profile, "cpuprofile", "", "write a CPU profile of this process to a file")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("%q is not understood; -help lists what is", f.Arg(0))
	}
	for name := range strings.SplitSeq(only, ",") {
		switch name = strings.TrimSpace(name); {
		case name == "":
		case !slices.Contains(names(), name):
			return o, fmt.Errorf("-only takes %s; %q is none of them", strings.Join(names(), ", "), name)
		default:
			o.only = append(o.only, name)
		}
	}
	o.huge = o.huge || slices.ContainsFunc(o.only, needsHuge)
	return o, nil
}

func names() []string {
	list := make([]string, len(measurements))
	for i, m := range measurements {
		list[i] = m.name
	}
	return list
}

// needsHuge says whether a measurement takes a million documents, and so several minutes.
func needsHuge(name string) bool { return name == "documents" || name == "huge" }

// wants says whether a measurement was asked for.
func (o options) wants(name string) bool {
	if needsHuge(name) {
		return o.huge && (len(o.only) == 0 || slices.Contains(o.only, name))
	}
	return len(o.only) == 0 || slices.Contains(o.only, name)
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	if o.profile != "" {
		f, err := os.Create(o.profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	b, err := newBench(ctx, o, stderr)
	if err != nil {
		return err
	}
	defer b.close()
	failed := b.all(ctx)
	b.print(stdout)
	if o.keep && ctx.Err() == nil {
		fmt.Fprintf(stderr, "the databases %s stay at %s until Ctrl-C\n", strings.Join(b.databases, ", "), b.server.URL("postgres"))
		<-ctx.Done()
	}
	return failed
}

// all runs what was asked for. What fails does not keep the others from being measured.
func (b *bench) all(ctx context.Context) error {
	var failed error
	for _, m := range measurements {
		if !b.wants(m.name) || ctx.Err() != nil {
			continue
		}
		begin := time.Now()
		b.say("%s: %s", m.name, m.what)
		if err := m.run(b, ctx); err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", m.name, err))
		}
		b.say("%s took %s", m.name, time.Since(begin).Round(100*time.Millisecond))
	}
	return errors.Join(failed, ctx.Err())
}
