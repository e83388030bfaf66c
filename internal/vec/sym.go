package vec

import (
	"math"

	"github.com/orffvar/forecaster/internal/snapshot"
)

// Sym is a symmetric n x n matrix of which one half is stored, so that it stays
// symmetric to the last bit whatever is added to it. It is made for recursive
// least squares, where every step multiplies it by a vector, scales it and
// subtracts a rank-1 term:
//
//	p.MatVec(q, phi)                 // q = P phi
//	den := lambda + vec.Dot(phi, q)
//	p.Rank1(-1/den, q)               // P -= q q^T / den
//	p.Scale(1 / lambda)
//
// Each pass over the elements costs as much as the memory takes to read them,
// and twice that when they are written. So rank-1 terms are collected, MatVec
// takes them into account, and only when there are several of one sign does the
// next MatVec add them, in the same pass. Scale is kept as a factor beside the
// elements.
//
// The elements stand in tiles of 8 x 8, upper half by rows of tiles, each tile
// row-major and contiguous; n is padded to a multiple of 8 with zeros.
type Sym struct {
	n, nb int       // order; tiles a side
	scale float64   // the matrix is scale (tiles + sign sum w w^T)
	tiles []float64 //
	w     []float64 // collected terms, each padded
	limit int       // how many MatVec leaves; there may be one more
	terms int       // how many there are
	minus bool      // their sign

	x, y, c []float64 // padded arguments of MatVec; products of x with the terms
}

const (
	tile    = 8           // side of a tile
	tileLen = tile * tile // its length

	// scaleMax bounds the factor kept beside the elements. It is a power of
	// two, so that folding it into them is exact.
	scaleMax = 1 << 64
)

// NewSym returns the n x n matrix of zeros.
func NewSym(n int) *Sym {
	if n < 0 {
		panic("vec: NewSym: negative order")
	}
	nb := (n + tile - 1) / tile
	m := nb * tile
	limit := max(2, min(nb, 8)) // more gains nothing, and a small matrix should stay small
	return &Sym{
		n: n, nb: nb, limit: limit,
		scale: 1,
		tiles: Aligned(nb * (nb + 1) / 2 * tileLen),
		w:     Aligned((limit + 1) * m),
		x:     Aligned(m),
		y:     Aligned(m),
		c:     make([]float64, limit+1),
	}
}

// at returns the index of element (i, j), i and j in any order.
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

// RowTo sets dst to row i, which is also column i.
func (s *Sym) RowTo(dst []float64, i int) {
	if i < 0 || i >= s.n || len(dst) != s.n {
		panic("vec: Sym: index out of range")
	}
	// Down the column of tiles to the diagonal, then along the row.
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

// term returns the collected term k.
func (s *Sym) term(k int) []float64 {
	m := s.nb * tile
	return s.w[k*m : (k+1)*m]
}

// signed returns v with the sign of the collected terms.
func (s *Sym) signed(v float64) float64 {
	if s.minus {
		return -v
	}
	return v
}

// SetIdentity sets the matrix to v times the identity.
func (s *Sym) SetIdentity(v float64) {
	clear(s.tiles)
	s.terms = 0
	s.scale = 1
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
	// All but the fraction goes into the elements, without rounding.
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
	// w_i w_j is the same number in both orders; (alpha u_i) u_j would not be.
	f := math.Sqrt(math.Abs(alpha) / s.scale)
	ScaleTo(s.term(s.terms)[:s.n], f, u)
	s.terms++
}

// RankK adds alpha U^T U, where U is k x n row-major: k rank-1 terms.
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

// MatVec sets y = S x, both of length n. y may be x.
func (s *Sym) MatVec(y, x []float64) {
	if len(x) != s.n || len(y) != s.n {
		panic("vec: Sym: length differs from the order")
	}
	in := x
	if len(x) < len(s.x) {
		in = s.x
		copy(in, x)
	}
	clear(s.y)
	// To and fro, so that a matrix larger than a cache finds there what the
	// product before used last.
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

// scaledTo sets dst to scale times the scratch vector y.
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
	c.Float64s(s.w)
}
