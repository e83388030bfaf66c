package orff_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/algebra"
	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/orff/internal/maptest"
	"github.com/orffvar/forecaster/orff/internal/numeric"
	"github.com/orffvar/forecaster/orff/internal/optional"
	"github.com/orffvar/forecaster/orff/maclaurin"
	"github.com/orffvar/forecaster/orff/nystroem"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/semigroup"
	"github.com/orffvar/forecaster/orff/spectrum"
	"github.com/orffvar/forecaster/orff/vectorfield"
)

// contract describes a map for the test suite of all maps.
type contract struct {
	name    string
	x, z    []float64
	draws   int // number of draws D per map of the Monte-Carlo check; it averages repeats maps
	repeats int // 0: 1; products have many parameters per draw
	build   func(D int, r random.Rand) (orff.Map, error)

	// squaredError is the expected ||K~ - K||_F^2 if VarianceTo has no closed form. "biased" and "landmarks" have their
	// own tests.
	squaredError func(D int) float64
	noMonteCarlo string
	rough        bool // the map has no Jacobian
	noRedraw     bool
	moving       bool // the kernel is not invariant under shifts
}

// withGamma returns a decomposable map of a scalar map.
func withGamma[S orff.Scalar](s S, err error) (orff.Map, error) {
	if err != nil {
		return nil, err
	}
	return orff.NewDecomposable(s, maptest.Must(coupling.New(2, maptest.Gamma))), nil
}

// fourierContract is the contract of a decomposable Fourier map of one kernel.
func fourierContract(name string, s spectrum.Spectrum) contract {
	return contract{name: name, x: maptest.X, z: maptest.Z, draws: 4000, build: func(D int, r random.Rand) (orff.Map, error) {
		return withGamma(orff.NewFourier(s, 3, D, r))
	}}
}

// drawVariance returns the variance of one frequency of the Fourier map at a lag.
func drawVariance(s spectrum.Spectrum, delta []float64) float64 {
	f := maptest.Must(orff.NewFourier(s, len(delta), 1, random.New(1)))
	return optional.Variance(f, delta, make([]float64, len(delta)))
}

func gaussianField(d, D int, form vectorfield.Form, r random.Rand) (*vectorfield.CurlFree, *vectorfield.DivergenceFree) {
	return maptest.Must(vectorfield.NewCurlFree(maptest.Sigma, d, D, form, r)), maptest.Must(vectorfield.NewDivergenceFree(maptest.Sigma, d, D, form, false, random.Block(r.Uint64(), 1)))
}

