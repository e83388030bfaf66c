package auto

import (
	"math"
	"strconv"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/varmodel/internal/check"
	"github.com/orffvar/forecaster/varmodel/series"
)

// autoSeries is one series of the default model.
type autoSeries struct {
	m      *auto
	inputs *series.ExogenousInputs // nil without exogenous inputs
	scaler *series.Scaler
	local  *localMean
	past   *series.History
	gate   *gate

	targets *series.History // targets learnt in place of past; nil until observe gets another target than y
	mixture *mixture
	early   shrinkage     // of the mixture in a young series
	holds   *holds        // of the mixture where values repeat; nil without the ingredient
	exact   *leastSquares // in place of the mixture where there is little noise

	refit        *refit        // nil when the experts are not refitted
	seasons      *seasons      // nil without the ingredient Seasons, or when series share the weights
	season       *seasonSearch // nil when the season is configured, or no samples are kept to search
	remainder    *remainder    // nil while there is no season
	multihorizon *multihorizon // nil for a horizon of one
	total        int           // samples observed
	broken       bool          // the next sample follows a break
	pending      bool          // phi waits for its target
	frame        *frame        // the series after the last sample
	phi          [][]float64   // features of each expert
	out          []float64     // experts x dim, predictions from phi in units of the targets
	forecasts    []float64     // names x vec.Stride(dim), one-step forecasts; persistence first
	next         []float64     // one-step forecast of the mixture

	sample   []float64 // scratch: y without levels, and NaN where it is odd
	replaced []float64 // scratch: target like sample; nil until targets
	before   []float64 // scratch: the previous sample, NaN for coordinates not observed yet
	target   []float64 // scratch
	observed []bool    // scratch
}

func (s *autoSeries) Observe(y []float64) error { return s.ObserveTarget(y, y) }

// observe implements differentiable.
func (s *autoSeries) ObserveTarget(y, target []float64) error {
	if err := check.Sample(y, s.m.cfg.Dim, check.ValueLimit); err != nil {
		return err
	}
	replaced := &target[0] != &y[0] // target is not y
	s.gate.admitTo(s.sample, y, s.past.Lag(0), s.next, s.past.Seen)
	y = s.sample
	for _, c := range s.gate.again {
		s.readmit(c)
	}
	if s.broken {
		s.resume(y)
	}
	before := s.past.Lag(0)
	if s.past.Unseen > 0 {
		copyWhere(s.before, before, s.past.Seen)
		before = s.before
	}
	if !replaced {
		target = y
	} else {
		if s.targets == nil {
			s.targets, s.replaced = series.NewHistory(s.m.cfg.Dim, s.m.memory+1), make([]float64, len(y))
		}
		s.gate.targetsTo(s.replaced, target, y)
		target = s.replaced
	}
	if s.pending {
		for j, v := range y {
			s.observed[j] = v == v && s.past.Seen[j]
		}
		next := target
		if replaced || s.past.Unseen > 0 {
			next = s.target
			copyWhere(next, target, s.observed)
		}
		for _, t := range s.m.targets {
			s.frame.setTargets(t, next)
		}
		if s.remainder != nil {
			s.remainder.setTargets(next)
		}
		for i, e := range s.m.experts {
			out, f := s.outOf(i), s.frameOf(e)
			if s.m.cfg.Shared { // other series have changed the weights
				e.predictTo(out, s.phi[i], f)
			}
			e.learn(out, s.phi[i], f, s.observed)
		}
	}
	if s.past.Any() {
		if s.pending && s.total < earlyEnd {
			s.early.Observe(s.mixture, target, before)
		}
		s.mixture.Observe(target, before, s.pending)
		if s.pending {
			s.exact.Observe(s.mixture, target, before)
		}
		if s.holds != nil {
			s.holds.Observe(target, before, s.scaler.PerStep, s.pending)
		}
		if s.multihorizon != nil {
			s.multihorizon.Observe(y, s.rest().scaler)
		}
	}
	if replaced {
		s.targets.Push(target, s.next)
	}
	if s.seasons != nil && s.past.Unseen > 0 {
		for j, v := range y {
			if v == v && !s.past.Seen[j] {
				s.seasons.begin(j, v)
			}
		}
	}
	s.past.Push(y, s.next)
	if s.inputs != nil {
		s.inputs.Next()
		s.inputs.Remember(s.past)
	}
	s.frame.recent.Push(s.past.Lag(0), s.past.Lag(1))
	s.total++
	if s.seasons != nil {
		s.learnSeason()
	}
	s.local.Add(y) // first: the longest chain of dependent instructions starts here
	s.scaler.Add(y)
	again := s.total%(seasonAgain*s.m.memory) == 0
	if s.m.has(CrossLags) {
		s.exact.search(isDoubling(s.total, refitTimes[0]) || again, s.past, s.scaler)
	}
	if s.season != nil {
		s.findSeason()
	}
	if s.refit != nil {
		s.refit.Observe(s)
	}
	if s.past.Any() {
		s.predict()
	}
	return nil
}

