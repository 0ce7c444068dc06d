package views

import (
	"net/url"
	"strings"

	"scrinalia/search"
)

// SearchPath is the address of a search, or of the empty form.
func SearchPath(query string, page int) string {
	q := url.Values{}
	if query != "" {
		q.Set("q", query)
	}
	if page > 1 {
		q.Set("page", itoa(int64(page)))
	}
	if len(q) == 0 {
		return "/search"
	}
	return "/search?" + q.Encode()
}

// SearchPage is a page of what a search found.
type SearchPage struct {
	Frame
	Answer search.Answer
}

// Title is that of the browser's tab.
func (p SearchPage) Title() string {
	if p.Answer.Query == "" {
		return p.T("search.title")
	}
	return p.Answer.Query + " · " + p.T("search.title")
}

// Count says how many were found.
func (p SearchPage) Count() string {
	if p.Answer.Found == search.PageSize*search.MaxPage {
		return p.T("search.best", p.Num(int64(p.Answer.Found)))
	}
	return p.N("search.found", int64(p.Answer.Found))
}

// Asked says whether something was asked for.
func (p SearchPage) Asked() bool { return p.Answer.Query != "" }

// Source says which model the vectors come from, and how many descriptions have one.
func (p SearchPage) Source() string {
	m := p.Answer.Meaning
	if m.Missing != "" {
		return ""
	}
	return p.T("search.source", m.Model, p.Num(m.Vectors), p.Num(m.Documents))
}

// Missing says why there is no search by meaning, and whether running embedding would help; empty when there is one.
func (p SearchPage) Missing() (why string, run bool) {
	m := p.Answer.Meaning
	switch m.Missing {
	case search.NoVectors:
		return p.T("search.missing.vectors"), true
	case search.OtherModel:
		return p.T("search.missing.other", m.Model), true
	case search.EngineFails:
		return p.T("search.missing.fails", p.Sentence(m.Detail)), false
	case search.Loading:
		return p.T("search.missing.loading"), false
	case search.Operators:
		return p.T("search.missing.operators"), false
	case search.Nothing:
		return p.T("search.missing.nothing"), false
	case search.NoEngine:
		return p.T("search.missing.engine"), false
	}
	return "", false
}

// Facts is the line below a result's title: code, level, date.
func (p SearchPage) Facts(r search.Result) string {
	code := r.ReferenceCode
	if code == "" {
		code = r.DescriptionID
	}
	parts := []string{code}
	for _, s := range []string{r.Level, r.Date} {
		if strings.TrimSpace(s) != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, " · ")
}

// Found says where a result stands by words and by meaning.
func (p SearchPage) Found(r search.Result) string {
	switch {
	case r.Meaning == nil:
		return p.T("search.place.words", p.Num(int64(r.Words.Rank)))
	case r.Words == nil:
		return p.T("search.place.meaning", p.Num(int64(r.Meaning.Rank)), p.Dec(r.Meaning.Score, 2))
	}
	return p.T("search.place.both", p.Num(int64(r.Words.Rank)), p.Num(int64(r.Meaning.Rank)), p.Dec(r.Meaning.Score, 2))
}

// Untitled says that a title has nothing to read.
func (p SearchPage) Untitled(r search.Result) bool { return strings.TrimSpace(r.Title) == "" }
