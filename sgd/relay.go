package sgd

import (
	"fmt"

	"github.com/orffvar/forecaster/internal/snapshot"
)

// RelayConfig describes a learner that begins exactly and goes on cheaply.
type RelayConfig struct {
	RLS    RLSConfig         // at first
	Newton BlockNewtonConfig // then: Features, Outputs, Ridge and Forgetting are those of RLS
	After  int               // samples that RLS learns, >= 1
}

// Relay is recursive least squares for a number of samples and BlockNewton from
// then on. Few samples determine many weights only if they are used to the full;
// with many, steps on blocks are as good and take a fraction of the time and of
// the memory. The curvature that they need is gathered from the first sample on;
// the weights stay what they are.
type Relay struct {
	cfg    RelayConfig
	rls    *RLS // nil when BlockNewton has taken over
	newton *BlockNewton
	left   int // samples until then
}

// NewRelay returns a learner with zero weights. The error names the field that is
// wrong.
func NewRelay(cfg RelayConfig) (*Relay, error) {
	if cfg.After < 1 {
		return nil, fmt.Errorf("sgd: Relay After must be >= 1, got %d", cfg.After)
	}
	cfg.Newton.Features, cfg.Newton.Outputs = cfg.RLS.Features, cfg.RLS.Outputs
	cfg.Newton.Ridge, cfg.Newton.Forgetting = cfg.RLS.Ridge, cfg.RLS.Forgetting
	rls, err := NewRLS(cfg.RLS)
	if err != nil {
		return nil, err
	}
	newton, err := NewBlockNewton(cfg.Newton)
	if err != nil {
		return nil, err
	}
	r := &Relay{cfg: cfg, newton: newton}
	r.start(rls)
	return r, nil
}

// start makes rls learn the weights of newton.
func (r *Relay) start(rls *RLS) {
	rls.theta = r.newton.theta
	r.rls, r.left = rls, r.cfg.After
}

// Weights returns Theta, outputs x features row-major: a view that Update changes.
func (r *Relay) Weights() []float64 { return r.newton.theta }

// PredictTo sets y = Theta phi.
func (r *Relay) PredictTo(y, phi []float64) { r.newton.PredictTo(y, phi) }

// Update learns from phi, given the error e = y - Theta phi of the weights as they
// are now (see RLS.Update).
func (r *Relay) Update(phi, e []float64) {
	if r.rls == nil {
		r.newton.Update(phi, e)
		return
	}
	r.rls.Update(phi, e)
	r.newton.Watch(phi)
	if r.left--; r.left == 0 {
		r.rls = nil
	}
}

// Reset forgets everything that was learnt and begins again with RLS.
func (r *Relay) Reset() {
	r.newton.Reset()
	r.start(r.newRLS())
}

func (r *Relay) newRLS() *RLS {
	rls, err := NewRLS(r.cfg.RLS)
	if err != nil {
		panic(err.Error()) // it was possible before
	}
	return rls
}

// Discount gives all that was learnt so far the weight keep in (0, 1].
func (r *Relay) Discount(keep float64) {
	if r.rls != nil {
		r.rls.Discount(keep)
	}
	r.newton.Discount(keep)
}

// State saves or restores the weights and what the learner of now knows.
func (r *Relay) State(c *snapshot.Codec) {
	c.Section("relay")
	c.Index(&r.left, r.cfg.After+1)
	if c.Decoding() {
		left := r.left
		if r.start(r.newRLS()); left == 0 {
			r.rls = nil
		}
		r.left = left
	}
	if r.rls != nil {
		r.rls.State(c)
	}
	r.newton.State(c)
}
