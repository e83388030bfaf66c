package varmodel

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/featuremap"
	"github.com/orffvar/forecaster/internal/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/sgd"
)

// KernelVARConfig describes a vector autoregression on any operator-valued
// kernel, learnt by mini-batch doubly stochastic gradient descent.
type KernelVARConfig struct {
	Dim     int // d, coordinates of a sample
	Order   int // q >= 1, lags
	Horizon int // H, forecasts 1 … H steps ahead

	// Map draws one of Blocks equal blocks of the feature map, with the random
	// numbers of r: from the Order*Dim scaled lags to the Dim increments, for
	// bandwidth 1.
	Map    func(r orff.Rand) (orff.Map, error)
	Blocks int // D_b; 0 means 1
	Seed   uint64

	Inputs    InputScale
	Bandwidth float64 // in units of the median distance between inputs; 0 means 1
	Law       Law     // of the kernel between the coordinates of an increment

	// The options of Algorithm 4 of Brault 2017, see sgd.DoublyStochasticConfig.
	Batch    int          // pairs a step; 0 means 8
	Lambda   float64      // ridge, convention H; 0 means 0.001
	Rate     sgd.Schedule // nil: that of Step
	Decay    sgd.Decay    // NewtonSteps always have DecayBlock
	Loss     sgd.Loss     // of the increments, in typical steps; nil: squared
	Clip     float64      // limit of the gradient of a sample; 0 means 5 sqrt(Dim), +Inf none
	Proximal sgd.Proximal // such as sgd.GroupLasso; needs PlainSteps
	Average  bool

	// Manifold >= 0 is the weight of the semi-supervised term: samples without any
	// value still say where inputs lie. It needs PlainSteps or AdaGradSteps.
	Manifold float64

	// Warm is the number of first pairs of which a batch fit by Solver gives the
	// weights that the steps go on from; 0 means none.
	Warm   int
	Solver Solver

	// Redraw is the number of steps after which the next block in turn is drawn
	// again and starts at zero; 0 means never. It needs two Blocks or more.
	Redraw int

	// Grow is the number of steps after which one more block is drawn, until there
	// are MostBlocks; 0 means never. The forecasts do not change at that moment.
	Grow, MostBlocks int

	Step       Step
	Forgetting float64 // of NewtonSteps: what the curvature keeps at a step; 0 means 0.995
	Epsilon    float64 // of AdaGradSteps; 0 means 1e-4

	// Gamma replaces the operator of a decomposable map with the identity as
	// operator by one that is learnt.
	Gamma LearntGamma
}

// Step is the direction of a gradient step.
type Step int

const (
	// NewtonSteps multiply the gradient of a block by its inverse Hessian. Their
	// rate is at most the weight that a new mini-batch has in the curvature, so that
	// a step never moves further than that batch has evidence for.
	NewtonSteps Step = iota
	// PlainSteps are those of Algorithm 4 itself; the rate is 0.1 by default.
	PlainSteps
	// AdaGradSteps have a rate for each weight, 0.1 by default.
	AdaGradSteps
)

// maxCurvature is the order of a matrix that takes a second to factor.
const maxCurvature = 4000

