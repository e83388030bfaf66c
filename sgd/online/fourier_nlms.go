package online

import (
	"errors"
	"fmt"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
)

// FourierNLMSConfig describes a Fourier learner.
type FourierNLMSConfig struct {
	Inputs      int       // m, length of x
	Frequencies []float64 // W in turns, m x D: column k is frequency k divided by 2 pi
	Given       int       // features beside the cosines and sines
	Outputs     int       // p, length of y
	Step        float64   // mu in (0, 2)
}

// FourierNLMS is normalised stochastic gradient descent on the squared error (NLMS) on
// random Fourier features, with the map inside:
//
//	phi = [given; cos(W^T x); sin(W^T x)],   Theta <- Theta + mu e phi^T / ||phi||^2
//
// that is Algorithm 4 of Brault 2017 with one block, one sample and a constant
// step, since the norm of the random features is constant. It is stable for 0 < mu < 2.
//
// Storing a weight costs as much as computing with it, and more when the weights exceed the
// cache. So the learner delays a few steps, takes them all in the pass of a later
// prediction, and corrects the predictions in between:
//
//	Theta phi + sum_s c_s e_s (phi_s . phi)
//
// The number of delayed steps depends on the shape only, so that the same samples give the
// same bits however they arrive.
type FourierNLMS struct {
	cfg   FourierNLMSConfig
	f     *vec.FourierWeights
	d     int     // frequencies
	limit int     // largest number of steps that are kept back
	c     float64 // mu / ||phi||^2 of the last prediction
}

const (
	firstCache = 48 << 10 // bytes
	fewSteps   = 3        // limit if weights and frequencies fit into this cache
	manySteps  = 8
)

// NewFourier returns a learner with zero weights. The error names the field that
// is wrong.
func NewFourierNLMS(cfg FourierNLMSConfig) (*FourierNLMS, error) {
	switch {
	case cfg.Inputs < 1:
		return nil, fmt.Errorf("online: FourierNLMS Inputs must be >= 1, got %d", cfg.Inputs)
	case len(cfg.Frequencies) == 0 || len(cfg.Frequencies)%cfg.Inputs != 0:
		return nil, errors.New("online: FourierNLMS Frequencies must be Inputs x D, D >= 1")
	case cfg.Given < 0:
		return nil, fmt.Errorf("online: FourierNLMS Given must be >= 0, got %d", cfg.Given)
	case cfg.Outputs < 1:
		return nil, fmt.Errorf("online: FourierNLMS Outputs must be >= 1, got %d", cfg.Outputs)
	case !(cfg.Step > 0 && cfg.Step < 2):
		return nil, fmt.Errorf("online: FourierNLMS Step must be in (0, 2), got %g", cfg.Step)
	}
	l := &FourierNLMS{cfg: cfg, d: len(cfg.Frequencies) / cfg.Inputs, limit: fewSteps}
	fill := func(n int) int { return (n + vec.Panel - 1) / vec.Panel * vec.Panel }
	m := 2*fill(l.d) + fill(cfg.Given) // length of a row of weights
	if 8*(cfg.Outputs*m+cfg.Inputs*fill(l.d)) > firstCache {
		l.limit = manySteps
	}
	l.f = vec.NewFourierWeights(cfg.Frequencies, cfg.Inputs, cfg.Given, cfg.Outputs, l.limit)
	l.cfg.Frequencies = nil // the map has them
	return l, nil
}

// Kept returns how many steps are kept back at most.
func (l *FourierNLMS) Kept() int { return l.limit }

// PredictTo sets y = Theta phi for the given features and the input x. Without x
// all random features are zero.
func (l *FourierNLMS) PredictTo(y, given, x []float64) {
	if len(y) != l.cfg.Outputs || len(given) != l.cfg.Given || len(x) != l.cfg.Inputs && len(x) != 0 {
		panic("online: FourierNLMS.PredictTo: wrong length")
	}
	norm := 1e-6
	if len(given) > 0 {
		copy(l.f.Given(), given)
		for _, v := range given {
			norm += v * v
		}
	}
	if len(x) > 0 {
		norm += float64(l.d)
	}
	l.f.PredictTo(y, x)
	l.c = l.cfg.Step / norm
}

// Update takes one step from the features of the last PredictTo, given the error
// e = y - Theta phi; see RLS.Update. It comes once at most after a PredictTo.
func (l *FourierNLMS) Update(e []float64) {
	if len(e) != l.cfg.Outputs {
		panic("online: FourierNLMS.Update: wrong length")
	}
	l.f.Keep(l.c, e)
}

// WeightsTo sets theta, p x (Given + 2D) row-major, to the weights of the given features, then
// of the cosines, then of the sines.
func (l *FourierNLMS) WeightsTo(theta []float64) {
	n := l.cfg.Given + 2*l.d
	if len(theta) != l.cfg.Outputs*n {
		panic("online: FourierNLMS.WeightsTo: wrong length")
	}
	for o := range l.cfg.Outputs {
		for i := range n {
			place := i + 2*l.d // given features are the last
			if i >= l.cfg.Given {
				place = i - l.cfg.Given
			}
			theta[o*n+i] = l.f.Weight(o, l.f.Place(place))
		}
	}
}

// State saves or restores the weights and the steps that were put off. The next call after it is
// PredictTo, not Update.
func (l *FourierNLMS) State(c *snapshot.Codec) {
	c.Section("fourier")
	limit := l.limit
	c.Int(&limit)
	if c.Decoding() && limit != l.limit {
		c.Fail("blocks of %d steps where %d were expected", limit, l.limit)
		return
	}
	l.f.State(c)
}
