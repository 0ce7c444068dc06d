package handlers

import (
	"bytes"
	"io"
	"net/http"
	"strconv"

	"scrinalia/views"
	"scrinalia/worker"

	"github.com/labstack/echo/v4"
)

// releaseOrder is the JSON body, or the form, that releases units; 0 means all of the worker's.
type releaseOrder struct {
	Unit int64 `json:"unit_id"`
}

type releaseAnswer struct {
	Released []worker.UnitRef `json:"released"`
}

// releaseUnits makes units wait again that were set aside because processes died while they were in work.
func (h *handlers) releaseUnits(c echo.Context) error {
	def, err := h.catalogue.Lookup(c.Param("name"))
	if err != nil {
		return err
	}
	order, err := readRelease(c)
	if err != nil {
		return err
	}
	released, err := h.ledger.ReleaseUnits(c.Request().Context(), def.Name, order.Unit)
	if err != nil {
		return err
	}
	by := actor(c)
	for _, u := range released {
		h.log.InfoContext(c.Request().Context(), "unit released", "worker", def.Name, "unit", u.Name, "unit_id", u.ID, "by", by.Person)
	}
	if wantsJSON(c.Request()) || sentJSON(c.Request()) {
		return answerJSON(c, http.StatusOK, releaseAnswer{orEmpty(released)})
	}
	return seeOther(c, views.WorkerPath(def.Name))
}

func readRelease(c echo.Context) (order releaseOrder, err error) {
	if sentJSON(c.Request()) {
		raw, err := io.ReadAll(c.Request().Body)
		if err != nil || len(bytes.TrimSpace(raw)) == 0 {
			return order, err
		}
		return order, decodeJSON(bytes.NewReader(raw), &order, "unit_id")
	}
	if text := c.FormValue("unit_id"); text != "" {
		if order.Unit, err = strconv.ParseInt(text, 10, 64); err != nil || order.Unit < 1 {
			return order, &worker.Error{Kind: worker.Invalid, Msg: "The release was refused.", Fields: map[string]string{"unit_id": "unit_id takes the number of a unit that is set aside"}}
		}
	}
	return order, nil
}
