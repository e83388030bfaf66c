package varmodel

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/varmodel/auto"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
	"github.com/orffvar/forecaster/varmodel/interval"
)

// hostileRows is a short series with what makes state: a start with missing values, a value
// that sticks, a spike, a level that jumps far beyond any earlier step, rows without any value,
// and a break after row 90.
func hostileRows(n int) [][]float64 {
	rng := rand.New(rand.NewPCG(31, 32))
	rows := make([][]float64, n)
	var a, b float64
	for i := range rows {
		a, b = .8*a+rng.NormFloat64(), .5*b+math.Sin(a)+.3*rng.NormFloat64()
		y := []float64{a, b, math.Sin(2*math.Pi*float64(i)/6) + .1*rng.NormFloat64()}
		if i >= 70 {
			y[0] += 400 // a novelty
		}
		switch {
		case i < 3:
			y[1] = math.NaN()
		case i >= 20 && i < 45:
			y[1] = 1.5
		case i == 55:
			y[2] = 1e4
		case i == 80 || i == 81:
			y = []float64{math.NaN(), math.NaN(), math.NaN()}
		}
		rows[i] = y
	}
	return rows
}

// A model that is saved and restored after every sample forecasts, at all horizons and with its
// intervals, what one does that never was.
func TestRestartAfterEverySample(t *testing.T) {
	const d, h, broken = 3, 5, 90
	rows, levels := hostileRows(140), []float64{.5, .9}
	withLevels := func(levels []float64) func(eval.Model, error) (eval.Model, error) {
		return func(m eval.Model, err error) (eval.Model, error) {
			if err != nil {
				return nil, err
			}
			return interval.WithIntervals(m, interval.Config{Dim: d, Horizon: h, Levels: levels})
		}
	}
	builds := map[string]func() (eval.Model, error){
		"auto": func() (eval.Model, error) {
			return withLevels(levels)(auto.New(auto.Config{Dim: d, Horizon: h, Season: 6}))
		},
		"auto-light": func() (eval.Model, error) {
			return withLevels(levels)(auto.New(auto.Config{Dim: d, Horizon: h, Tier: auto.TierLight}))
		},
	}
	for name, build := range models {
		builds[name] = func() (eval.Model, error) {
			m, err := build(d, h)
			if err != nil {
				return nil, err
			}
			return interval.WithIntervals(m, interval.Config{Dim: d, Horizon: h, Levels: levels})
		}
	}
	for name, build := range builds {
		t.Run(name, func(t *testing.T) {
			create := func() (eval.Model, eval.Forecaster) {
				m, err := build()
				if err != nil {
					t.Fatal(err)
				}
				return m, m.NewSeries()
			}
			_, never := create()
			m, again := create()
			said := func(f eval.Forecaster) []float64 {
				out := make([]float64, h*d)
				if !f.ForecastTo(out) {
					return nil
				}
				if b, ok := eval.As[eval.Bounder](f); ok {
					lower, upper := make([]float64, len(levels)*h*d), make([]float64, len(levels)*h*d)
					if b.BoundsTo(lower, upper) {
						out = append(append(out, lower...), upper...)
					}
				}
				return out
			}
			for i, y := range rows {
				saved := modeltest.SaveState(m, again)
				m, again = create()
				c := snapshot.NewDecoder(saved)
				m.State(c)
				again.State(c)
				if err := c.Finish(); err != nil {
					t.Fatalf("before sample %d: %v", i, err)
				}
				for _, f := range []eval.Forecaster{never, again} {
					if r, ok := eval.As[eval.LagResetter](f); ok && i == broken {
						r.ResetLags()
					}
					if err := f.Observe(y); err != nil {
						t.Fatal(err)
					}
				}
				if err := modeltest.Same([][]float64{said(never)}, [][]float64{said(again)}); err != nil {
					t.Fatalf("after sample %d: %v", i, err)
				}
			}
		})
	}
}
