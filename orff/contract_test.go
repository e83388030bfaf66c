package orff

import (
	"fmt"
	"math"
	"testing"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
)

// contract describes a map to the suite that every map of the package passes.
type contract struct {
	name    string
	x, z    []float64
	draws   int // D of the Monte-Carlo check, which averages repeats maps
	repeats int // 1 unless given: products have many parameters per draw
	build   func(D int, r Rand) (Map, error)

	// squaredError is the expected ||K~ - K||_F^2 where VarianceTo has no closed
	// form; "biased" and "landmarks" have their own tests.
	squaredError func(D int) float64
	noMonteCarlo string
	rough        bool // no Jacobian
	noRedraw     bool
	moving       bool // not invariant under shifts
}

var (
	positiveX = []float64{0.2, 0.5, 1.3}
	positiveZ = []float64{0.7, 0.1, 0.4}
	wideX     = append(append([]float64{}, normals(101, 16)...), make([]float64, 16)...)
	wideZ     = append(append([]float64{}, normals(102, 16)...), make([]float64, 16)...)
)

// withGamma makes a Map of a scalar map.
func withGamma[S Scalar](s S, err error) (Map, error) {
	if err != nil {
		return nil, err
	}
	return NewDecomposable(s, must(NewOutput(2, refGamma))), nil
}

func asMap[M Map](m M, err error) (Map, error) { return m, err }

// fourierContract is a decomposable Fourier map of one kernel.
func fourierContract(name string, s Spectrum) contract {
	return contract{name: name, x: refX, z: refZ, draws: 4000, build: func(D int, r Rand) (Map, error) {
		return withGamma(NewFourier(s, 3, D, r))
	}}
}

func gaussianField(d, D int, form Form, r Rand) (*CurlFree, *DivergenceFree) {
	return must(NewCurlFree(refSigma, d, D, form, r)), must(NewDivergenceFree(refSigma, d, D, form, false, BlockRand(r.Uint64(), 1)))
}

