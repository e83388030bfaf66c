//go:build !amd64

package vec

func levinson(s *Toeplitz, b, r []float64, stride int) { levinsonPortable(s, b, r, stride) }
func squareMatVec(s *Square, y, x []float64) float64   { return squareMatVecPortable(s, y, x) }
func squareSub(s *Square, root float64, u []float64)   { squareSubPortable(s, root, u) }
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
func uduProject(f, u, x []float32, n int)                   { uduProjectPortable(f, u, x, n) }
func uduUpdate(u, sum, v, ratio []float32, first, n int) {
	uduUpdatePortable(u, sum, v, ratio, first, n)
}
func uduWeigh(v []float32, sums, d []float64, f []float32) float64 {
	return uduWeighPortable(v, sums, d, f)
}
func uduRatios(ratio []float32, d, sums []float64, f []float32, r float64) {
	uduRatiosPortable(ratio, d, sums, f, r)
}
