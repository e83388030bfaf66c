package vec

import "math"

// Cholesky is the factorisation L D L^T of a symmetric positive definite n x n matrix,
// where L is lower triangular with a unit diagonal and D is diagonal. It needs no square
// roots.
type Cholesky struct {
	n, nb int
	u     []float64 // tiles as in Sym: L^T in the diagonal tiles, D L^T in the others
	inv   []float64 // 1/D
	scale float64   // the matrix is scale L D L^T
	rhs   []float64 // scratch: right-hand sides, one per column
}

const lanes = tile // number of right-hand sides that are solved together

// NewCholesky returns a factorisation for matrices of order n.
func NewCholesky(n int) *Cholesky {
	if n < 0 {
		panic("vec: NewCholesky: negative order")
	}
	nb := (n + tile - 1) / tile
	return &Cholesky{
		n:   n,
		nb:  nb,
		u:   Aligned(nb * (nb + 1) / 2 * tileLen),
		inv: Aligned(nb * tile),
		rhs: Aligned(nb * tile * lanes),
	}
}

// Order returns n.
func (c *Cholesky) Order() int { return c.n }

// Factor factors S + ridge I + relative diag(S). It returns false if this matrix is not positive definite; then Solve
// must not be called.
func (c *Cholesky) Factor(s *Sym, ridge, relative float64) (ok bool) {
	if s.n != c.n {
		panic("vec: Cholesky: orders differ")
	}
	return c.FactorBlock(s, 0, ridge, relative)
}

// FactorBlock is Factor for the diagonal block of S from row first on, a multiple of 8. Beyond the last row of S, the
// rows of the block are those of the identity.
func (c *Cholesky) FactorBlock(s *Sym, first int, ridge, relative float64) (ok bool) {
	if first < 0 || first%tile != 0 || first/tile+c.nb > s.nb {
		panic("vec: Cholesky: no such block")
	}
	n := min(c.n, s.n-first)
	// The tiles are factored without the scale of S.
	s.flush()
	c.scale = s.scale
	ridge /= s.scale
	next := 0
	for i := range c.nb {
		row := (c.nb - i) * tileLen
		at := s.at(first+i*tile, first+i*tile)
		copy(c.u[next:next+row], s.tiles[at:])
		d := c.u[next : next+tileLen]
		next += row
		for r := range tile {
			if i*tile+r < n {
				d[r*tile+r] += ridge + float64(relative*d[r*tile+r])
			} else {
				d[r*tile+r] = 1
			}
		}
	}
	cholesky(c.u, c.nb, c.inv)
	for _, v := range c.inv {
		// A pivot that is not positive and finite has an inverse that is not positive and finite.
		if !(v > 0 && v <= math.MaxFloat64) {
			return false
		}
	}
	return true
}

// Solve replaces each row b of B, k x n, by the solution x of (S + ridge I + relative
// diag(S)) x = b.
func (c *Cholesky) Solve(b []float64) {
	n := c.n
	if n == 0 {
		return
	}
	if len(b)%n != 0 {
		panic("vec: Cholesky: length is no multiple of the order")
	}
	Scale(1/c.scale, b)
	for len(b) > 0 {
		k := min(lanes, len(b)/n)
		pack(c.rhs, b[:k*n], n)
		choleskySolve(c.u, c.nb, c.inv, c.rhs)
		unpack(b[:k*n], c.rhs, n)
		b = b[k*n:]
	}
}
