package vec

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
)

// Sym is a symmetric n x n matrix. It stores one half of its elements, so it is symmetric to the last bit. Its purpose is
// recursive least squares: every step multiplies the matrix by a vector, subtracts a rank-1 term, and scales:
//
//	p.MatVec(q, phi)                 // q = P phi
//	den := lambda + vec.Dot(phi, q)
//	p.Rank1(-1/den, q)               // P -= q q^T / den
//	p.Scale(1 / lambda)
//
// A pass over the elements takes the time of reading them from memory, and twice this time if it writes them. So Rank1
// only collects terms, and MatVec corrects its result for them. When there are several terms of one sign, the next
// MatVec adds them to the elements in its own pass. Scale changes a factor, not the elements.
//
// Elements are stored in tiles of 8 x 8: the upper half by rows of tiles, each tile row-major and contiguous. n is
// padded to a multiple of 8 with zeros.
type Sym struct {
	n, nb int       // order; number of tiles per row
	scale float64   // the matrix is scale (tiles + sign sum_k w_k w_k^T)
	tiles []float64 // upper half
	w     []float64 // collected terms, limit+1 rows of 8 nb; nil before the first
	limit int       // number of terms from which MatVec adds them to the tiles
	terms int       // number of collected terms; Invariant: terms <= limit+1
	minus bool      // sign is -1

	x, y, c []float64 // scratch of MatVec: padded x and y, products of x with the terms; nil before the first
}

const (
	tile    = 8           // side of a tile
	tileLen = tile * tile // number of elements of a tile

	// scaleMax bounds scale and 1/scale. Beyond it, the power of two in scale moves into the elements, which is exact.
	scaleMax = 1 << 64
)

// NewSym returns the n x n matrix of zeros.
func NewSym(n int) *Sym {
	if n < 0 {
		panic("vec: NewSym: negative order")
	}
	nb := (n + tile - 1) / tile
	limit := max(2, min(nb, 8)) // more terms save no time, and take memory
	return &Sym{n: n, nb: nb, limit: limit, scale: 1, tiles: Aligned(nb * (nb + 1) / 2 * tileLen)}
}

// Order returns n.
func (s *Sym) Order() int { return s.n }

// collect makes room for terms. A matrix that is only a sum of rows needs no such room.
func (s *Sym) collect() {
	if s.w == nil {
		s.w = Aligned((s.limit + 1) * s.nb * tile)
	}
}

// multiply makes room for the scratch memory of products.
func (s *Sym) multiply() {
	if s.y == nil {
		m := s.nb * tile
		s.x, s.y, s.c = Aligned(m), Aligned(m), make([]float64, s.limit+1)
	}
}

// at returns the index of element (i, j) in tiles. i and j may have any order.
func (s *Sym) at(i, j int) int {
	if i > j {
		i, j = j, i
	}
	I, J := i/tile, j/tile
	return (I*s.nb-I*(I-1)/2+J-I)*tileLen + i%tile*tile + j%tile
}

// At returns element (i, j).
func (s *Sym) At(i, j int) float64 {
	if i < 0 || j < 0 || i >= s.n || j >= s.n {
		panic("vec: Sym: index out of range")
	}
	v := 0.0
	for k := range s.terms {
		w := s.term(k)
		v += float64(w[i] * w[j])
	}
	return s.scale * (s.tiles[s.at(i, j)] + s.signed(v))
}

// RowTo sets dst to row i, which equals column i.
func (s *Sym) RowTo(dst []float64, i int) {
	if i < 0 || i >= s.n || len(dst) != s.n {
		panic("vec: Sym: index out of range")
	}
	s.multiply()
	// The columns before the diagonal tile are stored in a column of tiles, the others in a row of tiles.
	I, c := i/tile, i%tile
	next := I * tileLen
	for J := range I {
		t, y := (*[tileLen]float64)(s.tiles[next:]), (*[tile]float64)(s.y[J*tile:])
		y[0], y[1], y[2], y[3] = t[c], t[tile+c], t[2*tile+c], t[3*tile+c]
		y[4], y[5], y[6], y[7] = t[4*tile+c], t[5*tile+c], t[6*tile+c], t[7*tile+c]
		next += (s.nb - 1 - J) * tileLen
	}
	for J := I; J < s.nb; J++ {
		t, y := (*[tileLen]float64)(s.tiles[next:]), (*[tile]float64)(s.y[J*tile:])
		*y = *(*[tile]float64)(t[c*tile:])
		next += tileLen
	}
	if s.terms > 0 {
		for k := range s.terms {
			s.c[k] = s.signed(s.term(k)[i])
		}
		addMatTVec(s.y, s.w[:s.terms*len(s.y)], s.c[:s.terms])
	}
	s.scaledTo(dst)
}

