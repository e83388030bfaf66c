package algebra_test

import (
	"math"
	"testing"

	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/algebra"
	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
)

// For V with the rows (1, 2, 0) and (-1, 0.5, 3), V V^T is [[5, 0], [0, 10.25]].
func TestCongruenceOfADecomposableMap(t *testing.T) {
	scalar, err := orff.NewFourier(spectrum.Gaussian{Sigma: 1}, 3, 10, random.New(1))
	if err != nil {
		t.Fatal(err)
	}
	m, err := algebra.NewCongruence(orff.NewDecomposable(scalar, coupling.Identity(3)), 2, []float64{1, 2, 0, -1, .5, 3})
	if err != nil {
		t.Fatal(err)
	}
	dec, ok := m.(*orff.Decomposable)
	if !ok {
		t.Fatalf("%T", m)
	}
	for i, want := range []float64{5, 0, 0, 10.25} {
		if got := dec.Output().Gamma()[i]; !(math.Abs(got-want) <= 1e-12) {
			t.Errorf("Gamma %v", dec.Output().Gamma())
		}
	}
}
