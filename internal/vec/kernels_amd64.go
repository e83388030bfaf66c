package vec

import (
	"fmt"
	"os"
	"slices"
	"unsafe"

	"golang.org/x/sys/cpu"
)

//go:generate go run -C gen . -out ../kernels_amd64.s -stubs ../stubs_amd64.go -pkg vec

// active is set once, before main starts; only tests change it.
var active = choose(os.Getenv("FORECASTER_VEC"))

// best returns the best implementation that processor and system support.
func best() implementation {
	x := &cpu.X86
	switch {
	case !x.HasAVX2 || !x.HasFMA || !x.HasBMI2:
		return portable
	case !x.HasAVX512F || !x.HasAVX512DQ || !x.HasAVX512VL || !x.HasAVX512BW:
		return avx2
	}
	return avx512
}

// choose returns the implementation of the given name, or the best one if the
// name is empty. A name that cannot be had stops the program: whoever forces an
// implementation wants that one.
func choose(name string) implementation {
	if name == "" {
		return best()
	}
	i := implementation(slices.Index(implementationNames[:], name))
	if i < 0 {
		panic(fmt.Sprintf("vec: FORECASTER_VEC=%s: want portable, avx2 or avx512", name))
	}
	if i > best() {
		panic(fmt.Sprintf("vec: FORECASTER_VEC=%s: this processor has only %s", name, best()))
	}
	return i
}

// The functions below only choose. The kernels read nothing when a length is
// zero, but a pointer to the first element must exist.

func dot(x, y []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	switch active {
	case avx512:
		return dotAVX512(&x[0], &y[0], len(x))
	case avx2:
		return dotAVX2(&x[0], &y[0], len(x))
	}
	return dotPortable(x, y)
}

func axpy(alpha float64, x, y []float64) {
	if len(x) == 0 {
		return
	}
	switch active {
	case avx512:
		axpyAVX512(alpha, &x[0], &y[0], len(x))
	case avx2:
		axpyAVX2(alpha, &x[0], &y[0], len(x))
	default:
		axpyPortable(alpha, x, y)
	}
}

func scale(y []float64, alpha float64, x []float64) {
	if len(x) == 0 {
		return
	}
	switch active {
	case avx512:
		scaleAVX512(&y[0], alpha, &x[0], len(x))
	case avx2:
		scaleAVX2(&y[0], alpha, &x[0], len(x))
	default:
		scalePortable(y, alpha, x)
	}
}

func times(x, y []float64) {
	if len(x) == 0 {
		return
	}
	switch active {
	case avx512:
		timesAVX512(&x[0], &y[0], len(x))
	case avx2:
		timesAVX2(&x[0], &y[0], len(x))
	default:
		timesPortable(x, y)
	}
}

func tally(total *[3]float64, sums, errs, forecasts, target []float64, rows int) {
	n := len(target)
	switch {
	case n < 4 || active == portable:
		tallyPortable(total, sums, errs, forecasts, target, rows)
	case active == avx2:
		tallyAVX2(&total[0], &sums[0], &errs[0], &forecasts[0], &target[0], n, rows)
	default:
		tallyAVX512(&total[0], &sums[0], &errs[0], &forecasts[0], &target[0], n, rows)
	}
}

func cusum(c *Cusum, x []float64) (sum, length float64) {
	var most [2]float64
	switch active {
	case avx512:
		cusumAVX512(&most[0], &c.all[0], &x[0], &c.limits[0], len(x))
	case avx2:
		cusumAVX2(&most[0], &c.all[0], &x[0], &c.limits[0], len(x))
	default:
		return cusumPortable(c, x)
	}
	return most[0], most[1]
}

func logTo(dst, x []float64) {
	switch {
	case active == portable || len(x) < 4: // a register takes longer than three numbers
		logToPortable(dst, x)
	case active == avx2 || len(x) <= 8: // two registers in turn, which divide sooner
		logToAVX2(&dst[0], &x[0], len(x))
	default:
		logToAVX512(&dst[0], &x[0], len(x))
	}
}

// few variables are done before a kernel has begun. What follows gives the same bits
// either way.
const few = 3

