package handlers

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"time"

	"scrinalia/logging"
	"scrinalia/views"

	"github.com/labstack/echo/v4"
)

const (
	maxBody   = 1 << 20
	maxUpload = 512 << 20

	keyID       = "request id"
	keyLanguage = "language"
)

// identify gives each request a number, which the answer, every line of the log and a page about a failure carry. The lines also say who asked.
func (h *handlers) identify(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		var raw [8]byte
		_, _ = rand.Read(raw[:])
		id := hex.EncodeToString(raw[:])
		c.Set(keyID, id)
		c.Response().Header().Set(echo.HeaderXRequestID, id)
		ctx := logging.With(c.Request().Context(), "request_id", id)
		c.SetRequest(c.Request().WithContext(logging.With(ctx, "actor", actor(c).Person)))
		return next(c)
	}
}

func requestID(c echo.Context) string {
	id, _ := c.Get(keyID).(string)
	return id
}

// logAccess writes a line a request. What machines ask for every few seconds would drown the rest and is left out. The query is left out too: it
// holds what people search for.
func (h *handlers) logAccess(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		start := time.Now()
		if err := next(c); err != nil {
			c.Error(err)
		}
		if r := c.Request(); !isProbe(r) {
			if h.metrics != nil {
				h.metrics.Answered(r.Method, c.Path(), c.Response().Status, time.Since(start))
			}
			h.log.InfoContext(r.Context(), "request answered", "method", r.Method, "route", c.Path(), "path", r.URL.Path, "status", c.Response().Status,
				"bytes", c.Response().Size, "took_ms", time.Since(start).Milliseconds())
		}
		return nil
	}
}

func isProbe(r *http.Request) bool {
	return r.URL.Path == livePath || r.URL.Path == readyPath || r.URL.Path == metricsPath
}

// panicError is a panic on its way to the error handler.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v", e.value) }

func (h *handlers) recoverPanic(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		defer func() {
			switch v := recover(); v {
			case nil:
			case http.ErrAbortHandler:
				panic(v)
			default:
				err = &panicError{v, debug.Stack()}
			}
		}()
		return next(c)
	}
}

var policy = strings.Join([]string{
	"default-src 'none'", "style-src 'self'", "script-src 'self'", "img-src 'self'", "connect-src 'self'",
	"form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'",
}, "; ")

// secure sets what a browser is told about every answer.
func secure(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		h := c.Response().Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Cache-Control", "private, no-cache")
		return next(c)
	}
}

var errCrossOrigin = errors.New("the request came from another site")

// referredFromElsewhere looks at the Referer of a write where an old browser sends nothing that says more.
func referredFromElsewhere(r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead || r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != "" {
		return false
	}
	referer := r.Header.Get("Referer")
	if referer == "" {
		return false
	}
	u, err := url.Parse(referer)
	return err != nil || u.Host != r.Host
}

// sameOrigin refuses writes that a page of another site caused. Clients that are no browser pass.
func sameOrigin(next echo.HandlerFunc) echo.HandlerFunc {
	check := http.NewCrossOriginProtection()
	return func(c echo.Context) error {
		if err := check.Check(c.Request()); err != nil {
			return fmt.Errorf("%w: %w", errCrossOrigin, err)
		}
		if referredFromElsewhere(c.Request()) {
			return fmt.Errorf("%w: its Referer is another host", errCrossOrigin)
		}
		return next(c)
	}
}

func limitBody(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		limit := int64(maxBody)
		if r.URL.Path == views.ImportPath() {
			limit = maxUpload
		}
		r.Body = http.MaxBytesReader(c.Response(), r.Body, limit)
		return next(c)
	}
}

const languageCookie = "lang"

// choose settles the language: this request's, the cookie's, the browser's, the configured one.
func (h *handlers) choose(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		lang := views.Negotiate(c.Request().Header.Get("Accept-Language"), h.language)
		if cookie, err := c.Cookie(languageCookie); err == nil && views.Language(cookie.Value).Known() {
			lang = views.Language(cookie.Value)
		}
		if asked := views.Language(c.QueryParam("lang")); asked.Known() {
			lang = asked
		}
		c.Set(keyLanguage, lang)
		return next(c)
	}
}
