package simulate

import (
	"math"
	"math/rand/v2"
)

// KernelLaws returns laws, each of which suits one kernel, operator or model.
func KernelLaws() []Law {
	rng := rand.New(rand.NewPCG(3, 22))
	const waves = 12
	// A random potential of d variables: sum of a cos(w.x + b).
	potential := func(d int, scale float64) (w [][]float64, a, b []float64) {
		for range waves {
			row := make([]float64, d)
			for j := range row {
				row[j] = scale * rng.NormFloat64()
			}
			w, a, b = append(w, row), append(a, rng.NormFloat64()), append(b, 2*math.Pi*rng.Float64())
		}
		return w, a, b
	}
	gradient := func(g, x []float64, w [][]float64, a, b []float64) {
		clear(g)
		for k, row := range w {
			t := b[k]
			for j, v := range row {
				t += v * x[j]
			}
			for j, v := range row {
				g[j] -= a[k] * v * math.Sin(t)
			}
		}
	}
	wg, ag, bg := potential(4, .8)
	wf, af, bf := potential(2, .7)
	return []Law{
		{"threshold", 2, .4, func(next, x []float64) { // a valve that is open or shut
			for i := range next {
				next[i] = .9 * x[i]
				if x[1-i] > 0 {
					next[i] *= -1
				}
				if x[i] > 1 {
					next[i] -= 2
				}
			}
		}},
		{"products", 2, .01, func(next, x []float64) { // Hénon map, kept near its attractor
			u := min(max(x[0], -1.3), 1.3)
			next[0], next[1] = 1-1.4*u*u+min(max(x[1], -.4), .4), .3*u
		}},
		{"potential", 4, .2, func(next, x []float64) {
			gradient(next, x, wg, ag, bg)
			for i := range next {
				next[i] = -2.5 * next[i]
			}
		}},
		{"flow", 2, .3, func(next, x []float64) { // along the level lines of a potential
			g := make([]float64, 2)
			gradient(g, x, wf, af, bf)
			next[0], next[1] = -2.5*g[1], 2.5*g[0]
		}},
		{"one law", 8, .3, func(next, x []float64) {
			for i, v := range x {
				next[i] = 1.5 * math.Sin(2*v)
			}
		}},
		{"sites", 8, .3, func(next, x []float64) { // four sites with two quantities each
			for i := 0; i < 8; i += 2 {
				u, v := x[i], x[i+1]
				next[i], next[i+1] = math.Sin(2*u)+.5*v, math.Cos(2*u-v)
			}
		}},
		{"line", 8, .5, func(next, x []float64) { // two functions of equal inputs, mixed by the place on the line
			u, v := x[0], x[7]
			for i := range next {
				p := float64(i) / 7
				next[i] = (1-p)*math.Sin(2*u+v) + p*math.Cos(u-2*v)
			}
		}},
		{"direction", 3, .3, func(next, x []float64) { // sides of three planes
			for i := range next {
				if x[i]-2*x[(i+1)%3]+x[(i+2)%3] > 0 {
					next[i] = 1
				} else {
					next[i] = -1
				}
			}
		}},
	}
}
