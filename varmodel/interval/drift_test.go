package interval

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/drift"
	"github.com/orffvar/forecaster/eval/simulate"
	"github.com/orffvar/forecaster/internal/tools/testseries"
	"github.com/orffvar/forecaster/varmodel"
	"github.com/orffvar/forecaster/varmodel/auto"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
)

// change is what happens to a vector autoregression of three variables.
type change struct {
	name        string
	mean, noise float64 // added; multiplied
	turn        bool    // the dynamics change
}

var changes = []change{
	{name: "nothing", noise: 1},
	{name: "mean", mean: 5, noise: 1},
	{name: "variance", noise: 2},
	{name: "dynamics", noise: 1, turn: true},
}

// simulateChange draws rows of it, the change at row at.
func simulateChange(c change, rows, at int, seed uint64) [][]float64 {
	const d = 3
	r := rand.New(rand.NewPCG(seed, 41))
	x, prev := make([]float64, d), make([]float64, d)
	out := make([][]float64, rows)
	for t := range out {
		after := t >= at
		noise, a, b := 1.0, .6, .3
		if after {
			noise = c.noise
			if c.turn {
				a, b = .3, -.6
			}
		}
		copy(prev, x)
		for j := range x {
			x[j] = a*prev[j] + b*math.Sin(prev[(j+1)%d]) + noise*r.NormFloat64()
		}
		y := make([]float64, d)
		for j := range y {
			y[j] = x[j]
			if after {
				y[j] += c.mean
			}
		}
		out[t] = y
	}
	return out
}

// watched is a model with a detector.
func watched(t testing.TB, m eval.Model, err error, dim int, a drift.Adaptation) eval.Forecaster {
	t.Helper()
	if err == nil {
		m, err = WithDrift(m, DriftConfig{Dim: dim, Horizon: 1, Action: a})
	}
	if err != nil {
		t.Fatal(err)
	}
	return m.NewSeries()
}

// follow feeds rows to f and returns the mean squared error of one step over the
// rows from at on, and where the alarms were.
func follow(t testing.TB, f eval.Forecaster, rows [][]float64, at int) (mse float64, alarms []int) {
	t.Helper()
	yhat := make([]float64, len(rows[0]))
	for i, y := range rows {
		if f.ForecastTo(yhat) && i >= at {
			for j := range y {
				mse += (y[j] - yhat[j]) * (y[j] - yhat[j]) / float64(len(y)*(len(rows)-at))
			}
		}
		if err := f.Observe(y); err != nil {
			t.Fatal(err)
		}
		if d, ok := modeltest.As[drift.Detector](t, f).Drift(); ok {
			alarms = append(alarms, i)
			if d.Since < 0 || d.Since > i {
				t.Errorf("row %d: %+v", i, d)
			}
		}
	}
	return mse, alarms
}

// The rate of false alarms on series that do not change, of the models' errors as
// they come: within a factor of two of the rate that was asked for, 1 in 10,000
// samples. Of 300,000 samples 30 are expected, with the standard deviation of a
// Poisson count, 5.5; the model learns meanwhile, so its errors are not quite
// stationary.
func TestDriftFalseAlarms(t *testing.T) {
	total := 0
	for _, dim := range []int{1, 3, 10} {
		n := 0
		for seed := range uint64(10) {
			for _, g := range []simulate.Generator{simulate.NewWhiteNoise(dim, seed), testseries.NewRandomWalk(dim, seed)} {
				rows := make([][]float64, 5000)
				for i := range rows {
					rows[i] = make([]float64, dim)
					g.Next(rows[i])
				}
				m, err := varmodel.NewVAR(varmodel.VARConfig{Dim: dim, Order: 1, Horizon: 1})
				_, alarms := follow(t, watched(t, m, err, dim, drift.None), rows, 0)
				n += len(alarms)
			}
		}
		t.Logf("%d variables: %d false alarms in 100,000 samples", dim, n)
		total += n
	}
	if total > 60 || total < 10 {
		t.Errorf("%d false alarms in 300,000 samples, 30 are asked for", total)
	}
}

