package eval

import (
	"errors"
	"math"

	"github.com/orffvar/forecaster/internal/vec"
)

// Block is a part of the features of a BlockRidge.
type Block struct {
	Len        int                    // number of features
	FeaturesTo func(phi, x []float64) // computes them, phi of length Len
}

// BlockRidgeConfig says what a BlockRidge fits.
type BlockRidgeConfig struct {
	Out    int     // variables of y
	Blocks []Block // fitted in this order
	Lambda float64 // ridge, for the mean squared error of a window
}

// BlockRidge is ORFFVAR as the thesis evaluates it: Algorithm 4 of Brault 2017
// with step 1, Hessian preconditioning and the window as its only batch, so
// that iteration t solves block t exactly,
//
//	theta_t = (Phi_t Phi_t^T / n + lambda I)^-1 Phi_t r / n
//
// for the n pairs of the window and the residual r that the blocks before
// leave, after which it multiplies these by 1 - lambda. There is one iteration
// a block. With one block it is ridge regression; with the features (1, x) and
// lambda 0, least squares with intercept.
//
// It is a Slider: a new pair changes the Gram matrix by a rank-one term, and a
// prediction needs no theta but one vector for each block (the adjoint of the
// recursion above), so that moving the window of n pairs costs O(m^2) for m
// features instead of O(n m^2).
type BlockRidge struct {
	c       BlockRidgeConfig
	m       int       // features of all blocks
	start   []int     // first feature of each block
	n       int       // pairs in the window
	gram    []float64 // m x m upper triangle of Phi Phi^T
	cross   []float64 // m x Out, Phi Y
	factors []*factor // of the diagonal blocks + n lambda I
	phi     []float64
	adjoint []float64
}

// NewBlockRidge returns a BlockRidge. It panics when c has no blocks, an empty
// one, no output, or a lambda outside [0, 1).
func NewBlockRidge(c BlockRidgeConfig) *BlockRidge {
	if c.Out < 1 || len(c.Blocks) == 0 || !(c.Lambda >= 0 && c.Lambda < 1) {
		panic("eval: BlockRidge: wrong configuration")
	}
	b := &BlockRidge{c: c}
	for _, block := range c.Blocks {
		if block.Len < 1 {
			panic("eval: BlockRidge: empty block")
		}
		b.start = append(b.start, b.m)
		b.factors = append(b.factors, newFactor(block.Len))
		b.m += block.Len
	}
	b.gram = make([]float64, b.m*b.m)
	b.cross = make([]float64, b.m*c.Out)
	b.phi = make([]float64, b.m)
	b.adjoint = make([]float64, b.m)
	return b
}

// errSingular is returned when not even a tiny ridge helps: the features are
// not finite.
var errSingular = errors.New("singular normal equations")

func (b *BlockRidge) features(x []float64) {
	for i, block := range b.c.Blocks {
		block.FeaturesTo(b.phi[b.start[i]:][:block.Len], x)
	}
}

// add adds sign times a pair, whose features stand in phi, to the sums.
func (b *BlockRidge) add(sign float64, y []float64) {
	for i, v := range b.phi {
		if v == 0 {
			continue
		}
		vec.Axpy(sign*v, b.phi[i:], b.gram[i*b.m+i:(i+1)*b.m])
		vec.Axpy(sign*v, y, b.cross[i*b.c.Out:(i+1)*b.c.Out])
	}
}

// Fit implements Fitter.
func (b *BlockRidge) Fit(x, y [][]float64) error {
	b.n = len(x)
	clear(b.gram)
	clear(b.cross)
	for i := range x {
		b.features(x[i])
		b.add(1, y[i])
	}
	for i := range b.factors {
		if err := b.refactor(i); err != nil {
			return err
		}
	}
	return nil
}

// refactor computes the factor of block i from the Gram matrix. Where that is
// singular the ridge is raised, by 1e-10 of the mean diagonal element at first.
func (b *BlockRidge) refactor(i int) error {
	s, f := b.start[i], b.factors[i]
	shift := float64(b.n) * b.c.Lambda
	a := b.gram[s*b.m+s:]
	if f.set(a, b.m, shift) {
		return nil
	}
	trace := 0.
	for j := range f.n {
		trace += a[j*b.m+j]
	}
	for ridge := 1e-10; ridge <= 1; ridge *= 100 {
		if f.set(a, b.m, shift+ridge*trace/float64(f.n)) {
			return nil
		}
	}
	return errSingular
}

// Slide implements Slider.
func (b *BlockRidge) Slide(oldX, oldY, newX, newY []float64) error {
	b.features(newX)
	b.add(1, newY)
	for i, f := range b.factors {
		f.update(b.phi[b.start[i]:][:f.n])
	}
	b.features(oldX)
	b.add(-1, oldY)
	for i, f := range b.factors {
		if !f.downdate(b.phi[b.start[i]:][:f.n]) {
			if err := b.refactor(i); err != nil {
				return err
			}
		}
	}
	return nil
}

// PredictTo implements Fitter. The prediction sum_t w_t phi_t(x)^T theta_t,
// w_t = (1-lambda)^(T-t), is linear in Phi Y; the loop runs the recursion of
// the thetas backwards to find the coefficients, block by block:
//
//	a_t = A_t^-1 (w_t phi_t - sum_{u>t} (1-lambda)^(u-1-t) G_tu a_u)
//	prediction = sum_t (Phi_t Y)^T a_t
func (b *BlockRidge) PredictTo(dst, x []float64) {
	b.features(x)
	T := len(b.factors)
	for t := T - 1; t >= 0; t-- {
		f, s := b.factors[t], b.start[t]
		a := b.adjoint[s:][:f.n]
		w := math.Pow(1-b.c.Lambda, float64(T-1-t))
		for j := range a {
			a[j] = w * b.phi[s+j]
		}
		for u := t + 1; u < T; u++ {
			decay := math.Pow(1-b.c.Lambda, float64(u-1-t))
			from, to := b.start[u], b.start[u]+b.factors[u].n
			for j := range a {
				a[j] -= decay * vec.Dot(b.gram[(s+j)*b.m+from:(s+j)*b.m+to], b.adjoint[from:to])
			}
		}
		f.solve(a)
	}
	clear(dst)
	for i, v := range b.adjoint {
		vec.Axpy(v, b.cross[i*b.c.Out:(i+1)*b.c.Out], dst)
	}
}
