package functional

import (
	"errors"
	"fmt"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/sgd/batch"
	"github.com/orffvar/forecaster/sgd/internal/numeric"
	"github.com/orffvar/forecaster/sgd/losses"
	"github.com/orffvar/forecaster/sgd/rates"
)

// QuantileConfig describes a Quantile.
type QuantileConfig struct {
	InputFeatures int // r_X, length of phi_X
	TauFeatures   int // r_T, length of phi_T

	Lambda   float64 // >= 0, weight of Lambda/2 ||Theta||_F^2
	Crossing float64 // >= 0, weight of the penalty on quantiles that cross
	Width    float64 // >= 0: width over which the kinks are smoothed, in units of y; L-BFGS needs > 0

	// For Step only.
	Batch, Taus int // inputs and quantile levels tau of a step
	Rate        rates.Schedule
	Average     bool // predict with the mean of the iterates of the last half or more
}

// Quantile is continuous quantile regression (Brault 2017, section 9.1; the
// pinball loss with the sign that makes f the tau-quantile): one function of x
// and tau holds all conditional quantiles,
//
//	f(x)(tau) = phi_X(x)^T Theta phi_T(tau),
//
// and minimises, with f' the derivative in tau,
//
//	J = mean_is [rho_tau_s(y_i - f(x_i)(tau_s)) + Crossing max(0, -f'(x_i)(tau_s))]
//	  + Lambda/2 ||Theta||_F^2.
//
// The model has no intercept: centre y. The penalty is soft; sorting the
// predictions of one x removes the remaining crossings and raises no pinball loss
// (Chernozhukov et al. 2010).
//
// It is not safe for concurrent use.
type Quantile struct {
	cfg QuantileConfig
	descent

	work *quantileWork
	u    []float64 // r_T
}

// QuantileBatch has n inputs and m values of tau. DPhiT is the derivative of phi_T in
// tau: for cos-sin features -w sin(w tau), then w cos(w tau), times 1/sqrt(D').
type QuantileBatch struct {
	PhiX, Y          []float64 // n x r_X, n
	Tau, PhiT, DPhiT []float64 // m in [0, 1], m x r_T, m x r_T
}

// quantileWork is scratch memory for n inputs and m values of tau.
type quantileWork struct {
	*bilinear
	f, e []float64 // m x n
}

func newQuantileWork(rx, rt, n, m int) *quantileWork {
	return &quantileWork{newBilinear(rx, rt, n, m), make([]float64, n*m), make([]float64, n*m)}
}

// NewQuantile returns a model with zero weights.
func NewQuantile(cfg QuantileConfig) (*Quantile, error) {
	switch {
	case cfg.InputFeatures < 1 || cfg.TauFeatures < 1:
		return nil, fmt.Errorf("sgd: Quantile needs features of inputs and of tau, got %d and %d", cfg.InputFeatures, cfg.TauFeatures)
	case !numeric.NonNegative(cfg.Lambda, cfg.Crossing, cfg.Width):
		return nil, fmt.Errorf("sgd: Quantile Lambda, Crossing and Width must be >= 0 and finite, got %g, %g, %g", cfg.Lambda, cfg.Crossing, cfg.Width)
	}
	d, err := newDescent(cfg.InputFeatures*cfg.TauFeatures, cfg.Lambda, cfg.Rate, cfg.Average)
	if err != nil {
		return nil, err
	}
	q := &Quantile{cfg: cfg, descent: d, u: make([]float64, cfg.TauFeatures)}
	if cfg.Rate != nil {
		if cfg.Batch < 1 || cfg.Taus < 1 {
			return nil, fmt.Errorf("sgd: Quantile Batch and Taus must be >= 1, got %d and %d", cfg.Batch, cfg.Taus)
		}
		q.work = newQuantileWork(cfg.InputFeatures, cfg.TauFeatures, cfg.Batch, cfg.Taus)
	}
	return q, nil
}

// check returns the sizes of the batch, or an error if they do not fit.
func (q *Quantile) check(b QuantileBatch) (n, m int, err error) {
	n, m = len(b.Y), len(b.Tau)
	rx, rt := q.cfg.InputFeatures, q.cfg.TauFeatures
	if n == 0 || m == 0 || len(b.PhiX) != n*rx || len(b.PhiT) != m*rt || len(b.DPhiT) != m*rt {
		panic(numeric.BadLength)
	}
	for _, tau := range b.Tau {
		if !(tau >= 0 && tau <= 1) {
			return 0, 0, fmt.Errorf("sgd: quantile level %g is outside of [0, 1]", tau)
		}
	}
	if !numeric.Finite(b.PhiX) || !numeric.Finite(b.Y) || !numeric.Finite(b.PhiT) || !numeric.Finite(b.DPhiT) {
		return 0, 0, errors.New("sgd: Quantile needs finite features and targets")
	}
	return n, m, nil
}

