package study

import (
	"math"
	"math/rand/v2"

	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/eval/simulate"
)

// unchanging is a series without anomalies; next writes a row over the one before. It implements
// simulate.Generator.
type unchanging struct {
	dim  int
	rng  *rand.Rand
	t    int
	next func(g *unchanging, y []float64)
	last []float64
}

func (g *unchanging) Dim() int { return g.dim }

func (g *unchanging) Next(y []float64) {
	g.next(g, g.last)
	copy(y, g.last)
	g.t++
}

var unchangingNames = []string{
	"white noise", "AR(1)", "random walk", "day with noise", "t of 3 degrees of freedom", "counts", "20 variables, 3 factors",
}

func newUnchanging(name string, seed uint64) *unchanging {
	g := &unchanging{dim: 1, rng: rand.New(rand.NewPCG(seed, 71))}
	switch name {
	case "white noise":
		g.next = func(g *unchanging, y []float64) { y[0] = g.rng.NormFloat64() }
	case "AR(1)":
		g.next = func(g *unchanging, y []float64) { y[0] = .9*y[0] + g.rng.NormFloat64() }
	case "random walk":
		g.next = func(g *unchanging, y []float64) { y[0] += g.rng.NormFloat64() }
	case "day with noise":
		g.next = func(g *unchanging, y []float64) {
			y[0] = 3*math.Sin(2*math.Pi*float64(g.t)/288) + g.rng.NormFloat64()
		}
	case "t of 3 degrees of freedom":
		g.next = func(g *unchanging, y []float64) {
			a, b, c := g.rng.NormFloat64(), g.rng.NormFloat64(), g.rng.NormFloat64()
			y[0] = g.rng.NormFloat64() / math.Sqrt((a*a+b*b+c*c)/3)
		}
	case "counts":
		g.next = func(g *unchanging, y []float64) { // Knuth's Poisson of mean 4
			y[0] = -1
			for p := 1.; p > math.Exp(-4); p *= g.rng.Float64() {
				y[0]++
			}
		}
	case "20 variables, 3 factors":
		g.dim = 20
		g.next = func(g *unchanging, y []float64) {
			f := [3]float64{g.rng.NormFloat64(), g.rng.NormFloat64(), g.rng.NormFloat64()}
			for j := range y {
				y[j] = .5*g.rng.NormFloat64() + f[j%3] + .3*f[(j+1)%3]
			}
		}
	}
	g.last = make([]float64, g.dim)
	return g
}

// server is a synthetic server: a normal history, and rows with labelled anomalies behind it.
type server struct {
	data      *scoring.Dataset
	labels    *Labels
	anomalies []madeAnomaly
}

// madeAnomaly is an anomaly of some variables in the rows [from, to).
type madeAnomaly struct {
	from, to  int
	variables []int
}

const (
	serverDim     = 38
	serverFactors = 4
	serverHistory = 8000
	serverCount   = 15 // anomalies
)

// newServer returns a server of 38 variables on four factors, two of which have a day of 288 rows.
// Shifts, drifts and broken correlations of 1 to 5 variables, by 2.5 to 4.5 standard deviations,
// take 60 to 160 rows each.
func newServer(seed uint64) *server {
	rng := rand.New(rand.NewPCG(seed, 72))
	s := &server{labels: &Labels{start: []int{0}}}
	at := serverHistory + 200
	for range serverCount {
		a := madeAnomaly{from: at, to: at + 60 + rng.IntN(101)}
		a.variables = append(a.variables, rng.Perm(serverDim)[:[...]int{1, 1, 1, 2, 5}[rng.IntN(5)]]...)
		s.anomalies = append(s.anomalies, a)
		at = a.to + 150 + rng.IntN(301)
	}
	loadings := make([][serverFactors]float64, serverDim)
	for j := range loadings {
		for k := range loadings[j] {
			loadings[j][k] = rng.NormFloat64()
		}
	}
	g := &unchanging{dim: serverDim, rng: rng, last: make([]float64, serverDim)}
	var factors [serverFactors]float64
	g.next = func(g *unchanging, y []float64) {
		for k := range factors {
			factors[k] = .95*factors[k] + .31*rng.NormFloat64()
		}
		for j, l := range loadings {
			y[j] = 10*float64(j) + .4*rng.NormFloat64()
			for k, f := range factors {
				if k < 2 {
					f += 1.5 * math.Sin(2*math.Pi*float64(g.t)/288+float64(k))
				}
				y[j] += l[k] * f
			}
		}
	}
	s.data = simulate.Collect("server", g, at)
	rows := s.data.Series[0].Rows
	scale := scoring.Scale(rows, serverHistory, 0, at)
	s.labels.known, s.labels.anomalous = make([]bool, at), make([]bool, at)
	for i := range at {
		s.labels.known[i] = i >= serverHistory
	}
	for n, a := range s.anomalies {
		size := 2.5 + 2*rng.Float64()
		for _, j := range a.variables {
			sd, sign, other := 1/scale[j], float64(1-2*rng.IntN(2)), 0.
			for i := a.from; i < a.to; i++ {
				y := &rows[i][j]
				switch n % 3 {
				case 0: // shift
					*y += sign * size * sd
				case 1: // drift
					*y += sign * size * sd * float64(i-a.from) / float64(a.to-a.from)
				default: // broken correlation: as far from its mean as it was, but without the others
					if i == a.from {
						other = *y - 10*float64(j)
					}
					other = .95*other + .31*size/2.5*sd*rng.NormFloat64()
					*y = 10*float64(j) + other
				}
				s.labels.anomalous[i] = true
			}
		}
	}
	return s
}
