package handlers

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"scrinalia/archive"
	"scrinalia/views"
	"scrinalia/worker"

	"github.com/labstack/echo/v4"
)

type documentsAnswer struct {
	Documents []archive.Summary `json:"documents"`
	Earlier   *string           `json:"earlier"`
	Later     *string           `json:"later"`
	ReadsAll  bool              `json:"reads_every_description"` // no index leads to what the filter asks for
}

// listDocuments shows a page of the descriptions.
func (h *handlers) listDocuments(c echo.Context) error {
	ctx := c.Request().Context()
	filter, err := h.readDocumentFilter(c)
	if err != nil {
		return err
	}
	page := views.DocumentsPage{Frame: h.frame(c, views.PlaceDocuments), Filter: filter, Workers: h.ofDescriptions()}
	if page.Choices, err = h.archive.Choices(ctx, filter); err != nil {
		return err
	}
	found, err := h.archive.Documents(ctx, filter)
	if err != nil {
		return err
	}
	page.Page = found
	if wantsJSON(c.Request()) {
		return answerJSON(c, http.StatusOK, documentsAnswer{
			orEmpty(found.Documents), link(page.ToEarlier()), link(page.ToLater()), filter.ReadsAll(),
		})
	}
	return render(c, http.StatusOK, views.Documents(page), views.DocumentsPart(page))
}

// link is an address in JSON; null when there is none.
func link(path string) *string {
	if path == "" {
		return nil
	}
	return &path
}

// ofDescriptions lists the workers whose units are descriptions.
func (h *handlers) ofDescriptions() []views.Neighbour {
	var list []views.Neighbour
	for _, d := range h.catalogue.All() {
		if d.Unit != worker.Tag && d.Unit != worker.Pair {
			list = append(list, views.Neighbour{Order: d.Order, Name: d.Name, Label: d.Label})
		}
	}
	return list
}

// readDocumentFilter reads the filters from the address, and says what each would accept.
func (h *handlers) readDocumentFilter(c echo.Context) (archive.Filter, error) {
	wrong := map[string]string{}
	number := func(name string, most int64) int64 {
		s := c.QueryParam(name)
		if s == "" {
			return 0
		}
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil || n < 1 || n > most {
			wrong[name] = fmt.Sprintf("%s takes a whole number from 1 to %d", name, most)
		}
		return n
	}
	f := archive.Filter{
		Status: archive.Status(strings.ToUpper(c.QueryParam("status"))), Reason: c.QueryParam("reason"),
		Typology: int32(number("typology", 1<<31-1)), Level: int32(number("level", 1<<15-1)), Tag: number("tag", 1<<53), Entity: number("entity", 1<<53),
		Pending: c.QueryParam("pending"), Stale: c.QueryParam("stale"), Before: number("before", 1<<53), After: number("after", 1<<53),
		Limit: int(number("limit", maxPage)),
	}
	if f.Status != "" && !f.Status.Known() {
		names := make([]string, len(archive.Statuses))
		for i, s := range archive.Statuses {
			names[i] = string(s)
		}
		wrong["status"] = "status takes one of " + strings.Join(names, ", ")
	}
	for name, given := range map[string]string{"pending": f.Pending, "stale": f.Stale} {
		if given != "" && !h.hasUnit(given) {
			wrong[name] = name + " takes the name of a worker whose units are descriptions"
		}
	}
	if len(wrong) > 0 {
		return f, &worker.Error{Kind: worker.Invalid, Msg: "The filter was refused.", Fields: wrong}
	}
	if f.Stale != "" {
		prints, err := h.panel.Fingerprints(c.Request().Context())
		if err != nil {
			return f, err
		}
		f.InForce = prints[f.Stale]
	}
	return f, nil
}

func (h *handlers) hasUnit(name string) bool {
	for _, w := range h.ofDescriptions() {
		if w.Name == name {
			return true
		}
	}
	return false
}
