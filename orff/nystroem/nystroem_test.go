package nystroem

import (
	"math"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/internal/maptest"
	"github.com/orffvar/forecaster/orff/spectrum"
)

// C1.15: Nyström (section 2.1.2.2): K_M = U Λ Uᵀ of M landmarks, φ(x) = Λ^−½ Uᵀ (k(x, x_i))_i;
// exact on the landmarks, and K − K~ is positive semidefinite.
func TestC1_15_Nystroem(t *testing.T) {
	pts := []float64{0, 0, 1, 0.5, -0.5, 1, 0.3, -0.8}
	at := func(i int) []float64 { return pts[2*i : 2*i+2] }
	f := maptest.Must(New(spectrum.Gaussian{Sigma: 1}, 2, pts[:6]))
	maptest.Near(t, "k~(1, 3)", maptest.ScalarKernel(f, at(0), at(2)), 0.5352614285189902, 1e-14)
	maptest.Near(t, "k(1, 3)", orff.Kernel(f, at(0), at(2)), 0.5352614285189903, 1e-14)
	maptest.Near(t, "k~(4, 4)", maptest.ScalarKernel(f, at(3), at(3)), 0.5564383345376225, 1e-14)
	diff := make([]float64, 16)
	for i := range 4 {
		for j := range 4 {
			diff[4*i+j] = orff.Kernel(f, at(i), at(j)) - maptest.ScalarKernel(f, at(i), at(j))
		}
	}
	if low, trace := maptest.Smallest(t, 4, diff); !(low >= -1e-12*trace-1e-14) {
		t.Errorf("K - K~ has the eigenvalue %g", low)
	}
}

func TestNystroemDropsRepeatedLandmarks(t *testing.T) {
	f := maptest.Must(New(spectrum.Gaussian{Sigma: 1}, 2, []float64{0, 0, 1, 1, 0, 0}))
	maptest.Near(t, "k~ at a landmark", maptest.ScalarKernel(f, []float64{0, 0}, []float64{1, 1}), math.Exp(-1), 1e-12)
	zero := 0
	for _, v := range maptest.ScalarFeatures(f, []float64{0.3, 0.1}) {
		if v == 0 {
			zero++
		}
	}
	if zero != 1 {
		t.Errorf("%d features are zero, want the one of the repeated landmark", zero)
	}
}

func TestLandmarks(t *testing.T) {
	x := make([]float64, 20)
	for i := range x {
		x[i] = float64(i)
	}
	l := Landmarks(x, 2, 5, 3)
	if len(l) != 10 || !slices.Equal(l, Landmarks(x, 2, 5, 3)) {
		t.Fatalf("landmarks %v", l)
	}
	seen := map[float64]bool{}
	for i := 0; i < 10; i += 2 {
		if l[i+1] != l[i]+1 || seen[l[i]] {
			t.Errorf("row (%g, %g) is no row of x, or came twice", l[i], l[i+1])
		}
		seen[l[i]] = true
	}
	if len(Landmarks(x, 2, 50, 3)) != 20 || x[0] != 0 {
		t.Error("more landmarks than rows must give all rows and leave x alone")
	}
}
