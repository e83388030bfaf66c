package sgd

import (
	"errors"
	"fmt"

	"github.com/orffvar/forecaster/internal/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
)

// FourierConfig describes a Fourier learner.
type FourierConfig struct {
	Inputs      int       // m, length of x
	Frequencies []float64 // W in turns, m x D: column k is frequency k divided by 2 pi
	Given       int       // features beside those of the frequencies
	Outputs     int       // p, length of y
	Step        float64   // mu in (0, 2)
}

// Fourier is NLMS on random Fourier features, with the map inside:
//
//	phi = [given; s cos(W^T x); s sin(W^T x)],   Theta <- Theta + mu e phi^T / ||phi||^2
//
// that is Algorithm 4 of Brault 2017 with one block, one sample and a constant
// step, since the norm of the random features is constant. Weights, frequencies
// and all arithmetic on them are of type T; float32 halves the state.
//
// How it keeps its steps depends on its shape alone, so that the same samples
// give the same bits however they arrive:
//
//   - when weights and frequencies fit into 48 KiB, the first level cache, it keeps
//     one step back, and the next prediction applies it in the same pass;
//   - otherwise it keeps blockSteps of them, so that most passes only read the
//     weights of the block's start, Theta_0, and corrects the predictions by what
//     the kept steps add: Theta_0 phi + sum_s c_s e_s (phi_s . phi).
type Fourier[T vec.Float] struct {
	cfg FourierConfig
	f   *vec.Fourier[T]
	d   int // frequencies
	m   int // length of phi and u, filled up to whole panels

	step vec.FourierStep[T] // Y, X and Scale of the last prediction, Phi its features, A the weights

	c     T   // mu / ||phi||^2 of the last prediction
	limit int // steps kept back at most: 1 or blockSteps
	kept  int // steps kept back: U, limit x m, are their phi and G, limit x p, their c e
	gram  []T // limit, products of the kept phi with the present one
	turn  []T // p x limit, G transposed
}

const (
	firstCache = 48 << 10 // bytes
	blockSteps = 8
)

// NewFourier returns a learner with zero weights. The error names the field that
// is wrong.
func NewFourier[T vec.Float](cfg FourierConfig) (*Fourier[T], error) {
	switch {
	case cfg.Inputs < 1:
		return nil, fmt.Errorf("sgd: Fourier Inputs must be >= 1, got %d", cfg.Inputs)
	case len(cfg.Frequencies) == 0 || len(cfg.Frequencies)%cfg.Inputs != 0:
		return nil, errors.New("sgd: Fourier Frequencies must be Inputs x D, D >= 1")
	case cfg.Given < 0:
		return nil, fmt.Errorf("sgd: Fourier Given must be >= 0, got %d", cfg.Given)
	case cfg.Outputs < 1:
		return nil, fmt.Errorf("sgd: Fourier Outputs must be >= 1, got %d", cfg.Outputs)
	case !(cfg.Step > 0 && cfg.Step < 2):
		return nil, fmt.Errorf("sgd: Fourier Step must be in (0, 2), got %g", cfg.Step)
	}
	l := &Fourier[T]{
		cfg:   cfg,
		f:     vec.NewFourier[T](cfg.Frequencies, cfg.Inputs),
		d:     len(cfg.Frequencies) / cfg.Inputs,
		limit: 1,
	}
	l.cfg.Frequencies = nil // the map has them
	panel := vec.Panel[T]()
	l.m = l.f.Len() + (cfg.Given+panel-1)/panel*panel
	if (cfg.Outputs*l.m+cfg.Inputs*l.f.Len()/2)*(64/panel) > firstCache {
		l.limit = blockSteps
		l.gram = make([]T, l.limit)
		l.turn = make([]T, cfg.Outputs*l.limit)
	}
	l.step = vec.FourierStep[T]{
		Y:   make([]T, cfg.Outputs),
		A:   vec.Aligned[T](cfg.Outputs * l.m),
		G:   make([]T, cfg.Outputs*l.limit),
		U:   vec.Aligned[T](l.limit * l.m),
		Phi: vec.Aligned[T](l.m),
		X:   make([]T, cfg.Inputs),
	}
	return l, nil
}

// Kept returns how many steps are kept back at most.
func (l *Fourier[T]) Kept() int { return l.limit }

