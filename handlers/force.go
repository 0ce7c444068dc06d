package handlers

import (
	"net/http"
	"net/url"

	"scrinalia/views"
	"scrinalia/worker"

	"github.com/labstack/echo/v4"
)

// toForce leads to the page that asks before every unit is read again.
func (h *handlers) toForce(c echo.Context, def worker.Definition, form url.Values) error {
	asked := url.Values{}
	for name, values := range form {
		if name != "confirm" && values[0] != "" {
			asked.Set(name, values[0])
		}
	}
	path := views.ForcePath(def.Name, asked)
	if wantsPart(c.Request()) {
		c.Response().Header().Set("HX-Redirect", path)
		return c.NoContent(http.StatusNoContent)
	}
	return seeOther(c, path)
}

// askForce names the number of units that a forced run reads, and asks.
func (h *handlers) askForce(c echo.Context) error {
	def, err := h.catalogue.Lookup(c.Param("name"))
	if err != nil {
		return err
	}
	state, err := h.panel.State(c.Request().Context(), def.Name)
	if err != nil {
		return err
	}
	asked := c.QueryParams()
	asked.Del("lang")
	asked.Set("units", "all")
	page := views.Force(views.ForcePage{WorkerRow: h.row(h.frame(c, views.PlaceWorkers), state), Values: asked})
	return render(c, http.StatusOK, page, page)
}
