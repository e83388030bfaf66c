package wire

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/internal/config"
)

// unitRows simulates a nonlinear autoregression of three variables: the first one begins after a
// while in which it stands still, the last one has missing values.
func unitRows(n int) [][]float64 {
	rng := rand.New(rand.NewPCG(29, 3))
	x := make([]float64, 3)
	rows := make([][]float64, n)
	for t := range rows {
		y := make([]float64, len(x))
		for j := range x {
			y[j] = math.Tanh(.6*x[j]+.3*x[(j+1)%len(x)]) + .3*rng.NormFloat64()
		}
		if copy(x, y); t < 40 {
			y[0] = 2
		}
		if rng.IntN(20) == 0 {
			y[2] = math.NaN()
		}
		rows[t] = y
	}
	return rows
}

// forecastsOf returns the forecasts of a model after each row, horizons x variables, or nil.
func forecastsOf(t *testing.T, name string, rows [][]float64, horizon int) [][]float64 {
	t.Helper()
	c := config.Default().Model
	c.Type, c.Horizon = name, horizon
	if name == "seasonal" {
		c.Season = 7
	}
	m, err := NewModel(c, len(rows[0]), false)
	if err != nil {
		t.Fatal(err)
	}
	f := m.NewSeries()
	var all [][]float64
	for _, y := range rows {
		if err := f.Observe(y); err != nil {
			t.Fatal(err)
		}
		dst := make([]float64, horizon*len(y))
		if !f.ForecastTo(dst) {
			dst = nil
		}
		all = append(all, dst)
	}
	return all
}

// A power of two as the unit of all variables is exact: all models forecast the same bits at every
// horizon, in any unit.
func TestUnitsChangeNoBit(t *testing.T) {
	const horizon = 24
	rows := unitRows(300)
	for _, exponent := range []int{20, -30} {
		scaled := make([][]float64, len(rows))
		for t, y := range rows {
			scaled[t] = make([]float64, len(y))
			for j, v := range y {
				scaled[t][j] = math.Ldexp(v, exponent)
			}
		}
		for _, name := range ModelNames() {
			if given, ok := map[string]string{"varN": "var3", "arN": "ar6"}[name]; ok {
				name = given
			}
			t.Run(name, func(t *testing.T) {
				want, got := forecastsOf(t, name, rows, horizon), forecastsOf(t, name, scaled, horizon)
				for row := range want {
					for i, v := range want[row] {
						if w := math.Ldexp(v, exponent); w != got[row][i] {
							t.Fatalf("row %d, horizon %d, variable %d: %v in units of 2^%d, want %v",
								row, 1+i/3, i%3, got[row][i], exponent, w)
						}
					}
				}
			})
		}
	}
}
