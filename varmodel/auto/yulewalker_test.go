package auto

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
	"github.com/orffvar/forecaster/varmodel/series"
	"gonum.org/v1/gonum/mat"
)

// The weights solve the bordered Toeplitz equations, which gonum solves without
// knowing their structure.
func TestYuleWalkerSolvesItsEquations(t *testing.T) {
	for _, dim := range []int{1, 2, 3, 7, 8, 9, 20} {
		t.Run(fmt.Sprint(dim), func(t *testing.T) { solvesItsEquations(t, dim) })
	}
}

func solvesItsEquations(t *testing.T, dim int) {
	rng := rand.New(rand.NewPCG(21, 22))
	const order = 9
	l := newYuleWalker(dim, order, 1, 3, .99, new(Workspace))
	f := newFrame(dim, 1, yuleWalkerDepth(order), series.NewScaler(dim), newLocalMean(dim), nil) // with typical steps of 1
	y, observed, zero := make([]float64, dim), make([]bool, dim), make([]float64, dim)
	for j := range observed {
		observed[j] = true
	}
	x := make([]float64, 300)
	for i := 2; i < len(x); i++ {
		x[i] = .5*x[i-1] - .3*x[i-2] + rng.NormFloat64()
	}
	for i := range x {
		for j := range dim {
			f.lags[j] = rng.NormFloat64()
			y[j] = x[i] + .1 + float64(j)*f.lags[0]
		}
		if i%7 == 3 {
			observed[i%dim] = !observed[i%dim]
		}
		if i >= order {
			l.learn(y, observed, f)
		}
		f.recent.Push(slices.Repeat(x[i:i+1], dim), zero)
	}
	l.add(f.recent, 1)
	n := l.lags + 2
	for g := range l.due {
		l.solve(g)
	}
	for j := range dim {
		s := l.moments[j*momentKinds:]
		var r, g []float64
		for i := range l.lags {
			r, g = append(r, l.sums[i*l.stride+j]), append(g, l.sums[len(l.sums)/2+i*l.stride+j])
		}
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
			if !(math.Abs(v-want.AtVec(i)) <= 1e-11) {
				t.Errorf("coordinate %d, weight %d: %v, want %v", j, i, v, want.AtVec(i))
			}
		}
	}
}

// The sums and the forecast against their definitions, one coordinate after the
// other, for all layouts of the rows.
func TestYuleWalkerSums(t *testing.T) {
	for _, dim := range []int{1, 2, 3, 4, 5, 8, 9, 20} {
		for _, samples := range []int{1, 7, 8, 9, 100} {
			rng := rand.New(rand.NewPCG(25, uint64(dim)))
			const order = 12
			l := newYuleWalker(dim, order, 1000, 1000, .99, new(Workspace)) // with a ridge that keeps weights below 1
			f := newFrame(dim, 1, yuleWalkerDepth(order), series.NewScaler(dim), newLocalMean(dim), nil)
			steps := make([][]float64, order+samples)
			want := make([]float64, 2*order*dim)
			y, observed, zero := make([]float64, dim), make([]bool, dim), make([]float64, dim)
			weight := 1.
			for i := range steps {
				steps[i] = make([]float64, dim)
				for j := range dim {
					steps[i][j], y[j], f.lags[j] = rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()
					observed[j] = rng.IntN(4) > 0
					f.scaler.PerStep[j] = 1 + rng.Float64()
				}
				if i >= order {
					l.learn(y, observed, f)
					for k := range order - 1 {
						for j := range dim {
							if observed[j] {
								x := weight * f.scaler.PerStep[j] * steps[i-1-k][j]
								want[k*dim+j] += x * y[j]
								want[(order+k)*dim+j] += x * f.lags[j]
							}
						}
					}
					weight /= .99
				}
				f.recent.Push(steps[i], zero)
			}
			l.add(f.recent, 1)
			for k := range order - 1 {
				for j := range dim {
					for half := range 2 {
						got, want := l.sums[half*len(l.sums)/2+k*l.stride+j], want[(half*order+k)*dim+j]
						// A hundred terms of size one, and weights below 3.
						if !(math.Abs(got-want) <= 1e-12) {
							t.Fatalf("dim %d, %d samples: sum %d of lag %d, coordinate %d, is %v, want %v", dim, samples, half, k+1, j, got, want)
						}
					}
				}
			}
			for g := range l.due {
				l.solve(g)
			}
			l.predictTo(y, f)
			for j := range dim {
				w := l.weightsOf(j)
				want := w[0] + w[1]*f.lags[j]
				for k, v := range w[2:] {
					want += v * f.scaler.PerStep[j] * steps[len(steps)-1-k][j]
				}
				if !(math.Abs(y[j]-want) <= 1e-13) {
					t.Errorf("dim %d: forecast of coordinate %d is %v, want %v", dim, j, y[j], want)
				}
			}
		}
	}
}

