package orff

import (
	"errors"
	"fmt"
	"math"

	"github.com/orffvar/forecaster/orff/internal/check"
	"github.com/orffvar/forecaster/orff/internal/numeric"
	"github.com/orffvar/forecaster/orff/spectrum"
)

// Goal is the guarantee that the number of draws has to give.
type Goal int

const (
	// Entrywise: with probability 1-Delta every kernel value between the Points
	// points is off by at most Epsilon (in the operator norm for p outputs).
	Entrywise Goal = iota
	// Uniform: the same everywhere on a set of the given Diameter or Radius.
	Uniform
	// Spectral: the expected error of the Gram matrix of the Points points is
	// at most Epsilon times its norm, in the operator norm.
	Spectral
	// SpectralTail: the same with probability 1-Delta.
	SpectralTail
	// Statistical: the rate of kernel ridge regression on Points samples is
	// kept, with the ridge Plan.Lambda; Epsilon and Delta have no part in it.
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
	Points  int     // n

	// Diameter of the set of inputs of the Uniform goal; of the set of log(x + c)
	// for kernels on a multiplicative group.
	Diameter float64
	// Radius R with ||x||_1 <= R for every input, for dot-product kernels, and
	// ||x|| <= R for the Uniform goal of compositional kernels; ||x||_1 <= R for the
	// spectral goals of semigroup kernels, too.
	Radius float64
	// IntrinsicDimension tr(G)/||G|| of the Gram matrix, for the spectral goals.
	IntrinsicDimension float64

	// Draws, unless 0, is a number for which Plan.Failure is asked for.
	Draws int

	// Memory caps the draws such that frequencies and weights, and the normal
	// matrix when NormalMatrix is set, take at most that many bytes. 0 is no cap.
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
	Capped   bool   // the memory allows fewer draws than the bound asks for

	// Failure bounds the probability of an error above Epsilon with Problem.Draws draws;
	// NaN where these are 0 or the bound is not one of a probability.
	Failure float64
	// Lambda is the ridge of the Statistical goal, convention H, for targets of unit
	// variance; 0 for the other goals.
	Lambda float64
}

// inequality is a bound of the probability of an error.
type inequality interface {
	failure(draws float64) float64
	draws(delta float64) float64
}

// estimate has the quantities of a map in error bounds.
type estimate struct {
	draws int // of this instance, for the memory of one draw
	d     int
	norm  float64 // of the operator in front: ||Gamma|| times the weights

	// A draw contributes kernel values in an interval of half width spread; the
	// norm of its Gram matrix is at most gram n.
	spread        func(p Problem) (float64, error)
	exactDiagonal bool
	gram          float64
	// diagonal is the least k(x, x) before any weight; nil where it is 1.
	diagonal func(p Problem) (float64, error)

	uniform func(eps float64, p Problem) (bound inequality, formula string, err error)
	field   *uniformField // operator-valued draws; then spread and gram are unused
}

// estimator is a Scalar or Map that bounds are known for.
type estimator interface{ estimate() (estimate, error) }

var errNoBound = errors.New("orff: no error bound is known for this map: plan its parts, or measure")

func estimateOf(m any) (estimate, error) {
	if e, ok := m.(estimator); ok {
		return e.estimate()
	}
	return estimate{}, errNoBound
}

