package interval

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/drift"
	"github.com/orffvar/forecaster/internal/tools/recorded"
	"github.com/orffvar/forecaster/varmodel"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
)

// What each wrapper says of a hostile series is that of a run which is saved and restored before every sample, and that of
// testdata/wrappers.txt.
func TestWrappersAsRecorded(t *testing.T) {
	const d, h = modeltest.HostileDim, 4
	levels := []float64{.9, .5}
	inner := func() (eval.Model, error) { return varmodel.NewVAR(varmodel.VARConfig{Dim: d, Order: 2, Horizon: h}) }
	on := func(build func() (eval.Model, error), wrap func(m eval.Model) (eval.Model, error)) func() (eval.Model, error) {
		return func() (eval.Model, error) {
			m, err := build()
			if err != nil {
				return nil, err
			}
			return wrap(m)
		}
	}
	bounds := on(inner, func(m eval.Model) (eval.Model, error) {
		return WithIntervals(m, Config{Dim: d, Horizon: h, Levels: levels})
	})
	watched := func(cfg DriftConfig) func() (eval.Model, error) {
		cfg.Dim, cfg.Horizon = d, h
		return on(inner, func(m eval.Model) (eval.Model, error) { return WithDrift(m, cfg) })
	}
	modeltest.CheckRecorded(t, "testdata/wrappers.txt", h, len(levels), 720, modeltest.Builds{
		"intervals": bounds,
		"intervals of a season": on(func() (eval.Model, error) {
			return varmodel.NewSeasonal(varmodel.SeasonalConfig{Dim: d, Horizon: h, Period: 6})
		}, func(m eval.Model) (eval.Model, error) {
			return WithIntervals(m, Config{Dim: d, Horizon: h, Levels: levels})
		}),
		"intervals of some horizons": on(inner, func(m eval.Model) (eval.Model, error) {
			return WithIntervals(m, Config{Dim: d, Horizon: h, Levels: levels, Horizons: []int{3}})
		}),
		"joint": on(bounds, func(m eval.Model) (eval.Model, error) {
			return WithJoint(m, JointConfig{Dim: d, Horizon: h, Levels: levels})
		}),
		"quantiles": on(inner, func(m eval.Model) (eval.Model, error) {
			return NewQuantiles(m, QuantilesConfig{Dim: d, Order: 2, Horizon: h, Levels: levels, Frequencies: 10, Seed: 1})
		}),
		"quantiles that may cross": on(inner, func(m eval.Model) (eval.Model, error) {
			return NewQuantiles(m, QuantilesConfig{Dim: d, Order: 1, Horizon: h, Levels: levels, Crossing: 10, Bandwidth: .3, Seed: 2})
		}),
		"level sets": on(inner, func(m eval.Model) (eval.Model, error) {
			return NewLevelSets(m, LevelSetConfig{Dim: d, Order: 2, Frequencies: 10, Seed: 1})
		}),
		"level sets of other settings": on(inner, func(m eval.Model) (eval.Model, error) {
			return NewLevelSets(m, LevelSetConfig{Dim: d, Order: 1, Bandwidth: 2, Seed: 2})
		}),
		"drift":                   watched(DriftConfig{FalseAlarms: .01}),
		"drift, forget":           watched(DriftConfig{Action: drift.Forget}),
		"drift, restart":          watched(DriftConfig{FalseAlarms: .05, Action: drift.Restart}),
		"influence":               on(inner, func(m eval.Model) (eval.Model, error) { return NewInfluence(m, d, 0) }),
		"influence, short memory": on(inner, func(m eval.Model) (eval.Model, error) { return NewInfluence(m, d, .9) }),
	})
}

// Widths by the phase of the season and by the state, and predictive distributions, of series made for them.
func TestWidthsAsRecorded(t *testing.T) {
	const d, h = 2, 5
	var text strings.Builder
	line := func(what string, t int, all []float64) {
		fmt.Fprintf(&text, "%s, sample %d: %s\n", what, t, recorded.Digest(all))
	}
	size := func(phase int) float64 { return 1 + 4*float64(phase/8%2) }
	for _, period := range []int{24, 100} {
		p := newPeriodic(t, d, h, period, true, size)
		for i := range 1200 {
			if p.Next(); i%100 == 99 {
				line(fmt.Sprint("period ", period), i, p.upper())
			}
		}
	}
	n := newNoisy(t, d, h, 1, func(x float64) float64 { return .2 + .8*math.Abs(math.Tanh(x)) })
	q, err := NewDistribution(d, []int{1, 3}, .9)
	if err != nil {
		t.Fatal(err)
	}
	quantiles := make([]float64, Quantiles*2*d)
	for i := range 1200 {
		n.next()
		lower, upper, ok := n.bounds()
		if !ok {
			lower, upper = nil, nil
		}
		if i == 700 {
			q.ResetLags()
		}
		q.Observe(n.y)
		q.Issue(n.forecast, lower, upper)
		if i%100 == 99 {
			q.QuantilesTo(quantiles)
			line("noise by the state", i, append(slices.Concat(lower, upper), quantiles...))
		}
	}
	recorded.Check(t, "testdata/widths.txt", text.String())
}

