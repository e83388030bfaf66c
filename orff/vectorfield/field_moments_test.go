package vectorfield

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/internal/bound"
	"github.com/orffvar/forecaster/orff/internal/maptest"
	"github.com/orffvar/forecaster/orff/random"
)

// The bounds of operator-valued kernels need ||E A^2|| of one draw, with w ~ N(0, I/sigma^2): A = w w^T for a curl-free
// kernel, and |w|^2 I - w w^T for a divergence-free kernel. Both second moments are multiples of the identity. The mean
// over the draws agrees with the estimates within five standard errors.
func TestSecondMomentsOfUnboundedFields(t *testing.T) {
	const draws = 200_000
	rng := rand.New(rand.NewPCG(11, 12))
	for _, sigma := range []float64{1, 2} {
		for _, d := range []int{2, 3, 5} {
			var curl, divergence [2]float64 // sum and sum of squares
			w := make([]float64, d)
			for range draws {
				var norm float64
				for i := range w {
					w[i] = rng.NormFloat64() / sigma
					norm += w[i] * w[i]
				}
				// First diagonal entry: the square of w w^T is |w|^2 w w^T, and the square of the other operator is
				// |w|^2 times itself.
				for _, v := range []struct {
					sum *[2]float64
					x   float64
				}{{&curl, norm * w[0] * w[0]}, {&divergence, norm * (norm - w[0]*w[0])}} {
					v.sum[0] += v.x
					v.sum[1] += v.x * v.x
				}
			}
			for _, c := range []struct {
				name string
				sum  [2]float64
				m    orff.Map
			}{
				{"curl-free", curl, maptest.Must(NewCurlFree(sigma, d, 1, Unbounded, random.New(1)))},
				{"divergence-free", divergence, maptest.Must(NewDivergenceFree(sigma, d, 1, Unbounded, false, random.New(1)))},
			} {
				mean := c.sum[0] / draws
				se := math.Sqrt((c.sum[1]/draws - mean*mean) / draws)
				if got := maptest.Must(c.m.(bound.Estimator).Estimate()).Field.V; !(math.Abs(got-mean) <= 5*se) {
					t.Errorf("%s, sigma %g, d = %d: second moment %.5g, simulated %.5g +- %.2g", c.name, sigma, d, got, mean, se)
				}
			}
		}
	}
}

// The tail of an unbounded field in its Gaussian range (Brault 2017, corollary 5.3): with p
// outputs, variance v and D draws, (1 + 3/(eps/2 log(1 + D eps/(2 v)))^2)
// exp(-D eps^2/(8 v (1 + 1/p))). With eps = .1, v = 2, p = 2 and D = 10000 the logarithm is
// log(251) = 5.52545, the factor 1 + 3/.0763265 = 40.3050, and the exponent -100/24.
func TestTailOfAnUnboundedField(t *testing.T) {
	f := bound.UniformField{D: 2, P: 2, M: 1, U: 1, V: 2}
	want := 40.3050 * math.Exp(-100./24)
	if got := f.Tail(.1, 10_000); !(math.Abs(got/want-1) < 1e-4) { // the digits above
		t.Errorf("tail %v, want %v", got, want)
	}
}
