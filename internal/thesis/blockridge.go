package thesis

import (
	"errors"

	"github.com/orffvar/forecaster/internal/vec"
)

// Block is a part of the features of a BlockRidge.
type Block struct {
	Len        int                    // number of features
	FeaturesTo func(phi, x []float64) // computes them, phi of length Len
}

// BlockRidgeConfig describes a BlockRidge.
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
// for the n pairs of the window and the residual r of the blocks before, and then
// multiplies the thetas of the blocks before by 1 - lambda. There is one iteration
// per block. With one block it is ridge regression; with the features (1, x) and
// lambda 0, least squares with intercept.
//
// It is a Slider. A new pair changes the normal equations of each block by a
// rank-one term. A prediction needs no theta but one vector per block, the adjoint
// of the recursion above. So moving a window of n pairs costs O(sum of m_t^2) for
// blocks of m_t features, and a prediction O(n m) more when there are several
// blocks; a fit costs O(n sum of m_t^2).
type BlockRidge struct {
	c       BlockRidgeConfig
	m       int       // features of all blocks
	start   []int     // first feature of each block
	n       int       // pairs in the window
	oldest  int       // row of the oldest pair
	rows    []float64 // n x m, features of the pairs in the window, a ring
	cross   []float64 // m x Out, sum of phi y^T over the window
	factors []*factor // of Phi_t Phi_t^T + n lambda I
	phi     []float64 // of the newest x
	a       []float64 // adjoint, m
	z       []float64 // scratch, n
}

// NewBlockRidge returns a BlockRidge. It panics when c has no blocks, an empty
// one, no output, or a lambda outside [0, 1).
func NewBlockRidge(c BlockRidgeConfig) *BlockRidge {
	if c.Out < 1 || len(c.Blocks) == 0 || !(c.Lambda >= 0 && c.Lambda < 1) {
		panic("thesis: BlockRidge: wrong configuration")
	}
	b := &BlockRidge{c: c}
	for _, block := range c.Blocks {
		if block.Len < 1 {
			panic("thesis: BlockRidge: empty block")
		}
		b.start = append(b.start, b.m)
		b.factors = append(b.factors, newFactor(block.Len))
		b.m += block.Len
	}
	b.cross = make([]float64, b.m*c.Out)
	b.phi = make([]float64, b.m)
	b.a = make([]float64, b.m)
	return b
}

// errSingular means that no ridge makes the equations regular, because the features
// are not finite.
var errSingular = errors.New("singular normal equations")

// featuresTo computes the features of all blocks.
func (b *BlockRidge) featuresTo(phi, x []float64) {
	for t, block := range b.c.Blocks {
		block.FeaturesTo(b.block(phi, t), x)
	}
}

// block returns the part of v, of length m, that belongs to block t.
func (b *BlockRidge) block(v []float64, t int) []float64 {
	return v[b.start[t]:][:b.c.Blocks[t].Len]
}

// row returns the features of the pair in row i of the ring.
func (b *BlockRidge) row(i int) []float64 { return b.rows[i*b.m:][:b.m] }

// addCross adds sign phi y^T.
func (b *BlockRidge) addCross(sign float64, phi, y []float64) {
	for i, v := range phi {
		vec.Axpy(sign*v, y, b.cross[i*b.c.Out:][:b.c.Out])
	}
}

// Fit implements Fitter.
func (b *BlockRidge) Fit(x, y [][]float64) error {
	if b.n != len(x) {
		b.n = len(x)
		b.rows = make([]float64, b.n*b.m)
		b.z = make([]float64, b.n)
	}
	b.oldest = 0
	clear(b.cross)
	for i := range x {
		b.featuresTo(b.row(i), x[i])
		b.addCross(1, b.row(i), y[i])
	}
	return b.refactorAll()
}

func (b *BlockRidge) refactorAll() error {
	for t := range b.factors {
		if err := b.refactor(t); err != nil {
			return err
		}
	}
	return nil
}

// refactor computes the factor of block t from the window. Where the matrix is
// singular the ridge is raised, by 1e-10 of the mean diagonal element at first.
func (b *BlockRidge) refactor(t int) error {
	m := b.c.Blocks[t].Len
	gram := make([]float64, m*m)
	for i := range b.n {
		phi := b.block(b.row(i), t)
		for j, v := range phi {
			vec.Axpy(v, phi[j:], gram[j*m+j:(j+1)*m])
		}
	}
	mean := 0.
	for j := range m {
		mean += gram[j*m+j] / float64(m)
	}
	shift := float64(b.n) * b.c.Lambda
	for _, ridge := range []float64{0, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2, 1} {
		if b.factors[t].set(gram, shift+ridge*mean) {
			return nil
		}
	}
	return errSingular
}

// Slide implements Slider. The old features stand in the ring, so oldX is not
// needed.
func (b *BlockRidge) Slide(_, oldY, newX, newY []float64) error {
	b.featuresTo(b.phi, newX)
	b.addCross(1, b.phi, newY)
	old := b.row(b.oldest)
	b.addCross(-1, old, oldY)
	broken := false
	for t, f := range b.factors {
		f.update(b.block(b.phi, t))
		broken = !f.downdate(b.block(old, t)) || broken
	}
	copy(old, b.phi)
	b.oldest = (b.oldest + 1) % b.n
	if broken {
		return b.refactorAll()
	}
	return nil
}

// PredictTo implements Fitter. The prediction
//
//	sum_t w_t phi_t(x)^T theta_t, w_t = (1-lambda)^(T-t)
//
// is linear in the products Phi_t Y. The loop runs the recursion of the thetas
// backwards to find the coefficients a_t:
//
//	(Phi_t Phi_t^T + n lambda I) a_t = w_t phi_t - Phi_t z_t
//	z_t = sum_{u>t} (1-lambda)^(u-1-t) Phi_u^T a_u
//	prediction = sum_t (Phi_t Y)^T a_t
func (b *BlockRidge) PredictTo(dst, x []float64) {
	b.featuresTo(b.phi, x)
	copy(b.a, b.phi)
	clear(b.z)
	decay, w := 1-b.c.Lambda, 1.
	for t := len(b.factors) - 1; t >= 0; t-- {
		a := b.block(b.a, t)
		vec.Scale(w, a)
		if w *= decay; t < len(b.factors)-1 {
			for i, v := range b.z {
				vec.Axpy(-v, b.block(b.row(i), t), a)
			}
		}
		b.factors[t].solve(a)
		if t > 0 {
			for i, v := range b.z {
				b.z[i] = decay*v + vec.Dot(b.block(b.row(i), t), a)
			}
		}
	}
	clear(dst)
	for i, v := range b.a {
		vec.Axpy(v, b.cross[i*b.c.Out:][:b.c.Out], dst)
	}
}
