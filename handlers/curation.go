package handlers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"scrinalia/curation"
	"scrinalia/views"
	"scrinalia/worker"

	"github.com/labstack/echo/v4"
)

// entryJSON is an entry with what it bears on.
type entryJSON struct {
	curation.Entry

	Descriptions int64             `json:"descriptions"`      // that a rule has rewritten, or that have a term
	Matches      *curation.Preview `json:"matches,omitempty"` // of a rule
}

// entryOrder is the JSON body that adds an entry or replaces one. Without a revision it replaces whatever is there.
type entryOrder struct {
	Active   *bool           `json:"active"`
	Values   curation.Values `json:"values"`
	Revision *int64          `json:"revision"`
	Note     string          `json:"note"`
	By       string          `json:"by"`
}

const entryFields = "active, values, revision, note and by"

// listOf is the list that an address names.
func listOf(c echo.Context) (curation.List, error) {
	l := curation.Rules
	if strings.HasPrefix(c.Path(), "/vocabulary") {
		l = curation.List(c.Param("list"))
	}
	if !l.Known() || l == curation.Rules && c.Param("list") != "" {
		return l, worker.Errorf(worker.NotFound, "There is no vocabulary %q.", cleanName(string(l)))
	}
	return l, nil
}

func (h *handlers) entryOf(c echo.Context) (curation.Entry, error) {
	l, err := listOf(c)
	if err != nil {
		return curation.Entry{}, err
	}
	id, err := strconv.ParseInt(c.Param("id"), 10, 32)
	if err != nil || id < 1 {
		return curation.Entry{}, worker.Errorf(worker.NotFound, "There is no entry %q among the %s.", cleanName(c.Param("id")), string(l))
	}
	return h.curation.Entry(c.Request().Context(), l, int32(id))
}

