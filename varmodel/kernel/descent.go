package kernel

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/sgd"
	"github.com/orffvar/forecaster/sgd/rates"
)

// descent is a learner that gets the input of the kernel in place of features. It computes the features itself, block by
// block.
type descent struct {
	cfg    VARConfig
	l      *sgd.DoublyStochastic
	blocks *orff.Blocks
	gamma  *gammaLearner // nil: Gamma is fixed

	// The last prediction y at the input x, with the current weights: a sample is predicted three times at the same
	// input.
	x, y  []float64
	valid bool

	manifold bool
	warm     *warmStart // nil: no batch fit, or it is done

	target     []float64
	jac        *orff.Jacobian
	rough      error // reason if jac is nil
	phi, theta []float64
}

func newDescent(cfg VARConfig) (*descent, error) {
	blocks, err := orff.NewBlocks(cfg.Blocks, cfg.Seed, !cfg.DrawAtUse, cfg.Map)
	if err != nil {
		return nil, err
	}
	if err := checkMap(blocks, cfg.Dim, cfg.Order); err != nil {
		return nil, err
	}
	d := &descent{
		cfg: cfg, blocks: blocks, x: make([]float64, cfg.Dim*cfg.Order), y: make([]float64, cfg.Dim), target: make([]float64, cfg.Dim),
		manifold: cfg.Manifold > 0,
	}
	if cfg.Gamma.From != GivenGamma {
		if d.gamma, err = newGammaLearner(&cfg, blocks.Any()); err != nil {
			return nil, err
		}
	}
	maps := d.maps()
	c := sgd.DoublyStochasticConfig{
		Blocks: maps,
		Batch:  cfg.Batch, Lambda: cfg.Lambda, Rate: cfg.Rate, Decay: cfg.Decay, Loss: cfg.Loss, Clip: cfg.Clip,
		Proximal: cfg.Proximal, Average: cfg.Average, Manifold: cfg.Manifold, ManifoldBatches: cfg.ManifoldBatches,
	}
	switch cfg.Step {
	case NewtonSteps:
		if d.gamma != nil {
			return nil, errors.New("varmodel: Step: the curvature of NewtonSteps does not follow a Gamma that is learnt; take PlainSteps or AdaGradSteps")
		}
		if !(cfg.Forgetting > 0 && cfg.Forgetting < 1) {
			return nil, fmt.Errorf("varmodel: Forgetting of NewtonSteps must lie in (0, 1), got %g", cfg.Forgetting)
		}
		h := sgd.Hessian{Forgetting: cfg.Forgetting}
		if m, ok := blocks.Any().(*orff.Decomposable); ok {
			h.Output = m.Output().Factor()
		}
		order := blocks.Block(0).Dims().Params
		if h.Output != nil {
			order = blocks.Block(0).Dims().Features
		}
		if order > maxCurvature {
			return nil, fmt.Errorf("varmodel: Step: NewtonSteps factor a matrix of order %d for each block, at most %d are allowed; take more Blocks of fewer features, or AdaGradSteps", order, maxCurvature)
		}
		c.Decay, c.Preconditioner = rates.DecayBlock, h
		if c.Rate == nil {
			c.Rate = newtonRate{cfg.Blocks, cfg.Forgetting}
		}
	case AdaGradSteps:
		c.Preconditioner = sgd.AdaGrad{Epsilon: cfg.Epsilon}
	case PlainSteps:
	default:
		return nil, fmt.Errorf("varmodel: Step %d is unknown", int(cfg.Step))
	}
	if c.Rate == nil {
		rate := 0.1
		if cfg.Step == PlainSteps {
			if rate, err = plainRate(blocks.Any()); err != nil {
				return nil, err
			}
		}
		c.Rate = rates.Constant(rate)
	}
	if d.l, err = sgd.NewDoublyStochastic(c); err != nil {
		return nil, err
	}
	if cfg.Warm > 0 {
		if d.warm, err = newWarmStart(&cfg, blocks); err != nil {
			return nil, err
		}
	}
	d.differentiate()
	return d, nil
}

// plainRate returns 0.1, or less for a kernel that couples the outputs: a rate of 2 / ||K(x, x)|| diverges.
func plainRate(m orff.Map) (rate float64, err error) {
	rate = 0.1
	limit := 1 / kernelSize(m) // NaN without a closed form
	if dec, ok := m.(*orff.Decomposable); ok {
		gains, _, err := eigenOf(dec.Output())
		if err != nil {
			return 0, err
		}
		limit = .5 / slices.Max(gains)
	}
	if limit < rate {
		rate = limit
	}
	return rate, nil
}

// maps returns the blocks as sgd.Maps, with the learnt Gamma if there is one.
func (d *descent) maps() []sgd.Map {
	maps := make([]sgd.Map, d.blocks.Blocks())
	for i := range maps {
		maps[i] = d.blocks.Block(i)
		if d.gamma != nil {
			maps[i] = &gammaMap{maps[i], d.gamma}
		}
	}
	return maps
}

