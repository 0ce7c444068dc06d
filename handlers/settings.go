package handlers

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"scrinalia/views"
	"scrinalia/worker"

	"github.com/labstack/echo/v4"
)

// settingsOrder is the JSON body that replaces what is set of a worker. Without a version it replaces whatever is there.
type settingsOrder struct {
	Engine    string         `json:"engine"`
	Preset    string         `json:"preset"`
	BatchSize any            `json:"batch_size"`
	Options   map[string]any `json:"options"`
	Version   *int64         `json:"version"`
	Note      string         `json:"note"`
	By        string         `json:"by"`
}

// settingsAnswer is an override after it was saved, with the configuration that it makes.
type settingsAnswer struct {
	Worker string `json:"worker"`
	worker.Saved

	Config worker.Config `json:"config"`
}

// putSettings replaces what is set of a worker, asked for by JSON.
func (h *handlers) putSettings(c echo.Context) error {
	def, err := h.catalogue.Lookup(c.Param("name"))
	if err != nil {
		return err
	}
	if !sentJSON(c.Request()) {
		return echo.NewHTTPError(http.StatusUnsupportedMediaType, "The body has to be application/json.")
	}
	var order settingsOrder
	if err := decodeJSON(c.Request().Body, &order, "engine, preset, batch_size, options, version, note and by"); err != nil {
		return err
	}
	change := h.change(c, def, order.Version)
	change.Settings = worker.Settings{Engine: order.Engine, Preset: order.Preset, BatchSize: order.BatchSize, Options: order.Options}
	change.Note = order.Note
	if name := cleanName(order.By); name != "" {
		change.By = name + ", " + change.By
	}
	saved, err := h.settings.Save(c.Request().Context(), change)
	if err != nil {
		return err
	}
	return h.answerSettings(c, def, saved)
}

func (h *handlers) answerSettings(c echo.Context, def worker.Definition, saved worker.Saved) error {
	state, err := h.panel.State(c.Request().Context(), def.Name)
	if err != nil {
		return err
	}
	return answerJSON(c, http.StatusOK, settingsAnswer{def.Name, saved, state.Config})
}

// change is a change of a worker's settings by whoever sent the request.
func (h *handlers) change(c echo.Context, def worker.Definition, seen *int64) worker.OverrideChange {
	change := worker.OverrideChange{Worker: def.Name, Seen: worker.AnyVersion, By: "panel " + c.RealIP(), Channel: worker.Panel}
	if wantsJSON(c.Request()) || sentJSON(c.Request()) {
		change.By, change.Channel = "API "+c.RealIP(), worker.API
	}
	if seen != nil {
		change.Seen = *seen
	}
	return change
}

// decodeJSON reads one JSON object of known fields.
func decodeJSON(body io.Reader, into any, fields string) error {
	raw, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	malformed := echo.NewHTTPError(http.StatusBadRequest, "The body is no JSON object with "+fields+".")
	if !bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) {
		return malformed
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	dec.DisallowUnknownFields()
	err = dec.Decode(into)
	if err == nil {
		if _, more := dec.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("there is more than one value")
		}
	}
	if err == nil {
		return nil
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		name = cleanName(strings.Trim(name, `"`))
		return &worker.Error{Kind: worker.Invalid, Msg: "The request has a field that is not known.", Fields: map[string]string{
			name: strconv.Quote(name) + " is not known; the fields are " + fields,
		}}
	}
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return &worker.Error{Kind: worker.Invalid, Msg: "A field of the request has the wrong type.", Fields: map[string]string{
			e.Field: e.Field + " takes " + jsonKind(e.Field) + ", not a " + e.Value,
		}}
	}
	return malformed.SetInternal(err)
}

// saveSettings saves what was typed into the form.
func (h *handlers) saveSettings(c echo.Context) error {
	if sentJSON(c.Request()) {
		return h.putSettings(c)
	}
	def, form, err := h.settingsForm(c)
	if err != nil {
		return err
	}
	base, seen, err := h.seenSettings(c, def, form)
	if err != nil {
		return err
	}
	if err := knownFields(form); err != nil {
		return err
	}
	edit, settings := readSettings(h.frame(c, views.PlaceWorkers), def, form, base)
	change := h.change(c, def, seen)
	change.Settings, change.Note = settings, form.Get("note")
	var saved worker.Saved
	if len(edit.Refused) == 0 {
		saved, err = h.settings.Save(c.Request().Context(), change)
	} else if change, err = worker.CheckChange(def, change); err == nil { // what is wrong beside what the form itself found
		err = &worker.Error{Kind: worker.Invalid}
	}
	switch {
	case err == nil && wantsJSON(c.Request()):
		return h.answerSettings(c, def, saved)
	case err == nil:
		return h.toSaved(c, def, saved)
	case wantsJSON(c.Request()):
		return err
	}
	if e, ok := errors.AsType[*worker.SettingsChangedError](err); ok {
		return h.conflictPage(c, def, e, base, change)
	}
	if e, ok := errors.AsType[*worker.Error](err); ok && e.Kind == worker.Invalid {
		for name, said := range h.frame(c, views.PlaceWorkers).Refusals(def, edit.Given, e.Fields) {
			if edit.Refused[name] == "" {
				edit.Refused[name] = said
			}
		}
		edit.Message = e.Msg
		return h.workerPage(c, http.StatusUnprocessableEntity, views.RunForm{}, &edit)
	}
	return err
}

