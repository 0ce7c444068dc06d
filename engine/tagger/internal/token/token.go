// Package token cuts text into sentences and words without losing byte offsets.
// It imports nothing but the standard library.
package token

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Token is a word or a sign: text[Start:End].
type Token struct {
	Start, End int
	Break      bool // a line break stands before it
}

// Split cuts text into tokens. Bytes that are not UTF-8 separate words.
func Split(text string) []Token { return Append(nil, text) }

// Append is Split into a slice that is used again.
func Append(dst []Token, text string) []Token {
	line := false
	for i := 0; i < len(text); {
		r, n := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(text[i:])
		}
		switch {
		case r == '\n':
			line = true
			i++
		case separates(r):
			i += n
		case isWord(r):
			end := wordEnd(text, i)
			dst = append(dst, Token{i, end, line})
			i, line = end, false
		default:
			end := signEnd(text, i, n)
			dst = append(dst, Token{i, end, line})
			i, line = end, false
		}
	}
	return dst
}

func separates(r rune) bool {
	if r < utf8.RuneSelf {
		return r <= ' ' || r == 0x7f
	}
	return r == utf8.RuneError || r == 0xA0 || r == 0x200B || r == 0xFEFF || unicode.IsSpace(r) || unicode.IsControl(r)
}

func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// signEnd keeps repeated full stops together, and every other sign alone.
func signEnd(text string, i, n int) int {
	end := i + n
	for text[i] == '.' && end < len(text) && text[end] == '.' {
		end++
	}
	return end
}

// wordEnd returns where the word that starts at i ends, with the signs it keeps:
// hyphens and apostrophes between letters, points and commas between digits,
// points of initials and of abbreviations.
func wordEnd(text string, start int) int {
	i := start
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		if isWord(r) {
			i += n
			continue
		}
		if i > start && joins(text, start, i, r, n) {
			i += n
			continue
		}
		break
	}
	if i < len(text) && text[i] == '.' && abbreviates(text[start:i]) && !strings.HasPrefix(text[i:], "..") {
		i++
	}
	return i
}

// joins says whether the sign r at i belongs inside the word that began at start.
func joins(text string, start, i int, r rune, n int) bool {
	next, _ := utf8.DecodeRuneInString(text[i+n:])
	if i+n >= len(text) || !isWord(next) {
		return false
	}
	prev := text[i-1]
	digits := prev >= '0' && prev <= '9' && next >= '0' && next <= '9'
	switch r {
	case '-', '\u2010', '\u2011', '\'', '\u2019', '&':
		return r != '&' || i-start == 1
	case ',':
		return digits
	case '.':
		return digits || next == 'º' || next == 'ª' || initials(text[start:i])
	}
	return false
}

// initials says whether w is one letter, or single letters with points between: "S", "U.S".
func initials(w string) bool {
	for {
		r, n := utf8.DecodeRuneInString(w)
		if !unicode.IsLetter(r) {
			return false
		}
		if n == len(w) {
			return true
		}
		if w[n] != '.' {
			return false
		}
		w = w[n+1:]
	}
}

// abbreviates says whether the full stop after w belongs to it.
func abbreviates(w string) bool {
	r, n := utf8.DecodeRuneInString(w)
	if n == len(w) || initials(w) {
		return unicode.IsLetter(r)
	}
	if len(w) > 6 {
		return false
	}
	var buf [16]byte
	_, ok := abbreviations[string(AppendFolded(buf[:0], w))]
	return ok
}

// abbreviations are the usual ones of Brazilian archives, folded.
var abbreviations = set(`dr dra drs sr sra srs srta snr cel gen gal cap capm ten sgt maj mal brig alm cmte
	pe frei fr mons con cons des min exmo exma ilmo ilma prof profa profs eng engo arq rev hon mr mrs ms jr st esq
	av r pc pca al trav tv estr rod lgo faz jd pq lad cia co ltda ltd inc bros corp
	jan fev mar abr mai jun jul ago set out nov dez feb apr aug sept sep oct dec
	art arts inc fl fls p pp pag vol vols ed eds doc docs cx ca c s d n no nos num sec séc tel cf etc op cit vs
	sto sta s fs ind dep depto dpto secr sup aux adv min pres gov`)

func set(words string) map[string]struct{} {
	m := map[string]struct{}{}
	for w := range strings.FieldsSeq(words) {
		m[w] = struct{}{}
	}
	return m
}
