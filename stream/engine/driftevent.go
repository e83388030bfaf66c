package engine

import (
	"fmt"

	"github.com/orffvar/forecaster/eval/drift"
	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/internal/plural"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/event"
)

// watch appends an event if Config.Drift detects a drift at the last sample.
func (sc *scorer) watch(dst *Results, s *scoredSeries, time int64) {
	if s.drift == nil {
		return
	}
	if d, ok := s.drift.Drift(); ok {
		dst.Events = append(dst.Events, driftEvent(s.info, time, d))
	}
}

// driftEvent returns the event for the drift d.
func driftEvent(s *stream.Series, time int64, d drift.Change) stream.Event {
	of, what, action := "the errors", "larger than usual", ""
	if d.Variable != scoring.All {
		of = "the errors of " + s.Variables[d.Variable]
	}
	if d.Bias {
		what = "of one sign"
	}
	if d.Action != drift.None {
		action = "; action: " + string(d.Action)
	}
	text := fmt.Sprintf("%s have been %s for about %s%s", of, what, plural.Count(d.Since, "sample"), action)
	return stream.Event{Series: s.Name, Tags: s.Tags, Time: time, Kind: event.Drift, Text: text}
}
