package online

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orffvar/forecaster/eval/snapshot"
)

func newRLS(t testing.TB, cfg RLSConfig) *RLS {
	t.Helper()
	r, err := NewRLS(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// updater is what the learners of this package have in common.
type updater interface {
	PredictTo(y, phi []float64)
	Update(phi, e []float64)
	State(c *snapshot.Codec)
}

// learnPair updates l with the target y and returns the error before it.
func learnPair(l updater, phi, y []float64) []float64 {
	e := make([]float64, len(y))
	l.PredictTo(e, phi)
	for i := range e {
		e[i] = y[i] - e[i]
	}
	l.Update(phi, e)
	return e
}

// solve replaces each row of b by the solution x of A x = row, for the symmetric
// positive definite A of order n.
func solve(t *testing.T, a, b []float64, n int) {
	t.Helper()
	var c mat.Cholesky
	if !c.Factorize(mat.NewSymDense(n, a)) {
		t.Fatal("not positive definite")
	}
	for ; len(b) > 0; b = b[n:] {
		x := mat.NewVecDense(n, b[:n])
		if err := c.SolveVecTo(x, x); err != nil {
			t.Fatal(err)
		}
	}
}

// C5.1: VAR(1) with intercept by least squares on a window.
//
// The six-point series of the check; [c|A] is the least squares solution with
// intercept.
func TestC5_1_VARLeastSquares(t *testing.T) {
	x := [][]float64{{.1, .4}, {.5, -.2}, {-.3, .6}, {.7, .1}, {.2, -.5}, {-.1, .3}}
	want := [][]float64{
		{0.2100078186083, -0.2815300414988, 0.7194923918927},
		{0.281548084441, -0.6660251398328, -0.7712756360137},
	}
	// A ridge of 1e-10 stands in for none; it changes the solution by about
	// 1e-10 / (smallest eigenvalue of the moment matrix, 0.4).
	r := newRLS(t, RLSConfig{Features: 3, Outputs: 2, Ridge: 1e-10, Forgetting: 1})
	for i := range x[:5] {
		learnPair(r, []float64{1, x[i][0], x[i][1]}, x[i+1])
	}
	for o := range want {
		for i := range want[o] {
			// The first steps divide by 1e-10: six digits of the sixteen are lost twice over.
			if got := r.Weights()[o*3+i]; !(math.Abs(got-want[o][i]) <= 1e-5) {
				t.Errorf("output %d weight %d = %v, want %v", o, i, got, want[o][i])
			}
		}
	}
	// With a ridge that rounding does not see, RLS is the ridge solution to
	// machine precision.
	r = newRLS(t, RLSConfig{Features: 3, Outputs: 2, Ridge: 0.01, Forgetting: 1})
	var a [9]float64
	var b [6]float64
	for j := range 3 {
		a[4*j] = 0.01
	}
	for i := range x[:5] {
		phi := []float64{1, x[i][0], x[i][1]}
		learnPair(r, phi, x[i+1])
		for j, f := range phi {
			for k, g := range phi {
				a[3*j+k] += f * g
			}
			for o, y := range x[i+1] {
				b[3*o+j] += f * y
			}
		}
	}
	solve(t, a[:], b[:], 3)
	for i, got := range r.Weights() {
		if !(math.Abs(got-b[i]) <= 1e-12) {
			t.Errorf("ridge weight %d = %v, want %v", i, got, b[i])
		}
	}
}

// C5.11: Recursive least squares with P = (g_k/(Nλ)) I at first: after N samples the weights are
// those of C4.1 (operator-valued recursive least squares: Amblard and Kadri).
//
// Recursive least squares on the eigen-outputs of Gamma = B B^T equals the
// closed-form ridge regression of the fixture, B Theta.
func TestC5_11_RLSEqualsRidge(t *testing.T) {
	w := [][]float64{{1, .5}, {-.3, .8}}
	xs := [][]float64{{.1, .2}, {-.4, .3}, {.5, -.6}}
	ys := [][]float64{{1, 0}, {.5, -1}, {-.2, .7}}
	const lambda, n = .1, 3
	want := [][]float64{ // B Theta; columns cos, cos, sin, sin
		{0.2211349788773, 0.3512513570117, 0.2943393260537, 0.304955549085},
		{-0.06012016856403, -0.0808531220545, 0.5545606276262, -0.5945331259436},
	}
	// Gamma = [[1, .5], [.5, .89]].
	tr, det := 1.89, 1*.89-.25
	root := math.Sqrt(tr*tr/4 - det)
	var got [2][4]float64
	for _, g := range []float64{tr/2 + root, tr/2 - root} {
		u := []float64{.5, g - 1}
		norm := math.Hypot(u[0], u[1])
		u[0], u[1] = u[0]/norm, u[1]/norm
		r := newRLS(t, RLSConfig{Features: 4, Outputs: 1, Ridge: n * lambda / g, Forgetting: 1})
		for i, x := range xs {
			phi := make([]float64, 4)
			for j := range w {
				s, c := math.Sincos(w[j][0]*x[0] + w[j][1]*x[1])
				phi[j], phi[2+j] = c/math.Sqrt2, s/math.Sqrt2
			}
			learnPair(r, phi, []float64{u[0]*ys[i][0] + u[1]*ys[i][1]})
		}
		for k, a := range r.Weights() {
			got[0][k] += u[0] * a
			got[1][k] += u[1] * a
		}
	}
	for o := range want {
		for k := range want[o] {
			if !(math.Abs(got[o][k]-want[o][k]) <= 1e-12) { // the reference has 13 digits
				t.Errorf("B Theta[%d][%d] = %.13f, want %.13f", o, k, got[o][k], want[o][k])
			}
		}
	}
}

// With forgetting and inputs that excite one direction only, P stays bounded by
// what the ridge allows, permanently.
func TestRLSDoesNotWindUp(t *testing.T) {
	const m, ridge, beta = 6, 2.0, .98
	r := newRLS(t, RLSConfig{Features: m, Outputs: 1, Ridge: ridge, Forgetting: beta})
	rng := rand.New(rand.NewPCG(1, 2))
	phi := make([]float64, m)
	for step := range 200_000 {
		phi[0] = rng.NormFloat64()
		phi[1] = phi[0] // the rest stays zero
		learnPair(r, phi, []float64{phi[0] + .1*rng.NormFloat64()})
		if step%1000 != 0 {
			continue
		}
		for i := range m {
			p := r.p.ProjectUnit(r.gain, i)
			// A diagonal entry is refreshed every m steps; in between it can
			// grow by beta^-m.
			if limit := math.Pow(beta, -m) / ridge; !(p > 0 && p <= 1.01*limit) {
				t.Fatalf("step %d: P[%d][%d] = %g, want at most %g", step, i, i, p, limit)
			}
		}
	}
	if got := r.Weights()[0] + r.Weights()[1]; !(math.Abs(got-1) <= .1) {
		t.Errorf("sum of the two excited weights = %v, want about 1", got)
	}
}

// A weighted least squares problem solved directly is the oracle for the
// forgetting recursion, with the leak written out as pseudo-observations.
func TestRLSForgettingEqualsWeightedLeastSquares(t *testing.T) {
	const m, p, n, ridge, beta = 4, 2, 60, 3.0, .95
	rng := rand.New(rand.NewPCG(3, 4))
	r := newRLS(t, RLSConfig{Features: m, Outputs: p, Ridge: ridge, Forgetting: beta})
	a := make([]float64, m*m)
	b := make([]float64, m*p)
	for j := range m {
		a[j*m+j] = ridge
	}
	for step := range n {
		phi := make([]float64, m)
		y := make([]float64, p)
		for i := range phi {
			phi[i] = rng.NormFloat64()
		}
		for o := range y {
			y[o] = rng.NormFloat64()
		}
		learnPair(r, phi, y)
		for i := range a {
			a[i] *= beta
		}
		for i := range b {
			b[i] *= beta
		}
		for i, f := range phi {
			for j, g := range phi {
				a[i*m+j] += f * g
			}
			for o, v := range y {
				b[o*m+i] += f * v
			}
		}
		j := step % m
		a[j*m+j] += (1 - beta) * m * ridge
	}
	solve(t, a, b, m)
	for i, got := range r.Weights() {
		if !(math.Abs(got-b[i]) <= 1e-11) {
			t.Errorf("weight %d = %v, want %v", i, got, b[i])
		}
	}
}

// A restored learner continues bit for bit, and Update allocates nothing.
func TestLearnersSaveAndRestore(t *testing.T) {
	const m, p = 7, 3
	makers := map[string]func() updater{
		"RLS": func() updater {
			return newRLS(t, RLSConfig{Features: m, Outputs: p, Ridge: 1, Forgetting: .9, MaxLeverage: 1})
		},
		"BlockNewton": func() updater {
			l, err := NewBlockNewton(BlockNewtonConfig{Features: m, Outputs: p, Block: 3, Batch: 4, Ridge: 1, Forgetting: .99})
			if err != nil {
				t.Fatal(err)
			}
			return l
		},
		"HandOver, at first": func() updater {
			return newHandOver(t, HandOverConfig{RLS: RLSConfig{Features: m, Outputs: p, Ridge: 1, Forgetting: .99}, Newton: BlockNewtonConfig{Block: 3, Every: 2}, After: 550})
		},
		"HandOver, then": func() updater {
			return newHandOver(t, HandOverConfig{RLS: RLSConfig{Features: m, Outputs: p, Ridge: 1, Forgetting: .99}, Newton: BlockNewtonConfig{Block: 3, Every: 2}, After: 100})
		},
	}
	for name, make := range makers {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(5, 6))
			pair := func() (phi, y []float64) {
				phi, y = randomVector(rng, m), randomVector(rng, p)
				return phi, y
			}
			l := make()
			for range 500 {
				learnPair(l, first(pair()), randomVector(rng, p))
			}
			enc := snapshot.NewEncoder(nil)
			l.State(enc)
			other := make()
			dec := snapshot.NewDecoder(enc.Bytes())
			other.State(dec)
			if err := dec.Finish(); err != nil {
				t.Fatal(err)
			}
			for step := range 100 {
				phi, y := pair()
				e1, e2 := learnPair(l, phi, y), learnPair(other, phi, y)
				for o := range e1 {
					if e1[o] != e2[o] || math.IsNaN(e1[o]) {
						t.Fatalf("step %d: errors %v and %v", step, e1, e2)
					}
				}
			}
			if n := testing.AllocsPerRun(100, func() { l.Update(make7, make3) }); n != 0 {
				t.Errorf("Update allocates %v times", n)
			}
		})
	}
}