func moments(m *Moments, x []float64) {
	switch {
	case active == portable || m.n < few:
		momentsPortable(m, x)
	case active == avx512:
		momentsAVX512(&m.all[0], &m.limits[0], &x[0], m.n, len(m.Mean))
	default:
		momentsAVX2(&m.all[0], &m.limits[0], &x[0], m.n, len(m.Mean))
	}
}

func steps(s *Steps, x, last []float64) {
	switch {
	case active == portable || s.n < few:
		stepsPortable(s, x, last)
	case active == avx512:
		stepsAVX512(&s.all[0], &s.limits[0], &x[0], &last[0], s.n, len(s.Target))
	default:
		stepsAVX2(&s.all[0], &s.limits[0], &x[0], &last[0], s.n, len(s.Target))
	}
}

func standardise(dst, x, mean, inverse []float64, limit float64) {
	switch {
	case active == portable || len(mean) < few:
		standardisePortable(dst, x, mean, inverse, limit)
	case active == avx512:
		standardiseAVX512(&dst[0], &x[0], &mean[0], &inverse[0], limit, len(x), len(mean))
	default:
		standardiseAVX2(&dst[0], &x[0], &mean[0], &inverse[0], limit, len(x), len(mean))
	}
}

func bound(m *Moments, dst, said, origin, unit, last []float64, limit float64) {
	switch {
	case active == portable || m.n < few:
		boundPortable(m, dst, said, origin, unit, last, limit)
	case active == avx512:
		boundAVX512(&dst[0], &said[0], &origin[0], &unit[0], &last[0], &m.Steps[0], &m.Floor[0], &m.Ceiling[0], limit, m.n)
	default:
		boundAVX2(&dst[0], &said[0], &origin[0], &unit[0], &last[0], &m.Steps[0], &m.Floor[0], &m.Ceiling[0], limit, m.n)
	}
}

func huber(h *Huber, dst, y, forecast []float64) {
	switch {
	case active == portable || h.n < few:
		huberPortable(h, dst, y, forecast)
	case active == avx512:
		huberAVX512(&h.all[0], &h.limits[0], &dst[0], &y[0], &forecast[0], h.n, len(h.Mean))
	default:
		huberAVX2(&h.all[0], &h.limits[0], &dst[0], &y[0], &forecast[0], h.n, len(h.Mean))
	}
}

func glitch(g *Glitch, dst, x, last []float64) {
	switch {
	case active == portable || g.n < few:
		glitchPortable(g, dst, x, last)
	case active == avx512:
		glitchAVX512(&g.all[0], &g.limits[0], &dst[0], &x[0], &last[0], g.n, len(g.Mean))
	default:
		glitchAVX2(&g.all[0], &g.limits[0], &dst[0], &x[0], &last[0], g.n, len(g.Mean))
	}
}

func level(l *Level, x []float64) {
	switch {
	case active == portable || l.n < few:
		levelPortable(l, x)
	case active == avx512:
		levelAVX512(&l.all[0], &l.limits[0], &x[0], l.n, len(l.Mean))
	default:
		levelAVX2(&l.all[0], &l.limits[0], &x[0], l.n, len(l.Mean))
	}
}

func conformal(c *Conformal, scale, count, own, half, forecast, y, voting, steps []float64, stride int) {
	switch {
	case active == portable || len(y) < 4: // a register takes longer than three numbers
		conformalPortable(c, scale, count, own, half, forecast, y, voting, steps, stride)
	case active == avx512:
		conformalAVX512(&c.counts[0], &scale[0], &count[0], &own[0], &half[0], &forecast[0], &y[0], &voting[0],
			&c.limits[0], &steps[0], len(y), c.Levels, stride)
	default:
		conformalAVX2(&c.counts[0], &scale[0], &count[0], &own[0], &half[0], &forecast[0], &y[0], &voting[0],
			&c.limits[0], &steps[0], len(y), c.Levels, stride)
	}
}

func hadamard(x []float64) {
	switch {
	case active == avx512 && len(x) >= 8:
		hadamardAVX512(&x[0], len(x))
	case active == avx2 && len(x) >= 4:
		hadamardAVX2(&x[0], len(x))
	default:
		hadamardPortable(x)
	}
}

