package engine_test

import (
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/assemble"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/streamtest"
)

// bounded forecasts what Constant does, with intervals of 1 and of 3 to either side, and counts
// the breaks that it is told of.
type bounded struct {
	streamtest.Constant
	breaks *int
}

func (b bounded) NewSeries() eval.Forecaster { return b }
func (b bounded) ResetLags()                 { *b.breaks++ }

func (b bounded) BoundsTo(lower, upper []float64) bool {
	for i := range lower {
		upper[i] = 1
		if i >= len(lower)/2 {
			upper[i] = 3
		}
		lower[i] = -upper[i]
	}
	return true
}

// applyValues gives an engine values of a series at times in seconds and returns the scores at
// the last of them.
func applyValues(t *testing.T, e *engine.Engine, at []int64, values []float64) []stream.Metric {
	t.Helper()
	var b engine.Results
	for i, v := range values {
		b.Metrics = b.Metrics[:0]
		r := stream.Record{Message: &stream.Message{Topic: "in", Offset: int64(i)}, Series: "s", Time: at[i] * 1e9, Values: []float64{v}}
		if err := streamtest.Apply(e, &b, &r); err != nil {
			t.Fatal(err)
		}
	}
	return b.Metrics
}

// Of several levels the first one is scored: its coverage and width, in whatever order the
// levels are.
func TestCoverageIsThatOfTheFirstLevel(t *testing.T) {
	e := streamtest.NewEngine(t, engine.Config{
		Model: "m", Horizon: 1, Levels: []float64{.5, .9}, MetricsEvery: 1, Config: assemble.Config{Interval: 1e9},
		NewModel: func(int) (eval.Model, error) { return bounded{breaks: new(int)}, nil },
	})
	var at []int64
	var values []float64
	for i := range int64(41) { // three of four within 3, two within 1
		at = append(at, 1000+i)
		values = append(values, []float64{.5, -2, -.5, 5}[i%4])
	}
	metrics := applyValues(t, e, at, values)
	if len(metrics) == 0 {
		t.Fatal("no scores")
	}
	for _, m := range metrics {
		if m.Score.Coverage != .5 || m.Score.Width != 2 {
			t.Errorf("%s: coverage %v and width %v, want .5 and 2", m.Target, m.Score.Coverage, m.Score.Width)
		}
	}
}

// A gap longer than is filled is a break for the model and for every baseline; a shorter one is
// not.
func TestBaselinesAreToldOfBreaks(t *testing.T) {
	var model, first, second int
	baseline := func(name string, breaks *int) engine.Baseline {
		return engine.Baseline{Name: name, New: func(int, int) (eval.Model, error) { return bounded{breaks: breaks}, nil }}
	}
	e := streamtest.NewEngine(t, engine.Config{
		Model: "m", Horizon: 2, Config: assemble.Config{Interval: 1e9, MaxGap: 3},
		NewModel:  func(int) (eval.Model, error) { return bounded{breaks: &model}, nil },
		Baselines: []engine.Baseline{baseline("a", &first), baseline("b", &second)},
	})
	at := []int64{100, 101, 102, 105, 106, 120, 121, 123, 200}
	applyValues(t, e, at, make([]float64, len(at)))
	if model != 2 || first != 2 || second != 2 {
		t.Errorf("the model was told of %d breaks, the baselines of %d and %d, want 2", model, first, second)
	}
}
