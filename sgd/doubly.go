package sgd

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/sgd/internal/numeric"
	"github.com/orffvar/forecaster/sgd/losses"
	"github.com/orffvar/forecaster/sgd/penalties"
	"github.com/orffvar/forecaster/sgd/rates"
)

// DoublyStochasticConfig describes a DoublyStochastic.
type DoublyStochasticConfig struct {
	// Blocks are the D_b blocks of the feature map, all of the same sizes, that
	// together form the map: h(x) = sum_i Phi_i(x)^T theta_i. Each block holds the
	// factor 1/sqrt(D) of the whole map. A block may keep its frequencies or draw
	// them again from its seed.
	Blocks []Map

	Batch  int     // n, pairs a step; 8 to 32 in a stream
	Lambda float64 // ridge, convention H
	Rate   rates.Schedule
	Decay  rates.Decay
	Loss   losses.Loss // nil: Squared

	// Clip limits the Euclidean norm of the loss gradient of a sample, which
	// makes the derivative of the loss bounded, as the proof of Dai et al.
	// demands. 0: no limit.
	Clip float64

	// Manifold >= 0 adds a semi-supervised term: predictions at inputs of a
	// mini-batch that are similar should be similar (Brault 2017, appendix B, with the
	// Laplacian itself instead of its inverse),
	//
	//	manifold/(2 n^2) sum_{i<j} w_ij ||h(x_i) - h(x_j)||^2, w_ij = exp(-||x_i - x_j||^2/2).
	//
	// Pairs without a known target are kept then, and only say where inputs lie.
	Manifold float64

	// ManifoldBatches is the number k of mini-batches whose inputs the term joins: the inputs of
	// the step with each other, and with the inputs of the k-1 steps before,
	//
	//	manifold/(4 k n^2) sum_{i in step, j in all k} w_ij ||h(x_i) - h(x_j)||^2,
	//
	// with all predictions at the present weights. So a step costs k times as much. 0 means 1.
	ManifoldBatches int

	Preconditioner Preconditioner // nil: none

	// Proximal is applied to the visited block after its step, with the length of
	// that step. It excludes a Preconditioner. nil: none.
	Proximal penalties.Proximal

	// Average predicts with the mean of the iterates over the last half or more
	// of the steps since all blocks came into use (Polyak and Ruppert).
	Average bool
}

// DoublyStochastic is mini-batch doubly stochastic gradient descent (Dai et al.
// 2014; Brault 2017, Algorithms 4 and 5, with corrected indices). Step t = 1, 2, ... takes
// n pairs (first source of randomness) and block i = ((t-1) mod D_b) + 1 of random features
// (second):
//
//	g = 1/n sum_s Phi_i(x_s) e_s, e_s = h(x_s) - y_s
//	DecayBlock: theta_i <- theta_i - gamma_t (g + lambda theta_i)
//	DecayAll:   theta   <- (1 - gamma_t lambda) theta, then
//	            theta_i <- theta_i - gamma_t D_b g
//
// Until t = D_b each step brings a fresh block: a step costs O(t b), and the
// target is the ridge solution of the true kernel. From then on the
// frequencies are frozen, the cost is constant and the target is the ridge
// solution of the kernel of D features. Grow raises D_b.
//
// It is not safe for concurrent use. Steps and predictions do not allocate.
type DoublyStochastic struct {
	cfg    DoublyStochasticConfig
	dims   Dims // sizes of each block
	blocks []Map

	t       int // steps taken
	next    int // block of the next step
	touched int // blocks 0 .. touched-1 are in use
	capped  bool

	theta []float64 // true weights are s*theta: decay of all costs one product
	s     float64
	mean  *numeric.Mean // average of the weights; nil without Average
	pre   preconditioner

	x, y    []float64 // pairs of the next step
	pending int
	dropped uint64

	earlier int // mini-batches before this one whose inputs are in x, from row n on

	pred  []float64 // kn x p scratch, becomes the errors
	h     []float64 // kn x p, the predictions; of Manifold
	part  []float64 // p
	phi   []float64 // kn x features of the visited block
	other []float64 // features of another block
	grad  []float64 // params
	eff   []float64 // params, weights of a block
}

