package auto

import (
	"slices"

	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/sgd/online"
	"github.com/orffvar/forecaster/varmodel/internal/regression"
)

// Workspace holds scratch memory and random frequencies, which depend only on the configuration. Several models can
// share a Workspace if they are never used at the same time. A fleet of small series then needs this memory only
// once. The zero value is ready for use.
type Workspace struct {
	newton   online.Workspace
	toeplitz map[toeplitzShape]*vec.Toeplitz
	drawn    map[drawing]*orff.Adaptive
	lagged   map[lagShape]*lagScratch

	spare map[learnerShape]regression.Resettable // learners replaced by refits, for reuse in the next refit; one per shape
	alone bool                                   // true: one model owns the workspace, and spare stays empty

	lags, inputs, errors []float64 // scratch of experts; see rows
	points, squares      []float64 // scratch of refit.bandwidthAt
}

// rows returns memory like lanes.Rows(rows, n), but with undefined values. It uses the memory of s, and replaces s
// if it is too small.
func rows(s *[]float64, rows, n int) []float64 {
	if room := rows*n + vec.Stride(n); cap(*s) < room {
		*s = vec.Aligned(room)
	}
	return (*s)[:rows*n]
}

type learnerShape struct {
	spec          expertSpec
	dim, features int
}

// takeLearner returns a spare learner for e after a reset, or nil if there is none.
func (w *Workspace) takeLearner(e *expert) regression.Resettable {
	shape := learnerShape{e.expertSpec, e.dim, e.Features()}
	l := w.spare[shape]
	if l != nil {
		delete(w.spare, shape)
		l.Reset()
	}
	return l
}

// keepLearner keeps the learner of e when a refit replaces it. Without reuse, the refits of a fleet would make as much
// garbage as its models have memory.
func (w *Workspace) keepLearner(e *expert) {
	if w.alone {
		return
	}
	if w.spare == nil {
		w.spare = make(map[learnerShape]regression.Resettable)
	}
	w.spare[learnerShape{e.expertSpec, e.dim, e.Features()}] = e.learner
}

type toeplitzShape struct{ order, columns int }

type lagShape struct{ stride, steps, dim int }

// drawing holds the parameters that determine the frequencies of an expert.
type drawing struct {
	seed                           uint64
	block, dim, order, frequencies int
	bandwidth                      float64
	additive                       bool
}

// solver returns the solver for Toeplitz matrices of the given order, with the given number of columns.
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

// lagScratch returns the scratch memory of a lag regression.
func (w *Workspace) lagScratch(l *lagRegression) *lagScratch {
	shape := lagShape{l.stride, len(l.roots), l.dim}
	s := w.lagged[shape]
	if s == nil {
		s = &lagScratch{
			pooled: vec.NewSym(l.stride), sum: vec.NewSym(l.stride), solver: vec.NewCholesky(l.stride),
			pooledProducts: make([]float64, lagMost*l.stride),
			inputs:         vec.Aligned(lagBatch * l.stride), targets: make([]float64, lagBatch*lagMost),
			means: make([]float64, lagBatch*len(l.edges)*l.width),
			ones:  slices.Repeat([]float64{1}, l.dim), increments: make([]float64, len(l.roots)*l.dim),
			start: make([]float64, l.dim),
		}
		first := 1
		for _, edge := range l.edges {
			size := edge - first + 1
			s.shares = append(s.shares, slices.Repeat([]float64{1 / float64(size)}, size))
			first = edge + 1
		}
		if w.lagged == nil {
			w.lagged = make(map[lagShape]*lagScratch)
		}
		w.lagged[shape] = s
	}
	return s
}

// Features returns random features with the frequencies of d. Each call returns a copy with its own bandwidth.
func (w *Workspace) Features(d drawing) (*orff.Adaptive, error) {
	if a := w.drawn[d]; a != nil {
		return a.Copy(), nil
	}
	a, err := orff.NewAdaptive(d.order*d.dim, d.frequencies, d.bandwidth, random.Block(d.seed, d.block))
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
