package sgd

import (
	"errors"
	"fmt"
	"math"

	"github.com/orffvar/forecaster/internal/vec"
)

// Columns says which weights belong to one frequency: theta is a matrix of
// Inner rows and 2 D columns, and frequency j owns column j (its cosine) and
// column D+j (its sine). A map of blocks has one such matrix for each block.
type Columns struct {
	Inner int // p' of decomposable maps, 1 of curl-free and d of divergence-free ones
	D     int // frequencies of a block

	// Rows says that the matrix is stored row by row, as that of a decomposable map;
	// else it is column by column.
	Rows bool
}

// group is the weights of one frequency: the cosines at first + i stride, i < n, and
// the sines sine further on.
type group struct {
	theta               []float64
	first, stride, sine int
	n                   int
}

// each calls f with each frequency of each block.
func (c Columns) each(theta []float64, f func(g group)) {
	half := c.Inner * c.D
	if half < 1 || len(theta)%(2*half) != 0 {
		panic(badLength)
	}
	next, g := c.Inner, group{stride: 1, sine: half, n: c.Inner}
	if c.Rows {
		next, g.stride, g.sine = 1, 2*c.D, c.D
	}
	for ; len(theta) > 0; theta = theta[2*half:] {
		g.theta = theta
		for j := range c.D {
			g.first = j * next
			f(g)
		}
	}
}

func (g group) norm() float64 {
	var s float64
	for i := range g.n {
		at := g.first + i*g.stride
		s += g.theta[at]*g.theta[at] + g.theta[at+g.sine]*g.theta[at+g.sine]
	}
	return math.Sqrt(s)
}

func (g group) scale(f float64) {
	for i := range g.n {
		at := g.first + i*g.stride
		g.theta[at] *= f
		g.theta[at+g.sine] *= f
	}
}

// Proximal is a convex penalty, of weights in the layout of Columns, given by
// its proximal operator.
type Proximal interface {
	// Value returns the penalty; +Inf outside of its domain.
	Value(theta []float64) float64

	// Apply replaces theta by argmin_u ||u - theta||^2/2 + step Value(u).
	Apply(theta []float64, step float64)
}

// GroupLasso is Mu times the sum over the frequencies of ||theta_j||: it removes
// whole frequencies from the map (Yuan and Lin 2006).
type GroupLasso struct {
	Columns Columns
	Mu      float64 // >= 0
}

// Value returns Mu sum_j ||theta_j||.
func (p GroupLasso) Value(theta []float64) (v float64) {
	p.Columns.each(theta, func(g group) { v += p.Mu * g.norm() })
	return v
}

// Apply shrinks the norm of each frequency by step Mu, at most to 0.
func (p GroupLasso) Apply(theta []float64, step float64) {
	t := step * p.Mu
	p.Columns.each(theta, func(g group) {
		if r := g.norm(); r <= t {
			g.scale(0)
		} else if t > 0 {
			g.scale(1 - t/r)
		}
	})
}

// Ball is the constraint ||theta_j|| <= Rho for each frequency. With Rho =
// M/sqrt(D) it makes empirical risk minimisation over D bounded features
// consistent (Brault 2017, Proposition 7.3, for features with the factor
// 1/sqrt(D)).
type Ball struct {
	Columns Columns
	Rho     float64 // > 0
}

// Value returns 0 inside and +Inf outside of the constraint. A norm that exceeds
// Rho by rounding counts as inside.
func (p Ball) Value(theta []float64) (v float64) {
	p.Columns.each(theta, func(g group) {
		if g.norm() > p.Rho*(1+1e-12) {
			v = math.Inf(1)
		}
	})
	return v
}

// Apply projects: theta_j *= min(1, Rho/||theta_j||), whatever the step.
func (p Ball) Apply(theta []float64, _ float64) {
	p.Columns.each(theta, func(g group) {
		if r := g.norm(); r > p.Rho {
			g.scale(p.Rho / r)
		}
	})
}

// MinimiseProximal minimises R + penalty by accelerated proximal gradient steps
// with backtracking (FISTA, Beck and Teboulle 2009, started again whenever the
// objective rises), starting from theta and leaving the solution there. The loss
// must have a Lipschitz gradient: Squared or Huber. It stops when the
// generalised gradient (theta - prox(theta - step grad))/step is below tolerance
// times max(1, ||theta||).
func (o *Objective) MinimiseProximal(theta []float64, penalty Proximal, tolerance float64, maxIterations int) (Result, error) {
	switch o.cfg.Loss.(type) {
	case Squared, Huber:
	default:
		return Result{}, fmt.Errorf("sgd: proximal gradient steps need a smooth loss, not %T", o.cfg.Loss)
	}
	n := o.cfg.Dims.Params
	if len(theta) != n {
		panic(badLength)
	}
	if !(tolerance > 0) || maxIterations < 1 {
		return Result{}, errors.New("sgd: proximal gradient steps need tolerance > 0 and maxIterations >= 1")
	}
	penalty.Apply(theta, 0)
	at, next, diff, g := append([]float64(nil), theta...), make([]float64, n), make([]float64, n), make([]float64, n)
	best := o.GradientTo(g, theta) + penalty.Value(theta)
	step, momentum := 1.0, 1.0
	var residual float64
	for k := 1; k <= maxIterations; k++ {
		smooth := o.GradientTo(g, at)
		if math.IsNaN(smooth) || math.IsInf(smooth, 0) {
			return Result{}, errNotFinite
		}
		var value float64
		for {
			copy(next, at)
			vec.Axpy(-step, g, next)
			penalty.Apply(next, step)
			copy(diff, next)
			vec.Axpy(-1, at, diff)
			square := vec.Dot(diff, diff)
			value = o.valueOf(next)
			// The quadratic model at `at` must be an upper bound; close to the solution
			// both sides agree but for rounding.
			if value <= smooth+vec.Dot(g, diff)+square/(2*step)+1e-14*math.Abs(smooth) {
				residual = math.Sqrt(square) / step
				break
			}
			step /= 2
		}
		value += penalty.Value(next)
		if value > best && momentum > 1 { // start again from the best point
			momentum = 1
			copy(at, theta)
			continue
		}
		best = value
		if residual <= tolerance*max(1, norm(next)) {
			copy(theta, next)
			return Result{k, best, residual, true}, nil
		}
		m := (1 + math.Sqrt(1+4*momentum*momentum)) / 2
		for i, v := range next {
			at[i] = v + (momentum-1)/m*(v-theta[i])
		}
		momentum = m
		copy(theta, next)
	}
	return Result{maxIterations, best, residual, false}, nil
}

// valueOf returns R.
func (o *Objective) valueOf(theta []float64) float64 {
	f := o.Predictions(theta)
	value := o.inv*LossOf(o.cfg.Loss, f, o.cfg.Y) + o.cfg.Lambda/2*vec.Dot(theta, theta)
	if o.cfg.Manifold > 0 {
		value += o.addSmoothness(f) // e is scratch between calls
	}
	return value
}
