package semigroup_test

import (
	"fmt"

	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/semigroup"
)

// The kernel 2/(x + z + 2) of non-negative inputs.
func ExampleNew() {
	f, err := semigroup.New(semigroup.Reciprocal, 2, 1, 100, random.Block(1, 1))
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.3f\n", orff.Kernel(f, []float64{1}, []float64{1}))
	fmt.Println(orff.CheckInput(f, []float64{-1}))
	// Output:
	// 0.500
	// orff: a semigroup kernel needs x >= 0, coordinate 1 is -1
}
