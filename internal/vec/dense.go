package vec

// Dot returns the inner product x·y.
func Dot(x, y []float64) float64 {
	if len(x) != len(y) {
		panic("vec: Dot: lengths differ")
	}
	return dot(x, y)
}

// Axpy adds alpha x to y: y += alpha x.
func Axpy(alpha float64, x, y []float64) {
	if len(x) != len(y) {
		panic("vec: Axpy: lengths differ")
	}
	axpy(alpha, x, y)
}

// Scale multiplies x by alpha: x *= alpha.
func Scale(alpha float64, x []float64) { scale(x, alpha, x) }

// ScaleTo sets y = alpha x. y may be x.
func ScaleTo(y []float64, alpha float64, x []float64) {
	if len(x) != len(y) {
		panic("vec: ScaleTo: lengths differ")
	}
	scale(y, alpha, x)
}

// Mul multiplies element by element: x_i *= y_i.
func Mul(x, y []float64) {
	if len(x) != len(y) {
		panic("vec: Mul: lengths differ")
	}
	times(x, y)
}

// Hadamard replaces x by H x, where H is the Walsh-Hadamard matrix of +1 and -1 in
// natural order. The length n of x is a power of two, and H H = n I. All instruction
// sets give the same bits.
func Hadamard(x []float64) {
	if len(x)&(len(x)-1) != 0 {
		panic("vec: Hadamard: length is no power of two")
	}
	hadamard(x)
}

// MatVec sets y = A x, where A is len(y) x len(x).
func MatVec(y, a, x []float64) {
	if len(a) != len(y)*len(x) {
		panic("vec: MatVec: shapes differ")
	}
	matVec(y, a, x)
}

// MatTVec sets y = A^T x, where A is len(x) x len(y).
func MatTVec(y, a, x []float64) {
	if len(a) != len(y)*len(x) {
		panic("vec: MatTVec: shapes differ")
	}
	clear(y)
	addMatTVec(y, a, x)
}

// AddMatTVec adds A^T x to y, where A is len(x) x len(y).
func AddMatTVec(y, a, x []float64) {
	if len(a) != len(y)*len(x) {
		panic("vec: AddMatTVec: shapes differ")
	}
	addMatTVec(y, a, x)
}

// AddOuter adds alpha x y^T to A, which is len(x) x len(y).
func AddOuter(a []float64, alpha float64, x, y []float64) {
	if len(a) != len(x)*len(y) {
		panic("vec: AddOuter: shapes differ")
	}
	addOuter(a, alpha, x, y)
}

// MatMulT sets C = A B^T, where A is m x k, B is n x k and C is m x n.
func MatMulT(c, a, b []float64, m, n, k int) {
	if len(c) != m*n || len(a) != m*k || len(b) != n*k {
		panic("vec: MatMulT: shapes differ")
	}
	matMulT(c, a, b, m, n, k)
}

// AddMatMul adds alpha A B to C, where A is m x k, B is k x n and C is m x n.
func AddMatMul(c []float64, alpha float64, a, b []float64, m, n, k int) {
	if len(c) != m*n || len(a) != m*k || len(b) != k*n {
		panic("vec: AddMatMul: shapes differ")
	}
	addMatMul(c, alpha, a, b, m, n, k)
}
