//go:build !amd64

package vec

func dot(x, y []float64) float64                      { return dotPortable(x, y) }
func axpy(alpha float64, x, y []float64)              { axpyPortable(alpha, x, y) }
func scale(y []float64, alpha float64, x []float64)   { scalePortable(y, alpha, x) }
func times(x, y []float64)                            { timesPortable(x, y) }
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
func addOuters(a, g, u []float64, m, k, n int) { addOutersPortable(a, g, u, m, k, n) }
func narrow(dst []float32, x []float64)        { narrowPortable(dst, x) }
func widen(dst []float64, x []float32)         { widenPortable(dst, x) }
