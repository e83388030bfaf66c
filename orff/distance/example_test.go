package distance_test

import (
	"fmt"

	"github.com/orffvar/forecaster/orff/distance"
)

// Three inputs on a line, with the distances 1, 2 and 3.
func ExampleMedian() {
	fmt.Println(distance.Median([]float64{0, 1, 3}, 1, 1))
	// Output: 2
}
