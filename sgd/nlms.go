package sgd

import (
	"fmt"

	"github.com/orffvar/forecaster/internal/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
)

// NLMSConfig describes a normalised stochastic gradient learner.
type NLMSConfig struct {
	Features int     // M, length of phi
	Outputs  int     // p, length of y
	Step     float64 // mu in (0, 2)
}

// NLMS is stochastic gradient descent on the squared error with the step
// divided by the squared norm of the input:
//
//	Theta <- Theta + mu e phi^T / ||phi||^2
//
// It is stable for every input when 0 < mu < 2. With random Fourier features
// alone the norm is constant and NLMS is Algorithm 4 of Brault 2017 with one
// block, one sample and a constant step.
type NLMS struct {
	cfg   NLMSConfig
	theta []float64 // p x M, row-major

	// The last step, g u^T, is kept back until the next prediction, which then
	// goes once over Theta instead of twice.
	g, u    []float64
	pending bool

	gram, steps, turned []float64 // scratch of LearnBlock: n x n, n x p, p x n
}

// NewNLMS returns a learner with zero weights. The error names the field that
// is wrong.
func NewNLMS(cfg NLMSConfig) (*NLMS, error) {
	switch {
	case cfg.Features < 1:
		return nil, fmt.Errorf("sgd: NLMS Features must be >= 1, got %d", cfg.Features)
	case cfg.Outputs < 1:
		return nil, fmt.Errorf("sgd: NLMS Outputs must be >= 1, got %d", cfg.Outputs)
	case !(cfg.Step > 0 && cfg.Step < 2):
		return nil, fmt.Errorf("sgd: NLMS Step must be in (0, 2), got %g", cfg.Step)
	}
	return &NLMS{
		cfg:   cfg,
		theta: make([]float64, cfg.Outputs*cfg.Features),
		g:     make([]float64, cfg.Outputs),
		u:     make([]float64, cfg.Features),
	}, nil
}

// Weights returns Theta, p x M row-major: a view, valid until the next Update.
func (l *NLMS) Weights() []float64 {
	l.flush()
	return l.theta
}

// flush takes the step that was kept back. The weights get the bits that they
// would have got from PredictTo.
func (l *NLMS) flush() {
	if l.pending {
		vec.AddOuter(l.theta, 1, l.g, l.u)
		l.pending = false
	}
}

// PredictTo sets y = Theta phi.
func (l *NLMS) PredictTo(y, phi []float64) {
	if l.pending {
		vec.UpdateMatVec(y, l.theta, l.g, l.u, phi)
		l.pending = false
		return
	}
	vec.MatVec(y, l.theta, phi)
}

// Update takes one step, given the error e = y - Theta phi of the weights as
// they are now; see RLS.Update.
func (l *NLMS) Update(phi, e []float64) {
	if len(phi) != l.cfg.Features || len(e) != l.cfg.Outputs {
		panic("sgd: NLMS.Update: wrong length")
	}
	l.flush()
	c := l.cfg.Step / (1e-6 + vec.Dot(phi, phi))
	for o, v := range e {
		l.g[o] = c * v
	}
	copy(l.u, phi)
	l.pending = true
}

// LearnBlock learns n = len(y)/p pairs, phi n x M and y n x p, one after the
// other, and sets pred, n x p, to the prediction of each before its own step:
// the result of n times PredictTo and Update, up to rounding. It goes over the
// weights twice in all, because the prediction of sample s is that of the first
// weights and what the steps before it add,
//
//	pred_s = Theta phi_s + sum_(r<s) c_r (phi_r . phi_s) (y_r - pred_r).
//
// That pays for a backlog when Theta is larger than the caches. It allocates
// when n is larger than in all calls before.
func (l *NLMS) LearnBlock(pred, phi, y []float64) {
	m, p := l.cfg.Features, l.cfg.Outputs
	n := len(y) / p
	if len(y) != n*p || len(pred) != n*p || len(phi) != n*m {
		panic("sgd: NLMS.LearnBlock: wrong length")
	}
	l.flush()
	if len(l.gram) < n*n {
		l.gram, l.steps, l.turned = make([]float64, n*n), make([]float64, n*p), make([]float64, n*p)
	}
	gram, steps, turned := l.gram[:n*n], l.steps[:n*p], l.turned[:n*p]
	vec.MatMulT(pred, phi, l.theta, n, p, m)
	vec.MatMulT(gram, phi, phi, n, n, m)
	for s := range n {
		row, ps := gram[s*n:(s+1)*n], pred[s*p:(s+1)*p]
		vec.AddMatTVec(ps, steps[:s*p], row[:s])
		c := l.cfg.Step / (1e-6 + row[s])
		for o, v := range ps {
			step := c * (y[s*p+o] - v)
			steps[s*p+o] = step
			turned[o*n+s] = step
		}
	}
	vec.AddMatMul(l.theta, 1, turned, phi, p, m, n)
}

// State saves or restores the weights.
func (l *NLMS) State(c *snapshot.Codec) {
	l.flush()
	c.Section("nlms")
	c.Float64s(l.theta)
}
