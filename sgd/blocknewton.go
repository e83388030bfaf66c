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
	Block      int     // b, columns of phi that one step changes at most; M is split into ceil(M/b) blocks of one width
	Batch      int     // n, samples in the mini-batch: the last n; 0: as many as make each block see every sample once
	Every      int     // samples from one step to the next; 0 means 1
	Ridge      float64 // lambda > 0, in units of the sum of squares
	Forgetting float64 // beta in (0, 1], weight of a sample after one step

	Workspace *Workspace // scratch memory; nil: its own
}

// Workspace is scratch memory for learners that are never used at the same time. The zero
// value is ready for use.
type Workspace struct{ solvers []*vec.Cholesky }

// solver returns room for a factorisation of the given order.
func (w *Workspace) solver(order int) *vec.Cholesky {
	for _, c := range w.solvers {
		if c.Order() == order {
			return c
		}
	}
	c := vec.NewCholesky(order)
	w.solvers = append(w.solvers, c)
	return c
}

// BlockNewton is mini-batch doubly stochastic gradient descent (Brault 2017, Algorithm 4)
// with the preconditioning by the Hessian of its section 8.3. Every so many samples, a step takes the
// last n samples (first source of randomness) and one block i of the features (second):
//
//	R_i     <- beta^n R_i + Phi_i^T Phi_i
//	Theta_i <- Theta_i + (Y - Phi Theta^T)^T Phi_i (R_i + lambda I)^-1
//
// Since R_i contains Phi_i^T Phi_i, no step can raise the loss of the
// mini-batch it sees: the learner cannot diverge, without any learning rate.
//
// The step knows the errors of its mini-batch, and those of earlier ones by nothing but R_i. So with
// several blocks whose features are correlated, and without forgetting, the weights end a few per cent
// away from the ridge solution (7 to 9 % for blocks of 48); BlockDescent reaches it, with more memory.
// Package varmodel takes BlockNewton for experts and NGRC, which forget by default, for the stack of a
// mixture, which is one block, and in HandOver, which starts at the solution of RLS.
type BlockNewton struct {
	cfg           BlockNewtonConfig
	blocks, width int // b, columns of a block; the last one may have fewer
	stride        int // b rounded up for the kernels; what is beyond stays zero

	theta   []float64   // p x M
	r       []*vec.Sym  // per block, stride x stride
	phi     [][]float64 // per block n x stride, ring of inputs
	err     []float64   // n x p, ring of their errors with the weights as they are
	full    bool        // the rings have gone round
	next    int         // ring position of the next sample
	wait    int         // samples before the next step
	current int         // block of the next step

	rhs   []float64 // p x stride, scratch
	moved []float64 // n x p, scratch
	chol  *vec.Cholesky
	decay []float64 // beta^k, k <= n
}

func (cfg *BlockNewtonConfig) check() error {
	switch {
	case cfg.Features < 1:
		return fmt.Errorf("sgd: BlockNewton Features must be >= 1, got %d", cfg.Features)
	case cfg.Outputs < 1:
		return fmt.Errorf("sgd: BlockNewton Outputs must be >= 1, got %d", cfg.Outputs)
	case cfg.Block < 1:
		return fmt.Errorf("sgd: BlockNewton Block must be >= 1, got %d", cfg.Block)
	case cfg.Batch < 0:
		return fmt.Errorf("sgd: BlockNewton Batch must be >= 0, got %d", cfg.Batch)
	case cfg.Every < 0:
		return fmt.Errorf("sgd: BlockNewton Every must be >= 0, got %d", cfg.Every)
	case !(cfg.Ridge > 0) || math.IsInf(cfg.Ridge, 1):
		return fmt.Errorf("sgd: BlockNewton Ridge must be > 0 and finite, got %g", cfg.Ridge)
	case !(cfg.Forgetting > 0 && cfg.Forgetting <= 1):
		return fmt.Errorf("sgd: BlockNewton Forgetting must be in (0, 1], got %g", cfg.Forgetting)
	}
	return nil
}

