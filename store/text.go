package store

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// CleanText makes any text storable: NUL and invalid UTF-8 replaced, and cut on a rune boundary to max bytes with a note of how long it was.
func CleanText(s string, maxBytes int) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
	if len(s) <= maxBytes {
		return s
	}
	note := fmt.Sprintf(" [truncated, %d bytes]", len(s))
	cut := max(0, maxBytes-len(note))
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + note
}
