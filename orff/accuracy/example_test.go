package accuracy_test

import (
	"fmt"

	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/accuracy"
	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
)

// How many frequencies make every kernel value of 1000 points right within 0.1?
func ExampleRecommend() {
	one, err := orff.NewFourier(spectrum.Gaussian{Sigma: 1}, 5, 1, random.New(1))
	if err != nil {
		panic(err)
	}
	m := orff.NewDecomposable(one, coupling.Identity(5))
	plan, err := accuracy.Recommend(m, accuracy.Entrywise, accuracy.Problem{Epsilon: 0.1, Delta: 0.05, Points: 1000})
	if err != nil {
		panic(err)
	}
	fmt.Println(plan.Draws, "frequencies:", plan.Formula)
	// Output: 3363 frequencies: Hoeffding over all pairs
}
