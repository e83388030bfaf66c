package vec

import "math"

// The functions below are those of the same names for float32: half the memory
// and twice the speed, for stochastic gradients, which do not mind the rounding.

// MatVec32 sets y = A x, where A is len(y) x len(x).
func MatVec32(y, a, x []float32) {
	if len(a) != len(y)*len(x) {
		panic("vec: MatVec32: shapes differ")
	}
	matVec32(y, a, x)
}

// AddOuter32 adds alpha x y^T to A, which is len(x) x len(y).
func AddOuter32(a []float32, alpha float32, x, y []float32) {
	if len(a) != len(x)*len(y) {
		panic("vec: AddOuter32: shapes differ")
	}
	addOuter32(a, alpha, x, y)
}

// UpdateMatVec32 adds g u^T to A, which is len(y) x len(x), and sets y = A x with
// the new A; see UpdateMatVec.
func UpdateMatVec32(y, a, g, u, x []float32) {
	if len(g) != len(y) || len(u) != len(x) || len(a) != len(y)*len(x) {
		panic("vec: UpdateMatVec32: shapes differ")
	}
	updateMatVec32(y, a, g, u, x)
}

// AddMatTVec32 adds A^T x to y, where A is len(x) x len(y).
func AddMatTVec32(y, a, x []float32) {
	if len(a) != len(y)*len(x) {
		panic("vec: AddMatTVec32: shapes differ")
	}
	addMatTVec32(y, a, x)
}

// AddMatMul32 adds alpha A B to C, where A is m x k, B is k x n and C is m x n.
func AddMatMul32(c []float32, alpha float32, a, b []float32, m, n, k int) {
	if len(c) != m*n || len(a) != m*k || len(b) != k*n {
		panic("vec: AddMatMul32: shapes differ")
	}
	addMatMul32(c, alpha, a, b, m, n, k)
}

// Features32 sets phi = scale [cos(2 pi W^T x); sin(2 pi W^T x)]; see Features.
// The absolute error of sine and cosine is below 6e-7 for the angle as rounded
// to float32.
func Features32(phi, w, x []float32, scale float32) {
	d := len(phi) / 2
	if len(phi) != 2*d || len(w) != len(x)*d {
		panic("vec: Features32: shapes differ")
	}
	features32(phi, w, x, scale)
}

func dotPortable32(x, y []float32) float32 {
	y = y[:len(x)]
	var s0, s1, s2, s3 float32
	i := 0
	for ; i+4 <= len(x); i += 4 {
		p, q := x[i:i+4:i+4], y[i:i+4:i+4]
		s0 += float32(p[0] * q[0])
		s1 += float32(p[1] * q[1])
		s2 += float32(p[2] * q[2])
		s3 += float32(p[3] * q[3])
	}
	s := (s0 + s2) + (s1 + s3)
	for ; i < len(x); i++ {
		s += float32(x[i] * y[i])
	}
	return s
}

func axpyPortable32(alpha float32, x, y []float32) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += float32(alpha * v)
	}
}

func matVecPortable32(y, a, x []float32) {
	n := len(x)
	for i := range y {
		y[i] = dotPortable32(a[i*n:(i+1)*n], x)
	}
}

func addOuterPortable32(a []float32, alpha float32, x, y []float32) {
	n := len(y)
	for i, v := range x {
		axpyPortable32(float32(alpha*v), y, a[i*n:(i+1)*n])
	}
}

func updateMatVecPortable32(y, a, g, u, x []float32) {
	n := len(x)
	for i := range y {
		row := a[i*n : (i+1)*n]
		axpyPortable32(g[i], u, row)
		y[i] = dotPortable32(row, x)
	}
}

func addMatTVecPortable32(y, a, x []float32) {
	n := len(y)
	for i, v := range x {
		axpyPortable32(v, a[i*n:(i+1)*n], y)
	}
}

func addMatMulPortable32(c []float32, alpha float32, a, b []float32, m, n, k int) {
	for i := range m {
		row := c[i*n : (i+1)*n]
		for j := range k {
			axpyPortable32(float32(alpha*a[i*k+j]), b[j*n:(j+1)*n], row)
		}
	}
}

func featuresPortable32(phi, w, x []float32, scale float32) {
	d := len(phi) / 2
	cos, sin := phi[:d], phi[d:]
	clear(cos)
	for i, v := range x {
		axpyPortable32(v, w[i*d:(i+1)*d], cos)
	}
	for i, t := range cos {
		s, c := sinCosTurns32(t)
		cos[i], sin[i] = float32(scale*c), float32(scale*s)
	}
}

// sinCosTurns32 is sinCosTurns with polynomials in the five Chebyshev nodes,
// whose errors are 1.1e-7.
func sinCosTurns32(t float32) (sin, cos float32) {
	r := t - float32(math.RoundToEven(float64(t)))
	u := float32(r * r)
	s := float32(u*0x1.3e1420p-4) + -0x1.32531ep-1
	c := float32(u*0x1.c1e8dcp-3) + -0x1.54f5a0p+0
	s = float32(u*s) + 0x1.4668f0p+1
	c = float32(u*c) + 0x1.03bd00p+2
	s = float32(u*s) + -0x1.4abbc4p+2
	c = float32(u*c) + -0x1.3bd3a6p+2
	s = float32(u*s) + 0x1.921fb6p+1
	c = float32(u*c) + 0x1.fffffep-1
	s = float32(r * s)
	s2 := float32(s + s)
	return float32(s2 * c), 1 - float32(s2*s)
}