// NewDoublyStochastic returns a learner with zero weights. The error names the
// field that is wrong.
func NewDoublyStochastic(cfg DoublyStochasticConfig) (*DoublyStochastic, error) {
	if len(cfg.Blocks) == 0 {
		return nil, errors.New("sgd: DoublyStochastic needs at least one block")
	}
	d := cfg.Blocks[0].Dims()
	switch {
	case d.In < 1 || d.Out < 1 || d.Features < 1 || d.Params < 1:
		return nil, fmt.Errorf("sgd: DoublyStochastic sizes of a block must be >= 1, got %+v", d)
	case !alike(cfg.Blocks, d):
		return nil, fmt.Errorf("sgd: DoublyStochastic Blocks must all have the sizes %+v of the first", d)
	case cfg.Batch < 1:
		return nil, fmt.Errorf("sgd: DoublyStochastic Batch must be >= 1, got %d", cfg.Batch)
	case !(cfg.Lambda >= 0) || math.IsInf(cfg.Lambda, 0):
		return nil, fmt.Errorf("sgd: DoublyStochastic Lambda must be >= 0 and finite, got %g", cfg.Lambda)
	case !(cfg.Clip >= 0):
		return nil, fmt.Errorf("sgd: DoublyStochastic Clip must be >= 0, got %g", cfg.Clip)
	case !(cfg.Manifold >= 0) || math.IsInf(cfg.Manifold, 0):
		return nil, fmt.Errorf("sgd: DoublyStochastic Manifold must be >= 0 and finite, got %g", cfg.Manifold)
	case cfg.ManifoldBatches < 0 || cfg.ManifoldBatches > 1 && cfg.Manifold == 0:
		return nil, fmt.Errorf("sgd: DoublyStochastic ManifoldBatches must be >= 0, and at most 1 without Manifold, got %d", cfg.ManifoldBatches)
	case cfg.Decay != rates.DecayAll && cfg.Decay != rates.DecayBlock:
		return nil, fmt.Errorf("sgd: DoublyStochastic has no mode of decay %d", int(cfg.Decay))
	case cfg.Proximal != nil && cfg.Preconditioner != nil:
		return nil, errors.New("sgd: DoublyStochastic takes a Proximal or a Preconditioner, not both")
	case cfg.Rate == nil:
		return nil, errors.New("sgd: DoublyStochastic needs a Rate")
	}
	if err := cfg.Rate.Validate(cfg.Lambda, cfg.Decay); err != nil {
		return nil, err
	}
	if cfg.Loss == nil {
		cfg.Loss = losses.Squared{}
	}
	cfg.ManifoldBatches = max(cfg.ManifoldBatches, 1)
	n := cfg.Batch
	rows := cfg.ManifoldBatches * n
	l := &DoublyStochastic{
		cfg:    cfg,
		dims:   d,
		blocks: append([]Map(nil), cfg.Blocks...),
		theta:  make([]float64, len(cfg.Blocks)*d.Params),
		s:      1,
		x:      make([]float64, rows*d.In),
		y:      make([]float64, n*d.Out),
		pred:   make([]float64, rows*d.Out),
		part:   make([]float64, d.Out),
		phi:    make([]float64, rows*d.Features),
		other:  make([]float64, d.Features),
		grad:   make([]float64, d.Params),
		eff:    make([]float64, d.Params),
	}
	if cfg.Manifold > 0 {
		l.h = make([]float64, rows*d.Out)
	}
	if cfg.Preconditioner != nil {
		var err error
		if l.pre, err = cfg.Preconditioner.build(&cfg); err != nil {
			return nil, err
		}
	}
	if cfg.Average {
		l.mean = numeric.NewMean(len(l.theta))
	}
	return l, nil
}

// alike reports whether all blocks have the sizes d.
func alike(blocks []Map, d Dims) bool {
	return !slices.ContainsFunc(blocks, func(m Map) bool { return m.Dims() != d })
}