var (
	make7 = []float64{1, 2, 3, 4, 5, 6, 7}
	make3 = []float64{.1, -.2, .3}
)

func first(a, _ []float64) []float64 { return a }

func randomVector(rng *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}

func TestRLSSurvivesOverflow(t *testing.T) {
	for _, c := range []struct{ ridge, phi float64 }{
		{1, 1e200},      // the leverage overflows,
		{1e-200, 1e150}, // or P phi does
	} {
		r := newRLS(t, RLSConfig{Features: 2, Outputs: 1, Ridge: c.ridge, Forgetting: .99})
		r.Update([]float64{c.phi, c.phi}, []float64{1})
		for range 100 {
			learnPair(r, []float64{1, 0}, []float64{1})
		}
		if w := r.Weights()[0]; !(math.Abs(w-1) <= .1) { // nor NaN
			t.Errorf("ridge %g: weight %v after an overflow, want about 1", c.ridge, w)
		}
	}
}

func TestRLSConfigErrors(t *testing.T) {
	ok := RLSConfig{Features: 2, Outputs: 1, Ridge: 1, Forgetting: 1}
	for field, change := range map[string]func(*RLSConfig){
		"Features":    func(c *RLSConfig) { c.Features = 0 },
		"Outputs":     func(c *RLSConfig) { c.Outputs = 0 },
		"Ridge":       func(c *RLSConfig) { c.Ridge = math.NaN() },
		"Forgetting":  func(c *RLSConfig) { c.Forgetting = 1.1 },
		"MaxLeverage": func(c *RLSConfig) { c.MaxLeverage = -1 },
	} {
		c := ok
		change(&c)
		if _, err := NewRLS(c); err == nil || !contains(err.Error(), field) {
			t.Errorf("bad %s: error %v does not name it", field, err)
		}
	}
}

func contains(s, sub string) bool {
	for i := 0; i+len(sub) <= len(s); i++ {
		if s[i:i+len(sub)] == sub {
			return true
		}
	}
	return false
}

func BenchmarkRLS(b *testing.B) {
	const p = 7
	for _, m := range []int{2, 8, 16, 32, 129} {
		b.Run(fmt.Sprint(m), func(b *testing.B) {
			r := newRLS(b, RLSConfig{Features: m, Outputs: p, Ridge: 100, Forgetting: .998})
			rng := rand.New(rand.NewPCG(1, 1))
			phi, e := randomVector(rng, m), randomVector(rng, p)
			b.ReportAllocs()
			for b.Loop() {
				r.Update(phi, e)
			}
		})
	}
}