// Recommend returns the number of draws that a goal needs. m is an instance of
// the map with a single draw: its kernel, form and Gamma choose the bound, its sizes are the
// memory of a draw. It returns an error when no bound is known: a Laplacian kernel or sign
// features on a set, dependent draws (orthogonal, structured, quasi-Monte-Carlo), Nystroem
// features, products, and unbounded operators at points (use the Bounded form).
func Recommend(m Map, goal Goal, p Problem) (Plan, error) {
	if goal == Statistical {
		if p.Points < 2 {
			return Plan{}, fmt.Errorf("orff: the statistical goal needs at least 2 samples, got %d", p.Points)
		}
		e, err := estimateOf(m)
		if err != nil { // no bound is needed, only the memory of a draw
			e = estimate{draws: 1, d: m.Dims().In}
		}
		plan, err := finish(m, e, p, drawsStatistical(p.Points), "Rudi, Camoriano and Rosasco: sqrt(n) ln n", false)
		plan.Lambda = 1 / math.Sqrt(float64(p.Points))
		return plan, err
	}
	if !(p.Epsilon > 0) || math.IsInf(p.Epsilon, 1) || goal != Spectral && !(p.Delta > 0 && p.Delta < 1) {
		return Plan{}, fmt.Errorf("orff: a bound needs epsilon > 0 and delta in (0, 1), got %g and %g", p.Epsilon, p.Delta)
	}
	if goal != Uniform && p.Points < 2 {
		return Plan{}, fmt.Errorf("orff: the %v goal needs at least 2 points, got %d", goal, p.Points)
	}
	e, err := estimateOf(m)
	if err != nil {
		return Plan{}, err
	}
	n := float64(p.Points)
	switch goal {
	case Entrywise:
		if f := e.field; f != nil {
			if !f.bounded {
				return Plan{}, errors.New("orff: no bound at points is known for unbounded operators: use the Bounded form")
			}
			return planOf(m, e, p, bernsteinAtLags(p.Epsilon/e.norm, p.Points, f.p, f.u, f.v), "matrix Bernstein at all lags", false)
		}
		c, err := e.spread(p)
		if err != nil {
			return Plan{}, err
		}
		values, formula := n*(n+1)/2, "Hoeffding over all pairs and the diagonal"
		if e.exactDiagonal {
			values, formula = n*(n-1)/2, "Hoeffding over all pairs"
		}
		return planOf(m, e, p, hoeffding(p.Epsilon/e.norm, c, values), formula, false)
	case Uniform:
		if e.uniform == nil {
			return Plan{}, errors.New("orff: no uniform bound is known for this map")
		}
		bound, formula, err := e.uniform(p.Epsilon/e.norm, p)
		if err != nil {
			return Plan{}, err
		}
		return planOf(m, e, p, bound, formula, false)
	case Spectral, SpectralTail:
		if e.gram == 0 {
			return Plan{}, errors.New("orff: no spectral bound is known for this map")
		}
		if !(p.IntrinsicDimension >= 1) {
			return Plan{}, fmt.Errorf("orff: the intrinsic dimension is at least 1, got %g", p.IntrinsicDimension)
		}
		ratio := p.IntrinsicDimension // n/||G||, the same where k(x, x) = 1
		if e.diagonal != nil {
			least, err := e.diagonal(p)
			if err != nil {
				return Plan{}, err
			}
			ratio /= least
		}
		if goal == SpectralTail {
			return planOf(m, e, p, bernsteinOfGram(p.Epsilon, p.Points, ratio, e.gram), "matrix Bernstein, tail", true)
		}
		return finish(m, e, p, drawsSpectral(p.Epsilon, p.Points, ratio, e.gram), "matrix Bernstein, expectation", true)
	}
	return Plan{}, fmt.Errorf("orff: unknown goal %v", goal)
}

// planOf plans by a bound of a probability.
func planOf(m Map, e estimate, p Problem, bound inequality, formula string, relative bool) (Plan, error) {
	plan, err := finish(m, e, p, bound.draws(p.Delta), formula, relative)
	if err == nil && p.Draws > 0 {
		plan.Failure = min(1, bound.failure(float64(p.Draws)))
	}
	return plan, err
}

