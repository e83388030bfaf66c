// Package logtest has the log of tests.
package logtest

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"regexp"
)

// New returns a log that writes text. It panics at an attribute whose key is not one word of lower case: arguments of a
// line of the log that are in the wrong order, or miss a key. It panics at the keys of the line itself, too: readers of
// JSON keep one of two.
func New(w io.Writer) *slog.Logger { return slog.New(strict{slog.NewTextHandler(w, nil)}) }

// Discard returns New for tests that do not read the log.
func Discard() *slog.Logger { return New(io.Discard) }

type strict struct{ slog.Handler }

var key = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

func check(a slog.Attr) bool {
	if !key.MatchString(a.Key) || a.Key == slog.TimeKey || a.Key == slog.LevelKey || a.Key == slog.MessageKey {
		panic(fmt.Sprintf("logtest: the log has the key %q with the value %q", a.Key, a.Value))
	}
	return true
}

func (s strict) Handle(ctx context.Context, r slog.Record) error {
	r.Attrs(check)
	return s.Handler.Handle(ctx, r)
}

func (s strict) WithAttrs(all []slog.Attr) slog.Handler {
	for _, a := range all {
		check(a)
	}
	return strict{s.Handler.WithAttrs(all)}
}

func (s strict) WithGroup(name string) slog.Handler { return strict{s.Handler.WithGroup(name)} }
