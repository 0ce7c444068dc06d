package lexical

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxTokens bounds the words that are read of one text to classify: a title
// or a tag is over long before, and whole books are sent by mistake.
const maxTokens = 256

// maxRunBytes bounds one word: beyond it stands encoded data, not language.
const maxRunBytes = 64

// fold lower-cases and drops accents, so that "SESSÃO", "sessão" in either
// Unicode form and "sessao" are one spelling. Bytes that are not UTF-8 become
// blanks. Compatibility forms fold too ("ª" to "a", "³" to "3").
func fold(s string) string {
	if out, ok := foldFast(s); ok {
		return out
	}
	return foldAny(s)
}

func foldAny(s string) string {
	s = strings.ToValidUTF8(s, " ")
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range norm.NFKD.String(s) {
		if !unicode.Is(unicode.Mn, r) {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// foldFast does fold for ASCII and for the precomposed letters of Portuguese.
// It gives up at the first rune outside of them.
func foldFast(s string) (string, bool) {
	changed := false
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || 'A' <= c && c <= 'Z' {
			changed = true
			break
		}
	}
	if !changed {
		return s, true
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case 'A' <= c && c <= 'Z':
			out = append(out, c+'a'-'A')
		case c < utf8.RuneSelf:
			out = append(out, c)
		case c == 0xC3 && i+1 < len(s) && s[i+1]&0xC0 == 0x80 && latin1[s[i+1]&0x1F] != 0:
			i++
			out = append(out, latin1[s[i]&0x1F]) // upper and lower case differ in bit 5
		default:
			return "", false
		}
	}
	return string(out), true
}

// latin1 holds the base letters of U+00C0 to U+00DF; zero where there is none.
var latin1 = [32]byte{
	'a', 'a', 'a', 'a', 'a', 'a', 0, 'c', 'e', 'e', 'e', 'e', 'i', 'i', 'i', 'i',
	0, 'n', 'o', 'o', 'o', 'o', 'o', 0, 0, 'u', 'u', 'u', 'u', 0, 0, 0,
}

// token is a word of folded text.
type token struct {
	word    string // folded
	lemma   string // word without its plural
	segment int    // which part of the text it stands in: "12: plan (copy)" has three parts
	after   bool   // a function word stood before it: "copy OF plan"
}

// functionWords are left out before anything is matched.
var functionWords = set(`a o as os um uma uns umas de da do das dos em no na nos nas num numa por pelo pela pelos pelas
para ao aos com sem sob sobre e ou que se sua seu suas seus d entre ate apos ante
the an of in on at to for from with without and or by its his her their into upon that which`)

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// tokenize splits text into content words, at most limit of them.
func tokenize(dst []token, text string, limit int) []token {
	after, last := false, 0
	for w, segment := range words(text, limit) {
		if segment != last {
			after, last = false, segment
		}
		if functionWords[w] {
			after = true
			continue
		}
		dst = append(dst, token{word: w, lemma: lemma(w), segment: segment, after: after})
		after = false
	}
	return dst
}

// words yields the words of text, folded, each with the number of the part it
// stands in, at most limit of them.
func words(text string, limit int) iter.Seq2[string, int] {
	if len(text) > limit*maxRunBytes {
		text = text[:limit*maxRunBytes]
	}
	text = fold(text)
	return func(yield func(string, int) bool) {
		segment := 0
		for i := 0; i < len(text) && limit > 0; {
			size, inWord := wordAt(text, i)
			if !inWord {
				if breaks(text, i) {
					segment++
				}
				i += size
				continue
			}
			j := i + size
			for j < len(text) {
				size, inWord = wordAt(text, j)
				if !inWord {
					break
				}
				j += size
			}
			if j-i <= maxRunBytes {
				limit--
				if !yield(text[i:j], segment) {
					return
				}
			}
			i = j
		}
	}
}

// wordAt is the size of the rune at text[i] and whether it belongs to a word.
func wordAt(text string, i int) (int, bool) {
	if c := text[i]; c < utf8.RuneSelf {
		return 1, 'a' <= c && c <= 'z' || '0' <= c && c <= '9'
	}
	r, size := utf8.DecodeRuneInString(text[i:])
	return size, unicode.IsLetter(r) || unicode.IsDigit(r)
}

// breaks reports whether the mark at text[i] starts a new part of a title. A
// full stop does so only after a long word ("Honório. Ofício", not "Proc. n."),
// a dash only with blanks around it ("decreto-lei").
func breaks(text string, i int) bool {
	r, _ := utf8.DecodeRuneInString(text[i:])
	switch r {
	case ':', ';', ',', '(', ')', '[', '–', '—', '/', '\n':
		return i > 0
	case '.':
		start := strings.LastIndexAny(text[:i], " .") + 1
		return i-start > 4 && i+1 < len(text) && text[i+1] == ' '
	case '-':
		return i > 0 && text[i-1] == ' ' && i+1 < len(text) && text[i+1] == ' '
	}
	return false
}
