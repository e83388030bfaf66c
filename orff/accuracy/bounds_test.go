package accuracy

import (
	"math"
	"testing"

	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/internal/bound"
	"github.com/orffvar/forecaster/orff/internal/maptest"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/semigroup"
	"github.com/orffvar/forecaster/orff/vectorfield"
	"gonum.org/v1/gonum/stat/distuv"
)

// C3.1: Entrywise at n points, by Hoeffding: D ≥ (8/ε²) ln(n(n+1)/δ) for the phase form, D ≥
// (2/ε²) ln(n(n−1)/δ) for the cos-sin and sign forms.
//
// C3.1, tail: for orthogonal inputs the terms of the angular kernel are fair signs, whose
// mean has a binomial tail. Hoeffding's bound is above it, and its exponent is the exact
// one but for a tenth: a factor of 2 in the exponent, either way, would fail.
func TestC3_1_HoeffdingTailIsSharp(t *testing.T) {
	for _, c := range []struct {
		draws int
		eps   float64
	}{{1000, .2}, {4000, .1}, {16000, .05}, {400, .4}} {
		D := float64(c.draws)
		b := distuv.Binomial{N: D, P: .5}
		exact := 2 * (b.CDF(math.Floor(D * (1 - c.eps) / 2)))
		bound := bound.Hoeffding(c.eps, 1, 1).Failure(D)
		if !(bound >= exact) {
			t.Errorf("D = %d, epsilon = %g: the bound %g is below the probability %g", c.draws, c.eps, bound, exact)
		}
		if r := math.Log(exact) / math.Log(bound); !(r <= 1.2) {
			t.Errorf("D = %d, epsilon = %g: the exponent is %.2f times that of the bound", c.draws, c.eps, r)
		}
	}
	m := scalarMap(orff.NewAngular(2, 1, random.New(1)))
	p := plan(t, m, Entrywise, Problem{Epsilon: .1, Delta: .05, Points: 2, Draws: 4000})
	maptest.Near(t, "failure of a plan", p.Failure, bound.Hoeffding(.1, 1, 1).Failure(4000), 1e-15)
}

// gramErrors returns, over runs draws, the share of relative errors of the Gram matrix of the map at x above eps, in
// the spectral norm, and their mean.
func gramErrors(t *testing.T, build func(D int, r random.Rand) orff.Map, x []float64, D, runs int, eps float64) (share, mean float64) {
	t.Helper()
	for seed := range runs {
		got, err := Measure(build(D, random.Block(uint64(seed), 1)), x, eps)
		if err != nil {
			t.Fatal(err)
		}
		mean += got.RelativeOperator / float64(runs)
		if got.RelativeOperator > eps {
			share += 1 / float64(runs)
		}
	}
	return share, mean
}

// C3.4: Spectral norm of the Gram matrix, by matrix Bernstein: D = m I ln(2n) ((√2 + √(2 +
// 8ε/3))/(2ε))², I = tr G/‖G‖, m = 2 for the phase form, else 1. Tail: P(‖G~ − G‖ > ε‖G‖) ≤ 2n
// exp(−D ε²/(2 m I (1 + 2ε/3))). Semigroup kernels have k(x, x) < 1: for them I is n/‖G‖, at most
// the intrinsic dimension over the least k(x, x).
//
// C3.4, tail: for orthogonal inputs the sign features have E[R^2] = n G, all that the bound
// allows. It holds at its number of draws, and not at a quarter of it: a factor of 4 in
// the exponent would fail, and so would a union over the n^2 entries.
func TestC3_4_TailOfTheGramMatrix(t *testing.T) {
	const n, eps, delta, runs = 16, .5, .1, 40
	x := make([]float64, n*n)
	for i := range n {
		x[i*n+i] = 1
	}
	angular := func(D int, r random.Rand) orff.Map { return scalarMap(orff.NewAngular(n, D, r)) }
	p := plan(t, angular(1, random.New(1)), SpectralTail, Problem{Epsilon: eps, Delta: delta, Points: n, IntrinsicDimension: n, Draws: 1000})
	maptest.Near(t, "failure", p.Failure, min(1, 2*n*math.Exp(-1000*eps*eps/2/(n+2*n*eps/3))), 1e-12)
	if !p.Relative {
		t.Error("the error is relative to the norm")
	}
	if share, _ := gramErrors(t, angular, x, p.Draws, runs, eps); !(share <= delta) {
		t.Errorf("%d draws: %g of the runs fail", p.Draws, share)
	}
	if share, _ := gramErrors(t, angular, x, p.Draws/4, runs, eps); !(share > delta) {
		t.Errorf("%d draws: only %g of the runs fail, the bound is four times too large", p.Draws/4, share)
	}
	// A bound on the expectation needs fewer draws than a bound with probability .9.
	if d := plan(t, angular(1, random.New(1)), Spectral, Problem{Epsilon: eps, Points: n, IntrinsicDimension: n}).Draws; d >= p.Draws {
		t.Errorf("%d draws for the expectation, %d for the tail", d, p.Draws)
	}
}

