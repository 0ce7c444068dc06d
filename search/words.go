package search

import (
	"strings"
	"unicode"

	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// Words is a query as the search by words takes it.
type Words struct {
	Query     string   // what was typed, which may be a code
	Typed     string   // the same with the parts of codes and compounds apart
	Operators bool     // it has quotes, a minus or "or"
	Words     []string // its words, without accents
	Variants  []string // the variant of each: the plural or singular that stems do not tell
}

func read(typed string) Words {
	w := Words{Query: typed, Typed: apart(typed)}
	parts := strings.Fields(w.Typed)
	for i, p := range parts {
		if strings.Contains(p, `"`) || len(p) > 1 && p[0] == '-' || i > 0 && i < len(parts)-1 && strings.EqualFold(p, "or") {
			w.Operators = true
		}
	}
	for _, word := range wordsOf(w.Typed) {
		plain := fold(word)
		w.Words, w.Variants = append(w.Words, plain), append(w.Variants, variant(plain))
	}
	return w
}

// apart puts a space for the dashes, slashes and dots inside of words, as plain_text does in the database. A minus before a word or a quote
// stays; one that stands before nothing is no operator, and many of them in a row would be more than the database's parser takes.
func apart(s string) string {
	chars := []rune(s)
	for i, c := range chars {
		if c == '/' || c == '.' || c == '-' && !minus(chars, i) {
			chars[i] = ' '
		}
	}
	return string(chars)
}

func minus(chars []rune, i int) bool {
	after := i > 0 && isWord(chars[i-1])
	before := i+1 < len(chars) && (isWord(chars[i+1]) || chars[i+1] == '"')
	return before && !after
}

// wordsOf are the runs of letters and digits.
func wordsOf(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return !isWord(r) })
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// fold takes accents and capitals away.
func fold(s string) string {
	out, _, err := transform.String(transform.Chain(norm.NFD, runes.Remove(runes.In(unicode.Mn)), norm.NFC), s)
	if err != nil {
		return strings.ToLower(s)
	}
	return strings.ToLower(out)
}

// endings are singular and plural, without accents, where Portuguese stems differ: ação, ações; municipal, municipais; papel, papéis;
// imagem, imagens.
var endings = [][2]string{{"ao", "oes"}, {"al", "ais"}, {"el", "eis"}, {"ol", "ois"}, {"em", "ens"}, {"im", "ins"}, {"om", "ons"}, {"um", "uns"}}

// variant is the plural of a singular or the singular of a plural.
func variant(word string) string {
	for _, e := range endings {
		for from := range e {
			if stem, ok := strings.CutSuffix(word, e[from]); ok && len(stem) >= 2 {
				return stem + e[1-from]
			}
		}
	}
	if singular, ok := strings.CutSuffix(word, "s"); ok { // English plurals, too
		return singular
	}
	return word + "s"
}
