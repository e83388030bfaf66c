package sgd_test

import (
	"math"
	"testing"

	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/sgd"
)

// group returns the weights of frequency j of a matrix of inner rows and 2 D
// columns, stored row by row.
func group(theta []float64, inner, d, j int) (w []float64) {
	for i := range inner {
		w = append(w, theta[2*d*i+j], theta[2*d*i+d+j])
	}
	return w
}

func length(v []float64) float64 {
	var s float64
	for _, x := range v {
		s += x * x
	}
	return math.Sqrt(s)
}

func TestGroupLassoOperator(t *testing.T) {
	p := sgd.GroupLasso{Columns: sgd.Columns{Inner: 1, D: 2}, Mu: 2}
	theta := []float64{3, .1, 4, -.2} // groups (3, 4) and (.1, -.2)
	near(t, "penalty", []float64{p.Value(theta)}, []float64{2 * (5 + math.Sqrt(.05))}, 1e-15)
	p.Apply(theta, .5)
	near(t, "prox", theta, []float64{3 * .8, 0, 4 * .8, 0}, 1e-15)
	before := append([]float64(nil), theta...)
	p.Apply(theta, 0)
	same(t, "step 0", theta, before)

	// Optimality of the operator: v - theta is in -step mu times the
	// subdifferential of the norm, and no other point is better.
	r := &source{1}
	for range 200 {
		theta := r.normals(24) // two blocks of three frequencies, inner 2
		p := sgd.GroupLasso{Columns: sgd.Columns{Inner: 2, D: 3, Rows: true}, Mu: r.uniform()}
		step := 3 * r.uniform()
		u := append([]float64(nil), theta...)
		p.Apply(u, step)
		cost := func(u []float64) float64 {
			var s float64
			for i := range u {
				s += (u[i] - theta[i]) * (u[i] - theta[i]) / 2
			}
			return s + step*p.Value(u)
		}
		best := cost(u)
		other := make([]float64, 24)
		for range 20 {
			for i := range other {
				other[i] = u[i] + .1*r.normal()
			}
			if cost(other) < best {
				t.Fatal("the operator is not the minimiser")
			}
		}
		for block := range 2 {
			for j := range 3 {
				a, b := group(theta[12*block:], 2, 3, j), group(u[12*block:], 2, 3, j)
				if l := length(a); l <= step*p.Mu {
					near(t, "removed", b, make([]float64, 4), 0)
				} else {
					near(t, "shrunk", []float64{length(b)}, []float64{l - step*p.Mu}, 1e-14)
				}
			}
		}
	}
}

func TestBallProjection(t *testing.T) {
	p := sgd.Ball{Columns: sgd.Columns{Inner: 1, D: 2}, Rho: 2.5}
	theta := []float64{3, .1, 4, -.2}
	if !math.IsInf(p.Value(theta), 1) {
		t.Error("outside of the ball, yet no penalty")
	}
	p.Apply(theta, 7)
	near(t, "projection", theta, []float64{1.5, .1, 2, -.2}, 1e-15)
	if p.Value(theta) != 0 {
		t.Error("the projection is outside of the ball")
	}
}

// proximalProblem has many frequencies and a target made of few.
func proximalProblem() (o *sgd.Objective, d sgd.Dims, columns sgd.Columns) {
	const n, freq = 60, 15
	r := &source{17}
	m := orff.NewDecomposable(orff.FourierOf(r.normals(2*freq), 2), must(orff.OutputFactor(2, 2, fixB)))
	d = sgd.Dims(m.Dims())
	x, y := r.normals(2*n), make([]float64, 2*n)
	theta, phi := make([]float64, d.Params), make([]float64, d.Features)
	for _, j := range []int{2, 7} {
		for k := range 2 {
			theta[2*freq*k+j], theta[2*freq*k+freq+j] = 3*r.normal(), 3*r.normal()
		}
	}
	for i := range n {
		m.FeaturesTo(phi, x[2*i:2*i+2])
		m.PredictTo(y[2*i:2*i+2], phi, theta)
		y[2*i] += .01 * r.normal()
		y[2*i+1] += .01 * r.normal()
	}
	o = must(sgd.NewObjective(sgd.ObjectiveConfig{Map: m, Dims: d, X: x, Y: y, Lambda: 1e-3}))
	return o, d, sgd.Columns{Inner: 2, D: freq, Rows: true}
}

