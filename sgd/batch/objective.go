package batch

import (
	"errors"
	"fmt"
	"math"

	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/sgd"
	"github.com/orffvar/forecaster/sgd/internal/numeric"
	"github.com/orffvar/forecaster/sgd/losses"
)

// ObjectiveConfig describes an Objective.
type ObjectiveConfig struct {
	Map sgd.Map

	X, Y   []float64   // M x d, M x q; NaN targets are missing
	Lambda float64     // >= 0, convention H
	Loss   losses.Loss // nil: Squared

	// Observed is V, q x p row-major: the targets are observations of V h(x), such as sums of outputs. nil: the identity,
	// q = p.
	Observed []float64

	// Edges connects samples, labelled or not, whose predictions should be similar. The term has the weight Manifold >= 0.
	Edges    []Edge
	Manifold float64
}

// Edge is an undirected edge between samples I != J of similarity Weight >= 0.
type Edge struct {
	I, J   int
	Weight float64
}

// Objective is the regularised empirical risk of any feature map. It never forms a features x outputs matrix:
//
//	R(theta) = 1/N sum_i loss(V h(x_i), y_i) + lambda/2 ||theta||^2
//	         + manifold/2 sum_edges w_ij ||h(x_i) - h(x_j)||^2
//
// N is the number of samples with a known target. Targets with only some known coordinates give the multi-task loss of
// Brault 2017, section 6.4. A sample without a known coordinate is unlabelled, and is only in the last term. The last term
// is tr(H^T L H) with the graph Laplacian L (Brault 2017, appendix B, prints its inverse).
//
// The features of all samples are kept. It is not safe for concurrent use.
type Objective struct {
	cfg  ObjectiveConfig
	dims sgd.Dims
	n    int // samples
	inv  float64
	observation

	phi  []float64 // M x features
	pred []float64 // M x p
	zero []float64 // targets with 0 in place of known values
	seen []float64 // M x q, then the gradient in it
	e    []float64 // M x p
}

// observation is the linear map V from predictions to observed values, q x p; nil: the identity.
type observation struct {
	v    []float64
	q, p int
}

func newObservation(v []float64, p int) (observation, error) {
	if v == nil {
		return observation{nil, p, p}, nil
	}
	if len(v) == 0 || len(v)%p != 0 || !numeric.Finite(v) {
		return observation{}, fmt.Errorf("sgd: Objective Observed needs whole finite rows of %d numbers, got %d", p, len(v))
	}
	return observation{v, len(v) / p, p}, nil
}

// forward sets the rows of y to V times the rows of h.
func (o observation) forward(y, h []float64) {
	if o.v == nil {
		copy(y, h)
		return
	}
	for i := range len(h) / o.p {
		vec.MatVec(y[i*o.q:(i+1)*o.q], o.v, h[i*o.p:(i+1)*o.p])
	}
}

// backward sets the rows of h to V^T times the rows of y.
func (o observation) backward(h, y []float64) {
	if o.v == nil {
		copy(h, y)
		return
	}
	for i := range len(h) / o.p {
		vec.MatTVec(h[i*o.p:(i+1)*o.p], o.v, y[i*o.q:(i+1)*o.q])
	}
}

