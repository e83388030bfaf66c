package auto

import (
	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/varmodel/series"
)

// stage is a part of the model of a series with a state. A stage may also implement learner, follower, forecaster and
// interrupter.
type stage interface {
	stateOf(c *snapshot.Codec, s *autoSeries)
}

// learner is a stage that learns from a sample before the sample enters the past.
type learner interface {
	learn(s *autoSeries, o *outcome)
}

// follower is a stage that is called after a sample has entered the past.
type follower interface{ follow(s *autoSeries) }

// forecaster is a stage that takes part in the next forecast. s.next starts as the last value, and each forecaster may
// change it.
type forecaster interface{ forecast(s *autoSeries) }

// interrupter is a stage that is called at a break: the next sample does not follow the last sample.
type interrupter interface{ interrupt(s *autoSeries) }

// outcome is a sample as the target of earlier forecasts. Slices have length dim.
type outcome struct {
	sample   []float64 // sample without levels; NaN where missing or held back
	target   []float64 // target of the forecasts, without levels; NaN where sample is NaN
	before   []float64 // sample before; NaN for variables not observed yet
	replaced bool      // true: target is another slice than sample
}

// stages lists the stages of a series, and the stages with each interface, in the order of their calls.
type stages struct {
	all          []stage
	learners     []learner
	followers    []follower
	forecasters  []forecaster
	interrupters []interrupter
}

func (t *stages) add(added ...stage) {
	for _, g := range added {
		t.all = append(t.all, g)
		if l, ok := g.(learner); ok {
			t.learners = append(t.learners, l)
		}
		if f, ok := g.(follower); ok {
			t.followers = append(t.followers, f)
		}
		if f, ok := g.(forecaster); ok {
			t.forecasters = append(t.forecasters, f)
		}
		if i, ok := g.(interrupter); ok {
			t.interrupters = append(t.interrupters, i)
		}
	}
}

// NewSeries makes a series and the list of its stages.
func (m *auto) NewSeries() eval.Forecaster {
	d := m.cfg.Dim
	depth := m.recent() + 1
	if m.refits() {
		depth += m.memory
	}
	depth = max(depth, m.cfg.Season+1)
	s := &autoSeries{
		m: m, gate: newGate(d), panel: newPanel(m), exact: newLeastSquares(d, m.depth),
		scaler: series.NewScaler(d), local: newLocalMean(d),
		past: series.NewGrowingHistory(d, max(m.recent(), m.cfg.Season)+1, depth),
		next: make([]float64, d), sample: lanes.Rows(1, d), before: make([]float64, d),
	}
	s.past.KeepBeside(2 * m.cfg.Exogenous)
	inputs := series.NewExogenousInputs(m.cfg.Exogenous, m.cfg.Horizon)
	s.frame = newFrame(d, m.order, m.recent(), s.scaler, s.local, inputs)
	s.frame.past = *s.past
	if !m.has(partExact) {
		s.exact.end()
	}
	limit, given := m.tier.season, m.cfg.Season
	if !m.seasonal() {
		limit, given = 0, 0
	}
	s.seasons = newSeasons(s.past, limit, given)

	if inputs != nil {
		s.add(exogenous{inputs})
	}
	s.smoothing = newSmoothing(d)
	s.add(s.seasons, statistics{}, s.smoothing, s.panel)
	if m.seasonal() && m.has(partCalendar) {
		s.calendar = newCalendar(m)
		s.add(s.calendar)
	}
	if m.has(partHold) {
		s.holds = newHolds(d)
		s.add(s.holds)
	}
	s.add(s.exact)
	if m.seasonal() && given == 0 {
		s.add(newSeasonSearch(m.memory))
	}
	if m.refits() {
		s.refit = newRefit(s)
		s.add(s.refit)
	}
	s.add(s.gate)
	if m.direct != nil {
		s.multihorizon = newMultihorizon(m, s.seasons, s.calendar != nil)
		s.add(s.multihorizon)
	}
	if inputs != nil {
		return autoWithInputs{s}
	}
	return s
}

// exogenous is the stage of the exogenous inputs.
type exogenous struct{ *series.ExogenousInputs }

func (e exogenous) follow(s *autoSeries) {
	e.Next()
	e.Remember(s.past)
}

func (e exogenous) stateOf(c *snapshot.Codec, _ *autoSeries) { e.State(c) }

// statistics is the stage of the scaler and the local mean of a series.
type statistics struct{}

func (statistics) follow(s *autoSeries) {
	s.local.Add(s.sample) // first, because it starts the longest chain of dependent instructions
	s.scaler.Add(s.sample)
}

func (statistics) interrupt(s *autoSeries) { s.scaler.Break() }

func (statistics) stateOf(c *snapshot.Codec, s *autoSeries) {
	s.scaler.State(c)
	s.local.State(c)
}
