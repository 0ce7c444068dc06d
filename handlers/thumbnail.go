package handlers

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"scrinalia/worker"

	"github.com/labstack/echo/v4"
)

// How long browsers keep a thumbnail. One whose version stands in the address never changes; another is asked about each time.
const (
	forEver   = "private, max-age=31536000, immutable"
	askBefore = "private, no-cache"
)

// showThumbnail sends the small picture of a description from storage.
func (h *handlers) showThumbnail(c echo.Context) error {
	id, err := strconv.ParseInt(c.Param("id"), 10, 64)
	if err != nil {
		return errNoThumbnail
	}
	ctx := c.Request().Context()
	t, err := h.thumbnails.Thumbnail(ctx, id)
	if worker.KindOf(err) == worker.NotFound {
		return errNoThumbnail
	}
	if err != nil {
		return err
	}
	header := c.Response().Header()
	tag := strconv.Quote(t.Version())
	caching := askBefore
	if c.QueryParam("v") == t.Version() {
		caching = forEver
	}
	if matches(c.Request().Header.Get("If-None-Match"), tag) {
		header.Set("ETag", tag)
		header.Set("Cache-Control", caching)
		return c.NoContent(http.StatusNotModified)
	}
	body, info, err := h.objects.Get(ctx, t.Key)
	if worker.KindOf(err) == worker.NotFound {
		return errNoThumbnail
	}
	if err != nil {
		return err
	}
	defer body.Close()
	header.Set("ETag", tag)
	header.Set("Cache-Control", caching)
	header.Set(echo.HeaderContentType, t.ContentType)
	header.Set(echo.HeaderContentLength, strconv.FormatInt(info.Size, 10))
	header.Set(echo.HeaderContentDisposition, fmt.Sprintf("inline; filename=%q", fmt.Sprintf("thumbnail-%d.jpg", id)))
	c.Response().WriteHeader(http.StatusOK)
	if c.Request().Method == http.MethodHead {
		return nil
	}
	if _, err := io.Copy(c.Response(), body); err != nil {
		return fmt.Errorf("send thumbnail %d: %w", id, err)
	}
	return nil
}

var errNoThumbnail = worker.Errorf(worker.NotFound, "There is no such thumbnail.")

// matches says whether one of the tags that a browser has is tag.
func matches(have, tag string) bool {
	for t := range strings.SplitSeq(have, ",") {
		if t = strings.TrimPrefix(strings.TrimSpace(t), "W/"); t == tag || t == "*" {
			return true
		}
	}
	return false
}
