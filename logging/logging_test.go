package logging_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"scrinalia/logging"
)

func TestLinesCarryTheirContextAndNoSecret(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"text", "json"} {
		var out bytes.Buffer
		log, err := logging.New(&out, format, slog.LevelInfo)
		if err != nil {
			t.Fatal(err)
		}
		ctx := logging.With(logging.With(t.Context(), "actor", "nobody"), "request_id", "abc")
		inner := logging.With(ctx, "actor", "Ana")
		log.With("worker", "ner").WarnContext(inner, "away", "err", errors.New("dial postgres://ana:geheim@db:5432/x"), "url", "https://key:geheim@s3/x", "password", logging.Secret("geheim"))
		log.DebugContext(inner, "too quiet")
		line := out.String()
		for _, want := range []string{"request_id", "abc", "Ana", "ner", "postgres://db:5432/x", "https://s3/x", "present"} {
			if !strings.Contains(line, want) {
				t.Errorf("%s: %q is missing in %s", format, want, line)
			}
		}
		if strings.Contains(line, "geheim") || strings.Contains(line, "nobody") || strings.Contains(line, "too quiet") || strings.Count(line, "actor") != 1 {
			t.Errorf("%s: %s", format, line)
		}
	}
	if _, err := logging.New(&bytes.Buffer{}, "xml", slog.LevelInfo); err == nil {
		t.Error("an unknown format is taken")
	}
}

func TestSecretIsNeverShown(t *testing.T) {
	t.Parallel()
	s := logging.Secret("geheim")
	raw, err := json.Marshal(map[string]any{"a": s, "b": []logging.Secret{s}})
	if err != nil {
		t.Fatal(err)
	}
	shown := string(raw) + s.String() + s.LogValue().String()
	for _, verb := range []string{"%v", "%s", "%q", "%+v", "%#v", "%x", "%d"} {
		shown += fmt.Sprintf(verb, s) + fmt.Sprintf(verb, struct{ S logging.Secret }{s})
	}
	if strings.Contains(shown, "geheim") || strings.Contains(shown, fmt.Sprintf("%x", "geheim")) || !strings.Contains(shown, "present") {
		t.Error(shown)
	}
	if logging.Secret("").String() != "absent" || s.Reveal() != "geheim" {
		t.Error("an absent secret is not told apart, or a present one not revealed")
	}
}

func TestRedact(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"dial postgres://ana:pa%20ss@db/x failed":             "dial postgres://db/x failed",
		"postgres://db/x?user=ana&password=geheim&sslmode=on": "postgres://db/x?user=ana&password=[cut]&sslmode=on",
		"host=db password='ge heim' user=ana":                 "host=db password=[cut] user=ana",
		`{"secret_key":"geheim","n":1}`:                       `{"secret_key":[cut],"n":1}`,
		"GET /b?X-Amz-Signature=geheim&X-Amz-Date=1":          "GET /b?X-Amz-Signature=[cut]&X-Amz-Date=1",
		"AWS_SECRET_ACCESS_KEY=geheim":                        "AWS_SECRET_ACCESS_KEY=[cut]",
		"Authorization: Bearer geheim":                        "Authorization: Bearer [cut]",
		"mail to ana@example.org about https://a.example/b@c": "mail to ana@example.org about https://a.example/b@c",
		"unexpected token: ]":                                 "unexpected token: ]",
		"the password of user \"ana\" was refused":            "the password of user \"ana\" was refused",
	} {
		if got := logging.Redact(said); got != want {
			t.Errorf("%q became %q, want %q", said, got, want)
		}
	}
}
