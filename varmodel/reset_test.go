package varmodel

import (
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
	"github.com/orffvar/forecaster/varmodel/internal/regression"
)

// After a break, the pair that spans it is not learnt, and the forecast is the last value until the lags are filled. Later
// forecasts do not depend on the samples before the break: two series that differ only there have equal forecasts.
func TestResetLagsForgetsTheLagsAlone(t *testing.T) {
	const d = 2
	for _, name := range []string{"var", "orffvar-rls", "kernelvar", "krls", "ngrc", "okvar", "onorma", "nystroem"} {
		t.Run(name, func(t *testing.T) {
			x := modeltest.RandomSeries(rand.New(rand.NewPCG(61, 62)), 640, d, 0)
			m := newModel(t, name, d, 1)
			f := m.NewSeries()
			modeltest.Record(t, f, x[:600], d)
			weights := func() string { return string(modeltest.SaveState(m)) } // the bandwidth is known by now
			before := weights()
			modeltest.As[eval.LagResetter](t, f).ResetLags()
			depth := f.(*regression.Series).Model.Depth
			forecast := make([]float64, d)
			for i, row := range x[610 : 610+max(depth, 2)] {
				if err := f.Observe(row); err != nil {
					t.Fatal(err)
				}
				if i == 0 && weights() != before {
					t.Error("the pair that spans the break was learnt")
				}
				f.ForecastTo(forecast)
				if modeltest.Same([][]float64{forecast}, [][]float64{row}) != nil && i+1 < max(depth, 2) {
					t.Errorf("%d samples after the break the forecast is %v, the last value %v", i+1, forecast, row)
				}
			}
			if modeltest.Same([][]float64{forecast}, [][]float64{x[609+max(depth, 2)]}) == nil {
				t.Error("nothing is forecast when the lags are full")
			}
		})
	}
}

func TestResetLagsOfWhatStandsAround(t *testing.T) {
	x := modeltest.RandomSeries(rand.New(rand.NewPCG(63, 64)), 900, 2, 0)
	q := newModel(t, "quantiles", 2, 2).NewSeries()
	l := newModel(t, "levelsets", 2, 2).NewSeries()
	for _, row := range x {
		if q.Observe(row) != nil || l.Observe(row) != nil {
			t.Fatal("refused")
		}
	}
	lower, upper := make([]float64, 8), make([]float64, 8)
	if _, ok := modeltest.As[eval.Detector](t, l).Anomaly(); !ok || !modeltest.As[eval.Bounder](t, q).BoundsTo(lower, upper) {
		t.Fatal("neither bounds nor a score")
	}
	modeltest.As[eval.LagResetter](t, q).ResetLags()
	modeltest.As[eval.LagResetter](t, l).ResetLags()
	if _, ok := modeltest.As[eval.Detector](t, l).Anomaly(); ok || modeltest.As[eval.Bounder](t, q).BoundsTo(lower, upper) {
		t.Error("bounds or a score after a break")
	}
	for _, row := range x[:3] {
		if q.Observe(row) != nil || l.Observe(row) != nil {
			t.Fatal("refused")
		}
	}
	if _, ok := modeltest.As[eval.Detector](t, l).Anomaly(); !ok || !modeltest.As[eval.Bounder](t, q).BoundsTo(lower, upper) {
		t.Error("neither bounds nor a score after the lags were filled again")
	}
}
