package interval

import (
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/tools/testseries"
	"github.com/orffvar/forecaster/varmodel"
	"github.com/orffvar/forecaster/varmodel/auto"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
)

// TestIntervalsKeepWhatTheModelCan: the weights of the mixture, and influences; what
// the model cannot do, the intervals around it cannot either.
func TestIntervalsKeepWhatTheModelCan(t *testing.T) {
	const dim = 2
	intervals := func(m eval.Model, err error) eval.Forecaster {
		t.Helper()
		if err == nil {
			m, err = WithIntervals(m, Config{Dim: dim, Horizon: 1, Levels: []float64{.9}})
		}
		if err != nil {
			t.Fatal(err)
		}
		f := m.NewSeries()
		y, dst := make([]float64, dim), make([]float64, dim)
		g := testseries.NewRandomWalk(dim, 1)
		for range 30 {
			g.Next(y)
			f.ForecastTo(dst)
			if err := f.Observe(y); err != nil {
				t.Fatal(err)
			}
		}
		return f
	}
	w := modeltest.As[eval.Mixture](t, intervals(auto.New(auto.Config{Dim: dim, Horizon: 1})))
	names := w.Experts()
	weights := make([]float64, dim*len(names))
	w.WeightsTo(weights)
	for j := range dim {
		sum := 0.
		for _, x := range weights[j*len(names) : (j+1)*len(names)] {
			sum += x
		}
		// As many roundings as there are experts.
		if d := sum - 1; !(d <= 1e-12 && d >= -1e-12) {
			t.Errorf("the weights of variable %d sum to 1%+g", j, d)
		}
	}
	plain, err := varmodel.NewVAR(varmodel.VARConfig{Dim: dim, Order: 1, Horizon: 1})
	if err != nil {
		t.Fatal(err)
	}
	i := intervals(NewInfluence(plain, dim, 0))
	if !modeltest.As[eval.Influencer](t, i).InfluenceTo(make([]float64, dim*dim)) {
		t.Error("the influences are lost")
	}
	if _, ok := eval.As[eval.Mixture](i); ok {
		t.Error("VAR(1) is a mixture")
	}
	if _, ok := eval.As[eval.InputTaker](i); ok {
		t.Error("a model without inputs takes some")
	}
}

func autoModel(t testing.TB, cfg auto.Config) eval.Model {
	t.Helper()
	m, err := auto.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func withBounds(t testing.TB, m eval.Model, dim, horizon int, levels []float64) eval.Model {
	t.Helper()
	m, err := WithIntervals(m, Config{Dim: dim, Horizon: horizon, Levels: levels})
	if err != nil {
		t.Fatal(err)
	}
	return m
}
