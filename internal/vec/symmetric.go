package vec

import "github.com/orffvar/forecaster/eval/snapshot"

// Symmetric is a symmetric matrix with rank-1 changes.
type Symmetric interface {
	SetIdentity(v float64)
	MatVec(y, x []float64) float64 // y = S x; returns x·y
	Rank1(alpha float64, u []float64)
	Scale(alpha float64)
	RowTo(dst []float64, i int)
	At(i, j int) float64
	State(c *snapshot.Codec)
}

// NewSymmetric returns the n x n matrix of zeros, n > 0: a Square if n <= most, otherwise a Sym. The more products per
// change, the larger the order up to which a Square is faster.
func NewSymmetric(n, most int) Symmetric {
	if n <= most {
		return NewSquare(n)
	}
	return half{NewSym(n)}
}

// half adapts Sym to Symmetric.
type half struct{ *Sym }

func (h half) MatVec(y, x []float64) float64 {
	h.Sym.MatVec(y, x)
	return Dot(x, y)
}
