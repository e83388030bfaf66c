package engine_test

import (
	"math"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/streamtest"
)

// telling is a model whose forecasters say something about themselves.
type telling struct {
	*streamtest.Drift
	tell func(eval.Forecaster) eval.Forecaster
}

func (m telling) NewSeries() eval.Forecaster { return m.tell(m.Drift.NewSeries()) }

func mixed(f eval.Forecaster) eval.Forecaster       { return mixedSeries{f} }
func influential(f eval.Forecaster) eval.Forecaster { return influentialSeries{f} }

// talkative says all that there is.
func talkative(f eval.Forecaster) eval.Forecaster {
	return struct {
		mixedSeries
		eval.Influencer
	}{mixedSeries{f}, influentialSeries{}}
}

type mixedSeries struct{ eval.Forecaster }

func (mixedSeries) Experts() []string { return []string{"a", "b", "c"} }

func (mixedSeries) WeightsTo(dst []float64) {
	if len(dst) != 6 {
		panic("want room for 2 x 3")
	}
	copy(dst, []float64{.5, .25, .25, 1, 0, 0})
}

type influentialSeries struct{ eval.Forecaster }

func (influentialSeries) InfluenceTo(dst []float64) bool {
	if len(dst) != 4 {
		panic("want room for 2 x 2")
	}
	copy(dst, []float64{1, -2, 3, 4})
	return true
}

// TestInsightsComeWithTheMetrics: as often, and of the series they belong to.
func TestInsightsComeWithTheMetrics(t *testing.T) {
	experts, weights, influence := []string{"a", "b", "c"}, []float64{.5, .25, .25, 1, 0, 0}, []float64{1, -2, 3, 4}
	for _, c := range []struct {
		name string
		tell func(eval.Forecaster) eval.Forecaster
		want []stream.Insight
	}{
		{"talkative", talkative, []stream.Insight{{Experts: experts, Weights: weights, Influence: influence}}},
		{"mixed", mixed, []stream.Insight{{Experts: experts, Weights: weights}}},
		{"influential", influential, []stream.Insight{{Influence: influence}}},
		{"silent", func(f eval.Forecaster) eval.Forecaster { return f }, nil},
	} {
		e, err := engine.New(engine.Config{
			Model: c.name, NewModel: func(dim int) (eval.Model, error) { return telling{streamtest.NewDrift(dim, 1, 0), c.tell}, nil }, Horizon: 1, MetricsEvery: 4,
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
		if len(b.Insights) != 2*len(c.want) {
			t.Fatalf("%s: %d insights, want %d", c.name, len(b.Insights), 2*len(c.want))
		}
		for k, in := range b.Insights {
			want := c.want[0]
			if in.Series.Name != "s" || in.Model != c.name || in.Time != int64(4*(k+1)) || !slices.Equal(in.Experts, want.Experts) ||
				!slices.Equal(in.Weights, want.Weights) || !slices.Equal(in.Influence, want.Influence) {
				t.Errorf("%s, insight %d: %+v", c.name, k, in)
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
