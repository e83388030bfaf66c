package maclaurin

import (
	"math"
	"testing"

	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/internal/bound"
	"github.com/orffvar/forecaster/orff/internal/maptest"
	"github.com/orffvar/forecaster/orff/internal/optional"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
)

// C1.7: Dot-product kernels f(x·z) = Σ a_n (x·z)^n, a_n ≥ 0 (Kar and Karnick 2012, Algorithm 1):
// Z(x) = √(a_N/P_N) Π_{j≤N} w_j·x with N drawn from P. Second moment Σ (a_n²/P_n) M^n, M =
// ‖x‖²‖z‖² + 2(x·z)² − 2 Σ x_i² z_i² for signs w, without the last term for Gaussian w.
func TestC1_7_DotProductKernels(t *testing.T) {
	cubic := Polynomial(1, 3)
	maptest.NearAll(t, "(1 + t)^3", cubic, []float64{1, 3, 3, 1}, 0)
	maptest.Near(t, "cubic at <x,z>", cubic.At(vec.Dot(maptest.X, maptest.Z)), 1.771561, 1e-14)
	maptest.Near(t, "exp at <x,z>", Exponential{}.At(vec.Dot(maptest.X, maptest.Z)), 1.2336780599567434, 1e-14)
	maptest.Near(t, "M, Rademacher", Rademacher.secondMoment(maptest.X, maptest.Z), 0.1247, 1e-14)
	maptest.Near(t, "M, normal", Normal.secondMoment(maptest.X, maptest.Z), 0.8937, 1e-14)
	m := Rademacher.secondMoment(maptest.X, maptest.Z)
	maptest.Near(t, "second moment, cubic", secondMoment(cubic, Geometric{P: 2}, m), 7.639832019568002, 1e-13)
	maptest.Near(t, "second moment, exp", secondMoment(Exponential{}, Geometric{P: 2}, m), 2.530775569118312, 1e-13)
	for _, c := range []struct {
		name     string
		s        Series
		variance float64
	}{{"cubic", cubic, 4.501403642847002}, {"exp", Exponential{}, 1.0088140134996768}} {
		f := maptest.Must(New(c.s, Geometric{P: 2}, Rademacher, 3, 1, random.New(1)))
		maptest.Near(t, "variance, "+c.name, optional.Variance(f, maptest.X, maptest.Z), c.variance, 1e-13)
		const n = 100000
		mean, v := maptest.OneDraw(t, n, func(r random.Rand) (orff.Scalar, error) {
			return New(c.s, Geometric{P: 2}, Rademacher, 3, 1, r)
		}, maptest.X, maptest.Z)
		maptest.Near(t, "mean, "+c.name, mean, c.s.At(vec.Dot(maptest.X, maptest.Z)), 5*math.Sqrt(c.variance/n))
		// The squares are heavy-tailed: sum a_n^4/P_n^3 E(...)^4 has no short form. The tolerance is twice the 5 sigma
		// range over other seeds.
		maptest.Near(t, "measured variance, "+c.name, v/c.variance, 1, 0.2)
	}
}

// C1.8: The law P_n = (p − 1)/p^{n+1} sums to 1; printed without p − 1 it sums to 1/(p − 1), and
// its weight √(a_N p^{N+1}) estimates (p − 1) K.
func TestC1_8_NormalisedLawOfTheDegree(t *testing.T) {
	const D = 400000
	k := Exponential{}.At(vec.Dot(maptest.X, maptest.Z))
	f := maptest.Must(New(Exponential{}, Geometric{P: 3}, Rademacher, 3, D, random.Block(1, 1)))
	tol := 5 * math.Sqrt(optional.Variance(f, maptest.X, maptest.Z))
	maptest.Near(t, "k~ with P = 3", maptest.ScalarKernel(f, maptest.X, maptest.Z), k, tol)
	// With the weight sqrt(a_N P^(N+1)) of the paper, the features estimate (P-1) K.
	for j, n := range f.(*maclaurinScalar).degree {
		f.(*maclaurinScalar).setLog(j, math.Log(Exponential{}.Coefficient(n)*math.Pow(3, float64(n+1)))/2)
	}
	maptest.Near(t, "k~ with the weight of the paper", maptest.ScalarKernel(f, maptest.X, maptest.Z), 2*k, 2*tol)
	for _, p := range []float64{1.5, 2, 3} {
		var sum float64
		for n := range 400 {
			sum += Geometric{P: p}.Probability(n)
		}
		maptest.Near(t, "sum of the law", sum, 1, 1e-12)
	}
	// The drawn degrees have the law of the weights.
	r := random.New(3)
	var count [4]int
	for range 100000 {
		if n := (Geometric{P: 3}).Degree(&r); n < 4 {
			count[n]++
		}
	}
	for n, c := range count {
		maptest.Near(t, "share of a degree", float64(c)/100000, Geometric{P: 3}.Probability(n), 5*math.Sqrt(0.25/100000))
	}
}