func contracts() []contract {
	g := Gaussian{refSigma}
	frobenius := squaredNorm(refGamma)
	entry := func(s Spectrum, x, z []float64) float64 { // variance of one draw of k~
		delta := make([]float64, len(x))
		lagTo(delta, x, z)
		return cosSinVariance(s, delta)
	}
	// Independent draws have the variance of the iid map at most: a safe bound
	// for orthogonal frequencies, Fastfood and shifted sequences.
	atMost := func(s Spectrum, x, z []float64) func(D int) float64 {
		return func(D int) float64 { return frobenius * entry(s, x, z) / float64(D) }
	}
	rough := func(c contract) contract { c.rough = true; return c }
	dependent := func(c contract, s Spectrum) contract {
		c.squaredError = atMost(s, c.x, c.z)
		return c
	}
	cubic := Polynomial(1, 3)
	cs := []contract{
		fourierContract("Gaussian", g),
		rough(fourierContract("Laplacian", Laplacian{0.7})),
		fourierContract("sinc", Sinc{2}),
		rough(fourierContract("Matern 1/2", Matern{0, 1.3})),
		fourierContract("Matern 3/2", Matern{1, 1.3}),
		fourierContract("Matern 5/2", Matern{2, 1.3}),
		dependent(fourierContract("orthogonal", Orthogonal{refSigma}), g),
		dependent(fourierContract("Halton", QuasiMonteCarlo{g, Halton}), g),
		dependent(fourierContract("Sobol", QuasiMonteCarlo{g, Sobol}), g),
		rough(dependent(fourierContract("Sobol Laplacian", QuasiMonteCarlo{Laplacian{0.7}, Sobol}), Laplacian{0.7})),
		{name: "SORF", x: wideX, z: wideZ, noMonteCarlo: "biased", build: func(D int, r Rand) (Map, error) {
			return withGamma(NewSORF(4, 32, D, r))
		}},
		dependent(contract{name: "Fastfood", x: refX, z: refZ, draws: 4000, build: func(D int, r Rand) (Map, error) {
			return withGamma(NewFastfood(refSigma, 3, D, r))
		}}, g),
		{name: "phase", x: refX, z: refZ, draws: 4000, moving: true, build: func(D int, r Rand) (Map, error) {
			return withGamma(NewPhase(g, 3, D, r))
		}},
		{name: "skewed chi-squared", x: refX, z: refZ, draws: 4000, moving: true, build: func(D int, r Rand) (Map, error) {
			return withGamma(NewSkewedChiSquared([]float64{1, 1, 1}, D, r))
		}},
		{name: "angular", x: refX, z: refZ, draws: 4000, rough: true, moving: true, build: func(D int, r Rand) (Map, error) {
			return withGamma(NewAngular(3, D, r))
		}},
		{name: "Maclaurin cubic", x: refX, z: refZ, draws: 4000, moving: true, build: func(D int, r Rand) (Map, error) {
			return withGamma(NewMaclaurin(cubic, Geometric{2}, Rademacher, 3, D, r))
		}},
		{name: "Maclaurin exponential, normal", x: refX, z: refZ, draws: 4000, moving: true, build: func(D int, r Rand) (Map, error) {
			return withGamma(NewMaclaurin(Exponential{}, Geometric{2}, Normal, 3, D, r))
		}},
		{name: "Maclaurin restricted", x: refX, z: refZ, draws: 4000, moving: true, build: func(D int, r Rand) (Map, error) {
			return withGamma(NewMaclaurin(cubic, must(Restricted(cubic, 1)), Rademacher, 3, D, r))
		}},
		{name: "Kakade", x: refX, z: refZ, draws: 4000, moving: true, build: func(D int, r Rand) (Map, error) {
			return withGamma(NewKakade(cubic, Rademacher, 3, D, r))
		}},
		{name: "compositional", x: refX, z: refZ, draws: 4000, moving: true, build: func(D int, r Rand) (Map, error) {
			return withGamma(NewCompositional(Exponential{}, Geometric{2}, g, 3, D, r))
		}},
		{name: "exponential semigroup", x: positiveX, z: positiveZ, draws: 4000, moving: true, build: func(D int, r Rand) (Map, error) {
			return withGamma(NewSemigroup(ExponentialSemigroup, 0.6, 3, D, r))
		}},
		{name: "reciprocal semigroup", x: positiveX, z: positiveZ, draws: 4000, moving: true, build: func(D int, r Rand) (Map, error) {
			return withGamma(NewSemigroup(ReciprocalSemigroup, 1.5, 3, D, r))
		}},
		{name: "Nystroem", x: refX, z: refZ, noMonteCarlo: "landmarks", noRedraw: true, moving: true, build: func(D int, r Rand) (Map, error) {
			landmarks := make([]float64, 3*min(D, 20))
			r.NormalsTo(landmarks)
			return withGamma(NewNystroem(g, 3, landmarks))
		}},
		{name: "linear", x: refX, z: refZ, draws: 1, moving: true, build: func(int, Rand) (Map, error) {
			return withGamma(NewLinear(3, 0.5))
		}},
		{name: "scalar sum", x: refX, z: refZ, draws: 4000, moving: true, build: func(D int, r Rand) (Map, error) {
			return withGamma(NewScalarSum([]float64{0.3, 0.7}, must(NewFourier(g, 3, D, r)), must(NewLinear(3, 1))))
		}},
		{name: "scalar product", x: refX, z: refZ, draws: 200, repeats: 10, build: func(D int, r Rand) (Map, error) {
			return withGamma(NewScalarProduct(must(NewFourier(g, 3, D, r)), must(NewFourier(Sinc{1}, 3, D, BlockRand(r.Uint64(), 1)))))
		}},
		{name: "identity Gamma", x: refX, z: refZ, draws: 4000, build: func(D int, r Rand) (Map, error) {
			return NewDecomposable(must(NewFourier(g, 3, D, r)), Identity(4)), nil
		}},
		{name: "simplex Gamma", x: refX, z: refZ, draws: 4000, build: func(D int, r Rand) (Map, error) {
			return NewDecomposable(must(NewFourier(g, 3, D, r)), must(SimplexOutput(4))), nil
		}},
		{name: "Helmholtz", x: refX, z: refZ, draws: 4000, build: func(D int, r Rand) (Map, error) {
			curl, div := gaussianField(3, D, Bounded, r)
			return asMap(NewHelmholtz(0.3, curl, div))
		}},
		{name: "sum", x: refX, z: refZ, draws: 4000, build: func(D int, r Rand) (Map, error) {
			curl, div := gaussianField(3, D, Unbounded, r)
			return asMap(NewSum([]float64{0.5, 2, 1}, curl, div, NewDecomposable(must(NewFourier(g, 3, D, r)), Identity(3))))
		}},
		{name: "transformable", x: refX, z: refZ, draws: 4000, moving: true, build: func(D int, r Rand) (Map, error) {
			return asMap(NewTransformable(must(NewFourier(g, 1, D, r)), Coordinates(3)))
		}, squaredError: func(D int) float64 {
			var v float64
			for _, a := range refX {
				for _, b := range refZ {
					v += cosSinVariance(g, []float64{a - b})
				}
			}
			return v / float64(D)
		}},
		{name: "integral", x: append(append([]float64{}, refX...), 0.4), z: append(append([]float64{}, refZ...), -0.3), draws: 300, repeats: 10, build: func(D int, r Rand) (Map, error) {
			return newIntegral(must(NewFourier(g, 3, D, r)), must(NewFourier(Gaussian{0.5}, 1, D, BlockRand(r.Uint64(), 1)))), nil
		}},
		{name: "product", x: refX, z: refZ, draws: 200, repeats: 20, build: func(D int, r Rand) (Map, error) {
			curl, _ := gaussianField(3, D, Bounded, BlockRand(r.Uint64(), 1))
			return asMap(NewProduct(must(NewFourier(Sinc{1}, 3, D, r)), curl))
		}},
		{name: "Schur", x: refX, z: refZ, draws: 100, repeats: 30, moving: true, build: func(D int, r Rand) (Map, error) {
			tr := must(NewTransformable(must(NewFourier(g, 1, D, r)), Coordinates(3)))
			gamma := must(NewOutput(3, must(GraphGamma(3, path3, 0.1))))
			return asMap(NewSchur(NewDecomposable(must(NewFourier(g, 3, D, BlockRand(r.Uint64(), 1))), gamma), tr))
		}, squaredError: func(D int) float64 {
			gamma := must(GraphGamma(3, path3, 0.1))
			k, v := g.K0(refDelta), cosSinVariance(g, refDelta)/float64(D)
			var sum float64
			for i, a := range refX {
				for j, b := range refZ {
					lag := []float64{a - b}
					sum += square(gamma[3*i+j]) * productVariance(k, v, g.K0(lag), cosSinVariance(g, lag)/float64(D))
				}
			}
			return sum
		}},
		{name: "tensor", x: refX, z: refZ, draws: 100, repeats: 60, build: func(D int, r Rand) (Map, error) {
			_, div := gaussianField(3, D, Bounded, BlockRand(r.Uint64(), 1))
			return asMap(NewTensor(NewDecomposable(must(NewFourier(g, 3, D, r)), must(NewOutput(2, refGamma))), div))
		}},
		{name: "congruence", x: refX, z: refZ, draws: 4000, build: func(D int, r Rand) (Map, error) {
			return asMap(NewCongruence(NewDecomposable(must(NewFourier(g, 3, D, r)), Identity(3)), 2, []float64{1, 2, 0, -1, 0.5, 3}))
		}, squaredError: func(D int) float64 {
			// V V^T = [[5, 0], [0, 10.25]].
			return (25 + 10.25*10.25) * entry(g, refX, refZ) / float64(D)
		}},
		{name: "blocks", x: refX, z: refZ, draws: 500, build: func(D int, r Rand) (Map, error) {
			return asMap(NewBlocks(8, r.Uint64(), true, func(r Rand) (Map, error) { return asMap(NewCurlFree(refSigma, 3, D, Bounded, r)) }))
		}},
		{name: "blocks drawn again", x: refX, z: refZ, draws: 500, build: func(D int, r Rand) (Map, error) {
			return asMap(NewBlocks(8, r.Uint64(), false, func(r Rand) (Map, error) { return asMap(NewCurlFree(refSigma, 3, D, Bounded, r)) }))
		}},
	}
	for _, form := range []Form{Bounded, Unbounded} {
		name := map[Form]string{Bounded: "bounded", Unbounded: "unbounded"}[form]
		cs = append(cs,
			contract{name: "curl-free " + name, x: refX, z: refZ, draws: 4000, build: func(D int, r Rand) (Map, error) {
				return asMap(NewCurlFree(refSigma, 3, D, form, r))
			}},
			contract{name: "divergence-free " + name, x: refX, z: refZ, draws: 4000, build: func(D int, r Rand) (Map, error) {
				return asMap(NewDivergenceFree(refSigma, 3, D, form, false, r))
			}},
			contract{name: "divergence-free reduced " + name, x: refX, z: refZ, draws: 4000, build: func(D int, r Rand) (Map, error) {
				return asMap(NewDivergenceFree(refSigma, 3, D, form, true, r))
			}})
	}
	return cs
}

