package orff

import (
	"math"
	"testing"
)

// C1.5: Skewed χ² (section 4.2.2.2): k = Π sech(½ log((x_k + c)/(z_k + c))), features on log(x +
// c), ω with density sech(πω), that is ω = log(tan(πu/2))/π. The substitution printed is wrong.
func TestC1_5_SkewedChiSquared(t *testing.T) {
	c := []float64{1, 1, 1}
	f := must(NewSkewedChiSquared(c, 10, NewRand(1)))
	near(t, "k(x, z)", Kernel(f, refX, refZ), 0.7301563421578532, 1e-14)
	near(t, "k(x, x)", Kernel(f, refX, refX), 1, 1e-15)
	near(t, "0.9 quantile of omega", sechSpectrum{}.quantile(0.9), 0.5865591876131638, 1e-14)
	// Scaling x + c and z + c together changes nothing.
	x, z := make([]float64, 3), make([]float64, 3)
	for k := range x {
		x[k], z[k] = 3*(refX[k]+1)-1, 3*(refZ[k]+1)-1
	}
	near(t, "k after scaling", Kernel(f, x, z), 0.7301563421578532, 1e-14)
	near(t, "k~ after scaling", scalarKernel(f, x, z), scalarKernel(f, refX, refZ), 1e-13)
	// The printed form with square roots.
	want := 1.0
	for k := range refX {
		want *= 2 * math.Sqrt((refX[k]+1)*(refZ[k]+1)) / (refX[k] + refZ[k] + 2)
	}
	near(t, "product of square roots", Kernel(f, refX, refZ), want, 1e-14)
	var s2 float64
	w := make([]float64, 100000)
	r := NewRand(2)
	sechSpectrum{}.SampleTo(w, 1, &r)
	for _, v := range w {
		s2 += v * v
	}
	// E omega^4 = 5/16, so omega^2 has the variance 1/4.
	near(t, "variance of omega", s2/float64(len(w)), 0.25, 5*math.Sqrt(0.25/float64(len(w))))

	for _, x := range [][]float64{{-1, 0, 0}, {0, -2, 0}, {0, 0, math.NaN()}} {
		if CheckInput(f, x) == nil {
			t.Errorf("%v was accepted", x)
		}
		for _, v := range scalarFeatures(f, x) {
			if !math.IsNaN(v) {
				t.Errorf("outside the domain a feature is %g, want NaN", v)
				break
			}
		}
	}
	if err := CheckInput(f, refX); err != nil {
		t.Error(err)
	}
}

// C1.6: Angular kernel 1 − 2 angle(x, z)/π = (2/π) arcsin(cos angle), features sgn(ω·x)/√D,
// one-draw variance 1 − k². It is not the arc-cosine kernel of order 0, which is 1 − angle/π.
func TestC1_6_Angular(t *testing.T) {
	f := must(NewAngular(3, 500, BlockRand(3, 1)))
	cos := dot(refX, refZ) / math.Sqrt(squaredNorm(refX)*squaredNorm(refZ))
	near(t, "cos of the angle", cos, 0.23398419466270653, 1e-14)
	near(t, "k", Kernel(f, refX, refZ), 0.15035280110681215, 1e-14)
	near(t, "arc-sine form", Kernel(f, refX, refZ), 2/math.Pi*math.Asin(cos), 1e-14)
	near(t, "variance of one draw", 500*varianceOf(f, refX, refZ), 0.9773940351993354, 1e-13)
	near(t, "k~(x, x)", scalarKernel(f, refX, refX), 1, 1e-13) // 500 times (1/sqrt(500))^2
	near(t, "k~(x, -x)", scalarKernel(f, refX, scaled(refX, -1)), -1, 1e-13)
	// A cosine that rounds above 1 must not become NaN.
	near(t, "k(x, 3x)", Kernel(f, refX, scaled(refX, 3)), 1, 1e-7)
	if CheckInput(f, make([]float64, 3)) == nil {
		t.Error("x = 0 was accepted")
	}
	if phi := scalarFeatures(f, make([]float64, 3)); !math.IsNaN(phi[0]) {
		t.Errorf("a feature at x = 0 is %g, want NaN", phi[0])
	}
}