// Learn adds a pair to the mini-batch and takes a step when it is full. A pair
// with an input that is not finite, an infinite target or no known target is
// dropped and counted, and so are the pairs of a mini-batch whose gradient is not
// finite. It reports whether the step found all blocks in use for
// the first time: from then on the frequencies are frozen.
func (l *DoublyStochastic) Learn(x, y []float64) (capped bool) {
	d := l.dims
	if len(x) != d.In || len(y) != d.Out {
		panic(numeric.BadLength)
	}
	if !numeric.Finite(x) || !usable(y) && !(l.cfg.Manifold > 0 && missing(y)) {
		l.dropped++
		return false
	}
	copy(l.x[l.pending*d.In:], x)
	copy(l.y[l.pending*d.Out:], y)
	l.pending++
	if l.pending < l.cfg.Batch {
		return false
	}
	l.pending = 0
	return l.step(l.x, l.y)
}

// usable reports whether y has a known coordinate and no infinite one.
func usable(y []float64) bool {
	known := false
	for _, v := range y {
		if math.IsInf(v, 0) {
			return false
		}
		known = known || !math.IsNaN(v)
	}
	return known
}

// missing reports whether no coordinate of y is known.
func missing(y []float64) bool {
	for _, v := range y {
		if !math.IsNaN(v) {
			return false
		}
	}
	return true
}

func (l *DoublyStochastic) step(x, y []float64) (capped bool) {
	d, n := l.dims, l.cfg.Batch
	i := l.next
	fresh := i == l.touched
	capped = !fresh && !l.capped

	rows := (1 + l.earlier) * n
	l.errorsTo(l.pred[:rows*d.Out], x[:rows*d.In], y, i)
	g := l.grad
	clear(g)
	for s := range rows {
		l.blocks[i].AddGradient(g, 1/float64(n), l.phi[s*d.Features:(s+1)*d.Features], l.pred[s*d.Out:(s+1)*d.Out])
	}
	if !numeric.Finite(g) { // features or weights overflow
		l.dropped += uint64(n)
		return false
	}
	l.remember()
	l.t++
	gamma := l.cfg.Rate.Rate(l.t)

	if fresh {
		l.touched++
	} else {
		l.capped = true
	}
	l.next = (i + 1) % len(l.blocks)

	if l.cfg.Decay == rates.DecayAll {
		l.shrink(1 - gamma*l.cfg.Lambda)
		gamma *= float64(len(l.blocks))
	} else {
		vec.Axpy(l.cfg.Lambda*l.s, l.block(i), g)
	}
	if l.pre != nil {
		l.pre.apply(g, i, l.blocks[i], l.phi[:n*d.Features])
	}
	vec.Scale(-gamma/l.s, g)
	w := l.block(i)
	copy(l.eff, w)
	vec.Axpy(1, g, w)
	if l.cfg.Proximal != nil {
		vec.Scale(l.s, w)
		l.cfg.Proximal.Apply(w, gamma)
		vec.Scale(1/l.s, w)
		copy(g, w)
		vec.Axpy(-1, l.eff, g)
	}
	if l.mean != nil && l.capped {
		l.mean.Add(l.theta, l.s, i*d.Params, g)
	}
	return capped
}

// remember keeps the inputs of the mini-batch for the manifold term of the next steps.
func (l *DoublyStochastic) remember() {
	if k := l.cfg.ManifoldBatches; k > 1 {
		size := l.cfg.Batch * l.dims.In
		copy(l.x[size:], l.x[:(k-1)*size])
		l.earlier = min(l.earlier+1, k-1)
	}
}

// errorsTo computes the loss gradients of all pairs, and the features of block i. Inputs after
// other rows of the mini-batch are of earlier ones.
func (l *DoublyStochastic) errorsTo(e, x, y []float64, i int) {
	d, n := l.dims, len(x)/l.dims.In
	clear(e)
	// Blocks outside, samples inside: a block that is drawn again is drawn once.
	for j := range l.touched {
		m, theta := l.blocks[j], l.block(j)
		for s := range n {
			phi := l.other
			if j == i {
				phi = l.phi[s*d.Features : (s+1)*d.Features]
			}
			m.FeaturesTo(phi, x[s*d.In:(s+1)*d.In])
			m.PredictTo(l.part, phi, theta)
			vec.Axpy(1, l.part, e[s*d.Out:(s+1)*d.Out])
		}
	}
	if i >= l.touched {
		for s := range n {
			l.blocks[i].FeaturesTo(l.phi[s*d.Features:(s+1)*d.Features], x[s*d.In:(s+1)*d.In])
		}
	}
	vec.Scale(l.s, e)
	copy(l.h, e)
	batch := e[:l.cfg.Batch*d.Out]
	clear(e[len(batch):])
	for s := range l.cfg.Batch {
		es := batch[s*d.Out : (s+1)*d.Out]
		losses.GradientTo(es, l.cfg.Loss, es, y[s*d.Out:(s+1)*d.Out])
		if c := l.cfg.Clip; c > 0 {
			if r := numeric.Norm(es); r > c {
				vec.Scale(c/r, es)
			}
		}
	}
	if l.cfg.Manifold > 0 {
		l.addSmoothness(e, x)
	}
}

