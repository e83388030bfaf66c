package online

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
)

// RLSConfig describes a recursive least squares learner.
type RLSConfig struct {
	Features   int     // M, length of phi
	Outputs    int     // p, length of y; all outputs share one P
	Ridge      float64 // lambda > 0, P starts as I/lambda
	Forgetting float64 // beta in (0, 1], weight of a sample after one step; 1 forgets nothing

	// MaxLeverage limits the influence of one sample: when its leverage
	// h = phi^T P phi is larger, it gets the weight MaxLeverage/h. 0 means no
	// limit; 1 is a good choice for data with outliers.
	MaxLeverage float64
}

// RLS is recursive least squares (Amblard and Kadri 2015; Brault 2017, section 3.3.4):
// after n samples its weights Theta, p x M, minimise
//
//	sum_t beta^(n-t) ||y_t - Theta phi_t||^2 + lambda ||Theta||_F^2
//
// exactly when beta = 1. With beta < 1 the textbook recursion forgets the ridge
// as well, and P grows without bound in directions that are not excited. What
// was forgotten is therefore put back on one diagonal entry after the other ("leak"):
// P^-1 stays above about lambda I permanently.
//
// P stays symmetric to the last bit, whatever the rounding; the textbook form
// explodes after some 10^5 steps.
type RLS struct {
	cfg RLSConfig

	theta []float64  // p x M, row-major
	p     covariance // M x M
	every int        // steps from one leak to the next
	phase int        // steps since the leak of entry 0, of every*M

	gain   []float64 // P phi, or a row of P; scratch
	weight []float64 // one weight of each output; scratch
}

// NewRLS returns a learner with zero weights. The error names the field that
// is wrong.
func NewRLS(cfg RLSConfig) (*RLS, error) { return rlsOf(cfg, newCovariance) }

// rlsOf is NewRLS with P of any kind.
func rlsOf(cfg RLSConfig, covarianceOf func(order int) covariance) (*RLS, error) {
	switch {
	case cfg.Features < 1:
		return nil, fmt.Errorf("online: RLS Features must be >= 1, got %d", cfg.Features)
	case cfg.Outputs < 1:
		return nil, fmt.Errorf("online: RLS Outputs must be >= 1, got %d", cfg.Outputs)
	case !(cfg.Ridge > 0) || math.IsInf(cfg.Ridge, 1):
		return nil, fmt.Errorf("online: RLS Ridge must be > 0 and finite, got %g", cfg.Ridge)
	case !(cfg.Forgetting > 0 && cfg.Forgetting <= 1):
		return nil, fmt.Errorf("online: RLS Forgetting must be in (0, 1], got %g", cfg.Forgetting)
	case !(cfg.MaxLeverage >= 0):
		return nil, fmt.Errorf("online: RLS MaxLeverage must be >= 0, got %g", cfg.MaxLeverage)
	}
	m := cfg.Features
	r := &RLS{
		cfg: cfg,
		// In a round of leaks P may grow by a tenth; one at each step would cost
		// as much as learning.
		every:  int(max(1, min(0.1/(float64(m)*(1-cfg.Forgetting)), 1000))),
		theta:  make([]float64, cfg.Outputs*m),
		p:      covarianceOf(m),
		gain:   make([]float64, m),
		weight: make([]float64, cfg.Outputs),
	}
	r.resetP()
	return r, nil
}

func (r *RLS) resetP() {
	r.p.SetIdentity(1 / r.cfg.Ridge)
	r.phase = 0
}

// Reset forgets everything that was learnt.
func (r *RLS) Reset() {
	clear(r.theta)
	r.resetP()
}

// Weights returns Theta, p x M row-major: a view that Update changes.
func (r *RLS) Weights() []float64 { return r.theta }

// PredictTo sets y = Theta phi.
func (r *RLS) PredictTo(y, phi []float64) { vec.MatVec(y, r.theta, phi) }

// Update learns from phi, given the error e = y - Theta phi of the weights as
// they are now. A zero in e (a missing coordinate) leaves that output as it is.
// The caller may have clipped e.
func (r *RLS) Update(phi, e []float64) {
	if len(phi) != r.cfg.Features || len(e) != r.cfg.Outputs {
		panic("online: RLS.Update: wrong length")
	}
	g := r.gain
	h := r.p.Project(g, phi)
	if !(h >= 0) || math.IsInf(h, 1) { // P lost definiteness or overflowed
		r.resetP()
		return
	}
	beta := r.cfg.Forgetting
	noise := beta
	if limit := r.cfg.MaxLeverage; limit > 0 && h > limit {
		noise = beta * h / limit
	}
	c := 1 / (noise + h)
	r.p.Observe(g, noise, c)
	vec.AddOuter(r.theta, c, e, g)
	if beta < 1 {
		r.p.Scale(1 / beta)
		r.leak()
	}
}

// leak observes periodically that one weight of each output is 0, with the precision that
// beta has taken from it since its last leak.
func (r *RLS) leak() {
	m := r.cfg.Features
	phase := r.phase
	r.phase = (r.phase + 1) % (r.every * m)
	if phase%r.every != 0 {
		return
	}
	r.shrink(phase/r.every, (1-r.cfg.Forgetting)*float64(r.every*m)*r.cfg.Ridge)
}

// shrink learns the pseudo-sample phi = sqrt(a) e_j, y = 0: weight j of each output is 0, with
// precision a.
func (r *RLS) shrink(j int, a float64) {
	m, g := r.cfg.Features, r.gain
	c := a / (1 + a*r.p.ProjectUnit(g, j))
	r.p.Observe(g, 1/a, c)
	for o := range r.weight {
		r.weight[o] = r.theta[o*m+j]
	}
	vec.AddOuter(r.theta, -c, r.weight, g)
}

// Discount multiplies the weight of all samples so far by keep in (0, 1]. The ridge stays:
// Theta minimises the discounted sum of squares.
func (r *RLS) Discount(keep float64) {
	if !(keep > 0 && keep <= 1) {
		panic("online: RLS.Discount: not in (0, 1]")
	}
	if keep == 1 {
		return
	}
	r.p.Scale(1 / keep)
	for j := range r.cfg.Features {
		r.shrink(j, (1-keep)*r.cfg.Ridge)
	}
}

// State saves or restores the weights and P.
func (r *RLS) State(c *snapshot.Codec) {
	c.Section("rls")
	c.Float64s(r.theta)
	r.p.State(c)
	c.Index(&r.phase, r.every*r.cfg.Features)
}