func matVec(y, a, x []float64) {
	if len(a) == 0 {
		clear(y)
		return
	}
	switch active {
	case avx512:
		matVecAVX512(&y[0], &a[0], &x[0], len(y), len(x))
	case avx2:
		matVecAVX2(&y[0], &a[0], &x[0], len(y), len(x))
	default:
		matVecPortable(y, a, x)
	}
}

func addMatTVec(y, a, x []float64) {
	if len(a) == 0 {
		return
	}
	switch active {
	case avx512:
		addMatTVecAVX512(&y[0], &a[0], &x[0], len(x), len(y))
	case avx2:
		addMatTVecAVX2(&y[0], &a[0], &x[0], len(x), len(y))
	default:
		addMatTVecPortable(y, a, x)
	}
}

func addOuter(a []float64, alpha float64, x, y []float64) {
	m, n := len(x), len(y)
	switch {
	case len(a) == 0:
		return
	case active == portable:
		addOuterPortable(a, alpha, x, y)
		return
	case n == 1:
		axpy(alpha*y[0], x, a)
		return
	}
	// The store of the last register of a row covers the start of the next row
	// with masked elements, and the processor would wait for it. So narrow
	// matrices are passed over several times, each time with some rows left out.
	step := stepOf(m, n, 8)
	for i := range step {
		rows := (m - i + step - 1) / step
		if active == avx512 {
			addOuterAVX512(&a[i*n], alpha, &x[i], &y[0], rows, n, step)
		} else {
			addOuterAVX2(&a[i*n], alpha, &x[i], &y[0], rows, n, step)
		}
	}
}

// stepOf returns how many passes over an m x n matrix there are, for registers
// of the given number of elements.
func stepOf(m, n, lanes int) int {
	if n%lanes == 0 || m <= 8 {
		return 1
	}
	return min(2+lanes/n, m)
}

// panel is how many columns of two matrices are multiplied at a time: of a
// dozen rows they stay in the first cache.
const panel = 256

func matMulT(c, a, b []float64, m, n, k int) {
	if active == portable {
		matMulTPortable(c, a, b, m, n, k)
		return
	}
	clear(c)
	if len(c) == 0 {
		return
	}
	for j := 0; j < k; j += panel {
		w := min(panel, k-j)
		if active == avx512 {
			matMulTAVX512(&c[0], &a[j], &b[j], m, n, w, n, k)
		} else {
			matMulTAVX2(&c[0], &a[j], &b[j], m, n, w, n, k)
		}
	}
}

func addMatMul(c []float64, alpha float64, a, b []float64, m, n, k int) {
	if active == portable {
		addMatMulPortable(c, alpha, a, b, m, n, k)
		return
	}
	if m == 0 || k == 0 {
		return
	}
	for j := 0; j < n; j += panel {
		w := min(panel, n-j)
		if active == avx512 {
			addMatMulAVX512(&c[j], alpha, &a[0], &b[j], m, w, k, n, k, n)
		} else {
			addMatMulAVX2(&c[j], alpha, &a[0], &b[j], m, w, k, n, k, n)
		}
	}
}

func columnDots(y, a, x []float64) {
	if len(a) == 0 {
		clear(y)
		return
	}
	switch active {
	case avx512:
		columnDotsAVX512(&y[0], &a[0], &x[0], len(a)/len(y), len(y))
	case avx2:
		columnDotsAVX2(&y[0], &a[0], &x[0], len(a)/len(y), len(y))
	default:
		columnDotsPortable(y, a, x)
	}
}

func addLagged(c, f, x []float64, m, n, k, shift int) {
	switch active {
	case avx512:
		addLaggedAVX512(&c[0], &f[0], &x[0], m, n, k, shift)
	case avx2:
		addLaggedAVX2(&c[0], &f[0], &x[0], m, n, k, shift)
	default:
		addLaggedPortable(c, f, x, m, n, k, shift)
	}
}

