package auto

import (
	"math"
	"math/rand/v2"
)

// world is a simulated series whose best forecast is known: the mean of the target given the
// past and the law of the series.
type world struct {
	x       [][]float64
	clocked bool                         // a row is an hour, and the model is told
	best    func(i, h int, to []float64) // best forecast of row i+h at row i; nil where nothing is random
}

// linearWorld is x(t) = A x(t-1) + noise of variance 1, from a row-major A; its best forecast
// of h steps is A^h x.
func linearWorld(a []float64, d int) func(r *rand.Rand, n int) world {
	step := func(to, from []float64) {
		for i := range to {
			to[i] = 0
			for j, v := range from {
				to[i] += a[i*d+j] * v
			}
		}
	}
	return func(r *rand.Rand, n int) world {
		x, last := make([][]float64, n), make([]float64, d)
		for i := range x {
			x[i] = make([]float64, d)
			step(x[i], last)
			for j := range x[i] {
				x[i][j] += r.NormFloat64()
			}
			last = x[i]
		}
		return world{x: x, best: func(i, h int, to []float64) {
			from := make([]float64, d)
			copy(to, x[i])
			for range h {
				copy(from, to)
				step(to, from)
			}
		}}
	}
}

// The lag and the coefficient of farWorld.
const farLag, farKeep = 20, .7

// farWorld is a part of the sample farLag steps before, plus noise of variance 1.
func farWorld(r *rand.Rand, n int) world {
	x := make([][]float64, n)
	for i := range x {
		x[i] = []float64{r.NormFloat64()}
		if i >= farLag {
			x[i][0] += farKeep * x[i-farLag][0]
		}
	}
	return world{x: x, best: func(i, h int, to []float64) {
		back := (h + farLag - 1) / farLag
		to[0] = math.Pow(farKeep, float64(back)) * x[i+h-back*farLag][0]
	}}
}

// dailyWorld is a day of 24 samples with a double wave, and an autoregression with coefficient .5 around it.
func dailyWorld(r *rand.Rand, n int) world {
	day := func(i int) float64 { return 3*wave(i, 24) + 2*wave(2*i, 24) + wave(5*i, 24) }
	rest := 0.
	x := column(n, func(i int) float64 { rest = .5*rest + r.NormFloat64(); return day(i) + rest })
	return world{x: x, best: func(i, h int, to []float64) { to[0] = day(i+h) + math.Pow(.5, float64(h))*(x[i][0]-day(i)) }}
}

// countsWorld is Poisson counts, whose mean is a day of 24 samples.
func countsWorld(r *rand.Rand, n int) world {
	mean := func(i int) float64 { return 6 + 5*wave(i, 24) }
	x := column(n, func(i int) float64 { return poisson(r, mean(i)) })
	return world{x: x, best: func(i, h int, to []float64) { to[0] = mean(i + h) }}
}

// thresholdMean is the next value of a self-exciting threshold autoregression (Tong 1990).
func thresholdMean(v float64) float64 {
	if v > 0 {
		return -1 + .6*v
	}
	return 1 - .8*v
}

// thresholdWorld adds noise of variance 1. Its best forecast of h steps is E[m(h-1, m(v) + noise)],
// which is found by quadrature on a grid.
func thresholdWorld(r *rand.Rand, n int) world {
	const (
		size, reach = 801, 20.
		nodes, wide = 61, 5.
		horizon     = 24
	)
	value := func(k int) float64 { return reach * (2*float64(k)/(size-1) - 1) }
	on := func(g []float64, v float64) float64 {
		at := min(max((v/reach+1)/2*(size-1), 0), size-1.001)
		k := int(at)
		return g[k] + (at-float64(k))*(g[k+1]-g[k])
	}
	means := make([][]float64, horizon+1)
	for h := range means {
		means[h] = make([]float64, size)
		for k := range size {
			v := value(k)
			if h == 0 {
				means[h][k] = v
				continue
			}
			var sum, weights float64
			for q := range nodes {
				e := wide * (2*float64(q)/(nodes-1) - 1)
				w := math.Exp(-e * e / 2)
				sum, weights = sum+w*on(means[h-1], thresholdMean(v)+e), weights+w
			}
			means[h][k] = sum / weights
		}
	}
	v := 0.
	x := column(n, func(int) float64 { v = thresholdMean(v) + r.NormFloat64(); return v })
	return world{x: x, best: func(i, h int, to []float64) { to[0] = on(means[h-1], thresholdMean(x[i][0])) }}
}

// The coefficient of turnWorld turns from turnKeep to -turnKeep in the middle; turnFrom is the first scored origin.
const (
	turnKeep = .8
	turnFrom = 2500
)

// turnWorld is an autoregression whose coefficient changes.
func turnWorld(r *rand.Rand, n int) world {
	keep := func(i int) float64 {
		if i < n/2 {
			return turnKeep
		}
		return -turnKeep
	}
	v := 0.
	x := column(n, func(i int) float64 { v = keep(i)*v + r.NormFloat64(); return v })
	return world{x: x, best: func(i, h int, to []float64) { to[0] = math.Pow(keep(i), float64(h)) * x[i][0] }}
}

// loudHour is the hour of the day at which alarmsWorld has noise of deviation 4, where others have .5.
const loudHour = 7

// alarmsWorld is noise whose width depends on the hour alone.
func alarmsWorld(r *rand.Rand, n int) world {
	x := column(n, func(i int) float64 {
		if i%24 == loudHour {
			return 4 * r.NormFloat64()
		}
		return .5 * r.NormFloat64()
	})
	return world{x: x, clocked: true, best: func(_, _ int, to []float64) { to[0] = 0 }}
}

// jumpLength is the number of samples between two jumps of jumpsWorld, jumpSize their size.
const jumpLength, jumpSize = 250, 8

// jumpsWorld is noise of variance 1 around a level that jumps up or down. The best forecast is
// of one who is told the level, not the next jump.
func jumpsWorld(r *rand.Rand, n int) world {
	level := make([]float64, n)
	x := column(n, func(i int) float64 {
		if i > 0 {
			level[i] = level[i-1]
			if i%jumpLength == 0 {
				level[i] += jumpSize * float64(2*r.IntN(2)-1)
			}
		}
		return level[i] + r.NormFloat64()
	})
	return world{x: x, best: func(i, _ int, to []float64) { to[0] = level[i] }}
}

// lorenz96 integrates x_j' = (x_{j+1} - x_{j-2}) x_{j-1} - x_j + 8 of Lorenz 1996 by steps of
// .01 of the method of Runge and Kutta of order 4, one row per .05.
func lorenz96(r *rand.Rand, n int) world {
	const d, dt, parts, transient = 5, .01, 5, 200
	slope := func(to, x []float64) {
		for j := range x {
			to[j] = (x[(j+1)%d]-x[(j+d-2)%d])*x[(j+d-1)%d] - x[j] + 8
		}
	}
	v, w := make([]float64, d), make([]float64, d)
	var k [4][d]float64
	for j := range v {
		v[j] = 8 + r.NormFloat64()
	}
	var x [][]float64
	for i := 0; len(x) < n; i++ {
		for range parts {
			for s, part := range []float64{0, .5, .5, 1} {
				for j := range w {
					w[j] = v[j]
					if s > 0 {
						w[j] += part * dt * k[s-1][j]
					}
				}
				slope(k[s][:], w)
			}
			for j := range v {
				v[j] += dt / 6 * (k[0][j] + 2*k[1][j] + 2*k[2][j] + k[3][j])
			}
		}
		if i >= transient {
			x = append(x, append([]float64(nil), v...))
		}
	}
	return world{x: x}
}
