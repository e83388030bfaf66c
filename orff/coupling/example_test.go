package coupling_test

import (
	"fmt"

	"github.com/orffvar/forecaster/orff/coupling"
)

// Outputs that a graph joins learn from each other; output 3 stands alone.
func ExampleGraphGamma() {
	gamma, err := coupling.GraphGamma(3, []float64{
		0, 1, 0,
		1, 0, 0,
		0, 0, 0}, 1)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.2f\n%.2f\n%.2f\n", gamma[:3], gamma[3:6], gamma[6:])
	// Output:
	// [0.67 0.33 0.00]
	// [0.33 0.67 0.00]
	// [0.00 0.00 1.00]
}