// On a stationary series the weights become those of the series.
func TestYuleWalkerFindsAnAutoregression(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	l := newYuleWalker(1, 5, 10, 1, 1, new(Workspace))
	f := newFrame(1, 1, yuleWalkerDepth(5), series.NewScaler(1), newLocalMean(1), nil)
	f.scaler.PerStep[0] = 1
	x := make([]float64, 20_000)
	for i := 4; i < len(x); i++ {
		x[i] = .6*x[i-1] - .4*x[i-4] + rng.NormFloat64()
		l.learn(x[i:i+1], []bool{true}, f)
		f.recent.Push(x[i:i+1], []float64{0})
	}
	for i, want := range []float64{0, 0, .6, 0, 0, -.4} {
		// The standard error is below 1/sqrt(20,000) = 0.007.
		if got := l.weightsOf(0)[i]; !(math.Abs(got-want) <= .03) {
			t.Errorf("weight %d: %v, want %v", i, got, want)
		}
	}
}

// After n samples an autoregression of a high order is that of 1 + n lags.
func TestYuleWalkerOfAYoungSeries(t *testing.T) {
	const order, samples = 30, 9
	rng := rand.New(rand.NewPCG(25, 26))
	young, short := newYuleWalker(1, order, 1, 1, 1, new(Workspace)), newYuleWalker(1, 2+samples, 1, 1, 1, new(Workspace))
	f := newFrame(1, 1, yuleWalkerDepth(order), series.NewScaler(1), newLocalMean(1), nil)
	f.scaler.PerStep[0] = 1
	for range samples {
		y := []float64{rng.NormFloat64()}
		for _, l := range []*yuleWalker{young, short} {
			l.learn(y, []bool{true}, f)
		}
		f.recent.Push(y, []float64{0})
	}
	want := append(short.weightsOf(0), make([]float64, order-2-samples)...)
	if got := young.weightsOf(0); !slices.Equal(got, want) {
		t.Errorf("weights %v, want %v", got, want)
	}
}

// What a sample costs without a solution, and what a solution costs.
func BenchmarkYuleWalker(b *testing.B) {
	for _, dim := range []int{1, 2, 3, 5, 7, 20, 100} {
		l := newYuleWalker(dim, 48, 1024, 100, .9998, new(Workspace))
		f := newFrame(dim, 1, yuleWalkerDepth(48), series.NewScaler(dim), newLocalMean(dim), nil)
		rows := modeltest.RandomSeries(rand.New(rand.NewPCG(1, 1)), 512, dim, 0)
		y, zero, observed := make([]float64, dim), make([]float64, dim), make([]bool, dim)
		for j := range observed {
			observed[j] = true
		}
		for n := range 10_000 { // until solutions are rare
			l.learn(rows[n%512], observed, f)
			f.recent.Push(rows[n%512], zero)
		}
		b.Run(fmt.Sprintf("predict/d=%d", dim), func(b *testing.B) {
			for b.Loop() {
				l.predictTo(y, f)
			}
		})
		b.Run(fmt.Sprintf("solve/d=%d", dim), func(b *testing.B) {
			for b.Loop() {
				for g := range l.due {
					l.solve(g)
				}
			}
		})
		b.Run(fmt.Sprintf("learn/d=%d", dim), func(b *testing.B) {
			n := 0
			for b.Loop() {
				l.learn(rows[n%512], observed, f)
				n++
			}
		})
	}
}