// readmit gives a sample that was held back its place in the past.
func (s *autoSeries) readmit(c readmitted) {
	if c.lag >= min(s.past.Count, s.past.Depth) {
		return
	}
	change := c.v - s.past.Lag(c.lag)[c.variable]
	s.past.Lag(c.lag)[c.variable] = c.v
	s.past.ObservedAt(c.lag)[c.variable] = true
	s.frame.recent.change(c.lag, c.variable, change)
	if s.seasons != nil {
		s.seasons.change(c.lag, c.variable, change)
	}
	if r := s.remainder; r != nil {
		if r.frame.recent.change(c.lag, c.variable, change); c.lag < r.past.Depth {
			r.past.Lag(c.lag)[c.variable] += change
		}
	}
}

// copyWhere copies the values that exist and sets the others to NaN.
func copyWhere(dst, x []float64, exists []bool) {
	for j, v := range x {
		if !exists[j] {
			v = math.NaN()
		}
		dst[j] = v
	}
}

// isDoubling reports whether n is first times a power of two.
func isDoubling(n, first int) bool {
	q := n / first
	return q > 0 && q*first == n && q&(q-1) == 0
}

// findSeason searches for a season at every doubling of the samples and then at regular
// intervals, a few lags with each sample.
func (s *autoSeries) findSeason() {
	if (isDoubling(s.total, seasonFrom) || s.total%(seasonAgain*s.m.memory) == 0) && s.past.Count >= min(s.total/2, s.m.memory) {
		s.season.begin(min(s.past.Count, s.m.memory))
	}
	if s.season.samples == 0 {
		return
	}
	if period, done := s.season.proceed(s.past, s.seasons); done {
		s.seasons.propose(period, s.scaler.Inverse)
	}
}

// autoWithInputs is an autoSeries with exogenous inputs.
type autoWithInputs struct{ *autoSeries }

// SetInputs implements eval.InputTaker.
func (s autoWithInputs) SetInputs(u []float64) { s.inputs.Set(u) }

// ResetLags implements eval.LagResetter: pending forecasts are not learnt from, and
// the next sample begins a new run. The weights and the statistics stay.
func (s *autoSeries) ResetLags() {
	s.pending, s.broken = false, true
	s.past.Reset()
	s.scaler.Break()
	s.gate.interrupt()
	s.exact.interrupt()
	if s.holds != nil {
		s.holds.interrupt()
	}
	if s.refit != nil {
		s.refit.end(s)
	}
	if s.season != nil {
		s.season.end()
	}
	if s.seasons != nil {
		s.seasons.Reset()
	}
	if s.multihorizon != nil {
		s.multihorizon.count = 0
		s.multihorizon.lags.interrupt()
	}
}

// resume begins a new run at y: as at the first sample, all increments are zero.
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

// predict computes the features and forecasts of the experts, then the forecasts of
// the mixture.
func (s *autoSeries) predict() {
	f := s.frame
	f.past.AlignWith(s.past)
	d := s.m.cfg.Dim
	stride := vec.Stride(d)
	last := s.past.Lag(0)
	copy(s.forecasts, last)
	s.pending = s.past.Count > 2
	if !s.pending {
		copy(s.next, last)
		return
	}
	f.prepare()
	rest := s.rest()
	if s.remainder != nil {
		s.remainder.prepare(s.seasons)
	}
	for i, e := range s.m.experts {
		if s.refit == nil && e.random != nil {
			e.random.Observe(e.lagsOf(f))
		}
		forecast := s.forecasts[(i+1)*stride:][:d]
		e.FeaturesTo(s.phi[i], f)
		e.forecastTo(forecast, s.outOf(i), s.phi[i], s.frameOf(e))
		if e.source && s.remainder != nil {
			longTo(rest.long, forecast, rest)
			s.remainder.addSeason(forecast, f.scaler)
		}
		if e.source && s.m.long {
			longTo(f.long, forecast, f)
		}
	}
	if s.m.repeats {
		s.forecastSeason(s.forecasts[(len(s.m.experts)+1)*stride:][:d])
	}
	s.mixture.forecastTo(s.next, last, s.forecasts)
	factor := s.earlyFactor()
	for j, v := range s.next {
		switch {
		case v-v != 0:
			s.next[j] = last[j] // v is not finite
		case factor < 1:
			s.next[j] = last[j] + factor*(v-last[j])
		}
	}
	if s.holds != nil {
		s.holds.forecastTo(s.next, last, s.scaler.PerStep)
	}
	s.exact.forecastTo(s.next, s.mixture, f)
	for j, v := range last {
		if s.gate.shifted(j, 1) {
			s.next[j] = v
		}
	}
	if s.multihorizon != nil {
		s.multihorizon.predict(s)
	}
}