func TestContract(t *testing.T) {
	for _, c := range contracts() {
		t.Run(c.name, func(t *testing.T) {
			build := func(D int, seed uint64) Map { return must(c.build(D, BlockRand(seed, 1))) }
			t.Run("C2_1 adjoint", func(t *testing.T) {
				for seed := range uint64(3) {
					adjoint(t, build(10, seed), c.x, 40+seed)
				}
			})
			t.Run("C2_3 Gram", func(t *testing.T) { blockGram(t, build(5, 1), len(c.x), !c.moving) })
			t.Run("MonteCarlo", func(t *testing.T) { c.monteCarlo(t, build) })
			t.Run("Jacobian", func(t *testing.T) { c.jacobian(t, build(6, 2)) })
			t.Run("kernel slope", func(t *testing.T) { c.kernelSlope(t, build(6, 2)) })
			t.Run("state", func(t *testing.T) { c.state(t, build) })
			t.Run("redraw", func(t *testing.T) { c.redraw(t, build) })
			t.Run("allocations", func(t *testing.T) { c.allocations(t, build(10, 3)) })
			t.Run("weight", func(t *testing.T) { c.weight(t, build) })
			t.Run("lengths", func(t *testing.T) { c.lengths(t, build(10, 3)) })
		})
	}
}

