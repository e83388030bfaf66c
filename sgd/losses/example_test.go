package losses_test

import (
	"fmt"
	"log"
	"math"

	"github.com/orffvar/forecaster/sgd/losses"
)

// The loss of Huber grows linearly beyond its threshold. A missing target has no loss.
func ExampleNewHuber() {
	huber, err := losses.NewHuber(1)
	if err != nil {
		log.Fatal(err)
	}
	forecast, target := []float64{0, 0, 0}, []float64{.5, 10, math.NaN()}
	fmt.Println(losses.Sum(losses.Squared{}, forecast, target))
	fmt.Println(losses.Sum(huber, forecast, target))
	// Output:
	// 50.125
	// 9.625
}
