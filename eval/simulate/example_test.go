package simulate_test

import (
	"fmt"

	"github.com/orffvar/forecaster/eval/simulate"
)

// The error that no model undercuts is known for a simulated series.
func ExampleSetting_Floor() {
	s := simulate.NewSetting(simulate.SettingConfig{Setting: 1, Seed: 1})
	mse, _ := s.Floor()
	data := simulate.Collect("linear", s, 1000)
	fmt.Printf("%d rows of %d variables, no MSE below %.2f\n", data.Len(), data.Dim(), mse)
	// Output: 1000 rows of 5 variables, no MSE below 0.90
}
