package varmodel

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
	"github.com/orffvar/forecaster/varmodel/interval"
)

// besideShapes are the shapes that what stands beside a model is timed at.
var besideShapes = []struct {
	dim, horizon int
	levels       []float64
}{{1, 1, []float64{.9}}, {7, 1, []float64{.9}}, {31, 1, []float64{.9}}, {7, 12, []float64{.9, .5}}}

// BenchmarkBaseline times a sample of the models that others are compared with: it is
// learnt, and the forecasts after it are asked for.
func BenchmarkBaseline(b *testing.B) {
	for _, c := range besideShapes {
		for _, m := range []struct {
			name string
			new  func() (eval.Model, error)
		}{
			{"persistence", func() (eval.Model, error) {
				return NewPersistence(PersistenceConfig{Dim: c.dim, Horizon: c.horizon})
			}},
			{"var", func() (eval.Model, error) { return NewVAR(VARConfig{Dim: c.dim, Order: 1, Horizon: c.horizon}) }},
		} {
			b.Run(fmt.Sprintf("%s/d=%d/H=%d", m.name, c.dim, c.horizon), func(b *testing.B) {
				model, err := m.new()
				if err != nil {
					b.Fatal(err)
				}
				f := model.NewSeries()
				rows := modeltest.RandomSeries(rand.New(rand.NewPCG(1, 1)), 512, c.dim, 0)
				yhat := make([]float64, c.dim*c.horizon)
				b.ReportAllocs()
				for n := 0; b.Loop(); n++ {
					if err := f.Observe(rows[n%512]); err != nil {
						b.Fatal(err)
					}
					f.ForecastTo(yhat)
				}
			})
		}
	}
}

// BenchmarkCompanion times a sample of the companions of persistence: they see the sample and then the forecast, and are asked for the
// bounds.
func BenchmarkCompanion(b *testing.B) {
	for _, c := range besideShapes {
		intervals, err := interval.NewIntervals(interval.Config{Dim: c.dim, Horizon: c.horizon, Levels: c.levels})
		if err != nil {
			b.Fatal(err)
		}
		drift, err := interval.NewDriftWatch(interval.DriftConfig{Dim: c.dim, Horizon: c.horizon})
		if err != nil {
			b.Fatal(err)
		}
		for _, m := range []struct {
			name string
			eval.Companion
		}{{"intervals", intervals}, {"drift", drift}} {
			b.Run(fmt.Sprintf("%s/d=%d/H=%d", m.name, c.dim, c.horizon), func(b *testing.B) {
				rows := modeltest.RandomSeries(rand.New(rand.NewPCG(1, 1)), 512, c.dim, 0)
				n := c.dim * c.horizon
				forecasts := make([][]float64, len(rows))
				for i, y := range rows {
					forecasts[i] = slices.Repeat(y, c.horizon)
				}
				lower, upper := make([]float64, n*len(c.levels)), make([]float64, n*len(c.levels))
				bounder, _ := m.Companion.(eval.Intervals)
				b.ReportAllocs()
				for n := 0; b.Loop(); n++ {
					m.Observe(rows[n%512])
					m.Issue(forecasts[n%512])
					if bounder != nil {
						bounder.BoundsTo(lower, upper)
					}
				}
			})
		}
	}
}
