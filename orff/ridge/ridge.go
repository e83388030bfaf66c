// Package ridge fits the weights of a feature map to a fixed data set. [Solve] returns the theta that
// minimises, over the n pairs (x_i, y_i),
//
//	1/(2n) sum_i ||Phi(x_i)^T theta - y_i||^2 + lambda/2 ||theta||^2
//
// Inputs and targets are row-major: x is n x Dims().In, y is n x Dims().Out. [SelectLambda] chooses lambda, and
// [LearnOutput] also learns the coupling of the outputs.
package ridge

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/sgd/batch"
)

// Solve returns theta, of length Dims().Params. It has a closed form for decomposable kernels, and uses conjugate
// gradients for others. It returns an error for values that are not finite, and for lengths that do not fit m.
func Solve(m orff.Map, x, y []float64, lambda float64) ([]float64, error) {
	d := m.Dims()
	theta := make([]float64, d.Params)
	dec, ok := m.(*orff.Decomposable)
	if !ok {
		o, err := batch.NewObjective(batch.ObjectiveConfig{Map: m, X: x, Y: y, Lambda: lambda})
		if err != nil {
			return nil, err
		}
		_, err = o.SolveCG(theta, 1e-8, 2000)
		return theta, err
	}
	n := len(x) / d.In
	phi := make([]float64, n*d.Features)
	for i := range n {
		m.FeaturesTo(phi[i*d.Features:(i+1)*d.Features], x[i*d.In:(i+1)*d.In])
	}
	r, err := batch.NewRidge(n, phi, y, dec.Output().Factor())
	if err != nil {
		return nil, err
	}
	return theta, r.SolveTo(theta, lambda)
}

// PredictTo writes Phi(x_i)^T theta for each row x_i of x into h, n x Dims().Out row-major.
func PredictTo(h []float64, m orff.Map, theta, x []float64) {
	d := m.Dims()
	phi := make([]float64, d.Features)
	for i := range len(x) / d.In {
		m.FeaturesTo(phi, x[i*d.In:(i+1)*d.In])
		m.PredictTo(h[i*d.Out:(i+1)*d.Out], phi, theta)
	}
}

// SelectLambda returns the lambda of [batch.LambdaGrid] with the least squared error on the last fifth of the pairs,
// after a fit to the others. It returns an error if all targets are 0.
func SelectLambda(m orff.Map, x, y []float64) (float64, error) {
	d := m.Dims()
	n := len(x) / d.In * 4 / 5
	x, xv := x[:n*d.In], x[n*d.In:]
	y, yv := y[:n*d.Out], y[n*d.Out:]
	grid, err := batch.LambdaGrid(1, d.Out, y)
	if err != nil {
		return 0, err
	}
	h := make([]float64, len(yv))
	best, lambda := math.Inf(1), 0.
	for _, l := range grid {
		theta, err := Solve(m, x, y, l)
		if err != nil {
			return 0, err
		}
		PredictTo(h, m, theta, xv)
		floats.Sub(h, yv)
		if e := floats.Dot(h, h); e < best {
			best, lambda = e, l
		}
	}
	return lambda, nil
}

// KernelTo writes Phi(x)^T Phi(x), the kernel of the features of m at (x, x), into k, Out x Out row-major. It differs
// from the kernel that m approximates.
func KernelTo(k []float64, m orff.Map, x []float64) {
	d := m.Dims()
	phi, g, e := make([]float64, d.Features), make([]float64, d.Params), make([]float64, d.Out)
	m.FeaturesTo(phi, x)
	for j := range e {
		e[j] = 1
		clear(g)
		m.AddGradient(g, 1, phi, e)
		m.PredictTo(k[j*d.Out:(j+1)*d.Out], phi, g)
		e[j] = 0
	}
}

// Curvature returns an upper bound of the largest eigenvalue of the Hessian 1/n sum_i Phi(x_i) Phi(x_i)^T:
// the mean over i of max_j sum_k |K(x_i, x_i)_jk|. A constant learning rate below 2 / (Curvature + lambda)
// converges.
func Curvature(m orff.Map, x []float64) (bound float64) {
	d := m.Dims()
	n := len(x) / d.In
	k := make([]float64, d.Out*d.Out)
	for i := range n {
		KernelTo(k, m, x[i*d.In:(i+1)*d.In])
		norm := 0.
		for j := 0; j < len(k); j += d.Out {
			norm = max(norm, floats.Norm(k[j:j+d.Out], 1))
		}
		bound += norm / float64(n)
	}
	return bound
}
