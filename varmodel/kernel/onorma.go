package kernel

import (
	"math"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/sgd"
	"github.com/orffvar/forecaster/sgd/losses"
	"github.com/orffvar/forecaster/sgd/rates"
	"github.com/orffvar/forecaster/varmodel/internal/check"
	"github.com/orffvar/forecaster/varmodel/internal/regression"
	"github.com/orffvar/forecaster/varmodel/units"
)

// ONORMAConfig describes online learning in the space of a kernel.
type ONORMAConfig struct {
	Dim     int // d, coordinates of a sample
	Order   int // q >= 1, lags
	Horizon int // H, forecasts 1 … H steps ahead

	Map  func(r random.Rand) (orff.Map, error) // see OKVARConfig
	Seed uint64

	Inputs    units.Scale
	Bandwidth float64   // in units of the median distance between inputs; 0 means 1
	Law       units.Law // of the kernel between the coordinates of an increment

	Terms  int            // tau, number of terms in the forecast; 0 means 200
	Lambda float64        // ridge, convention H; 0 means 3/(rate Terms)
	Rate   rates.Schedule // nil: 0.5 over the norm of K(x, x) at a large x
	Loss   losses.Loss    // nil: squared
}

// NewONORMA returns a vector autoregression learnt by stochastic gradient descent in the space of an operator-valued
// kernel (Audiffren and Kadri 2015). Each sample adds a term and drops the oldest term. With rate eta, a term has shrunk by
// (1 - eta lambda)^Terms when it is dropped, by default to a twentieth.
func NewONORMA(cfg ONORMAConfig) (eval.Model, error) {
	check.SetDefault(&cfg.Terms, 200)
	input, k, err := newKernelModel(cfg.Dim, cfg.Order, cfg.Horizon, cfg.Map, cfg.Seed, cfg.Inputs, cfg.Bandwidth)
	if err != nil {
		return nil, err
	}
	if err := check.Range("Terms", cfg.Terms, 1, 100_000); err != nil {
		return nil, err
	}
	if cfg.Rate == nil {
		cfg.Rate = rates.Constant(0.5 / k.size())
	}
	if cfg.Terms > 0 {
		check.SetDefault(&cfg.Lambda, min(3/(cfg.Rate.Rate(1)*float64(cfg.Terms)), 0.5/cfg.Rate.Rate(1)))
	}
	o, err := sgd.NewONORMA(sgd.ONORMAConfig{
		Kernel: k, In: k.in, Out: k.out, Lambda: cfg.Lambda, Rate: cfg.Rate, Loss: cfg.Loss, Terms: cfg.Terms,
	})
	if err != nil {
		return nil, err
	}
	return &regression.Model{
		Dim: cfg.Dim, Horizon: cfg.Horizon, Depth: cfg.Order, Law: cfg.Law, Design: input,
		Learner: &onorma{o: o, kernel: k, target: make([]float64, cfg.Dim)},
	}, nil
}

type onorma struct {
	o      *sgd.ONORMA
	kernel *exactKernel
	target []float64
}

func (l *onorma) Smooth() error { return l.kernel.rough }

func (l *onorma) JacobianTo(jac, x []float64) {
	clear(jac)
	for i := range l.o.Terms() {
		z, alpha, scale := l.o.Term(i)
		l.kernel.addJacobian(jac, scale, x, z, alpha)
	}
}

func (l *onorma) PredictTo(y, x []float64) {
	if math.IsNaN(x[0]) {
		clear(y)
		return
	}
	l.o.PredictTo(y, x)
}

func (l *onorma) Update(x, e []float64) {
	if math.IsNaN(x[0]) {
		return
	}
	l.o.PredictTo(l.target, x)
	for i, v := range e {
		if v == 0 {
			l.target[i] = math.NaN()
		} else {
			l.target[i] = min(max(l.target[i]+v, -regression.TargetLimit), regression.TargetLimit)
		}
	}
	l.o.Learn(x, l.target)
}

func (l *onorma) State(c *snapshot.Codec) { l.o.State(c) }
