package job

import (
	"maps"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/stream"
)

// The board has the last score over all variables of each series, model and horizon, in the order of first appearance.
func TestScoreboard(t *testing.T) {
	metric := func(series, target, model string, horizon int, n int64) stream.Metric {
		m := stream.Metric{Series: &stream.Series{Name: series, Variables: []string{"a"}}, Target: target, Model: model, Horizon: horizon, Score: scoring.Score{N: n}}
		if series == stream.AllSeries {
			m.Series.Variables = nil // those of a pool
		}
		return m
	}
	s := &scoreboard{}
	for _, list := range [][]stream.Metric{
		{
			metric("b", "a", "var1", 1, 1), metric(stream.AllSeries, stream.AllTargets, "var1", 1, 2), // neither
			metric("b", stream.AllTargets, "var1", 2, 3), metric("b", stream.AllTargets, "var1", 1, 4),
		},
		{metric("a", stream.AllTargets, "var1", 1, 5), metric("b", stream.AllTargets, "mean", 1, 6), metric("b", stream.AllTargets, "var1", 2, 7)},
	} {
		if err := s.Write(t.Context(), &stream.Batch{Metrics: list}); err != nil {
			t.Fatal(err)
		}
	}
	var order []ScoreKey
	got := map[ScoreKey]int64{}
	s.Each(func(k ScoreKey, score scoring.Score) {
		order = append(order, k)
		got[k] = score.N
	})
	want := map[ScoreKey]int64{{"b", "var1", 2}: 7, {"b", "var1", 1}: 4, {"a", "var1", 1}: 5, {"b", "mean", 1}: 6}
	if !maps.Equal(got, want) || !slices.Equal(order, []ScoreKey{{"b", "var1", 2}, {"b", "var1", 1}, {"a", "var1", 1}, {"b", "mean", 1}}) {
		t.Errorf("%v in the order %v, want %v", got, order, want)
	}
}
