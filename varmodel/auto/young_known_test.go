package auto

import (
	"math/rand/v2"
	"testing"
)

// A young series is forecast as well as by one who is told its law and estimates its parameters from the samples so far.
// What this costs after n samples has closed forms, in units of the error of the best forecast:
//
//	noise around a level          1/n
//	noise around a line           1/n + 12 (h + n/2)^2 / n^3, least squares
//	a walk with a drift           h/n, the mean of the increments
//	a walk                        0
//
// The model does not know the law. What rules out the others is the same evidence, several times: it may lose twelve times as
// much up to row 100 and four times after, and .03 where the law has nothing to estimate. Chance is a tenth of a loss, over
// 40 series.
func TestKnownYoung(t *testing.T) {
	const series, rows = 40, 300
	noise := func(mean func(i float64) float64) func(r *rand.Rand, n int) world {
		return func(r *rand.Rand, n int) world {
			return world{
				x:    column(n, func(i int) float64 { return mean(float64(i)) + r.NormFloat64() }),
				best: func(i, h int, to []float64) { to[0] = mean(float64(i + h)) },
			}
		}
	}
	walk := func(drift float64) func(r *rand.Rand, n int) world {
		return func(r *rand.Rand, n int) world {
			v := 0.
			x := column(n, func(int) float64 { v += drift + r.NormFloat64(); return v })
			return world{x: x, best: func(i, h int, to []float64) { to[0] = x[i][0] + drift*float64(h) }}
		}
	}
	for _, c := range []struct {
		name string
		make func(r *rand.Rand, n int) world
		cost func(n, h float64) float64
	}{
		{"level", noise(func(float64) float64 { return 10 }), func(n, _ float64) float64 { return 1 / n }},
		{"line", noise(func(i float64) float64 { return i / 2 }), func(n, h float64) float64 { return 1/n + 12*(h+n/2)*(h+n/2)/(n*n*n) }},
		{"drift", walk(2), func(n, h float64) float64 { return h / n }},
		{"walk", walk(0), func(float64, float64) float64 { return 0 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			loss, limit := make(map[[2]int]float64), make(map[[2]int]float64)
			for seed := range uint64(series) {
				w := c.make(rand.New(rand.NewPCG(seed, 77)), rows)
				f := newOptimumModel(t, string(TierFull), 1).NewSeries()
				dst, best := make([]float64, optimumHorizon), make([]float64, 1)
				for i, y := range w.x {
					if err := f.Observe(y); err != nil {
						t.Fatal(err)
					}
					f.ForecastTo(dst)
					for _, h := range []int{1, 12} {
						scale := 1. // squared error of the best forecast
						if c.name == "drift" || c.name == "walk" {
							scale = float64(h)
						}
						from, upTo, times := 50, 100, 12.
						if i >= upTo {
							from, upTo, times = upTo, rows, 4
						}
						if i < from || i+h >= upTo {
							continue
						}
						key, n := [2]int{upTo, h}, float64(series*(upTo-h-from))
						w.best(i, h, best)
						loss[key] += square(dst[h-1]-best[0]) / scale / n
						limit[key] += times * c.cost(float64(i+1), float64(h)) / n
					}
				}
			}
			for key, loss := range loss {
				t.Logf("to row %d, %d steps ahead: loses %.4f, limit %.4f", key[0], key[1], loss, limit[key]+.03)
				if !(loss <= limit[key]+.03) {
					t.Errorf("to row %d, %d steps ahead: loses %.4f, more than %.4f", key[0], key[1], loss, limit[key]+.03)
				}
			}
		})
	}
}
