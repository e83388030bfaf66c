package functional

import "github.com/orffvar/forecaster/internal/vec"

// bilinear evaluates function-valued predictions f(x)(tau) = phi_X(x)^T Theta
// phi_T(tau) for n inputs and m values of tau at a time. theta = vec(Theta) column by
// column, as in orff.Integral, is read as Theta^T, r_T x r_X row-major.
//
// All matrices have one row per tau: the cost is m r_X (n + r_T), and no matrix has to be transposed.
type bilinear struct {
	rx, rt, n, m int
	rows         []float64 // Q Theta^T, m x r_X
	sums         []float64 // m x r_X
}

func newBilinear(rx, rt, n, m int) *bilinear {
	return &bilinear{rx, rt, n, m, make([]float64, m*rx), make([]float64, m*rx)}
}

// predictTo sets f, m x n, to the predictions for phi, n x r_X, and q, m x r_T.
// rows keeps Theta q_s.
func (b *bilinear) predictTo(f, theta, phi, q []float64) {
	clear(b.rows)
	vec.AddMatMul(b.rows, 1, q, theta, b.m, b.rx, b.rt)
	vec.MatMulT(f, b.rows, phi, b.m, b.n, b.rx)
}

// addGradient adds sum_si e_si phi_i q_s^T to the gradient in Theta, for e of m x
// n, and scale_s Theta q_s q_s^T for each tau with rows of the last predictTo.
func (b *bilinear) addGradient(g []float64, alpha float64, e, phi, q, scale []float64) {
	clear(b.sums)
	vec.AddMatMul(b.sums, alpha, e, phi, b.m, b.rx, b.n)
	for s := range b.m {
		sum := b.sums[s*b.rx : (s+1)*b.rx]
		if scale != nil {
			vec.Axpy(scale[s], b.rows[s*b.rx:(s+1)*b.rx], sum)
		}
		vec.AddOuter(g, 1, q[s*b.rt:(s+1)*b.rt], sum)
	}
}
