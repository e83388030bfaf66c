package event_test

import (
	"fmt"

	"github.com/orffvar/forecaster/eval/anomaly"
	"github.com/orffvar/forecaster/stream/event"
)

// The text of an anomaly names its variables, their shares, and the chance of a false alarm.
func ExampleAnomalyPhase() {
	a := event.AnomalyPhase{Phase: event.Begin, Variables: []string{"cpu", "mem"}, Event: anomaly.Event{
		Samples: 1, Score: 1.5, StateScore: 0.25, Cause: anomaly.Jump, Shares: []float64{0, 1}, FalsePerDay: 0.1,
		Seen: anomaly.Seen{Variable: 1, Observed: 0.75, Expected: 0.5, Lower: 0.25, Upper: 0.625},
	}}
	fmt.Println(a.Text())
	// Output: anomaly begins: jump, score 1.50, state 0.25, mem 100 %; mem was 0.75, expected 0.5 in 0.25 … 0.625; by chance once in 10 days
}
