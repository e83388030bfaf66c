package regression

import (
	"math"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/drift"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/varmodel/internal/check"
	"github.com/orffvar/forecaster/varmodel/series"
	"github.com/orffvar/forecaster/varmodel/units"
)

// learner is an online regression y ~ Theta^T phi, for example online.RLS, online.BlockNewton or nlmsLearner.
type learner interface {
	PredictTo(y, phi []float64)
	Update(phi, e []float64)
	State(c *snapshot.Codec)
}

// unlabelledLearner is a learner that also uses features without a target.
type unlabelledLearner interface{ Unlabelled(phi []float64) }

const (
	OutputLimit   = 4  // limit of a forecast increment, in typical steps
	TargetLimit   = 10 // limit of a target, in units of the target
	DriftDiscount = .3 // factor of the weight of earlier samples at drift.Forget
)

// Resettable is a learner that can forget all samples (Reset), or reduce their weight (Discount).
type Resettable interface {
	learner
	Reset()
	Discount(factor float64)
}

// design computes the feature vector phi of a series from its past. Its bandwidth is part of the state of the model.
type design interface {
	Features() int
	Observe(s *series.Scaler, past *series.History)
	FeaturesTo(phi []float64, s *series.Scaler, past *series.History)
	State(c *snapshot.Codec)
}

// Model is an autoregression. The next increment of each coordinate is a linear function of features of the last lags.
// Law sets the units of the increments. Model owns the weights; Series owns the rest.
type Model struct {
	Dim, Horizon int
	Depth        int // number of lags of the design
	Inputs       int // number of exogenous inputs
	Law          units.Law
	Design       design
	Learner      learner
	uses         int // number of uses of the learner; while it stays the same, so does the last prediction
}

func (m *Model) State(c *snapshot.Codec) {
	c.Section("regression")
	m.Design.State(c)
	m.Learner.State(c)
	m.uses++
}

func (m *Model) NewSeries() eval.Forecaster {
	v := make([]float64, 5*m.Dim)
	part := func(i int) []float64 { return v[i*m.Dim : (i+1)*m.Dim : (i+1)*m.Dim] }
	s := &Series{
		Model:   m,
		Scaler:  series.NewScaler(m.Dim),
		Past:    series.NewHistory(m.Dim, m.Depth),
		inputs:  series.NewExogenousInputs(m.Inputs, m.Horizon),
		Phi:     make([]float64, m.Features()),
		Unit:    part(0),
		perUnit: part(1),
		Next:    part(2),
		err:     part(3),
		out:     part(4),
		step:    lanes.Rows(1, m.Dim),
		use:     -1,
	}
	if m.Horizon > 1 {
		s.scratch, s.later = series.NewHistory(m.Dim, m.Depth), make([]float64, m.Features())
	}
	if s.inputs != nil {
		return regressionWithInputs{s}
	}
	return s
}

// Features returns the length of phi: features of the design, then two features per exogenous input.
func (m *Model) Features() int { return m.Design.Features() + 2*m.Inputs }

// Series is one series of a regression.
type Series struct {
	Model  *Model
	Scaler *series.Scaler
	Past   *series.History
	inputs *series.ExogenousInputs // nil without exogenous inputs

	Phi     []float64 // features of the last samples
	Unit    []float64 // dim: units of the increments at the time of Phi
	perUnit []float64 // dim: 1 / Unit
	Next    []float64 // dim: one-step forecast
	pending bool      // true: Phi waits for its target
	out     []float64 // dim: last prediction of the learner
	use     int       // Model.uses at this prediction if it is for Phi; else -1

	err     []float64       // scratch
	step    []float64       // scratch
	scratch *series.History // nil for a horizon of one
	later   []float64       // scratch: features for later steps, from forecasts
}

func (s *Series) Observe(y []float64) error { return s.ObserveTarget(y, y) }

// ObserveTarget observes the sample y, but trains the weights with target. Both have length dim.
func (s *Series) ObserveTarget(y, target []float64) error {
	if err := check.Sample(y, s.Model.Dim, check.AnyFinite); err != nil {
		return err
	}
	if s.pending {
		s.learn(target)
	}
	s.Past.Push(y, s.Next)
	s.Scaler.Add(y)
	if s.inputs != nil {
		s.inputs.Next()
	}
	if !s.Past.Any() {
		return nil
	}
	s.pending = s.Past.Count >= max(s.Model.Depth, 2)
	if s.pending {
		s.Model.Design.Observe(s.Scaler, s.Past)
		s.Model.Law.UnitsTo(s.Unit, s.perUnit, s.Scaler)
	}
	s.StepTo(s.Next, s.Phi, s.Past, 1)
	return nil
}