// monteCarlo compares K~ with the exact kernel in the Frobenius norm, whose mean
// square is the trace of the variance.
func (c contract) monteCarlo(t *testing.T, build func(int, uint64) Map) {
	if c.noMonteCarlo != "" {
		t.Skip("has a test of its own: " + c.noMonteCarlo)
	}
	m := build(c.draws, 7)
	p := m.Dims().Out
	want, v := make([]float64, p*p), make([]float64, p*p)
	KernelTo(want, m, c.x, c.z)
	got := make([]float64, p*p)
	repeats := max(1, c.repeats)
	for i := range repeats {
		vec.Axpy(1/float64(repeats), mapKernel(build(c.draws, uint64(7+i)), c.x, c.z), got)
	}
	var squared float64
	if c.squaredError != nil {
		squared = c.squaredError(c.draws)
	} else {
		variancesTo(v, m, c.x, c.z)
		for i := range p {
			squared += v[i*p+i]
		}
	}
	if math.IsNaN(squared) {
		t.Fatal("no variance")
	}
	var diff float64
	for i := range got {
		diff += square(got[i] - want[i])
	}
	tol := 5*math.Sqrt(squared/float64(repeats)) + 1e-12
	if !(math.Sqrt(diff) <= tol) {
		t.Errorf("||K~ - K||_F = %g, 5 standard errors are %g\nK~ = %v\nK  = %v", math.Sqrt(diff), tol, got, want)
	}
	// A loose bound would let an error pass: it must be small beside K.
	if !(tol <= 0.6*math.Sqrt(squaredNorm(want))) {
		t.Errorf("5 standard errors, %g, say little about a kernel of size %g: take more draws", tol, math.Sqrt(squaredNorm(want)))
	}
}

