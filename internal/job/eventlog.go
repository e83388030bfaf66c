package job

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/event"
	"github.com/orffvar/forecaster/stream/refuse"
)

// eventLog is a tap that logs events of series, and refusals.
type eventLog struct {
	log   *slog.Logger
	every time.Duration // least time between two lines about a reason
	mu    sync.Mutex
	lines map[refuse.Reason]*refusalLine
}

// refusalLine is the last line about refusals for a reason.
type refusalLine struct {
	at  time.Time
	new int // number of refusals since
}

func newEventLog(log *slog.Logger) *eventLog {
	return &eventLog{log: log, every: time.Minute, lines: make(map[refuse.Reason]*refusalLine)}
}

// Write implements stream.Sink.
func (e *eventLog) Write(_ context.Context, b *stream.Batch) error {
	for _, ev := range b.Events {
		level := slog.LevelWarn
		switch ev.Kind {
		case event.Refused:
			continue // refused logs it with more details
		case event.Series:
			level = slog.LevelDebug
		case event.Season:
			level = slog.LevelInfo
		}
		e.log.Log(context.Background(), level, ev.Text, "event", ev.Kind, "series", ev.Series, "at", time.Unix(0, ev.Time).UTC())
	}
	for _, d := range b.DeadLetters {
		e.refused(d)
		e.log.Debug("refused", "reason", d.Reason, "detail", d.Detail, "message", d.Message.Origin())
	}
	return nil
}

// refused logs the first refusal for each reason, and then at most one line per minute.
func (e *eventLog) refused(d stream.DeadLetter) {
	e.mu.Lock()
	defer e.mu.Unlock()
	line := e.lines[d.Reason]
	if line == nil {
		line = &refusalLine{}
		e.lines[d.Reason] = line
	}
	line.new++
	if now := time.Now(); now.Sub(line.at) >= e.every {
		e.log.Warn("records are refused", "reason", d.Reason, "new", line.new, "latest", d.Message.Origin(), "detail", d.Detail)
		*line = refusalLine{at: now}
	}
}

// Close implements stream.Sink.
func (*eventLog) Close() error { return nil }