// NewBlockNewton returns a learner with zero weights. The error names the
// field that is wrong.
func NewBlockNewton(cfg BlockNewtonConfig) (*BlockNewton, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	m, p := cfg.Features, cfg.Outputs
	blocks := (m + cfg.Block - 1) / cfg.Block
	b := (m + blocks - 1) / blocks
	stride := vec.Stride(b)
	if cfg.Workspace == nil {
		cfg.Workspace = new(Workspace)
	}
	cfg.Every = max(cfg.Every, 1)
	if cfg.Batch == 0 {
		cfg.Batch = cfg.Every * blocks
	}
	n := cfg.Batch
	l := &BlockNewton{
		cfg: cfg, blocks: blocks, width: b, stride: stride,
		theta: make([]float64, m*p),
		r:     make([]*vec.Sym, blocks),
		phi:   make([][]float64, blocks),
		err:   make([]float64, p*n),
		wait:  cfg.Every,
		chol:  cfg.Workspace.solver(stride),
		rhs:   make([]float64, p*stride),
		moved: make([]float64, p*n),
		decay: make([]float64, n+1),
	}
	for i := range l.r {
		l.r[i] = vec.NewSym(stride)
		l.phi[i] = make([]float64, n*stride)
	}
	for k := range l.decay {
		l.decay[k] = math.Pow(cfg.Forgetting, float64(k))
	}
	return l, nil
}

// block returns the first column and the width of block i.
func (l *BlockNewton) block(i int) (first, width int) {
	first = i * l.width
	return first, min(l.width, l.cfg.Features-first)
}

// Weights returns Theta, p x M row-major: a view that Update changes.
func (l *BlockNewton) Weights() []float64 { return l.theta }

// PredictTo sets y = Theta phi.
func (l *BlockNewton) PredictTo(y, phi []float64) { vec.MatVec(y, l.theta, phi) }

// Update adds a sample to the mini-batch, given the error e = y - Theta phi of
// the weights as they are now (see RLS.Update), and takes a step when it is due.
func (l *BlockNewton) Update(phi, e []float64) {
	if len(phi) != l.cfg.Features || len(e) != l.cfg.Outputs {
		panic("sgd: BlockNewton.Update: wrong length")
	}
	for i, ring := range l.phi {
		s, w := l.block(i)
		copy(ring[l.next*l.stride:], phi[s:s+w])
	}
	copy(l.err[l.next*l.cfg.Outputs:], e)
	if l.next++; l.next == l.cfg.Batch {
		l.next, l.full = 0, true
	}
	if l.wait--; l.wait > 0 {
		return
	}
	l.wait = l.cfg.Every
	i := l.current
	l.current = (l.current + 1) % l.blocks
	l.step(i)
}

func (l *BlockNewton) step(i int) {
	m, p, n := l.cfg.Features, l.cfg.Outputs, l.cfg.Batch
	s, w := l.block(i)
	r, phi := l.r[i], l.phi[i]
	used := l.next
	if l.full {
		used = n
	}

	// Curvature and gradient of the mini-batch.
	clear(l.rhs)
	vec.AddOuters(l.rhs, l.err[:used*p], phi[:used*l.stride], p, used, l.stride)
	r.AddRows(l.decay[used], phi[:used*l.stride])

	// rhs (R + lambda I)^-1.
	if !l.chol.Factor(r, l.cfg.Ridge, 1e-9) { // only after overflow
		r.SetIdentity(0)
		return
	}
	l.chol.Solve(l.rhs)
	for o := range p {
		vec.Axpy(1, l.rhs[o*l.stride:o*l.stride+w], l.theta[o*m+s:o*m+s+w])
	}

	// The next step does not see the oldest samples again.
	oldest := l.next + l.cfg.Every
	l.move(phi, max(0, min(oldest-n, l.next)), l.next)
	if l.full && oldest < n {
		l.move(phi, oldest, n)
	}
}

// move corrects the errors of some samples by what the step of rhs adds to the
// predictions of their features.
func (l *BlockNewton) move(phi []float64, from, to int) {
	p := l.cfg.Outputs
	moved := l.moved[from*p : to*p]
	vec.MatMulT(moved, phi[from*l.stride:to*l.stride], l.rhs, to-from, p, l.stride)
	vec.Axpy(-1, moved, l.err[from*p:to*p])
}

// Reset returns to the state after NewBlockNewton.
func (l *BlockNewton) Reset() {
	clear(l.theta)
	for i, r := range l.r {
		r.SetIdentity(0)
		clear(l.phi[i])
	}
	clear(l.err)
	l.full, l.next, l.current, l.wait = false, 0, 0, l.cfg.Every
}

// Discount multiplies the curvature by keep in (0, 1], so that later samples move the
// weights further.
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
	for i, r := range l.r {
		r.State(c)
		c.Float64s(l.phi[i])
	}
	c.Float64s(l.err)
	c.Bool(&l.full)
	c.Index(&l.next, l.cfg.Batch)
	c.Index(&l.wait, l.cfg.Every+1)
	c.Index(&l.current, l.blocks)
}