func contracts() []contract {
	g := spectrum.Gaussian{Sigma: maptest.Sigma}
	frobenius := numeric.SquaredNorm(maptest.Gamma)
	entry := func(s spectrum.Spectrum, x, z []float64) float64 { // variance of one draw of k~
		delta := make([]float64, len(x))
		numeric.LagTo(delta, x, z)
		return drawVariance(s, delta)
	}
	// Orthogonal frequencies, Fastfood and shifted sequences have at most the variance of independent draws: a safe
	// bound.
	atMost := func(s spectrum.Spectrum, x, z []float64) func(D int) float64 {
		return func(D int) float64 { return frobenius * entry(s, x, z) / float64(D) }
	}
	rough := func(c contract) contract { c.rough = true; return c }
	dependent := func(c contract, s spectrum.Spectrum) contract {
		c.squaredError = atMost(s, c.x, c.z)
		return c
	}
	cubic := maclaurin.Polynomial(1, 3)
	cs := []contract{
		fourierContract("Gaussian", g),
		rough(fourierContract("Laplacian", spectrum.Laplacian{Gamma: 0.7})),
		fourierContract("sinc", spectrum.Sinc{A: 2}),
		rough(fourierContract("Matern 1/2", spectrum.Matern{Half: 0, Ell: 1.3})),
		fourierContract("Matern 3/2", spectrum.Matern{Half: 1, Ell: 1.3}),
		fourierContract("Matern 5/2", spectrum.Matern{Half: 2, Ell: 1.3}),
		dependent(fourierContract("orthogonal", spectrum.Orthogonal{Sigma: maptest.Sigma}), g),
		dependent(fourierContract("Halton", spectrum.QuasiMonteCarlo{Spectrum: g, Sequence: spectrum.Halton}), g),
		dependent(fourierContract("Sobol", spectrum.QuasiMonteCarlo{Spectrum: g, Sequence: spectrum.Sobol}), g),
		rough(dependent(fourierContract("Sobol Laplacian", spectrum.QuasiMonteCarlo{Spectrum: spectrum.Laplacian{Gamma: 0.7}, Sequence: spectrum.Sobol}), spectrum.Laplacian{Gamma: 0.7})),
		{name: "SORF", x: maptest.WideX, z: maptest.WideZ, noMonteCarlo: "biased", build: func(D int, r random.Rand) (orff.Map, error) {
			return withGamma(orff.NewSORF(4, 32, D, r))
		}},
		dependent(contract{name: "Fastfood", x: maptest.X, z: maptest.Z, draws: 4000, build: func(D int, r random.Rand) (orff.Map, error) {
			return withGamma(orff.NewFastfood(maptest.Sigma, 3, D, r))
		}}, g),
		{name: "phase", x: maptest.X, z: maptest.Z, draws: 4000, moving: true, build: func(D int, r random.Rand) (orff.Map, error) {
			return withGamma(orff.NewPhase(g, 3, D, r))
		}},
		{name: "skewed chi-squared", x: maptest.X, z: maptest.Z, draws: 4000, moving: true, build: func(D int, r random.Rand) (orff.Map, error) {
			return withGamma(orff.NewSkewedChiSquared([]float64{1, 1, 1}, D, r))
		}},
		{name: "angular", x: maptest.X, z: maptest.Z, draws: 4000, rough: true, moving: true, build: func(D int, r random.Rand) (orff.Map, error) {
			return withGamma(orff.NewAngular(3, D, r))
		}},
		{name: "Maclaurin cubic", x: maptest.X, z: maptest.Z, draws: 4000, moving: true, build: func(D int, r random.Rand) (orff.Map, error) {
			return withGamma(maclaurin.New(cubic, maclaurin.Geometric{P: 2}, maclaurin.Rademacher, 3, D, r))
		}},
		{name: "Maclaurin exponential, normal", x: maptest.X, z: maptest.Z, draws: 4000, moving: true, build: func(D int, r random.Rand) (orff.Map, error) {
			return withGamma(maclaurin.New(maclaurin.Exponential{}, maclaurin.Geometric{P: 2}, maclaurin.Normal, 3, D, r))
		}},
		{name: "Maclaurin restricted", x: maptest.X, z: maptest.Z, draws: 4000, moving: true, build: func(D int, r random.Rand) (orff.Map, error) {
			return withGamma(maclaurin.New(cubic, maptest.Must(maclaurin.Restricted(cubic, 1)), maclaurin.Rademacher, 3, D, r))
		}},
		{name: "Kakade", x: maptest.X, z: maptest.Z, draws: 4000, moving: true, build: func(D int, r random.Rand) (orff.Map, error) {
			return withGamma(maclaurin.NewKakade(cubic, maclaurin.Rademacher, 3, D, r))
		}},
		{name: "compositional", x: maptest.X, z: maptest.Z, draws: 4000, moving: true, build: func(D int, r random.Rand) (orff.Map, error) {
			return withGamma(maclaurin.NewCompositional(maclaurin.Exponential{}, maclaurin.Geometric{P: 2}, g, 3, D, r))
		}},
		{name: "exponential semigroup", x: maptest.PositiveX, z: maptest.PositiveZ, draws: 4000, moving: true, build: func(D int, r random.Rand) (orff.Map, error) {
			return withGamma(semigroup.New(semigroup.Exponential, 0.6, 3, D, r))
		}},
		{name: "reciprocal semigroup", x: maptest.PositiveX, z: maptest.PositiveZ, draws: 4000, moving: true, build: func(D int, r random.Rand) (orff.Map, error) {
			return withGamma(semigroup.New(semigroup.Reciprocal, 1.5, 3, D, r))
		}},
		{name: "Nystroem", x: maptest.X, z: maptest.Z, noMonteCarlo: "landmarks", noRedraw: true, moving: true, build: func(D int, r random.Rand) (orff.Map, error) {
			landmarks := make([]float64, 3*min(D, 20))
			r.NormalsTo(landmarks)
			return withGamma(nystroem.New(g, 3, landmarks))
		}},
		{name: "linear", x: maptest.X, z: maptest.Z, draws: 1, moving: true, build: func(int, random.Rand) (orff.Map, error) {
			return withGamma(orff.NewLinear(3, 0.5))
		}},
		{name: "scalar sum", x: maptest.X, z: maptest.Z, draws: 4000, moving: true, build: func(D int, r random.Rand) (orff.Map, error) {
			return withGamma(algebra.NewScalarSum([]float64{0.3, 0.7}, maptest.Must(orff.NewFourier(g, 3, D, r)), maptest.Must(orff.NewLinear(3, 1))))
		}},
		{name: "scalar product", x: maptest.X, z: maptest.Z, draws: 200, repeats: 10, build: func(D int, r random.Rand) (orff.Map, error) {
			return withGamma(algebra.NewScalarProduct(maptest.Must(orff.NewFourier(g, 3, D, r)), maptest.Must(orff.NewFourier(spectrum.Sinc{A: 1}, 3, D, random.Block(r.Uint64(), 1)))))
		}},
		{name: "identity Gamma", x: maptest.X, z: maptest.Z, draws: 4000, build: func(D int, r random.Rand) (orff.Map, error) {
			return orff.NewDecomposable(maptest.Must(orff.NewFourier(g, 3, D, r)), coupling.Identity(4)), nil
		}},
		{name: "simplex Gamma", x: maptest.X, z: maptest.Z, draws: 4000, build: func(D int, r random.Rand) (orff.Map, error) {
			return orff.NewDecomposable(maptest.Must(orff.NewFourier(g, 3, D, r)), maptest.Must(coupling.NewSimplex(4))), nil
		}},
		{name: "Helmholtz", x: maptest.X, z: maptest.Z, draws: 4000, build: func(D int, r random.Rand) (orff.Map, error) {
			curl, div := gaussianField(3, D, vectorfield.Bounded, r)
			return maptest.AsMap(vectorfield.NewHelmholtz(0.3, curl, div))
		}},
		{name: "sum", x: maptest.X, z: maptest.Z, draws: 4000, build: func(D int, r random.Rand) (orff.Map, error) {
			curl, div := gaussianField(3, D, vectorfield.Unbounded, r)
			return maptest.AsMap(algebra.NewSum([]float64{0.5, 2, 1}, curl, div, orff.NewDecomposable(maptest.Must(orff.NewFourier(g, 3, D, r)), coupling.Identity(3))))
		}},
		{name: "transformable", x: maptest.X, z: maptest.Z, draws: 4000, moving: true, build: func(D int, r random.Rand) (orff.Map, error) {
			return maptest.AsMap(algebra.NewTransformable(maptest.Must(orff.NewFourier(g, 1, D, r)), algebra.Coordinates(3)))
		}, squaredError: func(D int) float64 {
			var v float64
			for _, a := range maptest.X {
				for _, b := range maptest.Z {
					v += drawVariance(g, []float64{a - b})
				}
			}
			return v / float64(D)
		}},
		{name: "integral", x: append(append([]float64{}, maptest.X...), 0.4), z: append(append([]float64{}, maptest.Z...), -0.3), draws: 300, repeats: 10, build: func(D int, r random.Rand) (orff.Map, error) {
			return newIntegral(maptest.Must(orff.NewFourier(g, 3, D, r)), maptest.Must(orff.NewFourier(spectrum.Gaussian{Sigma: 0.5}, 1, D, random.Block(r.Uint64(), 1)))), nil
		}},
		{name: "product", x: maptest.X, z: maptest.Z, draws: 200, repeats: 20, build: func(D int, r random.Rand) (orff.Map, error) {
			curl, _ := gaussianField(3, D, vectorfield.Bounded, random.Block(r.Uint64(), 1))
			return maptest.AsMap(algebra.NewProduct(maptest.Must(orff.NewFourier(spectrum.Sinc{A: 1}, 3, D, r)), curl))
		}},
		{name: "Schur", x: maptest.X, z: maptest.Z, draws: 100, repeats: 30, moving: true, build: func(D int, r random.Rand) (orff.Map, error) {
			tr := maptest.Must(algebra.NewTransformable(maptest.Must(orff.NewFourier(g, 1, D, r)), algebra.Coordinates(3)))
			gamma := maptest.Must(coupling.New(3, maptest.Must(coupling.GraphGamma(3, maptest.Path3, 0.1))))
			return maptest.AsMap(algebra.NewSchur(orff.NewDecomposable(maptest.Must(orff.NewFourier(g, 3, D, random.Block(r.Uint64(), 1))), gamma), tr))
		}, squaredError: func(D int) float64 {
			gamma := maptest.Must(coupling.GraphGamma(3, maptest.Path3, 0.1))
			k, v := g.K0(maptest.Delta), drawVariance(g, maptest.Delta)/float64(D)
			var sum float64
			for i, a := range maptest.X {
				for j, b := range maptest.Z {
					lag := []float64{a - b}
					sum += numeric.Square(gamma[3*i+j]) * numeric.ProductVariance(k, v, g.K0(lag), drawVariance(g, lag)/float64(D))
				}
			}
			return sum
		}},
		{name: "tensor", x: maptest.X, z: maptest.Z, draws: 100, repeats: 60, build: func(D int, r random.Rand) (orff.Map, error) {
			_, div := gaussianField(3, D, vectorfield.Bounded, random.Block(r.Uint64(), 1))
			return maptest.AsMap(algebra.NewTensor(orff.NewDecomposable(maptest.Must(orff.NewFourier(g, 3, D, r)), maptest.Must(coupling.New(2, maptest.Gamma))), div))
		}},
		{name: "congruence", x: maptest.X, z: maptest.Z, draws: 4000, build: func(D int, r random.Rand) (orff.Map, error) {
			return maptest.AsMap(algebra.NewCongruence(maptest.Must(algebra.NewSum([]float64{1}, orff.NewDecomposable(maptest.Must(orff.NewFourier(g, 3, D, r)), coupling.Identity(3)))), 2, []float64{1, 2, 0, -1, 0.5, 3}))
		}, squaredError: func(D int) float64 {
			// V V^T = [[5, 0], [0, 10.25]].
			return (25 + 10.25*10.25) * entry(g, maptest.X, maptest.Z) / float64(D)
		}},
		{name: "blocks", x: maptest.X, z: maptest.Z, draws: 500, build: func(D int, r random.Rand) (orff.Map, error) {
			return maptest.AsMap(orff.NewBlocks(8, r.Uint64(), true, func(r random.Rand) (orff.Map, error) {
				return maptest.AsMap(vectorfield.NewCurlFree(maptest.Sigma, 3, D, vectorfield.Bounded, r))
			}))
		}},
		{name: "blocks drawn again", x: maptest.X, z: maptest.Z, draws: 500, build: func(D int, r random.Rand) (orff.Map, error) {
			return maptest.AsMap(orff.NewBlocks(8, r.Uint64(), false, func(r random.Rand) (orff.Map, error) {
				return maptest.AsMap(vectorfield.NewCurlFree(maptest.Sigma, 3, D, vectorfield.Bounded, r))
			}))
		}},
	}
	for _, form := range []vectorfield.Form{vectorfield.Bounded, vectorfield.Unbounded} {
		name := map[vectorfield.Form]string{vectorfield.Bounded: "bounded", vectorfield.Unbounded: "unbounded"}[form]
		cs = append(cs,
			contract{name: "curl-free " + name, x: maptest.X, z: maptest.Z, draws: 4000, build: func(D int, r random.Rand) (orff.Map, error) {
				return maptest.AsMap(vectorfield.NewCurlFree(maptest.Sigma, 3, D, form, r))
			}},
			contract{name: "divergence-free " + name, x: maptest.X, z: maptest.Z, draws: 4000, build: func(D int, r random.Rand) (orff.Map, error) {
				return maptest.AsMap(vectorfield.NewDivergenceFree(maptest.Sigma, 3, D, form, false, r))
			}},
			contract{name: "divergence-free reduced " + name, x: maptest.X, z: maptest.Z, draws: 4000, build: func(D int, r random.Rand) (orff.Map, error) {
				return maptest.AsMap(vectorfield.NewDivergenceFree(maptest.Sigma, 3, D, form, true, r))
			}})
	}
	return cs
}

