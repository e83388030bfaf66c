package interval

import (
	"math"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
	"github.com/orffvar/forecaster/sgd/functional"
	"github.com/orffvar/forecaster/sgd/rates"
	"github.com/orffvar/forecaster/varmodel/internal/check"
)

// LevelSetConfig describes an anomaly score by level sets.
type LevelSetConfig struct {
	Dim         int     // d, coordinates of a sample
	Order       int     // q >= 1, lags that are scored together
	Frequencies int     // number of frequencies of the lag kernel; 0 means 100
	Bandwidth   float64 // bandwidth of the lag kernel, in units of the median distance; 0 means 0.5
	Seed        uint64
}

const (
	tauFrequencies = 10  // number of frequencies of the kernel of tau or nu
	tauBandwidth   = .3  // bandwidth of that kernel: neighbouring level sets are similar
	tausPerStep    = 8   // number of values drawn for a gradient step
	tauGridSize    = 19  // number of values of nu in a score
	scoredAfter    = 100 // distances before there is a rank
	rankedAmong    = 500
)

// NewLevelSets returns m with forecasters that implement eval.Detector by the continuous one-class support vector machine of
// Brault 2017, section 9.1.5, learnt online. For each fraction nu it estimates a set of lag vectors with a fraction nu
// outside. The distance of a lag vector is its mean distance outside of these sets over nu, and the score is the rank of this
// distance among the last 500 lag vectors of the series.
func NewLevelSets(m eval.Model, cfg LevelSetConfig) (eval.Model, error) {
	if err := check.Lags(cfg.Dim, cfg.Order, 1); err != nil {
		return nil, err
	}
	check.SetDefault(&cfg.Frequencies, 100)
	check.SetDefault(&cfg.Bandwidth, .5)
	if err := check.Range("Frequencies", cfg.Frequencies, 1, 100_000); err != nil {
		return nil, err
	}
	features, err := newLagFeatures(cfg.Dim, cfg.Order, cfg.Frequencies, cfg.Bandwidth, cfg.Seed)
	if err != nil {
		return nil, err
	}
	taus := newTauSampler(cfg.Seed)
	l, err := functional.NewLevelSet(functional.LevelSetConfig{
		InputFeatures: features.scalar.Len(), NuFeatures: taus.scalar.Len(), Lambda: 1e-6,
		Batch: 1, Nus: tausPerStep, Rate: rates.InverseScaling{Gamma0: .5, Gamma1: .01, Power: .5}, Average: true,
	})
	if err != nil {
		return nil, err
	}
	return &levelSets{
		Model: m, cfg: cfg, features: features, taus: taus, l: l,
		grid: taus.Features(evenly(tauGridSize)), margin: make([]float64, tauGridSize),
	}, nil
}

// evenly returns n equally spaced numbers in (0, 1).
func evenly(n int) []float64 {
	tau := make([]float64, n)
	for i := range tau {
		tau[i] = float64(i+1) / float64(n+1)
	}
	return tau
}

// tauSampler draws quantile levels tau, or fractions nu, and computes their features.
type tauSampler struct {
	scalar     *orff.Fourier
	w          []float64 // its frequencies
	seed       uint64
	steps      int
	tau        []float64
	phi, slope []float64
}

func newTauSampler(seed uint64) *tauSampler {
	s, err := orff.NewFourier(spectrum.Gaussian{Sigma: tauBandwidth}, 1, tauFrequencies, random.Block(seed, 2))
	if err != nil {
		panic("varmodel: " + err.Error()) // the parameters are constant
	}
	return &tauSampler{
		scalar: s, w: s.Frequencies(), seed: seed, tau: make([]float64, tausPerStep),
		phi: make([]float64, tausPerStep*s.Len()), slope: make([]float64, tausPerStep*s.Len()),
	}
}

// Features returns the features of given tau, a row each.
func (l *tauSampler) Features(tau []float64) []float64 {
	r := l.scalar.Len()
	phi := make([]float64, len(tau)*r)
	for i := range tau {
		l.scalar.FeaturesTo(phi[i*r:(i+1)*r], tau[i:i+1])
	}
	return phi
}

