package semigroup

import (
	"math"
	"testing"

	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/internal/maptest"
	"github.com/orffvar/forecaster/orff/internal/optional"
	"github.com/orffvar/forecaster/orff/random"
)

// C1.11: Semigroup kernels E exp(−ω·(x + z)) (section 2.1.2.4): Π exp(−β√(x_k + z_k)) with ω =
// (β²/2)/g², g standard normal; Π λ/(x_k + z_k + λ) with ω exponential of rate λ.
func TestC1_11_Semigroups(t *testing.T) {
	f := maptest.Must(New(Exponential, 0.6, 3, 100000, random.Block(1, 1)))
	maptest.Near(t, "exponential semigroup", orff.Kernel(f, maptest.PositiveX, maptest.PositiveZ), 0.16263086650182187, 1e-14)
	maptest.Near(t, "its features", maptest.ScalarKernel(f, maptest.PositiveX, maptest.PositiveZ), 0.16263086650182187, 5*math.Sqrt(optional.Variance(f, maptest.PositiveX, maptest.PositiveZ)))
	f = maptest.Must(New(Reciprocal, 1.5, 3, 100000, random.Block(1, 1)))
	maptest.Near(t, "reciprocal semigroup", orff.Kernel(f, maptest.PositiveX, maptest.PositiveZ), 0.20926339285714288, 1e-14)
	maptest.Near(t, "its features", maptest.ScalarKernel(f, maptest.PositiveX, maptest.PositiveZ), 0.20926339285714288, 5*math.Sqrt(optional.Variance(f, maptest.PositiveX, maptest.PositiveZ)))
	if orff.CheckInput(f, []float64{1, -1e-9, 0}) == nil {
		t.Error("a negative input was accepted")
	}
}
