package handlers

import (
	"fmt"
	"net/http"
	"strconv"

	"scrinalia/search"
	"scrinalia/views"
	"scrinalia/worker"

	"github.com/labstack/echo/v4"
)

// searchDocuments finds descriptions by words and by meaning.
func (h *handlers) searchDocuments(c echo.Context) error {
	q := search.Query{Text: c.QueryParam("q")}
	if s := c.QueryParam("page"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return &worker.Error{Kind: worker.Invalid, Msg: "The search was refused: its page is no number of a page.", Fields: map[string]string{
				"page": fmt.Sprintf("page takes a whole number from 1 to %d", search.MaxPage),
			}}
		}
		q.Page = n
	}
	answer, err := h.search.Search(c.Request().Context(), q)
	if err != nil {
		return err
	}
	if wantsJSON(c.Request()) {
		return answerJSON(c, http.StatusOK, answer)
	}
	page := views.SearchPage{Frame: h.frame(c, views.PlaceSearch), Answer: answer}
	return render(c, http.StatusOK, views.Search(page), views.SearchPart(page))
}
