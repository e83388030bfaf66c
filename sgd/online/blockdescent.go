package online

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
)

// BlockDescentConfig describes a BlockDescent.
type BlockDescentConfig struct {
	Features   int     // M, length of phi
	Outputs    int     // p, length of y
	Block      int     // b, columns of phi that one step changes at most
	Batch      int     // n, samples in a mini-batch; one step follows each
	MostBatch  int     // largest n: from Batch it grows to this as 1/64 of the samples; 0: Batch
	Ridge      float64 // lambda > 0, in units of the sum of squares
	Forgetting float64 // beta in (0, 1], weight of a sample after the next

	Workspace *Workspace // scratch memory; nil: its own
}

// BlockDescent is mini-batch doubly stochastic gradient descent (Brault 2017, Algorithm 4) with a preconditioner per block.
// Like stochastic average gradient (Schmidt, Le Roux and Bach 2017), its gradient includes earlier mini-batches. A step
// takes a mini-batch of n samples (first source of randomness) and one block i of the random features (second):
//
//	R <- beta^n R + Phi^T Phi,  G <- beta^n G + E^T Phi,  E = Y - Phi Theta^T
//	Delta = (G_i - lambda Theta_i)(R_ii + lambda I)^-1
//	Theta_i <- Theta_i + Delta,  G <- G - Delta R_i
//
// G is the gradient over all samples at the current weights: the last line updates it for the step. So a step minimises
//
//	sum_t beta^(N-t) ||y_t - Theta phi_t||^2 + lambda ||Theta||_F^2
//
// exactly in its block. It cannot raise this loss, whatever the data, and has no learning rate. The fixed point of the steps
// is the ridge solution, also for correlated blocks and without forgetting. BlockNewton drops the gradients of earlier
// mini-batches: correlations between its blocks keep it away from that solution, but it needs memory O(M b) instead of
// M^2/2.
type BlockDescent struct {
	cfg    BlockDescentConfig
	width  int // b, in whole tiles unless there is one block only
	blocks int
	stride int // M rounded up for the kernels; the rest stays zero

	theta   []float64 // p x M
	r       *vec.Sym  // M x M
	g       []float64 // p x stride
	phi     []float64 // n x stride, mini-batch
	err     []float64 // n x p, its errors
	pending int       // samples in the mini-batch
	samples int       // samples so far
	current int       // block of the next step

	rhs   []float64 // p x b, scratch
	delta []float64 // M, scratch
	moved []float64 // M, scratch
	chol  *vec.Cholesky
}

// NewBlockDescent returns a learner with zero weights. The error names the field that is
// wrong.
func NewBlockDescent(cfg BlockDescentConfig) (*BlockDescent, error) {
	if cfg.MostBatch == 0 {
		cfg.MostBatch = cfg.Batch
	}
	switch {
	case cfg.Features < 1:
		return nil, fmt.Errorf("online: BlockDescent Features must be >= 1, got %d", cfg.Features)
	case cfg.Outputs < 1:
		return nil, fmt.Errorf("online: BlockDescent Outputs must be >= 1, got %d", cfg.Outputs)
	case cfg.Block < 1:
		return nil, fmt.Errorf("online: BlockDescent Block must be >= 1, got %d", cfg.Block)
	case cfg.Batch < 1:
		return nil, fmt.Errorf("online: BlockDescent Batch must be >= 1, got %d", cfg.Batch)
	case cfg.MostBatch < cfg.Batch:
		return nil, fmt.Errorf("online: BlockDescent MostBatch must be >= Batch = %d, or 0, got %d", cfg.Batch, cfg.MostBatch)
	case !(cfg.Ridge > 0) || math.IsInf(cfg.Ridge, 1):
		return nil, fmt.Errorf("online: BlockDescent Ridge must be > 0 and finite, got %g", cfg.Ridge)
	case !(cfg.Forgetting > 0 && cfg.Forgetting <= 1):
		return nil, fmt.Errorf("online: BlockDescent Forgetting must be in (0, 1], got %g", cfg.Forgetting)
	}
	if cfg.Workspace == nil {
		cfg.Workspace = new(Workspace)
	}
	m, p := cfg.Features, cfg.Outputs
	l := &BlockDescent{cfg: cfg, width: m, blocks: 1, stride: vec.Stride(m)}
	if cfg.Block < m {
		l.blocks = (m + cfg.Block - 1) / cfg.Block
		l.width = min(vec.Stride((m+l.blocks-1)/l.blocks), m)
	}
	l.theta = make([]float64, p*m)
	l.r = vec.NewSym(m)
	l.g = make([]float64, p*l.stride)
	l.phi = make([]float64, cfg.MostBatch*l.stride)
	l.err = make([]float64, cfg.MostBatch*p)
	l.rhs = make([]float64, p*l.width)
	l.delta, l.moved = make([]float64, m), make([]float64, m)
	l.chol = cfg.Workspace.solver(l.width).Cholesky
	return l, nil
}

