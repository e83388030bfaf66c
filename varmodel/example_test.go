package varmodel_test

import (
	"fmt"
	"log"
	"math"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/varmodel"
)

// The default model forecasts each sample before it learns from it.
func ExampleNewAuto() {
	model, err := varmodel.NewAuto(varmodel.AutoConfig{Dim: 2, Horizon: 3, Levels: []float64{0.9}})
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

// A missing coordinate is NaN; a model refuses what is infinite.
func ExampleNewVAR() {
	model, err := varmodel.NewVAR(varmodel.VARConfig{Dim: 1, Order: 2, Horizon: 1})
	if err != nil {
		log.Fatal(err)
	}
	series := model.NewSeries()
	fmt.Println(series.Observe([]float64{1}))
	fmt.Println(series.Observe([]float64{math.NaN()}))
	fmt.Println(series.Observe([]float64{math.Inf(1)}))
	// Output:
	// <nil>
	// <nil>
	// varmodel: coordinate 0 is infinite
}
