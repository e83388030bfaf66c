package streamtest

import (
	"context"
	"math"
	"testing"

	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/checkpoint"
	"github.com/orffvar/forecaster/stream/event"
)

// SinkTest describes a sink under test. Within one t, both functions use the same place: Contents reads the points
// that sinks of Open have written, and a second Open continues there.
type SinkTest struct {
	Open     func(t *testing.T) stream.Sink
	Contents func(t *testing.T) string // returns all points, in any fixed order
	Levels   int                       // interval levels of the points
}

// TestSink tests the contract of stream.Sink and, where implemented,
// checkpoint.Positioner.
func TestSink(t *testing.T, s SinkTest) {
	ctx := context.Background()
	write := func(t *testing.T, sink stream.Sink, batches ...int) {
		t.Helper()
		for _, i := range batches {
			b := Batch(i, s.Levels)
			if err := sink.Write(ctx, b); err != nil {
				t.Fatal(err)
			}
			scribble(b) // the sink must not have kept b
		}
	}
	open := func(t *testing.T) stream.Sink {
		t.Helper()
		sink := s.Open(t)
		if p, ok := sink.(checkpoint.Positioner); ok {
			if err := p.Resume(nil); err != nil {
				t.Fatal(err)
			}
		}
		return sink
	}
	var want string
	t.Run("write", func(t *testing.T) {
		sink := open(t)
		write(t, sink, 1, 2, 3)
		if err := sink.Close(); err != nil {
			t.Fatal(err)
		}
		if want = s.Contents(t); want == "" {
			t.Fatal("nothing was written")
		}
	})
	t.Run("write again", func(t *testing.T) {
		sink := open(t)
		p, positioned := sink.(checkpoint.Positioner)
		write(t, sink, 1)
		var position checkpoint.Positions
		if positioned {
			position = p.Positions()
		}
		write(t, sink, 2)
		if err := sink.Close(); err != nil { // as a crash would
			t.Fatal(err)
		}
		sink = s.Open(t)
		if positioned {
			if err := sink.(checkpoint.Positioner).Resume(position); err != nil {
				t.Fatal(err)
			}
		}
		write(t, sink, 2, 3)
		if err := sink.Close(); err != nil {
			t.Fatal(err)
		}
		if got := s.Contents(t); got != want {
			t.Errorf("after writing again there is\n%s\nwant\n%s", got, want)
		}
	})
	t.Run("empty batch", func(t *testing.T) {
		sink := open(t)
		if err := sink.Write(ctx, new(stream.Batch)); err != nil {
			t.Fatal(err)
		}
		if err := sink.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// awkward are names that have broken sinks.
var awkward = []string{"plain", "with blank, comma=equals", "line\nbreak", `trailing\`, `"quoted"`, "nul\x00", "\xff\xfe", "naïve – 時間 \u202e"}

// Batch returns the i-th batch of a sequence. It has points of every kind, awkward names and missing numbers.
func Batch(i, levels int) *stream.Batch {
	nan := math.NaN()
	series := &stream.Series{Name: awkward[i%len(awkward)], Variables: awkward}
	now := int64(i) * 1e9
	vector := func(n int, x float64) []float64 {
		v := make([]float64, n)
		for k := range v {
			v[k] = x + float64(k)/3
		}
		return v
	}
	d := len(awkward)
	f := stream.Forecast{
		Series: series, Model: "drift", Origin: now, Time: now + 1e9, Horizon: 1,
		Yhat: vector(d, float64(i)), Lower: vector(levels*d, -1), Upper: vector(levels*d, 1e20),
	}
	o := stream.Observation{Series: series, Time: now, Y: vector(d, 1), Residual: vector(d, 1e-9), VariableScores: vector(d, .5), AnomalyScore: 2, StateScore: 1.5, Share: vector(d, .1), Anomalous: i%2 == 1, LevelSetScore: nan}
	o.Y[0], o.Residual[0], o.VariableScores[0], o.VariableScores[1] = nan, nan, nan, nan
	return &stream.Batch{
		Forecasts:    []stream.Forecast{f},
		Observations: []stream.Observation{o},
		Metrics: []stream.Metric{{
			Series: series, Target: stream.AllTargets, Horizon: 1, Model: "drift", Time: now,
			Score: scoring.Score{N: 3, MSE: 1, RMSE: 1, MAE: 1, NMSE: nan, MASE: nan, SkillVsNaive: math.Inf(-1), SkillVsVAR: nan, Coverage: nan, Width: nan, Pinball: nan},
		}},
		Insights: []stream.Insight{{Series: series, Model: "drift", Time: now, Experts: awkward, Weights: vector(d*d, 0)}},
		Events:   []stream.Event{{Series: series.Name, Time: now, Kind: event.Gap, Text: "two\nlines and a \"quote\""}},
		Records:  1,
		Next:     int64(i) + 1,

		Checkpoint: true,
	}
}

func scribble(b *stream.Batch) {
	for _, f := range b.Forecasts {
		for _, v := range [][]float64{f.Yhat, f.Lower, f.Upper} {
			for k := range v {
				v[k] = -12345
			}
		}
	}
	for _, o := range b.Observations {
		for k := range o.Y {
			o.Y[k], o.Residual[k], o.VariableScores[k], o.Share[k] = -12345, -12345, -12345, -12345
		}
	}
	clear(b.Forecasts)
	clear(b.Observations)
	clear(b.Metrics)
	clear(b.Events)
}
