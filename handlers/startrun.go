package handlers

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"scrinalia/views"
	"scrinalia/worker"

	"github.com/labstack/echo/v4"
)

// runOrder is the JSON body that asks for a run.
type runOrder struct {
	Engine    string         `json:"engine"`
	Preset    string         `json:"preset"`
	BatchSize any            `json:"batch_size"`
	Options   map[string]any `json:"options"`
	By        string         `json:"by"`
}

// startRun queues a run, asked for by a form or by JSON.
func (h *handlers) startRun(c echo.Context) error {
	def, err := h.catalogue.Lookup(c.Param("name"))
	if err != nil {
		return err
	}
	if sentJSON(c.Request()) || wantsJSON(c.Request()) && !sentForm(c.Request()) {
		return h.startFromJSON(c, def)
	}
	return h.startFromForm(c, def)
}

func sentForm(r *http.Request) bool {
	kind := r.Header.Get("Content-Type")
	return strings.HasPrefix(kind, echo.MIMEApplicationForm) || strings.HasPrefix(kind, echo.MIMEMultipartForm)
}

func (h *handlers) startFromJSON(c echo.Context, def worker.Definition) error {
	if kind := c.Request().Header.Get(echo.HeaderContentType); kind != "" && !sentJSON(c.Request()) {
		return echo.NewHTTPError(http.StatusUnsupportedMediaType, "The body has to be application/json, or a form.")
	}
	order, err := decodeOrder(c.Request().Body)
	if err != nil {
		return err
	}
	by := "API " + c.RealIP()
	if name := cleanName(order.By); name != "" {
		by = name + ", " + by
	}
	run, err := h.panel.Submit(c.Request().Context(), worker.Request{
		Worker: def.Name, Trigger: worker.API, RequestedBy: by,
		Arguments: worker.Settings{Engine: order.Engine, Preset: order.Preset, BatchSize: order.BatchSize, Options: order.Options},
	})
	if err != nil {
		return err
	}
	return h.created(c, run)
}

func (h *handlers) created(c echo.Context, run worker.Run) error {
	c.Response().Header().Set(echo.HeaderLocation, views.RunPath(run.ID))
	return answerJSON(c, http.StatusCreated, run)
}

// decodeOrder reads the body. No body asks for a run as configured.
func decodeOrder(body io.Reader) (order runOrder, err error) {
	raw, err := io.ReadAll(body)
	if err != nil || len(bytes.TrimSpace(raw)) == 0 {
		return order, err
	}
	return order, decodeJSON(bytes.NewReader(raw), &order, "engine, preset, batch_size, options and by")
}

func jsonKind(field string) string {
	switch field {
	case "options":
		return "an object"
	case "version":
		return "a whole number"
	}
	return "a text"
}

// cleanName is what a client calls itself: one line of at most 100 characters.
func cleanName(s string) string {
	s = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return ' '
		}
		return r
	}, s)), " ")
	if r := []rune(s); len(r) > 100 {
		s = string(r[:100]) + "…"
	}
	return s
}

func (h *handlers) startFromForm(c echo.Context, def worker.Definition) error {
	form, err := c.FormParams()
	if err != nil {
		return badForm(err)
	}
	given, settings, err := readForm(form)
	if err != nil {
		return err
	}
	if given["units"] == "all" && form.Get("confirm") != "1" {
		return h.toForce(c, def, form)
	}
	run, err := h.panel.Submit(c.Request().Context(), worker.Request{
		Worker: def.Name, Arguments: settings, Trigger: worker.Panel, RequestedBy: "panel " + c.RealIP(),
	})
	if e, ok := errors.AsType[*worker.Error](err); ok && e.Kind == worker.Invalid && !wantsPart(c.Request()) && !wantsJSON(c.Request()) {
		return h.workerPage(c, http.StatusUnprocessableEntity, views.RunForm{Given: given, Refused: e.Fields, Message: e.Msg}, nil)
	}
	if err != nil {
		return err
	}
	if wantsJSON(c.Request()) {
		return h.created(c, run)
	}
	return seeOther(c, after(c, run.ID, def.Name))
}

func badForm(err error) error {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return err
	}
	return echo.NewHTTPError(http.StatusBadRequest).SetInternal(err)
}

// readForm reads what was typed, by option, and the settings that follow from it. A field left empty follows the configuration.
func readForm(form url.Values) (given map[string]string, s worker.Settings, err error) {
	given = map[string]string{}
	unknown := map[string]string{}
	s.Options = map[string]any{}
	for field, values := range form {
		v := strings.TrimSpace(strings.Join(values, ",")) // ticked choices come one by one
		name, option := strings.CutPrefix(field, "option.")
		if v == "" {
			continue
		}
		given[name] = v
		switch {
		case option || field == "limit":
			s.Options[name] = v
		case field == "batch_size":
			s.BatchSize = v
		case field == "engine":
			s.Engine = v
		case field == "preset":
			s.Preset = v
		case field == views.EngineField:
			s.Engine, s.Preset, _ = strings.Cut(v, "/")
		case field == "dry_run":
			s.Options[name] = true
		case field == "units" && v == "all":
			s.Options["force"] = true
		case field != "units" && field != "back" && field != "confirm":
			unknown[field] = fmt.Sprintf("%q is not known; the fields are engine, preset, batch_size, limit, dry_run, units and option.NAME", field)
		}
	}
	if len(unknown) > 0 {
		return nil, s, &worker.Error{Kind: worker.Invalid, Msg: "The form has a field that is not known.", Fields: unknown}
	}
	return given, s, nil
}