func (c contract) jacobian(t *testing.T, m Map) {
	j, err := NewJacobian(m)
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
	theta := normals(60, d.Params)
	got := make([]float64, d.Out*d.In)
	phi := features(m, c.x, d.Features)
	j.To(got, c.x, phi, theta)
	want, size := make([]float64, d.Out*d.In), 0.0
	const h = 1e-5
	a, b := make([]float64, d.Out), make([]float64, d.Out)
	for k := range d.In {
		x := append([]float64(nil), c.x...)
		x[k] = c.x[k] + h
		m.PredictTo(a, features(m, x, d.Features), theta)
		x[k] = c.x[k] - h
		m.PredictTo(b, features(m, x, d.Features), theta)
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

// kernelSlope: the derivative of the exact kernel is that of central differences,
// to the accuracy of jacobian, and neither allocates.
func (c contract) kernelSlope(t *testing.T, m Map) {
	s, err := NewKernelSlope(m)
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
	r, a := normals(63, d.Out), normals(64, d.Out)
	g, up, down := make([]float64, d.In), make([]float64, d.Out*d.Out), make([]float64, d.Out*d.Out)
	s.PullbackTo(g, c.x, c.z, r, a)
	const h = 1e-5
	for k := range d.In {
		x := append([]float64(nil), c.x...)
		x[k] = c.x[k] + h
		KernelTo(up, m, x, c.z)
		x[k] = c.x[k] - h
		KernelTo(down, m, x, c.z)
		want := (bilinear(up, r, a) - bilinear(down, r, a)) / (2 * h)
		if !(math.Abs(g[k]-want) <= 1e-7*max(1, math.Abs(want))) {
			t.Errorf("derivative in x_%d is %.10g, central differences give %.10g", k+1, g[k], want)
		}
	}
	if n := testing.AllocsPerRun(20, func() {
		KernelTo(up, m, c.x, c.z)
		s.PullbackTo(g, c.x, c.z, r, a)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// state: a restored map continues bit for bit.
func (c contract) state(t *testing.T, build func(int, uint64) Map) {
	a, b := build(10, 4), build(10, 5)
	enc := snapshot.NewEncoder(nil)
	state(a, enc)
	dec := snapshot.NewDecoder(enc.Bytes())
	state(b, dec)
	if err := dec.Finish(); err != nil {
		t.Fatal(err)
	}
	d := a.Dims()
	theta := normals(61, d.Params)
	for _, x := range [][]float64{c.x, c.z} {
		pa, pb := features(a, x, d.Features), features(b, x, d.Features)
		nearAll(t, "phi", pb, pa, 0)
		ya, yb := make([]float64, d.Out), make([]float64, d.Out)
		a.PredictTo(ya, pa, theta)
		b.PredictTo(yb, pb, theta)
		nearAll(t, "h", yb, ya, 0)
	}
	// A truncated state is an error, never a panic.
	for _, n := range []int{0, 3, len(enc.Bytes()) / 2, len(enc.Bytes()) - 1} {
		dec := snapshot.NewDecoder(enc.Bytes()[:n])
		state(build(10, 5), dec)
		if dec.Finish() == nil {
			t.Errorf("a state cut at %d of %d bytes was accepted", n, len(enc.Bytes()))
		}
	}
}

func (c contract) redraw(t *testing.T, build func(int, uint64) Map) {
	m := build(10, 6)
	d := m.Dims()
	r := BlockRand(9, 1)
	if redraw(m, &r) == c.noRedraw {
		t.Fatalf("redraw reports %v", c.noRedraw)
	}
	if c.noRedraw {
		return
	}
	first := features(m, c.x, d.Features)
	r = BlockRand(9, 2)
	redraw(m, &r)
	second := features(m, c.x, d.Features)
	r = BlockRand(9, 1)
	redraw(m, &r)
	nearAll(t, "phi after redrawing the same", features(m, c.x, d.Features), first, 0)
	if c.name != "linear" && fmt.Sprint(first) == fmt.Sprint(second) {
		t.Error("another generator gives the same features")
	}
}

func (c contract) allocations(t *testing.T, m Map) {
	d := m.Dims()
	phi, y, theta, g, pull := make([]float64, d.Features), make([]float64, d.Out), normals(62, d.Params), make([]float64, d.Params), make([]float64, d.In)
	step := func() {
		m.FeaturesTo(phi, c.x)
		m.PredictTo(y, phi, theta)
		m.AddGradient(g, 0.1, phi, y)
		if !c.rough {
			m.(smoothMap).PullbackTo(pull, c.x, phi, theta, y)
		}
		if CheckInput(m, c.x) != nil {
			panic("the point of the contract lies outside the domain")
		}
	}
	if n := testing.AllocsPerRun(20, step); n != 0 {
		t.Errorf("%v allocations per step", n)
	}
}

// weight: a kernel times w has features times sqrt(w), everywhere.
func (c contract) weight(t *testing.T, build func(int, uint64) Map) {
	const w = 0.37
	plain := build(8, 4)
	p := plain.Dims().Out
	want, exact, variance := mapKernel(plain, c.x, c.z), make([]float64, p*p), make([]float64, p*p)
	KernelTo(exact, plain, c.x, c.z)
	variancesTo(variance, plain, c.x, c.z)
	inner := build(8, 4)
	m := must(NewSum([]float64{w}, inner))
	nearAll(t, "K~", mapKernel(m, c.x, c.z), scaled(want, w), 1e-13)
	k := make([]float64, p*p)
	KernelTo(k, m, c.x, c.z)
	nearAll(t, "K", k, scaled(exact, w), 1e-13)
	variancesTo(k, m, c.x, c.z)
	for i, v := range variance {
		if math.IsNaN(v) != math.IsNaN(k[i]) || math.Abs(k[i]-w*w*v) > 1e-13*max(1, math.Abs(v)) { // NaN: the variance has no formula
			t.Errorf("variance %g, want %g", k[i], w*w*v)
		}
	}
	c.jacobian(t, m)
	// The weight belongs to the map, not to its draws.
	if !c.noRedraw {
		r := BlockRand(9, 1)
		redraw(plain, &r)
		r = BlockRand(9, 1)
		redraw(inner, &r)
		nearAll(t, "K~ drawn again", mapKernel(inner, c.x, c.z), scaled(mapKernel(plain, c.x, c.z), w), 1e-13)
	}
}

// lengths: a slice that is too long or too short panics, whichever it is.
func (c contract) lengths(t *testing.T, m Map) {
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
