package handlers

import (
	"context"
	"io"
	"net/http"
	"time"

	"scrinalia/archive"
	"scrinalia/curation"
	"scrinalia/health"
	"scrinalia/search"
	"scrinalia/storage"
	"scrinalia/views"
	"scrinalia/worker"
)

// Panel is the executor: what waits and runs, and how to start and stop it.
type Panel interface {
	// Overview returns every worker in order, from figures that cost nothing to read.
	Overview(ctx context.Context) ([]worker.State, error)
	// State returns one worker, or NotFound.
	State(ctx context.Context, name string) (worker.State, error)
	// Submit queues a run. It fails with NotFound, with Invalid and its fields, or with a *worker.InFlightError.
	Submit(ctx context.Context, r worker.Request) (worker.Run, error)
	// RunPipeline starts every worker in order. It fails with Invalid and its fields, or with a *worker.PipelineError.
	RunPipeline(ctx context.Context, r worker.PipelineRequest) (worker.Pipeline, error)
	// CancelPipeline tells a pipeline to stop as a whole.
	CancelPipeline(ctx context.Context, id int64, by string) (worker.Pipeline, error)
	// Fingerprints are what the settings in force of each worker are known by.
	Fingerprints(ctx context.Context) (map[string][]byte, error)
	// Cancel tells a run to stop, or takes a queued one back.
	Cancel(ctx context.Context, id int64, by string) (worker.Run, error)
}

// Ledger is the record of runs.
type Ledger interface {
	// Runs returns a page of the ledger, newest first.
	Runs(ctx context.Context, f worker.RunFilter) (worker.RunPage, error)
	// Run returns one run, or NotFound.
	Run(ctx context.Context, id int64) (worker.Run, error)
	// ActivePipeline returns the pipeline under way, nil when there is none.
	ActivePipeline(ctx context.Context) (*worker.Pipeline, error)
	// Pipeline returns one pipeline with its runs, or NotFound.
	Pipeline(ctx context.Context, id int64) (worker.Pipeline, error)
	// Neighbours returns the runs of the same worker before and after this one, 0 for none.
	Neighbours(ctx context.Context, r worker.Run) (previous, following int64, err error)
	// UnitFailures returns units that failed alone, in order of their key.
	UnitFailures(ctx context.Context, r worker.Run, after int64, limit int) ([]worker.UnitFailure, error)
	// SetAside returns the units of a worker that are set aside because processes died while they were in work.
	SetAside(ctx context.Context, name string) ([]worker.SetAside, error)
	// ReleaseUnits makes them wait again: one, or with 0 all. It returns those that it released.
	ReleaseUnits(ctx context.Context, name string, unit int64) ([]worker.UnitRef, error)
	// Changes returns what a run changed, in order of its key.
	Changes(ctx context.Context, runID, after int64, limit int) ([]worker.Change, error)
	// Processes lists those that execute queued runs and are alive.
	Processes(ctx context.Context) ([]worker.Process, error)
	// Abandoned says how many runs are queued while no process is alive that executes them.
	Abandoned(ctx context.Context) (int64, error)
	// HasRecords says whether anything was imported yet.
	HasRecords(ctx context.Context) (bool, error)
	// Ping says whether the database answers.
	Ping(ctx context.Context) error
}

// Importer brings descriptions into staging.
type Importer interface {
	// Import reads a file; the reader of an upload can seek. It fails with Invalid when the file is none that it reads.
	Import(ctx context.Context, name string, format string, checkOnly bool, r io.Reader) (views.ImportReport, error)
	// LoadSample imports the bundled collection.
	LoadSample(ctx context.Context) (views.ImportReport, error)
}

// Thumbnails knows the small pictures of descriptions.
type Thumbnails interface {
	// Thumbnail returns that of a description, or NotFound.
	Thumbnail(ctx context.Context, document int64) (worker.Thumbnail, error)
}

// Objects is the storage.
type Objects interface {
	// Get opens an object, or fails with NotFound.
	Get(ctx context.Context, key string) (io.ReadCloser, storage.Info, error)
}

// Doctor checks what the workers need.
type Doctor interface {
	// Report returns a report that is a few seconds old at most, within a few seconds.
	Report(ctx context.Context) health.Report
	// Last returns the last report at once, and whether it is fresh; one that is not is made anew meanwhile.
	Last() (r health.Report, fresh bool)
}

// Searcher finds descriptions.
type Searcher interface {
	// Search answers a query. It fails with Invalid when the query or the page is out of bounds.
	Search(ctx context.Context, q search.Query) (search.Answer, error)
}

// Archive holds the descriptions.
type Archive interface {
	// Documents returns a page of the list.
	Documents(ctx context.Context, f archive.Filter) (archive.Page, error)
	// Choices returns the vocabularies that filters and forms offer. It fails with NotFound when the filter's tag or entity is not there.
	Choices(ctx context.Context, f archive.Filter) (archive.Choices, error)
	// Document returns one description, or NotFound.
	Document(ctx context.Context, id int64, workers []archive.InForce) (archive.Document, error)
	// EditDocument changes a description. It fails with NotFound, with Invalid and its fields, or with an *archive.ChangedError.
	EditDocument(ctx context.Context, id int64, e archive.Edit, by archive.Actor) error
}

