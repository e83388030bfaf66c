package online

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
)

// narrowing is a relative increase of the diagonal against the rounding to 32 bits: elements have relative errors of 6e-8,
// and a block has about 50 rows.
const narrowing = 1e-6

// BlockNewtonConfig describes a block-preconditioned doubly stochastic
// learner.
type BlockNewtonConfig struct {
	Features   int     // M, length of phi
	Outputs    int     // p, length of y
	Block      int     // b, columns of phi that one step changes at most; M is split into ceil(M/b) blocks of one width
	Batch      int     // n, samples in the mini-batch: the last n, a multiple of Every; 0: as many as make each block see every sample once
	Every      int     // samples from one step to the next; 0 means 1
	Ridge      float64 // lambda > 0, in units of the sum of squares
	Forgetting float64 // beta in (0, 1], weight of a sample after one step

	Workspace *Workspace // scratch memory; nil: its own
}

// Workspace is scratch memory for learners that are never used at the same time. The zero
// value is ready for use.
type Workspace struct {
	shapes          []*newtonShape
	solvers         []solver
	phi, rhs, moved []float64
	udu             vec.UDUScratch
}

// newtonShape has the sizes and the solver that BlockNewtons of one configuration share.
type newtonShape struct {
	cfg           BlockNewtonConfig // with defaults in place of zeros
	blocks, width int               // b, columns of a block; the last one may have fewer
	groups        int               // number of groups in the mini-batch; a group is the samples between two steps
	stride        int               // b rounded up for the kernels; the rest stays zero
	solver        solver
	decay         float64 // beta^n
}

// room returns n numbers of undefined value, in the memory of s if that suffices.
func room(s *[]float64, n int) []float64 {
	if cap(*s) < n {
		*s = vec.Aligned(n)
	}
	return (*s)[:n]
}

// solver is room for a symmetric matrix and its factorisation.
type solver struct {
	*vec.Cholesky
	r *vec.Sym
}

// solver returns room for matrices of the given order.
func (w *Workspace) solver(order int) solver {
	for _, c := range w.solvers {
		if c.Order() == order {
			return c
		}
	}
	c := solver{vec.NewCholesky(order), vec.NewSym(order)}
	w.solvers = append(w.solvers, c)
	return c
}

// BlockNewton is mini-batch doubly stochastic gradient descent (Brault 2017, Algorithm 4)
// with the preconditioning by the Hessian of its section 8.3. At the end of a mini-batch, a step takes the
// last n samples (first source of randomness) and one block i of the features (second):
//
//	R_i     <- beta^n R_i + Phi_i^T Phi_i
//	Theta_i <- Theta_i + (Y - Phi Theta^T)^T Phi_i (R_i + lambda I)^-1
//
// R_i contains Phi_i^T Phi_i, so no step can raise the loss of its mini-batch: the learner cannot diverge, and has no
// learning rate.
//
// The step has only the errors of its mini-batch: earlier errors enter through R_i alone. So with several correlated blocks
// and without forgetting, the weights end a few per cent away from the ridge solution (7 to 9 % for blocks of 48).
// BlockDescent reaches the solution, with more memory. Models use BlockNewton for experts and NGRC, which forget by
// default, for the stack of a mixture, which is one block, and in HandOver, which starts at the solution of RLS.
type BlockNewton struct {
	*newtonShape

	// R and the inputs need only 32 bits, because a ridge is added to R. They take most of the memory of many series.
	theta []float64 // p x M
	r     []float32 // R of each block, the elements of a vec.Sym
	phi   []float32 // inputs that a step will still use; see slot
	err   []float64 // n x p, ring of the errors of the mini-batch with the weights as they are
	steps int       // taken so far
	wait  int       // samples before the next step
}

