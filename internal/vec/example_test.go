package vec_test

import (
	"fmt"

	"github.com/orffvar/forecaster/internal/vec"
)

// One step of recursive least squares: learn y = 2 phi_0 - phi_1 from samples.
func ExampleSym() {
	p := vec.NewSym(2)
	p.SetIdentity(1e6)
	theta, q := make([]float64, 2), make([]float64, 2)
	for _, phi := range [][]float64{{1, 0}, {1, 1}, {0, 2}} {
		y := 2*phi[0] - phi[1]
		p.MatVec(q, phi)
		den := 1 + vec.Dot(phi, q)
		p.Rank1(-1/den, q)
		vec.Axpy((y-vec.Dot(theta, phi))/den, q, theta)
	}
	fmt.Printf("%.3f\n", theta)
	// Output: [2.000 -1.000]
}