// NewKernelVAR returns ORFFVAR on the kernel of cfg.Map. The increments of all
// coordinates, in typical steps, are h(x) = Phi(x)^T theta of the scaled lags x.
// A curl-free or divergence-free kernel needs Order 1, because it maps R^d to
// R^d.
func NewKernelVAR(cfg KernelVARConfig) (eval.Model, error) {
	if err := checkShape(cfg.Dim, cfg.Horizon); err != nil {
		return nil, err
	}
	if err := checkRange("Order", cfg.Order, 1, maxLags); err != nil {
		return nil, err
	}
	setDefault(&cfg.Blocks, 1)
	setDefault(&cfg.Batch, 8)
	setDefault(&cfg.Lambda, 1e-3)
	setDefault(&cfg.Forgetting, 0.995)
	setDefault(&cfg.Epsilon, 1e-4)
	setDefault(&cfg.Clip, 5*math.Sqrt(float64(cfg.Dim)))
	if err := checkRange("Blocks", cfg.Blocks, 1, 100_000); err != nil {
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
	case cfg.Grow > 0 && (cfg.MostBlocks <= cfg.Blocks || cfg.MostBlocks > 100_000):
		return nil, fmt.Errorf("varmodel: MostBlocks must lie in (%d, 100000] with Grow, got %d", cfg.Blocks, cfg.MostBlocks)
	}
	if err := checkRange("Warm", cfg.Warm, 0, maxWarm); err != nil {
		return nil, err
	}
	if cfg.Manifold > 0 && cfg.Step == NewtonSteps {
		return nil, errors.New("varmodel: Manifold: the curvature of NewtonSteps does not know this term; take PlainSteps or AdaGradSteps")
	}
	input, err := newKernelInput(cfg.Dim, cfg.Order, cfg.Inputs, cfg.Bandwidth)
	if err != nil {
		return nil, err
	}
	l, err := newDescent(cfg)
	if err != nil {
		return nil, err
	}
	return &regression{dim: cfg.Dim, horizon: cfg.Horizon, depth: cfg.Order, law: cfg.Law, design: input, learner: l}, nil
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

// descent is a learner whose phi is the input of the kernel: it computes the
// features itself, block by block.
type descent struct {
	cfg    KernelVARConfig
	l      *sgd.DoublyStochastic
	blocks *orff.Blocks
	gamma  *gammaLearner // or nil

	// The last prediction, for the weights as they are: a sample is predicted
	// three times at the same input.
	x, y  []float64
	valid bool

	manifold bool
	warm     *warmStart // or nil

	target     []float64
	jac        *orff.Jacobian
	rough      error // why jac is nil
	phi, theta []float64
}

func newDescent(cfg KernelVARConfig) (*descent, error) {
	blocks, err := orff.NewBlocks(cfg.Blocks, cfg.Seed, true, cfg.Map)
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
		if d.gamma, err = newGammaLearner(&cfg, blocks.Block(0)); err != nil {
			return nil, err
		}
	}
	maps := d.maps()
	c := sgd.DoublyStochasticConfig{
		Blocks: maps,
		Batch:  cfg.Batch, Lambda: cfg.Lambda, Rate: cfg.Rate, Decay: cfg.Decay, Loss: cfg.Loss, Clip: cfg.Clip,
		Proximal: cfg.Proximal, Average: cfg.Average, Manifold: cfg.Manifold,
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
		if m, ok := blocks.Block(0).(*orff.Decomposable); ok {
			h.Output = m.Output().Factor()
		}
		order := blocks.Block(0).Dims().Params
		if h.Output != nil {
			order = blocks.Block(0).Dims().Features
		}
		if order > maxCurvature {
			return nil, fmt.Errorf("varmodel: Step: NewtonSteps factor a matrix of order %d for each block, at most %d are allowed; take more Blocks of fewer features, or AdaGradSteps", order, maxCurvature)
		}
		c.Decay, c.Preconditioner = sgd.DecayBlock, h
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
		c.Rate = sgd.Constant(0.1)
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

// maps returns the blocks as the steps see them.
func (d *descent) maps() []featuremap.Map {
	maps := make([]featuremap.Map, d.blocks.Blocks())
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

// newtonRate is max(1 - forgetting, 1/(visits + 1)) for the visits of the block of step
// t. The weight of the mini-batch in the curvature of its block, by sgd.Hessian, is max(1 -
// forgetting, 1/visits): with that as rate the steps would be those of recursive least
// squares on the block. One visit more halves the first step, whose curvature is that of a
// single mini-batch, and makes no difference after many. Blocks that were drawn again, or
// added later, have had fewer visits than t says, and begin with shorter steps.
type newtonRate struct {
	blocks     int
	forgetting float64
}

func (r newtonRate) Rate(t int) float64 {
	visits := (t-1)/r.blocks + 1
	return max(1-r.forgetting, 1/float64(visits+1))
}

func (r newtonRate) Validate(float64, sgd.Decay) error { return nil }

func (d *descent) PredictTo(y, x []float64) {
	if !d.valid || !slices.Equal(x, d.x) {
		copy(d.x, x)
		d.valid = true
		if math.IsNaN(x[0]) { // the bandwidth is not known
			clear(d.y)
		} else {
			d.l.PredictTo(d.y, x)
		}
	}
	copy(y, d.y)
}

// Update learns from the error e = y - h(x). A zero is a missing coordinate.
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
		d.gamma.observe(d.target, e)
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

// jacobianTo writes the derivative of h in the input x, dim x In.
func (d *descent) jacobianTo(jac, x []float64) {
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

// blocksState saves how many blocks there are, or restores as many: from the start,
// since there may be more by now.
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

// GammaSource says where the operator of a decomposable kernel comes from.
type GammaSource int

const (
	GivenGamma    GammaSource = iota // the one of the map
	Correlations                     // of the increments
	ResidualGamma                    // the correlations of the errors of the forecasts

	// CorrelationGraph is (L + 0.1 I)^-1 for the Laplacian L of the graph whose
	// weights are the absolute correlations of the increments.
	CorrelationGraph
)

// LearntGamma is an operator Gamma that follows the stream: coordinates that
// move together share what they learn.
type LearntGamma struct {
	From   GammaSource
	Decay  float64 // weight of a sample after one step; 0 means 0.999
	Shrink float64 // part of the identity in Gamma, in [0, 1]; 0 means 0.2
}

// steering makes the descent one in the space of the kernel k Gamma for a Gamma
// that changes. Written for the prediction matrix H = B Theta of a decomposable
// map, a step of Algorithm 4 on Theta is
//
//	H <- H - gamma (Gamma e phi^T + lambda H),
//
// because e enters by B^T and leaves by B. So the map predicts with H itself, as
// the identity operator does, and the error is multiplied by Gamma: the
// function that was learnt stays when Gamma moves.
type gammaLearner struct {
	from        GammaSource
	correlation *orff.Correlation
	shrink      float64
	seen        int
	gamma, r    []float64
}

func newGammaLearner(cfg *KernelVARConfig, first orff.Map) (*gammaLearner, error) {
	g := cfg.Gamma
	if g.From < Correlations || g.From > CorrelationGraph {
		return nil, fmt.Errorf("varmodel: Gamma.From %d is unknown", int(g.From))
	}
	if m, ok := first.(*orff.Decomposable); !ok || !m.Output().IsIdentity() {
		return nil, errors.New("varmodel: Gamma can only be learnt for a decomposable map with the identity as its operator")
	}
	setDefault(&g.Decay, 0.999)
	setDefault(&g.Shrink, 0.2)
	if !(g.Shrink >= 0 && g.Shrink <= 1) {
		return nil, fmt.Errorf("varmodel: Gamma.Shrink must lie in [0, 1], got %g", g.Shrink)
	}
	correlation, err := orff.NewCorrelation(cfg.Dim, g.Decay)
	if err != nil {
		return nil, err
	}
	s := &gammaLearner{
		from: g.From, correlation: correlation, shrink: g.Shrink,
		gamma: make([]float64, cfg.Dim*cfg.Dim), r: make([]float64, cfg.Dim),
	}
	correlation.GammaTo(s.gamma, 1)
	return s, nil
}

// observe takes a target and its error, both in typical steps. A missing
// coordinate of the target is NaN.
func (s *gammaLearner) observe(y, e []float64) {
	if s.from == ResidualGamma {
		for k, v := range e {
			s.r[k] = v + 0*y[k] // NaN where the target is
		}
		s.correlation.Observe(s.r)
	} else {
		s.correlation.Observe(y)
	}
	s.seen++
	// An inverse is computed rarely, since it costs a decomposition; it allocates.
	const graphEvery = 100
	if s.from == CorrelationGraph && s.seen%graphEvery != 0 {
		return
	}
	// Correlations of few samples are noise: the identity until there are ten a
	// coordinate, and less of it from there on.
	start := 10 * float64(len(s.r)) / float64(s.seen)
	s.correlation.GammaTo(s.gamma, max(s.shrink, min(1, start)))
	if s.from == CorrelationGraph {
		for k, v := range s.gamma {
			s.gamma[k] = math.Abs(v)
		}
		// Correlations are finite and symmetric, with eta > 0 there is an inverse.
		if gamma, err := orff.GraphGamma(len(s.r), s.gamma, 0.1); err == nil {
			copy(s.gamma, gamma)
		}
	}
	// With its largest row sum at 1 the norm of Gamma is at most 1, and a rate that
	// is safe for the identity is safe for it.
	var top float64
	for i := range s.r {
		var row float64
		for _, v := range s.gamma[i*len(s.r) : (i+1)*len(s.r)] {
			row += math.Abs(v)
		}
		top = max(top, row)
	}
	vec.Scale(1/top, s.gamma)
}

func (s *gammaLearner) State(c *snapshot.Codec) {
	c.Section("steering")
	s.correlation.State(c)
	c.Index(&s.seen, math.MaxInt)
	c.Float64s(s.gamma)
}

// steered is a map with the gradient of steering.
type gammaMap struct {
	featuremap.Map
	*gammaLearner
}

// AddGradient adds alpha Phi(x) Gamma r.
func (m *gammaMap) AddGradient(g []float64, alpha float64, phi, r []float64) {
	vec.MatVec(m.r, m.gamma, r)
	m.Map.AddGradient(g, alpha, phi, m.r)
}