// Reviews are what waits for a person to decide.
type Reviews interface {
	// Reviews returns a page of what waits, after one of them.
	Reviews(ctx context.Context, kind archive.Kind, after int64, limit int) (archive.ReviewPage, error)
	// ReviewCounts says how much waits of each kind.
	ReviewCounts(ctx context.Context) (map[archive.Kind]archive.Count, error)
	// Decided returns what was decided last, the newest first.
	Decided(ctx context.Context, limit int) ([]archive.Review, error)
	// DecidedReview returns one decided review, or NotFound.
	DecidedReview(ctx context.Context, id int64) (archive.Review, error)
	// Alike returns the reviews that one decision may answer.
	Alike(ctx context.Context, kind archive.Kind, id int64) (archive.Alike, error)
	// Decide decides a review and returns the decided review's id. It fails with NotFound, with Invalid and its fields, or with a Conflict when
	// somebody was faster.
	Decide(ctx context.Context, j archive.Judgement, by archive.Actor) (int64, error)
	// UndoReview makes a decided review wait again. It fails with a Conflict when something stands in the way.
	UndoReview(ctx context.Context, id int64, by archive.Actor) error
}

// Settings are what is set of the workers against the code, with the history of it.
type Settings interface {
	// Override returns what is set of a worker.
	Override(ctx context.Context, name string) (worker.Override, error)
	// Save replaces it. It fails with Invalid and its fields, or with *worker.SettingsChangedError.
	Save(ctx context.Context, c worker.OverrideChange) (worker.Saved, error)
	// Restore makes the settings of a revision those in force again. It fails as Save does, or with NotFound.
	Restore(ctx context.Context, c worker.OverrideChange, version int64) (worker.Saved, error)
	// Revision returns one change, or NotFound.
	Revision(ctx context.Context, name string, version int64) (worker.Revision, error)
	// Revisions returns a page of the changes, newest first.
	Revisions(ctx context.Context, f worker.RevisionFilter) (worker.RevisionPage, error)
	// Editors lists who made changes.
	Editors(ctx context.Context, name string) ([]string, error)
}

// Curation are the rules and vocabularies, with their history.
type Curation interface {
	// Entries returns a list, or the one entry of that id when it is not 0.
	Entries(ctx context.Context, l curation.List, id int32) ([]curation.Entry, error)
	// Entry returns one entry, or NotFound.
	Entry(ctx context.Context, l curation.List, id int32) (curation.Entry, error)
	// Weights says how many descriptions each entry of a list bears on.
	Weights(ctx context.Context, l curation.List) (map[int32]int64, error)
	// Engines are the engines that a rule may name.
	Engines() []worker.EngineChoice
	// Save makes a change. It fails with NotFound, with Invalid and its fields, with *curation.ChangedError, or with a Conflict.
	Save(ctx context.Context, c curation.Change) (curation.Saved, error)
	// SetActive retires an entry or brings it back. It fails as Save does.
	SetActive(ctx context.Context, c curation.Change, active bool) (curation.Saved, error)
	// Restore makes the state of a revision the one in force again. It fails as Save does.
	Restore(ctx context.Context, c curation.Change, revision int64) (curation.Saved, error)
	// Move puts a rule before or behind its neighbour.
	Move(ctx context.Context, c curation.Change, down bool) error
	// Effect says what a change would do to the queues.
	Effect(ctx context.Context, c curation.Change) ([]curation.Effect, error)
	// Preview applies a rule to real descriptions without writing anything.
	Preview(ctx context.Context, c curation.Change) (curation.Preview, error)
	// Matches says for each rule how many descriptions it matches.
	Matches(ctx context.Context, rules []curation.Entry) (map[int32]curation.Preview, error)
	// EntryRevisions returns a page of the changes, newest first.
	EntryRevisions(ctx context.Context, f curation.Filter) (curation.Page, error)
}

// Failures are what failed, by cause.
type Failures interface {
	// Failures returns the causes, the last seen first.
	Failures(ctx context.Context, f worker.FailureFilter, now time.Time) (worker.FailureList, error)
	// AcknowledgeFailure notes that a person knows of a cause. It fails with NotFound when nothing failed for it.
	AcknowledgeFailure(ctx context.Context, a worker.Acknowledging) (worker.Acknowledgement, error)
}

// ErrorSink takes errors that nobody foresaw. It never waits.
type ErrorSink interface{ Record(e worker.ServerError) }

// Metrics count what was answered, and answer scrapes.
type Metrics interface {
	http.Handler
	// Answered takes a request. route is the pattern, empty when none fits.
	Answered(method, route string, status int, took time.Duration)
}
