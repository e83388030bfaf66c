package event_test

import (
	"math"
	"testing"

	"github.com/orffvar/forecaster/eval/anomaly"
	"github.com/orffvar/forecaster/stream/event"
)

// The text of an alarm has the observed and the expected value, the beginning, and the expected number of false alarms.
func TestTextOfAnAlarmExplainsIt(t *testing.T) {
	a := &event.AnomalyPhase{Phase: event.Begin, Variables: []string{"cpu", "mem"}, Event: anomaly.Event{
		Begin: 60e9, Samples: 4, Score: 1.5, StateScore: .25, Cause: anomaly.Flat, Shares: []float64{.02, .98}, FalsePerDay: .1,
		Seen: anomaly.Seen{Variable: 1, Observed: .75, Expected: .5, Lower: .25, Upper: .625},
	}}
	for _, c := range []struct {
		change func()
		want   string
	}{
		{func() {}, "anomaly begins: flat, score 1.50, state 0.25, mem 98 %; since 1970-01-01T00:01:00Z; mem was 0.75, expected 0.5 in 0.25 … 0.625; by chance once in 10 days"},
		{func() { a.Samples, a.Seen.Lower = 1, math.NaN() }, "anomaly begins: flat, score 1.50, state 0.25, mem 98 %; mem was 0.75, expected 0.5; by chance once in 10 days"},
		{func() { a.Seen.Expected, a.FalsePerDay = math.NaN(), 0 }, "anomaly begins: flat, score 1.50, state 0.25, mem 98 %; by chance less than once in 100 years"},
		{func() { a.FalsePerDay = 1.2 }, "anomaly begins: flat, score 1.50, state 0.25, mem 98 %; by chance 1.2 times a day"},
	} {
		if c.change(); a.Text() != c.want {
			t.Errorf("got  %s\nwant %s", a.Text(), c.want)
		}
	}
}
