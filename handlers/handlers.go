package handlers

import (
	"log/slog"
	"net/http"
	"time"

	"scrinalia/health"
	"scrinalia/static"
	"scrinalia/views"
	"scrinalia/worker"

	"github.com/labstack/echo/v4"
)

// Options are what the panel needs. Catalogue, Panel, Ledger, Settings, Archive, Reviews, Importer, Search, Thumbnails, Objects and Failures are required.
type Options struct {
	Catalogue   *worker.Catalogue
	Panel       Panel
	Ledger      Ledger
	Archive     Archive
	Reviews     Reviews
	Settings    Settings
	Curation    Curation
	Importer    Importer
	Search      Searcher
	Thumbnails  Thumbnails
	Objects     Objects
	Doctor      Doctor // without one /health says that nothing was checked
	Failures    Failures
	Errors      ErrorSink        // takes unexpected errors; may be nil
	Metrics     Metrics          // counts requests and answers /metrics; nil: there is no such page
	Log         *slog.Logger     // discarded when nil
	Version     string           // shown in the foot
	Environment string           // shown in the bar, so that nobody mistakes production for a trial; may be empty
	Location    *time.Location   // the zone of every time on a page; time.Local when nil
	Language    string           // for who asks for none that there is; English when empty
	Now         func() time.Time // time.Now when nil
	ReportsDir  string           // where the reports of imports are kept; a temporary folder when empty
	Hosts       Hosts            // the names that the panel answers to; loopback only when empty
}

// handlers holds what every handler shares.
type handlers struct {
	catalogue   *worker.Catalogue
	panel       Panel
	ledger      Ledger
	archive     Archive
	reviews     Reviews
	settings    Settings
	curation    Curation
	importer    Importer
	search      Searcher
	thumbnails  Thumbnails
	objects     Objects
	doctor      Doctor
	failures    Failures
	errors      ErrorSink
	metrics     Metrics
	log         *slog.Logger
	version     string
	environment string
	zone        *time.Location
	language    views.Language
	now         func() time.Time
	assets      map[string]string
	hosts       Hosts
	reports     reports
	readiness   readiness
	abandoned   abandoned
}

// New returns the panel. It opens nothing and starts nothing.
func New(o Options) http.Handler {
	h := &handlers{
		catalogue: o.Catalogue, panel: o.Panel, ledger: o.Ledger, settings: o.Settings, curation: o.Curation, archive: o.Archive, reviews: o.Reviews, importer: o.Importer, search: o.Search, thumbnails: o.Thumbnails, objects: o.Objects, doctor: o.Doctor, failures: o.Failures, errors: o.Errors, metrics: o.Metrics, log: o.Log,
		version: o.Version, environment: o.Environment, zone: o.Location, language: views.Language(o.Language), now: o.Now,
		assets: static.URLs(), hosts: o.Hosts, reports: reports{dir: o.ReportsDir},
	}
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	if h.zone == nil {
		h.zone = time.Local
	}
	if h.doctor == nil {
		h.doctor = health.New(h.now)
	}
	if !h.language.Known() {
		h.language = views.English
	}
	if h.now == nil {
		h.now = time.Now
	}
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.IPExtractor = echo.ExtractIPDirect() // who asked is told by the connection, never by a header
	e.HTTPErrorHandler = h.fail
	e.Use(h.identify, h.logAccess, h.recoverPanic, secure, h.choose, h.knownHost, sameOrigin, limitBody)
	h.routes(e)
	return e
}
