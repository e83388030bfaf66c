package vec

import "math"

// Cholesky is the factorisation L D L^T of a symmetric positive definite n x n
// matrix, L lower triangular with a unit diagonal and D diagonal, and the room
// to compute it. It takes no square roots.
type Cholesky struct {
	n, nb int
	u     []float64 // tiles like those of a Sym: L^T on the diagonal, D L^T beside it
	inv   []float64 // 1/D
	scale float64   // the matrix is scale L D L^T
	rhs   []float64 // a group of right-hand sides, one a column
}

// lanes is how many right-hand sides are solved together.
const lanes = tile

// NewCholesky returns room for a matrix of order n.
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

// Order returns the order of the matrices.
func (c *Cholesky) Order() int { return c.n }

// Factor computes the factor of S + ridge I + relative diag(S). It reports
// whether the matrix was positive definite; if not, the factor must not be used.
func (c *Cholesky) Factor(s *Sym, ridge, relative float64) (ok bool) {
	if s.n != c.n {
		panic("vec: Cholesky: orders differ")
	}
	// The factor is that of the elements without the scale of S.
	s.flush()
	copy(c.u, s.tiles)
	c.scale = s.scale
	ridge /= s.scale
	next := 0
	for i := range c.nb {
		d := c.u[next : next+tileLen]
		next += (c.nb - i) * tileLen
		for r := range tile {
			if i*tile+r < c.n {
				d[r*tile+r] += ridge + float64(relative*d[r*tile+r])
			} else {
				d[r*tile+r] = 1
			}
		}
	}
	cholesky(c.u, c.nb, c.inv)
	for _, v := range c.inv {
		// A pivot that is not a positive number leaves zero, infinity or NaN.
		if !(v > 0 && v <= math.MaxFloat64) {
			return false
		}
	}
	return true
}

// Solve replaces each row of B, which is k x n, by the solution x of
// (S + ridge I + relative diag(S)) x = row.
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
