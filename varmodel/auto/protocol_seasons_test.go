package auto

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/varmodel"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
)

// seasonalSeries are simulated series with a season: telemetry as it is met. n rows of one
// variable, with the spacing of their times.
var seasonalSeries = []struct {
	name      string
	period, n int
	spacing   int64
	make      func(r *rand.Rand, t int, rest *float64) float64
}{
	{"day and week, 15 minutes", 672, 672 * 16, 900e9, func(r *rand.Rand, t int, rest *float64) float64 {
		*rest = .7**rest + .3*r.NormFloat64()
		weekend := 0.
		if t/96%7 >= 5 {
			weekend = -1
		}
		return 2*wave(t, 96) + wave(2*t+24, 96) + weekend + *rest
	}},
	{"day, one minute", 1440, 1440 * 14, 60e9, func(r *rand.Rand, t int, rest *float64) float64 {
		*rest = .8**rest + .2*r.NormFloat64()
		return 2*wave(t, 1440) + wave(3*t, 1440) + *rest
	}},
	{"day, five minutes", 288, 288 * 20, 300e9, func(r *rand.Rand, t int, rest *float64) float64 {
		*rest = .5**rest + .3*r.NormFloat64()
		return 3*wave(t, 288) + wave(2*t+72, 288) + *rest
	}},
	{"spike every 60", 60, 4000, 60e9, func(r *rand.Rand, t int, _ *float64) float64 {
		v := 1 + .1*r.NormFloat64()
		if t%60 == 7 {
			v += 5 + .3*r.NormFloat64()
		}
		return v
	}},
	{"on and off, day of 96", 96, 96 * 40, 900e9, func(r *rand.Rand, t int, _ *float64) float64 {
		v := .5 * r.NormFloat64()
		if q := t % 96; q >= 32 && q < 72 {
			v += 10
		}
		return v
	}},
	{"sawtooth of 37", 37, 4000, 60e9, func(r *rand.Rand, t int, _ *float64) float64 {
		return 5*float64(t%37)/37 + .3*r.NormFloat64()
	}},
	{"counts, 48", 48, 48 * 60, 1800e9, func(r *rand.Rand, t int, _ *float64) float64 {
		return poisson(r, 3+2.5*wave(t, 48))
	}},
	{"trend and season of 12, multiplicative", 12, 600, 2629746e9, func(r *rand.Rand, t int, rest *float64) float64 {
		*rest += .005 + .01*r.NormFloat64()
		return 100 * math.Exp(*rest) * (1 + .3*wave(t, 12)) * (1 + .02*r.NormFloat64())
	}},
}

func wave(t, period int) float64 { return math.Sin(2 * math.Pi * float64(t%period) / float64(period)) }

func poisson(r *rand.Rand, mean float64) float64 {
	count, p := 0., r.Float64()
	for limit := math.Exp(-mean); p > limit; p *= r.Float64() {
		count++
	}
	return count
}

// seasonalReference is the mean squared error from row from on, at each horizon, of the
// better of the mean of all values of a phase, and that mean with an autoregression of
// order 6 of what remains, by least squares and iterated: both are given the period.
func seasonalReference(x []float64, period, horizon, from int) []float64 {
	const order = 6
	sum, count := make([]float64, period), make([]float64, period)
	mean := func(t int) float64 { return sum[t%period] / max(count[t%period], 1) }
	model, err := varmodel.NewAR(varmodel.ARConfig{Dim: 1, Order: order, Horizon: horizon, Ridge: .01})
	if err != nil {
		panic(err)
	}
	f, path := model.NewSeries(), make([]float64, horizon)
	means, both := make([]float64, horizon), make([]float64, horizon)
	for t, v := range x {
		rest := 0.
		if count[t%period] > 0 {
			rest = v - mean(t)
		}
		sum[t%period] += v
		count[t%period]++
		if err := f.Observe([]float64{rest}); err != nil {
			panic(err)
		}
		f.ForecastTo(path)
		for h := 1; h <= horizon && t+h < len(x); h++ {
			if t+h >= from {
				e := x[t+h] - mean(t+h)
				means[h-1] += e * e
				both[h-1] += (e - path[h-1]) * (e - path[h-1])
			}
		}
	}
	for h := range means {
		means[h] = min(means[h], both[h]) / float64(len(x)-max(from, h+1))
	}
	return means
}

// Series with a strong season, told nothing: the squared error over that of seasonalReference,
// which is given the period, after ten periods: 1.1 at most.
func TestProtocolSeasons(t *testing.T) {
	modeltest.Measuring(t)
	const H = 96
	for _, tier := range Tiers {
		for _, s := range seasonalSeries {
			rng, rest := rand.New(rand.NewPCG(0, 5)), 0.
			v, x := make([]float64, s.n), make([][]float64, s.n)
			for i := range x {
				v[i] = s.make(rng, i, &rest)
				x[i] = v[i : i+1]
			}
			from := 10 * s.period
			reference := seasonalReference(v, s.period, H, from)
			f := newAuto(t, Config{Dim: 1, Horizon: H, Tier: tier}).NewSeries()
			clock, mse, forecast := modeltest.As[eval.Clocked](t, f), make([]float64, H), make([]float64, H)
			for i, y := range x {
				clock.SetTime(modeltest.FirstOf2026 + int64(i)*s.spacing)
				if err := f.Observe(y); err != nil {
					t.Fatal(err)
				}
				f.ForecastTo(forecast)
				for h := 1; h <= H && i+h < s.n; h++ {
					if i+h >= from {
						e := forecast[h-1] - v[i+h]
						mse[h-1] += e * e / float64(s.n-max(from, h))
					}
				}
			}
			ratio := func(h int) float64 { return mse[h-1] / reference[h-1] }
			t.Logf("%-6s %-40s h=1 %.3f  h=24 %.3f  h=96 %.3f", tier, s.name, ratio(1), ratio(24), ratio(96))
			for _, h := range []int{1, 24, 96} {
				if !(ratio(h) <= 1.1) {
					t.Errorf("%s, %s, %d steps: %.3f of the reference", tier, s.name, h, ratio(h))
				}
			}
		}
	}
}