func levinson(s *Toeplitz, b, r []float64, stride int) {
	n := s.columns
	switch {
	case active == portable:
		levinsonPortable(s, b, r, stride)
	case active == avx512 && s.row == 8:
		levinsonAVX512(&s.head[0], &s.x[0], &b[0], &r[0], s.order, stride, s.row, n)
	default:
		for j := 0; j < n; j += 4 {
			levinsonAVX2(&s.head[j], &s.x[j], &b[j], &r[j], s.order, stride, s.row, min(n-j, 4))
		}
	}
}

func aggregate(m *Mixture, f, x, inverse []float64, limit float64, row int) {
	switch active {
	case avx512:
		aggregateAVX512(&m.Mean[0], &m.Low[0], &m.High[0], &m.Z[0], &m.Weights[0], &f[0], &x[0], &inverse[0], limit, m.Experts, m.Variables, row, len(m.Mean))
	case avx2:
		aggregateAVX2(&m.Mean[0], &m.Low[0], &m.High[0], &m.Z[0], &m.Weights[0], &f[0], &x[0], &inverse[0], limit, m.Experts, m.Variables, row, len(m.Mean))
	default:
		aggregatePortable(m, f, x, inverse, limit, row)
	}
}

func regrets(m *Mixture, out, y []float64) {
	relative, doubt := 0, 0
	if m.Relative {
		relative = 1
	}
	if m.Doubt > 0 {
		doubt = 1
	}
	switch active {
	case avx512:
		regretsAVX512(&m.rows[0], &m.Weights[0], &m.Regret[0], &m.Square[0], &m.Gain[0], &m.Z[0], &out[0], &y[0], &m.Prior[0], &m.limits[0], m.Experts, len(m.Mean), relative, doubt)
	case avx2:
		regretsAVX2(&m.rows[0], &m.Weights[0], &m.Regret[0], &m.Square[0], &m.Gain[0], &m.Z[0], &out[0], &y[0], &m.Prior[0], &m.limits[0], m.Experts, len(m.Mean), relative, doubt)
	default:
		regretsPortable(m, out, y)
	}
}

func sinCos(sin, cos, t []float64) {
	if len(t) == 0 {
		return
	}
	switch active {
	case avx512:
		sinCosAVX512(&sin[0], &cos[0], &t[0], len(t))
	case avx2:
		sinCosAVX2(&sin[0], &cos[0], &t[0], len(t))
	default:
		sinCosPortable(sin, cos, t)
	}
}

func features(phi, w, x []float64, scale float64) {
	d := len(phi) / 2
	if d == 0 {
		return
	}
	if len(x) == 0 {
		featuresPortable(phi, w, x, scale)
		return
	}
	switch active {
	case avx512:
		featuresAVX512(&phi[0], &phi[d], &w[0], &x[0], scale, len(x), d)
	case avx2:
		featuresAVX2(&phi[0], &phi[d], &w[0], &x[0], scale, len(x), d)
	default:
		featuresPortable(phi, w, x, scale)
	}
}

func symRank(t []float64, nb int, w []float64, terms int, minus bool) {
	if nb == 0 {
		return
	}
	switch {
	case active == avx512 && minus:
		symSubAVX512(&t[0], nb, &w[0], terms)
	case active == avx512:
		symAddAVX512(&t[0], nb, &w[0], terms)
	case active == avx2 && minus:
		symSubAVX2(&t[0], nb, &w[0], terms)
	case active == avx2:
		symAddAVX2(&t[0], nb, &w[0], terms)
	default:
		symRankPortable(t, nb, w, terms, minus)
	}
}

func symMatVec(t []float64, nb int, y, x []float64, back bool) {
	if nb == 0 {
		return
	}
	first, reverse := firstTile(t, back)
	switch active {
	case avx512:
		symMatVecAVX512(first, nb, &y[0], &x[0], reverse)
	case avx2:
		symMatVecAVX2(first, nb, &y[0], &x[0], reverse)
	default:
		symMatVecPortable(t, nb, y, x, back)
	}
}

func symSubMatVec(t []float64, nb int, y, x, w []float64, terms int, back bool) {
	if nb == 0 {
		return
	}
	first, reverse := firstTile(t, back)
	switch active {
	case avx512:
		symSubMatVecAVX512(first, nb, &y[0], &x[0], &w[0], terms, reverse)
	case avx2:
		symSubMatVecAVX2(first, nb, &y[0], &x[0], &w[0], terms, reverse)
	default:
		symSubMatVecPortable(t, nb, y, x, w, terms, back)
	}
}

