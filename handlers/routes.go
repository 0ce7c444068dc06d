package handlers

import (
	"net/http"

	"scrinalia/curation"
	"scrinalia/static"
	"scrinalia/views"

	"github.com/labstack/echo/v4"
)

// The routes, each with who asks for it.
func (h *handlers) routes(e *echo.Echo) {
	get := func(path string, f echo.HandlerFunc) { e.Match([]string{http.MethodGet, http.MethodHead}, path, f) }

	get("/", func(c echo.Context) error { return c.Redirect(http.StatusSeeOther, views.WorkersPath()) })
	get("/workers", h.listWorkers)                                                  // people; polled while something runs
	get("/workers/:name", h.showWorker)                                             // people; polled while it runs
	get("/workers/:name/force", h.askForce)                                         // people, before a forced run
	e.POST("/workers/:name/runs", h.startRun)                                       // people and scripts
	e.POST("/workers/:name/release", h.releaseUnits)                                // people and scripts
	e.POST(views.PipelinesPath(), h.startPipeline)                                  // people and scripts
	get("/pipelines/:id", h.showPipeline)                                           // people and scripts; polled while it is under way
	e.POST("/pipelines/:id/cancel", h.cancelPipeline)                               // people and scripts
	get("/runs", h.listRuns)                                                        // people and scripts
	get("/search", h.searchDocuments)                                               // people and scripts
	get("/documents", h.listDocuments)                                              // people and scripts
	get("/documents/:id", h.showDocument)                                           // people and scripts
	get("/documents/:id/edit", h.askEdit)                                           // people
	e.POST("/documents/:id", h.editFromForm)                                        // people
	e.PATCH("/documents/:id", h.editFromJSON)                                       // scripts
	get("/reviews", h.listReviews)                                                  // people and scripts
	get(views.AlikePath(), h.askAlike)                                              // people, before many are decided at once
	e.POST(views.AlikePath(), h.decideAlike)                                        // people
	e.POST("/reviews/undo/:id", h.undoReview)                                       // people and scripts
	e.POST("/reviews/:kind/:id", h.decide)                                          // people and scripts
	get("/failures", h.listFailures)                                                // people and scripts
	e.POST(views.AcknowledgePath(), h.acknowledgeFailure)                           // people and scripts
	get("/runs/:id", h.showRun)                                                     // people and scripts; polled while it runs
	e.POST("/runs/:id/cancel", h.cancelRun)                                         // people and scripts
	e.POST(views.ImportPath(), h.importFile)                                        // people and scripts
	e.POST(views.SamplePath(), h.loadSample)                                        // people, on the first start
	get("/imports/:id", h.showReport)                                               // people, after an import
	e.PUT("/workers/:name/settings", h.putSettings)                                 // scripts
	e.POST("/workers/:name/settings", h.saveSettings)                               // people
	e.DELETE("/workers/:name/settings", h.resetSettings)                            // scripts
	e.POST("/workers/:name/settings/reset", h.resetSettings)                        // people
	e.POST("/workers/:name/settings/draft", h.draftSettings)                        // people who choose another engine in the form
	get("/workers/:name/settings/revisions", h.listRevisions)                       // people and scripts
	e.POST("/workers/:name/settings/revisions/:version/restore", h.restoreSettings) // people and scripts
	for _, list := range []string{"/rules", "/vocabulary/:list"} {
		get(list, h.listEntries)                                        // people and scripts
		get(list+"/new", h.newEntry)                                    // people
		e.POST(list, h.addEntry)                                        // people and scripts
		e.POST(list+"/preview", h.previewEntry)                         // scripts; people press a button of the form
		get(list+"/revisions", h.listEntryRevisions)                    // people and scripts
		get(list+"/:id", h.showEntry)                                   // people and scripts
		e.POST(list+"/:id", h.saveEntry)                                // people
		e.PUT(list+"/:id", h.saveEntry)                                 // scripts
		e.POST(list+"/:id/preview", h.previewEntry)                     // scripts
		get(list+"/:id/retire", h.askRetire)                            // people
		e.POST(list+"/:id/retire", h.retireEntry)                       // people and scripts
		get(list+"/:id/reactivate", h.askRetire)                        // people
		e.POST(list+"/:id/reactivate", h.retireEntry)                   // people and scripts
		get(list+"/:id/revisions", h.listEntryRevisions)                // people and scripts
		e.POST(list+"/:id/revisions/:revision/restore", h.restoreEntry) // people and scripts
	}
	e.POST("/rules/:id/move", h.moveRule) // people and scripts
	get("/vocabulary", func(c echo.Context) error {
		return c.Redirect(http.StatusSeeOther, views.CurationPath(curation.Typologies))
	})
	get("/imports/:id/rejects.csv", h.downloadRejects)
	get("/thumbnails/:id", h.showThumbnail) // browsers, for pages
	e.POST(views.LanguagePath(), h.setLanguage)

	get(views.ProcessesPath(), h.listProcesses) // people and scripts
	get(views.HealthPath(), h.showHealth)       // people at night, and scripts
	if h.metrics != nil {
		get(metricsPath, echo.WrapHandler(h.metrics)) // Prometheus
	}
	get(livePath, h.live)                 // supervisors
	get(readyPath, h.ready)               // load balancers
	get(static.Prefix+"*", h.serveStatic) // browsers
}
