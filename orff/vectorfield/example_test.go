package vectorfield_test

import (
	"fmt"

	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/vectorfield"
)

// K(x, x) of the curl-free kernel is I/sigma^2: the diagonal.
func ExampleNewCurlFree() {
	m, err := vectorfield.NewCurlFree(0.5, 2, 30, vectorfield.Bounded, random.Block(1, 1))
	if err != nil {
		panic(err)
	}
	k := make([]float64, 4)
	orff.KernelTo(k, m, []float64{1, 2}, []float64{1, 2})
	fmt.Printf("%.3g %.3g\n", k[0], k[3])
	// Output: 4 4
}