// learn updates the weights with the target y of phi.
func (s *Series) learn(y []float64) {
	if s.use == s.Model.uses {
		copy(s.err, s.out)
	} else {
		s.Model.Learner.PredictTo(s.err, s.Phi)
	}
	s.Model.uses++
	any := false
	last, perUnit, seen, err := s.Past.Lag(0)[:len(y)], s.perUnit[:len(y)], s.Past.Seen[:len(y)], s.err[:len(y)]
	for j, v := range y {
		if math.IsNaN(v) || !seen[j] {
			err[j] = 0
			continue
		}
		any = true
		// The limit prevents an outlier from spoiling the weights for long.
		err[j] = lanes.Clip((v-last[j])*perUnit[j], TargetLimit) - err[j]
	}
	if any {
		s.Model.Learner.Update(s.Phi, s.err)
	} else if l, ok := s.Model.Learner.(unlabelledLearner); ok {
		l.Unlabelled(s.Phi)
	}
}

// regressionWithInputs is a Series with exogenous inputs.
type regressionWithInputs struct{ *Series }

// SetInputs implements eval.InputTaker.
func (s regressionWithInputs) SetInputs(u []float64) { s.inputs.Set(u) }

// StepTo writes the forecast of the next sample after the history h to dst, dim, and the features of this forecast to
// phi. The forecast is for k steps after the last observed sample.
func (s *Series) StepTo(dst, phi []float64, h *series.History, k int) {
	last := h.Lag(0)
	if !s.pending {
		copy(dst, last)
		return
	}
	m := s.Model
	n := len(phi) - s.inputs.Features()
	m.Design.FeaturesTo(phi[:n], s.Scaler, h)
	if s.inputs != nil {
		s.inputs.StepTo(phi[n:], k)
	}
	m.Learner.PredictTo(s.out, phi)
	m.uses++
	if s.use = -1; k == 1 {
		s.use = m.uses
	}
	s.Scaler.Bound(s.step, s.out, last, s.Unit, last, OutputLimit, nil)
	copy(dst, s.step)
	s.Model.Law.KeepSum(dst, last)
}

func (s *Series) ForecastTo(dst []float64) bool {
	d := s.Model.Dim
	if len(dst) != s.Model.Horizon*d {
		panic("varmodel: ForecastTo: wrong length")
	}
	if !s.Past.Any() {
		return false
	}
	copy(dst, s.Next)
	if s.Model.Horizon == 1 {
		return true
	}
	// Iterate on a copy of the past.
	h := s.scratch
	h.CopyFrom(s.Past)
	for k := 1; k < s.Model.Horizon; k++ {
		h.Extend(dst[(k-1)*d : k*d])
		s.StepTo(dst[k*d:(k+1)*d], s.later, h, k+1)
	}
	return true
}

// ResetLags implements eval.LagResetter. Until the lags are filled again, the forecast is the last value and the weights
// stay.
func (s *Series) ResetLags() {
	s.pending = false
	s.Past.Reset()
	s.Scaler.Break()
}

// Adapt implements eval.Adapter. A restart resets the weights. It does not learn past samples again, because no samples
// are kept.
func (s *Series) Adapt(a drift.Adaptation, _ int) {
	l, ok := s.Model.Learner.(Resettable)
	s.Model.uses++
	switch {
	case a == drift.ResetScaler:
		s.Scaler.ResetWeights()
	case ok && a == drift.Forget:
		l.Discount(DriftDiscount)
	case ok && a == drift.Restart:
		l.Reset()
	}
}

func (s *Series) State(c *snapshot.Codec) {
	c.Section("series")
	s.Scaler.State(c)
	s.Past.State(c)
	c.Float64s(s.Phi)
	c.Float64s(s.Unit)
	c.Float64s(s.perUnit)
	c.Float64s(s.Next)
	c.Bool(&s.pending)
	if s.inputs != nil {
		s.inputs.State(c)
	}
	s.use = -1
}
