package online

import (
	"fmt"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
)

// HandOverConfig describes a learner that starts exact and continues cheap.
type HandOverConfig struct {
	RLS    RLSConfig         // learner of the first samples
	Newton BlockNewtonConfig // learner of the others; Features, Outputs, Ridge and Forgetting are taken from RLS
	After  int               // number of samples that RLS learns, >= 1
}

// HandOver is recursive least squares for the first After samples and BlockNewton
// from then on. P of many features has factors of 32 bits, see vec.UDU: it takes most of the
// memory of a fleet. Exact least squares makes the most of few samples; after many, steps
// on blocks are as accurate and take a fraction of the time. BlockNewton starts with
// the weights of RLS; its curvature starts as the diagonal blocks of the inverse of P.
type HandOver struct {
	cfg    HandOverConfig
	rls    *RLS         // nil after the hand-over
	newton *BlockNewton // nil before the hand-over
	left   int          // samples until the hand-over
}

// NewHandOver returns a learner with zero weights. The error names the invalid field.
func NewHandOver(cfg HandOverConfig) (*HandOver, error) {
	if cfg.After < 1 {
		return nil, fmt.Errorf("online: HandOver After must be >= 1, got %d", cfg.After)
	}
	if cfg.Newton.Workspace == nil {
		cfg.Newton.Workspace = new(Workspace)
	}
	rls, err := rlsOf(cfg.RLS, cfg.Newton.Workspace.covariance)
	if err != nil {
		return nil, err
	}
	cfg.Newton.Features, cfg.Newton.Outputs = cfg.RLS.Features, cfg.RLS.Outputs
	cfg.Newton.Ridge, cfg.Newton.Forgetting = cfg.RLS.Ridge, cfg.RLS.Forgetting
	if err := cfg.Newton.check(); err != nil {
		return nil, err
	}
	return &HandOver{cfg: cfg, rls: rls, left: cfg.After}, nil
}

// Weights returns Theta, outputs x features row-major: a view that Update changes
// and the hand-over replaces.
func (r *HandOver) Weights() []float64 {
	if r.rls != nil {
		return r.rls.theta
	}
	return r.newton.theta
}

// PredictTo sets y = Theta phi.
func (r *HandOver) PredictTo(y, phi []float64) { vec.MatVec(y, r.Weights(), phi) }

// Update learns from phi, given the error e = y - Theta phi at the current weights
// (see RLS.Update). The hand-over allocates.
func (r *HandOver) Update(phi, e []float64) {
	if r.rls == nil {
		r.newton.Update(phi, e)
		return
	}
	r.rls.Update(phi, e)
	if r.left--; r.left == 0 {
		r.handOver()
	}
}

// handOver replaces RLS by BlockNewton.
func (r *HandOver) handOver() {
	rls, newton, m := r.rls, r.newNewton(), r.cfg.RLS.Features
	r.rls, r.newton = nil, newton
	copy(newton.theta, rls.theta)

	// P is the inverse of the sum of squares plus the ridge. If P overflowed, the
	// curvature starts at zero, as RLS itself would restart.
	p, c := vec.NewSym(m), vec.NewCholesky(m)
	rls.p.CopyTo(p)
	if !c.Factor(p, 0, 0) {
		return
	}
	curvature := newton.solver.r
	for b := range newton.blocks {
		curvature.SetIdentity(0)
		first, width := newton.block(b)
		rows := make([]float64, width*m)
		for i := range width {
			rows[i*m+first+i] = 1
		}
		c.Solve(rows)
		for i := range width {
			for j := range i {
				curvature.Set(i, j, rows[i*m+first+j])
			}
			curvature.Set(i, i, max(0, rows[i*m+first+i]-r.cfg.RLS.Ridge))
		}
		curvature.NarrowTo(newton.curvature(b))
	}
}

func (r *HandOver) newNewton() *BlockNewton {
	l, err := NewBlockNewton(r.cfg.Newton)
	if err != nil {
		panic(err.Error()) // NewHandOver checked the configuration
	}
	return l
}

// Reset forgets everything that was learnt and starts again with RLS.
func (r *HandOver) Reset() {
	r.newton, r.left = nil, r.cfg.After
	if r.rls != nil {
		r.rls.Reset()
		return
	}
	var err error
	if r.rls, err = rlsOf(r.cfg.RLS, r.cfg.Newton.Workspace.covariance); err != nil {
		panic(err.Error()) // NewHandOver checked the configuration
	}
}

// Discount multiplies the weight of all samples learnt so far by factor, in (0, 1].
func (r *HandOver) Discount(factor float64) {
	if r.rls != nil {
		r.rls.Discount(factor)
		return
	}
	r.newton.Discount(factor)
}

// State saves or restores the current learner.
func (r *HandOver) State(c *snapshot.Codec) {
	c.Section("handover")
	left := r.left
	c.Index(&left, r.cfg.After+1)
	if c.Decoding() {
		r.Reset()
		if r.left = left; left == 0 {
			r.rls, r.newton = nil, r.newNewton()
		}
	}
	if r.rls != nil {
		r.rls.State(c)
		return
	}
	r.newton.State(c)
}
