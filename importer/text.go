package importer

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"
)

// text turns the bytes of a file into text, and counts what it left out.
type text struct {
	windows1252 bool
	nuls        int64
	controls    int64
	undefined   int64
}

// decode gives bytes of the file as UTF-8 without NUL, and otherwise as they
// are. It is false for bytes that are not valid in the file's encoding.
func (t *text) decode(b []byte) (string, bool) {
	var s string
	switch {
	case !t.windows1252:
		if !utf8.Valid(b) {
			return "", false
		}
		s = string(b)
	default:
		s = t.fromWindows1252(b)
	}
	if n := strings.Count(s, "\x00"); n > 0 {
		t.nuls += int64(n)
		s = strings.ReplaceAll(s, "\x00", "")
	}
	return s, true
}

func (t *text) fromWindows1252(b []byte) string {
	if !slices.ContainsFunc(b, func(c byte) bool { return c >= utf8.RuneSelf }) {
		return string(b)
	}
	var s strings.Builder
	s.Grow(len(b) + len(b)/8)
	for _, c := range b {
		r := charmap.Windows1252.DecodeByte(c)
		if r == utf8.RuneError {
			t.undefined++
		}
		s.WriteRune(r)
	}
	return s.String()
}

// clean makes decoded text comparable: NFC, line feeds as the only line
// breaks, no other control character than the tab. Blank text is empty.
func (t *text) clean(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f }) >= 0 {
		s = strings.Map(t.mapControl, strings.ReplaceAll(s, "\r\n", "\n"))
	}
	if strings.TrimSpace(s) == "" {
		return ""
	}
	return norm.NFC.String(s)
}

func (t *text) mapControl(r rune) rune {
	switch {
	case r == '\r', r == '\v', r == '\f':
		return '\n'
	case r < ' ' && r != '\n' && r != '\t', r == 0x7f:
		t.controls++
		return -1
	default:
		return r
	}
}

// list cleans the items of a list; blank items and repetitions are dropped.
func (t *text) list(items []string) []string {
	out := make([]string, 0, len(items))
	for _, s := range items {
		if s = strings.TrimSpace(t.clean(s)); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func (t *text) notes() []string {
	var notes []string
	if t.nuls > 0 {
		notes = append(notes, fmt.Sprintf("%d NUL characters were left out.", t.nuls))
	}
	if t.controls > 0 {
		notes = append(notes, fmt.Sprintf("%d control characters were left out; the raw records keep them.", t.controls))
	}
	if t.undefined > 0 {
		notes = append(notes, fmt.Sprintf("%d bytes mean nothing in Windows-1252 and became U+FFFD.", t.undefined))
	}
	return notes
}
