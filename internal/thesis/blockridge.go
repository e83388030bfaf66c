package thesis

import (
	"errors"

	"github.com/orffvar/forecaster/internal/vec"
)

// Block is a part of the features of a BlockRidge.
type Block struct {
	Len        int                    // number of features
	FeaturesTo func(phi, x []float64) // writes the features of x into phi, length Len
}

// BlockRidgeConfig describes a BlockRidge.
type BlockRidgeConfig struct {
	Out    int     // number of variables of y
	Blocks []Block // blocks in the order of the fit
	Lambda float64 // ridge, for the mean squared error over the window
}

// BlockRidge is ORFFVAR as the thesis evaluates it: Algorithm 4 of Brault 2017 with step 1, Hessian preconditioning,
// and the window as its only batch. Iteration t solves block t exactly,
//
//	theta_t = (Phi_t Phi_t^T / n + lambda I)^-1 Phi_t r / n
//
// for the n pairs of the window and the residual r of the previous blocks. Then it multiplies the thetas of the
// previous blocks by 1 - lambda. There is one iteration per block. With one block it is ridge regression; with the
// features (1, x) and lambda 0, it is least squares with an intercept.
//
// It is a Slider. A new pair changes the normal equations of each block by a rank-one term. A prediction needs one
// vector per block, the adjoint of the recursion above, and no theta. Let block t have m_t features, m in total, and
// the window n pairs. A slide costs O(sum m_t^2), a prediction O(sum m_t^2), plus O(n m) if there are several blocks,
// and a fit O(n sum m_t^2).
type BlockRidge struct {
	c       BlockRidgeConfig
	m       int       // number of features of all blocks
	start   []int     // first feature of each block
	n       int       // number of pairs in the window
	oldest  int       // row of the oldest pair
	rows    []float64 // n x m ring: features of the pairs in the window
	cross   []float64 // m x Out: sum of phi y^T over the window
	factors []*factor // per block: factor of Phi_t Phi_t^T + n lambda I
	phi     []float64 // features of the newest x
	a       []float64 // adjoint, m
	z       []float64 // scratch, n
}

// NewBlockRidge returns a BlockRidge. It panics if c has no blocks, an empty block, no output, or a lambda outside [0,
// 1).
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

// errSingular means that no ridge makes the equations regular: the features are not finite.
var errSingular = errors.New("singular normal equations")

// featuresTo computes the features of all blocks.
func (b *BlockRidge) featuresTo(phi, x []float64) {
	for t, block := range b.c.Blocks {
		block.FeaturesTo(b.block(phi, t), x)
	}
}

// block returns the elements of v, of length m, for block t.
func (b *BlockRidge) block(v []float64, t int) []float64 {
	return v[b.start[t]:][:b.c.Blocks[t].Len]
}

// row returns the features of the pair in row i of the ring.
func (b *BlockRidge) row(i int) []float64 { return b.rows[i*b.m:][:b.m] }

// addCross adds sign phi y^T to cross.
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

// refactor computes the factor of block t from the window. If the matrix is singular, it raises the ridge, first by
// 1e-10 times the mean diagonal element.
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

// Slide implements Slider. It does not need oldX: the ring has the old features.
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
// is linear in the products Phi_t Y. The loop runs the recursion of the thetas backwards, and computes the coefficients
// a_t:
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
