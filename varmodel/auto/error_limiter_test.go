package auto

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/internal/lanes"
)

// Of an outlier only five mean errors count, of errors that stay large all: then the
// series has changed.
func TestUsualError(t *testing.T) {
	u := newErrorLimiter(1)
	limit := func(e float64) float64 {
		errors := lanes.Rows(1, 1)
		u.ErrorsTo(errors, []float64{e}, []float64{0})
		return errors[0]
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		if e := rng.NormFloat64(); limit(e) != e {
			t.Fatalf("the usual error %g was limited", e) // 5 * .8 standard deviations
		}
	}
	most := huberLimit * u.Mean[0]
	if !(math.Abs(most-5*math.Sqrt(2/math.Pi)) <= .8) { // 200 errors: 4 standard errors of the mean, times 5
		t.Errorf("the limit is %g", most)
	}
	if got := limit(-100); got != -most {
		t.Errorf("of -100 counts %g, not %g", got, -most)
	}
	limit(1)
	for i := range huberRun + 2 {
		if limited := limit(100) != 100; limited != (i < huberRun) {
			t.Errorf("large error %d in a row: limited is %v", i, limited)
		}
	}
}