func (cfg *BlockNewtonConfig) check() error {
	switch {
	case cfg.Features < 1:
		return fmt.Errorf("online: BlockNewton Features must be >= 1, got %d", cfg.Features)
	case cfg.Outputs < 1:
		return fmt.Errorf("online: BlockNewton Outputs must be >= 1, got %d", cfg.Outputs)
	case cfg.Block < 1:
		return fmt.Errorf("online: BlockNewton Block must be >= 1, got %d", cfg.Block)
	case cfg.Batch < 0:
		return fmt.Errorf("online: BlockNewton Batch must be >= 0, got %d", cfg.Batch)
	case cfg.Every < 0:
		return fmt.Errorf("online: BlockNewton Every must be >= 0, got %d", cfg.Every)
	case cfg.Batch%max(cfg.Every, 1) != 0:
		return fmt.Errorf("online: BlockNewton Batch must be a multiple of Every, %d, got %d", cfg.Every, cfg.Batch)
	case !(cfg.Ridge > 0) || math.IsInf(cfg.Ridge, 1):
		return fmt.Errorf("online: BlockNewton Ridge must be > 0 and finite, got %g", cfg.Ridge)
	case !(cfg.Forgetting > 0 && cfg.Forgetting <= 1):
		return fmt.Errorf("online: BlockNewton Forgetting must be in (0, 1], got %g", cfg.Forgetting)
	}
	return nil
}

// NewBlockNewton returns a learner with zero weights. The error names the
// field that is wrong.
func NewBlockNewton(cfg BlockNewtonConfig) (*BlockNewton, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	if cfg.Workspace == nil {
		cfg.Workspace = new(Workspace)
	}
	cfg.Every = max(cfg.Every, 1)
	shape := cfg.Workspace.newton(cfg)
	l := &BlockNewton{newtonShape: shape, wait: cfg.Every}
	l.theta = make([]float64, cfg.Features*cfg.Outputs)
	l.err = make([]float64, cfg.Outputs*shape.cfg.Batch)
	l.r = make([]float32, shape.blocks*shape.solver.r.Len())
	l.phi = make([]float32, l.slots(l.groups)*cfg.Every*shape.stride)
	return l, nil
}

// newton returns the shape of a valid configuration.
func (w *Workspace) newton(cfg BlockNewtonConfig) *newtonShape {
	blocks := (cfg.Features + cfg.Block - 1) / cfg.Block
	if cfg.Batch == 0 {
		cfg.Batch = cfg.Every * blocks
	}
	for _, s := range w.shapes {
		if s.cfg == cfg {
			return s
		}
	}
	b := (cfg.Features + blocks - 1) / blocks
	stride := vec.Stride(b)
	s := &newtonShape{
		cfg: cfg, blocks: blocks, groups: cfg.Batch / cfg.Every, width: b, stride: stride,
		solver: w.solver(stride), decay: math.Pow(cfg.Forgetting, float64(cfg.Batch)),
	}
	w.shapes = append(w.shapes, s)
	return s
}

// curvature returns R of a block.
func (l *BlockNewton) curvature(i int) []float32 {
	n := l.solver.r.Len()
	return l.r[i*n : (i+1)*n]
}

// slot returns the place in phi of the inputs of a block in a group, counted like steps. Inputs are
// dropped after the last step that sees them, which is lasting groups later. In each group, no two
// blocks have inputs that last equally long; those that last k groups have k places in turns.
func (l *BlockNewton) slot(group, block int) (place int, used bool) {
	n := l.groups
	if n == 1 && l.blocks == 1 {
		return 0, true // without divisions, which take longer than the rest of Update
	}
	past := (group+n-1)%l.blocks - block
	if past < 0 {
		past += l.blocks
	}
	lasting := n - past
	if lasting < 1 {
		return 0, false
	}
	return l.slots(lasting-1) + group%lasting, true
}

// slots returns the number of places for inputs that last at most lasting groups.
func (l *BlockNewton) slots(lasting int) int {
	least := max(1, l.groups-l.blocks+1)
	return (lasting*(lasting+1) - least*(least-1)) / 2
}

