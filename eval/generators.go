package eval

import (
	"math"
	"math/rand/v2"
)

// WhiteNoise yields independent N(0, 1): nothing can be forecast but 0.
type WhiteNoise struct {
	rng *rand.Rand
	dim int
}

// NewWhiteNoise returns white noise of dim variables.
func NewWhiteNoise(dim int, seed uint64) *WhiteNoise {
	return &WhiteNoise{rand.New(rand.NewPCG(seed, 11)), dim}
}

// Dim implements Generator.
func (g *WhiteNoise) Dim() int { return g.dim }

// Next implements Generator.
func (g *WhiteNoise) Next(y []float64) {
	for j := range g.dim {
		y[j] = g.rng.NormFloat64()
	}
}

// RandomWalk yields the sums of independent N(0, 1): persistence is the best
// forecast, with the error h at horizon h.
type RandomWalk struct {
	steps WhiteNoise
	x     []float64
}

// NewRandomWalk returns a random walk of dim variables.
func NewRandomWalk(dim int, seed uint64) *RandomWalk {
	return &RandomWalk{WhiteNoise{rand.New(rand.NewPCG(seed, 12)), dim}, make([]float64, dim)}
}

// Dim implements Generator.
func (g *RandomWalk) Dim() int { return g.steps.dim }

// Next implements Generator.
func (g *RandomWalk) Next(y []float64) {
	g.steps.Next(y)
	for j := range g.x {
		g.x[j] += y[j]
		y[j] = g.x[j]
	}
}

// Oscillators yields nonlinear oscillators in a ring, driven by a season whose
// strength swells over seven periods. With theta = 2 pi t / period,
//
//	x_j(t) = .5 x_j(t-1) + sin(2 x_{j-1}(t-1)) + (1 + .3 sin(theta/7)) sin(theta + 2 pi j/dim) + .1 u_j(t)
//
// The series has the variance 2.6, of which the noise is .01; VAR(1) leaves .5
// unexplained.
type Oscillators struct {
	rng       *rand.Rand
	period, t int
	x, old    []float64
}

// NewOscillators returns dim oscillators with a season of the given number of
// rows.
func NewOscillators(dim, period int, seed uint64) *Oscillators {
	return &Oscillators{rng: rand.New(rand.NewPCG(seed, 13)), period: period, x: make([]float64, dim), old: make([]float64, dim)}
}

// Dim implements Generator.
func (g *Oscillators) Dim() int { return len(g.x) }

// Next implements Generator.
func (g *Oscillators) Next(y []float64) {
	g.x, g.old = g.old, g.x
	d := len(g.x)
	theta := 2 * math.Pi * float64(g.t) / float64(g.period)
	strength := 1 + .3*math.Sin(theta/7)
	for j := range g.x {
		season := strength * math.Sin(theta+2*math.Pi*float64(j)/float64(d))
		g.x[j] = .5*g.old[j] + math.Sin(2*g.old[(j+d-1)%d]) + season + .1*g.rng.NormFloat64()
	}
	g.t = (g.t + 1) % (7 * g.period)
	copy(y, g.x)
}

// networkDim is the number of variables of a Network.
const networkDim = 10

// Network yields ten variables of which each but the first is driven by one or
// two others, in ways that a linear model sees partly (tanh), hardly (sin) or
// not at all (a bump, which is even):
//
//	x_i(t) = .3 x_i(t-1) + sum of the f_ij(x_j(t-1)) + .3 u_i(t)
//
// It tests whether influences are found: Edges is the truth.
type Network struct {
	rng   *rand.Rand
	links [networkDim][networkDim]int // form of the influence of j on i, 0 = none
	x     [networkDim]float64
}

// NewNetwork draws the edges and returns the generator.
func NewNetwork(seed uint64) *Network {
	g := &Network{rng: rand.New(rand.NewPCG(seed, 14))}
	for i := 1; i < networkDim; i++ {
		for range 1 + g.rng.IntN(2) {
			j := g.rng.IntN(networkDim - 1)
			if j >= i {
				j++
			}
			g.links[i][j] = 1 + g.rng.IntN(3)
		}
	}
	return g
}

// Edges returns edges with edges[i][j] true when variable j influences the next
// value of variable i, itself excluded.
func (g *Network) Edges() [][]bool {
	e := make([][]bool, networkDim)
	for i := range e {
		e[i] = make([]bool, networkDim)
		for j, form := range g.links[i] {
			e[i][j] = form != 0
		}
	}
	return e
}

// Dim implements Generator.
func (g *Network) Dim() int { return networkDim }

// Next implements Generator.
func (g *Network) Next(y []float64) {
	g.PredictTo(y, g.x[:])
	for i := range g.x {
		y[i] += .3 * g.rng.NormFloat64()
	}
	copy(g.x[:], y)
}

// PredictTo writes the best prediction of the row after x. Its errors have the
// variance .09.
func (g *Network) PredictTo(dst, x []float64) {
	for i, row := range g.links {
		v := .3 * x[i]
		for j, form := range row {
			switch form {
			case 1:
				v += .8 * math.Tanh(2*x[j])
			case 2:
				v += .8 * math.Sin(4*x[j])
			case 3:
				v += 1.2*math.Exp(-4*x[j]*x[j]) - .6
			}
		}
		dst[i] = v
	}
}

// hostileDim is the number of variables of a Hostile stream.
const hostileDim = 8

// Hostile yields what real streams do to a forecaster, one trouble a variable:
//
//	x1  constant
//	x2  AR(1) whose level jumps by ever more, every 1000 rows
//	x3  season with outliers of +-1e6, one in a thousand rows
//	x4  AR(2) of a sensor that is stuck for 200 rows in every 1500
//	x5  driven by x2 without its level
//	x6  tiny (1e-6) with rare bursts of fifty times its noise
//	x7  AR(1) around 1e9
//	x8  random walk; 50 rows in every 700 are missing, and one in a hundred others
//
// In one row of 500 everything is missing.
type Hostile struct {
	rng        *rand.Rand
	t          int
	level      float64
	ar, driven float64
	a, b       float64 // AR(2), newest first
	stuck      float64
	tiny, huge float64
	walk       float64
}

// NewHostile returns the stream.
func NewHostile(seed uint64) *Hostile {
	return &Hostile{rng: rand.New(rand.NewPCG(seed, 15))}
}

// Dim implements Generator.
func (g *Hostile) Dim() int { return hostileDim }

// Next implements Generator.
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
		fillNaN(y[:hostileDim])
	}
}
