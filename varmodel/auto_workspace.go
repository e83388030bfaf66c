package varmodel

import (
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/sgd"
)

// Workspace is what default models can share that are never used at the same time: scratch
// memory, and the random frequencies, which depend on the configuration alone. Fleets of
// small series need it once instead of once per series. The zero value is ready for use.
type Workspace struct {
	newton   sgd.Workspace
	toeplitz map[toeplitzShape]*vec.Toeplitz
	drawn    map[drawing]*orff.Adaptive
}

type toeplitzShape struct{ order, columns int }

// drawing is all that the frequencies of an expert depend on.
type drawing struct {
	seed                           uint64
	block, dim, order, frequencies int
	bandwidth                      float64
	additive                       bool
}

// solver returns the solver for Toeplitz matrices of a shape.
func (w *Workspace) solver(order, columns int) *vec.Toeplitz {
	shape := toeplitzShape{order, columns}
	s := w.toeplitz[shape]
	if s == nil {
		s = vec.NewToeplitz(order, columns)
		if w.toeplitz == nil {
			w.toeplitz = make(map[toeplitzShape]*vec.Toeplitz)
		}
		w.toeplitz[shape] = s
	}
	return s
}

// features returns features with the frequencies of a drawing and a bandwidth of their own.
func (w *Workspace) features(d drawing) (*orff.Adaptive, error) {
	if a := w.drawn[d]; a != nil {
		return a.Copy(), nil
	}
	a, err := orff.NewAdaptive(d.order*d.dim, d.frequencies, d.bandwidth, orff.BlockRand(d.seed, d.block))
	if err != nil {
		return nil, err
	}
	if d.additive {
		a.AlignAxes()
	}
	if w.drawn == nil {
		w.drawn = make(map[drawing]*orff.Adaptive)
	}
	w.drawn[d] = a
	return a.Copy(), nil
}
