package orff_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/algebra"
	"github.com/orffvar/forecaster/orff/internal/maptest"
	"github.com/orffvar/forecaster/orff/internal/numeric"
	"github.com/orffvar/forecaster/orff/internal/optional"
	"github.com/orffvar/forecaster/orff/random"
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
	// A state begins with its name, behind the length of the name.
	enc.Bytes()[8]++
	dec = snapshot.NewDecoder(enc.Bytes())
	optional.State(b, dec)
	if dec.Finish() == nil {
		t.Error("a state of another name was accepted")
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
	c.kernelSlope(t, m)
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