func TestContract(t *testing.T) {
	for _, c := range contracts() {
		t.Run(c.name, func(t *testing.T) {
			build := func(D int, seed uint64) orff.Map { return maptest.Must(c.build(D, random.Block(seed, 1))) }
			t.Run("C2_1 adjoint", func(t *testing.T) {
				for seed := range uint64(3) {
					maptest.Adjoint(t, build(10, seed), c.x, 40+seed)
				}
			})
			t.Run("C2_3 Gram", func(t *testing.T) { maptest.BlockGram(t, build(5, 1), len(c.x), !c.moving) })
			t.Run("MonteCarlo", func(t *testing.T) { c.monteCarlo(t, build) })
			t.Run("Jacobian", func(t *testing.T) { c.jacobian(t, build(6, 2)) })
			t.Run("kernel slope", func(t *testing.T) { c.kernelSlope(t, build(6, 2)) })
			t.Run("state", func(t *testing.T) { c.state(t, build) })
			t.Run("redraw", func(t *testing.T) { c.RedrawFrom(t, build) })
			t.Run("allocations", func(t *testing.T) { c.allocations(t, build(10, 3)) })
			t.Run("weight", func(t *testing.T) { c.weight(t, build) })
			t.Run("lengths", func(t *testing.T) { c.lengths(t, build(10, 3)) })
		})
	}
}

