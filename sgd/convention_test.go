package sgd_test

import (
	"testing"

	"github.com/orffvar/forecaster/sgd"
)

func TestConventionsHaveOneMinimiser(t *testing.T) {
	// One sample, one feature phi = 1 and N copies of y = 1: H gives 1/(1 + lambda).
	const n = 5
	lambda := .3
	for c, want := range map[sgd.Convention]float64{
		sgd.HalfMean:        1 / (1 + lambda),
		sgd.MeanFullPenalty: 1 / (1 + lambda),
		sgd.MeanHalfPenalty: 2 / (2 + lambda),
		sgd.HalfMeanOverN:   n / (n + lambda),
		sgd.Sum:             n / (n + lambda),
	} {
		got := 1 / (1 + c.ToH(lambda, n))
		near(t, "minimiser", []float64{got}, []float64{want}, 1e-15)
	}
}

func TestUnknownConventionPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	sgd.Convention(99).ToH(1, 1)
}
