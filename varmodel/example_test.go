package varmodel_test

import (
	"fmt"
	"log"
	"math"

	"github.com/orffvar/forecaster/varmodel"
)

// A missing coordinate is NaN; a model refuses an infinite one.
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
