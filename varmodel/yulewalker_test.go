package varmodel

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The weights solve the bordered Toeplitz equations, which gonum solves without
// knowing their structure.
func TestYuleWalkerSolvesItsEquations(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	const dim, order = 2, 9
	l := newYuleWalker(dim, order, 1, 3, .99)
	f := newFrame(dim, 1, order+walkBatch, newScaler(dim), newLocalMean(dim), nil) // with typical steps of 1
	y, observed := make([]float64, dim), []bool{true, true}
	x := make([]float64, 300)
	for i := 2; i < len(x); i++ {
		x[i] = .5*x[i-1] - .3*x[i-2] + rng.NormFloat64()
	}
	for i := range x {
		for j := range dim {
			f.levels[j] = rng.NormFloat64()
			y[j] = x[i] + .1 + float64(j)*f.levels[0]
		}
		if i >= order {
			l.learn(y, observed, f)
		}
		f.recent.push([]float64{x[i], x[i]}, []float64{0, 0})
	}
	l.add(f.recent, 1)
	n := l.lags + 2
	for j := range dim {
		l.solve(j)
		s := l.sumsOf(j)
		r, g := s[sumLags:sumLags+l.lags], s[sumLags+l.lags:]
		a, b := mat.NewDense(n, n, nil), mat.NewVecDense(n, nil)
		a.Set(0, 0, s[sumCount])
		a.Set(1, 1, s[sumZZ])
		a.Set(0, 1, s[sumZ])
		a.Set(1, 0, s[sumZ])
		b.SetVec(0, s[sumY])
		b.SetVec(1, s[sumYZ])
		for i := range l.lags {
			for k := range l.lags {
				v := s[sumYY]
				if i != k {
					v = r[max(i-k, k-i)-1]
				}
				a.Set(2+i, 2+k, v)
			}
			a.Set(0, 2+i, s[sumY])
			a.Set(2+i, 0, s[sumY])
			a.Set(1, 2+i, g[i])
			a.Set(2+i, 1, g[i])
			b.SetVec(2+i, r[i])
		}
		for i := range n {
			a.Set(i, i, a.At(i, i)+l.ridge*l.weight)
		}
		var want mat.VecDense
		if err := want.SolveVec(a, b); err != nil {
			t.Fatal(err)
		}
		for i, v := range l.weightsOf(j) {
			// The condition of the matrix is about 100.
			if math.Abs(v-want.AtVec(i)) > 1e-11 {
				t.Errorf("coordinate %d, weight %d: %v, want %v", j, i, v, want.AtVec(i))
			}
		}
	}
}

// On a stationary series the weights become those of the series.
func TestYuleWalkerFindsAnAutoregression(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	l := newYuleWalker(1, 5, 10, 1, 1)
	f := newFrame(1, 1, 5+walkBatch, newScaler(1), newLocalMean(1), nil)
	x := make([]float64, 20_000)
	for i := 4; i < len(x); i++ {
		x[i] = .6*x[i-1] - .4*x[i-4] + rng.NormFloat64()
		l.learn(x[i:i+1], []bool{true}, f)
		f.recent.push(x[i:i+1], []float64{0})
	}
	for i, want := range []float64{0, 0, .6, 0, 0, -.4} {
		// The standard error is below 1/sqrt(20,000) = 0.007.
		if got := l.weightsOf(0)[i]; math.Abs(got-want) > .03 {
			t.Errorf("weight %d: %v, want %v", i, got, want)
		}
	}
}
