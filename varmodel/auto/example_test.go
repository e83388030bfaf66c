package auto_test

import (
	"fmt"
	"log"
	"math"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/varmodel/auto"
	"github.com/orffvar/forecaster/varmodel/interval"
)

// The default model forecasts each sample before it learns from it.
func ExampleNew() {
	model, err := auto.New(auto.Config{Dim: 2, Horizon: 3})
	if err != nil {
		log.Fatal(err)
	}
	model, err = interval.WithIntervals(model, interval.Config{Dim: 2, Horizon: 3, Levels: []float64{.9}})
	if err != nil {
		log.Fatal(err)
	}
	series := model.NewSeries()
	bounder, _ := eval.As[eval.Bounder](series)
	forecast := make([]float64, 3*2)
	lower, upper := make([]float64, 3*2), make([]float64, 3*2)
	for t := range 600 {
		sample := []float64{math.Sin(float64(t) / 5), math.Cos(float64(t) / 5)}
		if t == 599 {
			series.ForecastTo(forecast)
			fmt.Printf("forecast %.1f\n", forecast[:2])
			fmt.Printf("observed %.1f\n", sample)
			fmt.Println("bounds:", bounder.BoundsTo(lower, upper))
		}
		if err := series.Observe(sample); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// forecast [0.4 0.9]
	// observed [0.4 0.9]
	// bounds: true
}
