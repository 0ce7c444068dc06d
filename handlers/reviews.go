package handlers

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"scrinalia/archive"
	"scrinalia/views"
	"scrinalia/worker"

	"github.com/labstack/echo/v4"
)

const (
	reviewsOfPage = 25
	decidedOfPage = 50
)

type reviewsAnswer struct {
	Kind    string                         `json:"kind"`
	Counts  map[archive.Kind]archive.Count `json:"counts"`
	Reviews []archive.Review               `json:"reviews"`
	Next    *string                        `json:"next"`
}

// listReviews shows what waits of one kind, or what was decided last.
func (h *handlers) listReviews(c echo.Context) error {
	ctx := c.Request().Context()
	page := views.ReviewsPage{Frame: h.frame(c, views.PlaceReviews), Kind: archive.Kind(strings.ToUpper(c.QueryParam("kind"))), After: position(c, "after")}
	if page.Kind != "" && !page.Kind.Known() && page.Kind != views.Decided {
		return &worker.Error{Kind: worker.Invalid, Msg: "The filter was refused.", Fields: map[string]string{"kind": fmt.Sprintf("kind takes one of %v, %s", archive.Kinds, views.Decided)}}
	}
	if after := c.QueryParam("after"); after != "" && after != "0" && page.After == 0 {
		return &worker.Error{Kind: worker.Invalid, Msg: "The filter was refused.", Fields: map[string]string{"after": "after is the number of the review that the page before ended with; leave it out to begin at the start"}}
	}
	var err error
	if page.Counts, err = h.reviews.ReviewCounts(ctx); err != nil {
		return err
	}
	if page.Kind == "" {
		page.Kind = page.First()
	}
	if page.Kind == views.Decided {
		page.Page.Reviews, err = h.reviews.Decided(ctx, decidedOfPage)
	} else {
		page.Page, err = h.reviews.Reviews(ctx, page.Kind, page.After, reviewsOfPage)
	}
	if err != nil {
		return err
	}
	if wantsJSON(c.Request()) {
		return answerJSON(c, http.StatusOK, reviewsAnswer{string(page.Kind), page.Counts, orEmpty(page.Page.Reviews), link(page.Next())})
	}
	if err := h.addJustDone(c, &page); err != nil {
		return err
	}
	if page.Kind == archive.Subject {
		choices, err := h.archive.Choices(ctx, archive.Filter{})
		if err != nil {
			return err
		}
		page.Categories = choices.Categories
	}
	return render(c, http.StatusOK, views.Reviews(page), views.ReviewsPart(page))
}

// addJustDone adds what was decided just now, to be undone, and how many at once.
func (h *handlers) addJustDone(c echo.Context, page *views.ReviewsPage) error {
	page.Many = position(c, "many")
	id := position(c, "done")
	if id == 0 {
		return nil
	}
	done, err := h.reviews.DecidedReview(c.Request().Context(), id)
	if err != nil && worker.KindOf(err) != worker.NotFound { // it is undone by now
		return err
	}
	if err == nil {
		page.Done = &done
	}
	return nil
}

// decide decides one review.
func (h *handlers) decide(c echo.Context) error {
	j, err := judgement(c)
	if err != nil {
		return err
	}
	id, err := h.reviews.Decide(c.Request().Context(), j, actor(c))
	if err != nil {
		return err
	}
	if wantsJSON(c.Request()) || sentJSON(c.Request()) {
		done, err := h.reviews.DecidedReview(c.Request().Context(), id)
		if err != nil {
			return err
		}
		return answerJSON(c, http.StatusOK, done)
	}
	return seeOther(c, views.DonePath(j.Kind, formPosition(c, "after"), id))
}