// monteCarlo compares K~ with the exact kernel in the Frobenius norm. The mean square of this norm is the trace of the
// variance.
func (c contract) monteCarlo(t *testing.T, build func(int, uint64) orff.Map) {
	if c.noMonteCarlo != "" {
		t.Skip("has a test of its own: " + c.noMonteCarlo)
	}
	m := build(c.draws, 7)
	p := m.Dims().Out
	want, v := make([]float64, p*p), make([]float64, p*p)
	orff.KernelTo(want, m, c.x, c.z)
	got := make([]float64, p*p)
	repeats := max(1, c.repeats)
	for i := range repeats {
		vec.Axpy(1/float64(repeats), maptest.Kernel(build(c.draws, uint64(7+i)), c.x, c.z), got)
	}
	var squared float64
	if c.squaredError != nil {
		squared = c.squaredError(c.draws)
	} else {
		optional.VarianceTo(v, m, c.x, c.z)
		for i := range p {
			squared += v[i*p+i]
		}
	}
	if math.IsNaN(squared) {
		t.Fatal("no variance")
	}
	var diff float64
	for i := range got {
		diff += numeric.Square(got[i] - want[i])
	}
	tol := 5*math.Sqrt(squared/float64(repeats)) + 1e-12
	if !(math.Sqrt(diff) <= tol) {
		t.Errorf("||K~ - K||_F = %g, 5 standard errors are %g\nK~ = %v\nK  = %v", math.Sqrt(diff), tol, got, want)
	}
	// A loose bound would hide errors: the tolerance must be small compared with K.
	if !(tol <= 0.6*math.Sqrt(numeric.SquaredNorm(want))) {
		t.Errorf("5 standard errors, %g, say little about a kernel of size %g: take more draws", tol, math.Sqrt(numeric.SquaredNorm(want)))
	}
}

