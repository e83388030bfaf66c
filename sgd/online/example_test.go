package online_test

import (
	"fmt"

	"github.com/orffvar/forecaster/sgd/online"
)

// A line y = 1 + 2x, learnt point by point from the features (1, x).
func ExampleRLS() {
	r, err := online.NewRLS(online.RLSConfig{Features: 2, Outputs: 1, Ridge: 1e-6, Forgetting: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	yhat, residual := make([]float64, 1), make([]float64, 1)
	for x := range 5 {
		phi := []float64{1, float64(x)}
		r.PredictTo(yhat, phi)
		residual[0] = 1 + 2*float64(x) - yhat[0]
		r.Update(phi, residual)
	}
	r.PredictTo(yhat, []float64{1, 10})
	fmt.Printf("%.3f\n", yhat[0])
	// Output: 21.000
}
