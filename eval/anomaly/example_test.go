package anomaly_test

import (
	"fmt"
	"math"
	"time"

	"github.com/orffvar/forecaster/eval/anomaly"
)

// A series that a forecast knows up to a small error, and one sample that is far from its forecast.
func ExampleScorer() {
	s := anomaly.NewScorer(anomaly.Config{Dim: 1})
	for i := range 2000 {
		yhat := []float64{math.Sin(float64(i) / 20)}
		y := []float64{yhat[0] + .1*math.Sin(float64(i*i))}
		if i == 1900 {
			y[0] += 5
		}
		s.Observe(int64(i)*int64(time.Minute), y, yhat)
		if s.Begins() {
			fmt.Printf("sample %d: %v\n", i, s.Cause())
		}
	}
	// Output: sample 1900: jump
}
