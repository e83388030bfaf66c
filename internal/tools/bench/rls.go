package main

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/orffvar/forecaster/sgd/online"
)

// recursive is the workload of recursive least squares with n features and one output.
func recursive(n int) work {
	l, err := online.NewRLS(online.RLSConfig{Features: n, Outputs: 1, Ridge: 1, Forgetting: 1})
	if err != nil {
		panic(err)
	}
	return learning(fmt.Sprintf("RLS, %d features", n), l, n, 1)
}

// learner is the common interface of the learners of sgd.
type learner interface {
	PredictTo(y, phi []float64)
	Update(phi, e []float64)
}

// learning is the workload of predicting and learning random samples. A call has eight samples, because RLS defers
// some of its work for eight samples.
func learning(name string, l learner, features, outputs int) work {
	const calls = 8
	rng := rand.New(rand.NewPCG(2, 2))
	phi, e := normals(rng, 64*features), make([]float64, outputs)
	t := 0
	return work{name, calls, func() {
		for range calls {
			x := phi[t*features : (t+1)*features]
			l.PredictTo(e, x)
			for i := range e {
				e[i] = x[i%features] - e[i]
			}
			l.Update(x, e)
			t = (t + 1) % 64
		}
	}}
}

// recursiveGonum is the same workload with gonum: Symv and Syr on the upper half of P.
func recursiveGonum(n int) work {
	rng := rand.New(rand.NewPCG(2, 2))
	data := normals(rng, 64*n)
	p := blas64.Symmetric{N: n, Stride: n, Uplo: blas.Upper, Data: make([]float64, n*n)}
	for i := range n {
		p.Data[i*n+i] = 1
	}
	vector := func() blas64.Vector { return blas64.Vector{N: n, Inc: 1, Data: make([]float64, n)} }
	theta, gain := vector(), vector()
	t := 0
	return work{"gonum Symv + Syr", 1, func() {
		phi := blas64.Vector{N: n, Inc: 1, Data: data[t*n : (t+1)*n]}
		t = (t + 1) % 64
		e := phi.Data[0] - blas64.Dot(theta, phi)
		blas64.Symv(1, p, phi, 0, gain)
		c := 1 / (1 + blas64.Dot(phi, gain))
		blas64.Axpy(c*e, gain, theta)
		blas64.Syr(-c, gain, p)
	}}
}

// boundRecursive returns the bound of recursive: three multiply-adds per element of one half of P, which is read once
// per step and written once in eight steps, back and forth.
func boundRecursive(r *roofline, n int) float64 {
	bytes := 4 * n * n
	m := r.memory(bytes)
	return max(3*float64(n*n)/r.flops, float64(bytes)*(7/m.readBackAndForth+1/m.readWriteBackAndForth)/8)
}
