package coupling

import (
	"fmt"
	"math"
)

// Simplex returns the code of T >= 2 classes by the corners of a regular simplex, (T-1) x T row-major. The columns are
// unit vectors with the inner products -1/(T-1) (Mroueh et al. 2012; Brault 2017, section 6.4.1.1).
//
//	C_2 = [1, -1],  C_T = [[1, -1/(T-1) …]; [0, sqrt(1 - 1/(T-1)^2) C_(T-1)]]
func Simplex(T int) []float64 {
	if T < 2 {
		panic("orff: a simplex coding needs at least two classes")
	}
	c := make([]float64, (T-1)*T)
	scale := 1.0 // scale of the block that begins at row i, column i
	for i := range T - 1 {
		q := float64(T - 1 - i) // number of entries right of the diagonal
		c[i*T+i] = scale
		for j := i + 1; j < T; j++ {
			c[i*T+j] = -scale / q
		}
		scale *= math.Sqrt(1 - 1/(q*q))
	}
	return c
}

// NewSimplex returns the output operator of T classes with one-hot targets: B = C^T, Gamma = C^T C.
func NewSimplex(T int) (Operator, error) {
	if T < 2 {
		return Operator{}, fmt.Errorf("orff: a simplex coding needs at least two classes, got %d", T)
	}
	c := Simplex(T)
	b := make([]float64, len(c))
	for i := range T - 1 {
		for j := range T {
			b[j*(T-1)+i] = c[i*T+j]
		}
	}
	return FromFactor(T, T-1, b)
}

// DecodeSimplex returns the class 0 … T-1 whose corner has the smallest angle to the coded prediction h, length T-1.
func DecodeSimplex(h []float64) int {
	T := len(h) + 1
	c := Simplex(T)
	best, class := math.Inf(-1), 0
	for j := range T {
		var s float64
		for i, v := range h {
			s += v * c[i*T+j]
		}
		if s > best {
			best, class = s, j
		}
	}
	return class
}
