package vec

import "math"

// Cholesky is the factor U^T U of a symmetric positive definite n x n matrix,
// U upper triangular, and the room to compute it.
type Cholesky struct {
	n, nb int
	u     []float64 // tiles like those of a Sym; below the diagonal unspecified
	inv   []float64 // 1/U_ii
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
		u:   aligned(nb * (nb + 1) / 2 * tileLen),
		inv: aligned(nb * tile),
		rhs: aligned(nb * tile * lanes),
	}
}

// Factor computes the factor of S + ridge I + relative diag(S). It reports
// whether the matrix was positive definite; if not, the factor must not be used.
func (c *Cholesky) Factor(s *Sym, ridge, relative float64) (ok bool) {
	if s.n != c.n {
		panic("vec: Cholesky: orders differ")
	}
	s.flush()
	f := s.data[0]
	for i, v := range s.tiles {
		c.u[i] = f * v
	}
	for i := range c.nb * tile {
		d := &c.u[s.at(i, i)]
		if i < c.n {
			*d += ridge + float64(relative**d)
		} else {
			*d = 1
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
// (U^T U) x = row.
func (c *Cholesky) Solve(b []float64) {
	n := c.n
	if n == 0 {
		return
	}
	if len(b)%n != 0 {
		panic("vec: Cholesky: length is no multiple of the order")
	}
	for len(b) > 0 {
		k := min(lanes, len(b)/n)
		clear(c.rhs)
		for l := range k {
			for i, v := range b[l*n : (l+1)*n] {
				c.rhs[i*lanes+l] = v
			}
		}
		choleskySolve(c.u, c.nb, c.inv, c.rhs)
		for l := range k {
			row := b[l*n : (l+1)*n]
			for i := range row {
				row[i] = c.rhs[i*lanes+l]
			}
		}
		b = b[k*n:]
	}
}
