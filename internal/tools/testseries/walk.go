package testseries

import "math/rand/v2"

// RandomWalk generates cumulative sums of independent N(0, 1). Persistence is the best forecast, with mean squared error
// h at horizon h. RandomWalk implements simulate.Generator.
type RandomWalk struct {
	rng *rand.Rand
	x   []float64
}

// NewRandomWalk returns a random walk of dim variables.
func NewRandomWalk(dim int, seed uint64) *RandomWalk {
	return &RandomWalk{rand.New(rand.NewPCG(seed, 12)), make([]float64, dim)}
}

// Dim returns the number of variables.
func (g *RandomWalk) Dim() int { return len(g.x) }

// Next writes the next sample to y, Dim() values.
func (g *RandomWalk) Next(y []float64) {
	for j := range g.x {
		g.x[j] += g.rng.NormFloat64()
		y[j] = g.x[j]
	}
}