// Each change is found soon, and the estimated beginning lies near it.
func TestDriftDelay(t *testing.T) {
	const rows, at, seeds = 2500, 1500, 8
	for _, c := range changes[1:] {
		found, delay := 0, 0
		for seed := range uint64(seeds) {
			m, err := varmodel.NewVAR(varmodel.VARConfig{Dim: 3, Order: 3, Horizon: 1})
			_, alarms := follow(t, watched(t, m, err, 3, drift.None), simulateChange(c, rows, at, seed), 0)
			for _, i := range alarms {
				if i >= at && i < at+500 {
					found++
					delay += i - at
					break
				}
			}
		}
		t.Logf("%s: %d of %d, after %.0f samples", c.name, found, seeds, float64(delay)/float64(max(found, 1)))
		if most := map[string]int{"mean": 10, "variance": 30, "dynamics": 250}[c.name]; found < seeds-1 || delay > most*found {
			t.Errorf("%s: %d of %d found, %d samples in all", c.name, found, seeds, delay)
		}
	}
}

// The actions against doing nothing: over the 500 samples after a change they are
// for, and on a series that does not change, where nothing but false alarms acts.
func TestDriftActions(t *testing.T) {
	const at, seeds = 1500, 6
	for _, c := range []struct {
		action drift.Adaptation
		change change
		gain   float64 // of the error, at least
	}{
		{drift.Forget, changes[3], .03},
		{drift.Restart, changes[3], .03},
		{drift.ResetScaler, changes[1], .02},
		{drift.Forget, changes[0], -.01},
		{drift.ResetScaler, changes[0], -.01},
	} {
		var base, with float64
		for seed := range uint64(seeds) {
			x := simulateChange(c.change, at+500, at, seed)
			m, err := varmodel.NewVAR(varmodel.VARConfig{Dim: 3, Order: 3, Horizon: 1})
			mse, _ := follow(t, watched(t, m, err, 3, drift.None), x, at)
			base += mse / seeds
			m, err = varmodel.NewVAR(varmodel.VARConfig{Dim: 3, Order: 3, Horizon: 1})
			mse, _ = follow(t, watched(t, m, err, 3, c.action), x, at)
			with += mse / seeds
		}
		t.Logf("%-12s %-8s %.4f without, %.4f with", c.action, c.change.name, base, with)
		if !(with <= (1-c.gain)*base) {
			t.Errorf("%s after a change of %s: error %.4f, without %.4f", c.action, c.change.name, with, base)
		}
	}
}

// The default model takes each action, which changes its forecasts, and goes on.
func TestDriftOfAuto(t *testing.T) {
	x := simulateChange(changes[3], 700, 400, 1)
	var without []float64
	for _, a := range []drift.Adaptation{drift.None, drift.Forget, drift.ResetScaler, drift.Restart} {
		m, err := auto.New(auto.Config{Dim: 3, Horizon: 4, Seed: 1})
		if err == nil {
			m, err = WithDrift(m, DriftConfig{Dim: 3, Horizon: 4, Action: a})
		}
		if err != nil {
			t.Fatal(err)
		}
		f := m.NewSeries()
		dst := make([]float64, 12)
		for i, y := range x {
			if err := f.Observe(y); err != nil {
				t.Fatal(err)
			}
			if i == 450 {
				modeltest.As[drift.Adapter](t, f).Adapt(a, 50)
			}
			if !f.ForecastTo(dst) {
				t.Fatal("no forecast")
			}
			for _, v := range dst {
				if math.IsNaN(v) || !(math.Abs(v) <= 100) {
					t.Fatalf("%s: row %d: %v", a, i, dst)
				}
			}
		}
		if a == drift.None {
			without = dst
		} else if slices.Equal(dst, without) {
			t.Errorf("%s: the forecasts are the same without it", a)
		}
	}
}