// objective sets g to a subgradient of J at theta and returns J.
func (q *Quantile) objective(g, theta []float64, b QuantileBatch, w *quantileWork) (value float64) {
	n, m := w.n, w.m
	inv := 1 / float64(n*m)
	clear(g)
	w.predictTo(w.f, theta, b.PhiX, b.PhiT)
	for s, tau := range b.Tau {
		for i, y := range b.Y {
			v, slope := losses.PinballEnvelope(tau, y-w.f[s*n+i], q.cfg.Width)
			value += v
			w.e[s*n+i] = slope
		}
	}
	w.addGradient(g, inv, w.e, b.PhiX, b.PhiT, nil)
	if c := q.cfg.Crossing; c > 0 {
		w.predictTo(w.f, theta, b.PhiX, b.DPhiT)
		for k, d := range w.f {
			v, slope := losses.HingeEnvelope(-d, q.cfg.Width)
			value += c * v
			w.e[k] = -slope
		}
		w.addGradient(g, c*inv, w.e, b.PhiX, b.DPhiT, nil)
	}
	value *= inv
	if lambda := q.cfg.Lambda; lambda > 0 {
		value += lambda / 2 * vec.Dot(theta, theta)
		vec.Axpy(lambda, theta, g)
	}
	return value
}

// GradientTo sets g to a subgradient of J on the batch at theta and returns J.
// Both have r_X r_T numbers. It allocates.
func (q *Quantile) GradientTo(g, theta []float64, b QuantileBatch) (float64, error) {
	if len(g) != len(q.w) || len(theta) != len(q.w) {
		panic(numeric.BadLength)
	}
	n, m, err := q.check(b)
	if err != nil {
		return 0, err
	}
	return q.objective(g, theta, b, newQuantileWork(q.cfg.InputFeatures, q.cfg.TauFeatures, n, m)), nil
}

// Step takes one step of stochastic gradient descent on Batch inputs and Taus values of
// tau, which the caller draws uniformly. The state is unchanged after an error.
func (q *Quantile) Step(b QuantileBatch) error {
	if q.cfg.Rate == nil || len(b.Y) != q.cfg.Batch || len(b.Tau) != q.cfg.Taus {
		panic("sgd: Quantile.Step: the batch is not of the configured sizes")
	}
	if _, _, err := q.check(b); err != nil {
		return err
	}
	q.objective(q.g, q.w, b, q.work)
	q.step()
	return nil
}

// Fit minimises J over the whole batch by L-BFGS, starting from the current weights. The
// step counter of Step starts again.
func (q *Quantile) Fit(b QuantileBatch, options batch.LBFGS) (batch.Result, error) {
	n, m, err := q.check(b)
	if err != nil {
		return batch.Result{}, err
	}
	if q.cfg.Width == 0 {
		return batch.Result{}, errors.New("sgd: Quantile.Fit needs Width > 0: L-BFGS does not descend along a kink")
	}
	w := newQuantileWork(q.cfg.InputFeatures, q.cfg.TauFeatures, n, m)
	return q.fit(options, func(g, theta []float64) float64 { return q.objective(g, theta, b, w) })
}

// WeightsTo sets theta to the weights of the prediction, vec(Theta) column by
// column: the layout of orff.Integral.
func (q *Quantile) WeightsTo(theta []float64) {
	if len(theta) != len(q.w) {
		panic(numeric.BadLength)
	}
	copy(theta, q.weights())
}

// PredictTo sets f, len m, to f(x)(tau_s) for phi_X(x) and the m rows
// phi_T(tau_s).
func (q *Quantile) PredictTo(f, phiX, phiT []float64) {
	if len(phiT) != len(f)*len(q.u) {
		panic(numeric.BadLength)
	}
	vec.MatVec(q.u, q.weights(), phiX)
	vec.MatVec(f, phiT, q.u)
}

// State saves or restores the weights and the clock.
func (q *Quantile) State(c *snapshot.Codec) {
	c.Section("quantile")
	q.state(c)
}
