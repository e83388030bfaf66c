package orff

import (
	"math"
	"testing"

	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff/internal/maptest"
	"github.com/orffvar/forecaster/orff/internal/optional"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
)

// C1.12: Structured orthogonal features: W = (√d/σ) H D1 H D2 H D3, H the normalised
// Walsh-Hadamard matrix, D_i random signs; W Wᵀ = (d/σ²) I. They are biased for small d.
func TestC1_12_SORF(t *testing.T) {
	s := newSORF(1, 4, 4)
	copy(s.signs, []float64{1, -1, 1, 1, -1, 1, 1, -1, 1, 1, -1, 1})
	f := newFourier(spectrum.Gaussian{Sigma: 1}, 4, 4)
	f.fast = s
	w := f.Frequencies()
	maptest.NearAll(t, "W", w, []float64{-1, -1, -1, -1, 1, -1, 1, -1, 1, 1, -1, -1, -1, 1, 1, -1}, 1e-15)

	// W W^T = (d/sigma^2) I within a block, here of 32 padded dimensions.
	f = maptest.Must(NewSORF(0.5, 32, 64, random.New(1)))
	w = f.Frequencies()
	for i := range 32 {
		for j := range i + 1 {
			want := 0.0
			if i == j {
				want = 32 / 0.25
			}
			maptest.Near(t, "W W^T", vec.Dot(w[32*i:32*i+32], w[32*j:32*j+32]), want, 1e-12)
		}
	}
	if _, err := NewSORF(1, 16, 16, random.New(1)); err == nil {
		t.Error("SORF was accepted in 16 dimensions, where it is badly biased")
	}
	// At d = 32 the bias is small: the mean over maps agrees with the exact kernel.
	mean, v := maptest.OneDraw(t, 2000, func(r random.Rand) (Scalar, error) { return NewSORF(4, 32, 32, r) }, maptest.WideX, maptest.WideZ)
	want := Kernel(f, maptest.WideX, maptest.WideZ) // sigma 0.5
	want = math.Pow(want, 0.25/16)                  // of sigma 4
	if bias := math.Abs(mean - want); !(bias <= 0.05*want+5*math.Sqrt(v/2000)) {
		t.Errorf("bias of SORF at d = 32: %g of %g", bias, want)
	}
}

// C1.13: Fastfood: V = 1/(σ√d) S H G Π H B with H of entries ±1, G normal, Π a permutation, B
// signs, S_ii = χ_d/‖G‖_F; each row is N(0, I/σ²), so the estimate is unbiased.
func TestC1_13_Fastfood(t *testing.T) {
	v := maptest.Normals(1, 16)
	twice := append([]float64(nil), v...)
	vec.Hadamard(twice)
	vec.Hadamard(twice)
	maptest.NearAll(t, "H H v", twice, maptest.Scaled(v, 16), 1e-13)

	// d = 3 is padded to 4 with a zero. The maps are independent, with a variance below that of one frequency.
	const n = 20000
	mean, variance := maptest.OneDraw(t, n, func(r random.Rand) (Scalar, error) { return NewFastfood(maptest.Sigma, 3, 4, r) }, maptest.X, maptest.Z)
	maptest.Near(t, "mean of k~", mean, spectrum.Gaussian{Sigma: maptest.Sigma}.K0(maptest.Delta), 5*math.Sqrt(variance/n))

	// Each row is N(0, I/sigma^2): second and fourth moments of an entry over maps.
	var s2, s4 float64
	f := maptest.Must(NewFastfood(1, 4, 4, random.New(1)))
	r := random.New(2)
	for range n {
		optional.Redraw(f, &r)
		w := f.Frequencies()[5]
		s2 += w * w
		s4 += w * w * w * w
	}
	maptest.Near(t, "variance of an entry", s2/n, 1, 5*math.Sqrt(2.0/n))
	maptest.Near(t, "fourth moment of an entry", s4/n/3, 1, 5*math.Sqrt(96.0/9/n))
}

// W x and W^T v by transforms agree with products of the explicit frequencies, for D below, at and above a multiple of
// the padded dimension.
func TestFastProjections(t *testing.T) {
	for _, D := range []int{20, 64, 75} {
		for _, f := range []*Fourier{maptest.Must(NewSORF(0.7, 40, D, random.New(3))), maptest.Must(NewFastfood(0.7, 40, D, random.New(3)))} {
			plain := FourierOf(f.Frequencies(), 40)
			x := maptest.Normals(5, 40)
			phi := maptest.ScalarFeatures(f, x)
			maptest.NearAll(t, "phi", phi, maptest.ScalarFeatures(plain, x), 1e-12)
			c := maptest.Normals(6, 2*D)
			g, want := make([]float64, 40), make([]float64, 40)
			f.GradientTo(g, x, phi, c)
			plain.GradientTo(want, x, phi, c)
			maptest.NearAll(t, "gradient", g, want, 1e-11) // sums of 150 terms of size 10
		}
	}
}
