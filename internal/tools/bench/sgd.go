package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/sgd/online"
)

// shape is the shape of a stochastic gradient learner: d outputs, D frequencies, m inputs.
type shape struct{ d, D, m int }

func (s shape) String() string { return fmt.Sprintf("(%d, %d, %d)", s.d, s.D, s.m) }

const (
	numbers = 40_000 // numbers in the data of a problem, see newProblem
	batch   = 48     // samples per call
	step    = 0.5    // step of the normalised gradient
)

// problem holds data and frequencies for one shape.
type problem struct {
	shape
	x, y []float64 // samples x m, samples x d
	w    []float64 // m x D, in turns
}

// newProblem draws random data. The amount is so large that the branch predictor cannot learn the branches of
// math.Sincos, as in a stream. It is so small that the L2 cache has room for the weights.
func newProblem(s shape) *problem {
	rng := rand.New(rand.NewPCG(1, 1))
	n := max(2, numbers/(batch*(s.m+s.d))) * batch
	p := &problem{shape: s, x: normals(rng, n*s.m), y: make([]float64, n*s.d), w: normals(rng, s.m*s.D)}
	for i := range p.y {
		p.y[i] = math.Sin(p.x[i/s.d*s.m+i%s.m])
	}
	vec.Scale(1/(2*math.Pi), p.w)
	return p
}

func normals(rng *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}

// reader returns a function that returns the next sample, in a cycle.
func (p *problem) reader() func() (x, y []float64) {
	t, samples := 0, len(p.x)/p.m
	return func() (x, y []float64) {
		i := t
		if t++; t == samples {
			t = 0
		}
		return p.x[i*p.m : (i+1)*p.m], p.y[i*p.d : (i+1)*p.d]
	}
}

func (p *problem) learner() *online.FourierNLMS {
	l, err := online.NewFourierNLMS(online.FourierNLMSConfig{Inputs: p.m, Frequencies: p.w, Outputs: p.d, Step: step})
	if err != nil {
		panic(err)
	}
	return l
}

// ours is the workload of predicting and then learning each sample.
func (p *problem) ours(name string) work {
	l := p.learner()
	e, next := make([]float64, p.d), p.reader()
	return work{name, batch, func() {
		for range batch {
			x, y := next()
			l.PredictTo(e, nil, x)
			for i, v := range y {
				e[i] = v - e[i]
			}
			l.Update(e)
		}
	}}
}

// gonum is the same algorithm with the matrices of gonum and math.Sincos.
func (p *problem) gonum() work {
	theta := blas64.General{Rows: p.d, Cols: 2 * p.D, Stride: 2 * p.D, Data: make([]float64, p.d*2*p.D)}
	w := blas64.General{Rows: p.D, Cols: p.m, Stride: p.m, Data: make([]float64, p.D*p.m)}
	for i := range p.D {
		for j := range p.m {
			w.Data[i*p.m+j] = 2 * math.Pi * p.w[j*p.D+i]
		}
	}
	angle := blas64.Vector{N: p.D, Inc: 1, Data: make([]float64, p.D)}
	phi := blas64.Vector{N: 2 * p.D, Inc: 1, Data: make([]float64, 2*p.D)}
	e := blas64.Vector{N: p.d, Inc: 1, Data: make([]float64, p.d)}
	scale, next := 1/math.Sqrt(float64(p.D)), p.reader()
	return work{"gonum", batch, func() {
		for range batch {
			x, y := next()
			blas64.Gemv(blas.NoTrans, 1, w, blas64.Vector{N: p.m, Inc: 1, Data: x}, 0, angle)
			for j, a := range angle.Data {
				s, c := math.Sincos(a)
				phi.Data[j], phi.Data[p.D+j] = scale*c, scale*s
			}
			blas64.Gemv(blas.NoTrans, 1, theta, phi, 0, e)
			for i, v := range y {
				e.Data[i] = v - e.Data[i]
			}
			blas64.Ger(step, e, phi, theta)
		}
	}}
}

// bound counts 2 m D operations for the projection, 28 for a sine and a cosine, and 8 d D for prediction and update. W
// and Theta are read once per sample. Theta is written once per group of deferred steps. Deferring needs the products
// of the features with the features of the deferred steps.
func (p *problem) bound(r *roofline) float64 {
	kept := p.learner().Kept()
	flops := 2*p.m*p.D + 28*p.D + 8*p.d*p.D + 2*p.D*(kept-1)
	w, theta := 8*p.m*p.D, 16*p.d*p.D
	return r.bound(float64(flops), w+theta-theta/kept, theta/kept)
}