// listEntries shows the rules or a vocabulary.
func (h *handlers) listEntries(c echo.Context) error {
	l, err := listOf(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	page := views.CurationPage{Frame: h.frame(c, views.PlaceCuration), List: l}
	if page.Entries, err = h.curation.Entries(ctx, l, 0); err != nil {
		return err
	}
	if page.Weights, err = h.curation.Weights(ctx, l); err != nil {
		return err
	}
	if l == curation.Rules {
		if page.Matches, err = h.curation.Matches(ctx, page.Entries); err != nil {
			return err
		}
	}
	if wantsJSON(c.Request()) {
		all := make([]entryJSON, len(page.Entries))
		for i, e := range page.Entries {
			all[i] = entryJSON{Entry: e, Descriptions: page.Weights[e.ID]}
			if m, ok := page.Matches[e.ID]; ok {
				all[i].Matches = &m
			}
		}
		return answerJSON(c, http.StatusOK, map[string]any{"list": l, "entries": all})
	}
	return render(c, http.StatusOK, views.Curation(page), views.Curation(page))
}

const recentEntryRevisions = 10

// fillEntry reads what the page of an entry shows beside its fields.
func (h *handlers) fillEntry(ctx context.Context, p *views.EntryPage) error {
	p.Engines = h.curation.Engines()
	if p.List == curation.Rules {
		p.Worker = worker.QualityValidator
		if p.Entry.Values.String("kind") == curation.Rewrite {
			p.Worker = worker.Cleaning
		}
	}
	p.Units = h.units()
	if p.IsNew() {
		return nil
	}
	weights, err := h.curation.Weights(ctx, p.List)
	if err != nil {
		return err
	}
	p.Weight = weights[p.Entry.ID]
	found, err := h.curation.EntryRevisions(ctx, curation.Filter{List: p.List, EntryID: p.Entry.ID, Limit: recentEntryRevisions})
	p.Revisions, p.Older = found.Revisions, found.Older
	return err
}

// units are what the workers process.
func (h *handlers) units() map[string]worker.Unit {
	all := map[string]worker.Unit{}
	for _, name := range h.catalogue.Names() {
		if d, err := h.catalogue.Lookup(name); err == nil {
			all[name] = d.Unit
		}
	}
	return all
}

func (h *handlers) entryPage(c echo.Context, status int, p views.EntryPage) error {
	p.Frame = h.frame(c, views.PlaceCuration)
	if c.Request().Method == http.MethodPost {
		p.Path = views.CurationPath(p.List)
		if !p.IsNew() {
			p.Path = views.EntryPath(p.List, p.Entry.ID)
		}
	}
	if err := h.fillEntry(c.Request().Context(), &p); err != nil {
		return err
	}
	return render(c, status, views.EntryForm(p), views.EntryForm(p))
}

// newEntry shows the form of a new entry.
func (h *handlers) newEntry(c echo.Context) error {
	l, err := listOf(c)
	if err != nil {
		return err
	}
	return h.entryPage(c, http.StatusOK, views.EntryPage{List: l, Entry: blank(l, c.QueryParam("kind"))})
}

// blank is a new entry as its form begins.
func blank(l curation.List, kind string) curation.Entry {
	e := curation.Entry{List: l, State: curation.State{Active: true, Values: curation.Values{}}}
	for _, f := range l.Fields() {
		if f.Default != nil {
			e.Values[f.Name] = f.Default
		}
		if f.Name == "kind" && slices.Contains(f.Choices, kind) {
			e.Values[f.Name] = kind
		}
	}
	return e
}

// showEntry shows the form of an entry.
func (h *handlers) showEntry(c echo.Context) error {
	e, err := h.entryOf(c)
	if err != nil {
		return err
	}
	if wantsJSON(c.Request()) {
		return h.answerEntry(c, http.StatusOK, e)
	}
	p := views.EntryPage{List: e.List, Entry: e}
	if s := c.QueryParam("saved"); s == "0" {
		p.Saved = -1
	} else if s == strconv.FormatInt(e.Revision, 10) {
		p.Saved = e.Revision
	}
	return h.entryPage(c, http.StatusOK, p)
}

func (h *handlers) answerEntry(c echo.Context, status int, e curation.Entry) error {
	weights, err := h.curation.Weights(c.Request().Context(), e.List)
	if err != nil {
		return err
	}
	return answerJSON(c, status, entryJSON{Entry: e, Descriptions: weights[e.ID]})
}

// entryChange is a change by whoever sent the request, as its form or its JSON asks for it. values are what was typed.
func (h *handlers) entryChange(c echo.Context, e curation.Entry) (ch curation.Change, given map[string]string, err error) {
	by := actor(c)
	ch = curation.Change{List: e.List, ID: e.ID, Seen: curation.AnyRevision, By: by.Person, Channel: by.Channel, State: curation.State{Active: e.ID == 0 || e.Active}}
	if sentJSON(c.Request()) {
		var order entryOrder
		if err := decodeJSON(c.Request().Body, &order, entryFields); err != nil {
			return ch, nil, err
		}
		ch.State.Values, ch.Note = order.Values, order.Note
		if order.Active != nil {
			ch.State.Active = *order.Active
		}
		if order.Revision != nil {
			ch.Seen = *order.Revision
		}
		if name := cleanName(order.By); name != "" {
			ch.By = name + ", " + ch.By
		}
		return ch, nil, nil
	}
	form, err := c.FormParams()
	if err != nil {
		return ch, nil, badForm(err)
	}
	given, ch.State.Values, ch.Note = map[string]string{}, curation.Values{}, form.Get("note")
	for name := range form {
		if name == "revision" || name == "note" || name == "do" {
			continue
		}
		given[name] = lineEnds(form.Get(name))
		ch.State.Values[name] = given[name]
	}
	ch.Seen, err = revisionOf(form)
	return ch, given, err
}

// lineEnds takes back what browsers make of line ends.
func lineEnds(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// revisionOf is the revision that a form started from; a form without one replaces whatever is there.
func revisionOf(form url.Values) (int64, error) {
	if !form.Has("revision") {
		return curation.AnyRevision, nil
	}
	n, err := strconv.ParseInt(form.Get("revision"), 10, 64)
	if err != nil || n < 0 {
		return 0, echo.NewHTTPError(http.StatusBadRequest, "The revision is no number.")
	}
	return n, nil
}

// addEntry adds an entry, or shows what adding it would do.
func (h *handlers) addEntry(c echo.Context) error {
	l, err := listOf(c)
	if err != nil {
		return err
	}
	return h.changeEntry(c, blank(l, ""))
}

// saveEntry changes an entry, or shows what the change would do.
func (h *handlers) saveEntry(c echo.Context) error {
	e, err := h.entryOf(c)
	if err != nil {
		return err
	}
	return h.changeEntry(c, e)
}

func (h *handlers) changeEntry(c echo.Context, e curation.Entry) error {
	ch, given, err := h.entryChange(c, e)
	if err != nil {
		return err
	}
	page := views.EntryPage{List: e.List, Entry: e, Given: given, Note: ch.Note}
	if c.FormValue("do") == "preview" && !sentJSON(c.Request()) {
		return h.lookAtEntry(c, ch, page)
	}
	saved, err := h.curation.Save(c.Request().Context(), ch)
	if err != nil {
		return h.refuseEntry(c, page, err)
	}
	return h.answerSaved(c, saved, ch.ID == 0)
}

// answerSaved answers a change that was made.
func (h *handlers) answerSaved(c echo.Context, saved curation.Saved, added bool) error {
	if wantsJSON(c.Request()) || sentJSON(c.Request()) {
		status := http.StatusOK
		if added {
			status = http.StatusCreated
			c.Response().Header().Set(echo.HeaderLocation, views.EntryPath(saved.List, saved.ID))
		}
		return answerJSON(c, status, saved)
	}
	revision := saved.Revision
	if !saved.Changed {
		revision = 0
	}
	return seeOther(c, views.EntrySavedPath(saved.List, saved.ID, revision))
}

// refuseEntry shows the form again with what was typed and why it was not saved.
func (h *handlers) refuseEntry(c echo.Context, page views.EntryPage, err error) error {
	if wantsJSON(c.Request()) || sentJSON(c.Request()) {
		return err
	}
	if changed, ok := errors.AsType[*curation.ChangedError](err); ok {
		page.Changed, page.Entry = changed, changed.Now
		return h.entryPage(c, http.StatusConflict, page)
	}
	e, ok := errors.AsType[*worker.Error](err)
	switch {
	case ok && e.Kind == worker.Invalid:
		page.Refused, page.Message = e.Fields, e.Msg
		return h.entryPage(c, http.StatusUnprocessableEntity, page)
	case ok && e.Kind == worker.Conflict:
		page.Message = e.Msg
		return h.entryPage(c, http.StatusConflict, page)
	}
	return err
}

// lookAtEntry shows what a change would do, and saves nothing.
func (h *handlers) lookAtEntry(c echo.Context, ch curation.Change, page views.EntryPage) error {
	var err error
	if page.Effects, page.Preview, err = h.lookAt(c.Request().Context(), ch); err != nil {
		return h.refuseEntry(c, page, err)
	}
	page.Looked = true
	return h.entryPage(c, http.StatusOK, page)
}

func (h *handlers) lookAt(ctx context.Context, ch curation.Change) ([]curation.Effect, *curation.Preview, error) {
	effects, err := h.curation.Effect(ctx, ch)
	if err != nil || ch.List != curation.Rules || ch.State.Values["kind"] == curation.LLMCheck {
		return effects, nil, err
	}
	preview, err := h.curation.Preview(ctx, ch)
	return effects, &preview, err
}

// previewEntry says in JSON what a change would do.
func (h *handlers) previewEntry(c echo.Context) error {
	l, err := listOf(c)
	if err != nil {
		return err
	}
	e := blank(l, "")
	if c.Param("id") != "" {
		if e, err = h.entryOf(c); err != nil {
			return err
		}
	}
	ch, given, err := h.entryChange(c, e)
	if err != nil {
		return err
	}
	if !sentJSON(c.Request()) && !wantsJSON(c.Request()) {
		return h.lookAtEntry(c, ch, views.EntryPage{List: l, Entry: e, Given: given, Note: ch.Note})
	}
	effects, preview, err := h.lookAt(c.Request().Context(), ch)
	if err != nil {
		return err
	}
	return answerJSON(c, http.StatusOK, map[string]any{"effects": orEmpty(effects), "preview": preview})
}

// askRetire asks before an entry is retired or brought back.
func (h *handlers) askRetire(c echo.Context) error {
	e, err := h.entryOf(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	page := views.RetirePage{Frame: h.frame(c, views.PlaceCuration), Entry: e, Back: bringsBack(c), Units: h.units()}
	weights, err := h.curation.Weights(ctx, e.List)
	if err != nil {
		return err
	}
	page.Weight = weights[e.ID]
	ch := curation.Change{List: e.List, ID: e.ID, State: curation.State{Active: page.Back, Values: e.Values}, Seen: curation.AnyRevision}
	if page.Effects, err = h.curation.Effect(ctx, ch); err != nil {
		return err
	}
	return render(c, http.StatusOK, views.Retire(page), views.Retire(page))
}

func bringsBack(c echo.Context) bool { return strings.HasSuffix(c.Path(), "/reactivate") }

// retireEntry retires an entry or brings it back.
func (h *handlers) retireEntry(c echo.Context) error {
	e, err := h.entryOf(c)
	if err != nil {
		return err
	}
	ch, _, err := h.entryChange(c, e)
	if err != nil {
		return err
	}
	saved, err := h.curation.SetActive(c.Request().Context(), ch, bringsBack(c))
	if err != nil {
		return h.refuseEntry(c, views.EntryPage{List: e.List, Entry: e, Note: ch.Note}, err)
	}
	return h.answerSaved(c, saved, false)
}

// restoreEntry makes a revision the one in force again.
func (h *handlers) restoreEntry(c echo.Context) error {
	e, err := h.entryOf(c)
	if err != nil {
		return err
	}
	revision, err := strconv.ParseInt(c.Param("revision"), 10, 64)
	if err != nil {
		return worker.Errorf(worker.NotFound, "There is no revision %q of this entry.", cleanName(c.Param("revision")))
	}
	ch, _, err := h.entryChange(c, e)
	if err != nil {
		return err
	}
	saved, err := h.curation.Restore(c.Request().Context(), ch, revision)
	if err != nil {
		return h.refuseEntry(c, views.EntryPage{List: e.List, Entry: e}, err)
	}
	return h.answerSaved(c, saved, false)
}

// moveRule moves a rule up or down.
func (h *handlers) moveRule(c echo.Context) error {
	e, err := h.entryOf(c)
	if err != nil {
		return err
	}
	form, err := c.FormParams()
	if err != nil {
		return badForm(err)
	}
	to := form.Get("to")
	if to != "up" && to != "down" {
		return &worker.Error{Kind: worker.Invalid, Msg: "The rule was not moved.", Fields: map[string]string{"to": "to takes up or down"}}
	}
	by := actor(c)
	ch := curation.Change{List: curation.Rules, ID: e.ID, By: by.Person, Channel: by.Channel}
	if ch.Seen, err = revisionOf(form); err != nil {
		return err
	}
	if err := h.curation.Move(c.Request().Context(), ch, to == "down"); err != nil {
		return h.refuseEntry(c, views.EntryPage{List: e.List, Entry: e}, err)
	}
	if wantsJSON(c.Request()) {
		return c.NoContent(http.StatusNoContent)
	}
	return seeOther(c, views.CurationPath(curation.Rules)+fmt.Sprintf("#entry-%d", e.ID))
}

// listEntryRevisions shows the changes of a list or of an entry.
func (h *handlers) listEntryRevisions(c echo.Context) error {
	l, err := listOf(c)
	if err != nil {
		return err
	}
	f := curation.Filter{List: l, Limit: revisionsPage}
	if c.Param("id") != "" {
		e, err := h.entryOf(c)
		if err != nil {
			return err
		}
		f.EntryID = e.ID
	}
	wrong := map[string]string{}
	f.Before = wholeNumber(c, "before", 0, wrong)
	if len(wrong) > 0 {
		return &worker.Error{Kind: worker.Invalid, Msg: "The filter was refused.", Fields: wrong}
	}
	ctx := c.Request().Context()
	found, err := h.curation.EntryRevisions(ctx, f)
	if err != nil {
		return err
	}
	older := f
	older.Before = found.Older
	if wantsJSON(c.Request()) {
		answer := map[string]any{"revisions": orEmpty(found.Revisions), "older": nil}
		if found.Older > 0 {
			answer["older"] = views.EntryHistoryPath(older)
		}
		return answerJSON(c, http.StatusOK, answer)
	}
	page := views.EntryHistoryPage{Frame: h.frame(c, views.PlaceCuration), Filter: f, Revisions: found.Revisions, Older: found.Older, Now: map[int32]int64{}}
	entries, err := h.curation.Entries(ctx, l, f.EntryID)
	if err != nil {
		return err
	}
	for _, e := range entries {
		page.Now[e.ID] = e.Revision
	}
	return render(c, http.StatusOK, views.EntryHistory(page), views.EntryHistory(page))
}
