package testseries

import (
	"math"
	"math/rand/v2"
)

// hostileDim is the number of variables of a Hostile series.
const hostileDim = 8

// Hostile generates typical problems of real streams, one problem per variable:
//
//	x1  constant
//	x2  AR(1) whose level jumps every 1000 rows, with growing jumps
//	x3  season with outliers of +-1e6, one in a thousand rows
//	x4  AR(2) of a sensor that is stuck for 200 rows in every 1500
//	x5  driven by x2 minus its level
//	x6  tiny (1e-6) with rare bursts of fifty times its noise
//	x7  AR(1) around 1e9
//	x8  random walk; 50 rows in every 700 are missing, and one in a hundred others
//
// In one row of 500 all variables are missing. Hostile implements simulate.Generator.
type Hostile struct {
	rng        *rand.Rand
	t          int
	level      float64
	ar, driven float64
	a, b       float64 // last two values of the AR(2), newest first
	stuck      float64
	tiny, huge float64
	walk       float64
}

// NewHostile returns a hostile series.
func NewHostile(seed uint64) *Hostile {
	return &Hostile{rng: rand.New(rand.NewPCG(seed, 15))}
}

// Dim returns the number of variables.
func (g *Hostile) Dim() int { return hostileDim }

// Next writes the next sample to y, Dim() values.
func (g *Hostile) Next(y []float64) {
	r, t := g.rng, g.t
	g.t++
	y[0] = 3.7

	before := g.ar
	g.ar = .9*g.ar + r.NormFloat64()
	if k := t / 1000; t%1000 == 0 && k > 0 {
		g.level += 100 * float64(k) * float64(1-2*(k%2))
	}
	y[1] = g.level + g.ar

	y[2] = 3*math.Sin(.2*float64(t)) + .3*r.NormFloat64()
	if u := r.Float64(); u < 1e-3 {
		y[2] = math.Copysign(1e6, u-5e-4)
	}

	g.a, g.b = 1.6*g.a-.8*g.b+r.NormFloat64(), g.a
	if t%1500 < 1300 {
		g.stuck = g.a
	}
	y[3] = g.stuck

	g.driven = .5*g.driven + math.Tanh(1.5*before) + .2*r.NormFloat64()
	y[4] = g.driven

	burst := 1.
	if r.Float64() < 1e-3 {
		burst = 51
	}
	g.tiny = .8*g.tiny + burst*r.NormFloat64()
	y[5] = 1e-6 * g.tiny

	g.huge = .7*g.huge + r.NormFloat64()
	y[6] = 1e9 + g.huge

	g.walk += r.NormFloat64()
	y[7] = g.walk
	if lost := r.Float64() < .01; lost || t%700 >= 650 {
		y[7] = math.NaN()
	}

	if r.Float64() < 1./500 {
		for j := range hostileDim {
			y[j] = math.NaN()
		}
	}
}
