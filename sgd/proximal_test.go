package sgd_test

import (
	"math"
	"testing"

	"github.com/orffvar/forecaster/sgd/internal/fixture"

	"github.com/orffvar/forecaster/sgd"
	"github.com/orffvar/forecaster/sgd/batch"
	"github.com/orffvar/forecaster/sgd/penalties"
	"github.com/orffvar/forecaster/sgd/rates"
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
	p := penalties.GroupLasso{Columns: penalties.Columns{Inner: 1, D: 2}, Mu: 2}
	theta := []float64{3, .1, 4, -.2} // groups (3, 4) and (.1, -.2)
	fixture.Near(t, "penalty", []float64{p.Value(theta)}, []float64{2 * (5 + math.Sqrt(.05))}, 1e-15)
	p.Apply(theta, .5)
	fixture.Near(t, "prox", theta, []float64{3 * .8, 0, 4 * .8, 0}, 1e-15)
	before := append([]float64(nil), theta...)
	p.Apply(theta, 0)
	fixture.Same(t, "step 0", theta, before)

	// Optimality of the operator: v - theta is in -step mu times the
	// subdifferential of the norm, and no other point is better.
	r := &fixture.Source{S: 1}
	for range 200 {
		theta := r.Normals(24) // two blocks of three frequencies, inner 2
		p := penalties.GroupLasso{Columns: penalties.Columns{Inner: 2, D: 3, Rows: true}, Mu: r.Uniform()}
		step := 3 * r.Uniform()
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
				other[i] = u[i] + .1*r.Normal()
			}
			if !(cost(other) >= best) {
				t.Fatal("the operator is not the minimiser")
			}
		}
		for block := range 2 {
			for j := range 3 {
				a, b := group(theta[12*block:], 2, 3, j), group(u[12*block:], 2, 3, j)
				if l := length(a); l <= step*p.Mu {
					fixture.Near(t, "removed", b, make([]float64, 4), 0)
				} else {
					fixture.Near(t, "shrunk", []float64{length(b)}, []float64{l - step*p.Mu}, 1e-14)
				}
			}
		}
	}
}

// The same weights in the other layout have the same groups.
func TestColumnsOfBothLayouts(t *testing.T) {
	const inner, d = 3, 4
	r := &fixture.Source{S: 18}
	rows := r.Normals(2 * 2 * inner * d) // two blocks
	transposed := func(v []float64) (w []float64) {
		for _, block := range [][]float64{v[:2*inner*d], v[2*inner*d:]} {
			w = append(w, fixture.ColMajor(block, inner)...)
		}
		return w
	}
	columns := transposed(rows)
	byRows := penalties.GroupLasso{Columns: penalties.Columns{Inner: inner, D: d, Rows: true}, Mu: .9}
	byColumns := penalties.GroupLasso{Columns: penalties.Columns{Inner: inner, D: d}, Mu: .9}
	fixture.Near(t, "penalty", []float64{byRows.Value(rows)}, []float64{byColumns.Value(columns)}, 1e-13)
	byRows.Apply(rows, 2)
	byColumns.Apply(columns, 2)
	fixture.Near(t, "shrunk", transposed(rows), columns, 1e-14)
}

// The fixed point of proximal steps of full batches minimises the objective with the
// penalty (Karush, Kuhn and Tucker): a kept frequency has grad_j = -mu theta_j/||theta_j||,
// a removed one ||grad_j|| <= mu.
func TestDoublyStochasticProximal(t *testing.T) {
	cfg := fixture.Config()
	cfg.Batch, cfg.Rate = 3, rates.Constant(.5)
	b := fixture.Blocks()
	o := fixture.Must(batch.NewObjective(batch.ObjectiveConfig{Map: b, X: fixture.X, Y: fixture.Y, Lambda: fixture.Lambda}))
	g := make([]float64, 8)
	kept := map[float64]int{}
	for _, mu := range []float64{.1, .4} {
		cfg.Proximal = penalties.GroupLasso{Columns: penalties.Columns{Inner: 2, D: 1, Rows: true}, Mu: mu}
		l := fixture.Must(sgd.NewDoublyStochastic(cfg))
		for range 4000 {
			fixture.StepOn(l, fixture.X, fixture.Y, len(fixture.X)/2)
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
				fixture.Near(t, "stationarity", []float64{gj[i] + mu*w[i]/length(w)}, []float64{0}, 1e-10)
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
