package series_test

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/varmodel/series"
)

// A history has the last samples of a series, a scaler its running mean and deviation. A missing coordinate is filled
// with the forecast that stood for it.
func ExampleHistory() {
	past, scaler := series.NewHistory(1, 3), series.NewScaler(1)
	guess := []float64{2.5}
	for _, v := range []float64{1, 3, math.NaN(), 5} {
		scaler.Add([]float64{v})
		past.Push([]float64{v}, guess)
	}
	fmt.Println("newest first:", past.Lag(0), past.Lag(1), past.Lag(2), "observed:", past.ObservedAt(1))
	fmt.Printf("mean %.1f\n", scaler.Mean[0])
	// Output:
	// newest first: [5] [2.5] [3] observed: [false]
	// mean 3.0
}