// draw draws the tau of the next step, one in each of equal parts of [low, 1-low], with
// their features and the derivatives of these. It depends on the number of steps only.
func (l *tauSampler) draw(low float64) {
	l.steps++
	r := random.Block(l.seed+0x9e3779b97f4a7c15, l.steps)
	n, w := l.scalar.Len(), l.w
	for s := range l.tau {
		l.tau[s] = low + (1-2*low)*(float64(s)+r.Uniform())/float64(len(l.tau))
		phi, slope := l.phi[s*n:(s+1)*n], l.slope[s*n:(s+1)*n]
		l.scalar.FeaturesTo(phi, l.tau[s:s+1])
		for j, omega := range w {
			slope[j], slope[len(w)+j] = -omega*phi[len(w)+j], omega*phi[j]
		}
	}
}

func (l *tauSampler) State(c *snapshot.Codec) {
	l.scalar.State(c)
	l.w = l.scalar.Frequencies()
	c.Index(&l.steps, math.MaxInt)
}

type levelSets struct {
	eval.Model
	cfg      LevelSetConfig
	features *lagFeatures
	taus     *tauSampler
	l        *functional.LevelSet

	grid, margin []float64 // features of the nu of a score; scratch
}

func (m *levelSets) NewSeries() eval.Forecaster {
	return &levelSetSeries{
		wrapper: wrapper{m.Model.NewSeries()}, m: m,
		lags: newLagSeries(m.cfg.Dim, m.cfg.Order), ring: make([]float64, rankedAmong),
		phi: make([]float64, m.features.scalar.Len()),
	}
}

func (m *levelSets) State(c *snapshot.Codec) {
	m.Model.State(c)
	c.Optional("levelsets", func() {
		m.features.State(c)
		m.taus.State(c)
		m.l.State(c)
		if c.Decoding() {
			m.grid = m.taus.Features(evenly(tauGridSize))
		}
	})
}

// levelSetSeries is one series of levelSets.
type levelSetSeries struct {
	wrapper
	m     *levelSets
	lags  lagSeries
	score float64
	known bool

	ring        []float64 // last distances
	next, count int

	phi []float64 // scratch
}

func (s *levelSetSeries) Observe(y []float64) error {
	if err := s.Forecaster.Observe(y); err != nil {
		return err
	}
	s.lags.Push(y)
	s.known = false
	if any := hasValue(y); !any || s.lags.past.Count < s.m.cfg.Order {
		return nil
	}
	m := s.m
	m.features.input.Observe(s.lags.scaler, s.lags.past)
	if !m.features.to(s.phi, s.lags.scaler, s.lags.past) {
		return nil
	}
	s.rank(m.distance(s.phi))
	m.taus.draw(.01)
	// Only features that are not finite would be refused; these are cosines.
	_ = m.l.Step(functional.LevelSetBatch{PhiX: s.phi, Nu: m.taus.tau, PhiT: m.taus.phi})
	return nil
}

// distance is how far phi lies outside of the level sets, on average.
func (m *levelSets) distance(phi []float64) (d float64) {
	m.l.MarginTo(m.margin, phi, m.grid)
	for _, v := range m.margin {
		d -= v / tauGridSize
	}
	return d
}

// rank sets the score to the rank of a distance among the last ones, and keeps the distance.
func (s *levelSetSeries) rank(d float64) {
	var below, equal float64
	for _, v := range s.ring[:s.count] {
		switch {
		case v < d:
			below++
		case v == d:
			equal++
		}
	}
	if s.count >= scoredAfter {
		s.score, s.known = (below+equal/2)/float64(s.count), true
	}
	s.ring[s.next] = d
	s.next = (s.next + 1) % rankedAmong
	s.count = min(s.count+1, rankedAmong)
}

func hasValue(y []float64) bool {
	for _, v := range y {
		if !math.IsNaN(v) {
			return true
		}
	}
	return false
}

// Anomaly implements eval.Detector.
func (s *levelSetSeries) Anomaly() (float64, bool) { return s.score, s.known }

// ResetLags implements eval.LagResetter: there is no score until the lags are
// filled again.
func (s *levelSetSeries) ResetLags() {
	s.resetInner()
	s.lags.Reset()
	s.known = false
}

func (s *levelSetSeries) State(c *snapshot.Codec) {
	s.Forecaster.State(c)
	c.Optional("levelsets", func() {
		s.lags.State(c)
		c.Float64(&s.score)
		c.Bool(&s.known)
		c.Float64s(s.ring)
		c.Index(&s.next, rankedAmong)
		c.Index(&s.count, rankedAmong+1)
	})
}
