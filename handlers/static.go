package handlers

import (
	"scrinalia/static"

	"github.com/labstack/echo/v4"
)

// serveStatic answers with a file of the panel.
func (h *handlers) serveStatic(c echo.Context) error {
	if !static.Serve(c.Response(), c.Request(), c.Param("*")) {
		return echo.ErrNotFound
	}
	return nil
}
