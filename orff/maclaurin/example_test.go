package maclaurin_test

import (
	"fmt"

	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/maclaurin"
	"github.com/orffvar/forecaster/orff/random"
)

// The kernel (1 + <x, z>)^2, with degrees drawn by their size on ||x||_1 <= 1.
func ExampleNew() {
	series := maclaurin.Polynomial(1, 2)
	law, err := maclaurin.Restricted(series, 1)
	if err != nil {
		panic(err)
	}
	f, err := maclaurin.New(series, law, maclaurin.Rademacher, 2, 100, random.Block(1, 1))
	if err != nil {
		panic(err)
	}
	fmt.Printf("%v %.3f\n", series, orff.Kernel(f, []float64{1, 0}, []float64{1, 0}))
	// Output: [1 2 1] 4.000
}
