package thesis

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Tune chooses the lambda of its grid with the least leave-one-out error.
func TestTuneLeavesOneOut(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, noise := range []float64{.01, .5, 5} {
		const n = 14
		x, y := make([][]float64, n), make([][]float64, n)
		for i := range x {
			v := rng.NormFloat64()
			x[i], y[i] = []float64{v}, []float64{math.Sin(v) + noise*rng.NormFloat64(), v + noise*rng.NormFloat64()}
		}
		loss := func(lambda float64) (sum float64) {
			for i := range x {
				var restX, restY [][]float64
				for j := range x {
					if j != i {
						restX, restY = append(restX, x[j]), append(restY, y[j])
					}
				}
				// The fit without one pair has the penalty n Lambda of the fit with all pairs.
				k := &KernelRidge{Sigma: 1, Lambda: lambda * n / (n - 1)}
				if err := k.Fit(restX, restY); err != nil {
					t.Fatal(err)
				}
				dst := make([]float64, 2)
				k.PredictTo(dst, x[i])
				sum += squaredDistance(dst, y[i])
			}
			return sum
		}
		best, want := math.Inf(1), 0.
		for exponent := -9; exponent <= 0; exponent++ {
			lambda := math.Pow(10, float64(exponent))
			if l := loss(lambda); l < best {
				best, want = l, lambda
			}
		}
		k := &KernelRidge{Sigma: 1}
		if err := k.Tune(x, y); err != nil {
			t.Fatal(err)
		}
		if !(math.Abs(k.Lambda/want-1) <= 1e-9) {
			t.Errorf("noise %v: lambda %v, want %v", noise, k.Lambda, want)
		}
	}
	k := &KernelRidge{Lambda: 3}
	if err := k.Tune([][]float64{{0}, {1}, {5}}, [][]float64{{0}, {0}, {0}}); err != nil || k.Sigma != 4 || k.Lambda != 3 {
		t.Errorf("%+v, %v: the median distance is 4", k, err)
	}
}
