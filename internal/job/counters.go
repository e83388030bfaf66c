package job

import (
	"context"
	"fmt"
	"strings"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/internal/shell"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/assemble"
)

// CounterWatch is a tap that looks for counters.
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

// CounterNotes says which variables become rates, with how many resets, and which others in w are counters.
func CounterNotes(c *config.Config, w *assemble.Courses, resets int64) (notes []string) {
	if names := c.Pipeline.Rate; len(names) > 0 {
		notes = append(notes, fmt.Sprintf("%s: differences per second, as pipeline.rate asks; %s",
			strings.Join(names, ", "), report.Count(int(resets), "reset", "resets")))
	}
	if names, resets := w.Counters(); len(names) > 0 {
		verb := "rise"
		if len(names) == 1 {
			verb = "rises"
		}
		begun := "without a reset"
		if resets > 0 {
			begun = "with " + report.Count(resets, "reset", "resets")
		}
		notes = append(notes, fmt.Sprintf("%s %s as a counter does, %s; forecasts are of the count. For rates per second add --set %s",
			strings.Join(names, ", "), verb, begun, shell.Quote("pipeline.rate="+strings.Join(names, ","))))
	}
	return notes
}
