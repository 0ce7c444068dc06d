package handlers

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"scrinalia/archive"
	"scrinalia/views"
	"scrinalia/worker"

	"github.com/labstack/echo/v4"
)

// askEdit shows the form of a description.
func (h *handlers) askEdit(c echo.Context) error {
	id, err := documentID(c)
	if err != nil {
		return err
	}
	return h.editPage(c, id, http.StatusOK, views.EditForm{})
}

// editPage shows the form of a description, with what was typed into it and refused.
func (h *handlers) editPage(c echo.Context, id int64, status int, form views.EditForm) error {
	ctx := c.Request().Context()
	d, err := h.document(ctx, id)
	if err != nil {
		return err
	}
	page := views.EditPage{Frame: h.frame(c, views.PlaceDocuments), Document: d, Form: form}
	if page.Choices, err = h.archive.Choices(ctx, archive.Filter{}); err != nil {
		return err
	}
	if c.Request().Method == http.MethodPost {
		page.Path = views.EditPath(id)
	}
	component := views.Edit(page)
	return render(c, status, component, component)
}

// editFromForm changes a description as the form says. Without the fields, a button decides on it as a whole.
func (h *handlers) editFromForm(c echo.Context) error {
	id, err := documentID(c)
	if err != nil {
		return err
	}
	form, err := c.FormParams()
	if err != nil {
		return badForm(err)
	}
	edit, given := readEdit(form)
	err = h.archive.EditDocument(c.Request().Context(), id, edit, actor(c))
	changed, isChanged := errors.AsType[*archive.ChangedError](err)
	refused, isRefused := errors.AsType[*worker.Error](err)
	switch {
	case err != nil && (wantsPart(c.Request()) || wantsJSON(c.Request())):
		return err
	case isChanged:
		return h.editPage(c, id, http.StatusConflict, views.EditForm{Given: given, Changed: changed})
	case isRefused && refused.Kind == worker.Invalid:
		return h.editPage(c, id, http.StatusUnprocessableEntity, views.EditForm{Given: given, Refused: refused.Fields, Version: edit.Version})
	case err != nil:
		return err
	}
	if wantsJSON(c.Request()) {
		return h.showDocument(c)
	}
	return seeOther(c, local(form.Get("back"), views.DocumentPath(id)))
}

// readEdit reads an edit from a form, and what was typed.
func readEdit(form url.Values) (archive.Edit, url.Values) {
	e := archive.Edit{Version: form.Get("version"), Decision: archive.Decision(form.Get("decision")), Note: form.Get("note")}
	for _, f := range archive.Fields {
		if form.Has(f.Name) {
			if e.Texts == nil {
				e.Texts = map[string]string{}
			}
			e.Texts[f.Name] = form.Get(f.Name)
		}
	}
	e.Level, e.Typology = chosen(form, "level_id"), chosen(form, "typology_id")
	for name := range strings.SplitSeq(form.Get("add_tags"), ";") {
		if strings.TrimSpace(name) != "" {
			e.AddTags = append(e.AddTags, name)
		}
	}
	for name := range strings.SplitSeq(form.Get("add_entity"), ";") {
		if strings.TrimSpace(name) != "" {
			e.AddEntities = append(e.AddEntities, archive.Named{Name: name, Type: form.Get("add_type")})
		}
	}
	e.RemoveTags, e.RemoveEntities = ids(form["remove_tags"]), ids(form["remove_entities"])
	return e, form
}

// chosen is what a select field says; nil when the form has none. What is no number is an id that nothing has.
func chosen(form url.Values, name string) *int32 {
	if !form.Has(name) {
		return nil
	}
	if form.Get(name) == "" {
		return new(int32(0))
	}
	n, err := strconv.ParseInt(form.Get(name), 10, 32)
	if err != nil {
		n = -1
	}
	return new(int32(n))
}

func ids(values []string) []int64 {
	var list []int64
	for _, v := range values {
		if n, err := strconv.ParseInt(v, 10, 64); err == nil {
			list = append(list, n)
		}
	}
	return list
}

// editFromJSON changes what the body names of a description, and answers with all of it.
func (h *handlers) editFromJSON(c echo.Context) error {
	id, err := documentID(c)
	if err != nil {
		return err
	}
	edit, by, err := decodeEdit(c.Request().Body)
	if err != nil {
		return err
	}
	who := archive.Actor{Person: "API " + c.RealIP(), Channel: worker.API}
	if name := cleanName(by); name != "" {
		who.Person = name + ", " + who.Person
	}
	if err := h.archive.EditDocument(c.Request().Context(), id, edit, who); err != nil {
		return err
	}
	d, err := h.document(c.Request().Context(), id)
	if err != nil {
		return err
	}
	return answerJSON(c, http.StatusOK, d)
}

// decodeEdit reads the body of an edit: the texts by their names in a description's JSON, and the rest.
func decodeEdit(body io.Reader) (e archive.Edit, by string, err error) {
	raw, err := io.ReadAll(body)
	if err != nil {
		return e, "", err
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(bytes.TrimSpace(raw), &given); err != nil {
		return e, "", echo.NewHTTPError(http.StatusBadRequest, "The body is no JSON object with the fields to change.").SetInternal(err)
	}
	e.Texts = map[string]string{}
	places := map[string]any{
		"version": &e.Version, "level_id": &e.Level, "typology_id": &e.Typology, "add_tags": &e.AddTags, "remove_tags": &e.RemoveTags,
		"add_entities": &e.AddEntities, "remove_entities": &e.RemoveEntities, "decision": &e.Decision, "note": &e.Note, "by": &by,
	}
	wrong := map[string]string{}
	for name, value := range given {
		place, ok := places[name]
		var text string
		if !ok {
			place = &text
		}
		if json.Unmarshal(value, place) != nil {
			wrong[name] = cleanName(name) + " has the wrong type"
			continue
		}
		if !ok {
			e.Texts[name] = text
		}
	}
	return e, by, archive.Refuse(wrong)
}
