package wire

import (
	"context"
	"math"
	"testing"

	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/file/filesink"
	"github.com/orffvar/forecaster/stream/streamtest"
)

// sums adds up the squared errors of forecasts that have their target, by horizon.
type sums struct{ errors, n [4]float64 }

func (s *sums) add(horizon int, loss float64) {
	if !math.IsNaN(loss) {
		s.errors[horizon], s.n[horizon] = s.errors[horizon]+loss, s.n[horizon]+1
	}
}

func (s *sums) Write(_ context.Context, b *stream.Batch) error {
	for _, f := range b.Forecasts {
		if f.Y != nil {
			s.add(f.Horizon, (f.Y[0]-f.Yhat[0])*(f.Y[0]-f.Yhat[0]))
		}
	}
	return nil
}

func (s *sums) Close() error { return nil }

// TestAwaitedTargetsAreTheScored: errors of forecasts behind filesink.AwaitTargets are those that the
// engine scores, where rows of a grid come minutes early or late and many are missing.
func TestAwaitedTargetsAreTheScored(t *testing.T) {
	c, err := loaded(t, "type: ar2", "model.horizon=3", "pipeline.interval=1h", "pipeline.max_gap=5")
	if err != nil {
		t.Fatal(err)
	}
	var scored, written sums
	config := EngineConfig(c, stream.AllSeries)
	config.Evaluation.Losses = func(_ *stream.Series, model string, losses []float64) {
		if model == "ar2" {
			for k, loss := range losses {
				scored.add(k+1, loss)
			}
		}
	}
	e, err := engine.New(config)
	if err != nil {
		t.Fatal(err)
	}
	sink, r, hour := filesink.AwaitTargets(&written), random.New(1), int64(0)
	var b engine.Results
	for i, y := range walk(400, 1) {
		hour++
		if r.Uniform() < .1 {
			hour += int64(4 * r.Uniform()) // fewer than a gap that breaks the series
		}
		at := hour*3600e9 + int64(600e9*(2*r.Uniform()-1))
		if err := streamtest.Apply(e, &b, &stream.Record{Message: &stream.Message{Offset: int64(i)}, Series: "s", Time: at, Values: y}); err != nil {
			t.Fatal(err)
		}
		if i%7 == 0 || i == 399 {
			if err := sink.Write(t.Context(), &b.Batch); err != nil {
				t.Fatal(err)
			}
			b.Reset()
		}
	}
	if err := sink.Close(); err != nil {
		t.Fatal(err)
	}
	for h := 1; h <= 3; h++ {
		// Both add the same squares in the same order.
		if scored.n[h] < 300 || written.n[h] != scored.n[h] || math.Abs(written.errors[h]-scored.errors[h]) > 1e-9*scored.errors[h] {
			t.Errorf("%d ahead: %g forecasts with errors of %g, scored %g with %g", h, written.n[h], written.errors[h], scored.n[h], scored.errors[h])
		}
	}
}