// Settings without a meaning are refused with the setting, and what it may be.
func TestWrappersRefuse(t *testing.T) {
	model, err := varmodel.NewVAR(varmodel.VARConfig{Dim: 2, Order: 1, Horizon: 2})
	if err != nil {
		t.Fatal(err)
	}
	bounded, err := WithIntervals(model, Config{Dim: 2, Horizon: 2, Levels: []float64{.9}})
	if err != nil {
		t.Fatal(err)
	}
	second := func(_ any, err error) error { return err }
	nan := math.NaN()
	var text strings.Builder
	for _, c := range []struct {
		what string
		err  error
	}{
		{"intervals", second(WithIntervals(model, Config{Horizon: 2, Levels: []float64{.9}}))},
		{"intervals", second(WithIntervals(model, Config{Dim: 1025, Horizon: 2, Levels: []float64{.9}}))},
		{"intervals", second(WithIntervals(model, Config{Dim: 2, Levels: []float64{.9}}))},
		{"intervals", second(WithIntervals(model, Config{Dim: 2, Horizon: 10001, Levels: []float64{.9}}))},
		{"intervals", second(WithIntervals(model, Config{Dim: 2, Horizon: 2}))},
		{"intervals", second(WithIntervals(model, Config{Dim: 2, Horizon: 2, Levels: []float64{.9, 0}}))},
		{"intervals", second(WithIntervals(model, Config{Dim: 2, Horizon: 2, Levels: []float64{1, .9}}))},
		{"intervals", second(WithIntervals(model, Config{Dim: 2, Horizon: 2, Levels: []float64{nan}}))},
		{"joint", second(WithJoint(bounded, JointConfig{Dim: 1025, Horizon: 2, Levels: []float64{.9}}))},
		{"joint", second(WithJoint(bounded, JointConfig{Dim: 2, Horizon: 10001, Levels: []float64{.9}}))},
		{"joint", second(WithJoint(bounded, JointConfig{Dim: 2, Horizon: 2}))},
		{"joint", second(WithJoint(bounded, JointConfig{Dim: 2, Horizon: 2, Levels: []float64{1}}))},
		{"joint", second(WithJoint(bounded, JointConfig{Dim: 2, Horizon: 2, Levels: []float64{0}}))},
		{"joint", second(WithJoint(model, JointConfig{Dim: 2, Horizon: 2, Levels: []float64{.9}}))},
		{"quantiles", second(NewQuantiles(model, QuantilesConfig{Dim: 1025, Order: 1, Horizon: 2}))},
		{"quantiles", second(NewQuantiles(model, QuantilesConfig{Dim: 2, Horizon: 2}))},
		{"quantiles", second(NewQuantiles(model, QuantilesConfig{Dim: 2, Order: 10001, Horizon: 2}))},
		{"quantiles", second(NewQuantiles(model, QuantilesConfig{Dim: 2, Order: 1, Horizon: 501}))},
		{"quantiles", second(NewQuantiles(model, QuantilesConfig{Dim: 2, Order: 1, Horizon: 2, Frequencies: 100001}))},
		{"quantiles", second(NewQuantiles(model, QuantilesConfig{Dim: 2, Order: 1, Horizon: 2, Frequencies: -1}))},
		{"quantiles", second(NewQuantiles(model, QuantilesConfig{Dim: 2, Order: 1, Horizon: 2, Bandwidth: -1}))},
		{"quantiles", second(NewQuantiles(model, QuantilesConfig{Dim: 2, Order: 1, Horizon: 2, Levels: []float64{.9, 1}}))},
		{"quantiles", second(NewQuantiles(model, QuantilesConfig{Dim: 2, Order: 1, Horizon: 2, Levels: []float64{0}}))},
		{"quantiles", second(NewQuantiles(model, QuantilesConfig{Dim: 2, Order: 1, Horizon: 2, Crossing: -1}))},
		{"level sets", second(NewLevelSets(model, LevelSetConfig{Dim: 1025, Order: 1}))},
		{"level sets", second(NewLevelSets(model, LevelSetConfig{Dim: 2}))},
		{"level sets", second(NewLevelSets(model, LevelSetConfig{Dim: 2, Order: 10001}))},
		{"level sets", second(NewLevelSets(model, LevelSetConfig{Dim: 2, Order: 1, Frequencies: -1}))},
		{"level sets", second(NewLevelSets(model, LevelSetConfig{Dim: 2, Order: 1, Frequencies: 100001}))},
		{"level sets", second(NewLevelSets(model, LevelSetConfig{Dim: 2, Order: 1, Bandwidth: -1}))},
		{"drift", second(WithDrift(model, DriftConfig{Dim: 1025, Horizon: 2}))},
		{"drift", second(WithDrift(model, DriftConfig{Dim: 2, Horizon: 10001}))},
		{"drift", second(WithDrift(model, DriftConfig{Dim: 2, Horizon: 2, FalseAlarms: .1}))},
		{"drift", second(WithDrift(model, DriftConfig{Dim: 2, Horizon: 2, FalseAlarms: -.01}))},
		{"drift", second(WithDrift(model, DriftConfig{Dim: 2, Horizon: 2, Action: "x"}))},
		{"influence", second(NewInfluence(model, 2, 1.5))},
		{"influence", second(NewInfluence(model, 2, -.5))},
		{"distribution", second(NewDistribution(2, nil, .9))},
		{"distribution", second(NewDistribution(2, []int{2, 1}, .9))},
		{"distribution", second(NewDistribution(2, []int{0, 1}, .9))},
		{"distribution", second(NewDistribution(1025, []int{1}, .9))},
		{"distribution", second(NewDistribution(2, []int{10001}, .9))},
		{"distribution", second(NewDistribution(2, []int{1}, 1))},
		{"distribution", second(NewDistribution(2, []int{1}, 0))},
		{"graph", second(InfluenceGraph(nil, nil, 1))},
	} {
		if c.err == nil {
			t.Errorf("%s: accepted", c.what)
		}
		fmt.Fprintf(&text, "%s: %v\n", c.what, c.err)
	}
	recorded.Check(t, "testdata/refusals.txt", text.String())
}