func (c contract) jacobian(t *testing.T, m orff.Map) {
	j, err := orff.NewJacobian(m)
	if c.rough {
		if err == nil {
			t.Error("no reason why there is no Jacobian")
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	d := m.Dims()
	theta := maptest.Normals(60, d.Params)
	got := make([]float64, d.Out*d.In)
	phi := maptest.Features(m, c.x, d.Features)
	j.To(got, c.x, phi, theta)
	want, size := make([]float64, d.Out*d.In), 0.0
	const h = 1e-5
	a, b := make([]float64, d.Out), make([]float64, d.Out)
	for k := range d.In {
		x := append([]float64(nil), c.x...)
		x[k] = c.x[k] + h
		m.PredictTo(a, maptest.Features(m, x, d.Features), theta)
		x[k] = c.x[k] - h
		m.PredictTo(b, maptest.Features(m, x, d.Features), theta)
		for i := range d.Out {
			want[i*d.In+k] = (a[i] - b[i]) / (2 * h)
			size = max(size, math.Abs(want[i*d.In+k]))
		}
	}
	for i := range got {
		// Truncation h^2 f'''/6 and rounding 1e-16 f/h, both near 1e-10 f, with
		// room for the steep semigroup and polynomial features.
		if !(math.Abs(got[i]-want[i]) <= 1e-7*max(1, size)) {
			t.Fatalf("J[%d] = %.10g, central differences give %.10g", i, got[i], want[i])
		}
	}
}

// kernelSlope checks that the derivative of the exact kernel agrees with central differences, with the accuracy of
// jacobian, and that it does not allocate.
func (c contract) kernelSlope(t *testing.T, m orff.Map) {
	s, err := orff.NewKernelSlope(m)
	if c.rough {
		if err == nil {
			t.Error("no reason why the kernel has no derivative")
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	d := m.Dims()
	r, a := maptest.Normals(63, d.Out), maptest.Normals(64, d.Out)
	g, up, down := make([]float64, d.In), make([]float64, d.Out*d.Out), make([]float64, d.Out*d.Out)
	s.PullbackTo(g, c.x, c.z, r, a)
	const h = 1e-5
	for k := range d.In {
		x := append([]float64(nil), c.x...)
		x[k] = c.x[k] + h
		orff.KernelTo(up, m, x, c.z)
		x[k] = c.x[k] - h
		orff.KernelTo(down, m, x, c.z)
		want := (numeric.Bilinear(up, r, a) - numeric.Bilinear(down, r, a)) / (2 * h)
		if !(math.Abs(g[k]-want) <= 1e-7*max(1, math.Abs(want))) {
			t.Errorf("derivative in x_%d is %.10g, central differences give %.10g", k+1, g[k], want)
		}
	}
	if n := testing.AllocsPerRun(20, func() {
		orff.KernelTo(up, m, c.x, c.z)
		s.PullbackTo(g, c.x, c.z, r, a)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// state checks that a restored map continues bit for bit.
func (c contract) state(t *testing.T, build func(int, uint64) orff.Map) {
	a, b := build(10, 4), build(10, 5)
	enc := snapshot.NewEncoder(nil)
	optional.State(a, enc)
	dec := snapshot.NewDecoder(enc.Bytes())
	optional.State(b, dec)
	if err := dec.Finish(); err != nil {
		t.Fatal(err)
	}
	d := a.Dims()
	theta := maptest.Normals(61, d.Params)
	for _, x := range [][]float64{c.x, c.z} {
		pa, pb := maptest.Features(a, x, d.Features), maptest.Features(b, x, d.Features)
		maptest.NearAll(t, "phi", pb, pa, 0)
		ya, yb := make([]float64, d.Out), make([]float64, d.Out)
		a.PredictTo(ya, pa, theta)
		b.PredictTo(yb, pb, theta)
		maptest.NearAll(t, "h", yb, ya, 0)
	}
	// A truncated state is an error, never a panic.
	for _, n := range []int{0, 3, len(enc.Bytes()) / 2, len(enc.Bytes()) - 1} {
		dec := snapshot.NewDecoder(enc.Bytes()[:n])
		optional.State(build(10, 5), dec)
		if dec.Finish() == nil {
			t.Errorf("a state cut at %d of %d bytes was accepted", n, len(enc.Bytes()))
		}
	}
}

func (c contract) RedrawFrom(t *testing.T, build func(int, uint64) orff.Map) {
	m := build(10, 6)
	d := m.Dims()
	r := random.Block(9, 1)
	if optional.Redraw(m, &r) == c.noRedraw {
		t.Fatalf("redraw reports %v", c.noRedraw)
	}
	if c.noRedraw {
		return
	}
	first := maptest.Features(m, c.x, d.Features)
	r = random.Block(9, 2)
	optional.Redraw(m, &r)
	second := maptest.Features(m, c.x, d.Features)
	r = random.Block(9, 1)
	optional.Redraw(m, &r)
	maptest.NearAll(t, "phi after redrawing the same", maptest.Features(m, c.x, d.Features), first, 0)
	if c.name != "linear" && fmt.Sprint(first) == fmt.Sprint(second) {
		t.Error("another generator gives the same features")
	}
}

func (c contract) allocations(t *testing.T, m orff.Map) {
	d := m.Dims()
	phi, y, theta, g, pull := make([]float64, d.Features), make([]float64, d.Out), maptest.Normals(62, d.Params), make([]float64, d.Params), make([]float64, d.In)
	step := func() {
		m.FeaturesTo(phi, c.x)
		m.PredictTo(y, phi, theta)
		m.AddGradient(g, 0.1, phi, y)
		if !c.rough {
			m.(optional.SmoothMap).PullbackTo(pull, c.x, phi, theta, y)
		}
		if orff.CheckInput(m, c.x) != nil {
			panic("the point of the contract lies outside the domain")
		}
	}
	if n := testing.AllocsPerRun(20, step); n != 0 {
		t.Errorf("%v allocations per step", n)
	}
}

// weight checks that a kernel times w has features times sqrt(w).
func (c contract) weight(t *testing.T, build func(int, uint64) orff.Map) {
	const w = 0.37
	plain := build(8, 4)
	p := plain.Dims().Out
	want, exact, variance := maptest.Kernel(plain, c.x, c.z), make([]float64, p*p), make([]float64, p*p)
	orff.KernelTo(exact, plain, c.x, c.z)
	optional.VarianceTo(variance, plain, c.x, c.z)
	inner := build(8, 4)
	m := maptest.Must(algebra.NewSum([]float64{w}, inner))
	maptest.NearAll(t, "K~", maptest.Kernel(m, c.x, c.z), maptest.Scaled(want, w), 1e-13)
	k := make([]float64, p*p)
	orff.KernelTo(k, m, c.x, c.z)
	maptest.NearAll(t, "K", k, maptest.Scaled(exact, w), 1e-13)
	optional.VarianceTo(k, m, c.x, c.z)
	for i, v := range variance {
		if math.IsNaN(v) != math.IsNaN(k[i]) || math.Abs(k[i]-w*w*v) > 1e-13*max(1, math.Abs(v)) { // NaN: the variance has no formula
			t.Errorf("variance %g, want %g", k[i], w*w*v)
		}
	}
	c.jacobian(t, m)
	// The weight belongs to the map, not to the draws.
	if !c.noRedraw {
		r := random.Block(9, 1)
		optional.Redraw(plain, &r)
		r = random.Block(9, 1)
		optional.Redraw(inner, &r)
		maptest.NearAll(t, "K~ drawn again", maptest.Kernel(inner, c.x, c.z), maptest.Scaled(maptest.Kernel(plain, c.x, c.z), w), 1e-13)
	}
}

// lengths checks that a slice that is too long or too short panics.
func (c contract) lengths(t *testing.T, m orff.Map) {
	d := m.Dims()
	for _, by := range []int{-1, 1} {
		for i, call := range []func(a, b, c int){
			func(a, b, _ int) { m.FeaturesTo(make([]float64, d.Features+a), make([]float64, d.In+b)) },
			func(a, b, c int) {
				m.PredictTo(make([]float64, d.Out+a), make([]float64, d.Features+b), make([]float64, d.Params+c))
			},
			func(a, b, c int) {
				m.AddGradient(make([]float64, d.Params+a), 1, make([]float64, d.Features+b), make([]float64, d.Out+c))
			},
		} {
			for which := range 3 {
				if i == 0 && which == 2 {
					continue
				}
				var off [3]int
				off[which] = by
				func() {
					defer func() {
						if msg, ok := recover().(string); !ok {
							t.Errorf("method %d with slice %d longer by %d panics with %v, want a message", i, which, by, msg)
						}
					}()
					call(off[0], off[1], off[2])
				}()
			}
		}
	}
}