// rows returns a place of phi.
func (l *BlockNewton) rows(place int) []float32 {
	n := l.cfg.Every * l.stride
	return l.phi[place*n : (place+1)*n]
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
		panic("online: BlockNewton.Update: wrong length")
	}
	row := l.cfg.Every - l.wait
	for i := range l.blocks {
		if place, used := l.slot(l.steps, i); used {
			s, w := l.block(i)
			x := l.rows(place)[row*l.stride : (row+1)*l.stride]
			vec.Narrow(x, phi[s:s+w])
			clear(x[w:])
		}
	}
	if l.groups > 1 {
		row += l.steps % l.groups * l.cfg.Every
	}
	copy(l.err[row*l.cfg.Outputs:], e)
	if l.wait--; l.wait > 0 {
		return
	}
	l.wait = l.cfg.Every
	l.step(l.steps % l.blocks)
	l.steps++
}

// step changes block i.
func (l *BlockNewton) step(i int) {
	m, p, n := l.cfg.Features, l.cfg.Outputs, l.cfg.Batch
	s, w := l.block(i)
	r, work := l.solver.r, l.cfg.Workspace

	// The inputs of the mini-batch, in the order of their errors.
	groups := l.groups
	used := min(l.steps+1, groups) * l.cfg.Every
	phi := room(&work.phi, used*l.stride)
	for k, rest := 0, phi; len(rest) > 0; k++ {
		place, _ := l.slot(l.steps-(l.steps-k)%groups, i)
		rows := l.rows(place)
		vec.Widen(rest, rows)
		rest = rest[len(rows):]
	}

	// Curvature and gradient of the mini-batch.
	rhs, decay := room(&work.rhs, p*l.stride), l.decay
	clear(rhs)
	vec.AddOuters(rhs, l.err[:used*p], phi, p, used, l.stride)
	if used < n {
		decay = math.Pow(l.cfg.Forgetting, float64(used))
	}
	r.Widen(l.curvature(i))
	r.AddRows(decay, phi)
	r.NarrowTo(l.curvature(i))

	// rhs (R + lambda I)^-1.
	if !l.solver.Factor(r, l.cfg.Ridge, narrowing) { // only after overflow
		clear(l.curvature(i))
		return
	}
	l.solver.Solve(rhs)
	for o := range p {
		vec.Axpy(1, rhs[o*l.stride:o*l.stride+w], l.theta[o*m+s:o*m+s+w])
	}

	// The next step does not see the samples of the oldest group again, once the batch is full.
	next := (l.steps + 1) % groups * l.cfg.Every
	oldest := next + l.cfg.Every
	l.move(phi, rhs, max(0, min(oldest-n, next)), next)
	if l.steps+1 >= groups && oldest < n {
		l.move(phi, rhs, oldest, n)
	}
}

// move corrects the errors of some samples by the change of their predictions in the
// step of rhs.
func (l *BlockNewton) move(phi, rhs []float64, from, to int) {
	p := l.cfg.Outputs
	moved := room(&l.cfg.Workspace.moved, (to-from)*p)
	vec.MatMulT(moved, phi[from*l.stride:to*l.stride], rhs, to-from, p, l.stride)
	vec.Axpy(-1, moved, l.err[from*p:to*p])
}

// Reset returns to the state after NewBlockNewton.
func (l *BlockNewton) Reset() {
	clear(l.theta)
	clear(l.r)
	clear(l.phi)
	clear(l.err)
	l.steps, l.wait = 0, l.cfg.Every
}

// Discount multiplies the curvature by keep in (0, 1], so that later samples move the
// weights further.
func (l *BlockNewton) Discount(keep float64) {
	if !(keep > 0 && keep <= 1) {
		panic("online: BlockNewton.Discount: not in (0, 1]")
	}
	for i := range l.r {
		l.r[i] *= float32(keep)
	}
}

// State saves or restores the weights, the curvatures and the mini-batch.
func (l *BlockNewton) State(c *snapshot.Codec) {
	c.Section("blocknewton")
	c.Float64s(l.theta)
	c.Float32s(l.r)
	c.Float32s(l.phi)
	c.Float64s(l.err)
	c.Index(&l.steps, math.MaxInt)
	c.Index(&l.wait, l.cfg.Every+1)
}
