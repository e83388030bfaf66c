package kernel

import (
	"errors"
	"fmt"
	"math"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/orff/nystroem"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
	"github.com/orffvar/forecaster/sgd/online"
	"github.com/orffvar/forecaster/varmodel/internal/check"
	"github.com/orffvar/forecaster/varmodel/internal/regression"
	"github.com/orffvar/forecaster/varmodel/series"
	"github.com/orffvar/forecaster/varmodel/units"
)

// KRLSConfig describes kernel recursive least squares in a space of features.
type KRLSConfig struct {
	Dim     int // d, coordinates of a sample
	Order   int // q >= 1, lags
	Horizon int // H, forecasts 1 … H steps ahead

	// Features draws the feature map of the scalar kernel with bandwidth 1, on Order*Dim scaled lags. NewNystroem
	// ignores it.
	Features func(r random.Rand) (orff.Scalar, error)
	Output   coupling.Operator // Gamma; the zero value is the identity
	Seed     uint64

	Inputs    units.Scale
	Bandwidth float64   // in units of the median distance between inputs; 0 means 1
	Law       units.Law // of the kernel between the coordinates of an increment
	NoLinear  bool      // leave out the intercept and the lags themselves

	Ridge      float64 // 0 means DefaultRidge
	Forgetting float64 // weight of a sample after one step, in (0, 1]; 0 means 0.9995
}

// NewKRLS returns kernel recursive least squares for a decomposable kernel k Gamma (Amblard and Kadri 2015, in the space of
// the features of k): after each sample the weights minimise the weighted squared errors so far exactly. A sample costs
// O(features^2) for each distinct eigenvalue of Gamma.
func NewKRLS(cfg KRLSConfig) (eval.Model, error) {
	if cfg.Features == nil {
		return nil, errors.New("varmodel: Features is missing")
	}
	s, err := cfg.Features(random.Block(cfg.Seed, 1))
	if err != nil {
		return nil, err
	}
	return newKRLS(&cfg, s, s.Len(), nil)
}

// NystroemConfig describes kernel recursive least squares on Nystroem features.
type NystroemConfig struct {
	KRLSConfig                   // without Features
	Spectrum   spectrum.Spectrum // spectrum of the kernel with bandwidth 1
	Landmarks  int               // M, number of landmarks; 0 means 50
}

// NewNystroem returns kernel recursive least squares on Nyström features: M landmarks are drawn from the first inputs. On
// data that fill little of their space it needs fewer features than random frequencies do. The features of an input far
// from all landmarks vanish.
func NewNystroem(cfg NystroemConfig) (eval.Model, error) {
	check.SetDefault(&cfg.Landmarks, 50)
	if err := check.Range("Landmarks", cfg.Landmarks, 1, 2000); err != nil {
		return nil, err
	}
	if cfg.Spectrum == nil {
		return nil, errors.New("varmodel: Spectrum is missing")
	}
	if err := check.Lags(cfg.Dim, cfg.Order, cfg.Horizon); err != nil {
		return nil, err
	}
	in := cfg.Dim * cfg.Order
	one, err := nystroem.New(cfg.Spectrum, in, make([]float64, in))
	if err != nil {
		return nil, err
	}
	return newKRLS(&cfg.KRLSConfig, nil, cfg.Landmarks, &deferredFeatures{
		build: func(points []float64) (orff.Scalar, error) {
			return nystroem.New(cfg.Spectrum, in, nystroem.Landmarks(points, in, cfg.Landmarks, cfg.Seed))
		},
		rough: one.Smooth(),
	})
}

// deferredFeatures are features that are built from the first inputs.
type deferredFeatures struct {
	build func(points []float64) (orff.Scalar, error)
	rough error // reason why they have no derivative; nil: they have one
}

