package streamtest_test

import (
	"fmt"

	"github.com/orffvar/forecaster/stream/streamtest"
)

func ExampleDrift() {
	f := streamtest.NewDrift(1, 3, 0).NewSeries()
	for _, y := range []float64{10, 12, 14} {
		if err := f.Observe([]float64{y}); err != nil {
			fmt.Println(err)
		}
	}
	yhat := make([]float64, 3)
	fmt.Println(f.ForecastTo(yhat), yhat)
	// Output: true [16 18 20]
}
