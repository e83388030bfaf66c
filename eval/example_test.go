package eval_test

import (
	"fmt"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/varmodel"
	"github.com/orffvar/forecaster/varmodel/interval"
)

// A forecaster, and the intervals that a wrapper adds to it.
func ExampleAs() {
	model, err := varmodel.NewPersistence(varmodel.PersistenceConfig{Dim: 1, Horizon: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, ok := eval.As[eval.Bounder](model.NewSeries())
	fmt.Println("persistence has intervals:", ok)

	if model, err = interval.WithIntervals(model, interval.Config{Dim: 1, Horizon: 1, Levels: []float64{.9}}); err != nil {
		fmt.Println(err)
		return
	}
	_, ok = eval.As[eval.Bounder](model.NewSeries())
	fmt.Println("with intervals:", ok)
	// Output:
	// persistence has intervals: false
	// with intervals: true
}