// C1.11: Semigroup kernels E exp(−ω·(x + z)) (section 2.1.2.4): Π exp(−β√(x_k + z_k)) with ω =
// (β²/2)/g², g standard normal; Π λ/(x_k + z_k + λ) with ω exponential of rate λ.
func TestC1_11_Semigroups(t *testing.T) {
	f := must(NewSemigroup(ExponentialSemigroup, 0.6, 3, 100000, BlockRand(1, 1)))
	near(t, "exponential semigroup", Kernel(f, positiveX, positiveZ), 0.16263086650182187, 1e-14)
	near(t, "its features", scalarKernel(f, positiveX, positiveZ), 0.16263086650182187, 5*math.Sqrt(varianceOf(f, positiveX, positiveZ)))
	f = must(NewSemigroup(ReciprocalSemigroup, 1.5, 3, 100000, BlockRand(1, 1)))
	near(t, "reciprocal semigroup", Kernel(f, positiveX, positiveZ), 0.20926339285714288, 1e-14)
	near(t, "its features", scalarKernel(f, positiveX, positiveZ), 0.20926339285714288, 5*math.Sqrt(varianceOf(f, positiveX, positiveZ)))
	if CheckInput(f, []float64{1, -1e-9, 0}) == nil {
		t.Error("a negative input was accepted")
	}
}

func TestMatern(t *testing.T) {
	// The closed forms of Rasmussen and Williams (2006), equation 4.17.
	r := math.Sqrt(1.82) / 1.3
	near(t, "1/2", Matern{0, 1.3}.K0(refDelta), math.Exp(-r), 1e-14)
	s := math.Sqrt(3) * r
	near(t, "3/2", Matern{1, 1.3}.K0(refDelta), (1+s)*math.Exp(-s), 1e-14)
	s = math.Sqrt(5) * r
	near(t, "5/2", Matern{2, 1.3}.K0(refDelta), (1+s+s*s/3)*math.Exp(-s), 1e-14)
	s = math.Sqrt(7) * r
	near(t, "7/2", Matern{3, 1.3}.K0(refDelta), (1+s+2*s*s/5+s*s*s/15)*math.Exp(-s), 1e-14)
	// With growing smoothness the family tends to the Gaussian kernel, at the
	// rate 1/nu.
	near(t, "41/2", Matern{20, 1.3}.K0(refDelta), Gaussian{1.3}.K0(refDelta), 0.02)
	// The first coordinate of the frequencies has the variance nu/(nu-1)/l^2.
	k := Matern{5, 0.5}
	w := make([]float64, 3*50000)
	g := NewRand(4)
	k.SampleTo(w, 3, &g)
	var s2 float64
	for i := 0; i < len(w); i += 3 {
		s2 += w[i] * w[i]
	}
	// nu = 5.5: kurtosis 3 + 6/(11-4), so omega^2 has the variance 2.86 times its
	// squared mean.
	near(t, "variance", s2/50000/k.Variance(), 1, 5*math.Sqrt(2.86/50000))
}

// Slopes against central differences of K0.
func TestSlopesOfKernels(t *testing.T) {
	for _, s := range []sloped{Gaussian{0.9}, Sinc{2}, sechSpectrum{}, Matern{1, 1.3}, Matern{3, 0.7}} {
		for _, delta := range [][]float64{refDelta, {0.3, 0, 1e-3}, {1e-6, 2, -0.01}} {
			g := make([]float64, 3)
			s.slopeTo(g, delta)
			for k := range g {
				const h = 1e-5
				a, b := append([]float64(nil), delta...), append([]float64(nil), delta...)
				a[k] += h
				b[k] -= h
				// h^2 f'''/6 is 1e-10; the third derivative of Matern 3/2 is
				// unbounded at the origin only.
				near(t, "slope", g[k], (s.K0(a)-s.K0(b))/(2*h), 1e-8)
			}
		}
	}
}

func TestOrthogonalFrequencies(t *testing.T) {
	delta := []float64{0.5, -1.1, 0.6, 0}
	zero := make([]float64, 4)
	const n = 20000
	build := func(s Spectrum) func(Rand) (Scalar, error) {
		return func(r Rand) (Scalar, error) { return NewFourier(s, 4, 4, r) }
	}
	mean, v := oneDraw(t, n, build(Orthogonal{refSigma}), delta, zero)
	k := Gaussian{refSigma}.K0(delta)
	near(t, "mean", mean, k, 5*math.Sqrt(0.0415/n))
	// The variances are those of 40,000 draws with another program, three digits;
	// squares of a mean in [-1, 1] have a standard deviation below 0.06.
	near(t, "variance", v, 0.0415, 0.002)
	_, v = oneDraw(t, n, build(Gaussian{refSigma}), delta, zero)
	near(t, "variance of independent frequencies", v, 0.0990, 0.004)

	w := must(NewFourier(Orthogonal{1}, 5, 12, NewRand(1))).Frequencies()
	for i := range 12 {
		for j := range i {
			if i/5 == j/5 {
				near(t, "inner product within a group", dot(w[5*i:5*i+5], w[5*j:5*j+5]), 0, 1e-13)
			}
		}
	}
}
