package token

import (
	"unicode"
	"unicode/utf8"
)

// bases are the letters under the accents of U+00C0 to U+017F; a dot is no letter of Latin script.
const bases = "AAAAAAACEEEEIIIIDNOOOOO.OUUUUYTsaaaaaaaceeeeiiiidnooooo.ouuuuyty" +
	"AaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgGgGgHhHhIiIiIiIiIiIiJjKkkLlLlLlLlLl" +
	"NnNnNnnNnOoOoOoOoRrRrRrSsSsSsSsTtTtTtUuUuUuUuUuUuWwYyYZzZzZzs"

// AppendFolded appends w in small letters, without accents and full stops, digits as 0.
func AppendFolded(dst []byte, w string) []byte {
	for i := 0; i < len(w); {
		c := w[i]
		if c < utf8.RuneSelf {
			i++
			dst = appendASCII(dst, c)
			continue
		}
		r, n := utf8.DecodeRuneInString(w[i:])
		i += n
		if r >= 0xC0 && r <= 0x17F && bases[r-0xC0] != '.' {
			dst = append(dst, bases[r-0xC0]|0x20)
			continue
		}
		dst = utf8.AppendRune(dst, unicode.ToLower(r))
	}
	return dst
}

func appendASCII(dst []byte, c byte) []byte {
	switch {
	case c >= 'A' && c <= 'Z':
		return append(dst, c|0x20)
	case c >= '0' && c <= '9':
		return append(dst, '0')
	case c == '.' && len(dst) > 0:
		return dst
	}
	return append(dst, c)
}

// Hash is 64-bit FNV-1a with a final mix, never zero.
func Hash(b []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range b {
		h = (h ^ uint64(c)) * 1099511628211
	}
	h ^= h >> 32
	return h | 1
}
