package engine_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/drift"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/assemble"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/event"
	"github.com/orffvar/forecaster/stream/streamtest"
	"github.com/orffvar/forecaster/varmodel"
	"github.com/orffvar/forecaster/varmodel/interval"
)

// TestCompanionsBesideTheModel: intervals and the drift detector give the same results beside a model as around it,
// over gaps and restarts.
func TestCompanionsBesideTheModel(t *testing.T) {
	levels := []float64{.8, .5}
	intervals := func(dim int) interval.Config {
		return interval.Config{Dim: dim, Horizon: 3, Levels: levels}
	}
	watched := func(dim int) interval.DriftConfig {
		return interval.DriftConfig{Dim: dim, Horizon: 3, FalseAlarms: .05}
	}
	model := func(dim int) (eval.Model, error) {
		return varmodel.NewVAR(varmodel.VARConfig{Dim: dim, Order: 1, Horizon: 3})
	}
	around := engine.Config{Model: "m", Horizon: 3, Levels: levels, Config: assemble.Config{Interval: 1e9, MaxGap: 3}}
	beside := around
	around.NewModel = func(dim int) (eval.Model, error) {
		m, err := model(dim)
		if err == nil {
			m, err = interval.WithIntervals(m, intervals(dim))
		}
		if err == nil {
			m, err = interval.WithDrift(m, watched(dim))
		}
		return m, err
	}
	beside.NewModel = model
	beside.Intervals = func(dim int) (eval.Intervals, error) { return interval.NewIntervals(intervals(dim)) }
	beside.Drift = func(dim int) (drift.Watch, error) { return interval.NewDriftWatch(watched(dim)) }

	one, other := streamtest.NewEngine(t, around), streamtest.NewEngine(t, beside)
	rng := rand.New(rand.NewPCG(1, 2))
	now, drifts := int64(0), 0
	for i := range int64(3000) {
		now += 1e9
		switch rng.IntN(50) {
		case 0:
			now += 2e9 // a gap that is filled
		case 1:
			now += 9e9 // one that is not
		}
		size := 1.0
		if i > 1500 {
			size = 5
		}
		if i%500 == 251 {
			size = 50 // an anomaly right after a restart, whose event tells the interval
		}
		r := stream.Record{
			Message: &stream.Message{Topic: "in", Offset: i}, Series: "s", Time: now,
			Values: []float64{rng.NormFloat64() * size, rng.NormFloat64()},
		}
		var want, got engine.Results
		if err := streamtest.Apply(one, &want, &r); err != nil {
			t.Fatal(err)
		}
		if err := streamtest.Apply(other, &got, &r); err != nil {
			t.Fatal(err)
		}
		if text(&got) != text(&want) {
			t.Fatalf("record %d: beside the model\n%saround it\n%s", i, text(&got), text(&want))
		}
		for _, e := range got.Events {
			if e.Kind == event.Drift {
				drifts++
			}
		}
		if i%500 == 250 {
			if err := streamtest.Restore(other, streamtest.Snapshot(other)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if drifts == 0 {
		t.Error("no drift was found")
	}
}

// breathless forecasts nothing finite while samples are missing.
type breathless struct{ eval.Model }

func (m breathless) NewSeries() eval.Forecaster {
	return &breathlessSeries{Forecaster: m.Model.NewSeries()}
}

type breathlessSeries struct {
	eval.Forecaster
	missing bool
}

func (s *breathlessSeries) Observe(y []float64) error {
	s.missing = math.IsNaN(y[0])
	return s.Forecaster.Observe(y)
}

func (s *breathlessSeries) ForecastTo(dst []float64) bool {
	if s.missing {
		dst[0] = math.Inf(1)
		return true
	}
	return s.Forecaster.ForecastTo(dst)
}

// TestUnsoundForecastsInAGap: an infinite forecast while a gap is filled does not reach
// the intervals.
func TestUnsoundForecastsInAGap(t *testing.T) {
	e := streamtest.NewEngine(t, engine.Config{
		Model: "m", Horizon: 1, Levels: []float64{.9}, Config: assemble.Config{Interval: 1e9, MaxGap: 3},
		NewModel: func(dim int) (eval.Model, error) {
			m, err := varmodel.NewPersistence(varmodel.PersistenceConfig{Dim: dim, Horizon: 1})
			return breathless{m}, err
		},
		Intervals: func(dim int) (eval.Intervals, error) {
			return interval.NewIntervals(interval.Config{Dim: dim, Horizon: 1, Levels: []float64{.9}})
		},
	})
	rng := rand.New(rand.NewPCG(3, 4))
	var b engine.Results
	for i := range int64(200) {
		now := i * 1e9
		if i >= 8 {
			now += 2e9 // two are missing
		}
		b.Reset()
		r := stream.Record{Message: &stream.Message{Topic: "in", Offset: i}, Series: "s", Time: now, Values: []float64{rng.NormFloat64()}}
		if err := streamtest.Apply(e, &b, &r); err != nil {
			t.Fatal(err)
		}
	}
	if len(b.Forecasts) != 1 || !(b.Forecasts[0].Upper[0]-b.Forecasts[0].Lower[0] > 1) {
		t.Errorf("after the gap: %+v", b.Forecasts)
	}
}

// Limits move forecasts of their variable and the ends of its intervals. All other intervals stay what
// they are, and so does an end that is within the limits.
func TestLimitsConcernNoOtherVariable(t *testing.T) {
	limit := func([]string) (low, high []float64) {
		return []float64{math.Inf(-1), math.Inf(-1)}, []float64{.5, math.Inf(1)}
	}
	with, without := walk(t, limit), walk(t, nil)
	limited := 0
	for i, f := range with {
		g := without[i]
		if f.Yhat[0] < g.Yhat[0] {
			limited++
		}
		for j, high := range []float64{.5, math.Inf(1)} {
			got := []float64{f.Yhat[j], f.Lower[j], f.Upper[j]}
			want := []float64{min(g.Yhat[j], high), min(g.Lower[j], high), min(g.Upper[j], high)}
			if !slices.Equal(got, want) {
				t.Fatalf("forecast %d, variable %d: %v with limits, want %v", i, j, got, want)
			}
		}
	}
	if limited < 100 {
		t.Errorf("%d of %d forecasts were limited", limited, len(with))
	}
}

// walk returns the forecasts with intervals of 500 samples of two variables.
func walk(t *testing.T, bounds func([]string) (low, high []float64)) []stream.Forecast {
	e := streamtest.NewEngine(t, engine.Config{
		Model: "m", Horizon: 1, Levels: []float64{.9}, Bounds: bounds,
		NewModel: func(dim int) (eval.Model, error) {
			return varmodel.NewPersistence(varmodel.PersistenceConfig{Dim: dim, Horizon: 1})
		},
		Intervals: func(dim int) (eval.Intervals, error) {
			return interval.NewIntervals(interval.Config{Dim: dim, Horizon: 1, Levels: []float64{.9}})
		},
	})
	rng := rand.New(rand.NewPCG(5, 6))
	var b engine.Results
	for i := range int64(500) {
		r := stream.Record{Message: &stream.Message{Topic: "in", Offset: i}, Series: "s", Time: i * 1e9, Values: []float64{rng.NormFloat64(), rng.NormFloat64()}}
		if err := streamtest.Apply(e, &b, &r); err != nil {
			t.Fatal(err)
		}
	}
	return slices.DeleteFunc(b.Forecasts, func(f stream.Forecast) bool { return f.Lower == nil || math.IsNaN(f.Lower[0]) })
}

// TestScoresAcrossBreaks: a forecast is scored with the sample of its target time, also across samples of which
// some are filled in; no forecast of before a wrong clock is scored after it. The values rise by one a minute, which
// Drift forecasts without an error from the second sample on: after the first, it is h.
func TestScoresAcrossBreaks(t *testing.T) {
	const rows, half = 60, 30
	c := streamtest.DriftConfig()
	c.Horizon, c.Emit, c.Baselines, c.Interval, c.MetricsWindow = 6, []int{1, 2, 3, 4, 5, 6}, nil, time.Minute, 1000
	c.NewModel = func(dim int) (eval.Model, error) { return streamtest.NewDrift(dim, c.Horizon, len(c.Levels)), nil }
	for name, w := range map[string]struct {
		stamp, value func(row int) int // minutes
		scored       func(h int) int
	}{
		"no break": {func(i int) int { return i }, func(i int) int { return i }, func(h int) int { return rows - h }},
		// Three of five missing samples are filled in. The forecast six steps ahead of the one before has a target.
		"a gap": {func(i int) int { return i + 5*min(i/half, 1) }, func(i int) int { return i + 5*min(i/half, 1) }, func(h int) int { return rows - h - min(h, 5) }},
		// One sample a thousand minutes ahead; ten are refused until they agree.
		"a wrong clock": {func(i int) int {
			if i == half {
				return i + 1000
			}
			return i
		}, func(i int) int { return i }, func(h int) int { return half - h + rows - (half + assemble.Agreement) - h }},
	} {
		e := streamtest.NewEngine(t, c)
		var b engine.Results
		for i := range rows {
			r := stream.Record{
				Message: &stream.Message{Topic: "in", Offset: int64(i)}, Series: "s",
				Time: int64(w.stamp(i)) * int64(time.Minute), Values: []float64{float64(w.value(i))},
			}
			if err := streamtest.Apply(e, &b, &r); err != nil {
				t.Fatal(err)
			}
		}
		b.Reset()
		e.AppendScores(&b)
		horizons := 0
		for _, m := range b.Metrics {
			if m.Target != stream.AllTargets {
				continue
			}
			horizons++
			n := w.scored(m.Horizon)
			if want := float64(m.Horizon*m.Horizon) / float64(n); m.Score.N != int64(n) || m.Score.MSE != want {
				t.Errorf("%s: horizon %d has the error %g of %d samples, want %g of %d", name, m.Horizon, m.Score.MSE, m.Score.N, want, n)
			}
		}
		if horizons != c.Horizon {
			t.Errorf("%s: %d horizons have scores", name, horizons)
		}
	}
}

// TestWatchedHorizons: the functions of Evaluation get the losses, errors and intervals of the horizons that they watch, in
// that order. The model forecasts 0, so the error is the sample, once the horizon has a forecast.
func TestWatchedHorizons(t *testing.T) {
	for watched, want := range map[string]string{
		"all":  "[NaN NaN]|[NaN] [NaN]|[9 NaN]|[3] [NaN]|[16 NaN]|[4] [NaN]|[25 25]|[5] [5]|",
		"last": "[NaN]|[NaN]|[NaN]|[NaN]|[NaN]|[NaN]|[25]|[5]|",
	} {
		var losses, errors []string
		inside := make(map[int]int)
		c := streamtest.DriftConfig()
		c.NewModel = func(int) (eval.Model, error) { return streamtest.Constant{}, nil }
		c.Horizon, c.Emit, c.Baselines = 3, []int{1, 3}, nil
		c.Evaluation = engine.Evaluation{
			Losses: func(_ *stream.Series, _ string, l []float64) { losses = append(losses, fmt.Sprint(l)) },
			Errors: func(_ *stream.Series, _ int, e []float64) { errors = append(errors, fmt.Sprint(e)) },
			Inside: func(_ *stream.Series, i int, _ []float64) { inside[i]++ },
		}
		horizons := 2
		if watched == "last" {
			c.Evaluation.Watched, horizons = []int{1}, 1
		}
		e, got := streamtest.NewEngine(t, c), ""
		for i := range int64(4) {
			losses, errors = nil, nil
			r := stream.Record{Message: &stream.Message{Offset: i}, Series: "s", Time: i + 1, Values: []float64{float64(i + 2)}}
			if err := streamtest.Apply(e, new(engine.Results), &r); err != nil {
				t.Fatal(err)
			}
			got += strings.Join(losses, " ") + "|" + strings.Join(errors, " ") + "|"
		}
		if got != want || len(inside) != horizons || inside[horizons-1] != 4 {
			t.Errorf("%s: %s and intervals %v, want %s", watched, got, inside, want)
		}
	}
}
