// Package accuracy computes the accuracy with which a feature map approximates its kernel. Recommend returns the number
// of draws for an accuracy, and Measure the accuracy of a given map. RidgeClass bounds the risk of a model that learns
// with the map.
package accuracy

import (
	"errors"
	"fmt"
	"math"

	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/internal/bound"
	"github.com/orffvar/forecaster/orff/internal/numeric"
)

// Goal is the guarantee that the number of draws has to give.
type Goal int

const (
	// Entrywise: with probability 1-Delta, the error of every kernel value between the Points points is at most Epsilon
	// (in the operator norm for p outputs).
	Entrywise Goal = iota
	// Uniform: with probability 1-Delta, the error is at most Epsilon everywhere on a set of the given Diameter or
	// Radius.
	Uniform
	// Spectral: the expected error of the Gram matrix of the Points points is at most Epsilon times its norm, in the
	// operator norm.
	Spectral
	// SpectralTail: with probability 1-Delta, the error of this Gram matrix is at most Epsilon times its norm.
	SpectralTail
	// Statistical: ridge regression on Points samples with the ridge Plan.Lambda keeps the rate of kernel ridge
	// regression. Epsilon and Delta are ignored.
	Statistical
)

func (g Goal) String() string {
	switch g {
	case Entrywise:
		return "entrywise"
	case Uniform:
		return "uniform"
	case Spectral:
		return "spectral"
	case SpectralTail:
		return "spectral tail"
	case Statistical:
		return "statistical"
	}
	return fmt.Sprintf("Goal(%d)", int(g))
}

// Problem describes the data and the accuracy for Recommend. A goal ignores the fields that
// its description does not mention.
type Problem struct {
	Epsilon float64 // error > 0
	Delta   float64 // probability of a failure, in (0, 1)
	Points  int     // number n of points

	// Diameter of the set of inputs, for the Uniform goal. For kernels on a multiplicative
	// group it is the diameter of the set of log(x + c) over the inputs x.
	Diameter float64
	// Radius R of the set of inputs x. For dot-product kernels, and for the spectral goals of
	// semigroup kernels, ||x||_1 <= R. For the Uniform goal of compositional kernels, ||x|| <= R.
	Radius float64
	// IntrinsicDimension tr(G)/||G|| of the Gram matrix, for the spectral goals.
	IntrinsicDimension float64

	// Draws, unless 0, is the number of draws for which Plan.Failure is computed.
	Draws int

	// Memory is the most bytes that frequencies and weights may take, and the normal matrix if NormalMatrix is set.
	// 0: no limit.
	Memory       int64
	NormalMatrix bool
}

// Plan is a recommended number of draws: frequencies for cos-sin maps, features
// for the others.
type Plan struct {
	Draws    int
	Formula  string // the bound used
	Relative bool   // Epsilon is relative to the norm of the Gram matrix
	Bytes    int64  // memory of Draws draws
	Capped   bool   // Memory allows fewer draws than the bound needs

	// Failure bounds the probability of an error above Epsilon with Problem.Draws draws. NaN if Problem.Draws is 0, or
	// if the bound has no probability.
	Failure float64
	// Lambda is the ridge of the Statistical goal, convention H, for targets of unit
	// variance; 0 for the other goals.
	Lambda float64
}