// knownFields refuses a form that is none of settings: what it does not name would follow the code.
func knownFields(form url.Values) error {
	wrong := map[string]string{}
	for field := range form {
		if field != "version" && field != "note" && field != views.ShownField && !strings.HasPrefix(field, views.FromField) && !strings.HasPrefix(field, views.ValueField) {
			field = cleanName(field)
			wrong[field] = strconv.Quote(field) + " is not known; the fields are version, note, from.NAME and value.NAME"
		}
	}
	if !form.Has("version") {
		wrong["version"] = "version is missing: the revision that the form started from, 0 for none"
	}
	if len(wrong) > 0 {
		return &worker.Error{Kind: worker.Invalid, Msg: "The form has a field that is not known, or lacks one.", Fields: wrong}
	}
	return nil
}

// toSaved leads back to the page of the worker, which says what became of the change.
func (h *handlers) toSaved(c echo.Context, def worker.Definition, saved worker.Saved) error {
	version := int64(0)
	if saved.Changed {
		version = saved.Version
	}
	path := views.SavedPath(def.Name, version)
	if wantsPart(c.Request()) {
		c.Response().Header().Set("HX-Redirect", path)
		return c.NoContent(http.StatusNoContent)
	}
	return seeOther(c, path)
}

func (h *handlers) settingsForm(c echo.Context) (worker.Definition, url.Values, error) {
	def, err := h.catalogue.Lookup(c.Param("name"))
	if err != nil {
		return def, nil, err
	}
	form, err := c.FormParams()
	if err != nil {
		return def, nil, badForm(err)
	}
	return def, form, nil
}

// seenSettings are the settings that the editor started from, and their version; a form without one replaces whatever is there.
func (h *handlers) seenSettings(c echo.Context, def worker.Definition, form url.Values) (worker.Settings, *int64, error) {
	ctx := c.Request().Context()
	current, err := h.settings.Override(ctx, def.Name)
	if err != nil || !form.Has("version") {
		return current.Settings, nil, err
	}
	seen, err := strconv.ParseInt(form.Get("version"), 10, 64)
	if err != nil || seen < 0 {
		return worker.Settings{}, nil, echo.NewHTTPError(http.StatusBadRequest, "The version is no number.")
	}
	if seen == current.Version {
		return current.Settings, &seen, nil
	}
	r, err := h.settings.Revision(ctx, def.Name, seen)
	if worker.KindOf(err) == worker.NotFound { // nothing was set then, or nobody can have seen it
		err = nil
	}
	return r.After, &seen, err
}

// draftSettings shows the form again for another engine or preset: with its presets, its options, and what each would be. It saves nothing.
func (h *handlers) draftSettings(c echo.Context) error {
	def, form, err := h.settingsForm(c)
	if err != nil {
		return err
	}
	base, seen, err := h.seenSettings(c, def, form)
	if err != nil {
		return err
	}
	edit, _ := readSettings(h.frame(c, views.PlaceWorkers), def, form, base)
	edit.Refused = map[string]string{}
	if seen == nil {
		return echo.NewHTTPError(http.StatusBadRequest, "The version is no number.")
	}
	edit.Version = *seen
	if edit.Set["preset"] && !belongs(def, edit.Given["engine"], edit.Set["engine"], edit.Given["preset"]) {
		edit.Set["preset"], edit.Given["preset"] = false, ""
	}
	return h.workerPage(c, http.StatusOK, views.RunForm{}, &edit)
}

// belongs says whether the engine that a form asks for has the preset.
func belongs(def worker.Definition, engine string, set bool, preset string) bool {
	for i, e := range def.EngineChoices() {
		if set && e.Name == engine || !set && i == 0 {
			for _, p := range e.Presets {
				if p.Name == preset {
					return true
				}
			}
		}
	}
	return false
}

// decimalComma is a number as people who write in Portuguese type it.
var decimalComma = regexp.MustCompile(`^\s*-?\d*,\d+\s*$`)

