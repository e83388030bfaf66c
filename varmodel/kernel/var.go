package kernel

import (
	"errors"
	"fmt"
	"math"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/sgd/losses"
	"github.com/orffvar/forecaster/sgd/penalties"
	"github.com/orffvar/forecaster/sgd/rates"
	"github.com/orffvar/forecaster/varmodel/internal/check"
	"github.com/orffvar/forecaster/varmodel/internal/regression"
	"github.com/orffvar/forecaster/varmodel/units"
)

// VARConfig describes a vector autoregression on any operator-valued
// kernel, learnt by mini-batch doubly stochastic gradient descent.
type VARConfig struct {
	Dim     int // d, coordinates of a sample
	Order   int // q >= 1, lags
	Horizon int // H, forecasts 1 … H steps ahead

	// Map draws one of Blocks blocks of the feature map from r. Each block has bandwidth 1 and maps the Order*Dim
	// scaled lags to the Dim increments; all have equal sizes.
	Map    func(r random.Rand) (orff.Map, error)
	Blocks int // D_b; 0 means 1
	Seed   uint64

	Inputs    units.Scale
	Bandwidth float64   // in units of the median distance between inputs; 0 means 1
	Law       units.Law // of the kernel between the coordinates of an increment

	// The options of Algorithm 4 of Brault 2017, see sgd.DoublyStochasticConfig.
	Batch    int                // pairs per step; 0 means 8
	Lambda   float64            // ridge, convention H; 0 means 0.001
	Rate     rates.Schedule     // nil: the default of Step
	Decay    rates.Decay        // NewtonSteps always have DecayBlock
	Loss     losses.Loss        // loss of the increments, in typical steps; nil: squared
	Clip     float64            // limit of the norm of a sample's gradient; 0 means 5 sqrt(Dim), +Inf no limit
	Proximal penalties.Proximal // such as sgd.GroupLasso; needs PlainSteps
	Average  bool

	// Manifold >= 0 is the weight of the semi-supervised term, which also learns from samples without any value. It
	// needs PlainSteps or AdaGradSteps.
	Manifold float64

	// ManifoldBatches is the number of mini-batches whose inputs the term compares; 0 means 1.
	ManifoldBatches int

	// Warm is the number of first pairs for a batch fit by Solver, from whose weights the steps continue; 0: no batch
	// fit.
	Warm   int
	Solver Solver

	// Redraw is the number of steps after which one block, in turn, is drawn again and starts at zero weights; 0: never.
	// It needs at least two Blocks.
	Redraw int

	// DrawAtUse keeps the frequencies of only one block in memory: each use of a block draws it again from its seed, as in
	// Algorithm 4. Forecasts are the same bits, but take 2 to 25 times as long. The weights need the same memory. It
	// excludes Grow.
	DrawAtUse bool

	// Grow is the number of steps after which one more block is drawn, up to MostBlocks; 0: never. A new block does not
	// change the forecasts at once.
	Grow, MostBlocks int

	Step       Step
	Forgetting float64 // for NewtonSteps: weight of the old curvature after a step; 0 means 0.995
	Epsilon    float64 // for AdaGradSteps; 0 means 1e-4

	// Gamma is a learnt operator. It needs a decomposable map whose operator is the identity.
	Gamma LearntGamma
}

// Step is the direction of a gradient step.
type Step int

const (
	// NewtonSteps multiply the gradient of a block by its inverse Hessian. Their rate is at most the weight of the new
	// mini-batch in the curvature, so that one mini-batch cannot move the weights too far.
	NewtonSteps Step = iota
	// PlainSteps are the steps of Algorithm 4 itself. The default rate is 0.1, or less for a kernel that couples the
	// outputs.
	PlainSteps
	// AdaGradSteps have a rate for each weight. It begins at 0.1 by default.
	AdaGradSteps
)

// maxCurvature is the largest order of a Hessian: its factorisation takes about a second.
const maxCurvature = 4000

// NewVAR returns ORFFVAR on the kernel of cfg.Map. The increments of all
// coordinates, in typical steps, are h(x) = Phi(x)^T theta of the scaled lags x.
// A curl-free or divergence-free kernel needs Order 1, because it maps R^d to
// R^d.
func NewVAR(cfg VARConfig) (eval.Model, error) {
	if err := check.Lags(cfg.Dim, cfg.Order, cfg.Horizon); err != nil {
		return nil, err
	}
	check.SetDefault(&cfg.Blocks, 1)
	check.SetDefault(&cfg.Batch, 8)
	check.SetDefault(&cfg.Lambda, 1e-3)
	check.SetDefault(&cfg.Forgetting, 0.995)
	check.SetDefault(&cfg.Epsilon, 1e-4)
	check.SetDefault(&cfg.Clip, 5*math.Sqrt(float64(cfg.Dim)))
	if err := check.Range("Blocks", cfg.Blocks, 1, 100_000); err != nil {
		return nil, err
	}
	if cfg.Map == nil {
		return nil, errors.New("varmodel: Map is missing")
	}
	if cfg.Redraw < 0 || cfg.Redraw > 0 && cfg.Blocks < 2 {
		return nil, fmt.Errorf("varmodel: Redraw must be >= 0, and 0 with a single block, got %d", cfg.Redraw)
	}
	switch {
	case cfg.Grow < 0:
		return nil, fmt.Errorf("varmodel: Grow must be >= 0, got %d", cfg.Grow)
	case cfg.Grow > 0 && (cfg.Redraw > 0 || cfg.Warm > 0):
		return nil, errors.New("varmodel: Grow excludes Redraw, whose draws are those of the new blocks, and Warm, a fit of the blocks at the start")
	case cfg.Grow > 0 && cfg.DrawAtUse:
		return nil, errors.New("varmodel: Grow excludes DrawAtUse")
	case cfg.Grow > 0 && (cfg.MostBlocks <= cfg.Blocks || cfg.MostBlocks > 100_000):
		return nil, fmt.Errorf("varmodel: MostBlocks must lie in (%d, 100000] with Grow, got %d", cfg.Blocks, cfg.MostBlocks)
	}
	if err := check.Range("Warm", cfg.Warm, 0, maxWarm); err != nil {
		return nil, err
	}
	if cfg.Manifold > 0 && cfg.Step == NewtonSteps {
		return nil, errors.New("varmodel: Manifold: the curvature of NewtonSteps does not know this term; take PlainSteps or AdaGradSteps")
	}
	input, err := units.NewLags(cfg.Dim, cfg.Order, cfg.Inputs, cfg.Bandwidth)
	if err != nil {
		return nil, err
	}
	l, err := newDescent(cfg)
	if err != nil {
		return nil, err
	}
	return &regression.Model{Dim: cfg.Dim, Horizon: cfg.Horizon, Depth: cfg.Order, Law: cfg.Law, Design: input, Learner: l}, nil
}

// checkMap returns an error unless m maps the lags to the increments.
func checkMap(m orff.Map, dim, order int) error {
	if d := m.Dims(); d.In != dim*order || d.Out != dim {
		hint := ""
		if d.In == d.Out && order > 1 {
			hint = ": a vector field kernel needs Order 1"
		}
		return fmt.Errorf("varmodel: Map is R^%d -> R^%d, %d lags of %d coordinates need R^%d -> R^%d%s", d.In, d.Out, order, dim, dim*order, dim, hint)
	}
	return nil
}
