package views

import (
	"embed"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

//go:embed text/*.json
var textFiles embed.FS

// Language is a language of the panel, by its tag.
type Language string

// The languages.
const (
	English    Language = "en"
	Portuguese Language = "pt-BR"
)

// Languages lists the languages there are, the fallback first.
var Languages = []Language{English, Portuguese}

var catalogues = loadTexts()

func loadTexts() map[Language]map[string]string {
	all := map[Language]map[string]string{}
	for _, l := range Languages {
		raw, err := textFiles.ReadFile("text/" + string(l) + ".json")
		if err != nil {
			panic("views: " + err.Error())
		}
		texts := map[string]string{}
		if err := json.Unmarshal(raw, &texts); err != nil {
			panic("views: text/" + string(l) + ".json: " + err.Error())
		}
		all[l] = texts
	}
	return all
}

// Known says whether the panel speaks l.
func (l Language) Known() bool { return slices.Contains(Languages, l) }

// Other is the language that a page offers to switch to.
func (l Language) Other() Language {
	if l == Portuguese {
		return English
	}
	return Portuguese
}

// Name is the language's own name.
func (l Language) Name() string {
	if l == Portuguese {
		return "Português (Brasil)"
	}
	return "English"
}

// Negotiate picks the language that an Accept-Language header likes best, else the fallback.
func Negotiate(header string, fallback Language) Language {
	best, bestQ := fallback, 0.0
	for part := range strings.SplitSeq(header, ",") {
		tag, params, _ := strings.Cut(strings.TrimSpace(part), ";")
		q := 1.0
		if _, v, ok := strings.Cut(params, "q="); ok {
			if f, err := strconv.ParseFloat(strings.TrimSpace(v), 64); err == nil {
				q = f
			}
		}
		if l, ok := spoken(tag); ok && q > bestQ {
			best, bestQ = l, q
		}
	}
	return best
}

func spoken(tag string) (Language, bool) {
	base, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(tag)), "-")
	switch base {
	case "en":
		return English, true
	case "pt":
		return Portuguese, true
	}
	return "", false
}

// lookup returns a text. A text that is missing shows its key, which the tests do not let pass.
func (l Language) lookup(key string) string {
	if s, ok := l.find(key); ok {
		return s
	}
	return key
}

func (l Language) find(key string) (string, bool) {
	if !l.Known() {
		l = English
	}
	s, ok := catalogues[l][key]
	return s, ok
}

func fill(s string, args []any) string {
	for i, a := range args {
		s = strings.ReplaceAll(s, "{"+strconv.Itoa(i)+"}", show(a))
	}
	return s
}

func show(a any) string {
	switch v := a.(type) {
	case string:
		return v
	case int:
		return strconv.Itoa(v)
	case int64:
		return strconv.FormatInt(v, 10)
	}
	raw, err := json.Marshal(a)
	if err != nil {
		return ""
	}
	return string(raw)
}
