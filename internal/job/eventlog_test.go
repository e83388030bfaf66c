package job

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/stream"
)

// TestLevelsOfEvents: only what may need attention is a warning; a season that was found is none.
func TestLevelsOfEvents(t *testing.T) {
	var b bytes.Buffer
	e := eventLog{slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	for kind, want := range map[string]string{stream.EventSeries: "DEBUG", stream.EventSeason: "INFO", stream.EventAnomaly: "WARN", stream.EventDrift: "WARN"} {
		b.Reset()
		if err := e.Write(t.Context(), &stream.Batch{Events: []stream.Event{{Kind: kind, Text: "x"}}}); err != nil || !strings.Contains(b.String(), "level="+want+" ") {
			t.Errorf("%s: %v, %s want %s", kind, err, b.String(), want)
		}
	}
}
