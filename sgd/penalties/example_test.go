package penalties_test

import (
	"fmt"

	"github.com/orffvar/forecaster/sgd/penalties"
)

// With Mu = 2 a step of length 1/2 shortens the weights of each frequency by 1, at most to 0. The frequencies
// have the weights (3, 4) and (0.1, -0.2).
func ExampleGroupLasso() {
	p := penalties.GroupLasso{Columns: penalties.Columns{Inner: 1, D: 2}, Mu: 2}
	theta := []float64{3, .1, 4, -.2}
	p.Apply(theta, .5)
	fmt.Printf("%.1f\n", theta)
	// Output:
	// [2.4 0.0 3.2 -0.0]
}
