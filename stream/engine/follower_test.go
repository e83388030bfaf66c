package engine_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/assemble"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/streamtest"
)

// noted is a follower that writes down each call.
type noted struct{ lines []string }

func (n *noted) Observe(y []float64, scored bool) { n.note("sample", y, scored) }
func (n *noted) Issue(yhat, lower, upper []float64) {
	n.note("forecasts", yhat, lower, upper)
}
func (n *noted) ResetLags() { n.note("reset") }

func (n *noted) note(what ...any) { n.lines = append(n.lines, fmt.Sprint(what...)) }

// A follower gets the forecasts of a sample before the sample. Forecasts of the batch have bounds, those of a missing
// sample have none. Behind a gap that is not filled the follower is reset instead.
func TestFollowerGetsSamplesAndForecasts(t *testing.T) {
	n, c := new(noted), streamtest.DriftConfig()
	c.Emit, c.Config, c.Evaluation.From = []int{1, 2, 3, 4}, assemble.Config{Interval: 1e9, MaxGap: 2}, 2
	c.Evaluation.Follow = func(*stream.Series) (engine.Follower, error) { return n, nil }
	e := streamtest.NewEngine(t, c)
	var want noted
	var yhat []float64
	for i, second := range []int64{1, 2, 3, 5, 6, 20, 21} {
		var b engine.Results
		r := stream.Record{Message: &stream.Message{Topic: "in", Offset: int64(i)}, Series: "s", Time: second * 1e9, Values: []float64{float64(second * second)}}
		if err := streamtest.Apply(e, &b, &r); err != nil {
			t.Fatal(err)
		}
		missing := map[int64]int{5: 1, 20: 2}[second] // filled up to MaxGap
		for range missing {
			want.Observe([]float64{math.NaN()}, true)
			want.Issue(yhat, nil, nil)
		}
		if second == 20 {
			want.ResetLags()
		}
		want.Observe(r.Values, second > 2)
		yhat = nil
		bounds := make([][]float64, 4) // lower and upper ones of two levels
		for _, f := range b.Forecasts {
			yhat = append(yhat, f.Yhat...)
			for l := range 2 {
				bounds[l], bounds[2+l] = append(bounds[l], f.Lower[l]), append(bounds[2+l], f.Upper[l])
			}
		}
		want.Issue(yhat, slices.Concat(bounds[:2]...), slices.Concat(bounds[2:]...))
		if got, want := strings.Join(n.lines, "\n"), strings.Join(want.lines, "\n"); got != want {
			t.Fatalf("second %d: got\n%s\nwant\n%s", second, got, want)
		}
	}
}
