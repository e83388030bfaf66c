package sgd

import (
	"errors"
	"fmt"
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/sgd/internal/numeric"
	"github.com/orffvar/forecaster/sgd/losses"
	"github.com/orffvar/forecaster/sgd/rates"
)

// Kernel is an operator-valued kernel K(x, z), p x p.
type Kernel interface {
	// AddProduct adds alpha K(x, z) a to y.
	AddProduct(y []float64, alpha float64, x, z, a []float64)
}

// ONORMAConfig describes an ONORMA.
type ONORMAConfig struct {
	Kernel  Kernel
	In, Out int

	Lambda float64        // ridge, convention H
	Rate   rates.Schedule // by default InverseRoot
	Loss   losses.Loss    // nil: Squared

	Terms int // tau, how many of the last terms are kept
}

// ONORMA is online learning in the space of an operator-valued kernel (Audiffren
// and Kadri 2015, after NORMA, Kivinen et al. 2004), the baseline to which
// random features are compared: f = sum_i K(., x_i) alpha_i, where step t shrinks
// all coefficients by 1 - eta_t lambda and appends alpha_t = -eta_t e_t, e_t the
// gradient of the loss in f(x_t).
//
// A prediction costs one product with K for each term kept. Dropping the terms
// before the last tau changes f by at most sqrt(kappa) Dropped() in norm.
//
// It is not safe for concurrent use. Steps do not allocate.
type ONORMA struct {
	cfg ONORMAConfig
	t   int

	x, alpha []float64 // rings of Terms rows; true coefficients are s*alpha
	s        float64
	count    int // terms in use
	next     int // row of the next term
	dropped  float64
	refused  uint64

	e []float64
}

// NewONORMA returns f = 0.
func NewONORMA(cfg ONORMAConfig) (*ONORMA, error) {
	switch {
	case cfg.Kernel == nil || cfg.Rate == nil:
		return nil, errors.New("sgd: ONORMA needs a Kernel and a Rate")
	case cfg.In < 1 || cfg.Out < 1 || cfg.Terms < 1:
		return nil, fmt.Errorf("sgd: ONORMA In, Out and Terms must be >= 1, got %d, %d and %d", cfg.In, cfg.Out, cfg.Terms)
	case !numeric.NonNegative(cfg.Lambda):
		return nil, fmt.Errorf("sgd: ONORMA Lambda must be >= 0 and finite, got %g", cfg.Lambda)
	}
	if err := cfg.Rate.Validate(cfg.Lambda, rates.DecayBlock); err != nil { // eta_t lambda < 1
		return nil, err
	}
	if cfg.Loss == nil {
		cfg.Loss = losses.Squared{}
	}
	return &ONORMA{
		cfg:   cfg,
		x:     make([]float64, cfg.Terms*cfg.In),
		alpha: make([]float64, cfg.Terms*cfg.Out),
		s:     1,
		e:     make([]float64, cfg.Out),
	}, nil
}

// PredictTo sets y = f(x).
func (o *ONORMA) PredictTo(y, x []float64) {
	if len(x) != o.cfg.In || len(y) != o.cfg.Out {
		panic(numeric.BadLength)
	}
	clear(y)
	for i := range o.count {
		o.cfg.Kernel.AddProduct(y, o.s, x, o.x[i*o.cfg.In:(i+1)*o.cfg.In], o.term(i))
	}
}

func (o *ONORMA) term(i int) []float64 { return o.alpha[i*o.cfg.Out : (i+1)*o.cfg.Out] }

// Learn takes one step. NaN in y is a missing coordinate. A pair with an input
// that is not finite, an infinite target or no known target is refused and
// counted.
func (o *ONORMA) Learn(x, y []float64) {
	if len(x) != o.cfg.In || len(y) != o.cfg.Out {
		panic(numeric.BadLength)
	}
	if !numeric.Finite(x) || !usable(y) {
		o.refused++
		return
	}
	o.PredictTo(o.e, x)
	losses.GradientTo(o.e, o.cfg.Loss, o.e, y)
	o.t++
	eta := o.cfg.Rate.Rate(o.t)
	f := 1 - eta*o.cfg.Lambda
	o.s *= f
	o.dropped *= f
	if o.s < 1e-100 {
		vec.Scale(o.s, o.alpha)
		o.s = 1
	}
	alpha := o.term(o.next)
	if o.count == o.cfg.Terms {
		o.dropped += o.s * numeric.Norm(alpha)
	} else {
		o.count++
	}
	copy(o.x[o.next*o.cfg.In:], x)
	for k, e := range o.e {
		alpha[k] = -eta * e / o.s
	}
	o.next = (o.next + 1) % o.cfg.Terms
}

// Dropped returns the sum of ||alpha_i|| over the terms that were dropped, with
// the decay they would have had.
func (o *ONORMA) Dropped() float64 { return o.dropped }

// Refused returns the number of pairs that Learn refused.
func (o *ONORMA) Refused() uint64 { return o.refused }

// Terms returns the number of terms kept.
func (o *ONORMA) Terms() int { return o.count }

// Term returns the input of term k, the oldest is 0, and its coefficient scale
// alpha: views that the next Learn changes.
func (o *ONORMA) Term(k int) (x, alpha []float64, scale float64) {
	i := (o.next - o.count + k + o.cfg.Terms) % o.cfg.Terms
	return o.x[i*o.cfg.In : (i+1)*o.cfg.In], o.term(i), o.s
}

// State saves or restores the terms and the clock.
func (o *ONORMA) State(c *snapshot.Codec) {
	c.Section("onorma")
	c.Index(&o.t, math.MaxInt)
	c.Index(&o.count, o.cfg.Terms+1)
	c.Index(&o.next, o.cfg.Terms)
	if c.Decoding() && o.count < o.cfg.Terms && o.next != o.count {
		c.Fail("%d terms, the next in row %d", o.count, o.next)
	}
	c.Uint64(&o.refused)
	c.Float64(&o.dropped)
	c.Float64(&o.s)
	c.Float64s(o.x)
	c.Float64s(o.alpha)
}
