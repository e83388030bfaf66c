package batch

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/optimize"

	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/sgd/internal/numeric"
	"github.com/orffvar/forecaster/sgd/losses"
)

// Result describes the end of a batch fit.
type Result struct {
	Iterations int
	Value      float64 // value of the objective
	Residual   float64 // norm that the stopping rule compares with the tolerance
	Converged  bool    // Residual is below the tolerance
}

// SolveCG minimises R by conjugate gradients on the normal equations. It starts from theta, and writes the solution into
// theta. It needs the squared loss and lambda > 0. It stops when the norm of the gradient is below tolerance times that at
// 0, or after maxIterations (0: ten times the number of parameters).
func (o *Objective) SolveCG(theta []float64, tolerance float64, maxIterations int) (Result, error) {
	if _, ok := o.cfg.Loss.(losses.Squared); !ok {
		return Result{}, errors.New("sgd: conjugate gradients need the squared loss")
	}
	if o.cfg.Lambda == 0 {
		return Result{}, errors.New("sgd: conjugate gradients need Lambda > 0")
	}
	n := o.dims.Params
	if len(theta) != n {
		panic(numeric.BadLength)
	}
	if maxIterations == 0 {
		maxIterations = 10 * n
	}
	r, p, ap := make([]float64, n), make([]float64, n), make([]float64, n)
	o.GradientTo(r, p) // at 0
	limit := tolerance * numeric.Norm(r)
	o.GradientTo(r, theta)
	vec.Scale(-1, r)
	copy(p, r)
	rr := vec.Dot(r, r)
	var k int
	for k = 0; k < maxIterations && math.Sqrt(rr) > limit; k++ {
		o.hessianTo(ap, p)
		alpha := rr / vec.Dot(p, ap)
		vec.Axpy(alpha, p, theta)
		vec.Axpy(-alpha, ap, r)
		next := vec.Dot(r, r)
		vec.Scale(next/rr, p)
		vec.Axpy(1, r, p)
		rr = next
	}
	value := o.GradientTo(r, theta) // the recursive residual drifts
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return Result{}, errNotFinite
	}
	return Result{k, value, numeric.Norm(r), math.Sqrt(rr) <= limit}, nil
}

// MinimiseLBFGS minimises R by the limited-memory BFGS method. It starts from theta, and writes the solution into theta.
// See LBFGS.
func (o *Objective) MinimiseLBFGS(theta []float64, options LBFGS) (Result, error) {
	if len(theta) != o.dims.Params {
		panic(numeric.BadLength)
	}
	return options.Minimise(theta, o.GradientTo)
}

// LBFGS are the options of the limited-memory BFGS method with a line search
// that satisfies the strong Wolfe conditions (Nocedal and Wright 2006, sections
// 3.5 and 7.2). The zero value has the defaults.
type LBFGS struct {
	Memory        int     // 0: 10
	Tolerance     float64 // limit of ||gradient||/max(1, ||theta||); 0: 1e-8
	MaxIterations int     // 0: 1000
}

var errNotFinite = errors.New("sgd: the objective is not finite")

// Minimise calls gradientTo for the value and the gradient of a function.
func (l LBFGS) Minimise(theta []float64, gradientTo func(g, theta []float64) float64) (Result, error) {
	if l.Memory < 0 || !(l.Tolerance >= 0) || l.MaxIterations < 0 {
		return Result{}, fmt.Errorf("sgd: L-BFGS options must be >= 0, got %+v", l)
	}
	if l.Memory == 0 {
		l.Memory = 10
	}
	if l.Tolerance == 0 {
		l.Tolerance = 1e-8
	}
	if l.MaxIterations == 0 {
		l.MaxIterations = 1000
	}
	// The library requests value and gradient separately, at the same point.
	at, g := make([]float64, len(theta)), make([]float64, len(theta))
	var value float64
	evaluate := func(x []float64, again bool) {
		for i := 0; again && i < len(x); i++ {
			again = x[i] == at[i]
		}
		if !again {
			copy(at, x)
			value = gradientTo(g, at)
		}
	}
	evaluate(theta, false)
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return Result{}, errNotFinite
	}
	stop := &gradientRule{tolerance: l.Tolerance}
	if stop.residual(theta, g) <= l.Tolerance { // the library divides by the gradient
		return Result{0, value, stop.residual(theta, g), true}, nil
	}
	result, err := optimize.Minimize(optimize.Problem{
		Func: func(x []float64) float64 {
			evaluate(x, true)
			return value
		},
		Grad: func(dst, x []float64) {
			evaluate(x, true)
			copy(dst, g)
		},
	}, theta, &optimize.Settings{Converger: stop, MajorIterations: l.MaxIterations}, &optimize.LBFGS{
		Store:             l.Memory,
		Linesearcher:      &optimize.MoreThuente{DecreaseFactor: 1e-4},
		GradStopThreshold: math.NaN(),
	})
	if result == nil {
		return Result{}, fmt.Errorf("sgd: L-BFGS: %w", err)
	}
	// A line search without further decrease returns an error at the best point so far: the objective allows no higher
	// precision.
	copy(theta, result.X)
	evaluate(theta, true)
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return Result{}, errNotFinite
	}
	r := stop.residual(theta, g)
	return Result{result.MajorIterations, value, r, r <= l.Tolerance}, nil
}

// gradientRule stops when ||gradient|| <= tolerance max(1, ||theta||).
type gradientRule struct{ tolerance float64 }

func (r *gradientRule) Init(int) {}

func (r *gradientRule) Converged(at *optimize.Location) optimize.Status {
	if r.residual(at.X, at.Gradient) <= r.tolerance {
		return optimize.GradientThreshold
	}
	return optimize.NotTerminated
}

func (r *gradientRule) residual(theta, g []float64) float64 {
	return numeric.Norm(g) / max(1, numeric.Norm(theta))
}
