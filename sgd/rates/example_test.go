package rates_test

import (
	"fmt"
	"log"

	"github.com/orffvar/forecaster/sgd/rates"
)

// A rate that falls as 1/t, whose first value is safe for kernels of norm 1.
func ExampleNewInverseTime() {
	s, err := rates.NewInverseTime(.1, 1, 32)
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range []int{1, 10, 100} {
		fmt.Printf("%.3f\n", s.Rate(t))
	}
	fmt.Println(rates.Constant(20).Validate(.1, rates.DecayBlock))
	// Output:
	// 0.909
	// 0.500
	// 0.091
	// sgd: learning rate out of range: rate*lambda must be < 1, got 2
}
