//go:build !amd64

package vec

const active = portable

func dot(x, y []float64) float64                    { return dotPortable(x, y) }
func axpy(alpha float64, x, y []float64)            { axpyPortable(alpha, x, y) }
func scale(y []float64, alpha float64, x []float64) { scalePortable(y, alpha, x) }
func times(x, y []float64)                          { timesPortable(x, y) }
func tally(total *[3]float64, sums, errs, forecasts, target []float64, rows int) {
	tallyPortable(total, sums, errs, forecasts, target, rows)
}
func cusum(c *Cusum, x []float64) (sum, length float64) { return cusumPortable(c, x) }
func moments(m *Moments, x []float64)                   { momentsPortable(m, x) }
func logTo(dst, x []float64)                            { logToPortable(dst, x) }
func conformal(c *Conformal, scale, count, own, half, forecast, y, voting, steps []float64, stride int) {
	conformalPortable(c, scale, count, own, half, forecast, y, voting, steps, stride)
}
func hadamard(x []float64)                            { hadamardPortable(x) }
func matVec(y, a, x []float64)                        { matVecPortable(y, a, x) }
func addMatTVec(y, a, x []float64)                    { addMatTVecPortable(y, a, x) }
func addOuter(a []float64, f float64, x, y []float64) { addOuterPortable(a, f, x, y) }
func matMulT(c, a, b []float64, m, n, k int)          { matMulTPortable(c, a, b, m, n, k) }
func addMatMul(c []float64, f float64, a, b []float64, m, n, k int) {
	addMatMulPortable(c, f, a, b, m, n, k)
}
func columnDots(y, a, x []float64) { columnDotsPortable(y, a, x) }
func addLagged(c, f, x []float64, m, n, k, shift int) {
	addLaggedPortable(c, f, x, m, n, k, shift)
}
func levinson(s *Toeplitz, b, r []float64, stride int) { levinsonPortable(s, b, r, stride) }
func aggregate(m *Mixture, f, x, inverse []float64, limit float64, row int) {
	aggregatePortable(m, f, x, inverse, limit, row)
}
func regrets(m *Mixture, out, y []float64) { regretsPortable(m, out, y) }
func standardise(dst, x, mean, inverse []float64, limit float64) {
	standardisePortable(dst, x, mean, inverse, limit)
}
func bound(m *Moments, dst, said, origin, unit, last []float64, limit float64) {
	boundPortable(m, dst, said, origin, unit, last, limit)
}
func huber(h *Huber, dst, y, forecast []float64)     { huberPortable(h, dst, y, forecast) }
func glitch(g *Glitch, dst, x, last []float64)       { glitchPortable(g, dst, x, last) }
func level(l *Level, x []float64)                    { levelPortable(l, x) }
func steps(s *Steps, x, last []float64)              { stepsPortable(s, x, last) }
func sinCos(sin, cos, t []float64)                   { sinCosPortable(sin, cos, t) }
func features(phi, w, x []float64, scale float64)    { featuresPortable(phi, w, x, scale) }
func squareMatVec(s *Square, y, x []float64) float64 { return squareMatVecPortable(s, y, x) }
func squareSub(s *Square, root float64, u []float64) { squareSubPortable(s, root, u) }
func symRank(t []float64, nb int, w []float64, terms int, minus bool) {
	symRankPortable(t, nb, w, terms, minus)
}
func symMatVec(t []float64, nb int, y, x []float64, back bool) {
	symMatVecPortable(t, nb, y, x, back)
}
func symSubMatVec(t []float64, nb int, y, x, w []float64, terms int, back bool) {
	symSubMatVecPortable(t, nb, y, x, w, terms, back)
}
func cholesky(u []float64, nb int, inv []float64)           { choleskyPortable(u, nb, inv) }
func choleskySolve(u []float64, nb int, inv, rhs []float64) { choleskySolvePortable(u, nb, inv, rhs) }
func pack(rhs, b []float64, n int)                          { packPortable(rhs, b, n) }
func unpack(b, rhs []float64, n int)                        { unpackPortable(b, rhs, n) }

func fourierCalls() bool { return false }

func fourier(*Fourier, *float64, *float64) {}

func fourierProducts(f *Fourier, sums, x []float64) {
	phi := f.features(f.call.kept)
	fourierFeaturesPortable(phi[:f.len], f.w, x, f.n)
	matVec(sums, f.rows[:len(sums)*f.row], phi)
}

func addOuters(a, g, u []float64, m, k, n int) { addOutersPortable(a, g, u, m, k, n) }
