package units_test

import (
	"fmt"

	"github.com/orffvar/forecaster/varmodel/series"
	"github.com/orffvar/forecaster/varmodel/units"
)

// Two coordinates have typical steps of 3 and 4. The law of a field gives both one unit, the root mean square. The law
// of a sum restores the sum of the last sample, 9, in a forecast that a limit has moved.
func ExampleLaw() {
	scaler := series.NewScaler(2)
	for t := range 100 {
		scaler.Add([]float64{float64(3 * (t % 2)), float64(4 * (t % 2))})
	}
	unit, inverse := make([]float64, 2), make([]float64, 2)
	for _, law := range []units.Law{units.NoLaw, units.FieldLaw} {
		law.UnitsTo(unit, inverse, scaler)
		fmt.Printf("%.2f\n", unit)
	}
	forecast := []float64{4, 4}
	units.SumLaw.KeepSum(forecast, []float64{3, 6})
	fmt.Println(forecast)
	// Output:
	// [3.00 4.00]
	// [3.54 3.54]
	// [4 5]
}
