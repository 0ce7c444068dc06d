package handlers_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"scrinalia/archive"
	"scrinalia/views"
	"scrinalia/worker"
)

// noon is the hour of every test: 15 October 2026, 14:32:12 in São Paulo.
var noon = time.Date(2026, 10, 15, 17, 32, 12, 0, time.UTC)

var saoPaulo = time.FixedZone("America/Sao_Paulo", -3*3600)

func at(minutesAgo float64) time.Time {
	return noon.Add(-time.Duration(minutesAgo * float64(time.Minute)))
}

type nerOptions struct {
	worker.Common
	BatchSize int64    `json:"batch_size" min:"1" max:"512" help:"Documents that are committed together."`
	Threshold float64  `json:"threshold" min:"0" max:"1" help:"Below it a name is dropped."`
	Columns   []string `json:"columns" choices:"title,scope_content,provenance" help:"Texts to read, in this order."`
	Mode      string   `json:"mode" choices:"fast,thorough" help:"How hard to look."`
	Strip     bool     `json:"strip" help:"Take addresses out of the text."`
}

type plainOptions struct {
	worker.Common
	BatchSize int64 `json:"batch_size" min:"1" max:"50000" help:"Records that are committed together."`
}

func nothing[O any](context.Context, worker.Env, O) error { return nil }

func catalogue() *worker.Catalogue {
	return worker.NewCatalogue(
		worker.Define(worker.Spec{
			Name: "transfer", Label: "Transfer", Description: "Turns staging records into descriptions.", Order: 1, Unit: worker.StagingRecord,
			EngineSource: worker.EngineNone, Stamp: "on the staging record", Reads: "staging records", Writes: "descriptions",
		}, plainOptions{BatchSize: 5000}, nothing[plainOptions]),
		worker.Define(worker.Spec{
			Name: "cleaning", Label: "Cleaning rules", Description: "Applies the rewrite rules.", Order: 2, Unit: worker.DocumentRule, Governed: true,
			EngineSource: worker.EngineNone, Stamp: "per rule", Reads: "the column of each rule", Writes: "that column",
		}, plainOptions{BatchSize: 4000}, nothing[plainOptions]),
		worker.Define(worker.Spec{
			Name: "ner", Label: "Named entities", Description: "Finds people, organisations and places.", Order: 3, Unit: worker.Document, Governed: true,
			Axis: worker.NER, EngineSource: worker.EngineDefault, Stamp: "on the document", Reads: "title, scope and content", Writes: "entities", Note: "Built in.",
		}, nerOptions{BatchSize: 64, Threshold: 0.4, Columns: []string{"title"}, Mode: "fast"}, nothing[nerOptions]),
		worker.Define(worker.Spec{
			Name: "conflict-judge", Label: "Conflict judge", Description: "Judges pairs.", Order: 6, Unit: worker.Pair,
			Axis: worker.LLMs, EngineSource: worker.EngineDefault, Stamp: "the review queue",
		}, plainOptions{BatchSize: 100}, nothing[plainOptions]),
	)
}

// fake is an executor, a ledger and an importer that hold what the test puts in.
type fake struct {
	mu        sync.Mutex
	states    []worker.State
	runs      []worker.Run
	failures  []worker.UnitFailure
	changes   []worker.Change
	abandoned int64
	aside     []worker.SetAside
	empty     bool
	err       error // what every call answers, when set
	submitErr error
	importErr error
	report    views.ImportReport
	rejects   string // what the importer leaves in a file of rejects below dir
	dir       string // where reports are kept
	explode   bool
	revisions []worker.Revision // of ner, newest first

	spoil       string // stands in every text of a description, when set
	judged      []judged
	pipeline    *worker.Pipeline
	asked       []worker.PipelineRequest
	nothingToDo bool
	failed      []worker.Failure
	recorded    []worker.ServerError

	failureFilters []worker.FailureFilter
	filters        []archive.Filter
	edits          []edited
	changed        *archive.ChangedError // what an edit meets
	submitted      []worker.Request
	cancelled      []string
	imported       []string
	overviews      int
}

func (f *fake) calls() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.overviews
}

func (f *fake) set(change func(*fake)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(f)
}

func (f *fake) Overview(context.Context) ([]worker.State, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.overviews++
	if f.explode {
		panic("boom <secret>")
	}
	return slices.Clone(f.states), f.err
}

