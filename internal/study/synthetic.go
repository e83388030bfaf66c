package study

import (
	"math"
	"math/rand/v2"

	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/eval/simulate"
)

// Synthetic is a law of series that suits one kernel or operator.
type Synthetic struct {
	Name  string
	dim   int
	noise float64
	step  func(next, x []float64)
}

// next writes the sample after x.
func (s *Synthetic) next(next, x []float64, rng *rand.Rand) {
	s.step(next, x)
	for i := range next {
		next[i] += s.noise * rng.NormFloat64()
	}
}

// Dataset draws a number of samples, after some that it discards.
func (s *Synthetic) Dataset(rows int, seed uint64) *scoring.Dataset {
	const settle = 50
	rng := rand.New(rand.NewPCG(seed, 21))
	x, next := make([]float64, s.dim), make([]float64, s.dim)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	d := simulate.Collect(s.Name, simulate.NewNetwork(0), 0) // names only
	d.Variables = d.Variables[:s.dim]
	for t := range settle + rows {
		s.next(next, x, rng)
		copy(x, next)
		if t >= settle {
			d.Series[0].Rows = append(d.Series[0].Rows, append([]float64(nil), x...))
		}
	}
	return d
}

// SyntheticLaws are the laws of kernel compare --synthetic.
func SyntheticLaws() []*Synthetic {
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
	return []*Synthetic{
		{"threshold", 2, .4, func(next, x []float64) { // a valve, open or shut
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
		{"products", 2, .01, func(next, x []float64) { // Hénon's map, kept near its attractor
			u := min(max(x[0], -1.3), 1.3)
			next[0], next[1] = 1-1.4*u*u+min(max(x[1], -.4), .4), .3*u
		}},
		{"potential", 4, .2, func(next, x []float64) {
			gradient(next, x, wg, ag, bg)
			for i := range next {
				next[i] = -2.5 * next[i]
			}
		}},
		{"flow", 2, .3, func(next, x []float64) { // along the lines of equal height
			g := make([]float64, 2)
			gradient(g, x, wf, af, bf)
			next[0], next[1] = -2.5*g[1], 2.5*g[0]
		}},
		{"one law", 8, .3, func(next, x []float64) {
			for i, v := range x {
				next[i] = 1.5 * math.Sin(2*v)
			}
		}},
		{"sites", 8, .3, func(next, x []float64) { // four sites of two quantities
			for i := 0; i < 8; i += 2 {
				u, v := x[i], x[i+1]
				next[i], next[i+1] = math.Sin(2*u)+.5*v, math.Cos(2*u-v)
			}
		}},
		{"line", 8, .5, func(next, x []float64) { // all see the same, each a little more of it
			u, v := x[0], x[7]
			for i := range next {
				p := float64(i) / 7
				next[i] = (1-p)*math.Sin(2*u+v) + p*math.Cos(u-2*v)
			}
		}},
		{"direction", 3, .3, func(next, x []float64) { // on which side of three planes
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
