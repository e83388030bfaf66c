package sgd

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/internal/snapshot"
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

// RLS is recursive least squares (Brault 2017, section 8; Amblard and Kadri):
// after n samples its weights Theta, M x p, minimise
//
//	sum_t beta^(n-t) ||y_t - Theta^T phi_t||^2 + lambda ||Theta||_F^2
//
// exactly when beta = 1. With beta < 1 the textbook recursion forgets the ridge
// as well, and P grows without bound in directions that are not excited. Each
// step therefore puts back what was forgotten on one diagonal entry in turn
// ("leak"): P^-1 stays above about lambda I, for ever.
//
// P is stored as one half, so that it is symmetric whatever the rounding; the
// textbook form explodes after some 10^5 steps.
type RLS struct {
	cfg RLSConfig

	theta []float64 // M x p, row-major
	q     []float64 // P = scale * Q; lower half of Q, row i from i(i+1)/2
	scale float64   // takes up the division by beta
	turn  int       // diagonal entry whose leak is next

	gain []float64 // Q phi; scratch
	pred []float64 // scratch
}

// NewRLS returns a learner with zero weights. The error names the field that
// is wrong.
func NewRLS(cfg RLSConfig) (*RLS, error) {
	switch {
	case cfg.Features < 1:
		return nil, fmt.Errorf("sgd: RLS Features must be >= 1, got %d", cfg.Features)
	case cfg.Outputs < 1:
		return nil, fmt.Errorf("sgd: RLS Outputs must be >= 1, got %d", cfg.Outputs)
	case !(cfg.Ridge > 0) || math.IsInf(cfg.Ridge, 1):
		return nil, fmt.Errorf("sgd: RLS Ridge must be > 0 and finite, got %g", cfg.Ridge)
	case !(cfg.Forgetting > 0 && cfg.Forgetting <= 1):
		return nil, fmt.Errorf("sgd: RLS Forgetting must be in (0, 1], got %g", cfg.Forgetting)
	case !(cfg.MaxLeverage >= 0):
		return nil, fmt.Errorf("sgd: RLS MaxLeverage must be >= 0, got %g", cfg.MaxLeverage)
	}
	m := cfg.Features
	r := &RLS{
		cfg:   cfg,
		theta: make([]float64, m*cfg.Outputs),
		q:     make([]float64, m*(m+1)/2),
		gain:  make([]float64, m),
	}
	r.resetP()
	return r, nil
}

func (r *RLS) resetP() {
	clear(r.q)
	for i := range r.cfg.Features {
		r.q[i*(i+1)/2+i] = 1
	}
	r.scale = 1 / r.cfg.Ridge
	r.turn = 0
}

// Weights returns Theta, M x p row-major: a view that Update changes.
func (r *RLS) Weights() []float64 { return r.theta }

// PredictTo sets y = Theta^T phi.
func (r *RLS) PredictTo(y, phi []float64) { predictTo(y, r.theta, phi) }

// Update learns from phi, given the error e = y - Theta^T phi of the weights as
// they are now. A zero in e (a missing coordinate) leaves that output as it is.
// The caller may have clipped e.
func (r *RLS) Update(phi, e []float64) {
	if len(phi) != r.cfg.Features || len(e) != r.cfg.Outputs {
		panic("sgd: RLS.Update: wrong length")
	}
	symvTo(r.gain, r.q, phi)
	h := r.scale * dot(phi, r.gain)
	if !(h >= 0) || math.IsInf(h, 1) { // P lost definiteness or overflowed
		r.resetP()
		return
	}
	beta := r.cfg.Forgetting
	den := beta + h
	if limit := r.cfg.MaxLeverage; limit > 0 && h > limit {
		den = beta*h/limit + h
	}
	r.learn(r.gain, e, den)
	r.scale /= beta
	if beta < 1 {
		r.leak()
	}
	if r.scale > 1e8/r.cfg.Ridge {
		s := r.scale * r.cfg.Ridge
		for i := range r.q {
			r.q[i] *= s
		}
		r.scale = 1 / r.cfg.Ridge
	}
}

// learn adds the gain g = Q phi, of innovation variance den, to Theta and P.
func (r *RLS) learn(g, e []float64, den float64) {
	c := r.scale / den
	p := len(e)
	for i, gi := range g {
		axpy(r.theta[i*p:(i+1)*p], c*gi, e)
	}
	syr(r.q, -c, g)
}

// leak is the observation 0 of one weight of each output, with the precision
// that beta has taken from it in the last M steps.
func (r *RLS) leak() {
	m, p := r.cfg.Features, r.cfg.Outputs
	j := r.turn
	r.turn = (r.turn + 1) % m
	g := r.gain
	copy(g[:j+1], r.q[j*(j+1)/2:])
	for i := j + 1; i < m; i++ {
		g[i] = r.q[i*(i+1)/2+j]
	}
	a := (1 - r.cfg.Forgetting) * float64(m) * r.cfg.Ridge // squared size of the pseudo-input
	c := r.scale * a / (1 + a*r.scale*g[j])
	row := r.theta[j*p : (j+1)*p]
	for o := range p {
		t := row[o]
		if t == 0 {
			continue
		}
		for i, gi := range g {
			r.theta[i*p+o] -= c * gi * t
		}
	}
	syr(r.q, -c, g)
}

// State saves or restores the weights and P.
func (r *RLS) State(c *snapshot.Codec) {
	c.Section("rls")
	c.Float64s(r.theta)
	c.Float64s(r.q)
	c.Float64(&r.scale)
	c.Index(&r.turn, r.cfg.Features)
}

// predictTo sets y = Theta^T phi for Theta row-major, len(phi) x len(y).
func predictTo(y, theta, phi []float64) {
	p := len(y)
	if len(theta) != p*len(phi) {
		panic("sgd: PredictTo: wrong length")
	}
	clear(y)
	for i, f := range phi {
		axpy(y, f, theta[i*p:(i+1)*p])
	}
}

// symvTo sets y = A x for a symmetric A given by its lower half, row i from
// i(i+1)/2.
func symvTo(y, a, x []float64) {
	o := 0
	for i, xi := range x {
		row := a[o : o+i]
		y[i] = dot(row, x[:i]) + a[o+i]*xi
		axpy(y[:i], xi, row)
		o += i + 1
	}
}

// syr sets A += alpha x x^T for a symmetric A given by its lower half.
func syr(a []float64, alpha float64, x []float64) {
	o := 0
	for i, xi := range x {
		axpy(a[o:o+i+1], alpha*xi, x[:i+1])
		o += i + 1
	}
}

func dot(a, b []float64) float64 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return (s0 + s1) + (s2 + s3)
}

// axpy sets y += alpha x.
func axpy(y []float64, alpha float64, x []float64) {
	x = x[:len(y)]
	for i := range y {
		y[i] += alpha * x[i]
	}
}