// forecastSeason writes the season of the next sample around the mean of the remainder; the
// last value of a variable without a season.
func (s *autoSeries) forecastSeason(dst []float64) {
	r := s.remainder
	copy(dst, s.past.Lag(0))
	if r == nil {
		return
	}
	for j, v := range r.season {
		if s.seasons.has(j) {
			limit := returnLimit * s.scaler.Steps[j]
			v = dst[j] + lanes.Clip(r.frame.scaler.Mean[j]+v-dst[j], limit)
			dst[j] = s.scaler.Within(j, v, 0)
		}
	}
}

// outOf returns the row of out that belongs to an expert.
func (s *autoSeries) outOf(expert int) []float64 {
	d := s.m.cfg.Dim
	return s.out[expert*d : (expert+1)*d]
}

// longTo writes the increments that the source forecasts, in typical steps: features
// of other experts.
func longTo(dst, forecast []float64, f *frame) {
	lanes.Standardise(dst, forecast, f.past.Lag(0), f.scaler.PerStep, math.Inf(1))
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
	return true
}

// rowNumbers is the time in ns before which times since 1970 are taken for the numbers of rows:
// these, as seconds, say nothing about days.
const rowNumbers = 1e8 * 1e9

// SetTime implements eval.Clocked.
func (s *autoSeries) SetTime(ns int64) {
	if s.seasons != nil && (ns < 0 || ns >= rowNumbers) {
		s.seasons.time = ns
	}
}

// AppendSeasons implements eval.Seasonal.
func (s *autoSeries) AppendSeasons(dst []int) []int {
	if s.seasons == nil {
		return dst
	}
	return s.seasons.appendPeriods(dst, true)
}

// Phases implements eval.Seasonal. A young series has no cycles.
func (s *autoSeries) Phases() eval.Phases {
	if s.seasons == nil || s.total < seasonFrom {
		return eval.Phases{}
	}
	return s.seasons.phases()
}

// Experts implements eval.Mixture.
func (s *autoSeries) Experts() []string { return s.m.names }

// WeightsTo implements eval.Mixture.
func (s *autoSeries) WeightsTo(dst []float64) { s.mixture.weightsTo(dst) }

func (s *autoSeries) State(c *snapshot.Codec) {
	c.Section("series")
	several := false // more than one horizon was saved
	if s.inputs != nil {
		s.inputs.State(c)
	}
	s.scaler.State(c)
	s.local.State(c)
	s.past.State(c)
	s.gate.State(c)
	s.mixture.State(c)
	s.early.State(c)
	if s.holds != nil {
		s.holds.State(c)
	}
	s.exact.State(c)
	if s.multihorizon != nil {
		c.Optional("multihorizon", func() { s.multihorizon.State(c); several = true })
	}
	c.Int(&s.total)
	c.Bool(&s.broken)
	c.Bool(&s.pending)
	for _, phi := range s.phi {
		c.Float64s(phi)
	}
	c.Float64s(s.out)
	c.Float64s(s.frame.long)
	if c.Decoding() {
		s.frame.recent.fillFrom(s.past)
		s.frame.past = *s.past
		s.frame.prepare()
	}
	if s.refit != nil {
		s.refit.State(c, s)
	}
	if s.season != nil {
		s.season.State(c)
	}
	if s.seasons != nil {
		s.seasons.State(c)
		has := s.remainder != nil
		c.Bool(&has)
		if c.Decoding() {
			s.remainder = nil
			if has {
				s.remainder = newRemainder(s)
			}
		}
		if has {
			s.remainder.State(c)
			if !several {
				s.chooseSeason()
			}
		}
	}
	if o := s.multihorizon; o != nil {
		renew := c.Decoding()
		c.Optional("lags="+strconv.Itoa(o.horizon), func() {
			o.lags.State(c)
			renew = false
		})
		if renew {
			s.renewLags(0)
		}
	}
	c.Float64s(s.next)
}
