package auto

import (
	"math"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/varmodel/internal/check"
	"github.com/orffvar/forecaster/varmodel/series"
)

// autoSeries is one series of the default model. It holds the stages, and the fields that the stages share.
type autoSeries struct {
	m *auto
	stages

	scaler *series.Scaler
	local  *localMean
	past   *series.History
	frame  *frame    // frame of the series after the last sample
	next   []float64 // dim: one-step forecast, without levels
	total  int       // number of samples so far

	broken  bool // true: the next sample follows a break
	pending bool // true: the forecasters have made a forecast
	joint   bool // see LeaveJoint

	gate         *gate
	smoothing    *smoothing
	panel        *panel
	calendar     *calendar     // nil without the ingredient
	seasons      *seasons      // without cycles if the model is not seasonal
	remainder    *remainder    // nil while there is no season
	exact        *leastSquares // replaces forecasts of the panel for coordinates with little noise
	holds        *holds        // nil without the ingredient
	refit        *refit        // nil: the experts are not refitted
	multihorizon *multihorizon // nil for a horizon of one

	targets *series.History // targets of refits; nil: refits use past, because no target was another slice than y
	outcome outcome
	sample  []float64 // scratch: sample without levels, NaN where held back
	target  []float64 // scratch: target without levels, NaN where sample is NaN; nil while targets is nil
	before  []float64 // scratch: last sample, NaN for variables not observed yet
}

func (s *autoSeries) Observe(y []float64) error { return s.ObserveTarget(y, y) }

// ObserveTarget observes the sample y, but trains the forecasts with target. Both have length dim. It returns an error
// if y has another length, an infinite value, or a value beyond check.ValueLimit.
func (s *autoSeries) ObserveTarget(y, target []float64) error {
	if err := check.Sample(y, s.m.cfg.Dim, check.ValueLimit); err != nil {
		return err
	}
	s.admit(y, target)
	if s.past.Any() {
		for _, l := range s.learners {
			l.learn(s, &s.outcome)
		}
	}
	if s.outcome.replaced {
		s.targets.Push(s.target, s.next)
	}
	s.past.Push(s.sample, s.next)
	s.frame.recent.Push(s.past.Lag(0), s.past.Lag(1))
	s.total++
	for _, f := range s.followers {
		f.follow(s)
	}
	if s.past.Any() {
		s.forecast()
	}
	return nil
}

// admit passes the sample y through the gate, and sets s.outcome.
func (s *autoSeries) admit(y, target []float64) {
	s.gate.admitTo(s.sample, y, s.past.Lag(0), s.next, s.past.Seen)
	for _, c := range s.gate.again {
		s.readmit(c)
	}
	if s.broken {
		s.resume(s.sample)
	}
	s.outcome = outcome{sample: s.sample, target: s.sample, before: s.past.Lag(0), replaced: &target[0] != &y[0]}
	if s.past.Unseen > 0 {
		copyWhere(s.before, s.outcome.before, s.past.Seen)
		s.outcome.before = s.before
	}
	if !s.outcome.replaced {
		return
	}
	if s.targets == nil {
		s.targets, s.target = series.NewHistory(len(y), s.m.memory+1), make([]float64, len(y))
	}
	s.gate.targetsTo(s.target, target, s.sample)
	s.outcome.target = s.target
}

// readmit puts a held-back value into the past.
func (s *autoSeries) readmit(c readmitted) {
	if c.lag >= min(s.past.Count, s.past.Depth) {
		return
	}
	change := c.v - s.past.Lag(c.lag)[c.variable]
	s.past.Lag(c.lag)[c.variable] = c.v
	s.past.ObservedAt(c.lag)[c.variable] = true
	s.frame.recent.change(c.lag, c.variable, change)
	s.seasons.change(c.lag, c.variable, change)
	if s.remainder != nil {
		s.remainder.change(c.lag, c.variable, change)
	}
}

