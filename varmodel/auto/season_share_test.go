package auto

import (
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
)

// The season forecasts 1, and the outcomes are 2 and 0 alternately. After n terms, with weights .97^age, the share is the
// slope b minus 1 + 2/n standard errors; the first two terms give no share. By hand, without forgetting, after four terms:
// b = 1, the variance of b is 4/(4 3) = 1/3, and the share is 1 - 1.5 sqrt(1/3) = .134.
func TestShareOfASeasonNeedsTerms(t *testing.T) {
	s := slope{every: 1, memory: .97, least: naturalTerms}
	for i, want := range []float64{0, 0, 0.1829908211450073, 0.07847515439078678, 0.4755774897271724, 0.34886142201719306, 0.5844545973293547, 0.47214908418997104} {
		s.add(1, float64(2-2*(i%2)))
		s.end(false)
		modeltest.Near(t, "the share", s.value, want, 1e-14)
	}
	// Exact forecasts have a share of 1 from the second term on.
	s = slope{every: 1, memory: .97, least: naturalTerms}
	for range 2 {
		s.add(1, 1)
		s.end(false)
	}
	modeltest.Near(t, "the share", s.value, 1, 1e-15)
}

// A job that begins each hour makes one sample of 60 six times as large. From its eighth run on it is forecast 24 steps ahead;
// by the fifth the gate knows that it is no glitch.
func TestHourlySpikeIsForecast(t *testing.T) {
	const hours, H, series = 12, 24, 8
	sum, n := 0., 0.
	for seed := range uint64(series) {
		r := rand.New(rand.NewPCG(seed, 60))
		f := newAuto(t, Config{Dim: 1, Horizon: H}).NewSeries()
		clock, forecast := modeltest.As[eval.Clocked](t, f), make([]float64, H)
		for i := range 60 * hours {
			v := 1 + .1*r.NormFloat64()
			if i%60 == 7 {
				v += 5 + .3*r.NormFloat64()
			}
			clock.SetTime(modeltest.FirstOf2026 + int64(i)*60e9)
			if err := f.Observe([]float64{v}); err != nil {
				t.Fatal(err)
			}
			if f.ForecastTo(forecast); (i+H)%60 == 7 && i > 7*60 {
				sum, n = sum+forecast[H-1], n+1
			}
		}
	}
	if mean := sum / n; !(mean > 4.4) { // 3.5 if a share learns at most 5 standard deviations
		t.Errorf("the mean forecast is %.2f", mean)
	}
}

// A constant in all outcomes of a term, here 2, is the trend of a longer season. The share of a short
// cycle leaves the constant out; the share of another cycle takes the constant for a season.
func TestShareOfAShortCycleLeavesOutATrend(t *testing.T) {
	short := slope{every: 4, memory: .994, least: naturalTerms, short: true}
	plain := slope{every: 4, memory: .994, least: naturalTerms}
	for range 5 {
		for k := range 4 {
			said, happened := 1+float64(k%2), 2.
			short.add(said, happened)
			plain.add(said, happened)
		}
		short.end(false)
		plain.end(false)
	}
	if short.value != 0 || plain.value < .5 {
		t.Errorf("shares %v and, of a longer one, %v", short.value, plain.value)
	}
}

// One large term decides nothing: deviations are large, in standard deviations, before a series has
// seen its first day. As many equal terms as there are count, here little more than one.
func TestShareOfAShortCycleNeedsEqualTerms(t *testing.T) {
	s := slope{every: 2, memory: 1, least: naturalTerms, short: true}
	for k := range 50 {
		said := .05
		if k == 0 {
			said = 1
		}
		s.add(said, said/2)
		s.add(-said, -said/2)
		s.end(false)
	}
	if s.value != 0 || s.sure() {
		t.Errorf("share %v, sure %v", s.value, s.sure())
	}
}
