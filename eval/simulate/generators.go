package simulate

import (
	"math"
	"math/rand/v2"
)

// WhiteNoise yields independent N(0, 1) values. The best forecast is 0.
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

// Oscillators yields a ring of nonlinear oscillators, driven by a season whose strength swells over seven periods.
// With theta = 2 pi t / period,
//
//	x_j(t) = .5 x_j(t-1) + sin(2 x_{j-1}(t-1)) + (1 + .3 sin(theta/7)) sin(theta + 2 pi j/dim) + .1 u_j(t)
//
// The variance is 2.6, including .01 of noise. VAR(1) leaves .5 unexplained.
type Oscillators struct {
	rng       *rand.Rand
	period, t int
	x, old    []float64
}

// NewOscillators returns dim oscillators with a season of period rows.
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

// Network yields ten variables. Each except the first is influenced by one or two others. A linear model sees these
// influences partly (tanh), hardly (sin) or not at all (a bump, which is even):
//
//	x_i(t) = .3 x_i(t-1) + sum of the f_ij(x_j(t-1)) + .3 u_i(t)
//
// Network tests estimates of influence; Edges has the true ones.
type Network struct {
	rng   *rand.Rand
	links [networkDim][networkDim]int // form of the influence of j on i; 0 = none
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

// Edges returns a matrix: edges[i][j] is true if variable j influences the next value of variable i != j.
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
