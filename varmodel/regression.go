package varmodel

import (
	"math"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/lanes"
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

// design computes the feature vector phi of a series from its past. The bandwidth that it
// has learnt belongs to the model.
type design interface {
	features() int
	observe(s *scaler, past *history)
	featuresTo(phi []float64, s *scaler, past *history)
	State(c *snapshot.Codec)
}

// regression is an autoregression: the next increment of every coordinate, in
// units of its typical step or of a common one, is a linear function of features of the last lags.
// It owns the weights; a regressionSeries has the rest.
type regression struct {
	dim, horizon int
	depth        int // lags the design looks at
	inputs       int // exogenous inputs
	law          Law
	design       design
	learner      learner
	uses         int // of the learner: when it has not been used since, it would predict the same
}

func (m *regression) State(c *snapshot.Codec) {
	c.Section("regression")
	m.design.State(c)
	m.learner.State(c)
	m.uses++
}

func (m *regression) NewSeries() eval.Forecaster {
	v := make([]float64, 5*m.dim)
	part := func(i int) []float64 { return v[i*m.dim : (i+1)*m.dim : (i+1)*m.dim] }
	s := &regressionSeries{
		m:       m,
		scaler:  newScaler(m.dim),
		past:    newHistory(m.dim, m.depth),
		inputs:  newExogenousInputs(m.inputs, m.horizon),
		phi:     make([]float64, m.features()),
		unit:    part(0),
		perUnit: part(1),
		next:    part(2),
		err:     part(3),
		out:     part(4),
		step:    lanes.Rows(1, m.dim),
		use:     -1,
	}
	if m.horizon > 1 {
		s.scratch, s.later = newHistory(m.dim, m.depth), make([]float64, m.features())
	}
	if s.inputs != nil {
		return regressionWithInputs{s}
	}
	return s
}

// features is the length of phi: those of the design, then those of the inputs.
func (m *regression) features() int { return m.design.features() + 2*m.inputs }

// regressionSeries is one series of a regression.
type regressionSeries struct {
	m      *regression
	scaler *scaler
	past   *history
	inputs *exogenousInputs // nil without

	phi     []float64 // features of the last samples
	unit    []float64 // scale of the increments when phi was made
	perUnit []float64 // its inverse
	next    []float64 // one-step forecast
	pending bool      // phi waits for its target
	out     []float64 // what the learner predicted last, …
	use     int       // … and which use of it that was, if for phi; else -1

	err     []float64 // scratch
	step    []float64 // scratch
	scratch *history  // nil for a horizon of one
	later   []float64 // features that contain forecasts
}

func (s *regressionSeries) Observe(y []float64) error { return s.observe(y, y) }

// observe takes the sample y, but learns target in its place.
func (s *regressionSeries) observe(y, target []float64) error {
	if err := checkSample(y, s.m.dim, anyFinite); err != nil {
		return err
	}
	if s.pending {
		s.learn(target)
	}
	s.past.push(y, s.next)
	s.scaler.Add(y)
	if s.inputs != nil {
		s.inputs.next()
	}
	if !s.past.any() {
		return nil
	}
	s.pending = s.past.count >= max(s.m.depth, 2)
	if s.pending {
		s.m.design.observe(s.scaler, s.past)
		copy(s.unit, s.scaler.steps)
		copy(s.perUnit, s.scaler.perStep)
		s.m.law.setUnits(s)
	}
	s.stepTo(s.next, s.phi, s.past, 1)
	return nil
}

// learn updates the weights with the target y of phi.
func (s *regressionSeries) learn(y []float64) {
	if s.use == s.m.uses {
		copy(s.err, s.out)
	} else {
		s.m.learner.PredictTo(s.err, s.phi)
	}
	s.m.uses++
	any := false
	last, perUnit, seen, err := s.past.lag(0)[:len(y)], s.perUnit[:len(y)], s.past.seen[:len(y)], s.err[:len(y)]
	for j, v := range y {
		if math.IsNaN(v) || !seen[j] {
			err[j] = 0
			continue
		}
		any = true
		// Limited, so that an outlier does not spoil the weights for long.
		err[j] = lanes.Clip((v-last[j])*perUnit[j], targetLimit) - err[j]
	}
	if any {
		s.m.learner.Update(s.phi, s.err)
	} else if l, ok := s.m.learner.(unlabelledLearner); ok {
		l.Unlabelled(s.phi)
	}
}

// regressionWithInputs is a regressionSeries with exogenous inputs.
type regressionWithInputs struct{ *regressionSeries }

// SetInputs implements eval.InputTaker.
func (s regressionWithInputs) SetInputs(u []float64) { s.inputs.set(u) }

// stepTo writes the forecast of the sample after the last of h, which is the k-th
// after the last observed, and makes the features phi for it.
func (s *regressionSeries) stepTo(dst, phi []float64, h *history, k int) {
	last := h.lag(0)
	if !s.pending {
		copy(dst, last)
		return
	}
	m := s.m
	n := len(phi) - s.inputs.features()
	m.design.featuresTo(phi[:n], s.scaler, h)
	if s.inputs != nil {
		s.inputs.stepTo(phi[n:], k)
	}
	m.learner.PredictTo(s.out, phi)
	m.uses++
	if s.use = -1; k == 1 {
		s.use = m.uses
	}
	s.scaler.Bound(s.step, s.out, last, s.unit, last, outputLimit, nil)
	copy(dst, s.step)
	s.m.law.keepSum(dst, last)
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
	// Iterate on a copy of the past.
	h := s.scratch
	h.copyFrom(s.past)
	for k := 1; k < s.m.horizon; k++ {
		h.extend(dst[(k-1)*d : k*d])
		s.stepTo(dst[k*d:(k+1)*d], s.later, h, k+1)
	}
	return true
}

// ResetLags implements eval.LagResetter. Until the lags are filled again the
// forecast is the last value, and nothing is learnt.
func (s *regressionSeries) ResetLags() {
	s.pending = false
	s.past.reset()
	s.scaler.Break()
}

// Adapt implements eval.Adapter. A restart forgets everything; no samples are kept to
// be learnt again.
func (s *regressionSeries) Adapt(a eval.Adaptation, _ int) {
	l, ok := s.m.learner.(resettable)
	s.m.uses++
	switch {
	case a == eval.AdaptScaler:
		s.scaler.resetWeights()
	case ok && a == eval.AdaptForget:
		l.Discount(driftDiscount)
	case ok && a == eval.AdaptRestart:
		l.Reset()
	}
}

func (s *regressionSeries) State(c *snapshot.Codec) {
	c.Section("series")
	s.scaler.State(c)
	s.past.State(c)
	c.Float64s(s.phi)
	c.Float64s(s.unit)
	c.Float64s(s.perUnit)
	c.Float64s(s.next)
	c.Bool(&s.pending)
	if s.inputs != nil {
		s.inputs.State(c)
	}
	s.use = -1
}
