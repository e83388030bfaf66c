package simulate_test

import (
	"math"
	"testing"

	"github.com/orffvar/forecaster/eval/simulate"
)

// The state in which all variables equal the forcing is at rest, a shifted state moves as the
// state does, and short steps of Euler's method lead to the same state.
func TestLorenz96(t *testing.T) {
	rest, next := make([]float64, 8), make([]float64, 8)
	for j := range rest {
		rest[j] = 8
	}
	step := simulate.Lorenz96(8).Step
	step(next, rest)
	for _, v := range next {
		if v != 8 {
			t.Fatalf("%v is not at rest: %v", rest, next)
		}
	}
	x, shifted, moved := []float64{1, -2, 3, 0, 5, 8, -1, 2}, make([]float64, 8), make([]float64, 8)
	for j, v := range x {
		shifted[(j+1)%8] = v
	}
	step(next, x)
	step(moved, shifted)
	for j, v := range next {
		if moved[(j+1)%8] != v {
			t.Fatalf("%v after the shift, %v before", moved, next)
		}
	}
	// Euler's method in 100,000 parts has an error of 1e-6 times derivatives below 1e4.
	euler, slope := append([]float64(nil), x...), make([]float64, 8)
	for range 100_000 {
		for j := range euler {
			slope[j] = (euler[(j+1)%8]-euler[(j+6)%8])*euler[(j+7)%8] - euler[j] + 8
		}
		for j, v := range slope {
			euler[j] += 1e-6 * v
		}
	}
	for j, v := range euler {
		if !(math.Abs(v-next[j]) <= 1e-3) {
			t.Errorf("variable %d: %g after a tenth, %g by Euler's method", j, next[j], v)
		}
	}
}
