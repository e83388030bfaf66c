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

// LevelSetConfig describes a LevelSet.
type LevelSetConfig struct {
	InputFeatures int // r_X, length of phi_X
	NuFeatures    int // r_T, length of phi_T

	// Lambda is the weight of Lambda/2 (||Theta||_F^2 + ||t||^2), such as 1e-6. It keeps the problem well posed: the other
	// regulariser vanishes with nu, and depends on Theta only in the span of the phi_T(nu).
	Lambda float64 // >= 0

	Width float64 // >= 0: width over which the kink of the hinge is smoothed; L-BFGS needs > 0, such as 1e-3

	// For Step only.
	Batch, Nus int // inputs and fractions nu of a step
	Rate       rates.Schedule
	Average    bool // predict with the mean of the iterates of the last half or more
}

// LevelSet is the continuous one-class support vector machine (Brault 2017,
// section 9.1.5): for every fraction nu of outliers a function and a threshold,
//
//	f(x)(nu) = phi_X(x)^T Theta phi_T(nu), tau(nu) = t^T phi_T(nu),
//
// such that a fraction nu of the data lies outside of {x: f(x)(nu) >= tau(nu)}
// (the source has inliers in place of outliers). With q_s = phi_T(nu_s) it
// minimises
//
//	J = mean_s [mean_i max(0, tau(nu_s) - f(x_i)(nu_s)) + nu_s/2 ||Theta q_s||^2 - nu_s tau(nu_s)]
//	  + Lambda/2 (||Theta||_F^2 + ||t||^2),
//
// which is jointly convex. The kernel of the inputs sets how complex the
// boundary is, the kernel of nu couples neighbouring level sets. Draw nu from [0.01, 0.99].
//
// It is not safe for concurrent use.
type LevelSet struct {
	cfg     LevelSetConfig
	descent // weights vec(Theta), then t

	work *levelSetWork
	u    []float64 // r_T
}

// LevelSetBatch has n inputs and m values of nu.
type LevelSetBatch struct {
	PhiX     []float64 // n x r_X
	Nu, PhiT []float64 // m in (0, 1), m x r_T
}

// levelSetWork is scratch memory for n inputs and m values of nu.
type levelSetWork struct {
	*bilinear
	f, scale []float64 // m x n, m
}

func newLevelSetWork(rx, rt, n, m int) *levelSetWork {
	return &levelSetWork{newBilinear(rx, rt, n, m), make([]float64, n*m), make([]float64, m)}
}

// NewLevelSet returns a model with zero weights.
func NewLevelSet(cfg LevelSetConfig) (*LevelSet, error) {
	switch {
	case cfg.InputFeatures < 1 || cfg.NuFeatures < 1:
		return nil, fmt.Errorf("sgd: LevelSet needs features of inputs and of nu, got %d and %d", cfg.InputFeatures, cfg.NuFeatures)
	case !numeric.NonNegative(cfg.Lambda, cfg.Width):
		return nil, fmt.Errorf("sgd: LevelSet Lambda and Width must be >= 0 and finite, got %g and %g", cfg.Lambda, cfg.Width)
	}
	d, err := newDescent((cfg.InputFeatures+1)*cfg.NuFeatures, cfg.Lambda, cfg.Rate, cfg.Average)
	if err != nil {
		return nil, err
	}
	l := &LevelSet{cfg: cfg, descent: d, u: make([]float64, cfg.NuFeatures)}
	if cfg.Rate != nil {
		if cfg.Batch < 1 || cfg.Nus < 1 {
			return nil, fmt.Errorf("sgd: LevelSet Batch and Nus must be >= 1, got %d and %d", cfg.Batch, cfg.Nus)
		}
		l.work = newLevelSetWork(cfg.InputFeatures, cfg.NuFeatures, cfg.Batch, cfg.Nus)
	}
	return l, nil
}

// check returns the sizes of the batch, or an error if they do not fit.
func (l *LevelSet) check(b LevelSetBatch) (n, m int, err error) {
	rx, rt := l.cfg.InputFeatures, l.cfg.NuFeatures
	n, m = len(b.PhiX)/rx, len(b.Nu)
	if n == 0 || m == 0 || len(b.PhiX) != n*rx || len(b.PhiT) != m*rt {
		panic(numeric.BadLength)
	}
	for _, nu := range b.Nu {
		if !(nu > 0 && nu < 1) {
			return 0, 0, fmt.Errorf("sgd: nu = %g is outside of (0, 1)", nu)
		}
	}
	if !numeric.Finite(b.PhiX) || !numeric.Finite(b.PhiT) {
		return 0, 0, errors.New("sgd: LevelSet needs finite features")
	}
	return n, m, nil
}

