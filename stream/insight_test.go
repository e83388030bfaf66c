package stream_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/streamtest"
)

// talkative is a model whose forecasters say what they can about themselves.
type talkative struct{ *streamtest.Drift }

func (m talkative) NewSeries() eval.Forecaster { return talkativeSeries{m.Drift.NewSeries()} }

type talkativeSeries struct{ eval.Forecaster }

func (talkativeSeries) Experts() []string { return []string{"a", "b", "c"} }

func (talkativeSeries) WeightsTo(dst []float64) {
	if len(dst) != 6 {
		panic("want room for 2 x 3")
	}
	copy(dst, []float64{.5, .25, .25, 1, 0, 0})
}

func (talkativeSeries) InfluenceTo(dst []float64) bool {
	if len(dst) != 4 {
		panic("want room for 2 x 2")
	}
	copy(dst, []float64{1, -2, 3, 4})
	return true
}

// TestInsightsComeWithTheMetrics: as often, and of the series they belong to.
func TestInsightsComeWithTheMetrics(t *testing.T) {
	for _, c := range []struct {
		name  string
		model func(dim int) eval.Model
		want  int
	}{
		{"talkative", func(dim int) eval.Model { return talkative{streamtest.NewDrift(dim, 1, 0)} }, 2},
		{"silent", func(dim int) eval.Model { return streamtest.NewDrift(dim, 1, 0) }, 0},
	} {
		e, err := stream.NewEngine(stream.EngineConfig{
			Model: c.name, NewModel: func(dim int) (eval.Model, error) { return c.model(dim), nil }, Horizon: 1, MetricsEvery: 4,
		})
		if err != nil {
			t.Fatal(err)
		}
		var b stream.Batch
		for i := range int64(9) {
			r := stream.Record{Message: &stream.Message{Offset: i}, Series: "s", Time: i + 1, Names: []string{"x", "y"}, Values: []float64{1, 2}}
			if err := e.Apply(&b, &r); err != nil {
				t.Fatal(err)
			}
		}
		if len(b.Insights) != c.want {
			t.Fatalf("%s: %d insights, want %d", c.name, len(b.Insights), c.want)
		}
		for k, in := range b.Insights {
			if in.Series.Name != "s" || in.Model != c.name || in.Time != int64(4*(k+1)) || fmt.Sprint(in.Experts) != "[a b c]" ||
				!slices.Equal(in.Weights, []float64{.5, .25, .25, 1, 0, 0}) || !slices.Equal(in.Influence, []float64{1, -2, 3, 4}) {
				t.Errorf("insight %d: %+v", k, in)
			}
		}
	}
}
