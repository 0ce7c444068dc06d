package handlers

import (
	"net/url"
	"strings"

	"scrinalia/views"

	"github.com/labstack/echo/v4"
)

// after is where a form leads when it was done: back to where it stands, else to the run.
func after(c echo.Context, run int64, worker string) string {
	switch c.FormValue("back") {
	case "workers":
		return views.WorkerRowPath(worker)
	case "worker":
		return views.WorkerPath(worker)
	}
	return views.RunPath(run)
}

// back is the page of this program that a request came from, or nothing.
func back(c echo.Context) string {
	u, err := url.Parse(c.Request().Referer())
	if err != nil || u.Host == "" || u.Host != c.Request().Host || u.Path == c.Request().URL.Path {
		return ""
	}
	return local(u.RequestURI(), "")
}

// local is an address on this server, or the fallback when it could lead elsewhere.
func local(path, fallback string) string {
	u, err := url.Parse(path)
	if err != nil || u.Scheme != "" || u.Host != "" || !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || strings.ContainsAny(path, "\\\r\n\t") {
		return fallback
	}
	return path
}