// C3.5: Operator-valued at n points, bounded maps: D ≥ (2(v + uε/3)/ε²) ln(2p (n(n−1)/2 + 1)/δ);
// curl-free u = (d+1)/σ², v = d/σ⁴; divergence-free u = (2d−1)/σ², v = d(d−1)/σ⁴.
//
// C3.5, tail: the error of a bounded vector field at one lag and at zero.
func TestC3_5_TailAtLags(t *testing.T) {
	const eps, delta, runs = .3, .1, 300
	x := []float64{0, 0, .7, -.4}
	for name, build := range map[string]func(D int, r random.Rand) orff.Map{
		"curl-free": func(D int, r random.Rand) orff.Map {
			return maptest.Must(vectorfield.NewCurlFree(1, 2, D, vectorfield.Bounded, r))
		},
		"divergence-free": func(D int, r random.Rand) orff.Map {
			return maptest.Must(vectorfield.NewDivergenceFree(1, 2, D, vectorfield.Bounded, false, r))
		},
	} {
		D := plan(t, build(1, random.New(1)), Entrywise, Problem{Epsilon: eps, Delta: delta, Points: 2}).Draws
		fails := func(D int) (share float64) {
			for seed := range runs {
				got, err := Measure(build(D, random.Block(uint64(seed), 1)), x, eps)
				if err != nil {
					t.Fatal(err)
				}
				if got.Max > eps {
					share += 1. / runs
				}
			}
			return share
		}
		if share := fails(D); !(share <= delta) {
			t.Errorf("%s, %d draws: %g of the runs fail", name, D, share)
		}
		if share := fails(D / 8); !(share > delta) {
			t.Errorf("%s, %d draws: only %g of the runs fail, the bound is eight times too large", name, D/8, share)
		}
	}
}

// The Gram matrix of a semigroup kernel has a trace below n, and the bound depends on it: if k(x, x) is smaller at both
// points, more draws are necessary.
func TestSpectralBoundOfSemigroupKernels(t *testing.T) {
	const eps, runs = .1, 60
	for name, c := range map[string]struct {
		law semigroup.Law
		at  float64 // each of two coordinates
	}{"exponential": {semigroup.Exponential, 2.65}, "reciprocal": {semigroup.Reciprocal, 4.5}} {
		build := func(D int, r random.Rand) orff.Map { return scalarMap(semigroup.New(c.law, 1, 2, D, r)) }
		x := []float64{c.at, c.at, c.at, c.at} // I = 1
		problem := Problem{Epsilon: eps, Delta: .1, Points: 2, IntrinsicDimension: 1, Radius: 2 * c.at}
		k := orff.Kernel(maptest.Must(semigroup.New(c.law, 1, 2, 1, random.New(1))), x[:2], x[:2])
		if !(k >= .008 && k <= .012) {
			t.Fatalf("%s: k(x, x) = %g", name, k)
		}
		for _, goal := range []Goal{Spectral, SpectralTail} {
			D := plan(t, build(1, random.New(1)), goal, problem).Draws
			if _, mean := gramErrors(t, build, x, D, runs, eps); !(mean <= eps) {
				t.Errorf("%s, %v: an error of %g with %d draws", name, goal, mean, D)
			}
		}
		// A bound with the trace n does not hold.
		naive := int(math.Ceil(bound.DrawsSpectral(eps, 2, 1, 1)))
		if _, mean := gramErrors(t, build, x, naive, runs, eps); !(mean > eps) {
			t.Errorf("%s: an error of %g with %d draws, which the bound without the trace asks for", name, mean, naive)
		}
		problem.Radius = 0
		if _, err := Recommend(build(1, random.New(1)), Spectral, problem); err == nil {
			t.Errorf("%s: a bound without a radius", name)
		}
	}
}
