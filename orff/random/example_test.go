package random_test

import (
	"fmt"

	"github.com/orffvar/forecaster/orff/random"
)

// The numbers of a block depend on the seed and on the number of the block alone.
func ExampleBlock() {
	r, again, other := random.Block(42, 1), random.Block(42, 1), random.Block(42, 2)
	u := r.Uniform()
	fmt.Println(u == again.Uniform(), u == other.Uniform())
	// Output: true false
}