// term returns w_k.
func (s *Sym) term(k int) []float64 {
	m := s.nb * tile
	return s.w[k*m : (k+1)*m]
}

// signed returns v times the sign of the collected terms.
func (s *Sym) signed(v float64) float64 {
	if s.minus {
		return -v
	}
	return v
}

// SetIdentity sets S = v I. It drops the room for terms.
func (s *Sym) SetIdentity(v float64) {
	clear(s.tiles)
	*s = Sym{n: s.n, nb: s.nb, limit: s.limit, scale: 1, tiles: s.tiles}
	for i := range s.n {
		s.tiles[s.at(i, i)] = v
	}
}

// Trace returns the sum of the diagonal.
func (s *Sym) Trace() float64 {
	t := 0.0
	for i := range s.n {
		t += s.tiles[s.at(i, i)]
	}
	w := s.w[:s.terms*s.nb*tile]
	return s.scale * (t + s.signed(dot(w, w)))
}

// Scale multiplies the matrix by alpha > 0.
func (s *Sym) Scale(alpha float64) {
	s.scale *= alpha
	if s.scale >= 1/float64(scaleMax) && s.scale <= scaleMax {
		return
	}
	// The power of two in scale moves into the elements, without rounding. The fraction stays in scale.
	s.flush()
	frac, exp := math.Frexp(s.scale)
	s.scale = frac
	Scale(math.Ldexp(1, exp), s.tiles)
}

// Rank1 adds alpha u u^T, u of length n. It does not keep u.
func (s *Sym) Rank1(alpha float64, u []float64) {
	if len(u) != s.n {
		panic("vec: Sym: length differs from the order")
	}
	minus := math.Signbit(alpha)
	if s.terms > s.limit || s.minus != minus {
		s.flush()
	}
	s.minus = minus
	s.collect()
	// w_i w_j and w_j w_i are equal, but (alpha u_i) u_j and (alpha u_j) u_i may differ.
	f := math.Sqrt(math.Abs(alpha) / s.scale)
	ScaleTo(s.term(s.terms)[:s.n], f, u)
	s.terms++
}

// RankK sets S += alpha U^T U, where U is k x n: k rank-1 terms.
func (s *Sym) RankK(alpha float64, u []float64) {
	if s.n == 0 {
		return
	}
	if len(u)%s.n != 0 {
		panic("vec: Sym: length is no multiple of the order")
	}
	for ; len(u) > 0; u = u[s.n:] {
		s.Rank1(alpha, u[:s.n])
	}
}

// flush adds the collected terms to the tiles.
func (s *Sym) flush() {
	if s.terms > 0 {
		symRank(s.tiles, s.nb, s.w, s.terms, s.minus)
		s.terms = 0
	}
}

// MatVec sets y = S x. y may be x.
func (s *Sym) MatVec(y, x []float64) {
	if len(x) != s.n || len(y) != s.n {
		panic("vec: Sym: length differs from the order")
	}
	s.multiply()
	in := x
	if len(x) < len(s.x) {
		in = s.x
		copy(in, x)
	}
	clear(s.y)
	// Alternate the direction: a matrix larger than a cache still has there the tiles that the previous product used
	// last.
	back := s.terms%2 == 1
	if s.terms >= s.limit && s.minus {
		symSubMatVec(s.tiles, s.nb, s.y, in, s.w, s.terms, back)
		s.terms = 0
	} else {
		symMatVec(s.tiles, s.nb, s.y, in, back)
	}
	if s.terms > 0 {
		c, w := s.c[:s.terms], s.w[:s.terms*len(in)]
		matVec(c, w, in)
		if s.minus {
			Scale(-1, c)
		}
		addMatTVec(s.y, w, c)
	}
	s.scaledTo(y)
}

// scaledTo sets dst = scale y, where y is the scratch vector.
func (s *Sym) scaledTo(dst []float64) {
	ScaleTo(dst, s.scale, s.y[:s.n])
}

// State saves or restores the matrix.
func (s *Sym) State(c *snapshot.Codec) {
	c.Section("sym")
	c.Float64(&s.scale)
	c.Index(&s.terms, s.limit+2)
	c.Bool(&s.minus)
	c.Float64s(s.tiles)
	if s.terms > 0 {
		s.collect()
	}
	c.Float64s(s.w[:s.terms*s.nb*tile])
}