func formPosition(c echo.Context, name string) int64 {
	n, err := strconv.ParseInt(c.FormValue(name), 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// judgement reads a decision from the address and a form or JSON. A form may put the category behind the verdict: CATEGORY:3.
func judgement(c echo.Context) (archive.Judgement, error) {
	j := archive.Judgement{Kind: archive.Kind(strings.ToUpper(c.Param("kind")))}
	id, err := strconv.ParseInt(c.Param("id"), 10, 64)
	if err != nil || id < 1 || !j.Kind.Known() {
		return j, worker.Errorf(worker.NotFound, "There is no review %q.", cleanName(c.Param("kind")+"/"+c.Param("id")))
	}
	j.ID = id
	if sentJSON(c.Request()) {
		var body struct {
			Verdict  archive.Verdict `json:"verdict"`
			Category int32           `json:"category"`
		}
		raw, err := io.ReadAll(c.Request().Body)
		if err != nil {
			return j, err
		}
		if err := json.Unmarshal(raw, &body); err != nil {
			return j, echo.NewHTTPError(http.StatusBadRequest, "The body is no JSON object with verdict and category.").SetInternal(err)
		}
		j.Verdict, j.Category = body.Verdict, body.Category
	} else {
		verdict, category, behind := strings.Cut(c.FormValue("verdict"), ":")
		if !behind {
			category = c.FormValue("category")
		}
		j.Verdict = archive.Verdict(verdict)
		if n, err := strconv.ParseInt(category, 10, 32); err == nil {
			j.Category = int32(n)
		}
	}
	return j, checkVerdict(j)
}

// checkVerdict refuses a verdict that is none of the kind's.
func checkVerdict(j archive.Judgement) error {
	if slices.Contains(j.Kind.Verdicts(), j.Verdict) {
		return nil
	}
	return &worker.Error{Kind: worker.Invalid, Msg: "The decision was refused.", Fields: map[string]string{
		"verdict": fmt.Sprintf("verdict takes one of %v here", j.Kind.Verdicts()),
	}}
}

// undoReview makes a decided review wait again.
func (h *handlers) undoReview(c echo.Context) error {
	id, err := strconv.ParseInt(c.Param("id"), 10, 64)
	if err != nil || id < 1 {
		return worker.Errorf(worker.NotFound, "There is no review %q.", cleanName(c.Param("id")))
	}
	ctx := c.Request().Context()
	done, err := h.reviews.DecidedReview(ctx, id)
	if err != nil {
		return err
	}
	if err := h.reviews.UndoReview(ctx, id, actor(c)); err != nil {
		return err
	}
	if wantsJSON(c.Request()) || sentJSON(c.Request()) {
		return c.NoContent(http.StatusNoContent)
	}
	kind := done.Kind
	if c.FormValue("back") == string(views.Decided) {
		kind = views.Decided
	}
	return seeOther(c, views.ReviewsPath(kind, 0))
}

// askAlike names the reviews that one decision would answer, and asks.
func (h *handlers) askAlike(c echo.Context) error {
	kind, id := archive.Kind(strings.ToUpper(c.QueryParam("kind"))), position(c, "id")
	if kind != archive.Conflict && kind != archive.Anomaly {
		return worker.Errorf(worker.NotFound, "There are no alike reviews of the kind %q.", cleanName(string(kind)))
	}
	alike, err := h.reviews.Alike(c.Request().Context(), kind, id)
	if err != nil {
		return err
	}
	page := views.Alike(views.AlikePage{Frame: h.frame(c, views.PlaceReviews), Kind: kind, ID: id, Alike: alike})
	return render(c, http.StatusOK, page, page)
}

// decideAlike decides the reviews that a person saw to be alike, one after the other. Those that somebody decided meanwhile, or whose names
// are gone because of one before, are left out.
func (h *handlers) decideAlike(c echo.Context) error {
	j := archive.Judgement{Kind: archive.Kind(c.FormValue("kind")), Verdict: archive.Verdict(c.FormValue("verdict"))}
	if err := checkVerdict(j); err != nil {
		return err
	}
	ctx := c.Request().Context()
	alike, err := h.reviews.Alike(ctx, j.Kind, formPosition(c, "id"))
	if err != nil {
		return err
	}
	if asked := formPosition(c, "n"); int64(len(alike.IDs)) > asked {
		return worker.Errorf(worker.Conflict, "There are %d by now, and %d were shown. Nothing was decided.", len(alike.IDs), asked)
	}
	decided := int64(0)
	for _, id := range alike.IDs {
		j.ID = id
		switch _, err := h.reviews.Decide(ctx, j, actor(c)); worker.KindOf(err) {
		case worker.Conflict, worker.NotFound:
		default:
			if err != nil {
				return err
			}
			decided++
		}
	}
	return seeOther(c, views.ManyPath(j.Kind, decided))
}
