package auto

import (
	"math"
	"testing"

	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
)

// columns returns the given columns of x.
func columns(x [][]float64, keep ...int) [][]float64 {
	out := make([][]float64, len(x))
	for i, row := range x {
		for _, k := range keep {
			out[i] = append(out[i], row[k])
		}
	}
	return out
}

// standardise divides by the mean and standard deviation of the whole series,
// as the tables do; it looks ahead and serves the comparison only.
func standardise(x [][]float64) [][]float64 {
	for j := range x[0] {
		var m float64
		for _, row := range x {
			m += row[j] / float64(len(x))
		}
		s := modeltest.ColumnSD(x, j)
		for _, row := range x {
			row[j] = (row[j] - m) / s
		}
	}
	return x
}

func from(first, last int) (keep []int) {
	for j := first; j < last; j++ {
		keep = append(keep, j)
	}
	return keep
}

// Brault 2017, tables 8.1 to 8.3: the default model, one pass, predicting before
// it learns, on the same targets as the published windowed fits; mean over ten
// seeds. The bounds hold what was reached; the published ORFFVAR and VAR(1) stand
// beside them.
func TestProtocolA(t *testing.T) {
	modeltest.Measuring(t)
	for _, c := range []struct {
		name            string
		x               [][]float64
		window          int
		bound           float64
		orffvar, linear float64 // published
	}{
		{"linear white", modeltest.ReadSeries(t, "paper/table8_1_lin_white.csv"), 500, 1.01 * .914979, .919663, .914979},
		{"linear Toeplitz", modeltest.ReadSeries(t, "paper/table8_1_lin_toep.csv"), 500, 1.01 * 1.091096, 1.097183, 1.091096},
		{"exponential white", modeltest.ReadSeries(t, "paper/table8_1_exp_white.csv"), 500, .00098, .001003, .001275},
		{"exponential Toeplitz", modeltest.ReadSeries(t, "paper/table8_1_exp_toep.csv"), 500, .0118, .012635, .017014},
		{"sine white", modeltest.ReadSeries(t, "paper/table8_1_sine_white.csv"), 500, .00934, .009536, .009534},
		{"sine Toeplitz", modeltest.ReadSeries(t, "paper/table8_1_sine_toep.csv"), 500, .1133, .116964, .116901},
		{"table 8.2", modeltest.ReadSeries(t, "paper/table8_2_exp_white.csv"), 5000, .00095, .000944, .001660},
		{"Macrodata", columns(modeltest.ReadSeries(t, "macrodata.csv"), 2, 3, 5, 6, 7, 8, 10, 11), 50, 315, 445.895, 449.136},
		{"Gesture 1", standardise(columns(modeltest.ReadSeries(t, "gesture_a1.csv"), from(1, 32)...)), 200, .67, .741178, .979594},
		{"Gesture 4", standardise(columns(modeltest.ReadSeries(t, "gesture_b1.csv"), from(1, 32)...)), 200, .40, .473194, .768056},
		{"Heart", standardise(modeltest.ReadSeries(t, "santafe_b1.csv")[1:]), 240, .175, .262632, .259129},
	} {
		p := &modeltest.ProtocolB{Name: c.name, X: c.x, Begin: c.window, End: len(c.x)}
		for range c.x[0] {
			p.Sd = append(p.Sd, 1)
		}
		const seeds = 10
		var sum, square float64
		for seed := range uint64(seeds) {
			v := p.Run(t, newAuto(t, Config{Dim: len(p.Sd), Horizon: 1, Seed: seed}), 1)[0]
			sum += v / seeds
			square += v * v / seeds
		}
		t.Logf("%-22s %.6g +- %.2g  bound %.6g  published: ORFFVAR %.6g, VAR(1) %.6g",
			c.name, sum, math.Sqrt(max(square-sum*sum, 0)), c.bound, c.orffvar, c.linear)
		if !(sum <= c.bound) {
			t.Errorf("%s: %.6g, bound %.6g", c.name, sum, c.bound)
		}
	}
}

// Brault 2017, table 8.3, Climate: one model for 125 stations of 18 variables,
// standardised a station, missing values at the mean, the last month dropped;
// targets from the 1872nd pair on. The stations are 125 series that share the
// weights.
func TestProtocolAClimate(t *testing.T) {
	modeltest.Measuring(t)
	const stations, variables, window = 125, 18, 1872
	wide := modeltest.ReadSeries(t, "us_climate18_wide.csv")
	months := len(wide) - 1
	m := newAuto(t, Config{Dim: variables, Horizon: 1, Shared: true})
	var e, naive, n float64
	pair := 0
	for s := range stations {
		x := make([][]float64, len(wide))
		for i, row := range wide {
			x[i] = make([]float64, variables)
			for v := range variables {
				x[i][v] = row[v*stations+s]
			}
		}
		for j := range variables {
			var mean, k float64
			for _, row := range x {
				if !math.IsNaN(row[j]) {
					mean += row[j]
					k++
				}
			}
			for _, row := range x {
				if math.IsNaN(row[j]) {
					row[j] = mean / k
				}
			}
		}
		x = standardise(x)[:months]
		f := m.NewSeries()
		dst := make([]float64, variables)
		for i, row := range x {
			if i > 0 {
				if pair++; pair >= window && f.ForecastTo(dst) {
					for j, v := range row {
						e += (v - dst[j]) * (v - dst[j])
						naive += (v - x[i-1][j]) * (v - x[i-1][j])
						n++
					}
				}
			}
			if err := f.Observe(row); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("Climate %.4f, persistence %.4f; bound .195; published: ORFFVAR .236982, VAR(1) .266187", e/n, naive/n)
	if !(e/n <= .195) {
		t.Errorf("Climate %.4f, bound .195", e/n)
	}
}
