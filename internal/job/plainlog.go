package job

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
)

// NewPlainLog returns a log for a person at a terminal. Each record is a line without its time, such as
//
//	warning: data.csv: the message key=value
//
// for each record, without its time.
func NewPlainLog(w io.Writer, level slog.Leveler) *slog.Logger {
	l := &plainLog{w: w, text: new(bytes.Buffer), mu: new(sync.Mutex)}
	l.Handler = slog.NewTextHandler(l.text, &slog.HandlerOptions{Level: level, ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		if len(groups) == 0 && (a.Key == slog.TimeKey || a.Key == slog.LevelKey || a.Key == slog.MessageKey) {
			return slog.Attr{} // Handle writes level and message
		}
		return a
	}})
	return slog.New(l)
}

// plainLog implements slog.Handler. An inner Handler writes the attributes into text.
type plainLog struct {
	slog.Handler
	w    io.Writer
	mu   *sync.Mutex
	text *bytes.Buffer
}

// Handle implements slog.Handler.
func (l *plainLog) Handle(ctx context.Context, r slog.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.Reset()
	if err := l.Handler.Handle(ctx, r); err != nil {
		return err
	}
	level := strings.ToLower(r.Level.String())
	if r.Level == slog.LevelWarn {
		level = "warning"
	}
	_, err := fmt.Fprintln(l.w, strings.TrimRight(level+": "+r.Message+" "+l.text.String(), " \n"))
	return err
}

// WithAttrs implements slog.Handler.
func (l *plainLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	other := *l
	other.Handler = l.Handler.WithAttrs(attrs)
	return &other
}

// WithGroup implements slog.Handler.
func (l *plainLog) WithGroup(name string) slog.Handler {
	other := *l
	other.Handler = l.Handler.WithGroup(name)
	return &other
}