// resume begins again at the sample y after a break. All increments are 0, as at the first sample.
func (s *autoSeries) resume(y []float64) {
	s.broken = false
	if source := s.m.source; source != nil {
		source.yuleWalker.add(s.frameOf(source).recent, 1)
	}
	if s.remainder != nil {
		s.remainder.broken = true
	}
	for j, v := range y {
		if !math.IsNaN(v) {
			s.past.Fill(j, v)
			s.frame.recent.clear(j)
			s.next[j] = v
		}
	}
	s.local.restart(s.past.Lag(0))
}

// forecast makes the forecasts of the next samples. After the first two samples the forecasts are the last value.
func (s *autoSeries) forecast() {
	s.frame.past.AlignWith(s.past)
	copy(s.next, s.past.Lag(0))
	if s.pending = s.past.Count > 2; !s.pending {
		return
	}
	s.frame.prepare()
	for _, f := range s.forecasters {
		f.forecast(s)
	}
}

func (s *autoSeries) ForecastTo(dst []float64) bool {
	d := s.m.cfg.Dim
	if len(dst) != s.m.cfg.Horizon*d {
		panic("varmodel: ForecastTo: wrong length")
	}
	if !s.past.Any() {
		return false
	}
	if s.multihorizon == nil || !s.pending {
		for h := range s.m.cfg.Horizon {
			copy(dst[h*d:], s.next)
		}
	} else {
		s.multihorizon.forecastTo(dst, s.next, s.rest().scaler.Mean)
	}
	s.gate.addTo(dst)
	if h := s.seasons.heritage; h != nil {
		h.clip(dst, s.gate)
	}
	return true
}

// autoWithInputs is an autoSeries with exogenous inputs.
type autoWithInputs struct{ *autoSeries }

// SetInputs implements eval.InputTaker.
func (s autoWithInputs) SetInputs(u []float64) { s.frame.inputs.Set(u) }

// ResetLags implements eval.LagResetter. Pending forecasts are dropped, and the next sample follows a break. Weights
// and statistics stay.
func (s *autoSeries) ResetLags() {
	s.pending, s.broken = false, true
	s.past.Reset()
	for _, i := range s.interrupters {
		i.interrupt(s)
	}
}

// rowNumbers is a time in ns. Times in [0, rowNumbers) are probably row numbers in seconds, which have no phase of the
// day.
const rowNumbers = 1e8 * 1e9

// SetTime implements eval.Clocked. It ignores times that are probably row numbers, see rowNumbers.
func (s *autoSeries) SetTime(ns int64) {
	if ns < 0 || ns >= rowNumbers || s.seasons.dated() {
		s.seasons.time = ns
	}
}

// AppendSeasons implements eval.Seasonal.
func (s *autoSeries) AppendSeasons(dst []int) []int { return s.seasons.appendPeriods(dst, true) }

// Phases implements eval.Seasonal. A series with fewer than phasesFrom samples has no phases.
func (s *autoSeries) Phases() eval.Phases {
	if s.total < phasesFrom {
		return eval.Phases{}
	}
	return s.seasons.phases()
}

// LimitsTo implements eval.Limited.
func (s *autoSeries) LimitsTo(low, high []float64) (ok bool) { return s.gate.limitsTo(low, high) }

// Experts implements eval.Mixture.
func (s *autoSeries) Experts() []string { return s.m.names }

// WeightsTo implements eval.Mixture.
func (s *autoSeries) WeightsTo(dst []float64) { s.panel.mixture.weightsTo(dst) }

func (s *autoSeries) State(c *snapshot.Codec) {
	c.Section("series")
	c.Int(&s.total)
	c.Bool(&s.broken)
	c.Bool(&s.pending)
	s.past.State(c)
	c.Float64s(s.frame.long)
	c.Float64s(s.next)
	if c.Decoding() {
		s.frame.recent.fillFrom(s.past)
		s.frame.past = *s.past
	}
	for _, t := range s.all {
		t.stateOf(c, s)
	}
	if c.Decoding() {
		s.frame.prepare()
	}
}
