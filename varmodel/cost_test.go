package varmodel

import (
	"math/rand/v2"
	"testing"
)

// What each expert of the default model costs a sample at seven coordinates:
// its features, its forecast and learning.
func BenchmarkExpert(b *testing.B) {
	const d = 7
	for _, name := range ExpertNames() {
		b.Run(name, func(b *testing.B) {
			x := randomSeries(rand.New(rand.NewPCG(1, 1)), 1200, d, 0)
			m := newAuto(b, AutoConfig{Dim: d, Horizon: 1, Experts: []string{name}}).(*auto)
			s := m.NewSeries().(*autoSeries)
			record(b, s, x, d)
			f := frame{scaler: s.scaler, local: s.local, past: *s.past, long: s.long}
			e := m.experts[0]
			forecast := make([]float64, d)
			i := 0
			b.ReportAllocs()
			for b.Loop() {
				f.past.back = i % 1000
				e.featuresTo(s.phi[0], &f)
				e.forecastTo(forecast, m.out, s.phi[0], &f)
				e.learn(m.out, s.phi[0], x[1199-f.past.back], s.origin[e.target], s.unit[e.target], s.observed)
				i++
			}
		})
	}
	b.Run("the rest", func(b *testing.B) {
		x := randomSeries(rand.New(rand.NewPCG(1, 1)), 6000, d, 0)
		m := newAuto(b, AutoConfig{Dim: d, Horizon: 1}).(*auto)
		s := m.NewSeries().(*autoSeries)
		record(b, s, x[:5000], d)
		i := 0
		for b.Loop() {
			y, last := x[5000+i%1000], s.past.lag(0)
			s.mixer.observe(y, last, true)
			s.past.push(y, s.next, s.diff)
			s.scaler.observe(y, s.diff)
			s.local.observe(s.past.lag(0), s.past.observedAt(0))
			s.mixer.forecastTo(s.next, s.past.lag(0), s.forecasts)
			i++
		}
	})
}