// split returns vec(Theta) and t.
func (l *LevelSet) split(w []float64) (theta, t []float64) {
	n := l.cfg.InputFeatures * l.cfg.NuFeatures
	return w[:n], w[n:]
}

// objective sets g to a subgradient of J at w and returns J.
func (l *LevelSet) objective(g, w []float64, b LevelSetBatch, work *levelSetWork) (value float64) {
	theta, t := l.split(w)
	gTheta, gT := l.split(g)
	n, m, rt := work.n, work.m, work.rt
	clear(g)
	work.predictTo(work.f, theta, b.PhiX, b.PhiT)
	for s, nu := range b.Nu {
		q := b.PhiT[s*rt : (s+1)*rt]
		tau := vec.Dot(t, q)
		var loss, outside float64
		f := work.f[s*n : (s+1)*n]
		for i, v := range f {
			v, slope := losses.HingeEnvelope(tau-v, l.cfg.Width)
			loss += v
			outside += slope
			f[i] = -slope
		}
		row := work.rows[s*work.rx : (s+1)*work.rx] // Theta q
		value += loss/float64(n) + nu/2*vec.Dot(row, row) - nu*tau
		vec.Axpy((outside/float64(n)-nu)/float64(m), q, gT)
		work.scale[s] = nu / float64(m)
	}
	work.addGradient(gTheta, 1/float64(n*m), work.f, b.PhiX, b.PhiT, work.scale)
	value /= float64(m)
	if lambda := l.cfg.Lambda; lambda > 0 {
		value += lambda / 2 * vec.Dot(w, w)
		vec.Axpy(lambda, w, g)
	}
	return value
}

// GradientTo sets g to a subgradient of J on the batch at w and returns J. Both
// have (r_X + 1) r_T numbers: vec(Theta) column by column, then t. It allocates.
func (l *LevelSet) GradientTo(g, w []float64, b LevelSetBatch) (float64, error) {
	if len(g) != len(l.w) || len(w) != len(l.w) {
		panic(numeric.BadLength)
	}
	n, m, err := l.check(b)
	if err != nil {
		return 0, err
	}
	return l.objective(g, w, b, newLevelSetWork(l.cfg.InputFeatures, l.cfg.NuFeatures, n, m)), nil
}

// Step takes one step of stochastic gradient descent on Batch inputs and Nus values of nu,
// which the caller draws uniformly. The state is unchanged after an error.
func (l *LevelSet) Step(b LevelSetBatch) error {
	if l.cfg.Rate == nil || len(b.PhiX) != l.cfg.Batch*l.cfg.InputFeatures || len(b.Nu) != l.cfg.Nus {
		panic("sgd: LevelSet.Step: the batch is not of the configured sizes")
	}
	if _, _, err := l.check(b); err != nil {
		return err
	}
	l.objective(l.g, l.w, b, l.work)
	l.step()
	return nil
}

// Fit minimises J over the whole batch by L-BFGS, starting from the current weights. The
// step counter of Step starts again.
func (l *LevelSet) Fit(b LevelSetBatch, options batch.LBFGS) (batch.Result, error) {
	n, m, err := l.check(b)
	if err != nil {
		return batch.Result{}, err
	}
	if l.cfg.Width == 0 {
		return batch.Result{}, errors.New("sgd: LevelSet.Fit needs Width > 0: L-BFGS does not descend along a kink")
	}
	work := newLevelSetWork(l.cfg.InputFeatures, l.cfg.NuFeatures, n, m)
	return l.fit(options, func(g, w []float64) float64 { return l.objective(g, w, b, work) })
}

// WeightsTo sets w to the weights of the prediction: vec(Theta) column by column,
// then t.
func (l *LevelSet) WeightsTo(w []float64) {
	if len(w) != len(l.w) {
		panic(numeric.BadLength)
	}
	copy(w, l.weights())
}

// MarginTo writes f(x)(nu_s) - tau(nu_s) into margin, length m, for phi_X(x) and the m rows phi_T(nu_s). A negative margin
// means that x is among the fraction nu_s of outliers.
func (l *LevelSet) MarginTo(margin, phiX, phiT []float64) {
	if len(phiT) != len(margin)*len(l.u) {
		panic(numeric.BadLength)
	}
	theta, t := l.split(l.weights())
	vec.MatVec(l.u, theta, phiX)
	vec.Axpy(-1, t, l.u)
	vec.MatVec(margin, phiT, l.u)
}

// State saves or restores the weights and the clock.
func (l *LevelSet) State(c *snapshot.Codec) {
	c.Section("levelset")
	l.state(c)
}
