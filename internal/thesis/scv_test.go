package thesis

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/eval/scoring"
	"gonum.org/v1/gonum/mat"
)

// fixture is the six-point series of check C5.1.
func fixture() *scoring.Dataset {
	return &scoring.Dataset{Name: "fixture", Variables: []string{"a", "b"}, Series: []scoring.Series{{Rows: [][]float64{
		{.1, .4}, {.5, -.2}, {-.3, .6}, {.7, .1}, {.2, -.5}, {-.1, .3},
	}}}}
}

func mustSCV(t *testing.T, f Fitter, d *scoring.Dataset, window int) *SCVResult {
	t.Helper()
	r, err := SCV(f, d, window)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Reference values of the specification, printed to 13 digits.
func TestC6_1_SCVOfFixture(t *testing.T) {
	r := mustSCV(t, Persistence{}, fixture(), 3)
	near(t, "persistence SCV-MSE", r.MSE, .4316666666667, 1e-13)
	near(t, "persistence SD", r.SD, .1388844443733, 1e-13)
	r = mustSCV(t, NewVAR1(2), fixture(), 4)
	near(t, "VAR(1) SCV-MSE", r.MSE, .7631078125, 1e-12)
	near(t, "VAR(1) SD", r.SD, .7518578125, 1e-12)
}

// Least squares with intercept on the whole fixture (13 printed digits).
func TestC5_1_VAR1OfFixture(t *testing.T) {
	x, y := pairs(fixture())
	v := NewVAR1(2)
	if err := v.Fit(x, y); err != nil {
		t.Fatal(err)
	}
	want := [2][3]float64{
		{.2100078186083, -.2815300414988, .7194923918927},
		{.281548084441, -.6660251398328, -.7712756360137},
	}
	for k, at := range [][]float64{{0, 0}, {1, 0}, {0, 1}} {
		got := make([]float64, 2)
		v.PredictTo(got, at)
		for i := range got {
			w := want[i][0]
			if k > 0 {
				w += want[i][k]
			}
			near(t, "prediction", got[i], w, 1e-12)
		}
	}
}

// countingFitter records the pairs of its fits.
type countingFitter struct {
	Persistence
	x, y [][]float64
	fits int
}

func (c *countingFitter) Fit(x, y [][]float64) error { c.x, c.y = x, y; c.fits++; return nil }

// plain hides Slide.
type plain struct{ Fitter }

// Pairs never straddle two series and never hold a missing value.
func TestC6_5_PairsStayInsideSeries(t *testing.T) {
	d := &scoring.Dataset{Name: "three", Variables: []string{"x"}}
	total := 0
	for s, n := range []int{5, 1, 4} {
		series := scoring.Series{}
		for i := range n {
			series.Rows = append(series.Rows, []float64{float64(100*s + i)})
		}
		d.Series = append(d.Series, series)
		total += n - 1
	}
	x, y := pairs(d)
	if len(x) != total {
		t.Errorf("%d pairs, want %d", len(x), total)
	}
	for i := range x {
		if y[i][0]-x[i][0] != 1 {
			t.Errorf("pair %v, %v straddles two series", x[i], y[i])
		}
	}
	d.Series[0].Rows[1][0] = math.NaN()
	if x, _ := pairs(d); len(x) != total-2 {
		t.Errorf("%d pairs with a missing row, want %d", len(x), total-2)
	}
	c := &countingFitter{}
	r := mustSCV(t, plain{c}, d, 3)
	if r.N != total-2-2 || c.fits != r.N || len(c.x) != 2 {
		t.Errorf("%d scores, %d fits to %d pairs", r.N, c.fits, len(c.x))
	}
}

func TestSCVErrors(t *testing.T) {
	for _, w := range []int{0, 1, 6, 100} {
		if _, err := SCV(Persistence{}, fixture(), w); err == nil {
			t.Errorf("window %d accepted", w)
		}
	}
}

// randomData is a noisy nonlinear series.
func randomData(n, dim int, seed uint64) *scoring.Dataset {
	r := rand.New(rand.NewPCG(seed, 1))
	d := &scoring.Dataset{Name: "random", Variables: make([]string, dim), Series: []scoring.Series{{}}}
	x := make([]float64, dim)
	for range n {
		y := make([]float64, dim)
		for j := range y {
			y[j] = .8*x[j] + .5*math.Sin(2*x[(j+1)%dim]) + r.NormFloat64()
		}
		d.Series[0].Rows = append(d.Series[0].Rows, y)
		x = y
	}
	return d
}

// fourierBlock has b random frequencies N(0, 1/sigma^2), sines and cosines
// divided by sqrt(b).
func fourierBlock(r *rand.Rand, dim, b int, sigma float64) Block {
	w := make([]float64, b*dim)
	for i := range w {
		w[i] = r.NormFloat64() / sigma
	}
	scale := 1 / math.Sqrt(float64(b))
	return Block{Len: 2 * b, FeaturesTo: func(phi, x []float64) {
		for i := range b {
			a := 0.
			for j, v := range x {
				a += w[i*dim+j] * v
			}
			phi[i], phi[b+i] = math.Sin(a)*scale, math.Cos(a)*scale
		}
	}}
}

// refit is the windowed ORFFVAR, implemented from its definition.
type refit struct {
	c     BlockRidgeConfig
	theta []*mat.Dense
}

func (f *refit) phi(block int, x [][]float64) *mat.Dense {
	p := mat.NewDense(len(x), f.c.Blocks[block].Len, nil)
	for i := range x {
		f.c.Blocks[block].FeaturesTo(p.RawRowView(i), x[i])
	}
	return p
}

func (f *refit) Fit(x, y [][]float64) error {
	n := len(x)
	f.theta = nil
	for t := range f.c.Blocks {
		r := mat.NewDense(n, f.c.Out, nil)
		for i := range y {
			r.SetRow(i, y[i])
		}
		for s, theta := range f.theta {
			var h mat.Dense
			h.Mul(f.phi(s, x), theta)
			r.Sub(r, &h)
		}
		p := f.phi(t, x)
		var a, b, theta mat.Dense
		a.Mul(p.T(), p)
		a.Scale(1/float64(n), &a)
		for i := range f.c.Blocks[t].Len {
			a.Set(i, i, a.At(i, i)+f.c.Lambda)
		}
		b.Mul(p.T(), r)
		b.Scale(1/float64(n), &b)
		if err := theta.Solve(&a, &b); err != nil {
			return err
		}
		for _, old := range f.theta {
			old.Scale(1-f.c.Lambda, old)
		}
		f.theta = append(f.theta, &theta)
	}
	return nil
}

func (f *refit) PredictTo(dst, x []float64) {
	clear(dst)
	for t, theta := range f.theta {
		var h mat.Dense
		h.Mul(f.phi(t, [][]float64{x}), theta)
		for j := range dst {
			dst[j] += h.At(0, j)
		}
	}
}

// Sliding windows agree with a fit of every window. With a ridge of 1e-2 the condition number is below 1e3: the
// tolerance 1e-10 has room for the rounding errors of 300 updates.
func TestBlockRidgeEqualsPlainRefit(t *testing.T) {
	d := randomData(360, 3, 5)
	r := rand.New(rand.NewPCG(7, 7))
	c := BlockRidgeConfig{Out: 3, Lambda: 1e-2}
	for _, b := range []int{6, 3, 8} {
		c.Blocks = append(c.Blocks, fourierBlock(r, 3, b, 1.5))
		got := mustSCV(t, NewBlockRidge(c), d, 40)
		want := mustSCV(t, &refit{c: c}, d, 40)
		if got.N != want.N || got.N != 320 {
			t.Fatalf("N = %d, %d", got.N, want.N)
		}
		for i := range got.Losses {
			if !(math.Abs(got.Losses[i]-want.Losses[i]) <= 1e-10*(1+want.Losses[i])) {
				t.Fatalf("%d blocks, pair %d: loss %v, want %v", len(c.Blocks), i, got.Losses[i], want.Losses[i])
			}
		}
	}
}

// leastSquares is VAR(1) by the QR decomposition of each window.
type leastSquares struct{ c *mat.Dense }

func (l *leastSquares) Fit(x, y [][]float64) error {
	d := len(x[0])
	a, b := mat.NewDense(len(x), d+1, nil), mat.NewDense(len(x), d, nil)
	for i := range x {
		a.Set(i, 0, 1)
		for j, v := range x[i] {
			a.Set(i, j+1, v)
		}
		b.SetRow(i, y[i])
	}
	l.c = &mat.Dense{}
	return l.c.Solve(a, b)
}

func (l *leastSquares) PredictTo(dst, x []float64) {
	for j := range dst {
		dst[j] = l.c.At(0, j)
		for i, v := range x {
			dst[j] += v * l.c.At(i+1, j)
		}
	}
}

func TestVAR1EqualsQR(t *testing.T) {
	d := randomData(700, 4, 9)
	for _, y := range d.Series[0].Rows { // units far apart; QR, which does not centre, still has 11 digits
		y[0] = 1e3 + .1*y[0]
		y[1] *= 1e5
	}
	got, want := mustSCV(t, NewVAR1(4), d, 50), mustSCV(t, &leastSquares{}, d, 50)
	for i := range got.Losses {
		if !(math.Abs(got.Losses[i]-want.Losses[i]) <= 1e-8*want.Losses[i]) {
			t.Fatalf("pair %d: loss %v, want %v", i, got.Losses[i], want.Losses[i])
		}
	}
}

// A constant column makes the normal equations singular. The predictions agree with those of the model without it.
func TestVAR1ConstantColumn(t *testing.T) {
	d := randomData(120, 2, 3)
	with := &scoring.Dataset{Name: "with", Variables: make([]string, 3), Series: []scoring.Series{{}}}
	for _, y := range d.Series[0].Rows {
		with.Series[0].Rows = append(with.Series[0].Rows, []float64{y[0], y[1], 7})
	}
	got, want := mustSCV(t, NewVAR1(3), with, 30), mustSCV(t, NewVAR1(2), d, 30)
	// The third coordinate is predicted exactly, except for the ridge: e is 2/3 of that of the other two.
	near(t, "SCV-MSE", got.MSE, want.MSE*2/3, 1e-6)
}

func TestFactorUpdateDowndate(t *testing.T) {
	const n = 12
	r := rand.New(rand.NewPCG(3, 4))
	a := mat.NewSymDense(n, nil)
	x := make([][]float64, 40)
	for i := range x {
		x[i] = make([]float64, n)
		for j := range x[i] {
			x[i][j] = r.NormFloat64()
		}
	}
	for _, v := range x[:20] {
		a.SymRankOne(a, 1, mat.NewVecDense(n, v))
	}
	f := newFactor(n)
	if !f.set(a.RawSymmetric().Data, .5) {
		t.Fatal("not positive definite")
	}
	for i := range 20 {
		f.update(x[20+i])
		if !f.downdate(x[i]) {
			t.Fatal("downdate refused")
		}
	}
	want := mat.NewSymDense(n, nil)
	for _, v := range x[20:] {
		want.SymRankOne(want, 1, mat.NewVecDense(n, v))
	}
	for i := range n {
		want.SetSym(i, i, want.At(i, i)+.5)
	}
	b := mat.NewVecDense(n, append([]float64(nil), x[0]...))
	var sol mat.VecDense
	if err := sol.SolveVec(want, b); err != nil {
		t.Fatal(err)
	}
	got := append([]float64(nil), x[0]...)
	f.solve(got)
	for i := range got {
		near(t, "solution", got[i], sol.AtVec(i), 1e-11)
	}
	if f.downdate(filledWith(n, 1e3)) {
		t.Error("an indefinite matrix was accepted")
	}
}

func filledWith(n int, v float64) []float64 {
	s := make([]float64, n)
	for i := range s {
		s[i] = v
	}
	return s
}

// The training error is the mean square over pairs and coordinates.
func TestTrainingError(t *testing.T) {
	w := fitWindow{x: [][]float64{{1, 2}, {3, 4}}, y: [][]float64{{2, 2}, {3, 8}}}
	near(t, "mse", w.trainingError(repeating{}), (1.+16)/4, 0)
}

// repeating predicts the last value.
type repeating struct{}

func (repeating) Fit(_, _ [][]float64) error { return nil }
func (repeating) PredictTo(dst, x []float64) { copy(dst, x) }
