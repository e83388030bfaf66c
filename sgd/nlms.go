package sgd

import (
	"fmt"

	"github.com/orffvar/forecaster/internal/snapshot"
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
//	Theta <- Theta + mu phi e^T / ||phi||^2
//
// It is stable for every input when 0 < mu < 2. With random Fourier features
// alone the norm is constant and NLMS is Algorithm 4 of Brault 2017 with one
// block, one sample and a constant step.
type NLMS struct {
	cfg   NLMSConfig
	theta []float64
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
	return &NLMS{cfg: cfg, theta: make([]float64, cfg.Features*cfg.Outputs)}, nil
}

// Weights returns Theta, M x p row-major: a view that Update changes.
func (l *NLMS) Weights() []float64 { return l.theta }

// PredictTo sets y = Theta^T phi.
func (l *NLMS) PredictTo(y, phi []float64) { predictTo(y, l.theta, phi) }

// Update takes one step, given the error e = y - Theta^T phi of the weights as
// they are now; see RLS.Update.
func (l *NLMS) Update(phi, e []float64) {
	if len(phi) != l.cfg.Features || len(e) != l.cfg.Outputs {
		panic("sgd: NLMS.Update: wrong length")
	}
	p := len(e)
	c := l.cfg.Step / (1e-6 + dot(phi, phi))
	for i, f := range phi {
		axpy(l.theta[i*p:(i+1)*p], c*f, e)
	}
}

// State saves or restores the weights.
func (l *NLMS) State(c *snapshot.Codec) {
	c.Section("nlms")
	c.Float64s(l.theta)
}
