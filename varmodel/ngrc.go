package varmodel

import (
	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/sgd/online"
	"github.com/orffvar/forecaster/varmodel/internal/check"
	"github.com/orffvar/forecaster/varmodel/internal/regression"
	"github.com/orffvar/forecaster/varmodel/series"
)

// NGRCConfig describes a vector autoregression on polynomials of the lags.
type NGRCConfig struct {
	Dim        int     // d, coordinates of a sample
	Order      int     // q >= 1, lags
	Horizon    int     // H, forecasts 1 … H steps ahead
	Degree     int     // degree of the polynomials, 2 or 3; 0 means 2
	Ridge      float64 // 0 means DefaultRidge
	Forgetting float64 // weight of a sample after one step, in (0, 1]; 0 means 0.9995
}

// maxMonomials is the largest number of features: it keeps a typing error from exhausting the memory.
const maxMonomials = 20_000

// NewNGRC returns next-generation reservoir computing (Gauthier et al. 2021): the increments are linear in an intercept,
// the lags and all their products up to a degree, learnt by block Newton steps. It suits polynomial dynamics (Lorenz,
// logistic growth, energy balances) of few variables: m = q d lags have m(m+1)/2 products of two.
func NewNGRC(cfg NGRCConfig) (eval.Model, error) {
	if err := check.Lags(cfg.Dim, cfg.Order, cfg.Horizon); err != nil {
		return nil, err
	}
	check.SetDefault(&cfg.Degree, 2)
	check.SetDefault(&cfg.Ridge, regression.DefaultRidge)
	check.SetDefault(&cfg.Forgetting, 0.9995)
	if err := check.Range("Degree", cfg.Degree, 2, 3); err != nil {
		return nil, err
	}
	g := &lagProducts{linear: regression.NewLagDesign(cfg.Dim, cfg.Order, true, nil), degree: cfg.Degree, z: make([]float64, cfg.Dim*cfg.Order)}
	m := len(g.z)
	if cfg.Degree == 3 && m > 50 || m > 200 { // 50: 23,426 products
		m = maxMonomials
	} else {
		m = g.Features()
	}
	if err := check.Range("number of products of Order*Dim lags", m, 1, maxMonomials-1); err != nil {
		return nil, err
	}
	l, err := online.NewBlockNewton(online.BlockNewtonConfig{
		Features: m, Outputs: cfg.Dim, Block: 50, Batch: 4, Ridge: cfg.Ridge, Forgetting: cfg.Forgetting,
	})
	if err != nil {
		return nil, err
	}
	return &regression.Model{Dim: cfg.Dim, Horizon: cfg.Horizon, Depth: cfg.Order, Design: g, Learner: l}, nil
}

// productLimit is the limit of a standardised lag in a product: a cube of the
// usual 10 would drown all other features.
const productLimit = 3

// lagProducts is the linear design followed by the products of two or three lags.
type lagProducts struct {
	linear *regression.LagDesign
	degree int
	z      []float64 // scratch
}

func (g *lagProducts) Features() int {
	m := len(g.z)
	n := g.linear.Features() + m*(m+1)/2
	if g.degree == 3 {
		n += m * (m + 1) * (m + 2) / 6
	}
	return n
}

func (g *lagProducts) Observe(*series.Scaler, *series.History) {}
func (g *lagProducts) State(*snapshot.Codec)                   {}

func (g *lagProducts) FeaturesTo(phi []float64, s *series.Scaler, past *series.History) {
	n := g.linear.Features()
	g.linear.FeaturesTo(phi[:n], s, past)
	copy(g.z, g.linear.Lags)
	for i, v := range g.z {
		g.z[i] = min(max(v, -productLimit), productLimit)
	}
	for i, a := range g.z {
		for j, b := range g.z[:i+1] {
			phi[n] = a * b
			n++
			if g.degree < 3 {
				continue
			}
			for _, c := range g.z[:j+1] {
				phi[n] = a * b * c
				n++
			}
		}
	}
}

func (g *lagProducts) Smooth() error { return nil }

// PullbackTo writes the derivatives by the product rule, at the lags of the last featuresTo.
func (g *lagProducts) PullbackTo(dst, phi, w []float64, s *series.Scaler) {
	n := g.linear.Features()
	g.linear.PullbackTo(dst, phi[:n], w[:n], s)
	// A lag at the limit is constant in all products.
	free := func(i int) float64 {
		if v := g.z[i]; v <= -productLimit || v >= productLimit {
			return 0
		}
		return 1
	}
	for i, a := range g.z {
		for j, b := range g.z[:i+1] {
			dst[i] += free(i) * w[n] * b
			dst[j] += free(j) * w[n] * a
			n++
			if g.degree < 3 {
				continue
			}
			for k, c := range g.z[:j+1] {
				dst[i] += free(i) * w[n] * b * c
				dst[j] += free(j) * w[n] * a * c
				dst[k] += free(k) * w[n] * a * b
				n++
			}
		}
	}
}
