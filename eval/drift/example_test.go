package drift_test

import (
	"fmt"
	"log"
	"math"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/drift"
	"github.com/orffvar/forecaster/varmodel"
	"github.com/orffvar/forecaster/varmodel/interval"
)

// The swings of a series become five times as large at sample 400.
func Example() {
	m, err := varmodel.NewPersistence(varmodel.PersistenceConfig{Dim: 1, Horizon: 1})
	if err != nil {
		log.Fatal(err)
	}
	m, err = interval.WithDrift(m, interval.DriftConfig{Dim: 1, Horizon: 1, FalseAlarms: .05})
	if err != nil {
		log.Fatal(err)
	}
	f := m.NewSeries()
	detector, _ := eval.As[drift.Detector](f)
	forecast := make([]float64, 1)
	for i := range 800 {
		y := math.Sin(float64(i))
		if i >= 400 {
			y *= 5
		}
		if err := f.Observe([]float64{y}); err != nil {
			log.Fatal(err)
		}
		if change, ok := detector.Drift(); ok {
			fmt.Println("sample", i, "change since", change.Since, "samples, with a sign:", change.Bias)
			return
		}
		f.ForecastTo(forecast)
	}
	// Output:
	// sample 400 change since 2 samples, with a sign: false
}
