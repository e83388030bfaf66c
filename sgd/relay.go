package sgd

import (
	"fmt"

	"github.com/orffvar/forecaster/internal/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
)

// RelayConfig describes a learner that begins exactly and goes on cheaply.
type RelayConfig struct {
	RLS    RLSConfig         // at first
	Newton BlockNewtonConfig // then: Features, Outputs, Ridge and Forgetting are those of RLS
	After  int               // samples that RLS learns, >= 1
}

// Relay is recursive least squares for a number of samples and BlockNewton from
// then on. Few samples determine many weights only if they are used to the full;
// with many, steps on blocks are as good and take a fraction of the time. BlockNewton
// begins with the weights of RLS, and with the blocks of the inverse of P as the
// curvature of its own.
type Relay struct {
	cfg    RelayConfig
	rls    *RLS         // nil when BlockNewton has taken over
	newton *BlockNewton // nil until then
	left   int          // samples until then
}

// NewRelay returns a learner with zero weights. The error names the field that is
// wrong.
func NewRelay(cfg RelayConfig) (*Relay, error) {
	if cfg.After < 1 {
		return nil, fmt.Errorf("sgd: Relay After must be >= 1, got %d", cfg.After)
	}
	rls, err := NewRLS(cfg.RLS)
	if err != nil {
		return nil, err
	}
	cfg.Newton.Features, cfg.Newton.Outputs = cfg.RLS.Features, cfg.RLS.Outputs
	cfg.Newton.Ridge, cfg.Newton.Forgetting = cfg.RLS.Ridge, cfg.RLS.Forgetting
	if err := cfg.Newton.check(); err != nil {
		return nil, err
	}
	return &Relay{cfg: cfg, rls: rls, left: cfg.After}, nil
}

// Weights returns Theta, outputs x features row-major: a view that Update changes,
// and the last one with RLS replaces.
func (r *Relay) Weights() []float64 {
	if r.rls != nil {
		return r.rls.theta
	}
	return r.newton.theta
}

// PredictTo sets y = Theta phi.
func (r *Relay) PredictTo(y, phi []float64) { vec.MatVec(y, r.Weights(), phi) }

// Update learns from phi, given the error e = y - Theta phi of the weights as they
// are now (see RLS.Update). The handing over allocates.
func (r *Relay) Update(phi, e []float64) {
	if r.rls == nil {
		r.newton.Update(phi, e)
		return
	}
	r.rls.Update(phi, e)
	if r.left--; r.left == 0 {
		r.handOver()
	}
}

func (r *Relay) handOver() {
	rls, newton, m := r.rls, r.newNewton(), r.cfg.RLS.Features
	r.rls, r.newton = nil, newton
	copy(newton.theta, rls.theta)

	// P is the inverse of the sum of squares and the ridge. If it overflowed, nothing
	// is known of them, as in RLS.
	p, c := vec.NewSym(m), vec.NewCholesky(m)
	row := rls.gain
	for i := range m {
		rls.p.RowTo(row, i)
		for j, v := range row[:i+1] {
			p.Set(i, j, v)
		}
	}
	if !c.Factor(p, 0, 0) {
		return
	}
	for b, curvature := range newton.r {
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
	}
}

func (r *Relay) newNewton() *BlockNewton {
	l, err := NewBlockNewton(r.cfg.Newton)
	if err != nil {
		panic(err.Error()) // it was checked
	}
	return l
}

// Reset forgets everything that was learnt and begins again with RLS.
func (r *Relay) Reset() {
	rls, err := NewRLS(r.cfg.RLS)
	if err != nil {
		panic(err.Error()) // it was checked
	}
	r.rls, r.newton, r.left = rls, nil, r.cfg.After
}

// Discount gives all that was learnt so far the weight keep in (0, 1].
func (r *Relay) Discount(keep float64) {
	if r.rls != nil {
		r.rls.Discount(keep)
		return
	}
	r.newton.Discount(keep)
}

// State saves or restores the weights and what the learner of now knows.
func (r *Relay) State(c *snapshot.Codec) {
	c.Section("relay")
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
