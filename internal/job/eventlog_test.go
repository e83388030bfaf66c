package job

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/internal/tools/logtest"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/event"
	"github.com/orffvar/forecaster/stream/refuse"
)

// TestLevelsOfEvents: only what may need attention is a warning; a season that was found is none.
func TestLevelsOfEvents(t *testing.T) {
	var b bytes.Buffer
	e := newEventLog(slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{Level: slog.LevelDebug})))
	for kind, want := range map[string]string{event.Series: "DEBUG", event.Season: "INFO", event.Anomaly: "WARN", event.Drift: "WARN"} {
		b.Reset()
		if err := e.Write(t.Context(), &stream.Batch{Events: []stream.Event{{Kind: kind, Text: "x"}}}); err != nil || !strings.Contains(b.String(), "level="+want+" ") {
			t.Errorf("%s: %v, %s want %s", kind, err, b.String(), want)
		}
	}
}

// TestRefusalsAreLogged: the first refusal for each reason has a line, and then one a minute has.
func TestRefusalsAreLogged(t *testing.T) {
	var b bytes.Buffer
	e := newEventLog(logtest.New(&b))
	letters := func(reason refuse.Reason, n int) *stream.Batch {
		return &stream.Batch{
			DeadLetters: slices.Repeat([]stream.DeadLetter{{Error: refuse.Error{Reason: reason, Detail: "--set this"}}}, n),
			Events:      []stream.Event{{Kind: event.Refused, Text: "as a point of the output"}},
		}
	}
	for _, c := range []struct {
		batch *stream.Batch
		every time.Duration
		want  string
	}{
		{letters(refuse.Malformed, 5), time.Hour, "reason=malformed new=1 "},
		{letters(refuse.Late, 1), time.Hour, "reason=late new=1 "},
		{letters(refuse.Malformed, 2), time.Hour, ""},
		{letters(refuse.Malformed, 1), 0, "reason=malformed new=7 "},
	} {
		b.Reset()
		e.every = c.every
		written := make(chan error, 1)
		go func() { written <- e.Write(t.Context(), c.batch) }()
		select {
		case err := <-written:
			if err != nil {
				t.Fatal(err)
			}
		case <-time.After(time.Minute):
			t.Fatal("a refusal waits for the one before")
		}
		if got := b.String(); strings.Count(got, "level=WARN") > 1 || !strings.Contains(got, c.want) || (c.want == "") != (got == "") {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}