// block returns the first column of block i. The last block ends with the last tile, so it may overlap with the block
// before it.
func (l *BlockDescent) block(i int) int {
	tiles := vec.Stride(l.width)
	return max(0, min(i*tiles, l.stride-tiles))
}

// Weights returns Theta, p x M row-major: a view that Update changes.
func (l *BlockDescent) Weights() []float64 { return l.theta }

// PredictTo sets y = Theta phi.
func (l *BlockDescent) PredictTo(y, phi []float64) { vec.MatVec(y, l.theta, phi) }

// Update adds a sample to the mini-batch, given the error e = y - Theta phi with the current weights (see RLS.Update), and
// takes a step when the mini-batch is full.
func (l *BlockDescent) Update(phi, e []float64) {
	if len(phi) != l.cfg.Features || len(e) != l.cfg.Outputs {
		panic("online: BlockDescent.Update: wrong length")
	}
	copy(l.phi[l.pending*l.stride:], phi)
	copy(l.err[l.pending*l.cfg.Outputs:], e)
	l.samples++
	if l.pending++; l.pending < l.batch() {
		return
	}
	n, p := l.pending, l.cfg.Outputs
	l.pending = 0
	decay := math.Pow(l.cfg.Forgetting, float64(n))
	vec.Scale(decay, l.g)
	vec.AddOuters(l.g, l.err[:n*p], l.phi[:n*l.stride], p, n, l.stride)
	l.r.AddRows(decay, l.phi[:n*l.stride])
	l.step(l.block(l.current))
	l.current = (l.current + 1) % l.blocks
}

// batch returns the current size of a mini-batch. It is small at first, when weights change quickly.
func (l *BlockDescent) batch() int {
	return max(l.cfg.Batch, min(l.samples/batchShare, l.cfg.MostBatch))
}

const batchShare = 64

// step minimises the loss in the block that begins with the given column.
func (l *BlockDescent) step(first int) {
	m, p := l.cfg.Features, l.cfg.Outputs
	w := min(l.width, m-first)
	clear(l.rhs)
	for o := range p {
		b := l.rhs[o*l.width:][:w]
		copy(b, l.g[o*l.stride+first:])
		vec.Axpy(-l.cfg.Ridge, l.theta[o*m+first:][:w], b)
	}
	if !l.chol.FactorBlock(l.r, first, l.cfg.Ridge, 1e-9) { // happens only after overflow
		l.forgetSamples()
		return
	}
	l.chol.Solve(l.rhs)
	clear(l.delta)
	for o := range p {
		d := l.rhs[o*l.width:][:w]
		copy(l.delta[first:], d)
		theta, g := l.theta[o*m:][:m], l.g[o*l.stride:][:m]
		vec.Axpy(1, d, theta[first:][:w])
		if l.blocks > 1 {
			l.r.MatVec(l.moved, l.delta)
			vec.Axpy(-1, l.moved, g)
		} else { // (R + lambda I) Delta = G - lambda Theta
			vec.ScaleTo(g, l.cfg.Ridge, theta)
		}
	}
}

// forgetSamples drops everything but the weights.
func (l *BlockDescent) forgetSamples() {
	l.r.SetIdentity(0)
	clear(l.g)
	l.pending = 0
}

// Reset returns to the state after NewBlockDescent.
func (l *BlockDescent) Reset() {
	clear(l.theta)
	l.forgetSamples()
	l.current, l.samples = 0, 0
}

// Discount multiplies the weight of all samples so far by keep in (0, 1]. The ridge stays.
func (l *BlockDescent) Discount(keep float64) {
	if !(keep > 0 && keep <= 1) {
		panic("online: BlockDescent.Discount: not in (0, 1]")
	}
	l.r.Scale(keep)
	vec.Scale(keep, l.g)
}

// State saves or restores the weights, the curvature, the gradient and the mini-batch.
func (l *BlockDescent) State(c *snapshot.Codec) {
	c.Section("blockdescent")
	c.Float64s(l.theta)
	l.r.State(c)
	c.Float64s(l.g)
	c.Float64s(l.phi)
	c.Float64s(l.err)
	c.Index(&l.pending, l.cfg.MostBatch)
	c.Int(&l.samples)
	c.Index(&l.current, l.blocks)
}