// differentiate prepares the Jacobian of the blocks.
func (d *descent) differentiate() {
	if d.jac, d.rough = orff.NewJacobian(d.blocks); d.rough == nil {
		dims := d.blocks.Dims()
		d.phi, d.theta = make([]float64, dims.Features), make([]float64, dims.Params)
	}
}

// grow draws one more block.
func (d *descent) grow() error {
	if err := d.blocks.Grow(); err != nil {
		return err
	}
	if err := d.l.Grow(d.maps()); err != nil {
		return err
	}
	d.differentiate()
	return nil
}

// newtonRate is the rate max(1 - forgetting, 1/(visits + 1)), where visits counts the visits of the block of step t.
//
// The weight of a mini-batch in the curvature of its block (sgd.Hessian) is max(1 - forgetting, 1/visits). With that
// rate, the steps would be recursive least squares on the block. The additional visit halves the first step, whose
// curvature comes from a single mini-batch; later it makes no difference. A block that was drawn again or added later has
// had fewer visits than t suggests, and begins with shorter steps.
type newtonRate struct {
	blocks     int
	forgetting float64
}

func (r newtonRate) Rate(t int) float64 {
	visits := (t-1)/r.blocks + 1
	return max(1-r.forgetting, 1/float64(visits+1))
}

func (r newtonRate) Validate(float64, rates.Decay) error { return nil }

func (d *descent) PredictTo(y, x []float64) {
	if !d.valid || !slices.Equal(x, d.x) {
		copy(d.x, x)
		d.valid = true
		if math.IsNaN(x[0]) { // the bandwidth is not known yet
			clear(d.y)
		} else {
			d.l.PredictTo(d.y, x)
		}
	}
	copy(y, d.y)
}

// Update learns from the error e = y - h(x). A missing coordinate has e = 0.
func (d *descent) Update(x, e []float64) {
	if math.IsNaN(x[0]) {
		return
	}
	d.PredictTo(d.target, x)
	for k, v := range e {
		if v == 0 {
			d.target[k] = math.NaN()
		} else {
			d.target[k] += v
		}
	}
	if d.gamma != nil {
		d.gamma.Observe(d.target, e)
	}
	d.learn(x)
}

// Unlabelled learns from an input without a target.
func (d *descent) Unlabelled(x []float64) {
	if !d.manifold || math.IsNaN(x[0]) {
		return
	}
	for k := range d.target {
		d.target[k] = math.NaN()
	}
	d.learn(x)
}

func (d *descent) learn(x []float64) {
	before := d.l.Steps()
	d.l.Learn(x, d.target)
	d.valid = false
	if d.warm != nil && d.warm.add(x, d.target) {
		d.warm.start(d.l)
	}
	t := d.l.Steps()
	if t == before {
		return
	}
	if every := d.cfg.Redraw; every > 0 && t%every == 0 {
		i := (t/every - 1) % d.blocks.Blocks()
		if d.blocks.Redraw(i) {
			d.l.Redrawn(i)
		}
	}
	if every := d.cfg.Grow; every > 0 && t%every == 0 && d.blocks.Blocks() < d.cfg.MostBlocks {
		if err := d.grow(); err != nil {
			panic("varmodel: a block that was drawn before cannot be drawn: " + err.Error())
		}
	}
}

// JacobianTo writes the derivative of h at x, dim x In.
func (d *descent) JacobianTo(jac, x []float64) {
	d.l.WeightsTo(d.theta)
	d.blocks.FeaturesTo(d.phi, x)
	d.jac.To(jac, x, d.phi, d.theta)
}

func (d *descent) State(c *snapshot.Codec) {
	c.Section("descent, weights by rows")
	if d.cfg.Grow > 0 {
		d.blocksState(c)
	}
	d.blocks.State(c)
	d.l.State(c)
	if d.gamma != nil {
		d.gamma.State(c)
	}
	if d.warm != nil {
		d.warm.State(c)
	}
	d.valid = false
}

// blocksState saves the number of blocks, or restores that number. It draws them from the start, because there may be more
// now.
func (d *descent) blocksState(c *snapshot.Codec) {
	n := d.blocks.Blocks()
	c.Len(&n, d.cfg.MostBlocks)
	if !c.Decoding() || n == d.blocks.Blocks() {
		return
	}
	fresh, err := newDescent(d.cfg)
	for err == nil && fresh.blocks.Blocks() < n {
		err = fresh.grow()
	}
	switch {
	case err != nil:
		c.Fail("%v", err)
	case fresh.blocks.Blocks() > n:
		c.Fail("%d blocks, fewer than at the start", n)
	default:
		*d = *fresh
	}
}

func (d *descent) Smooth() error { return d.rough }
