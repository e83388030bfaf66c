package vec

import (
	"math"
	"unsafe"

	"github.com/orffvar/forecaster/eval/snapshot"
)

// UDU is a symmetric positive definite n x n matrix P = U D U^T. U is upper triangular with a unit diagonal, and has
// float32 elements; D is diagonal. Its purpose is recursive least squares:
//
//	h := p.Project(phi)  // h = phi^T P phi
//	p.Observe(gain, r)   // gain = P phi; P -= gain gain^T / (r + h)
//
// Observe is Bierman's update (Factorization Methods for Discrete Sequential Estimation, 1977, section V.3). It
// multiplies D by positive numbers: P stays positive definite under any rounding. float32 elements of P itself would
// not suffice: from a condition number of about 1e6 on, the rounding of the largest elements exceeds the smallest
// eigenvalue. The condition number of U is at most of the order of the square root.
//
// U is stored by columns, each with its rows up to the next multiple of 16. Rows below the diagonal, and columns from n
// on, are zero.
type UDU struct {
	n    int
	d    []float64 // diagonal of D, zero from n on
	u    []float32
	work *UDUScratch
}

// UDUScratch is scratch memory that several matrices can share. Project leaves values there for Observe: no other
// matrix may use it in between. The zero value is ready for use.
type UDUScratch struct {
	first int       // column, a multiple of 8; U^T x is zero before it
	x, f  []float32 // x and f = U^T x
	v     []float32 // v = D f
	sums  []float64 // element j is the sum of f_i v_i over first <= i < j
	ratio []float32 // element j times (the sum of v_i U_i over i < j) is added to column j
	gain  []float32 // this sum of v_i U_i; at the end P x
}

const (
	uduRows    = 16 // the number of rows of a column is a multiple of this, a cache line
	uduColumns = 4  // number of columns that a kernel takes at a time
)

// columns returns n rounded up to a multiple of uduColumns.
func (s *UDU) columns() int { return (s.n + uduColumns - 1) / uduColumns * uduColumns }

// column returns the index in u of the first row of column j.
func (s *UDU) column(j int) int {
	J := j / uduRows
	return uduRows * (J + 1) * (uduRows/2*J + j%uduRows)
}

// NewUDU returns an n x n matrix, n > 0. Only SetIdentity and State may be called first.
func NewUDU(n int, work *UDUScratch) *UDU {
	if n < 1 {
		panic("vec: NewUDU: order is not positive")
	}
	rows := (n + uduRows - 1) / uduRows * uduRows
	if len(work.gain) < rows {
		work.sums = make([]float64, rows+1)
		for _, v := range []*[]float32{&work.x, &work.f, &work.v, &work.ratio, &work.gain} {
			*v = aligned32(rows)
		}
	}
	s := &UDU{n: n, d: Aligned(Stride(n)), work: work}
	s.u = aligned32(s.column(s.columns()-1) + rows)
	return s
}

// aligned32 returns n zeros, n a multiple of 16. The first address is a multiple of a cache line.
func aligned32(n int) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(Aligned(n/2)))), n)
}

// SetIdentity sets the matrix to v I, v > 0.
func (s *UDU) SetIdentity(v float64) {
	clear(s.u)
	for j := range s.n {
		s.d[j], s.u[s.column(j)+j] = v, 1
	}
}

// Project returns x^T P x. The next Observe uses this x.
func (s *UDU) Project(x []float64) float64 {
	if len(x) != s.n {
		panic("vec: UDU: length differs from the order")
	}
	w := s.work
	w.first = 0
	Narrow(w.x, x)
	clear(w.x[s.n:])
	uduProject(w.f, s.u, w.x, s.columns())
	return s.weigh()
}

// ProjectUnit is Project for the unit vector e_i: it returns element (i, i).
func (s *UDU) ProjectUnit(i int) float64 {
	if i < 0 || i >= s.n {
		panic("vec: UDU: index out of range")
	}
	w := s.work
	w.first = i / tile * tile
	for j := w.first; j < s.n; j++ {
		w.f[j] = s.u[s.column(j)+i]
	}
	return s.weigh()
}

// weigh computes v and its sums from f.
func (s *UDU) weigh() float64 {
	w, n := s.work, len(s.d)
	clear(w.f[s.n:n]) // another matrix may have left values there
	return uduWeigh(w.v[w.first:n], w.sums[w.first+1:n+1], s.d[w.first:], w.f[w.first:n])
}

// Observe sets gain = P x and P -= gain gain^T / (r + x^T P x) for the x of the last Project, r > 0.
func (s *UDU) Observe(gain []float64, r float64) {
	if len(gain) != s.n {
		panic("vec: UDU: length differs from the order")
	}
	w, n := s.work, len(s.d)
	w.sums[w.first] = 0
	uduRatios(w.ratio[w.first:n], s.d[w.first:], w.sums[w.first:n+1], w.f[w.first:n], r)
	clear(w.gain)
	uduUpdate(s.u[s.column(w.first):], w.gain, w.v[w.first:], w.ratio[w.first:], w.first, s.columns()-w.first)
	Widen(gain, w.gain[:s.n])
}

// Scale multiplies the matrix by alpha > 0.
func (s *UDU) Scale(alpha float64) { Scale(alpha, s.d) }

// CopyTo sets dst = P. dst must have the order of P.
func (s *UDU) CopyTo(dst *Sym) {
	if s.n != dst.n {
		panic("vec: UDU: orders differ")
	}
	// U D U^T = sum_j d_j u_j u_j^T for the columns u_j of U.
	m := dst.Stride()
	rows := make([]float64, s.n*m)
	for j := range s.n {
		row := rows[j*m : j*m+j+1]
		Widen(row, s.u[s.column(j):][:j+1])
		Scale(math.Sqrt(s.d[j]), row)
	}
	dst.SetIdentity(0)
	dst.AddRows(1, rows)
}

// State saves or restores the matrix.
func (s *UDU) State(c *snapshot.Codec) {
	c.Section("udu")
	c.Float64s(s.d)
	c.Float32s(s.u)
}