func (f *fake) State(_ context.Context, name string) (worker.State, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.states {
		if s.Name == name {
			return s, f.err
		}
	}
	if f.err != nil {
		return worker.State{}, f.err
	}
	return worker.State{}, worker.Errorf(worker.NotFound, "There is no worker %q.", name)
}

func (f *fake) Submit(_ context.Context, r worker.Request) (worker.Run, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return worker.Run{}, f.err
	}
	if f.submitErr != nil {
		return worker.Run{}, f.submitErr
	}
	def, err := catalogue().Lookup(r.Worker)
	if err != nil {
		return worker.Run{}, err
	}
	res, err := worker.Resolve(def, worker.Settings{}, r.Arguments)
	if err != nil {
		return worker.Run{}, err
	}
	f.submitted = append(f.submitted, r)
	run := worker.Run{ID: 77, Worker: r.Worker, Status: worker.Queued, Trigger: r.Trigger, RequestedBy: r.RequestedBy, QueuedAt: noon, Config: res.Config}
	f.runs = append([]worker.Run{run}, f.runs...)
	for i := range f.states {
		if f.states[i].Name == r.Worker {
			f.states[i].ActiveRun = &run
		}
	}
	return run, nil
}

func (f *fake) Cancel(_ context.Context, id int64, by string) (worker.Run, error) {
	run, err := f.Run(context.Background(), id)
	if err != nil {
		return run, err
	}
	f.set(func(f *fake) { f.cancelled = append(f.cancelled, by) })
	run.CancelRequestedAt, run.CancelRequestedBy = new(noon), &by
	return run, nil
}

func (f *fake) Runs(_ context.Context, filter worker.RunFilter) (worker.RunPage, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	page := worker.RunPage{}
	for _, r := range f.runs {
		if (filter.Worker == "" || r.Worker == filter.Worker) && (filter.Status == "" || r.Status == filter.Status) && (filter.Before == 0 || r.ID < filter.Before) {
			page.Runs = append(page.Runs, r)
		}
	}
	if filter.Before > 0 {
		page.Newer = filter.Before - 1
	}
	if n := len(page.Runs); filter.Limit > 0 && n > filter.Limit {
		page.Runs = page.Runs[:filter.Limit]
		page.Older = page.Runs[filter.Limit-1].ID
	}
	return page, f.err
}

func (f *fake) Run(_ context.Context, id int64) (worker.Run, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return worker.Run{}, f.err
	}
	for _, r := range f.runs {
		if r.ID == id {
			return r, nil
		}
	}
	return worker.Run{}, worker.Errorf(worker.NotFound, "There is no run %d.", id)
}

func (f *fake) Neighbours(_ context.Context, r worker.Run) (previous, following int64, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, other := range f.runs {
		if other.Worker == r.Worker && other.ID < r.ID {
			previous = max(previous, other.ID)
		}
	}
	return previous, 0, f.err
}

func (f *fake) UnitFailures(_ context.Context, _ worker.Run, after int64, limit int) ([]worker.UnitFailure, error) {
	var page []worker.UnitFailure
	for _, u := range f.failures {
		if u.Unit > after && len(page) < limit {
			page = append(page, u)
		}
	}
	return page, f.err
}

func (f *fake) Changes(_ context.Context, _, after int64, limit int) ([]worker.Change, error) {
	var page []worker.Change
	for _, c := range f.changes {
		if c.ID > after && len(page) < limit {
			page = append(page, c)
		}
	}
	return page, f.err
}

func (f *fake) SetAside(_ context.Context, name string) ([]worker.SetAside, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var aside []worker.SetAside
	for _, u := range f.aside {
		if u.Worker == name {
			aside = append(aside, u)
		}
	}
	return aside, f.err
}

func (f *fake) ReleaseUnits(_ context.Context, name string, unit int64) (released []worker.UnitRef, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.aside = slices.DeleteFunc(f.aside, func(u worker.SetAside) bool {
		if u.Worker != name || unit > 0 && u.ID != unit {
			return false
		}
		released = append(released, u.UnitRef)
		return true
	})
	return released, f.err
}

// Abandoned is asked beside the pages, so that it reads nothing that a test changes.
func (f *fake) Abandoned(context.Context) (int64, error) { return f.abandoned, nil }

