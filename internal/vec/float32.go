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

// AddMatTVec32 adds A^T x to y, where A is len(x) x len(y).
func AddMatTVec32(y, a, x []float32) {
	if len(a) != len(y)*len(x) {
		panic("vec: AddMatTVec32: shapes differ")
	}
	addMatTVec32(y, a, x)
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

func addMatTVecPortable32(y, a, x []float32) {
	n := len(y)
	for i, v := range x {
		axpyPortable32(v, a[i*n:(i+1)*n], y)
	}
}

// sinCosTurns32 is sinCosTurns with polynomials of five terms, which add 1e-7 to
// the errors.
func sinCosTurns32(t float32) (sin, cos float32) {
	r := t - float32(math.RoundToEven(float64(t)))
	u := float32(r * r)
	s := float32(u*0x1.c10aa6p-4) + -0x1.b12c5cp-1
	c := float32(u*0x1.3c82dcp-2) + -0x1.e1f6cap+0
	s = float32(u*s) + 0x1.cd9cf8p+1
	c = float32(u*c) + 0x1.6f50a4p+2
	s = float32(u*s) + -0x1.d3ba52p+2
	c = float32(u*c) + -0x1.bea550p+2
	s = float32(u*s) + 0x1.1c5832p+2
	c = float32(u*c) + 0x1.6a09e2p+0
	s = float32(r * s)
	return float32(s * c), 1 - float32(s*s)
}