func newKRLS(cfg *KRLSConfig, s orff.Scalar, length int, deferred *deferredFeatures) (eval.Model, error) {
	if err := check.Lags(cfg.Dim, cfg.Order, cfg.Horizon); err != nil {
		return nil, err
	}
	if s != nil && s.In() != cfg.Dim*cfg.Order {
		return nil, fmt.Errorf("varmodel: Features have %d inputs, %d lags of %d coordinates need %d", s.In(), cfg.Order, cfg.Dim, cfg.Dim*cfg.Order)
	}
	check.SetDefault(&cfg.Forgetting, 0.9995)
	if err := regression.DefaultRLS(&cfg.Ridge, &cfg.Forgetting); err != nil {
		return nil, err
	}
	input, err := units.NewLags(cfg.Dim, cfg.Order, cfg.Inputs, cfg.Bandwidth)
	if err != nil {
		return nil, err
	}
	if deferred != nil && length > units.Warmup {
		input.WarmUpOver(length)
	}
	g := &featureDesign{
		input: input, scalar: s, deferred: deferred, length: length,
		// Scales the features to about unit size, for which the ridge is chosen.
		scale: math.Sqrt(float64(length) / 2),
		x:     make([]float64, cfg.Dim*cfg.Order), phi: make([]float64, length), c: make([]float64, length),
	}
	g.gradient = make([]float64, len(g.x))
	if !cfg.NoLinear {
		g.linear = regression.NewLagDesign(cfg.Dim, cfg.Order, true, nil)
	}
	l, err := newOperatorRLS(cfg.Dim, cfg.Output, online.RLSConfig{
		Features: g.Features(), Ridge: cfg.Ridge, Forgetting: cfg.Forgetting, MaxLeverage: 1,
	})
	if err != nil {
		return nil, err
	}
	return &regression.Model{Dim: cfg.Dim, Horizon: cfg.Horizon, Depth: cfg.Order, Law: cfg.Law, Design: g, Learner: l}, nil
}

// featureDesign is the linear design followed by the features of any scalar kernel, which are zero until the bandwidth is
// known.
type featureDesign struct {
	linear   *regression.LagDesign // nil: no linear part
	input    *units.Lags
	scalar   orff.Scalar       // nil until deferred has built it
	deferred *deferredFeatures // nil: scalar needs no data
	length   int
	scale    float64

	x, phi, c, gradient []float64 // scratch
}

func (g *featureDesign) linearFeatures() int {
	if g.linear == nil {
		return 0
	}
	return g.linear.Features()
}

func (g *featureDesign) Features() int { return g.linearFeatures() + g.length }

func (g *featureDesign) Observe(s *series.Scaler, past *series.History) {
	known := g.input.Bandwidth() != 0
	g.input.Observe(s, past)
	if !known && g.input.Bandwidth() != 0 {
		g.build()
	}
}

// build builds the deferred features from the inputs that determined the bandwidth. It is called once, and allocates.
func (g *featureDesign) build() {
	if g.deferred == nil {
		return
	}
	points := append([]float64(nil), g.input.Points()...)
	vec.Scale(1/g.input.Bandwidth(), points)
	s, err := g.deferred.build(points)
	if err == nil { // the Gram matrix of finite points has a decomposition; without one, features would stay zero
		g.scalar = s
	}
}

func (g *featureDesign) FeaturesTo(phi []float64, s *series.Scaler, past *series.History) {
	n := g.linearFeatures()
	if n > 0 {
		g.linear.FeaturesTo(phi[:n], s, past)
	}
	random := phi[n:]
	clear(random)
	clear(g.phi)
	if g.input.Bandwidth() == 0 || g.scalar == nil {
		return
	}
	g.input.FeaturesTo(g.x, s, past)
	g.scalar.FeaturesTo(g.phi[:g.scalar.Len()], g.x)
	for i, v := range g.phi {
		if !math.IsNaN(v) { // outside of the domain of the kernel
			random[i] = g.scale * v
		}
	}
}

func (g *featureDesign) Smooth() error {
	if g.deferred != nil {
		return g.deferred.rough
	}
	s, ok := g.scalar.(orff.SmoothScalar)
	if !ok {
		return fmt.Errorf("%T has no derivative", g.scalar)
	}
	return s.Smooth()
}