// Karush-Kuhn-Tucker: a kept frequency has grad_j = -mu theta_j/||theta_j||, a
// removed one ||grad_j|| <= mu.
func TestGroupLassoFitSatisfiesKKT(t *testing.T) {
	o, d, columns := proximalProblem()
	const mu = 1e-2
	theta, g := make([]float64, d.Params), make([]float64, d.Params)
	result := must(o.MinimiseProximal(theta, sgd.GroupLasso{Columns: columns, Mu: mu}, 1e-10, 20000))
	if !result.Converged {
		t.Fatalf("%+v", result)
	}
	o.GradientTo(g, theta)
	kept := 0
	for j := range columns.D {
		w, gj := group(theta, 2, columns.D, j), group(g, 2, columns.D, j)
		l := length(w)
		if l == 0 {
			if length(gj) > mu*(1+1e-6) {
				t.Errorf("frequency %d was removed with a gradient of %g > %g", j, length(gj), mu)
			}
			continue
		}
		kept++
		for i := range w {
			near(t, "stationarity", []float64{gj[i] + mu*w[i]/l}, []float64{0}, 1e-9)
		}
	}
	if kept < 2 || kept > 8 {
		t.Errorf("%d frequencies kept of 15; 2 made the data", kept)
	}
	for _, j := range []int{2, 7} {
		if length(group(theta, 2, columns.D, j)) == 0 {
			t.Errorf("frequency %d made the data and was removed", j)
		}
	}

	// A penalty above the largest gradient at 0 removes everything.
	clear(theta)
	o.GradientTo(g, theta)
	var top float64
	for j := range columns.D {
		top = max(top, length(group(g, 2, columns.D, j)))
	}
	theta[0] = 1
	must(o.MinimiseProximal(theta, sgd.GroupLasso{Columns: columns, Mu: 1.01 * top}, 1e-10, 20000))
	near(t, "empty model", theta, make([]float64, d.Params), 0)
}

// The same weights in the other layout have the same groups.
func TestColumnsOfBothLayouts(t *testing.T) {
	const inner, d = 3, 4
	r := &source{18}
	rows := r.normals(2 * 2 * inner * d) // two blocks
	transposed := func(v []float64) (w []float64) {
		for _, block := range [][]float64{v[:2*inner*d], v[2*inner*d:]} {
			w = append(w, colMajor(block, inner)...)
		}
		return w
	}
	columns := transposed(rows)
	byRows := sgd.GroupLasso{Columns: sgd.Columns{Inner: inner, D: d, Rows: true}, Mu: .9}
	byColumns := sgd.GroupLasso{Columns: sgd.Columns{Inner: inner, D: d}, Mu: .9}
	near(t, "penalty", []float64{byRows.Value(rows)}, []float64{byColumns.Value(columns)}, 1e-13)
	byRows.Apply(rows, 2)
	byColumns.Apply(columns, 2)
	near(t, "shrunk", transposed(rows), columns, 1e-14)
}

