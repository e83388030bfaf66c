package online_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/sgd/online"
)

// Discounting the past samples and learning on is the minimiser of the sum of
// squares in which the earlier samples weigh less and the ridge is whole: the same
// as scaling the earlier samples by the root of the weight. The tolerance is for
// the rounding of some hundred updates of numbers of size one.
func TestDiscountIsAWeightedRidge(t *testing.T) {
	const m, p, n, keep = 6, 2, 120, .1
	cfg := online.RLSConfig{Features: m, Outputs: p, Ridge: 3, Forgetting: 1}
	discounted, weighted := must(online.NewRLS(cfg)), must(online.NewRLS(cfg))
	r := rand.New(rand.NewPCG(1, 7))
	phi, y, e := make([]float64, m), make([]float64, p), make([]float64, p)
	learn := func(l *online.RLS, size float64) {
		in := make([]float64, m)
		for i := range in {
			in[i] = size * phi[i]
		}
		l.PredictTo(e, in)
		for o := range e {
			e[o] = size*y[o] - e[o]
		}
		l.Update(in, e)
	}
	for i := range n {
		for j := range phi {
			phi[j] = r.NormFloat64()
		}
		for o := range y {
			y[o] = phi[o] - phi[5] + r.NormFloat64()
		}
		if i == n/2 {
			discounted.Discount(keep)
		}
		learn(discounted, 1)
		if i < n/2 {
			learn(weighted, math.Sqrt(keep))
		} else {
			learn(weighted, 1)
		}
	}
	for i, v := range discounted.Weights() {
		if w := weighted.Weights()[i]; !(math.Abs(v-w) <= 1e-10) {
			t.Errorf("weight %d: %v, want %v", i, v, w)
		}
	}
}

func TestRLSRefusesDiscountsOutsideOfTheirRange(t *testing.T) {
	for _, keep := range []float64{0, 1.1} {
		func() {
			defer func() {
				if got := recover(); got != "online: RLS.Discount: not in (0, 1]" {
					t.Errorf("discount %v: panic %v", keep, got)
				}
			}()
			must(online.NewRLS(online.RLSConfig{Features: 2, Outputs: 1, Ridge: 3, Forgetting: .9})).Discount(keep)
		}()
	}
}

// After a reset the weights are those of a new learner, also its leaks.
func TestResetRLSBeginsAgain(t *testing.T) {
	cfg := online.RLSConfig{Features: 2, Outputs: 1, Ridge: 3, Forgetting: .9}
	fresh, reset := must(online.NewRLS(cfg)), must(online.NewRLS(cfg))
	r := rand.New(rand.NewPCG(1, 8))
	for i := range 40 {
		phi, e := []float64{r.NormFloat64(), r.NormFloat64()}, []float64{r.NormFloat64()}
		if i == 13 { // an odd number: the next leak would be that of the other weight
			reset.Reset()
		}
		reset.Update(phi, e)
		if i >= 13 {
			if fresh.Update(phi, e); !slices.Equal(reset.Weights(), fresh.Weights()) {
				t.Fatalf("%d samples after the reset: %v, want %v", i-12, reset.Weights(), fresh.Weights())
			}
		}
	}
}

// After a change a learner that has discounted the past is nearer to the new truth.
func TestDiscountOfBlockNewton(t *testing.T) {
	const m, n = 4, 400
	errorAfter := func(discount bool) float64 {
		l := must(online.NewBlockNewton(online.BlockNewtonConfig{Features: m, Outputs: 1, Block: 2, Batch: 2, Ridge: 1, Forgetting: 1}))
		r := rand.New(rand.NewPCG(2, 7))
		phi, e := make([]float64, m), make([]float64, 1)
		for i := range n {
			for j := range phi {
				phi[j] = r.NormFloat64()
			}
			truth := 1.0
			if i >= n-50 {
				truth = -1
			}
			if discount && i == n-50 {
				l.Discount(.1)
			}
			l.PredictTo(e, phi)
			e[0] = truth*phi[0] - e[0]
			l.Update(phi, e)
		}
		return math.Abs(l.Weights()[0] + 1)
	}
	if with, without := errorAfter(true), errorAfter(false); !(with <= without/2) {
		t.Errorf("off by %v with a discount, %v without", with, without)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
