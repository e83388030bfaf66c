package engine_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/engine"
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
		e, err := engine.New(engine.Config{
			Model: c.name, NewModel: func(dim int) (eval.Model, error) { return c.model(dim), nil }, Horizon: 1, MetricsEvery: 4,
		})
		if err != nil {
			t.Fatal(err)
		}
		var b engine.Results
		for i := range int64(9) {
			r := stream.Record{Message: &stream.Message{Offset: i}, Series: "s", Time: i + 1, Names: []string{"x", "y"}, Values: []float64{1, 2}}
			if err := streamtest.Apply(e, &b, &r); err != nil {
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

// TestScoresOverAllSeries: with two series there are scores over both, of the
// variables of both together: with errors of 1 and of 3 the mean square is 5.
func TestScoresOverAllSeries(t *testing.T) {
	e, err := engine.New(engine.Config{
		Model: "m", NewModel: func(dim int) (eval.Model, error) { return streamtest.NewDrift(dim, 1, 0), nil }, Horizon: 1, MetricsEvery: 4, Pool: stream.AllSeries,
	})
	if err != nil {
		t.Fatal(err)
	}
	var b engine.Results
	for i := range int64(400) {
		name, size := "a", 1.0
		if i%2 == 1 {
			name, size = "b", 3
		}
		// Up and down by turns: the mean difference is 0, or nearly.
		value := size * float64(i/2%2)
		r := stream.Record{Message: &stream.Message{Offset: i}, Series: name, Time: i + 1, Values: []float64{value}}
		if err := streamtest.Apply(e, &b, &r); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	for _, m := range b.Metrics {
		if m.Series.Name != stream.AllSeries {
			continue
		}
		n++
		if m.Target != stream.AllTargets || m.Horizon != 1 || m.Model != "m" {
			t.Errorf("%+v", m)
		}
		if m.Time == 400 && (!(math.Abs(m.Score.MSE-5) <= .2) || m.Score.N < 390) { // the mean difference settles like 1/n
			t.Errorf("%+v", m.Score)
		}
	}
	if n != 400/8 {
		t.Errorf("%d scores over all series, want one every 4 samples of both", n)
	}
	r := stream.Record{Message: &stream.Message{Offset: 400}, Series: stream.AllSeries, Time: 1, Values: []float64{1}}
	b.Reset()
	if err := streamtest.Apply(e, &b, &r); err != nil || len(b.DeadLetters) != 1 {
		t.Errorf("a series of that name: %v, %+v", err, b.DeadLetters)
	}
}