// Recommend returns the number of draws that a goal needs. m is an instance of the map with a single draw: its kernel,
// form and Gamma choose the bound, and its sizes give the memory of a draw. Recommend returns an error if no bound is
// known: Laplacian kernels and sign features on a set, dependent draws (orthogonal, structured, quasi-Monte-Carlo),
// Nystroem features, products, and unbounded operators at points (use the Bounded form).
func Recommend(m orff.Map, goal Goal, p Problem) (Plan, error) {
	if goal == Statistical {
		if p.Points < 2 {
			return Plan{}, fmt.Errorf("orff: the statistical goal needs at least 2 samples, got %d", p.Points)
		}
		e, err := bound.Of(m)
		if err != nil { // only the memory of a draw is needed
			e = bound.Estimate{Draws: 1, D: m.Dims().In}
		}
		plan, err := finish(m, e, p, bound.DrawsStatistical(p.Points), "Rudi, Camoriano and Rosasco: sqrt(n) ln n", false)
		plan.Lambda = 1 / math.Sqrt(float64(p.Points))
		return plan, err
	}
	if !(p.Epsilon > 0) || math.IsInf(p.Epsilon, 1) || goal != Spectral && !(p.Delta > 0 && p.Delta < 1) {
		return Plan{}, fmt.Errorf("orff: a bound needs epsilon > 0 and delta in (0, 1), got %g and %g", p.Epsilon, p.Delta)
	}
	if goal != Uniform && p.Points < 2 {
		return Plan{}, fmt.Errorf("orff: the %v goal needs at least 2 points, got %d", goal, p.Points)
	}
	e, err := bound.Of(m)
	if err != nil {
		return Plan{}, err
	}
	n, set := float64(p.Points), bound.Set{Diameter: p.Diameter, Radius: p.Radius}
	switch goal {
	case Entrywise:
		if f := e.Field; f != nil {
			if !f.Bounded {
				return Plan{}, errors.New("orff: no bound at points is known for unbounded operators: use the Bounded form")
			}
			return planOf(m, e, p, bound.BernsteinAtLags(p.Epsilon/e.Norm, p.Points, f.P, f.U, f.V), "matrix Bernstein at all lags", false)
		}
		c, err := e.Spread(set)
		if err != nil {
			return Plan{}, err
		}
		values, formula := n*(n+1)/2, "Hoeffding over all pairs and the diagonal"
		if e.ExactDiagonal {
			values, formula = n*(n-1)/2, "Hoeffding over all pairs"
		}
		return planOf(m, e, p, bound.Hoeffding(p.Epsilon/e.Norm, c, values), formula, false)
	case Uniform:
		if e.Uniform == nil {
			return Plan{}, errors.New("orff: no uniform bound is known for this map")
		}
		bound, formula, err := e.Uniform(p.Epsilon/e.Norm, set)
		if err != nil {
			return Plan{}, err
		}
		return planOf(m, e, p, bound, formula, false)
	case Spectral, SpectralTail:
		if e.Gram == 0 {
			return Plan{}, errors.New("orff: no spectral bound is known for this map")
		}
		if !(p.IntrinsicDimension >= 1) {
			return Plan{}, fmt.Errorf("orff: the intrinsic dimension is at least 1, got %g", p.IntrinsicDimension)
		}
		ratio := p.IntrinsicDimension // n/||G||, equal to tr(G)/||G|| where k(x, x) = 1
		if e.Diagonal != nil {
			least, err := e.Diagonal(set)
			if err != nil {
				return Plan{}, err
			}
			ratio /= least
		}
		if goal == SpectralTail {
			return planOf(m, e, p, bound.BernsteinOfGram(p.Epsilon, p.Points, ratio, e.Gram), "matrix Bernstein, tail", true)
		}
		return finish(m, e, p, bound.DrawsSpectral(p.Epsilon, p.Points, ratio, e.Gram), "matrix Bernstein, expectation", true)
	}
	return Plan{}, fmt.Errorf("orff: unknown goal %v", goal)
}

// planOf plans with a bound on a probability.
func planOf(m orff.Map, e bound.Estimate, p Problem, bound bound.Inequality, formula string, relative bool) (Plan, error) {
	plan, err := finish(m, e, p, bound.Draws(p.Delta), formula, relative)
	if err == nil && p.Draws > 0 {
		plan.Failure = min(1, bound.Failure(float64(p.Draws)))
	}
	return plan, err
}

// finish rounds the draws up and applies the limit of the memory.
func finish(m orff.Map, e bound.Estimate, p Problem, draws float64, formula string, relative bool) (Plan, error) {
	if !(draws < 1e15) {
		return Plan{}, fmt.Errorf("orff: the bound asks for %g draws", draws)
	}
	dims := m.Dims()
	bytes := func(D float64) float64 {
		b := D * (float64(e.D) + float64(dims.Params)/float64(e.Draws))
		if p.NormalMatrix {
			b += numeric.Square(D * float64(dims.Features) / float64(e.Draws))
		}
		return 8 * b
	}
	D := max(1, math.Ceil(draws))
	plan := Plan{Formula: formula, Relative: relative, Failure: math.NaN()}
	if limit := float64(p.Memory); limit > 0 && bytes(D) > limit {
		if bytes(1) > limit {
			return Plan{}, fmt.Errorf("orff: %d bytes do not hold a single draw", p.Memory)
		}
		low, high := 1.0, D // bytes(low) <= limit < bytes(high)
		for high-low > 1 {
			if mid := math.Floor((low + high) / 2); bytes(mid) > limit {
				high = mid
			} else {
				low = mid
			}
		}
		D, plan.Capped = low, true
	}
	plan.Draws, plan.Bytes = int(D), int64(bytes(D))
	return plan, nil
}
