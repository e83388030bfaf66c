package sgd

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/internal/snapshot"
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
//	Theta_i <- Theta_i + (R_i + lambda I)^-1 Phi_i^T (Y - Phi Theta)
//
// Since R_i contains Phi_i^T Phi_i, no step can raise the loss of the
// mini-batch it sees: the learner cannot diverge, without any learning rate.
type BlockNewton struct {
	cfg    BlockNewtonConfig
	blocks int

	theta []float64   // M x p
	r     [][]float64 // per block, full b_i x b_i
	phi   []float64   // n x M, ring of inputs
	y     []float64   // n x p, ring of targets
	count int         // samples seen, saturating at n in use
	next  int         // ring position of the next sample
	turn  int         // block of the next step

	err   []float64 // n x p scratch
	chol  []float64 // b x b scratch
	rhs   []float64 // b x p scratch
	decay []float64 // beta^k, k <= n
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
		chol:   make([]float64, b*b),
		rhs:    make([]float64, b*p),
		decay:  make([]float64, n+1),
	}
	l.cfg.Block = b
	l.r = make([][]float64, l.blocks)
	for i := range l.r {
		_, w := l.block(i)
		l.r[i] = make([]float64, w*w)
	}
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

// Weights returns Theta, M x p row-major: a view that Update changes.
func (l *BlockNewton) Weights() []float64 { return l.theta }

// PredictTo sets y = Theta^T phi.
func (l *BlockNewton) PredictTo(y, phi []float64) { predictTo(y, l.theta, phi) }

// Update adds a sample to the mini-batch and takes one step, given the error
// e = y - Theta^T phi of the weights as they are now; see RLS.Update.
func (l *BlockNewton) Update(phi, e []float64) {
	m, p := l.cfg.Features, l.cfg.Outputs
	if len(phi) != m || len(e) != p {
		panic("sgd: BlockNewton.Update: wrong length")
	}
	copy(l.phi[l.next*m:], phi)
	y := l.y[l.next*p : (l.next+1)*p]
	predictTo(y, l.theta, phi)
	axpy(y, 1, e)
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
	f := l.decay[n]
	rhs := l.rhs[:w*p]
	clear(rhs)
	for k := range n {
		phi := l.phi[k*m : (k+1)*m]
		e := l.err[k*p : (k+1)*p]
		predictTo(e, l.theta, phi)
		for o, y := range l.y[k*p : (k+1)*p] {
			e[o] = y - e[o]
		}
		block := phi[s : s+w]
		for a, v := range block {
			row := r[a*w : a*w+a+1] // the lower half is enough
			if k == 0 {
				for c := range row {
					row[c] *= f
				}
			}
			axpy(row, v, block[:a+1])
			axpy(rhs[a*p:(a+1)*p], v, e)
		}
	}

	// (R + lambda I)^-1 rhs.
	a := l.chol[:w*w]
	copy(a, r)
	for j := range w {
		a[j*w+j] += l.cfg.Ridge + 1e-9*a[j*w+j]
	}
	if !cholesky(a, w) { // only after overflow
		clear(r)
		return
	}
	cholSolve(rhs, a, w, p)
	axpy(l.theta[s*p:(s+w)*p], 1, rhs)
}

// State saves or restores the weights, the curvatures and the mini-batch.
func (l *BlockNewton) State(c *snapshot.Codec) {
	c.Section("blocknewton")
	c.Float64s(l.theta)
	for _, r := range l.r {
		c.Float64s(r)
	}
	c.Float64s(l.phi)
	c.Float64s(l.y)
	c.Index(&l.count, l.cfg.Batch+1)
	c.Index(&l.next, l.cfg.Batch)
	c.Index(&l.turn, l.blocks)
}

// cholesky replaces the lower half of the n x n matrix a by its factor L, with
// 1/L_ii on the diagonal. It returns false when a is not positive definite.
func cholesky(a []float64, n int) bool {
	for i := range n {
		ri := a[i*n : i*n+i+1]
		for j := range i {
			rj := a[j*n : j*n+j+1]
			ri[j] = (ri[j] - dot(ri[:j], rj[:j])) * rj[j]
		}
		d := ri[i] - dot(ri[:i], ri[:i])
		if !(d > 0) || math.IsInf(d, 1) {
			return false
		}
		ri[i] = 1 / math.Sqrt(d)
	}
	return true
}

// cholSolve sets x = (L L^T)^-1 x for x of n rows and p columns, L from
// cholesky.
func cholSolve(x, l []float64, n, p int) {
	for i := range n {
		xi := x[i*p : (i+1)*p]
		for j := range i {
			axpy(xi, -l[i*n+j], x[j*p:(j+1)*p])
		}
		for o := range xi {
			xi[o] *= l[i*n+i]
		}
	}
	for i := n - 1; i >= 0; i-- {
		xi := x[i*p : (i+1)*p]
		for o := range xi {
			xi[o] *= l[i*n+i]
		}
		for j := range i {
			axpy(x[j*p:(j+1)*p], -l[i*n+j], xi)
		}
	}
}
