package ollama

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// folded is a text without accents, case and superfluous white space, that knows where in the text each of its bytes comes from.
type folded struct {
	text  string
	fold  string
	start []int // byte of fold -> where its character begins in text
	end   []int // byte of fold -> where its character ends in text, combining marks included
}

func foldText(text string) folded {
	f := folded{text: text}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		s := foldRune(r)
		if s == " " && strings.HasSuffix(b.String(), " ") {
			s = ""
		}
		if s == "" && len(f.end) > 0 && unicode.Is(unicode.Mn, r) {
			f.extend(i + size)
		}
		for range len(s) {
			f.start, f.end = append(f.start, i), append(f.end, i+size)
		}
		b.WriteString(s)
		i += size
	}
	f.fold = b.String()
	return f
}

// extend makes the last character end at end: a combining mark follows it.
func (f *folded) extend(end int) {
	from := f.start[len(f.start)-1]
	for i := len(f.end) - 1; i >= 0 && f.start[i] == from; i-- {
		f.end[i] = end
	}
}

// plainSigns are the typographic signs that models like to write plainly, and the other way round.
var plainSigns = map[rune]string{'‘': "'", '’': "'", '“': `"`, '”': `"`, '‐': "-", '‑': "-", '–': "-", '—': "-"}

func foldRune(r rune) string {
	if unicode.IsSpace(r) {
		return " "
	}
	if r < utf8.RuneSelf {
		return string(unicode.ToLower(r))
	}
	if plain, ok := plainSigns[r]; ok {
		return plain
	}
	var b strings.Builder
	for _, d := range norm.NFKD.String(string(r)) {
		if !unicode.Is(unicode.Mn, d) {
			b.WriteRune(unicode.ToLower(d))
		}
	}
	return b.String()
}

func fold(s string) string { return strings.TrimSpace(foldText(s).fold) }

// find returns name as it is spelled in the text, where it stands as whole words.
func (f folded) find(name string) (string, bool) {
	want := fold(name)
	if want == "" {
		return "", false
	}
	for from := 0; ; {
		i := strings.Index(f.fold[from:], want)
		if i < 0 {
			return "", false
		}
		i += from
		end := i + len(want)
		if f.border(i) && f.border(end) {
			return f.text[f.start[i]:f.end[end-1]], true
		}
		_, size := utf8.DecodeRuneInString(f.fold[i:])
		from = i + size
	}
}

// border says whether a word may begin or end at byte i of the folded text.
func (f folded) border(i int) bool {
	before, _ := utf8.DecodeLastRuneInString(f.fold[:i])
	after, _ := utf8.DecodeRuneInString(f.fold[i:])
	return i == 0 || i == len(f.fold) || !wordRune(before) || !wordRune(after)
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
