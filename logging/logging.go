// Package logging makes the program's log: text or JSON, with what the context knows on every line, and without secrets. It imports the
// standard library only, so everything may import it.
package logging

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
)

// New returns a log of the given format, text or json. Every line carries what With put into its context, and no credentials.
func New(w io.Writer, format string, level slog.Level) (*slog.Logger, error) {
	o := &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr { return clean(a) }}
	switch format {
	case "text":
		return slog.New(contextual{slog.NewTextHandler(w, o)}), nil
	case "json":
		return slog.New(contextual{slog.NewJSONHandler(w, o)}), nil
	}
	return nil, fmt.Errorf("there is no log format %q", format)
}

// clean cuts credentials out of what a line says.
func clean(a slog.Attr) slog.Attr {
	switch a.Value.Kind() {
	case slog.KindString:
		a.Value = slog.StringValue(Redact(a.Value.String()))
	case slog.KindAny:
		if err, ok := a.Value.Any().(error); ok {
			a.Value = slog.StringValue(Redact(err.Error()))
		}
	default:
	}
	return a
}

type keyAttrs struct{}

// With returns a context whose log lines carry a key with its value. A key that is there already gets the new value.
func With(ctx context.Context, key string, value any) context.Context {
	have, _ := ctx.Value(keyAttrs{}).([]slog.Attr)
	attrs := slices.DeleteFunc(slices.Clone(have), func(a slog.Attr) bool { return a.Key == key })
	return context.WithValue(ctx, keyAttrs{}, append(attrs, slog.Any(key, value)))
}

// contextual adds what With put into the context.
type contextual struct{ slog.Handler }

// Handle writes one line.
func (h contextual) Handle(ctx context.Context, r slog.Record) error {
	if attrs, ok := ctx.Value(keyAttrs{}).([]slog.Attr); ok {
		r = r.Clone()
		r.AddAttrs(attrs...)
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs keeps what the context adds.
func (h contextual) WithAttrs(attrs []slog.Attr) slog.Handler {
	return contextual{h.Handler.WithAttrs(attrs)}
}

// WithGroup keeps what the context adds.
func (h contextual) WithGroup(name string) slog.Handler { return contextual{h.Handler.WithGroup(name)} }
