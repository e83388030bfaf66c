package vec

import (
	"math"
	"unsafe"
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
// Rank-1 terms, up to two, are kept back until the next MatVec, which does all
// in one pass over the memory; Scale is kept as a factor beside the elements.
// Neither shows in any result.
//
// The elements stand in tiles of 8 x 8, upper half by rows of tiles, each tile
// row-major and contiguous; n is padded to a multiple of 8 with zeros.
type Sym struct {
	n, nb int       // order; tiles a side
	data  []float64 // header, then the tiles
	tiles []float64
	terms int       // rank-1 terms kept back
	g, w  []float64 // the terms g w^T in units of scale, g = w or g = -w, padded
	x, y  []float64 // padded arguments of MatVec
}

const (
	tile    = 8           // side of a tile
	tileLen = tile * tile // its length
	header  = 8           // data[0] is the scale; the rest keeps the tiles aligned

	maxTerms = 4 // in one pass of RankK
	maxKept  = 2 // kept back for MatVec

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
	s := &Sym{n: n, nb: nb, data: aligned(header + nb*(nb+1)/2*tileLen)}
	s.tiles = s.data[header:]
	s.g, s.w = aligned(maxTerms*m), aligned(maxTerms*m)
	s.x, s.y = aligned(m), aligned(m)
	s.data[0] = 1
	return s
}

// aligned returns n zeros whose first address is a multiple of 64 bytes, a
// cache line.
func aligned(n int) []float64 {
	b := make([]float64, n+7)
	i := int(-uintptr(unsafe.Pointer(unsafe.SliceData(b))) % 64 / 8)
	return b[i : i+n : i+n]
}

// Order returns n.
func (s *Sym) Order() int { return s.n }

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
	return s.data[0] * s.element(i, j)
}

// element returns element (i, j) in units of the scale, with what was kept back
// added in the same roundings as in the pass that will add it.
func (s *Sym) element(i, j int) float64 {
	v := s.tiles[s.at(i, j)]
	for k := 0; k < s.terms*s.nb*tile; k += s.nb * tile {
		v = madd(s.g[k+i], s.w[k+j], v)
	}
	return v
}

// RowTo sets dst to row i, which is also column i.
func (s *Sym) RowTo(dst []float64, i int) {
	if i < 0 || i >= s.n || len(dst) != s.n {
		panic("vec: Sym: index out of range")
	}
	f := s.data[0]
	for j := range dst {
		dst[j] = f * s.element(i, j)
	}
}

// SetIdentity sets the matrix to v times the identity.
func (s *Sym) SetIdentity(v float64) {
	clear(s.tiles)
	s.terms = 0
	s.data[0] = 1
	for i := range s.n {
		s.tiles[s.at(i, i)] = v
	}
}

// AddDiag adds v to element (i, i).
func (s *Sym) AddDiag(i int, v float64) {
	if i < 0 || i >= s.n {
		panic("vec: Sym: index out of range")
	}
	s.tiles[s.at(i, i)] += v / s.data[0]
}

// Trace returns the sum of the diagonal.
func (s *Sym) Trace() float64 {
	t := 0.0
	for i := range s.n {
		t += s.element(i, i)
	}
	return s.data[0] * t
}

// Scale multiplies the matrix by alpha > 0.
func (s *Sym) Scale(alpha float64) {
	f := s.data[0] * alpha
	if f >= 1/float64(scaleMax) && f <= scaleMax {
		s.data[0] = f
		return
	}
	s.flush()
	// All but the fraction goes into the elements, without rounding.
	frac, exp := math.Frexp(f)
	s.data[0] = frac
	Scale(math.Ldexp(1, exp), s.tiles)
}

// Rank1 adds alpha u u^T, u of length n. It does not keep u.
func (s *Sym) Rank1(alpha float64, u []float64) {
	if len(u) != s.n {
		panic("vec: Sym: length differs from the order")
	}
	if s.terms >= maxKept {
		s.flush()
	}
	s.term(alpha, u)
}

// term puts alpha u u^T to the terms.
func (s *Sym) term(alpha float64, u []float64) {
	// w_i w_j is the same number in both orders; (alpha u_i) u_j would not be.
	f := math.Sqrt(math.Abs(alpha) / s.data[0])
	sign := math.Copysign(1, alpha)
	k := s.terms * s.nb * tile
	g, w := s.g[k:k+s.n], s.w[k:k+s.n]
	for i, v := range u {
		w[i] = f * v
		g[i] = sign * w[i]
	}
	s.terms++
}

// RankK adds alpha U^T U, where U is k x n row-major: k rank-1 terms in few
// passes.
func (s *Sym) RankK(alpha float64, u []float64) {
	if s.n == 0 {
		return
	}
	if len(u)%s.n != 0 {
		panic("vec: Sym: length is no multiple of the order")
	}
	for ; len(u) > 0; u = u[s.n:] {
		if s.terms == maxTerms {
			s.flush()
		}
		s.term(alpha, u[:s.n])
	}
	if s.terms > maxKept {
		s.flush()
	}
}

// flush applies the terms that were kept back.
func (s *Sym) flush() {
	if s.terms > 0 {
		symRank(s.tiles, s.nb, s.g, s.w, s.terms)
		s.terms = 0
	}
}

// MatVec sets y = S x, both of length n. y may be x.
func (s *Sym) MatVec(y, x []float64) {
	if len(x) != s.n || len(y) != s.n {
		panic("vec: Sym: length differs from the order")
	}
	copy(s.x, x)
	clear(s.y)
	symMatVec(s.tiles, s.nb, s.g, s.w, s.terms, s.y, s.x)
	s.terms = 0
	f := s.data[0]
	for i := range y {
		y[i] = f * s.y[i]
	}
}

// Raw returns the storage, for snapshots: its length depends on n alone, and
// copying it to the Raw of another Sym of the same order copies the matrix.
func (s *Sym) Raw() []float64 {
	s.flush()
	return s.data
}
