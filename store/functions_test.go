package store_test

import (
	"strings"
	"testing"
)

func TestTextFunctions(t *testing.T) {
	t.Parallel()
	const null = "<null>"
	tests := []struct{ name, function, give, want string }{
		{"trim", "clean_text", "  a b \t", "a b"},
		{"every separator", "clean_text", "\u00a0a\u2003\u2009b\u202f\u3000c\u2028d\u2029e\u1680f\u205fg\u0085h\r\n\v\fi\u00a0", "a b c d e f g h i"},
		{"nothing left", "clean_text", " \u00a0\n", null},
		{"empty", "clean_text", "", null},
		{"zero width is no separator", "clean_text", "a\u200bb", "a\u200bb"},
		{"accents and case", "fold", "  SÃO  João\u00a0Ção ", "sao joao cao"},
		{"ligatures", "fold", "Æ Œ ß", "ae oe ss"},
		{"dashes stay", "fold", "Sub-série", "sub-serie"},
		{"nothing to fold", "fold", " ", null},
		{"key", "fold_key", "Dossiê / Processo — n. 3", "dossieprocesson3"},
		{"key of nothing", "fold_key", " - / ", null},
		{"uuid", "error_fingerprint", "run 9F8B7C6D-1234-4abc-8def-0123456789ab failed", "run <uuid> failed"},
		{"hash", "error_fingerprint", "blob DEADBEEF00112233 is gone", "blob <hash> is gone"},
		{"15 hex digits are no hash", "error_fingerprint", "blob deadbeefdeadbee", "blob deadbeefdeadbee"},
		{"16 digits are a hash", "error_fingerprint", "id 1234567890123456", "id <hash>"},
		{"numbers", "error_fingerprint", "unit 12 of 3,456.78 took 0.5s", "unit <n> of <n> took <n>s"},
		{"addresses", "error_fingerprint", "dial 127.0.0.1:5432", "dial <n>:<n>"},
		{"path", "error_fingerprint", `open "/var/lib/x/9.csv": denied`, `open "<path>": denied`},
		{"path after a word", "error_fingerprint", "open /tmp/a, /tmp/b", "open <path>, <path>"},
		{"no path", "error_fingerprint", "and/or", "and/or"},
		{"white space and case", "error_fingerprint", "  Disk\u00a0 \tFull ", "disk full"},
		{"first line", "error_fingerprint", "\r\n\n first 1\r\nsecond", "first <n>"},
		{"old line ends", "error_fingerprint", "first\rsecond", "first"},
		{"200 characters", "error_fingerprint", strings.Repeat("é", 300), strings.Repeat("é", 200)},
		{"empty message", "error_fingerprint", "", null},
	}
	a := newArchive(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got string
			err := a.Pool().QueryRow(t.Context(), "SELECT coalesce("+tt.function+"($1), '<null>')", tt.give).Scan(&got)
			if err != nil || got != tt.want {
				t.Errorf("%s(%q) = %q, %v; want %q", tt.function, tt.give, got, err, tt.want)
			}
		})
	}
}
