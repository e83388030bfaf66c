package penalties

import (
	"math"

	"github.com/orffvar/forecaster/sgd/internal/numeric"
)

// Columns says which weights belong to one frequency: theta is a matrix of
// Inner rows and 2 D columns, and frequency j owns column j (its cosine) and
// column D+j (its sine). A map of blocks has one such matrix for each block.
type Columns struct {
	Inner int // p' of decomposable maps, 1 of curl-free and d of divergence-free ones
	D     int // frequencies of a block

	// Rows: the matrix is stored row by row, as for a decomposable map;
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
		panic(numeric.BadLength)
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
