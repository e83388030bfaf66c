package orff

import (
	"math"
	"testing"

	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff/internal/maptest"
	"github.com/orffvar/forecaster/orff/internal/numeric"
	"github.com/orffvar/forecaster/orff/internal/optional"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
)

// C1.5: Skewed χ² (section 4.2.2.2): k = Π sech(½ log((x_k + c)/(z_k + c))), features on log(x +
// c), ω with density sech(πω), that is ω = log(tan(πu/2))/π. The substitution printed is wrong.
func TestC1_5_SkewedChiSquared(t *testing.T) {
	c := []float64{1, 1, 1}
	f := maptest.Must(NewSkewedChiSquared(c, 10, random.New(1)))
	maptest.Near(t, "k(x, z)", Kernel(f, maptest.X, maptest.Z), 0.7301563421578532, 1e-14)
	maptest.Near(t, "k(x, x)", Kernel(f, maptest.X, maptest.X), 1, 1e-15)
	maptest.Near(t, "0.9 quantile of omega", spectrum.Sech{}.Quantile(0.9), 0.5865591876131638, 1e-14)
	// Scaling x + c and z + c together changes nothing.
	x, z := make([]float64, 3), make([]float64, 3)
	for k := range x {
		x[k], z[k] = 3*(maptest.X[k]+1)-1, 3*(maptest.Z[k]+1)-1
	}
	maptest.Near(t, "k after scaling", Kernel(f, x, z), 0.7301563421578532, 1e-14)
	maptest.Near(t, "k~ after scaling", maptest.ScalarKernel(f, x, z), maptest.ScalarKernel(f, maptest.X, maptest.Z), 1e-13)
	// The printed form with square roots.
	want := 1.0
	for k := range maptest.X {
		want *= 2 * math.Sqrt((maptest.X[k]+1)*(maptest.Z[k]+1)) / (maptest.X[k] + maptest.Z[k] + 2)
	}
	maptest.Near(t, "product of square roots", Kernel(f, maptest.X, maptest.Z), want, 1e-14)
	var s2 float64
	w := make([]float64, 100000)
	r := random.New(2)
	spectrum.Sech{}.SampleTo(w, 1, &r)
	for _, v := range w {
		s2 += v * v
	}
	// E omega^4 = 5/16, so omega^2 has the variance 1/4.
	maptest.Near(t, "variance of omega", s2/float64(len(w)), 0.25, 5*math.Sqrt(0.25/float64(len(w))))

	for _, x := range [][]float64{{-1, 0, 0}, {0, -2, 0}, {0, 0, math.NaN()}} {
		if CheckInput(f, x) == nil {
			t.Errorf("%v was accepted", x)
		}
		for _, v := range maptest.ScalarFeatures(f, x) {
			if !math.IsNaN(v) {
				t.Errorf("outside the domain a feature is %g, want NaN", v)
				break
			}
		}
	}
	if err := CheckInput(f, maptest.X); err != nil {
		t.Error(err)
	}
}

// C1.6: Angular kernel 1 − 2 angle(x, z)/π = (2/π) arcsin(cos angle), features sgn(ω·x)/√D,
// one-draw variance 1 − k². It is not the arc-cosine kernel of order 0, which is 1 − angle/π.
func TestC1_6_Angular(t *testing.T) {
	f := maptest.Must(NewAngular(3, 500, random.Block(3, 1)))
	cos := vec.Dot(maptest.X, maptest.Z) / math.Sqrt(numeric.SquaredNorm(maptest.X)*numeric.SquaredNorm(maptest.Z))
	maptest.Near(t, "cos of the angle", cos, 0.23398419466270653, 1e-14)
	maptest.Near(t, "k", Kernel(f, maptest.X, maptest.Z), 0.15035280110681215, 1e-14)
	maptest.Near(t, "arc-sine form", Kernel(f, maptest.X, maptest.Z), 2/math.Pi*math.Asin(cos), 1e-14)
	maptest.Near(t, "variance of one draw", 500*optional.Variance(f, maptest.X, maptest.Z), 0.9773940351993354, 1e-13)
	maptest.Near(t, "k~(x, x)", maptest.ScalarKernel(f, maptest.X, maptest.X), 1, 1e-13) // 500 times (1/sqrt(500))^2
	maptest.Near(t, "k~(x, -x)", maptest.ScalarKernel(f, maptest.X, maptest.Scaled(maptest.X, -1)), -1, 1e-13)
	// A cosine that rounds above 1 must not become NaN.
	maptest.Near(t, "k(x, 3x)", Kernel(f, maptest.X, maptest.Scaled(maptest.X, 3)), 1, 1e-7)
	if CheckInput(f, make([]float64, 3)) == nil {
		t.Error("x = 0 was accepted")
	}
	if phi := maptest.ScalarFeatures(f, make([]float64, 3)); !math.IsNaN(phi[0]) {
		t.Errorf("a feature at x = 0 is %g, want NaN", phi[0])
	}
}

func TestOrthogonalFrequencies(t *testing.T) {
	delta := []float64{0.5, -1.1, 0.6, 0}
	zero := make([]float64, 4)
	const n = 20000
	build := func(s spectrum.Spectrum) func(random.Rand) (Scalar, error) {
		return func(r random.Rand) (Scalar, error) { return NewFourier(s, 4, 4, r) }
	}
	mean, v := maptest.OneDraw(t, n, build(spectrum.Orthogonal{Sigma: maptest.Sigma}), delta, zero)
	k := spectrum.Gaussian{Sigma: maptest.Sigma}.K0(delta)
	maptest.Near(t, "mean", mean, k, 5*math.Sqrt(0.0415/n))
	// The variances are those of 40,000 draws with another program, three digits;
	// squares of a mean in [-1, 1] have a standard deviation below 0.06.
	maptest.Near(t, "variance", v, 0.0415, 0.002)
	_, v = maptest.OneDraw(t, n, build(spectrum.Gaussian{Sigma: maptest.Sigma}), delta, zero)
	maptest.Near(t, "variance of independent frequencies", v, 0.0990, 0.004)

	w := maptest.Must(NewFourier(spectrum.Orthogonal{Sigma: 1}, 5, 12, random.New(1))).Frequencies()
	for i := range 12 {
		for j := range i {
			if i/5 == j/5 {
				maptest.Near(t, "inner product within a group", vec.Dot(w[5*i:5*i+5], w[5*j:5*j+5]), 0, 1e-13)
			}
		}
	}
}
