package handlers

import (
	"net/http"
	"time"

	"scrinalia/views"
	"scrinalia/worker"

	"github.com/labstack/echo/v4"
)

const aYear = 365 * 24 * time.Hour

// setLanguage remembers the language and leads back.
func (h *handlers) setLanguage(c echo.Context) error {
	lang := views.Language(c.FormValue("lang"))
	if !lang.Known() {
		return &worker.Error{Kind: worker.Invalid, Msg: "The language is not known.", Fields: map[string]string{"lang": "lang takes en or pt-BR"}}
	}
	c.SetCookie(&http.Cookie{
		Name: languageCookie, Value: string(lang), Path: "/", MaxAge: int(aYear.Seconds()),
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: c.IsTLS(),
	})
	return seeOther(c, local(c.FormValue("back"), views.WorkersPath()))
}
