package importer

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
)

const (
	maxDepth  = 100
	maxDigits = 1000
)

// appendJSONString appends valid UTF-8 as a JSON string.
func appendJSONString(b []byte, s string) []byte {
	b = append(b, '"')
	from := 0
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = append(b, s[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, `\n`...)
		default:
			b = fmt.Appendf(b, `\u%04x`, c)
		}
	}
	return append(append(b, s[from:]...), '"')
}

// storable makes valid JSON into what PostgreSQL stores as jsonb: NUL is left
// out and counted, half a surrogate pair becomes U+FFFD. Numbers that are too
// large and nesting that is too deep are a reason to reject it.
func storable(src []byte) (out []byte, nuls int64, reason string) {
	out = make([]byte, 0, len(src))
	depth := 0
	for i := 0; i < len(src); {
		switch c := src[i]; {
		case c == '"':
			var n int64
			i, out, n = storableString(src, i, out)
			nuls += n
			continue
		case c == '{', c == '[':
			if depth++; depth > maxDepth {
				return nil, nuls, fmt.Sprintf("lists and objects are nested more than %d deep", maxDepth)
			}
		case c == '}', c == ']':
			depth--
		case c == '-', '0' <= c && c <= '9':
			n := i
			for n < len(src) && strings.IndexByte("+-.0123456789eE", src[n]) >= 0 {
				n++
			}
			if !storableNumber(string(src[i:n])) {
				return nil, nuls, fmt.Sprintf("a number has more than %d digits", maxDigits)
			}
			out = append(out, src[i:n]...)
			i = n
			continue
		}
		out = append(out, src[i])
		i++
	}
	return out, nuls, ""
}

func storableNumber(s string) bool {
	digits, exponent, has := strings.Cut(strings.ToLower(s), "e")
	if !has {
		exponent = "0"
	}
	e, err := strconv.Atoi(exponent)
	return err == nil && len(digits) <= maxDigits && -maxDigits <= e && e <= maxDigits
}

// storableString copies the string at i and returns where it ends.
func storableString(src []byte, i int, out []byte) (int, []byte, int64) {
	out = append(out, '"')
	var nuls int64
	for i++; src[i] != '"'; {
		switch {
		case src[i] != '\\':
			out = append(out, src[i])
			i++
		case src[i+1] != 'u':
			out = append(out, src[i], src[i+1])
			i += 2
		default:
			n := 6
			switch r := hex4(src[i+2:]); {
			case r == 0:
				nuls++
			case !utf16.IsSurrogate(r):
				out = append(out, src[i:i+6]...)
			case src[i+6] == '\\' && src[i+7] == 'u' && utf16.DecodeRune(r, hex4(src[i+8:])) != '\uFFFD':
				n = 12
				out = append(out, src[i:i+12]...)
			default:
				out = append(out, `\ufffd`...)
			}
			i += n
		}
	}
	return i + 1, append(out, '"'), nuls
}

func hex4(b []byte) rune {
	n, _ := strconv.ParseUint(string(b[:4]), 16, 16)
	return rune(n)
}
