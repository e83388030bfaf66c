package sgd

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/internal/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
)

// BlockNewtonConfig describes a block-preconditioned doubly stochastic
// learner.
type BlockNewtonConfig struct {
	Features   int     // M, length of phi
	Outputs    int     // p, length of y
	Block      int     // b, columns of phi that one step changes; M is split into ceil(M/b) blocks
	Batch      int     // n, samples in the mini-batch: the last n
	Ridge      float64 // lambda > 0, in units of the sum of squares
	Forgetting float64 // beta in (0, 1], weight of a sample after one step
}

// BlockNewton is mini-batch doubly stochastic gradient descent (Brault 2017,
// Algorithm 4) with the Hessian preconditioner of its section 6: step t takes
// the last n samples (the first source of chance) and one block i of the
// features (the second), and moves
//
//	R_i     <- beta^n R_i + Phi_i^T Phi_i
//	Theta_i <- Theta_i + (Y - Phi Theta^T)^T Phi_i (R_i + lambda I)^-1
//
// Since R_i contains Phi_i^T Phi_i, no step can raise the loss of the
// mini-batch it sees: the learner cannot diverge, without any learning rate.
type BlockNewton struct {
	cfg    BlockNewtonConfig
	blocks int

	theta []float64  // p x M
	r     []*vec.Sym // per block, b_i x b_i
	phi   []float64  // n x M, ring of inputs
	y     []float64  // n x p, ring of targets
	count int        // samples seen, saturating at n in use
	next  int        // ring position of the next sample
	turn  int        // block of the next step

	err        []float64     // n x p scratch
	rhs        []float64     // p x b scratch
	chol, last *vec.Cholesky // scratch of a block and of the last block
	decay      []float64     // beta^k, k <= n
}

// NewBlockNewton returns a learner with zero weights. The error names the
// field that is wrong.
func NewBlockNewton(cfg BlockNewtonConfig) (*BlockNewton, error) {
	switch {
	case cfg.Features < 1:
		return nil, fmt.Errorf("sgd: BlockNewton Features must be >= 1, got %d", cfg.Features)
	case cfg.Outputs < 1:
		return nil, fmt.Errorf("sgd: BlockNewton Outputs must be >= 1, got %d", cfg.Outputs)
	case cfg.Block < 1:
		return nil, fmt.Errorf("sgd: BlockNewton Block must be >= 1, got %d", cfg.Block)
	case cfg.Batch < 1:
		return nil, fmt.Errorf("sgd: BlockNewton Batch must be >= 1, got %d", cfg.Batch)
	case !(cfg.Ridge > 0) || math.IsInf(cfg.Ridge, 1):
		return nil, fmt.Errorf("sgd: BlockNewton Ridge must be > 0 and finite, got %g", cfg.Ridge)
	case !(cfg.Forgetting > 0 && cfg.Forgetting <= 1):
		return nil, fmt.Errorf("sgd: BlockNewton Forgetting must be in (0, 1], got %g", cfg.Forgetting)
	}
	m, p, n := cfg.Features, cfg.Outputs, cfg.Batch
	b := min(cfg.Block, m)
	l := &BlockNewton{
		cfg:    cfg,
		blocks: (m + b - 1) / b,
		theta:  make([]float64, m*p),
		phi:    make([]float64, n*m),
		y:      make([]float64, n*p),
		err:    make([]float64, n*p),
		rhs:    make([]float64, p*b),
		chol:   vec.NewCholesky(b),
		decay:  make([]float64, n+1),
	}
	l.cfg.Block = b
	l.r = make([]*vec.Sym, l.blocks)
	for i := range l.r {
		_, w := l.block(i)
		l.r[i] = vec.NewSym(w)
	}
	_, w := l.block(l.blocks - 1)
	l.last = vec.NewCholesky(w)
	for k := range l.decay {
		l.decay[k] = math.Pow(cfg.Forgetting, float64(k))
	}
	return l, nil
}

// block returns the first column and the width of block i.
func (l *BlockNewton) block(i int) (first, width int) {
	first = i * l.cfg.Block
	return first, min(l.cfg.Block, l.cfg.Features-first)
}

// Weights returns Theta, p x M row-major: a view that Update changes.
func (l *BlockNewton) Weights() []float64 { return l.theta }

// PredictTo sets y = Theta phi.
func (l *BlockNewton) PredictTo(y, phi []float64) { vec.MatVec(y, l.theta, phi) }

// Update adds a sample to the mini-batch and takes one step, given the error
// e = y - Theta phi of the weights as they are now; see RLS.Update.
func (l *BlockNewton) Update(phi, e []float64) {
	m, p := l.cfg.Features, l.cfg.Outputs
	if len(phi) != m || len(e) != p {
		panic("sgd: BlockNewton.Update: wrong length")
	}
	copy(l.phi[l.next*m:], phi)
	y := l.y[l.next*p : (l.next+1)*p]
	vec.MatVec(y, l.theta, phi)
	vec.Axpy(1, e, y)
	l.next = (l.next + 1) % l.cfg.Batch
	l.count = min(l.count+1, l.cfg.Batch)

	i := l.turn
	l.turn = (l.turn + 1) % l.blocks
	l.step(i)
}

func (l *BlockNewton) step(i int) {
	m, p, n := l.cfg.Features, l.cfg.Outputs, l.count
	s, w := l.block(i)
	r := l.r[i]

	// Curvature and gradient of the mini-batch.
	e := l.err[:n*p]
	vec.MatMulT(e, l.phi[:n*m], l.theta, n, p, m)
	for k, y := range l.y[:n*p] {
		e[k] = y - e[k]
	}
	rhs := l.rhs[:p*w]
	clear(rhs)
	r.Scale(l.decay[n])
	for k := range n {
		block := l.phi[k*m+s : k*m+s+w]
		r.Rank1(1, block)
		vec.AddOuter(rhs, 1, e[k*p:(k+1)*p], block)
	}

	// rhs (R + lambda I)^-1.
	chol := l.chol
	if i == l.blocks-1 {
		chol = l.last
	}
	if !chol.Factor(r, l.cfg.Ridge, 1e-9) { // only after overflow
		r.SetIdentity(0)
		return
	}
	chol.Solve(rhs)
	for o := range p {
		vec.Axpy(1, rhs[o*w:(o+1)*w], l.theta[o*m+s:o*m+s+w])
	}
}

// Reset returns to the state after NewBlockNewton.
func (l *BlockNewton) Reset() {
	clear(l.theta)
	for _, r := range l.r {
		r.SetIdentity(0)
	}
	clear(l.phi)
	clear(l.y)
	l.count, l.next, l.turn = 0, 0, 0
}

// Discount gives all curvature so far the weight keep in (0, 1], so that the
// samples to come move the weights further.
func (l *BlockNewton) Discount(keep float64) {
	if !(keep > 0 && keep <= 1) {
		panic("sgd: BlockNewton.Discount: not in (0, 1]")
	}
	for _, r := range l.r {
		r.Scale(keep)
	}
}

// State saves or restores the weights, the curvatures and the mini-batch.
func (l *BlockNewton) State(c *snapshot.Codec) {
	c.Section("blocknewton")
	c.Float64s(l.theta)
	for _, r := range l.r {
		r.State(c)
	}
	c.Float64s(l.phi)
	c.Float64s(l.y)
	c.Index(&l.count, l.cfg.Batch+1)
	c.Index(&l.next, l.cfg.Batch)
	c.Index(&l.turn, l.blocks)
}
