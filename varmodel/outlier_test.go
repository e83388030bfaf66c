package varmodel

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/varmodel/auto"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
	"github.com/orffvar/forecaster/varmodel/internal/regression"
)

// A target beyond the limit teaches the weights what one at the limit does, however wild it is.
func TestRegressionLimitsItsTargets(t *testing.T) {
	for name, build := range map[string]func() (eval.Model, error){
		"var": func() (eval.Model, error) { return NewVAR(VARConfig{Dim: 2, Horizon: 1, Order: 2}) },
		"ar":  func() (eval.Model, error) { return NewAR(ARConfig{Dim: 2, Horizon: 1, Order: 3, Forgetting: .999}) },
		"orffvar-rls": func() (eval.Model, error) {
			return auto.NewORFFVAR(auto.ORFFVARConfig{Dim: 2, Horizon: 1, Order: 2, Seed: 1, Frequencies: 10, Optimiser: auto.RLS})
		},
	} {
		weights := func(step float64) []byte {
			m, err := build()
			if err != nil {
				t.Fatal(err)
			}
			f := m.NewSeries().(*regression.Series)
			rng := rand.New(rand.NewPCG(7, 8))
			for i := range 300 {
				y := []float64{rng.NormFloat64(), rng.NormFloat64()}
				target := y
				if i == 250 {
					last := f.Past.Lag(0)
					target = []float64{last[0] + step*f.Unit[0], last[1] - step*f.Unit[1]}
				}
				if err := f.ObserveTarget(y, target); err != nil {
					t.Fatal(err)
				}
			}
			return modeltest.SaveState(m)
		}
		atLimit := weights(regression.TargetLimit)
		if !bytes.Equal(atLimit, weights(1000*regression.TargetLimit)) {
			t.Errorf("%s: an outlier of %d typical steps moves the weights further than one of %d", name, 1000*regression.TargetLimit, regression.TargetLimit)
		}
		if bytes.Equal(atLimit, weights(.9*regression.TargetLimit)) {
			t.Errorf("%s: the size of a target below the limit makes no difference", name)
		}
	}
}
