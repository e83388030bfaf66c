package job

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/plural"
	"github.com/orffvar/forecaster/internal/shell"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/assemble"
)

// CounterWatch is a tap that finds counters.
type CounterWatch struct{ assemble.Courses }

// Write implements stream.Sink.
func (w *CounterWatch) Write(_ context.Context, b *stream.Batch) error {
	for i := range b.Observations {
		w.Add(b.Observations[i].Series, b.Observations[i].Y)
	}
	return nil
}

// Close implements stream.Sink.
func (w *CounterWatch) Close() error { return nil }

// counterLog is a tap that logs each variable of a partition that rises like a counter, once. It examines only the first
// samples, so that it costs nothing later.
type counterLog struct {
	CounterWatch
	log       *slog.Logger
	partition string
	samples   int
	next      int // number of samples before the next examination
	said      map[string]bool
}

const firstCounterLook, lastCounterLook = 200, 100_000

func newCounterLog(log *slog.Logger, partition string) *counterLog {
	return &counterLog{log: log, partition: partition, next: firstCounterLook, said: make(map[string]bool)}
}

// Write implements stream.Sink.
func (l *counterLog) Write(ctx context.Context, b *stream.Batch) error {
	if l.next > lastCounterLook || len(b.Observations) == 0 {
		return nil
	}
	if err := l.CounterWatch.Write(ctx, b); err != nil {
		return err
	}
	if l.samples += len(b.Observations); l.samples < l.next {
		return nil
	}
	for l.next <= l.samples {
		l.next *= 2
	}
	names, _ := l.Counters()
	for _, name := range names {
		if !l.said[name] {
			l.said[name] = true
			l.log.Info("variable rises as a counter does; forecasts are of the count. pipeline.rate makes rates per second of it",
				"variable", name, "set", shell.Quote("pipeline.rate="+name), "partition", l.partition)
		}
	}
	if l.next > lastCounterLook {
		l.Courses = assemble.Courses{}
	}
	return nil
}

// CounterNotes returns lines about the variables that become rates, with their number of resets, and about further
// counters in w.
func CounterNotes(c *config.Config, w *assemble.Courses, resets int64) (notes []string) {
	if names := c.Pipeline.Rate; len(names) > 0 {
		notes = append(notes, fmt.Sprintf("%s: differences per second, as pipeline.rate asks; %s",
			strings.Join(names, ", "), plural.Count(resets, "reset")))
	}
	if names, resets := w.Counters(); len(names) > 0 {
		verb := "rise"
		if len(names) == 1 {
			verb = "rises"
		}
		begun := "without a reset"
		if resets > 0 {
			begun = "with " + plural.Count(resets, "reset")
		}
		notes = append(notes, fmt.Sprintf("%s %s as a counter does, %s; forecasts are of the count. For rates per second add --set %s",
			strings.Join(names, ", "), verb, begun, shell.Quote("pipeline.rate="+strings.Join(names, ","))))
	}
	return notes
}
