package job

import (
	"context"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/stream"
)

// Scores are over all samples so far; blocks are their differences.
func TestLossBlocks(t *testing.T) {
	series := &stream.Series{Name: "a"}
	means := []float64{4, 2, 8, 2, 6, 4, 8, 2, 2, 6}
	var blocks LossBlocks
	var sum float64
	for i, m := range means {
		sum += 10 * m
		n := 10 * (i + 1)
		b := stream.Batch{Metrics: []stream.Metric{
			{Series: series, Target: stream.AllTargets, Model: "auto", Horizon: 1, Score: eval.Score{N: int64(n), MSE: sum / float64(n)}},
			{Series: series, Target: "x", Model: "auto", Horizon: 1, Score: eval.Score{N: int64(n), MSE: 1e6}},
		}}
		for range 2 { // a point that comes again adds nothing
			if err := blocks.Write(context.Background(), &b); err != nil {
				t.Fatal(err)
			}
		}
	}
	got, want := blocks.StandardError(ScoreKey{"a", "auto", 1}, 10), eval.StandardError(means, 1)
	if !(abs(got-want) < 1e-12) {
		t.Errorf("standard error %v, of the blocks %v", got, want)
	}
}

func abs(x float64) float64 { return max(x, -x) }