// readSettings reads what was typed, and the settings that follow from it. Options belong to the engine that the form showed: they go when another
// one is chosen. What was typed into a field that follows the code is not dropped in silence.
func readSettings(f views.Frame, def worker.Definition, form url.Values, base worker.Settings) (views.SettingsForm, worker.Settings) {
	edit := views.SettingsForm{Set: map[string]bool{}, Given: map[string]string{}, Refused: map[string]string{}, Note: form.Get("note")}
	edit.Version, _ = strconv.ParseInt(form.Get("version"), 10, 64)
	engine, gone := chosenEngine(def, form), map[string]bool{}
	if shown := form.Get(views.ShownField); shown != "" && shown != engine {
		for _, e := range def.EngineChoices() {
			for _, o := range e.Options {
				gone[o.Name] = true
			}
		}
	}
	var settings worker.Settings
	for field := range form {
		name, ok := strings.CutPrefix(field, views.FromField)
		if !ok || gone[name] {
			continue
		}
		o, _ := def.Option(name)
		v := strings.Join(form[views.ValueField+name], ",")
		if o.Type == worker.Number && f.Lang == views.Portuguese && decimalComma.MatchString(v) {
			v = strings.Replace(v, ",", ".", 1)
		}
		edit.Given[name], edit.Set[name] = v, form.Get(field) == "set"
		was, _ := base.Field(name)
		switch {
		case edit.Set[name] && v == "" && (name == "engine" || name == "preset"):
			edit.Refused[name] = f.T("settings.choose.one")
		case edit.Set[name]:
			settings = settings.With(name, v)
		case v != "" && v != views.Typed(was):
			edit.Refused[name] = f.T("settings.both", v)
		}
	}
	return edit, settings
}

// chosenEngine is the engine that a form asks for: the one that is set, else the code's.
func chosenEngine(def worker.Definition, form url.Values) string {
	if form.Get(views.FromField+"engine") == "set" && form.Get(views.ValueField+"engine") != "" {
		return form.Get(views.ValueField + "engine")
	}
	for _, e := range def.EngineChoices() {
		return e.Name
	}
	return ""
}

// resetSettings lets a worker follow the code everywhere, which it may do already.
func (h *handlers) resetSettings(c echo.Context) error {
	def, form, err := h.settingsForm(c)
	if err != nil {
		return err
	}
	base, seen, err := h.seenSettings(c, def, form)
	if err != nil {
		return err
	}
	change := h.change(c, def, seen)
	change.Note = form.Get("note")
	if c.Request().Method == http.MethodDelete {
		change.By, change.Channel = "API "+c.RealIP(), worker.API
		if name := cleanName(form.Get("by")); name != "" {
			change.By = name + ", " + change.By
		}
	}
	saved, err := h.settings.Save(c.Request().Context(), change)
	return h.answerChange(c, def, base, change, saved, err)
}

// restoreSettings makes the settings of a revision those in force again.
func (h *handlers) restoreSettings(c echo.Context) error {
	def, form, err := h.settingsForm(c)
	if err != nil {
		return err
	}
	version, err := strconv.ParseInt(c.Param("version"), 10, 64)
	if err != nil {
		return worker.Errorf(worker.NotFound, "The settings of %s have no revision %q.", def.Name, cleanName(c.Param("version")))
	}
	base, seen, err := h.seenSettings(c, def, form)
	if err != nil {
		return err
	}
	change := h.change(c, def, seen)
	change.Note = form.Get("note")
	saved, err := h.settings.Restore(c.Request().Context(), change, version)
	if worker.KindOf(err) == worker.Conflict {
		if r, rerr := h.settings.Revision(c.Request().Context(), def.Name, version); rerr == nil {
			change.Settings = r.After
		}
	}
	return h.answerChange(c, def, base, change, saved, err)
}

// answerChange answers a reset or a restore.
func (h *handlers) answerChange(c echo.Context, def worker.Definition, base worker.Settings, change worker.OverrideChange, saved worker.Saved, err error) error {
	if e, ok := errors.AsType[*worker.SettingsChangedError](err); ok && change.Channel == worker.Panel {
		return h.conflictPage(c, def, e, base, change)
	}
	switch {
	case err != nil:
		return err
	case c.Request().Method == http.MethodDelete:
		return c.NoContent(http.StatusNoContent)
	case wantsJSON(c.Request()):
		return h.answerSettings(c, def, saved)
	}
	return h.toSaved(c, def, saved)
}

// conflictPage shows the settings that somebody else saved meanwhile beside those that were to be saved.
func (h *handlers) conflictPage(c echo.Context, def worker.Definition, e *worker.SettingsChangedError, base worker.Settings, change worker.OverrideChange) error {
	checked, err := worker.CheckChange(def, change)
	if err != nil {
		return err
	}
	state, err := h.panel.State(c.Request().Context(), def.Name)
	if err != nil {
		return err
	}
	page := views.ConflictPage{
		WorkerRow: h.row(h.frame(c, views.PlaceWorkers), state), Seen: e.Seen, Base: base, Mine: checked.Settings, Current: e.Current, Note: change.Note,
	}
	page.Path = views.WorkerPath(def.Name)
	if wantsPart(c.Request()) { // nothing of the page that it came from holds any more
		c.Response().Header().Set("HX-Retarget", "body")
		c.Response().Header().Set("HX-Reswap", "innerHTML show:window:top")
	}
	return render(c, http.StatusConflict, views.SettingsConflict(page), views.SettingsConflict(page))
}
