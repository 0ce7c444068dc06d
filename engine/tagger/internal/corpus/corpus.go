// Package corpus reads tagged text: one token a line, token TAB tag (IOB2),
// a blank line between sentences. It imports the standard library.
package corpus

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Word is a token with its tag.
type Word struct{ Text, Tag string }

// Sentence is a run of words.
type Sentence []Word

// Span is an entity in a sentence's text.
type Span struct {
	Start, End int
	Type       string
}

// Read reads all sentences.
func Read(r io.Reader) ([]Sentence, error) {
	var out []Sentence
	var cur Sentence
	in := bufio.NewScanner(r)
	for n := 1; in.Scan(); n++ {
		line := strings.TrimSuffix(in.Text(), "\r")
		if line == "" {
			if len(cur) > 0 {
				out, cur = append(out, cur), nil
			}
			continue
		}
		text, tag, ok := strings.Cut(line, "\t")
		if !ok {
			return nil, fmt.Errorf("line %d: no tab in %q", n, line)
		}
		cur = append(cur, Word{text, strings.TrimSpace(tag)})
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	if len(cur) > 0 {
		out = append(out, cur)
	}
	return out, nil
}

// Text joins the words as they are written: no blank before ",.;:)" and after "(".
// With apart, a blank stands between all of them, as corpora have it.
func (s Sentence) Text(apart bool) (string, []Span) {
	var b strings.Builder
	var spans []Span
	for i, w := range s {
		if i > 0 && (apart || blank(s[i-1].Text, w.Text)) {
			b.WriteByte(' ')
		}
		start := b.Len()
		b.WriteString(w.Text)
		kind, name, _ := strings.Cut(w.Tag, "-")
		switch {
		case name == "":
		case kind == "I" && len(spans) > 0 && i > 0 && strings.HasSuffix(s[i-1].Tag, name):
			spans[len(spans)-1].End = b.Len()
		default:
			spans = append(spans, Span{start, b.Len(), name})
		}
	}
	return b.String(), spans
}

func blank(before, after string) bool {
	const noneBefore, noneAfter = ",.;:)]!?", "(["
	r, n := utf8.DecodeRuneInString(after)
	if n == len(after) && strings.ContainsRune(noneBefore, r) || after == "..." {
		return false
	}
	r, n = utf8.DecodeRuneInString(before)
	return n != len(before) || !strings.ContainsRune(noneAfter, r)
}