// C1.9: For a given draw the feature and its gradient are c Π w_j·x and c Σ_j (Π_{i≠j} w_i·x) w_j.
func TestC1_9_FixedDraw(t *testing.T) {
	f := maptest.Must(New(Exponential{}, Geometric{P: 2}, Rademacher, 3, 1, random.New(1))).(*maclaurinScalar)
	f.degree[0] = 2
	f.setCoefficients(f.series, f.law)
	f.resize()
	f.w = []float64{1, -1, 1, 1, 1, -1}
	phi := maptest.ScalarFeatures(f, maptest.X)
	maptest.Near(t, "Z", phi[0], -6.3, 1e-14)
	g := make([]float64, 3)
	maptest.ScalarFeatures(f, []float64{1, 2, 3}) // the gradient does not depend on the features before it
	f.GradientTo(g, maptest.X, phi, []float64{1})
	maptest.NearAll(t, "grad Z", g, []float64{1.2, 7.2, -7.2}, 1e-14)
}

// C1.10: Compositional kernels f(k(x, z)) (Kar and Karnick 2012): the same with an unbiased
// feature of k in place of w·x; M = 1 + k0(2δ)/2 for the phase form.
func TestC1_10_Compositional(t *testing.T) {
	g := spectrum.Gaussian{Sigma: maptest.Sigma}
	f := maptest.Must(NewCompositional(Exponential{}, Geometric{P: 2}, g, 3, 1, random.New(1)))
	k := 1.3842436107455995
	maptest.Near(t, "exp(k)", orff.Kernel(f, maptest.X, maptest.Z), k, 1e-14)
	m := 1 + g.K0(maptest.Scaled(maptest.Delta, 2))/2
	maptest.Near(t, "M", m, 1.0055888913377107, 1e-14)
	maptest.Near(t, "second moment", secondMoment(Exponential{}, Geometric{P: 2}, m), 8.558355773767936, 1e-13)
	maptest.Near(t, "variance", optional.Variance(f, maptest.X, maptest.Z), 8.558355773767936-k*k, 1e-13)
}

// In one dimension with w = 1 or -1, a Kakade feature of a + b t has the product (A + B w x) (A + B w z), where A^2 = a and
// B^2 = b: its variance is a b (x + z)^2.
func TestVarianceOfKakade(t *testing.T) {
	f := maptest.Must(NewKakade(Coefficients{2, 3}, Rademacher, 1, 1, random.New(1)))
	maptest.Near(t, "variance", optional.Variance(f, []float64{0.5}, []float64{2}), 6*2.5*2.5, 1e-13)
}

// Products of a degree above 60 are computed by logarithms. They agree with plain products where both are possible.
func TestProductsOfHighDegree(t *testing.T) {
	factors := maptest.Scaled(maptest.Normals(3, 70), 1.7)
	plain := math.Exp(-3.0)
	for _, v := range factors {
		plain *= v
	}
	p := newProducts(1)
	p.degree[0] = 70
	p.setLog(0, -3)
	maptest.Near(t, "product of 70 factors", p.product(0, factors)/plain, 1, 1e-12)
	p.resize()
	copy(p.factors, factors)
	p.pullFrom([]float64{2}, 0.5)
	for i, v := range factors {
		maptest.Near(t, "derivative", p.pull[i]*v/plain, 1, 1e-12)
	}
	// Here a plain product overflows.
	q := newProducts(1)
	q.degree[0] = 400
	q.setLog(0, -400*math.Ln10)
	q.resize()
	for i := range q.factors {
		q.factors[i] = 10
	}
	maptest.Near(t, "10^400 e^(-400 ln 10)", q.product(0, q.factors), 1, 1e-11)
	q.pullFrom([]float64{2}, 0.5)
	maptest.Near(t, "10^399 e^(-400 ln 10)", q.pull[0], 0.1, 1e-12)
	p.factors[0] = 0
	p.pullFrom([]float64{2}, 0.5)
	maptest.Near(t, "derivative by a zero factor", p.pull[0]*factors[0]/plain, 1, 1e-12)
	maptest.Near(t, "derivative beside a zero factor", p.pull[1], 0, 0)
}