func TestBallFit(t *testing.T) {
	o, d, columns := proximalProblem()
	theta, free, g := make([]float64, d.Params), make([]float64, d.Params), make([]float64, d.Params)

	// A ball that holds the solution changes nothing.
	must(o.SolveCG(free, 1e-13, 0))
	if r := must(o.MinimiseProximal(theta, sgd.Ball{Columns: columns, Rho: 100}, 1e-9, 20000)); !r.Converged {
		t.Fatalf("%+v", r)
	}
	near(t, "inactive", theta, free, 1e-5) // gradient 1e-9 over the least curvature 1e-3

	// An active one: -grad_j is a non-negative multiple of theta_j on the boundary.
	ball := sgd.Ball{Columns: columns, Rho: 1.5}
	if r := must(o.MinimiseProximal(theta, ball, 1e-9, 20000)); !r.Converged {
		t.Fatalf("%+v", r)
	}
	o.GradientTo(g, theta)
	active := 0
	for j := range columns.D {
		w, gj := group(theta, 2, columns.D, j), group(g, 2, columns.D, j)
		l := length(w)
		var along float64
		for i := range w {
			along -= gj[i] * w[i] / l
		}
		if l < ball.Rho-1e-6 {
			near(t, "interior", gj, make([]float64, 4), 1e-7)
			continue
		}
		active++
		if l > ball.Rho*(1+1e-12) || along < 0 {
			t.Errorf("frequency %d: norm %g, multiplier %g", j, l, along)
		}
		near(t, "direction", []float64{along}, []float64{length(gj)}, 1e-7)
	}
	if active == 0 {
		t.Error("no frequency reaches the ball")
	}
}

func TestMinimiseProximalRefuses(t *testing.T) {
	p := sgd.GroupLasso{Columns: sgd.Columns{Inner: 2, D: 2}, Mu: 1}
	theta := make([]float64, 8)
	pinball := fixObjective(func(c *sgd.ObjectiveConfig) { c.Loss = must(sgd.NewPinball(.5)) })
	if _, err := pinball.MinimiseProximal(theta, p, 1e-6, 10); err == nil {
		t.Error("a loss with a kink is accepted")
	}
	o := fixObjective(nil)
	for _, tolerance := range []float64{0, math.NaN()} {
		if _, err := o.MinimiseProximal(theta, p, tolerance, 10); err == nil {
			t.Errorf("tolerance %g is accepted", tolerance)
		}
	}
	theta[1] = math.Inf(1)
	if _, err := o.MinimiseProximal(theta, p, 1e-6, 10); err == nil {
		t.Error("an infinite start is accepted")
	}
}

// The online learner with a group lasso: proximal steps of full batches have the
// fixed point of the batch fit, and a ball is kept at every step.
func TestDoublyStochasticProximal(t *testing.T) {
	cfg := fixConfig()
	cfg.Batch, cfg.Rate = 3, sgd.Constant(.5)
	columns := sgd.Columns{Inner: 2, D: 1, Rows: true}
	cfg.Proximal = sgd.GroupLasso{Columns: columns, Mu: .1}
	l := must(sgd.NewDoublyStochastic(cfg))
	for range 4000 {
		l.Step(fixX, fixY)
	}
	b := fixBlocks()
	o := must(sgd.NewObjective(sgd.ObjectiveConfig{Map: b, Dims: sgd.Dims(b.Dims()), X: fixX, Y: fixY, Lambda: fixLambda}))
	want := make([]float64, 8)
	must(o.MinimiseProximal(want, cfg.Proximal, 1e-12, 100000))
	near(t, "weights", weights(l, 8), want, 1e-10)

	cfg.Proximal, cfg.Decay, cfg.Average = sgd.Ball{Columns: columns, Rho: .3}, sgd.DecayAll, true
	l = must(sgd.NewDoublyStochastic(cfg))
	touched := false
	for range 50 {
		l.Step(fixX, fixY)
		w := weights(l, 8)
		for block := range 2 {
			r := length(w[4*block : 4*block+4])
			if r > .3*(1+1e-12) {
				t.Fatalf("norm %g outside of the ball", r)
			}
			touched = touched || r > .29
		}
	}
	if !touched {
		t.Error("the constraint is never active")
	}
	cfg.Preconditioner = sgd.AdaGrad{Epsilon: 1}
	if _, err := sgd.NewDoublyStochastic(cfg); err == nil {
		t.Error("a Proximal beside a Preconditioner is accepted")
	}
}
