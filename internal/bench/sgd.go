package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/sgd"
)

// shape is that of a stochastic gradient learner: d outputs, D frequencies, m
// inputs.
type shape struct{ d, D, m int }

func (s shape) String() string { return fmt.Sprintf("(%d, %d, %d)", s.d, s.D, s.m) }

const (
	numbers = 40_000 // in the data that all works go round, see newProblem
	batch   = 48     // samples a call
	backlog = 16     // samples in a block
	step    = 0.5    // of the normalised gradient
)

// problem is data and frequencies of one shape.
type problem struct {
	shape
	x, y []float64 // samples x m, samples x d
	w    []float64 // m x D, in turns
}

// newProblem draws so much data that the processor cannot learn by heart how the
// branches of math.Sincos fall, which no stream lets it, but leaves the second level
// cache to the weights.
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

// reader returns a function that returns n samples after the other; n divides batch.
func (p *problem) reader(n int) func() (x, y []float64) {
	t, samples := 0, len(p.x)/p.m
	return func() (x, y []float64) {
		i := t
		if t += n; t == samples {
			t = 0
		}
		return p.x[i*p.m : (i+n)*p.m], p.y[i*p.d : (i+n)*p.d]
	}
}

func newLearner[T vec.Float](p *problem) *sgd.Fourier[T] {
	l, err := sgd.NewFourier[T](sgd.FourierConfig{Inputs: p.m, Frequencies: p.w, Outputs: p.d, Step: step})
	if err != nil {
		panic(err)
	}
	return l
}

// oneByOne predicts each sample and then learns it.
func oneByOne[T vec.Float](p *problem, name string) work {
	l := newLearner[T](p)
	e, next := make([]float64, p.d), p.reader(1)
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

// blocks does the same for samples that wait already.
func (p *problem) blocks() work {
	l, err := sgd.NewNLMS(sgd.NLMSConfig{Features: 2 * p.D, Outputs: p.d, Step: step})
	if err != nil {
		panic(err)
	}
	next := p.reader(backlog)
	phi, pred := make([]float64, backlog*2*p.D), make([]float64, backlog*p.d)
	scale := 1 / math.Sqrt(float64(p.D))
	return work{fmt.Sprintf("backlog of %d", backlog), batch, func() {
		for range batch / backlog {
			x, y := next()
			vec.FeatureRows(phi, p.w, x, scale, backlog)
			l.LearnBlock(pred, phi, y)
		}
	}}
}

// gonum is the same algorithm with gonum's matrices and math.Sincos.
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
	scale, next := 1/math.Sqrt(float64(p.D)), p.reader(1)
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

// boundOneByOne counts 2 m D operations for the projection, trig for a sine and a
// cosine, and 8 d D for prediction and update. W and Theta are read once a sample, and
// Theta is written once in as many samples as steps are kept back; that takes the
// products of the features with the kept ones, too.
func boundOneByOne[T vec.Float](s shape, r *roofline, trig int) float64 {
	size, kept := 4, newLearner[T](newProblem(s)).Kept()
	var zero T
	single := true
	if _, double := any(zero).(float64); double {
		size, single = 8, false
	}
	flops := 2*s.m*s.D + trig*s.D + 8*s.d*s.D + 2*s.D*(kept-1)
	w, theta := size*s.m*s.D, 2*size*s.d*s.D
	return r.bound(float64(flops), single, w+theta-theta/kept, theta/kept)
}

// boundBlocks: W and Theta are gone over once in a block, and the features are
// multiplied with each other.
func (s shape) boundBlocks(r *roofline) float64 {
	flops := float64(2*s.m*s.D+28*s.D+8*s.d*s.D) + float64(backlog*4*s.D+backlog*s.d)
	return r.bound(flops, false, 8*s.m*s.D/backlog, 16*s.d*s.D/backlog)
}
