package varmodel

import (
	"testing"

	"github.com/orffvar/forecaster/eval"
)

// TestIntervalsKeepWhatTheModelCan: the weights of the mixture, and influences.
func TestIntervalsKeepWhatTheModelCan(t *testing.T) {
	const dim = 2
	intervals := func(m eval.Model, err error) eval.Forecaster {
		t.Helper()
		if err == nil {
			m, err = WithIntervals(m, IntervalConfig{Dim: dim, Horizon: 1, Levels: []float64{.9}})
		}
		if err != nil {
			t.Fatal(err)
		}
		f := m.NewSeries()
		y, dst := make([]float64, dim), make([]float64, dim)
		g := eval.NewRandomWalk(dim, 1)
		for range 30 {
			g.Next(y)
			f.ForecastTo(dst)
			if err := f.Observe(y); err != nil {
				t.Fatal(err)
			}
		}
		return f
	}
	w := intervals(NewAuto(AutoConfig{Dim: dim, Horizon: 1})).(Weighted)
	names := w.Experts()
	weights := make([]float64, dim*len(names))
	w.WeightsTo(weights)
	for j := range dim {
		sum := 0.
		for _, x := range weights[j*len(names) : (j+1)*len(names)] {
			sum += x
		}
		// As many roundings as there are experts.
		if d := sum - 1; d > 1e-12 || d < -1e-12 {
			t.Errorf("the weights of variable %d sum to 1%+g", j, d)
		}
	}
	plain, err := NewVAR(VARConfig{Dim: dim, Order: 1, Horizon: 1})
	if err != nil {
		t.Fatal(err)
	}
	i := intervals(NewInfluence(plain, dim, 0))
	if !i.(eval.Influencer).InfluenceTo(make([]float64, dim*dim)) {
		t.Error("the influences are lost")
	}
	if n := len(i.(Weighted).Experts()); n != 0 {
		t.Errorf("VAR(1) has %d experts", n)
	}
}
