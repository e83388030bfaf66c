package vec

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
)

// Square is a symmetric n x n matrix like Sym. It stores all elements, in rows of whole registers, and adds every term at
// once. For small n it is faster: the bookkeeping of Sym takes longer than its passes.
type Square struct {
	n, stride int
	a         []float64 // n x stride, zero beyond column n
	w         []float64 // scratch, stride
}

// NewSquare returns the n x n matrix of zeros, n > 0.
func NewSquare(n int) *Square {
	if n < 1 {
		panic("vec: NewSquare: order is not positive")
	}
	stride := Stride(n)
	return &Square{n: n, stride: stride, a: Aligned(n * stride), w: Aligned(stride)}
}

// SetIdentity sets S = v I.
func (s *Square) SetIdentity(v float64) {
	clear(s.a)
	for i := range s.n {
		s.a[i*s.stride+i] = v
	}
}

// MatVec sets y = S x and returns x·y.
func (s *Square) MatVec(y, x []float64) float64 {
	if len(x) != s.n || len(y) != s.n {
		panic("vec: Square: length differs from the order")
	}
	return squareMatVec(s, y, x)
}

// Rank1 sets S += alpha u u^T with alpha <= 0. It does not keep u.
func (s *Square) Rank1(alpha float64, u []float64) {
	if len(u) != s.n || !(alpha <= 0) {
		panic("vec: Square: not a term to subtract")
	}
	// As in Sym.Rank1, w_i w_j and w_j w_i are equal.
	squareSub(s, math.Sqrt(-alpha), u)
}

// Scale sets S *= alpha.
func (s *Square) Scale(alpha float64) { Scale(alpha, s.a) }

// RowTo sets dst to row i, which equals column i.
func (s *Square) RowTo(dst []float64, i int) {
	if i < 0 || i >= s.n || len(dst) != s.n {
		panic("vec: Square: index out of range")
	}
	copy(dst, s.a[i*s.stride:])
}

// At returns element (i, j).
func (s *Square) At(i, j int) float64 {
	if i < 0 || j < 0 || i >= s.n || j >= s.n {
		panic("vec: Square: index out of range")
	}
	return s.a[i*s.stride+j]
}

// State saves or restores the upper half.
func (s *Square) State(c *snapshot.Codec) {
	c.Section("square")
	for i := range s.n {
		c.Float64s(s.a[i*s.stride+i : i*s.stride+s.n])
		for j := range i {
			s.a[i*s.stride+j] = s.a[j*s.stride+i]
		}
	}
}

func squareMatVecPortable(s *Square, y, x []float64) float64 {
	product := 0.
	for i := range y {
		y[i] = dotPortable(s.a[i*s.stride:i*s.stride+s.n], x)
		product += float64(x[i] * y[i])
	}
	return product
}

func squareSubPortable(s *Square, root float64, u []float64) {
	w := s.w[:s.n]
	for i, v := range u {
		w[i] = root * v
	}
	for i, v := range w {
		axpyPortable(-v, w, s.a[i*s.stride:i*s.stride+s.n])
	}
}
