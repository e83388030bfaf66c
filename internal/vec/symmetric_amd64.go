package vec

import (
	"github.com/orffvar/forecaster/internal/isa"
)

//go:generate go run -C ../tools/asmgen . -family symmetric -out ../../vec/symmetric_amd64.s -stubs ../../vec/symmetric_stubs_amd64.go -pkg vec

// The functions below call the kernel of the active instruction set.

func levinson(s *Toeplitz, b, r []float64, stride int) {
	n := s.columns
	switch {
	case isa.Active == isa.Portable:
		levinsonPortable(s, b, r, stride)
	case isa.Active == isa.AVX512 && s.row == 8:
		levinsonAVX512(&s.head[0], &s.x[0], &b[0], &r[0], s.order, stride, s.row, n)
	default:
		for j := 0; j < n; j += 4 {
			levinsonAVX2(&s.head[j], &s.x[j], &b[j], &r[j], s.order, stride, s.row, min(n-j, 4))
		}
	}
}

func symRank(t []float64, nb int, w []float64, terms int, minus bool) {
	if nb == 0 {
		return
	}
	switch {
	case isa.Active == isa.Portable:
		symRankPortable(t, nb, w, terms, minus)
	case minus:
		symSubAVX2(&t[0], nb, &w[0], terms)
	case isa.Active == isa.AVX512:
		symAddAVX512(&t[0], nb, &w[0], terms)
	default:
		symAddAVX2(&t[0], nb, &w[0], terms)
	}
}

func symMatVec(t []float64, nb int, y, x []float64, back bool) {
	if nb == 0 {
		return
	}
	first, reverse := firstTile(t, back)
	if isa.Active == isa.Portable {
		symMatVecPortable(t, nb, y, x, back)
		return
	}
	symMatVecAVX2(first, nb, &y[0], &x[0], reverse)
}

func symSubMatVec(t []float64, nb int, y, x, w []float64, terms int, back bool) {
	if nb == 0 {
		return
	}
	first, reverse := firstTile(t, back)
	if isa.Active == isa.Portable {
		symSubMatVecPortable(t, nb, y, x, w, terms, back)
		return
	}
	symSubMatVecAVX2(first, nb, &y[0], &x[0], &w[0], terms, reverse)
}

func squareMatVec(s *Square, y, x []float64) float64 {
	if isa.Active == isa.Portable {
		return squareMatVecPortable(s, y, x)
	}
	return squareMatVecAVX2(&y[0], &s.a[0], &x[0], s.n, s.stride)
}

func squareSub(s *Square, root float64, u []float64) {
	if isa.Active == isa.Portable {
		squareSubPortable(s, root, u)
		return
	}
	squareSubAVX2(&s.a[0], &s.w[0], &u[0], root, s.n, s.stride)
}

func uduProject(f, u, x []float32, n int) {
	switch isa.Active {
	case isa.AVX512:
		uduProjectAVX512(&f[0], &u[0], &x[0], n)
	case isa.AVX2:
		uduProjectAVX2(&f[0], &u[0], &x[0], n)
	default:
		uduProjectPortable(f, u, x, n)
	}
}

func uduWeigh(v []float32, sums, d []float64, f []float32) float64 {
	switch isa.Active {
	case isa.AVX512:
		return uduWeighAVX512(&v[0], &sums[0], &d[0], &f[0], len(f))
	case isa.AVX2:
		return uduWeighAVX2(&v[0], &sums[0], &d[0], &f[0], len(f))
	}
	return uduWeighPortable(v, sums, d, f)
}

func uduRatios(ratio []float32, d, sums []float64, f []float32, r float64) {
	switch isa.Active {
	case isa.AVX512:
		uduRatiosAVX512(&ratio[0], &d[0], &sums[0], &f[0], r, len(f))
	case isa.AVX2:
		uduRatiosAVX2(&ratio[0], &d[0], &sums[0], &f[0], r, len(f))
	default:
		uduRatiosPortable(ratio, d, sums, f, r)
	}
}

func uduUpdate(u, sum, v, ratio []float32, first, n int) {
	switch isa.Active {
	case isa.AVX512:
		uduUpdateAVX512(&u[0], &sum[0], &v[0], &ratio[0], first, n)
	case isa.AVX2:
		uduUpdateAVX2(&u[0], &sum[0], &v[0], &ratio[0], first, n)
	default:
		uduUpdatePortable(u, sum, v, ratio, first, n)
	}
}

// firstTile returns the first tile for a kernel, and 1 if the kernel goes backwards.
func firstTile(t []float64, back bool) (first *float64, reverse int) {
	if back {
		return &t[len(t)-tileLen], 1
	}
	return &t[0], 0
}

func cholesky(u []float64, nb int, inv []float64) {
	if nb == 0 {
		return
	}
	switch isa.Active {
	case isa.AVX512:
		choleskyAVX512(&u[0], nb, &inv[0])
	case isa.AVX2:
		choleskyAVX2(&u[0], nb, &inv[0])
	default:
		choleskyPortable(u, nb, inv)
	}
}

func choleskySolve(u []float64, nb int, inv, rhs []float64) {
	if nb == 0 {
		return
	}
	switch isa.Active {
	case isa.AVX512:
		choleskySolveAVX512(&u[0], nb, &inv[0], &rhs[0])
	case isa.AVX2:
		choleskySolveAVX2(&u[0], nb, &inv[0], &rhs[0])
	default:
		choleskySolvePortable(u, nb, inv, rhs)
	}
}

// rows4 returns the addresses of rows l to l+3 of b, each of length n. Rows beyond the last row have the address of the
// last row: copying it again is harmless.
func rows4(b []float64, n, l int) (r0, r1, r2, r3 *float64) {
	last := len(b)/n - 1
	row := func(i int) *float64 { return &b[min(i, last)*n] }
	return row(l), row(l + 1), row(l + 2), row(l + 3)
}

func pack(rhs, b []float64, n int) {
	if isa.Active == isa.Portable {
		packPortable(rhs, b, n)
		return
	}
	for l := 0; l < lanes; l += 4 {
		r0, r1, r2, r3 := rows4(b, n, l)
		packAVX2(&rhs[l], r0, r1, r2, r3, n)
	}
}

func unpack(b, rhs []float64, n int) {
	if isa.Active == isa.Portable {
		unpackPortable(b, rhs, n)
		return
	}
	for l := 0; l < lanes; l += 4 {
		r0, r1, r2, r3 := rows4(b, n, l)
		unpackAVX2(&rhs[l], r0, r1, r2, r3, n)
	}
}