func (f *fake) Processes(context.Context) ([]worker.Process, error) {
	if f.empty {
		return nil, f.err
	}
	return []worker.Process{
		{Owner: "arq-1/serve/4711", Host: "arq-1", PID: 4711, Role: "serve", Version: "1.2.0", Concurrency: 1, StartedAt: at(4530), Runs: []int64{1280}},
		{Owner: `<script>alert(1)</script>/work/9`, Host: "arq-2", PID: 9, Role: "work", Version: "1.2.0", Concurrency: 3, StartedAt: at(60)},
	}, f.err
}

func (f *fake) HasRecords(context.Context) (bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !f.empty, f.err
}

func (f *fake) Ping(context.Context) error { return f.err }

func (f *fake) Import(_ context.Context, name, format string, checkOnly bool, r io.Reader) (views.ImportReport, error) {
	if f.importErr != nil {
		return views.ImportReport{}, f.importErr
	}
	raw, err := io.ReadAll(r)
	if err != nil {
		return views.ImportReport{}, err
	}
	f.set(func(f *fake) { f.imported = append(f.imported, string(raw)) })
	report := f.report
	report.File, report.Format, report.CheckOnly = name, format, checkOnly
	if f.rejects != "" {
		report.RejectsFile = filepath.Join(f.dir, "fresh.csv")
		err = os.WriteFile(report.RejectsFile, []byte(f.rejects), 0o600)
	}
	return report, err
}

func (f *fake) LoadSample(context.Context) (views.ImportReport, error) { return f.report, f.importErr }

// Override, like what follows, is what settings keep; here of ner only, and nothing is checked but what everything else checks.
func (f *fake) Override(_ context.Context, name string) (worker.Override, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.revisions) == 0 || name != "ner" {
		return worker.Override{}, f.err
	}
	return worker.Override{Version: f.revisions[0].Version, Settings: f.revisions[0].After}, f.err
}

func (f *fake) Save(ctx context.Context, c worker.OverrideChange) (worker.Saved, error) {
	c, err := worker.CheckChange(must(c.Worker), c)
	if err != nil {
		return worker.Saved{}, err
	}
	current, err := f.Override(ctx, c.Worker)
	if err != nil {
		return worker.Saved{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if c.Seen != worker.AnyVersion && c.Seen != current.Version {
		return worker.Saved{}, &worker.SettingsChangedError{Seen: c.Seen, Current: f.revisions[0]}
	}
	if len(worker.SettingsDiffer(current.Settings, c.Settings)) == 0 {
		return worker.Saved{Override: current}, nil
	}
	r := worker.Revision{
		Worker: c.Worker, Version: current.Version + 1, At: noon, By: c.By, Channel: c.Channel, Note: c.Note, Before: current.Settings, After: c.Settings,
	}
	if c.RestoredFrom > 0 {
		r.RestoredFrom = &c.RestoredFrom
	}
	f.revisions = append([]worker.Revision{r}, f.revisions...)
	return worker.Saved{Override: worker.Override{Version: r.Version, Settings: c.Settings}, Changed: true}, nil
}

func (f *fake) Restore(ctx context.Context, c worker.OverrideChange, version int64) (worker.Saved, error) {
	r, err := f.Revision(ctx, c.Worker, version)
	if err != nil {
		return worker.Saved{}, err
	}
	c.Settings, c.RestoredFrom = r.After, version
	return f.Save(ctx, c)
}

func (f *fake) Revision(_ context.Context, name string, version int64) (worker.Revision, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.revisions {
		if r.Version == version && r.Worker == name {
			return r, f.err
		}
	}
	return worker.Revision{}, worker.Errorf(worker.NotFound, "The settings of %s have no revision %d.", name, version)
}

func (f *fake) Revisions(_ context.Context, filter worker.RevisionFilter) (worker.RevisionPage, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	page := worker.RevisionPage{}
	for _, r := range f.revisions {
		if r.Worker != filter.Worker || filter.By != "" && r.By != filter.By || filter.Before > 0 && r.Version >= filter.Before {
			continue
		}
		if len(page.Revisions) == filter.Limit {
			page.Older = page.Revisions[filter.Limit-1].Version
			break
		}
		page.Revisions = append(page.Revisions, r)
	}
	return page, f.err
}

func (f *fake) Editors(context.Context, string) ([]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var editors []string
	for _, r := range f.revisions {
		if !slices.Contains(editors, r.By) {
			editors = append(editors, r.By)
		}
	}
	return editors, f.err
}
