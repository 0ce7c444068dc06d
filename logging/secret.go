package logging

import (
	"fmt"
	"log/slog"
	"regexp"
)

// Secret is a text that is never shown: neither printed, logged nor encoded, whichever way. Reveal returns it to what needs it.
type Secret string

// Reveal returns the text.
func (s Secret) Reveal() string { return string(s) }

// String says whether there is one.
func (s Secret) String() string {
	if s == "" {
		return "absent"
	}
	return "present"
}

// GoString is String, for %#v.
func (s Secret) GoString() string { return s.String() }

// Format is String for every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(s.String())) }

// LogValue is String.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText is String, also for JSON.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// What stands before a secret is kept, the secret is not.
var secrets = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`([a-zA-Z][a-zA-Z0-9+.-]*://)[^\s"'<>/?#]*@`), "$1"},
	{regexp.MustCompile(`(?i)\b((?:[a-z]+[_-])*(?:password|passwd|pwd|passphrase|secret|token|signature|credential|(?:access|secret|api)[_-]?key(?:[_-]?id)?)(?:\s*=\s*|["']\s*:\s*))("[^"]*"|'[^']*'|[^\s&"',;)]+)`), "${1}[cut]"},
	{regexp.MustCompile(`(?i)(authorization["']?\s*[=:]\s*["']?(?:bearer|basic|token)\s+)[^\s"']+`), "${1}[cut]"},
}

// Redact cuts credentials out of a text: the user of an address, values of parameters named password, token and the like, and what follows
// an Authorization.
func Redact(s string) string {
	for _, r := range secrets {
		s = r.pattern.ReplaceAllString(s, r.with)
	}
	return s
}
