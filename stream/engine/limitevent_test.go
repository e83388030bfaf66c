package engine_test

import (
	"math"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/assemble"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/event"
	"github.com/orffvar/forecaster/stream/streamtest"
	"github.com/orffvar/forecaster/varmodel"
	"github.com/orffvar/forecaster/varmodel/interval"
)

// TestLimits: of a sine that two lags predict exactly, each announced time is that at which the limit is reached, and
// each period has one event that announces it and one that ends it. A checkpoint in the middle changes nothing.
func TestLimits(t *testing.T) {
	const limit, horizon, period, samples = .9, 6, 24., 960
	y := func(i int64) float64 { return math.Sin(2 * math.Pi * float64(i) / period) }
	config := engine.Config{
		Model: "var2", Horizon: horizon, Levels: []float64{.9}, Config: assemble.Config{Interval: 10e9},
		NewModel: func(dim int) (eval.Model, error) {
			return varmodel.NewVAR(varmodel.VARConfig{Dim: dim, Order: 2, Horizon: horizon, Ridge: 1e-6})
		},
		Intervals: func(dim int) (eval.Intervals, error) {
			return interval.NewIntervals(interval.Config{Dim: dim, Horizon: horizon, Levels: []float64{.9}})
		},
		Limits: func(variables []string) []scoring.Limit {
			return []scoring.Limit{{Low: math.Inf(-1), High: limit}, {Low: math.Inf(-1), High: math.Inf(1)}}
		},
	}
	e, err := engine.New(config)
	if err != nil {
		t.Fatal(err)
	}
	begun, ended := 0, 0
	for i := range int64(samples) {
		var b engine.Results
		record := stream.Record{Message: &stream.Message{Offset: i}, Series: "s", Time: (i + 1) * 10e9, Values: []float64{y(i), y(i + 6)}}
		if err := streamtest.Apply(e, &b, &record); err != nil {
			t.Fatal(err)
		}
		for _, ev := range b.Events {
			if ev.Kind != event.Limit || i < samples/2 {
				continue
			}
			switch {
			case strings.HasPrefix(ev.Text, "y1 <= 0.9 is expected to be reached in "):
				begun++
			case ev.Text == "y1 <= 0.9 is no longer expected to be reached within the horizon":
				ended++
			default:
				t.Errorf("sample %d: %s", i, ev.Text)
			}
		}
		if i < samples/2 {
			continue
		}
		if i == samples/2 {
			state := streamtest.Snapshot(e)
			if e, err = engine.New(config); err != nil {
				t.Fatal(err)
			}
			if err := streamtest.Restore(e, state); err != nil {
				t.Fatal(err)
			}
		}
		o, steps := b.Observations[0], int64(-1)
		for h := int64(0); h <= horizon && steps < 0; h++ {
			if y(i+h) >= limit {
				steps = h
			}
		}
		want := float64(10 * steps)
		if got := o.TimeToLimit[0]; steps < 0 != math.IsNaN(got) || steps >= 0 && got != want {
			t.Errorf("sample %d: %v s to the limit, want %v (-10: none)", i, got, want)
		}
		if !math.IsNaN(o.Reach[1]) || !math.IsNaN(o.TimeToLimit[1]) {
			t.Errorf("sample %d: a variable without a limit has %v, %v", i, o.Reach[1], o.TimeToLimit[1])
		}
		for k, f := range b.Forecasts {
			if p := f.Reach[0]; !(p >= 0 && p <= 1) || k > 0 && p < b.Forecasts[k-1].Reach[0] || k == horizon-1 && p != o.Reach[0] {
				t.Errorf("sample %d, horizon %d: probability %v, of the observation %v", i, f.Horizon, p, o.Reach[0])
			}
		}
	}
	if periods := samples / 2 / int(period); begun != periods || ended != periods {
		t.Errorf("%d events that announce and %d that end, want %d", begun, ended, periods)
	}
}
