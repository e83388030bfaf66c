package auto

import (
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
)

// BenchmarkExpert measures the time per sample of each expert of the default model
// at seven coordinates: features, forecast and learning.
func BenchmarkExpert(b *testing.B) {
	const d = 7
	x := modeltest.RandomSeries(rand.New(rand.NewPCG(1, 1)), 10_000, d, 0)
	m := newAuto(b, Config{Dim: d, Horizon: 1}).(*auto)
	s := m.NewSeries().(*autoSeries)
	modeltest.Record(b, s, x[:9000], d)
	forecast := lanes.Rows(1, d)
	for i, e := range m.experts {
		b.Run(e.name, func(b *testing.B) {
			y := 0
			b.ReportAllocs()
			for b.Loop() {
				e.FeaturesTo(s.panel.phi[i], s.frame)
				e.forecastTo(forecast, s.panel.outOf(e, i), s.panel.phi[i], s.frame)
				s.frame.setTargets(e.target, x[y%5000])
				e.learn(s.panel.outOf(e, i), s.panel.phi[i], s.frame, s.panel.observed)
				y++
			}
		})
	}
	b.Run("the rest", func(b *testing.B) {
		y := 0
		for b.Loop() {
			row, last := x[9000+y%1000], s.past.Lag(0)
			s.panel.mixture.Observe(row, last, true)
			s.past.Push(row, s.next)
			s.scaler.Add(row)
			s.local.Add(row)
			s.frame.past = *s.past
			s.frame.prepare()
			s.panel.mixture.forecastTo(s.next, s.past.Lag(0), s.panel.forecasts)
			y++
		}
	})
}
