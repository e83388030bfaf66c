package anomaly

import (
	"math/rand/v2"
	"testing"
)

// A discount gives the samples so far a quarter of their weight: the next sample then counts as
// four would. The regression itself stays, and so do its residuals.
func TestOthersDiscount(t *testing.T) {
	const dim = 3
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func() []float64 {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		return []float64{a, b, a + b + .1*rng.NormFloat64()}
	}
	fresh, o := newOthers(dim), newOthers(dim)
	fresh.discount() // nothing is known that could be forgotten
	if fresh.n != 0 || fresh.q.At(0, 0) != 1 {
		t.Errorf("discounted from the start: n %g, diagonal %g", fresh.n, fresh.q.At(0, 0))
	}
	r := make([]float64, dim)
	for range 200 {
		z := draw()
		o.residualsTo(r, z)
		o.learn()
	}
	want, next := make([]float64, dim), draw()
	o.residualsTo(want, next)
	o.discount()
	o.residualsTo(r, next)
	near(t, "samples", o.n, 50, 0)
	for j := range r {
		near(t, "residual", r[j], want[j], 1e-12) // relative rounding of sums of 200 products
	}
}