func TestTruncateAndRestrict(t *testing.T) {
	c := maptest.Must(Truncate(Exponential{}, 1.5, 1e-3))
	tail := math.Exp(2.25) - c.At(2.25)
	if !(tail <= 1e-3) || !(math.Exp(2.25)-c[:len(c)-1].At(2.25) > 1e-3) {
		t.Errorf("the tail after degree %d is %g", len(c)-1, tail)
	}
	law := maptest.Must(Restricted(c, 1.5))
	var sum, bound float64
	for n := range c {
		sum += law.Probability(n)
		bound = max(bound, c[n]*math.Pow(2.25, float64(n))/law.Probability(n))
	}
	maptest.Near(t, "sum of the law", sum, 1, 1e-14)
	// |Z(x) Z(z)| <= a_N/P_N R^(2N) = f(R^2) for Rademacher vectors.
	maptest.Near(t, "uniform bound", bound, c.At(2.25), 1e-13)
	if law.Probability(len(c)) != 0 {
		t.Error("a degree beyond the truncation has a probability")
	}
	// sum a_n^2/P_n M^n is least for P_n ~ a_n M^(n/2), that is R^2 = sqrt(M).
	best := maptest.Must(Restricted(c, math.Pow(Rademacher.secondMoment(maptest.X, maptest.Z), 0.25)))
	if v := optional.Variance(maptest.Must(New(c, best, Rademacher, 3, 1, random.New(1))), maptest.X, maptest.Z); !(v < 1.0088) {
		t.Errorf("variance %g with degrees drawn by their size, 1.0088 with the geometric law", v)
	}
	// A polynomial without a linear term: no draw of degree 1.
	even := Coefficients{0, 0, 1, 0, 2}
	law = maptest.Must(Restricted(even, 1))
	r := random.New(2)
	for range 1000 {
		if n := law.Degree(&r); even[n] == 0 {
			t.Fatalf("degree %d was drawn", n)
		}
	}
}

func TestImpossibleSeries(t *testing.T) {
	if _, err := Truncate(Coefficients{1, -1}, 1, 0.1); err == nil {
		t.Error("a negative coefficient was accepted")
	}
	if _, err := New(Exponential{}, maptest.Must(Restricted(Coefficients{1, 1}, 1)), Rademacher, 2, 3, random.New(1)); err == nil {
		t.Error("a law that misses degrees was accepted")
	}
	if _, err := New(Exponential{}, Geometric{P: 1.04}, Rademacher, 2, 3, random.New(1)); err == nil {
		t.Error("P = 1.04 was accepted")
	}
	if _, err := New(Coefficients{0}, Geometric{P: 2}, Rademacher, 2, 3, random.New(1)); err == nil {
		t.Error("the zero series was accepted")
	}
	if _, err := New(Exponential{}, Geometric{P: 2}, Projections(7), 2, 3, random.New(1)); err == nil {
		t.Error("an unknown law of projections was accepted")
	}
	if _, err := NewCompositional(Coefficients{0}, Geometric{P: 2}, spectrum.Gaussian{Sigma: 1}, 2, 3, random.New(1)); err == nil {
		t.Error("a zero series of a kernel was accepted")
	}
}

// Normal vectors have no bound, and other laws than the geometric one no uniform bound.
func TestEstimates(t *testing.T) {
	line := Coefficients{1, 1}
	estimate := func(law DegreeLaw, p Projections) (bound.Estimate, error) {
		return maptest.Must(New(line, law, p, 2, 3, random.New(1))).(*maclaurinScalar).Estimate()
	}
	if _, err := estimate(Geometric{P: 2}, Normal); err == nil {
		t.Error("normal vectors have a bound")
	}
	ball := bound.Set{Radius: 1, Diameter: 2}
	for k, law := range []DegreeLaw{Geometric{P: 2}, maptest.Must(Restricted(line, 1))} {
		e, err := estimate(law, Rademacher)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := e.Uniform(.1, ball); (err == nil) != (k == 0) {
			t.Errorf("%T: %v", law, err)
		}
	}
}