// addSmoothness adds n times the gradient of the manifold term in the predictions.
func (l *DoublyStochastic) addSmoothness(e, x []float64) {
	d, n := l.dims, l.cfg.Batch
	rows := len(x) / d.In
	for i := range rows {
		w0 := l.cfg.Manifold / float64(rows)
		if i >= n { // a pair of the step counts from both of its ends
			w0 /= 2
		}
		for j := range min(i, n) {
			var q float64
			for k := range d.In {
				diff := x[i*d.In+k] - x[j*d.In+k]
				q += diff * diff
			}
			w := w0 * math.Exp(-q/2)
			for k := range d.Out {
				a, b := i*d.Out+k, j*d.Out+k
				diff := w * (l.h[a] - l.h[b])
				e[a] += diff
				e[b] -= diff
			}
		}
	}
}

// block returns the stored weights of block i.
func (l *DoublyStochastic) block(i int) []float64 {
	p := l.dims.Params
	return l.theta[i*p : (i+1)*p]
}

// shrink multiplies the weights by f, lazily.
func (l *DoublyStochastic) shrink(f float64) {
	// The schedule Theta/t with Theta*lambda = k has the factor 1 - k/t, which is
	// zero at t = k but for rounding.
	if math.Abs(f) < 1e-12 {
		l.renormalise(0)
		return
	}
	l.s *= f
	// 1e-100 is far from underflow. With an average the sums over many scales
	// would cancel, see mean.
	if limit := 1e-100; math.Abs(l.s) < limit || l.mean != nil && math.Abs(l.s) < 1e-3 {
		l.renormalise(l.s)
	}
}

// renormalise moves the scale f into the weights.
func (l *DoublyStochastic) renormalise(f float64) {
	if l.mean != nil {
		l.mean.Settle(l.theta)
	}
	if f == 0 {
		clear(l.theta)
	} else {
		vec.Scale(f, l.theta)
	}
	l.s = 1
}

// PredictTo sets y = h(x) by Algorithm 5.
func (l *DoublyStochastic) PredictTo(y, x []float64) {
	d := l.dims
	if len(x) != d.In || len(y) != d.Out {
		panic(numeric.BadLength)
	}
	clear(y)
	for i := range l.touched {
		m := l.blocks[i]
		m.FeaturesTo(l.other, x)
		l.weightsTo(l.eff, i)
		m.PredictTo(l.part, l.other, l.eff)
		vec.Axpy(1, l.part, y)
	}
}

// weightsTo sets dst to the weights of block i with which PredictTo predicts.
func (l *DoublyStochastic) weightsTo(dst []float64, i int) {
	p := l.dims.Params
	if l.mean != nil && l.mean.Count() > 0 {
		l.mean.To(dst, l.theta, i*p)
		return
	}
	for k, v := range l.block(i) {
		dst[k] = l.s * v
	}
}

// WeightsTo sets theta, D_b x params, to the weights with which PredictTo
// predicts: block after block.
func (l *DoublyStochastic) WeightsTo(theta []float64) {
	p := l.dims.Params
	if len(theta) != len(l.theta) {
		panic(numeric.BadLength)
	}
	for i := range l.blocks {
		l.weightsTo(theta[i*p:(i+1)*p], i)
	}
}

// Steps returns the number of steps taken.
func (l *DoublyStochastic) Steps() int { return l.t }

// Touched returns the number of blocks in use.
func (l *DoublyStochastic) Touched() int { return l.touched }

// Dropped returns the number of pairs that were not learnt from.
func (l *DoublyStochastic) Dropped() uint64 { return l.dropped }
