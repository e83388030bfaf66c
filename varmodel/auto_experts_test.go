package varmodel

import (
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/internal/lanes"
)

// What each expert of the default model costs a sample at seven coordinates:
// its features, its forecast and learning.
func BenchmarkExpert(b *testing.B) {
	const d = 7
	x := randomSeries(rand.New(rand.NewPCG(1, 1)), 10_000, d, 0)
	m := newAuto(b, AutoConfig{Dim: d, Horizon: 1}).(*auto)
	s := m.NewSeries().(*autoSeries)
	record(b, s, x[:9000], d)
	forecast := lanes.Rows(1, d)
	for i, e := range m.experts {
		b.Run(e.name, func(b *testing.B) {
			y := 0
			b.ReportAllocs()
			for b.Loop() {
				e.featuresTo(s.phi[i], s.frame)
				e.forecastTo(forecast, s.outOf(i), s.phi[i], s.frame)
				s.frame.setTargets(e.target, x[y%5000])
				e.learn(s.outOf(i), s.phi[i], s.frame, s.observed)
				y++
			}
		})
	}
	b.Run("the rest", func(b *testing.B) {
		y := 0
		for b.Loop() {
			row, last := x[9000+y%1000], s.past.lag(0)
			s.mixture.observe(row, last, true)
			s.past.push(row, s.next)
			s.scaler.Add(row)
			s.local.Add(row)
			s.frame.past = *s.past
			s.frame.prepare()
			s.mixture.forecastTo(s.next, s.past.lag(0), s.forecasts)
			y++
		}
	})
}