// PredictTo sets y = Theta phi for the given features, the input x and the scale
// s of the others.
func (l *Fourier[T]) PredictTo(y, given, x []float64, scale float64) {
	if len(y) != l.cfg.Outputs || len(given) != l.cfg.Given || len(x) != l.cfg.Inputs {
		panic("sgd: Fourier.PredictTo: wrong length")
	}
	rest := l.step.Phi[l.f.Len():]
	norm := scale * scale * float64(l.d)
	for i, v := range given {
		rest[i] = T(v)
		norm += v * v
	}
	l.c = T(l.cfg.Step / (1e-6 + norm))
	for i, v := range x {
		l.step.X[i] = T(v)
	}
	if l.limit == 1 {
		if l.kept == 0 {
			clear(l.step.G) // of a step that was taken
		}
		l.step.Scale = T(scale)
		l.f.Step(&l.step)
		l.kept = 0
	} else {
		l.f.FeaturesTo(l.step.Phi[:l.f.Len()], l.step.X, T(scale))
		vec.MatVecOf(l.step.Y, l.step.A, l.step.Phi)
		if l.kept > 0 {
			gram := l.gram[:l.kept]
			vec.MatVecOf(gram, l.step.U[:l.kept*l.m], l.step.Phi)
			vec.AddMatTVecOf(l.step.Y, l.step.G[:l.kept*l.cfg.Outputs], gram)
		}
	}
	for o, v := range l.step.Y {
		y[o] = float64(v)
	}
}

// Update takes one step from the features of the last PredictTo, given the error
// e = y - Theta phi; see RLS.Update. It comes once at most after a PredictTo.
func (l *Fourier[T]) Update(e []float64) {
	if len(e) != l.cfg.Outputs {
		panic("sgd: Fourier.Update: wrong length")
	}
	c := l.c
	g := l.step.G[l.kept*l.cfg.Outputs:]
	for o, v := range e {
		g[o] = c * T(v)
	}
	if l.limit == 1 {
		l.step.U, l.step.Phi = l.step.Phi, l.step.U
		l.kept = 1
		return
	}
	copy(l.step.U[l.kept*l.m:], l.step.Phi)
	if l.kept++; l.kept == l.limit {
		for k := range l.limit {
			for o, v := range l.step.G[k*l.cfg.Outputs : (k+1)*l.cfg.Outputs] {
				l.turn[o*l.limit+k] = v
			}
		}
		vec.AddMatMulOf(l.step.A, 1, l.turn, l.step.U, l.cfg.Outputs, l.m, l.limit)
		l.kept = 0
	}
}

// WeightsTo sets theta, p x (Given + 2D) row-major, to the weights: of the given
// features, of the cosines and of the sines.
func (l *Fourier[T]) WeightsTo(theta []float64) {
	n := l.cfg.Given + 2*l.d
	if len(theta) != l.cfg.Outputs*n {
		panic("sgd: Fourier.WeightsTo: wrong length")
	}
	for o := range l.cfg.Outputs {
		for i := range n {
			j := l.f.Len() + i
			if i >= l.cfg.Given {
				j = l.f.Place(i - l.cfg.Given)
			}
			v := float64(l.step.A[o*l.m+j])
			for k := range l.kept {
				v += float64(l.step.G[k*l.cfg.Outputs+o]) * float64(l.step.U[k*l.m+j])
			}
			theta[o*n+i] = v
		}
	}
}

// State saves or restores the weights and the steps kept back. After it comes a
// PredictTo, not an Update.
func (l *Fourier[T]) State(c *snapshot.Codec) {
	c.Section("fourier")
	limit := l.limit
	c.Int(&limit)
	if c.Decoding() && limit != l.limit {
		c.Fail("blocks of %d steps where %d were expected", limit, l.limit)
		return
	}
	if l.limit == 1 && l.kept == 1 {
		// The bits that the next prediction would give them.
		vec.AddOuterOf(l.step.A, 1, l.step.G, l.step.U[:l.m])
		l.kept = 0
	}
	numbers(c, l.step.A)
	if l.limit > 1 {
		c.Index(&l.kept, l.limit)
		numbers(c, l.step.G)
		numbers(c, l.step.U)
	}
}

func numbers[T vec.Float](c *snapshot.Codec, v []T) {
	switch v := any(v).(type) {
	case []float64:
		c.Float64s(v)
	case []float32:
		c.Float32s(v)
	}
}