// NewObjective computes the features of all samples.
func NewObjective(cfg ObjectiveConfig) (*Objective, error) {
	d := cfg.Map.Dims()
	if d.In < 1 || d.Out < 1 || d.Features < 1 || d.Params < 1 {
		return nil, fmt.Errorf("sgd: Objective sizes must be >= 1, got %+v", d)
	}
	n := len(cfg.X) / d.In
	v, err := newObservation(cfg.Observed, d.Out)
	if err != nil {
		return nil, err
	}
	switch {
	case n < 1 || len(cfg.X) != n*d.In || len(cfg.Y) != n*v.q:
		return nil, fmt.Errorf("sgd: Objective needs rows of %d inputs and %d targets, got %d and %d numbers", d.In, v.q, len(cfg.X), len(cfg.Y))
	case !numeric.Finite(cfg.X):
		return nil, errors.New("sgd: Objective has an input that is not finite")
	case !(cfg.Lambda >= 0) || math.IsInf(cfg.Lambda, 0):
		return nil, fmt.Errorf("sgd: Objective Lambda must be >= 0 and finite, got %g", cfg.Lambda)
	case !(cfg.Manifold >= 0) || math.IsInf(cfg.Manifold, 0):
		return nil, fmt.Errorf("sgd: Objective Manifold must be >= 0 and finite, got %g", cfg.Manifold)
	}
	for _, e := range cfg.Edges {
		if e.I < 0 || e.I >= n || e.J < 0 || e.J >= n || e.I == e.J || !(e.Weight >= 0) || math.IsInf(e.Weight, 0) {
			return nil, fmt.Errorf("sgd: Objective cannot use edge %+v between %d samples", e, n)
		}
	}
	if cfg.Loss == nil {
		cfg.Loss = losses.Squared{}
	}
	o := &Objective{
		cfg:         cfg,
		dims:        d,
		n:           n,
		observation: v,
		phi:         make([]float64, n*d.Features),
		pred:        make([]float64, n*d.Out),
		zero:        make([]float64, n*v.q),
		seen:        make([]float64, n*v.q),
		e:           make([]float64, n*d.Out),
	}
	labelled := 0
	for i := range n {
		cfg.Map.FeaturesTo(o.phi[i*d.Features:(i+1)*d.Features], cfg.X[i*d.In:(i+1)*d.In])
		known := false
		for k := i * v.q; k < (i+1)*v.q; k++ {
			y := cfg.Y[k]
			if math.IsInf(y, 0) {
				return nil, fmt.Errorf("sgd: Objective target of sample %d is infinite", i)
			}
			o.zero[k] = 0 * y // NaN stays
			known = known || !math.IsNaN(y)
		}
		if known {
			labelled++
		}
	}
	if labelled == 0 {
		return nil, errors.New("sgd: Objective has no known target")
	}
	o.inv = 1 / float64(labelled)
	return o, nil
}

// Predictions returns h at all samples for theta, M x p: a view that the next
// call of a method changes.
func (o *Objective) Predictions(theta []float64) []float64 {
	d := o.dims
	for i := range o.n {
		o.cfg.Map.PredictTo(o.pred[i*d.Out:(i+1)*d.Out], o.row(i), theta)
	}
	return o.pred
}

// GradientTo sets g to a subgradient of R at theta and returns R. Both have len
// Params.
func (o *Objective) GradientTo(g, theta []float64) (value float64) {
	return o.gradientTo(g, theta, o.cfg.Loss, o.cfg.Y)
}

// hessianTo sets g = A v, where A is the Hessian of the squared loss.
func (o *Objective) hessianTo(g, v []float64) { o.gradientTo(g, v, losses.Squared{}, o.zero) }

func (o *Objective) row(i int) []float64 {
	r := o.dims.Features
	return o.phi[i*r : (i+1)*r]
}

func (o *Objective) gradientTo(g, theta []float64, loss losses.Loss, y []float64) (value float64) {
	d := o.dims
	if len(g) != d.Params || len(theta) != d.Params {
		panic(numeric.BadLength)
	}
	f := o.Predictions(theta)
	o.forward(o.seen, f)
	value = o.inv * losses.Sum(loss, o.seen, y)
	losses.GradientTo(o.seen, loss, o.seen, y)
	vec.Scale(o.inv, o.seen)
	o.backward(o.e, o.seen)
	if o.cfg.Manifold > 0 {
		value += o.addSmoothness(f)
	}
	clear(g)
	for i := range o.n {
		o.cfg.Map.AddGradient(g, 1, o.row(i), o.e[i*d.Out:(i+1)*d.Out])
	}
	if lambda := o.cfg.Lambda; lambda > 0 {
		value += lambda / 2 * vec.Dot(theta, theta)
		vec.Axpy(lambda, theta, g)
	}
	return value
}

// addSmoothness returns the last term of R for predictions f and adds its
// gradient manifold L f to e.
func (o *Objective) addSmoothness(f []float64) (value float64) {
	p := o.dims.Out
	for _, edge := range o.cfg.Edges {
		w := o.cfg.Manifold * edge.Weight
		for k := range p {
			i, j := edge.I*p+k, edge.J*p+k
			diff := f[i] - f[j]
			value += w / 2 * diff * diff
			o.e[i] += w * diff
			o.e[j] -= w * diff
		}
	}
	return value
}