// finish rounds up and applies the memory budget.
func finish(m Map, e estimate, p Problem, draws float64, formula string, relative bool) (Plan, error) {
	if !(draws < 1e15) {
		return Plan{}, fmt.Errorf("orff: the bound asks for %g draws", draws)
	}
	dims := m.Dims()
	bytes := func(D float64) float64 {
		b := D * (float64(e.d) + float64(dims.Params)/float64(e.draws))
		if p.NormalMatrix {
			b += numeric.Square(D * float64(dims.Features) / float64(e.draws))
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

// The estimates of the scalar maps.

func constant(c float64) func(Problem) (float64, error) {
	return func(Problem) (float64, error) { return c, nil }
}

// spectrumUniform is the bound of Rahimi and Recht.
func spectrumUniform(s spectrum.Spectrum, d int) func(float64, Problem) (inequality, string, error) {
	return func(eps float64, p Problem) (inequality, string, error) {
		v := s.Variance()
		if math.IsInf(v, 1) {
			return nil, "", errors.New("orff: no uniform bound: the frequencies of this kernel have no variance")
		}
		if err := check.Positive("the diameter of the set of inputs", p.Diameter); err != nil {
			return nil, "", err
		}
		second := math.Sqrt(float64(d) * v)
		eps = min(eps, second*p.Diameter)
		return rahimiRecht(eps, d, second, p.Diameter), "Rahimi and Recht on a compact set", nil
	}
}

func (f *Fourier) estimate() (estimate, error) {
	if f.spectrum == nil || f.fast != nil || spectrum.Dependent(f.spectrum) {
		return estimate{}, errNoBound
	}
	return estimate{draws: f.n, d: f.d, norm: f.mass(), spread: constant(1), exactDiagonal: true, gram: 1, uniform: spectrumUniform(f.spectrum, f.d)}, nil
}

func (f *phaseScalar) estimate() (estimate, error) {
	if spectrum.Dependent(f.spectrum) {
		return estimate{}, errNoBound
	}
	return estimate{draws: f.n, d: f.d, norm: f.mass(), spread: constant(2), gram: 2}, nil
}

func (f *angularScalar) estimate() (estimate, error) {
	return estimate{draws: f.n, d: f.d, norm: f.mass(), spread: constant(1), exactDiagonal: true, gram: 1}, nil
}

// A term exp(-omega.(x+z)) lies in [0, 1]. The trace of the Gram matrix is not n, as for other
// kernels, but at least n times the smallest k(x, x). k(x, x) is smallest where all coordinates are
// equal, because -ln k(x, x) is a sum of concave functions of the coordinates.
func (f *Semigroup) estimate() (estimate, error) {
	least := func(p Problem) (float64, error) {
		if err := check.Positive("the radius of the inputs", p.Radius); err != nil {
			return 0, err
		}
		x := make([]float64, f.d)
		for k := range x {
			x[k] = p.Radius / float64(f.d)
		}
		return f.at(x, x, 1), nil
	}
	return estimate{draws: f.n, d: f.d, norm: f.mass(), spread: constant(0.5), gram: 1, diagonal: least}, nil
}

// On its group the kernel is shift invariant, so the bounds hold for log(x + c).
func (f *logarithmicScalar) estimate() (estimate, error) { return estimateOf(f.inner) }

func (f *maclaurinScalar) estimate() (estimate, error) {
	if f.proj != Rademacher {
		return estimate{}, errors.New("orff: no error bound: a feature with normal vectors is unbounded, use Rademacher vectors")
	}
	spread := func(p Problem) (float64, error) {
		if err := check.Positive("the radius of the inputs", p.Radius); err != nil {
			return 0, err
		}
		return productBound(f.series, f.law, p.Radius*p.Radius)
	}
	uniform := func(eps float64, p Problem) (inequality, string, error) {
		g, ok := f.law.(Geometric)
		if !ok {
			return nil, "", errors.New("orff: the uniform bound of random Maclaurin features is known for the geometric law only")
		}
		c1, err := spread(p)
		if err != nil {
			return nil, "", err
		}
		r := p.Radius
		l1 := r*f.series.Slope(r*r) + g.P*g.P/(g.P-1)*r*math.Sqrt(float64(f.d))*f.series.Slope(g.P*r*r)
		return maclaurinUniform(eps, p, f.d, c1, l1)
	}
	return estimate{draws: f.n, d: f.d, norm: f.mass(), spread: spread, uniform: uniform}, nil
}

func (f *compositionalScalar) estimate() (estimate, error) {
	if spectrum.Dependent(f.spectrum) {
		return estimate{}, errNoBound
	}
	const cw = 2 // W(x) W(z) of the phase form
	spread := func(Problem) (float64, error) { return productBound(f.series, f.law, cw) }
	uniform := func(eps float64, p Problem) (inequality, string, error) {
		g, ok := f.law.(Geometric)
		if !ok {
			return nil, "", errors.New("orff: the uniform bound of compositional features is known for the geometric law only")
		}
		if err := check.Positive("the radius of the inputs", p.Radius); err != nil {
			return nil, "", err
		}
		c1, err := spread(p)
		if err != nil {
			return nil, "", err
		}
		// E||omega|| bounds the slope of k and, times sqrt(2), the slope of W.
		s := math.Sqrt(float64(f.d) * f.spectrum.Variance())
		if math.IsInf(s, 1) {
			return nil, "", errors.New("orff: no uniform bound: the frequencies of the inner kernel have no variance")
		}
		l1 := s*f.series.Slope(1) + math.Sqrt2*s*g.P*g.P/(g.P-1)*math.Sqrt(cw)*f.series.Slope(g.P*cw)
		return maclaurinUniform(eps, p, f.d, c1, l1)
	}
	return estimate{draws: f.n, d: f.d, norm: f.mass(), spread: spread, uniform: uniform}, nil
}

func maclaurinUniform(eps float64, p Problem, d int, c1, l1 float64) (inequality, string, error) {
	eps = min(eps, 16*p.Radius*l1)
	return maclaurinOnASet(eps, d, p.Radius, c1, l1), "Kar and Karnick, net over pairs", nil
}

// productBound bounds |Z(x) Z(z)| when a factor at x times one at z is at most t:
// (P/(P-1)) f(P t) for the geometric law, else the largest a_n/P_n t^n.
func productBound(s Series, law DegreeLaw, t float64) (float64, error) {
	var c float64
	if g, ok := law.(Geometric); ok {
		c = g.P / (g.P - 1) * s.At(g.P*t)
	} else {
		for n, power := 0, 1.0; n < maxDegree; n, power = n+1, power*t {
			if a := s.Coefficient(n); a > 0 {
				c = max(c, a/law.Probability(n)*power)
			}
		}
	}
	if !numeric.Finite([]float64{c}) {
		return 0, errors.New("orff: no error bound: the features are unbounded at this radius, use a smaller one or a truncated series")
	}
	return c, nil
}

// The estimates of the operator-valued maps.

func (m *Decomposable) estimate() (estimate, error) {
	e, err := estimateOf(m.scalar)
	if err != nil {
		return e, err
	}
	g, _, err := numeric.EigenSym(m.p, m.out.Gamma())
	if err != nil {
		return e, err
	}
	e.norm *= g[len(g)-1]
	return e, nil
}

// fieldEstimate scales the kernel to the weight 1 by its mass.
func fieldEstimate(f *field, k0, second float64) estimate {
	d := float64(f.d)
	s2 := f.sigma * f.sigma
	a := d / s2
	u := &uniformField{d: f.d, p: f.d, bounded: f.form == Bounded}
	if u.bounded {
		u.u, u.v = a+k0, a*k0
		u.m = a * chiMoment(f.d+2, 1) / f.sigma
	} else {
		u.u, u.v = 4*(orliczNorm(f.d, f.sigma)+k0), second
		u.m = chiMoment(f.d, 3) / (s2 * f.sigma)
	}
	e := estimate{draws: f.n, d: f.d, norm: f.mass(), field: u}
	e.uniform = func(eps float64, p Problem) (inequality, string, error) {
		if err := check.Positive("the diameter of the set of inputs", p.Diameter); err != nil {
			return nil, "", err
		}
		// The bound is not free of units: scale the kernel to ||K0(0)|| = 1.
		scaled := *u
		scaled.m, scaled.u, scaled.v = u.m/k0, u.u/k0, u.v/(k0*k0)
		return onBall{scaled, eps / k0, p.Diameter}, "Brault, uniform on a ball", nil
	}
	return e
}

// E||A^2|| of the unbounded maps is (d+2)/sigma^4 and (d+2)(d-1)/sigma^4.
func (m *CurlFree) estimate() (estimate, error) {
	s2 := m.sigma * m.sigma
	return fieldEstimate(&m.field, 1/s2, float64(m.d+2)/(s2*s2)), nil
}

func (m *DivergenceFree) estimate() (estimate, error) {
	s2, d := m.sigma*m.sigma, float64(m.d)
	return fieldEstimate(&m.field, (d-1)/s2, (d+2)*(d-1)/(s2*s2)), nil
}

func (b *Blocks) estimate() (estimate, error) {
	m := b.blocks[0]
	if !b.kept {
		m = b.drawn
	}
	e, err := estimateOf(m)
	n := len(b.blocks)
	e.draws *= n
	e.norm *= float64(n)
	return e, err
}