func squareMatVec(s *Square, y, x []float64) float64 {
	switch active {
	case avx512:
		return squareMatVecAVX512(&y[0], &s.a[0], &x[0], s.n, s.stride)
	case avx2:
		return squareMatVecAVX2(&y[0], &s.a[0], &x[0], s.n, s.stride)
	}
	return squareMatVecPortable(s, y, x)
}

func squareSub(s *Square, root float64, u []float64) {
	switch active {
	case avx512:
		squareSubAVX512(&s.a[0], &s.w[0], &u[0], root, s.n, s.stride)
	case avx2:
		squareSubAVX2(&s.a[0], &s.w[0], &u[0], root, s.n, s.stride)
	default:
		squareSubPortable(s, root, u)
	}
}

// firstTile returns what the kernels want to know of the direction.
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
	switch active {
	case avx512:
		choleskyAVX512(&u[0], nb, &inv[0])
	case avx2:
		choleskyAVX2(&u[0], nb, &inv[0])
	default:
		choleskyPortable(u, nb, inv)
	}
}

func choleskySolve(u []float64, nb int, inv, rhs []float64) {
	if nb == 0 {
		return
	}
	switch active {
	case avx512:
		choleskySolveAVX512(&u[0], nb, &inv[0], &rhs[0])
	case avx2:
		choleskySolveAVX2(&u[0], nb, &inv[0], &rhs[0])
	default:
		choleskySolvePortable(u, nb, inv, rhs)
	}
}

// rows4 returns the addresses of rows l .. l+3 of b, each of length n, the last
// row standing in for those that do not exist: it is then copied again.
func rows4(b []float64, n, l int) (r0, r1, r2, r3 *float64) {
	last := len(b)/n - 1
	row := func(i int) *float64 { return &b[min(i, last)*n] }
	return row(l), row(l + 1), row(l + 2), row(l + 3)
}

func pack(rhs, b []float64, n int) {
	if active == portable {
		packPortable(rhs, b, n)
		return
	}
	for l := 0; l < lanes; l += 4 {
		r0, r1, r2, r3 := rows4(b, n, l)
		packAVX2(&rhs[l], r0, r1, r2, r3, n)
	}
}

func unpack(b, rhs []float64, n int) {
	if active == portable {
		unpackPortable(b, rhs, n)
		return
	}
	for l := 0; l < lanes; l += 4 {
		r0, r1, r2, r3 := rows4(b, n, l)
		unpackAVX2(&rhs[l], r0, r1, r2, r3, n)
	}
}

// fourierCalls returns whether fourierCall is of use.
func fourierCalls() bool { return active == avx512 }

// fourier does what f.call says, with the inputs from x on.
func fourier(f *Fourier, y, x *float64) {
	fourierAVX512(y, x, (*uintptr)(unsafe.Pointer(&f.call)))
}

// fourierProducts sets the features of the next prediction to those of x, and sums to
// the products of the rows with them.
func fourierProducts(f *Fourier, sums, x []float64) {
	all, phi := len(sums), f.features(f.call.kept)
	switch active {
	case avx512:
		fourier(f, nil, &x[0])
		// The rest of the rows finds the features in the first cache.
		if some := f.call.rows; some < all {
			matVec(sums[some:], f.rows[some*f.row:all*f.row], phi)
		}
		return
	case avx2:
		fourierFeaturesAVX2(&phi[0], &f.w[0], &x[0], len(x), f.n)
	default:
		fourierFeaturesPortable(phi[:f.len], f.w, x, f.n)
	}
	matVec(sums, f.rows[:all*f.row], phi)
}

func addOuters(a, g, u []float64, m, k, n int) {
	if m == 0 || k == 0 {
		return
	}
	switch active {
	case avx512:
		addOutersAVX512(&a[0], &g[0], &u[0], m, k, n/8, n/8)
	case avx2:
		addOutersAVX2(&a[0], &g[0], &u[0], m, k, n/4, n/4)
	default:
		addOutersPortable(a, g, u, m, k, n)
	}
}
