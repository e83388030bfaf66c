package sgd_test

import (
	"math"
	"testing"

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
			if !(cost(other) >= best) {
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

// The fixed point of proximal steps of full batches minimises the objective with the
// penalty (Karush, Kuhn and Tucker): a kept frequency has grad_j = -mu theta_j/||theta_j||,
// a removed one ||grad_j|| <= mu.
func TestDoublyStochasticProximal(t *testing.T) {
	cfg := fixConfig()
	cfg.Batch, cfg.Rate = 3, sgd.Constant(.5)
	b := fixBlocks()
	o := must(sgd.NewObjective(sgd.ObjectiveConfig{Map: b, X: fixX, Y: fixY, Lambda: fixLambda}))
	g := make([]float64, 8)
	kept := map[float64]int{}
	for _, mu := range []float64{.1, .4} {
		cfg.Proximal = sgd.GroupLasso{Columns: sgd.Columns{Inner: 2, D: 1, Rows: true}, Mu: mu}
		l := must(sgd.NewDoublyStochastic(cfg))
		for range 4000 {
			stepOn(l, fixX, fixY, len(fixX)/2)
		}
		theta := weights(l, 8)
		o.GradientTo(g, theta)
		for at := 0; at < 8; at += 4 { // two blocks of one frequency
			w, gj := theta[at:at+4], g[at:at+4]
			if length(w) == 0 {
				if !(length(gj) <= mu) {
					t.Errorf("mu %g: a frequency was removed with a gradient of %g", mu, length(gj))
				}
				continue
			}
			kept[mu]++
			for i := range w {
				near(t, "stationarity", []float64{gj[i] + mu*w[i]/length(w)}, []float64{0}, 1e-10)
			}
		}
	}
	if kept[.1] != 2 || kept[.4] == 2 {
		t.Errorf("frequencies kept by mu: %v", kept)
	}
	cfg.Preconditioner = sgd.AdaGrad{Epsilon: 1}
	if _, err := sgd.NewDoublyStochastic(cfg); err == nil {
		t.Error("a Proximal beside a Preconditioner is accepted")
	}
}
