package auto

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
)

// forecastsOf returns the forecasts after each row, an hour apart.
func forecastsOf(t *testing.T, m eval.Model, rows [][]float64, horizon int) [][]float64 {
	t.Helper()
	f := m.NewSeries()
	var all [][]float64
	for i, y := range rows {
		if c, ok := eval.As[eval.Clocked](f); ok {
			c.SetTime(modeltest.FirstOf2026 + int64(i)*3600e9)
		}
		if err := f.Observe(y); err != nil {
			t.Fatal(err)
		}
		dst := make([]float64, horizon*len(y))
		f.ForecastTo(dst)
		all = append(all, dst)
	}
	return all
}

// The forecast of a horizon has the same bits whatever the longest horizon is, on a series with a day,
// missing values and nonlinear dependence.
func TestForecastsDoNotDependOnTheLongestHorizon(t *testing.T) {
	rng := rand.New(rand.NewPCG(71, 72))
	var rows [][]float64
	x := []float64{0, 0}
	for i := range 700 {
		x = []float64{math.Sin(2*x[1]) + .2*rng.NormFloat64(), .5*x[0] + .2*rng.NormFloat64()}
		y := []float64{x[0] + 2*wave(i, 24), x[1]}
		if rng.IntN(30) == 0 {
			y[1] = math.NaN()
		}
		rows = append(rows, y)
	}
	for name, create := range map[string]func(horizon int) (eval.Model, error){
		"full":    func(h int) (eval.Model, error) { return New(Config{Dim: 2, Horizon: h}) },
		"tiny":    func(h int) (eval.Model, error) { return New(Config{Dim: 2, Horizon: h, Tier: TierTiny}) },
		"orffvar": func(h int) (eval.Model, error) { return NewORFFVAR(ORFFVARConfig{Dim: 2, Horizon: h, Order: 3}) },
	} {
		of := func(h int) [][]float64 {
			m, err := create(h)
			if err != nil {
				t.Fatal(err)
			}
			return forecastsOf(t, m, rows, h)
		}
		longest := of(30)
		for _, h := range []int{1, 2, 5, 12, 24} {
			for i, got := range of(h) {
				for k, v := range got {
					if w := longest[i][k]; v != w && (v == v || w == w) {
						t.Fatalf("%s: row %d, %d steps ahead: %v of %d, %v of 30", name, i, 1+k/2, v, h, w)
					}
				}
			}
		}
	}
}

// nmseOf returns the mean squared error over the variance at each of the horizons, averaged over the
// variables, of the rows behind the first fourth.
func nmseOf(t *testing.T, m eval.Model, rows [][]float64, horizons []int) []float64 {
	t.Helper()
	all, d := forecastsOf(t, m, rows, horizons[len(horizons)-1]), len(rows[0])
	nmse := make([]float64, len(horizons))
	for j := range d {
		var mean, square float64
		from := len(rows) / 4
		for _, y := range rows[from:] {
			mean += y[j] / float64(len(rows)-from)
		}
		for _, y := range rows[from:] {
			square += (y[j] - mean) * (y[j] - mean) / float64(len(rows)-from)
		}
		for k, h := range horizons {
			var sum float64
			for i := from + h; i < len(rows); i++ {
				e := all[i-h][(h-1)*d+j] - rows[i][j]
				sum += e * e
			}
			nmse[k] += sum / float64(len(rows)-from-h) / square / float64(d)
		}
	}
	return nmse
}

// Two coupled logistic maps seen with noise of 2 %: a linear forecast of two steps leaves most of their
// variance, and random features nearly nothing. They are chaotic: the derivative of the map is 3.7 (1 - 2 x),
// so the error of the last value grows by up to 3.7 with each step, and more than ten times less than the
// linear error is what the first steps can have.
func TestRandomFeaturesReachBeyondOneStep(t *testing.T) {
	rng := rand.New(rand.NewPCG(73, 74))
	x, rows := []float64{.3, .6}, [][]float64(nil)
	for range 2500 {
		f := []float64{3.7 * x[0] * (1 - x[0]), 3.7 * x[1] * (1 - x[1])}
		x = []float64{.8*f[0] + .2*f[1], .8*f[1] + .2*f[0]}
		rows = append(rows, []float64{x[0] + .004*rng.NormFloat64(), x[1] + .004*rng.NormFloat64()})
	}
	horizons := []int{1, 2, 3, 5}
	linear := nmseOf(t, newAuto(t, Config{Dim: 2, Horizon: 5, Experts: []string{"ar96", "ar6", "var1"}}), rows, horizons)
	auto := nmseOf(t, newAuto(t, Config{Dim: 2, Horizon: 5}), rows, horizons)
	m, err := NewORFFVAR(ORFFVARConfig{Dim: 2, Horizon: 5, Order: 3})
	if err != nil {
		t.Fatal(err)
	}
	orffvar := nmseOf(t, m, rows, horizons)
	t.Logf("1, 2, 3 and 5 steps: auto %.3f, orffvar %.3f, its linear members %.3f", auto, orffvar, linear)
	for k := range horizons {
		if !(auto[k] <= .15*linear[k] && orffvar[k] <= .15*linear[k]) {
			t.Errorf("%d steps: auto %.3f, orffvar %.3f, linear members %.3f", horizons[k], auto[k], orffvar[k], linear[k])
		}
	}
}

// Forecasts between the anchors swing as the series does: those of AR(1) with -.9 have the errors
// 1 - .9^(2h) of the optimum at all horizons, at 5 and 7 steps as at 4, 6 and 8.
func TestShortCyclesBetweenAnchors(t *testing.T) {
	rng := rand.New(rand.NewPCG(75, 76))
	x, rows := 0., [][]float64(nil)
	for range 5000 {
		x = -.9*x + rng.NormFloat64()
		rows = append(rows, []float64{x})
	}
	horizons := []int{4, 5, 6, 7, 8}
	nmse := nmseOf(t, newAuto(t, Config{Dim: 1, Horizon: 8}), rows, horizons)
	for k, h := range horizons {
		// 3,750 rows with a correlation of .9: the variance has a standard error of 7 %, the ratio of errors less.
		if best := 1 - math.Pow(.9, float64(2*h)); !(nmse[k] <= 1.07*best) {
			t.Errorf("%d steps: %.3f, the optimum is %.3f", h, nmse[k], best)
		}
	}
}

// The iterated mixture ends after 24 steps, however large its weight is at farther anchors.
func TestIterationEnds(t *testing.T) {
	s := newAuto(t, Config{Dim: 1, Horizon: 48}).NewSeries().(*autoSeries)
	o := s.multihorizon
	for k := range o.anchors {
		o.anchors[k].mixture.aggregate.Weights[iteratedAll*o.anchors[k].mixture.aggregate.stride] = 1
	}
	if last := o.wake(2 * iterationYoung); last != iterationFarthest {
		t.Errorf("%d steps, want %d", last, iterationFarthest)
	}
	for k := range o.anchors {
		if a := &o.anchors[k]; a.origin(o.made).awake != (a.horizon <= iterationFarthest) {
			t.Errorf("%d steps: awake %v", a.horizon, !(a.horizon <= iterationFarthest))
		}
	}
}
