package modeltest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/snapshot"
)

// RandomSeries returns n rows of a stable nonlinear autoregression with dim coordinates. missing is the probability of
// NaN for each value.
func RandomSeries(rng *rand.Rand, n, dim int, missing float64) [][]float64 {
	x := make([][]float64, n)
	state := make([]float64, dim)
	for i := range x {
		prev := append([]float64(nil), state...)
		x[i] = make([]float64, dim)
		for j := range state {
			state[j] = .7*prev[j] + math.Sin(2*prev[(j+1)%dim]) + .3*rng.NormFloat64()
			x[i][j] = 10*float64(j) + state[j]
			if rng.Float64() < missing {
				x[i][j] = math.NaN()
			}
		}
	}
	return x
}

// Record observes the rows of x, and returns the forecasts after each row: size values, or nil if there is no forecast.
func Record(t testing.TB, f eval.Forecaster, x [][]float64, size int) [][]float64 {
	t.Helper()
	var all [][]float64
	for _, row := range x {
		if err := f.Observe(row); err != nil {
			t.Fatal(err)
		}
		dst := make([]float64, size)
		if !f.ForecastTo(dst) {
			dst = nil
		}
		for _, v := range dst {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("forecast %v", dst)
			}
		}
		all = append(all, dst)
	}
	return all
}

func Same(a, b [][]float64) error {
	for i := range a {
		if (a[i] == nil) != (b[i] == nil) {
			return fmt.Errorf("row %d: one forecast is missing", i)
		}
		if len(a[i]) != len(b[i]) {
			return fmt.Errorf("row %d: %d and %d values", i, len(a[i]), len(b[i]))
		}
		for j := range a[i] {
			if math.Float64bits(a[i][j]) != math.Float64bits(b[i][j]) {
				return fmt.Errorf("row %d, value %d: %v and %v", i, j, a[i][j], b[i][j])
			}
		}
	}
	return nil
}

// SaveState returns the encoded state of a model and its series.
func SaveState(m snapshot.Stateful, series ...eval.Forecaster) []byte {
	c := snapshot.NewEncoder(nil)
	m.State(c)
	for _, f := range series {
		f.State(c)
	}
	return c.Bytes()
}
