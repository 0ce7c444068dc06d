package views

import (
	"strconv"
	"time"
)

// Frame is what every page needs beside its own values. Its methods write in the page's language and zone.
type Frame struct {
	Lang        Language
	Now         time.Time
	Zone        *time.Location
	Version     string
	Environment string
	Path        string // the address of this page, to come back to
	Assets      map[string]string
	Place       Place
	RequestID   string
	Abandoned   int64 // runs that are queued while no process is alive that executes them
}

// Place is an entry of the main menu.
type Place string

// The places of the menu.
const (
	PlaceWorkers   Place = "workers"
	PlaceRuns      Place = "runs"
	PlaceSearch    Place = "search"
	PlaceDocuments Place = "documents"
	PlaceReviews   Place = "reviews"
	PlaceCuration  Place = "curation"
	PlaceHealth    Place = "health"
	PlaceFailures  Place = "failures"
)

// T is the text of a key, with {0}, {1}, ... replaced by the arguments.
func (f Frame) T(key string, args ...any) string { return fill(f.Lang.lookup(key), args) }

// N is the text of a key for a number: its .one or .other form, with {0} the number and {1}, ... the arguments.
func (f Frame) N(key string, n int64, args ...any) string {
	form := ".other"
	if n == 1 || n == 0 && f.Lang == Portuguese {
		form = ".one"
	}
	return f.T(key+form, append([]any{f.Num(n)}, args...)...)
}

// Or is the text of a key where there is one, else the fallback as it was given, cut to nothing.
func (f Frame) Or(key, fallback string) string {
	if s, ok := f.Lang.find(key); ok {
		return s
	}
	return fallback
}

// Asset is the address of a static file; empty when the build has none of that name.
func (f Frame) Asset(name string) string { return f.Assets[name] }

// Icon is the address of a symbol.
func (f Frame) Icon(id string) string { return f.Asset("icons.svg") + "#" + id }

// WorkerLabel is the name of a worker as people read it.
func (f Frame) WorkerLabel(name, fallback string) string {
	if fallback == "" {
		fallback = name
	}
	return f.Or("worker."+name+".label", fallback)
}

// RunNumber writes the number of a run: #1,280.
func (f Frame) RunNumber(id int64) string { return f.T("run.number", f.Num(id)) }

// TitleOf is the title of the browser's tab.
func (f Frame) TitleOf(title string) string { return title + " · Scrinalia" }

func (f Frame) zone() *time.Location {
	if f.Zone == nil {
		return time.UTC
	}
	return f.Zone
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
