package varmodel

import (
	"math"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/snapshot"
)

// learner is an online regression y ~ Theta^T phi; sgd.RLS, sgd.BlockNewton and
// fourierLearner are learners.
type learner interface {
	PredictTo(y, phi []float64)
	Update(phi, e []float64)
	State(c *snapshot.Codec)
}

// unlabelledLearner is a learner that also learns from features without a target.
type unlabelledLearner interface{ Unlabelled(phi []float64) }

const outputLimit = 4 // limit of a forecast increment, in typical steps

// design makes the feature vector phi of a series from its past. What it has
// learnt about its inputs (a bandwidth) belongs to the model.
type design interface {
	features() int
	observe(s *scaler, past *history)
	featuresTo(phi []float64, s *scaler, past *history)
	State(c *snapshot.Codec)
}

// regression is an autoregression: the next increment of every coordinate, in
// units of its typical step, is a linear function of features of the last lags.
// It owns the weights; a regressionSeries has the rest.
type regression struct {
	dim, horizon int
	depth        int // lags the design looks at
	inputs       int // variables that drive the series
	design       design
	learner      learner
}

func (m *regression) State(c *snapshot.Codec) {
	c.Section("regression")
	m.design.State(c)
	m.learner.State(c)
}

func (m *regression) NewSeries() eval.Forecaster {
	v := make([]float64, 5*m.dim)
	part := func(i int) []float64 { return v[i*m.dim : (i+1)*m.dim : (i+1)*m.dim] }
	return &regressionSeries{
		m:       m,
		scaler:  newScaler(m.dim),
		past:    newHistory(m.dim, m.depth),
		inputs:  newInputs(m.inputs, m.horizon, 0),
		phi:     make([]float64, m.features()),
		unit:    part(0),
		next:    part(1),
		diff:    part(2),
		err:     part(3),
		out:     part(4),
		scratch: newHistory(m.dim, m.depth),
	}
}

// features is the length of phi: those of the design, then those of the inputs.
func (m *regression) features() int { return m.design.features() + 2*m.inputs }

// regressionSeries is one series of a regression.
type regressionSeries struct {
	m      *regression
	scaler *scaler
	past   *history
	inputs *inputs // nil without

	phi     []float64 // features of the last samples
	unit    []float64 // scale of the increments when phi was made
	next    []float64 // one-step forecast
	pending bool      // phi waits for its target

	diff, err, out []float64 // scratch
	scratch        *history
}

func (s *regressionSeries) Observe(y []float64) error { return s.observe(y, y) }

// observe takes the sample y, but learns target in its place.
func (s *regressionSeries) observe(y, target []float64) error {
	if err := checkSample(y, s.m.dim); err != nil {
		return err
	}
	if s.pending {
		s.learn(target)
	}
	s.past.push(y, s.next, s.diff)
	s.scaler.observe(y, s.diff)
	if s.inputs != nil {
		s.inputs.next(0)
	}
	if !s.past.any() {
		return nil
	}
	s.pending = s.past.count >= max(s.m.depth, 2)
	if s.pending {
		s.m.design.observe(s.scaler, s.past)
		for j := range s.unit {
			s.unit[j] = s.scaler.step(j)
		}
	}
	s.stepTo(s.next, s.past, 1)
	return nil
}

// learn updates the weights with the target y of phi.
func (s *regressionSeries) learn(y []float64) {
	s.m.learner.PredictTo(s.err, s.phi)
	any := false
	last := s.past.lag(0)
	for j, v := range y {
		if math.IsNaN(v) || !s.past.seen[j] {
			s.err[j] = 0
			continue
		}
		any = true
		// Limited, so that a wild value does not spoil the weights for long.
		s.err[j] = min(max((v-last[j])/s.unit[j], -targetLimit), targetLimit) - s.err[j]
	}
	if any {
		s.m.learner.Update(s.phi, s.err)
	} else if l, ok := s.m.learner.(unlabelledLearner); ok {
		l.Unlabelled(s.phi)
	}
}

// SetInputs implements eval.InputTaker.
func (s *regressionSeries) SetInputs(u []float64) {
	if s.inputs != nil {
		s.inputs.set(u)
	}
}

// stepTo writes the forecast of the sample after the last of h, which is the k-th
// after the last observed. For the series' own past it leaves the features in phi.
func (s *regressionSeries) stepTo(dst []float64, h *history, k int) {
	last := h.lag(0)
	if !s.pending {
		copy(dst, last)
		return
	}
	m := s.m
	n := len(s.phi) - s.inputs.features()
	m.design.featuresTo(s.phi[:n], s.scaler, h)
	if s.inputs != nil {
		s.inputs.stepTo(s.phi[n:], k)
	}
	m.learner.PredictTo(s.out, s.phi)
	for j, v := range s.out {
		if v != v {
			v = 0
		}
		v = min(max(v, -outputLimit), outputLimit)
		dst[j] = s.scaler.within(j, last[j]+s.unit[j]*v)
	}
}

func (s *regressionSeries) ForecastTo(dst []float64) bool {
	d := s.m.dim
	if len(dst) != s.m.horizon*d {
		panic("varmodel: ForecastTo: wrong length")
	}
	if !s.past.any() {
		return false
	}
	copy(dst, s.next)
	if s.m.horizon == 1 {
		return true
	}
	// Iterate on a copy of the past, then make phi again.
	h := s.scratch
	h.copyFrom(s.past)
	for k := 1; k < s.m.horizon; k++ {
		h.extend(dst[(k-1)*d : k*d])
		s.stepTo(dst[k*d:(k+1)*d], h, k+1)
	}
	s.stepTo(s.diff, s.past, 1)
	return true
}

func (s *regressionSeries) State(c *snapshot.Codec) {
	c.Section("series")
	s.scaler.State(c)
	s.past.State(c)
	c.Float64s(s.phi)
	c.Float64s(s.unit)
	c.Float64s(s.next)
	c.Bool(&s.pending)
	if s.inputs != nil {
		s.inputs.State(c)
	}
}
