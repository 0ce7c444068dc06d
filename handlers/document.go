package handlers

import (
	"context"
	"net/http"
	"strconv"

	"scrinalia/archive"
	"scrinalia/views"
	"scrinalia/worker"

	"github.com/labstack/echo/v4"
)

// showDocument shows one description.
func (h *handlers) showDocument(c echo.Context) error {
	id, err := documentID(c)
	if err != nil {
		return err
	}
	d, err := h.document(c.Request().Context(), id)
	if err != nil {
		return err
	}
	if wantsJSON(c.Request()) {
		return answerJSON(c, http.StatusOK, d)
	}
	page := views.Document(views.DocumentPage{Frame: h.frame(c, views.PlaceDocuments), Document: d, Labels: h.workerLabels()})
	return render(c, http.StatusOK, page, page)
}

func documentID(c echo.Context) (int64, error) {
	id, err := strconv.ParseInt(c.Param("id"), 10, 64)
	if err != nil || id < 1 {
		return 0, worker.Errorf(worker.NotFound, "There is no description %q.", cleanName(c.Param("id")))
	}
	return id, nil
}

// document reads a description with how each worker stands to it.
func (h *handlers) document(ctx context.Context, id int64) (archive.Document, error) {
	prints, err := h.panel.Fingerprints(ctx)
	if err != nil {
		return archive.Document{}, err
	}
	var workers []archive.InForce
	for _, w := range h.ofDescriptions() {
		workers = append(workers, archive.InForce{Worker: w.Name, Fingerprint: prints[w.Name]})
	}
	return h.archive.Document(ctx, id, workers)
}

// workerLabels are the names of the workers in English, by name.
func (h *handlers) workerLabels() map[string]string {
	labels := map[string]string{}
	for _, d := range h.catalogue.All() {
		labels[d.Name] = d.Label
	}
	return labels
}

// actor is who decides: until there are accounts that is the panel or the API with the client's address.
func actor(c echo.Context) archive.Actor {
	if wantsJSON(c.Request()) || sentJSON(c.Request()) {
		return archive.Actor{Person: "API " + c.RealIP(), Channel: worker.API}
	}
	return archive.Actor{Person: "panel " + c.RealIP(), Channel: worker.Panel}
}