func (g *featureDesign) PullbackTo(dst, phi, w []float64, s *series.Scaler) {
	n := g.linearFeatures()
	clear(dst)
	if n > 0 {
		g.linear.PullbackTo(dst, phi[:n], w[:n], s)
	}
	if g.input.Bandwidth() == 0 || g.scalar == nil {
		return
	}
	for i, v := range w[n:] {
		g.c[i] = g.scale * v
	}
	used := g.scalar.Len()
	g.scalar.(orff.SmoothScalar).GradientTo(g.gradient, g.x, g.phi[:used], g.c[:used])
	g.input.PullTo(g.gradient, s)
	for i, v := range g.gradient {
		dst[i] += v
	}
}

func (g *featureDesign) State(c *snapshot.Codec) {
	g.input.State(c)
	if g.deferred == nil {
		g.scalar.State(c)
	} else if c.Decoding() && g.input.Bandwidth() != 0 {
		g.build() // the same points and the same seed give the same features
	}
}

// operatorRLS is recursive least squares for a decomposable kernel k Gamma. With Gamma = U diag(g) U^T, the outputs
// z = U^T y are independent problems with the ridge lambda/g_k. Outputs with equal g share the inverse covariance.
type operatorRLS struct {
	groups []*online.RLS
	sizes  []int
	u      []float64 // U^T, p' x p; nil: the identity
	z, e   []float64 // p'
	theta  []float64 // scratch of Weights
	dim    int
}

func newOperatorRLS(dim int, out coupling.Operator, cfg online.RLSConfig) (*operatorRLS, error) {
	p, _ := out.Dims()
	l := &operatorRLS{dim: dim, theta: make([]float64, dim*cfg.Features)}
	if p == 0 || out.IsIdentity() {
		if p != 0 && p != dim {
			return nil, fmt.Errorf("varmodel: Output is of order %d, there are %d coordinates", p, dim)
		}
		cfg.Outputs = dim
		r, err := online.NewRLS(cfg)
		if err != nil {
			return nil, err
		}
		l.groups, l.sizes = []*online.RLS{r}, []int{dim}
		return l, nil
	}
	if p != dim {
		return nil, fmt.Errorf("varmodel: Output is of order %d, there are %d coordinates", p, dim)
	}
	gains, u, err := eigenOf(out)
	if err != nil {
		return nil, err
	}
	l.u = u
	l.z, l.e = make([]float64, len(gains)), make([]float64, len(gains))
	for k := 0; k < len(gains); {
		first := k
		for k < len(gains) && gains[k] == gains[first] {
			k++
		}
		c := cfg
		c.Ridge, c.Outputs = cfg.Ridge/gains[first], k-first
		r, err := online.NewRLS(c)
		if err != nil {
			return nil, err
		}
		l.groups, l.sizes = append(l.groups, r), append(l.sizes, k-first)
	}
	return l, nil
}

func (l *operatorRLS) PredictTo(y, phi []float64) {
	if l.u == nil {
		l.groups[0].PredictTo(y, phi)
		return
	}
	k := 0
	for i, r := range l.groups {
		r.PredictTo(l.z[k:k+l.sizes[i]], phi)
		k += l.sizes[i]
	}
	vec.MatTVec(y, l.u, l.z)
}

// Update learns from the error e. A missing coordinate, whose error is 0, counts as forecast exactly, because each output
// z_k depends on all coordinates.
func (l *operatorRLS) Update(phi, e []float64) {
	if l.u == nil {
		l.groups[0].Update(phi, e)
		return
	}
	vec.MatVec(l.e, l.u, e)
	k := 0
	for i, r := range l.groups {
		r.Update(phi, l.e[k:k+l.sizes[i]])
		k += l.sizes[i]
	}
}

// Weights returns Theta, p x M. The next call overwrites it.
func (l *operatorRLS) Weights() []float64 {
	if l.u == nil {
		return l.groups[0].Weights()
	}
	clear(l.theta)
	m := len(l.theta) / l.dim
	k := 0
	for i, r := range l.groups {
		a := r.Weights()
		for j := range l.sizes[i] {
			vec.AddOuter(l.theta, 1, l.u[(k+j)*l.dim:(k+j+1)*l.dim], a[j*m:(j+1)*m])
		}
		k += l.sizes[i]
	}
	return l.theta
}

func (l *operatorRLS) State(c *snapshot.Codec) {
	c.Section("operator-rls")
	for _, r := range l.groups {
		r.State(c)
	}
}
