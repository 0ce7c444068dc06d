package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"runtime"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"scrinalia/engine/ollama"
	"scrinalia/health"
	"scrinalia/logging"
	"scrinalia/views"
	"scrinalia/worker"

	"github.com/spf13/cobra"
)

// started is when this process began.
var started = time.Now()

// healthRole opens the program without changing the database.
const healthRole = "health"

func (a *app) healthCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "health",
		Short: "Check the database, the model server, the storage and what runs",
		Long: "Makes the checks of the panel's health page from here, each within 2 seconds, and says what to do. It changes nothing but an object of its\n" +
			"own in the storage, which it deletes again. Exit status 0: everything works, perhaps degraded; 1: something is down.",
		Args: exactly(0, "no argument"),
		RunE: func(c *cobra.Command, _ []string) error { return a.checkHealth(c.Context(), asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func (a *app) checkHealth(ctx context.Context, asJSON bool) error {
	bucket, _, err := a.forThumbnails(healthRole)
	if err != nil {
		return err
	}
	patient := health.Patient{Storage: bucket, Models: probeModels, Process: a.process, Disk: a.disk()}
	p, err := a.openForHealth(ctx)
	if err != nil {
		patient.Database, patient.Panel = unopened{err}, unopened{err}
	} else {
		defer p.Close()
		patient.Database, patient.Panel = p.store, p.executor
	}
	report := health.New(nil, patient.Checks()...).Report(ctx)
	if asJSON {
		if err := printJSON(a.stdout, views.NewHealthJSON(views.Frame{Lang: views.English}, report)); err != nil {
			return err
		}
	} else if err := a.printHealth(report); err != nil {
		return err
	}
	if report.Status == health.Failed {
		return exitError(exitFailed) // the report has said everything
	}
	return nil
}

// openLimit is what opening a database may take: then it is down. A private one may have to be started.
const (
	openLimit      = 3 * time.Second
	openLocalLimit = 30 * time.Second
)

// openForHealth opens the database and changes nothing in it.
func (a *app) openForHealth(ctx context.Context) (*program, error) {
	limit := openLimit
	if a.databaseURL == "" {
		limit = openLocalLimit
	}
	opening, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return a.open(opening, healthRole, 0)
}

// unopened stands for a database that could not be opened.
type unopened struct{ err error }

func (u unopened) DatabaseFacts(context.Context) (worker.DatabaseFacts, error) {
	return worker.DatabaseFacts{}, u.err
}

func (u unopened) RunFacts(context.Context) (worker.RunFacts, error) { return worker.RunFacts{}, u.err }
func (u unopened) Overview(context.Context) ([]worker.State, error)  { return nil, u.err }

func (a *app) printHealth(r health.Report) error {
	f := views.Frame{Lang: views.English}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 3, ' ', 0)
	for _, one := range r.Results {
		fmt.Fprintf(w, "%s\t%s\t%s (%d ms)\n", one.Verdict, f.HealthCheck(one.Code), f.HealthSay(one.Say), one.Latency.Milliseconds())
		if one.Error != "" {
			fmt.Fprintf(w, "\t\t%s\n", one.Error)
		}
		if one.All || len(one.Stops) > 0 {
			fmt.Fprintf(w, "\t\tStops: %s\n", stops(one))
		}
		for _, d := range one.Do {
			fmt.Fprintf(w, "\t\t%s\n", strings.TrimSpace(f.HealthSay(d.Text)+" "+d.Command+d.Path))
		}
	}
	return w.Flush()
}

func stops(r health.Result) string {
	if r.All {
		return "everything"
	}
	return strings.Join(r.Stops, ", ")
}

func probeModels(ctx context.Context, host string) (ollama.Server, error) {
	return ollama.Probe(ctx, host, os.Getenv("OLLAMA_HOST"))
}

// doctor makes the checks of a program that serves.
func (a *app) doctor(p *program) *health.Doctor {
	return health.New(nil, health.Patient{Database: p.store, Panel: p.executor, Storage: p.storage, Models: probeModels, Process: a.process, Disk: a.disk()}.Checks()...)
}

// process says what this process is, and its settings with where each comes from.
func (a *app) process() health.Finding {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	memory, goroutines := (m.Sys-m.HeapReleased)>>20, runtime.NumGoroutine()
	facts := []health.Fact{
		{Name: "version", Value: version},
		{Name: "uptime", Value: time.Since(started).Round(time.Second).String()},
		{Name: "memory", Value: fmt.Sprintf("%d MB", memory)},
		{Name: "goroutines", Value: fmt.Sprint(goroutines)},
	}
	for _, s := range a.effective() {
		facts = append(facts, health.Fact{Name: s.name, Value: s.value + " (" + s.origin + ")"})
	}
	return health.Finding{Verdict: health.OK, Say: health.Say("process.up"), Measured: health.Say("process.measured", goroutines, memory), Facts: facts}
}

// setting is one of the process, without secrets.
type setting struct{ name, value, origin string }

// effective lists the settings of the process. Secrets are present or absent.
func (a *app) effective() []setting {
	origin := func(variable, value, fallback string) string {
		switch {
		case value == fallback && a.getenv(variable) == "":
			return "default"
		case value == a.getenv(variable):
			return "environment"
		}
		return "flag"
	}
	address := func(variable, value, none string) setting {
		s := setting{variable, shown(value), origin(variable, value, "")}
		if value == "" {
			s.value = none
		}
		return s
	}
	list := []setting{
		address("DATABASE_URL", a.databaseURL.Reveal(), "a private PostgreSQL in the data directory"),
		{"SCRINALIA_DATA_DIR", a.dataDir, origin("SCRINALIA_DATA_DIR", a.dataDir, defaultDataDir(a.getenv))},
		address("SCRINALIA_STORAGE_URL", a.storageURL.Reveal(), "a folder in the data directory"),
		address("OLLAMA_HOST", a.getenv("OLLAMA_HOST"), "http://127.0.0.1:11434"),
		{"SCRINALIA_LOG_LEVEL", a.logLevel, origin("SCRINALIA_LOG_LEVEL", a.logLevel, "info")},
		{"SCRINALIA_LOG_FORMAT", a.logFormat, origin("SCRINALIA_LOG_FORMAT", a.logFormat, "text")},
	}
	for _, secret := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"} {
		s := setting{secret, "absent", "default"}
		if a.getenv(secret) != "" {
			s.value, s.origin = "present", "environment"
		}
		list = append(list, s)
	}
	return list
}

// shown is an address without credentials. What cannot be read as one may have them anywhere, so that nothing of it is shown.
func shown(address string) string {
	_, err := url.Parse(address)
	if isURL := strings.Contains(address, "://"); isURL && err != nil || !isURL && strings.ContainsAny(address, "=@") {
		return "present"
	}
	return logging.Redact(address)
}

// disk looks at where the program keeps files.
func (a *app) disk() func() (string, int64, int64, error) {
	return func() (string, int64, int64, error) {
		var s syscall.Statfs_t
		if err := syscall.Statfs(a.dataDir, &s); err != nil {
			return a.dataDir, 0, 0, fmt.Errorf("look at the disk of %s: %w", a.dataDir, err)
		}
		return a.dataDir, int64(s.Bavail) * s.Bsize, int64(s.Blocks) * s.Bsize, nil
	}
}
