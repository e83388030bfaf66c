package wire

import (
	"math"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/sgd/penalties"
	"github.com/orffvar/forecaster/sgd/rates"
	"github.com/orffvar/forecaster/varmodel/kernel"
)

func newKernelVAR(c config.Model, dim int, _ sharing) (eval.Model, error) {
	k, o := c.Kernel, c.Optimiser
	loss, err := newLoss(c.Loss)
	if err != nil {
		return nil, err
	}
	draws := c.Frequencies / o.Blocks
	gamma, _ := gammaNamed(k.Operator.Gamma)
	cfg := kernel.VARConfig{
		Dim: dim, Order: c.Order, Horizon: c.Horizon, Seed: c.Seed, Inputs: ScaleOf(k), Law: LawOf(k), Bandwidth: c.Bandwidth,
		Map:    func(r random.Rand) (orff.Map, error) { return NewMap(k, dim, dim*c.Order, draws, r) },
		Blocks: o.Blocks, Batch: o.Batch, Lambda: k.Lambda, Loss: loss, Clip: o.Clip, Average: o.Average,
		Manifold: o.Manifold, ManifoldBatches: o.ManifoldBatches, Redraw: o.Redraw, DrawAtUse: o.Features == "redraw", Grow: o.Grow, MostBlocks: o.MostBlocks, Warm: o.Warm,
		// A block is visited once in Batch*Blocks samples.
		Forgetting: min(math.Pow(c.Forgetting, float64(o.Batch*o.Blocks)), 1-1e-6),
		Solver:     solvers[o.Solver], Step: steps[o.Step], Rate: rateOf(o, k.Lambda),
	}
	cfg.Gamma.From = gamma.learnt
	if o.Decay == "block" {
		cfg.Decay = rates.DecayBlock
	}
	if o.GroupLasso > 0 {
		row, _ := operatorNamed(k.Operator.Name)
		columns, err := row.columns(k.Operator, dim, draws) // checkKernelVAR: columns is not nil
		if err != nil {
			return nil, err
		}
		cfg.Proximal = penalties.GroupLasso{Columns: columns, Mu: o.GroupLasso}
	}
	return kernel.NewVAR(cfg)
}

var (
	steps   = map[string]kernel.Step{"newton": kernel.NewtonSteps, "plain": kernel.PlainSteps, "adagrad": kernel.AdaGradSteps}
	solvers = map[string]kernel.Solver{"ridge": kernel.RidgeSolver, "cg": kernel.CGSolver, "lbfgs": kernel.LBFGSSolver}
)

// rateOf returns the learning-rate schedule; nil: the default of the step.
func rateOf(o config.Optimiser, lambda float64) rates.Schedule {
	rate := o.Rate
	if rate == 0 {
		rate = 0.1
	}
	switch o.Schedule {
	case "constant":
		return rates.Constant(rate)
	case "inverse_time": // begins with the configured rate
		if lambda == 0 {
			lambda = 1e-3
		}
		theta := 1 / lambda
		return rates.InverseTime{Theta: theta, T0: max(theta/rate-1, 0)}
	case "inverse_scaling":
		return rates.InverseScaling{Gamma0: rate, Gamma1: 1, Power: o.Power}
	case "inverse_root":
		return rates.InverseRoot(rate)
	}
	if o.Rate > 0 {
		return rates.Constant(rate)
	}
	return nil
}
