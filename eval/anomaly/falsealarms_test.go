package anomaly

import (
	"math"
	"math/rand/v2"
	"testing"
)

// unchanging are processes whose law does not change. Next makes a value and returns the best forecast of it.
var unchanging = []struct {
	name string
	next func(r *rand.Rand, t int, y *float64) (yhat float64)
}{
	{"Gaussian noise", func(r *rand.Rand, _ int, y *float64) float64 { *y = r.NormFloat64(); return 0 }},
	{"t of 3 degrees of freedom", func(r *rand.Rand, _ int, y *float64) float64 {
		a, b, c := r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
		*y = r.NormFloat64() / math.Sqrt((a*a+b*b+c*c)/3)
		return 0
	}},
	{"Laplace noise", func(r *rand.Rand, _ int, y *float64) float64 { *y = r.ExpFloat64() - r.ExpFloat64(); return 0 }},
	{"AR(1)", func(r *rand.Rand, _ int, y *float64) float64 { f := .9 * *y; *y = f + r.NormFloat64(); return f }},
	{"counts", func(r *rand.Rand, _ int, y *float64) float64 { // Poisson of mean 20, by the arrivals in a unit of time
		*y = 0
		for at := r.ExpFloat64(); at < 20; at += r.ExpFloat64() {
			*y++
		}
		return 20
	}},
	{"a season of a day", func(r *rand.Rand, t int, y *float64) float64 {
		f := 10 * math.Sin(2*math.Pi*float64(t%288)/288)
		*y = f + r.NormFloat64()
		return f
	}},
}

// TestFalseAlarmsOfKnownNoise: series that do not change have as many false alarms as are asked for, when their
// forecasts are the best ones. The number of alarms of n samples has the variance n r (1 - r) of a binomial law at a
// rate r; four standard deviations are 25 % of a family at 1e-3, and 10 % of all families together. At 1e-2 alarms
// follow each other closely, and those that one event hides are up to a tenth. The table of the default model is in
// make anomalies.
func TestFalseAlarmsOfKnownNoise(t *testing.T) {
	const n = 250_000
	for _, level := range []struct{ rate, hidden float64 }{{1e-2, .1}, {1e-3, 0}} {
		check := func(name string, alarms, samples int) {
			t.Helper()
			want := level.rate * float64(samples)
			reach := 4 * math.Sqrt(want*(1-level.rate))
			if got := float64(alarms); !(got >= (1-level.hidden)*want-reach && got <= want+reach) {
				t.Errorf("%s: %.3f times the rate %g", name, got/want, level.rate)
			}
		}
		all := 0
		for k, p := range unchanging {
			s := NewScorer(Config{Dim: 1, FalseAlarms: level.rate})
			r := rand.New(rand.NewPCG(uint64(k), 73))
			y, alarms := 0., 0
			for i := range n {
				yhat := p.next(r, i, &y)
				if score, ok := s.Observe(int64(i)*5*minute, []float64{y}, []float64{yhat}); ok && score > 1 {
					alarms++
				}
			}
			check(p.name, alarms, n)
			all += alarms
			t.Logf("%s at %g: %.3f", p.name, level.rate, float64(alarms)/level.rate/n)
		}
		check("all families", all, n*len(unchanging))
	}
}
