package views

import (
	"embed"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

//go:embed sentences/*.json
var sentenceFiles embed.FS

// sentence is a sentence of the program in another language. Errors are written in English where they arise, in packages that know no page, and the
// ledger keeps them; a page finds the sentence again by its pattern.
type sentence struct {
	pattern *regexp.Regexp
	begin   string // what every such sentence begins with
	text    string
}

var sentences = loadSentences()

// loadSentences reads the catalogue of each language but English: English sentence, with {0}, {1} ... for what stands in it -> the same in the language.
func loadSentences() map[Language][]sentence {
	all := map[Language][]sentence{}
	for _, l := range Languages[1:] {
		raw, err := sentenceFiles.ReadFile("sentences/" + string(l) + ".json")
		if err != nil {
			panic("views: " + err.Error())
		}
		texts := map[string]string{}
		if err := json.Unmarshal(raw, &texts); err != nil {
			panic("views: sentences/" + string(l) + ".json: " + err.Error())
		}
		for english, text := range texts {
			all[l] = append(all[l], sentence{matching(english), english[:len(english)-len(fromGap(english))], text})
		}
		slices.SortFunc(all[l], func(a, b sentence) int { // what says more comes first
			if d := len(b.pattern.String()) - len(a.pattern.String()); d != 0 {
				return d
			}
			return strings.Compare(a.begin, b.begin)
		})
	}
	return all
}

var gap = regexp.MustCompile(`\{\d\}`)

// fromGap is the first gap of s and what follows it.
func fromGap(s string) string {
	if at := gap.FindStringIndex(s); at != nil {
		return s[at[0]:]
	}
	return ""
}

// matching is the pattern of a sentence, whose placeholders stand in order.
func matching(english string) *regexp.Regexp {
	parts := gap.Split(english, -1)
	for i, p := range parts {
		parts[i] = regexp.QuoteMeta(p)
	}
	return regexp.MustCompile(`(?s)^` + strings.Join(parts, `(.+?)`) + `$`)
}

// maxSentence is how long a text is looked up, in bytes; what is longer was not written by the program alone.
const maxSentence = 4 << 10

// Sentence is a sentence of the program in the language, and as it is when it is not known there. What stands in it may be a sentence too.
func (l Language) Sentence(english string) string {
	if len(english) > maxSentence {
		return english
	}
	for _, s := range sentences[l] {
		if !strings.HasPrefix(english, s.begin) {
			continue
		}
		found := s.pattern.FindStringSubmatch(english)
		if found == nil {
			continue
		}
		args := make([]any, 0, len(found))
		for _, part := range found[1:] {
			args = append(args, l.Sentence(part))
		}
		return fill(s.text, args)
	}
	return english
}

// Sentence is a sentence of the program in the page's language.
func (f Frame) Sentence(english string) string { return f.Lang.Sentence(english) }
