package thesis_test

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/eval/dataset"
	"github.com/orffvar/forecaster/eval/simulate"
	"github.com/orffvar/forecaster/internal/thesis"
)

func ExampleSCV() {
	for _, e := range thesis.Experiments() {
		if e.Name != "Macrodata" {
			continue
		}
		data, err := e.Prepare(dataset.Macrodata())
		if err != nil {
			panic(err)
		}
		r, err := thesis.SCV(thesis.NewVAR1(data.Dim()), data, e.Window)
		if err != nil {
			panic(err)
		}
		fmt.Printf("published %.1f, reproduced %.3f\n", e.VAR1.MSE, r.MSE)
	}
	// Output:
	// published 449.1, reproduced 449.136
}

func ExampleSetting() {
	s := simulate.NewSetting(simulate.SettingConfig{Setting: 2, Seed: 7})
	floor, _ := s.Floor()
	x, y, yhat := make([]float64, 5), make([]float64, 5), make([]float64, 5)
	sum := 0.
	s.Next(x)
	for range 10_000 {
		s.PredictTo(yhat, x)
		s.Next(y)
		for j := range y {
			sum += math.Pow(y[j]-yhat[j], 2)
		}
		x, y = y, x
	}
	fmt.Printf("floor %.5f, the true function has %.5f\n", floor, sum/50_000)
	// Output:
	// floor 0.00090, the true function has 0.00091
}
