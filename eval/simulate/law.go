package simulate

import (
	"math"
	"math/rand/v2"
)

// Law is a dynamical system with noise: x_{t+1} = Step(x_t) + Noise u_{t+1}, u ~ N(0, I).
type Law struct {
	Name  string
	Dim   int
	Noise float64                 // standard deviation
	Step  func(next, x []float64) // length Dim each, not overlapping
}

// Series returns a generator of the law. The first row is 50 rows after a start x ~ N(0, I).
func (l Law) Series(seed uint64) Generator {
	const settle = 50
	s := &lawSeries{Law: l, rng: rand.New(rand.NewPCG(seed, 21)), x: make([]float64, l.Dim), next: make([]float64, l.Dim)}
	for i := range s.x {
		s.x[i] = s.rng.NormFloat64()
	}
	for range settle {
		s.step()
	}
	return s
}

// lawSeries implements Generator.
type lawSeries struct {
	Law
	rng     *rand.Rand
	x, next []float64 // x is the last row
}

func (s *lawSeries) Dim() int { return s.Law.Dim }

func (s *lawSeries) Next(y []float64) {
	s.step()
	copy(y, s.x)
}

// step replaces x by the next row.
func (s *lawSeries) step() {
	s.Step(s.next, s.x)
	for i := range s.next {
		s.next[i] += s.Noise * s.rng.NormFloat64()
	}
	s.x, s.next = s.next, s.x
}

// Lorenz96 is the chaotic system of Lorenz (1996) with dim >= 4 variables and forcing 8, observed every 0.1 time
// units:
//
//	dx_j/dt = (x_{j+1} - x_{j-2}) x_{j-1} - x_j + 8.
func Lorenz96(dim int) Law { return Law{"Lorenz-96", dim, 0, lorenz96} }

// LogisticMaps is a ring of dim chaotic logistic maps f(x) = 3.9 x (1 - x):
//
//	x_j(t+1) = .9 f(x_j) + .05 (f(x_{j-1}) + f(x_{j+1})).
func LogisticMaps(dim int) Law {
	const coupling = .1
	logistic := func(v float64) float64 {
		_, v = math.Modf(math.Abs(v)) // maps the normal start to [0, 1]
		return 3.9 * v * (1 - v)
	}
	return Law{"coupled logistic maps", dim, 0, func(next, x []float64) {
		for j, v := range x {
			left, right := x[(j+len(x)-1)%len(x)], x[(j+1)%len(x)]
			next[j] = (1-coupling)*logistic(v) + coupling/2*(logistic(left)+logistic(right))
		}
	}}
}

// Thresholds is a ring of dim autoregressions with two regimes and noise .5:
//
//	x_j(t+1) = 1 - .8 x_j + .3 x_{j+1} if x_j > 0, else -1 - .5 x_j - .3 x_{j+1}.
func Thresholds(dim int) Law {
	return Law{"threshold autoregression", dim, .5, func(next, x []float64) {
		for j, v := range x {
			other := x[(j+1)%len(x)]
			if v > 0 {
				next[j] = 1 - .8*v + .3*other
			} else {
				next[j] = -1 - .5*v - .3*other
			}
		}
	}}
}

// lorenz96 integrates ten Runge-Kutta steps of length 0.01.
func lorenz96(next, x []float64) {
	const n, forcing, h = 10, 8, .01
	d := len(x)
	slope := func(to, x []float64) {
		for j := range x {
			to[j] = (x[(j+1)%d]-x[(j+d-2)%d])*x[(j+d-1)%d] - x[j] + forcing
		}
	}
	k, at := [4][]float64{}, make([]float64, d)
	for i := range k {
		k[i] = make([]float64, d)
	}
	copy(next, x)
	for range n {
		for i, part := range []float64{0, h / 2, h / 2, h} {
			copy(at, next)
			if i > 0 {
				for j := range at {
					at[j] += part * k[i-1][j]
				}
			}
			slope(k[i], at)
		}
		for j := range next {
			next[j] += h / 6 * (k[0][j] + 2*k[1][j] + 2*k[2][j] + k[3][j])
		}
	}
}
