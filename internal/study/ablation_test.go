package study

import (
	"math"
	"testing"

	"github.com/orffvar/forecaster/internal/report"
)

// The state in which all variables equal the forcing is at rest, a shifted state moves as the
// state does, and short steps of Euler's method lead to the same state.
func TestLorenz96(t *testing.T) {
	rest, next := make([]float64, 8), make([]float64, 8)
	for j := range rest {
		rest[j] = 8
	}
	lorenz96(next, rest)
	for _, v := range next {
		if v != 8 {
			t.Fatalf("%v is not at rest: %v", rest, next)
		}
	}
	x, shifted, moved := []float64{1, -2, 3, 0, 5, 8, -1, 2}, make([]float64, 8), make([]float64, 8)
	for j, v := range x {
		shifted[(j+1)%8] = v
	}
	lorenz96(next, x)
	lorenz96(moved, shifted)
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

// The members with random features find in nonlinear systems what the linear ones cannot, at one step and,
// where the noise leaves something, at four. At 24 steps nothing is left, and they must not harm.
func TestRandomFeaturesFindWhatIsNonlinear(t *testing.T) {
	lines, err := NewAblation(t.Context(), func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lines {
		t.Logf("%+v", l)
		most := report.Number(1.01) // members that say the same are still mixed
		if l.Horizon == 1 || l.Horizon == 4 && l.System != "threshold autoregression" {
			most = .9
		}
		if !(l.Auto <= most*l.Linear) || !(l.Auto < 1) {
			t.Errorf("%s, %d steps: %.3f of persistence, %.3f without random features", l.System, l.Horizon, l.Auto, l.Linear)
		}
	}
}
