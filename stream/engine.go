package stream

import (
	"fmt"
	"math"
	"strings"

	"github.com/orffvar/forecaster/eval"
)

// Engine is the pure core of the program: it turns records into forecasts,
// scores and events. It has no clock, no goroutine and does no I/O, so its state
// is a function of its configuration and the records applied, and a replay gives
// the same bits. It is not safe for concurrent use.
type Engine struct {
	c         EngineConfig
	fixed     *variables // c.Variables, or nil
	reference int        // index into c.Baselines, or -1

	next    int64
	pool    *Series            // over all series; nil without
	samples int64              // since its last scores
	pooled  int64              // time of these
	series  []*series          // in order of appearance: the only order in use
	byName  map[string]*series // looked up, never ranged over
	shared  []*weights         // of scope Shared, in order of appearance

	assemblies []*assembly          // of the series, in order of appearance
	assembling map[string]*assembly // looked up, never ranged over

	drivers []*drivers          // of the series, in order of appearance
	driving map[string]*drivers // looked up, never ranged over

	scratch
}

// scratch is memory that holds nothing between two calls of Apply.
type scratch struct {
	y, missing   []float64 // dim
	yhat, ref    []float64 // H x dim
	lower, upper []float64 // L x H x dim
	lo, hi       []float64 // L x dim
	jointLower   []float64 // H x dim
	jointUpper   []float64 // H x dim

	inputs  []float64 // H+1 x inputs
	given   []float64 // inputs of a record
	scorers []*eval.Scorer
	plain   Record // a record without them

	// Of an assembly.
	columns    []int
	numbered   []string
	row        Record
	rowMessage Message
	rowValues  []float64
}

// NewEngine returns an Engine that has seen nothing. The error reports every
// violated relation of c at once.
func NewEngine(c EngineConfig) (*Engine, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	e := &Engine{c: c, reference: -1, byName: make(map[string]*series), assembling: make(map[string]*assembly)}
	e.driving, e.given = make(map[string]*drivers), make([]float64, len(c.Exogenous))
	for i, b := range c.Baselines {
		if b.Reference {
			e.reference = i
		}
	}
	if c.Pool != "" {
		e.pool = &Series{Name: c.Pool}
	}
	if c.Variables != nil {
		e.fixed = newVariables(c.Variables)
	}
	return e, nil
}

// Next returns the offset after the last message applied.
func (e *Engine) Next() int64 { return e.next }

// NumSeries returns the number of series seen.
func (e *Engine) NumSeries() int { return len(e.series) }

// Apply is Begin and Take for a message with one record.
func (e *Engine) Apply(dst *Batch, r *Record) error {
	if !e.Begin(dst, r.Message) {
		return nil
	}
	return e.Take(dst, r)
}

// Reject is Begin and Refuse for a message that could not be decoded.
func (e *Engine) Reject(dst *Batch, m *Message, err *DataError) {
	if e.Begin(dst, m) {
		e.Refuse(dst, m, err)
	}
}

// Begin reports whether m is new: one whose offset was applied before is to be
// skipped. What is in a new one goes to Take and Refuse, and no state must be
// saved before all of it did.
func (e *Engine) Begin(dst *Batch, m *Message) bool {
	if m.Offset < e.next {
		return false
	}
	e.next = m.Offset + 1
	dst.Next = e.next
	dst.Records++
	return true
}

// Refuse keeps m, or a part of it, as a dead letter.
func (e *Engine) Refuse(dst *Batch, m *Message, err *DataError) {
	dst.refuse(m, err.Reason, err.Detail)
}

// Take learns from r and appends what comes of it to dst. What is wrong with
// the data becomes a dead letter in dst; an error is fatal and leaves the Engine
// unusable. With an Assembly r is a part of a sample, and the samples are the rows
// that it closes, none or several.
//
// The order for an accepted sample is: score the forecasts whose step has come,
// learn, forecast. So no forecast has seen its target.
func (e *Engine) Take(dst *Batch, r *Record) error {
	if r.Names != nil && len(r.Names) != len(r.Values) {
		panic("stream: a record has not as many names as values")
	}
	if len(e.c.Exogenous) > 0 {
		p, refusal := e.separate(r)
		if refusal != nil {
			dst.refuse(r.Message, refusal.Reason, refusal.Detail)
		}
		if p == nil {
			return nil
		}
		r = p
	}
	if e.c.Assembly != nil {
		return e.assemble(dst, r)
	}
	return e.learnFrom(dst, r)
}

// learnFrom learns from a whole sample.
func (e *Engine) learnFrom(dst *Batch, r *Record) error {
	s, refusal, err := e.admit(dst, r)
	if err != nil {
		return err
	}
	if refusal != nil {
		if e.c.Assembly != nil {
			e.rowLetter(r)
			dst.Records++ // beside its parts
		}
		dst.refuse(r.Message, refusal.Reason, refusal.Detail)
		return nil
	}
	if err := e.fillGap(dst, s, r.Time); err != nil {
		return err
	}
	s.advance(r.Time)
	dst.Series = len(e.series)
	dst.Watermark = later(dst.Watermark, r.Time)
	e.drive(s, r.Time)
	o := e.observe(dst, s)
	if err := e.learn(s, e.y); err != nil {
		return err
	}
	e.inspect(dst, s, o)
	if err := e.forecast(dst, s); err != nil {
		return err
	}
	e.measure(dst, s)
	return nil
}

// later returns the later of two times, of which 0 means none.
func later(a, b int64) int64 {
	if a == 0 || b != 0 && b > a {
		return b
	}
	return a
}

// observe appends the sample in e.y with what was expected of it.
func (e *Engine) observe(dst *Batch, s *series) *Observation {
	d := len(e.y)
	dst.Observations = append(dst.Observations, Observation{
		Series: s.info, Time: s.time, Y: dst.vector(e.y),
		Residual: dst.zeros(d), Score: math.NaN(), Anomaly: dst.zeros(d), Unusual: math.NaN(),
	})
	o := &dst.Observations[len(dst.Observations)-1]
	for j, y := range e.y {
		o.Residual[j] = y - s.yhat[j]
	}
	if score, ok := s.surprise.Observe(e.y, s.yhat); ok {
		cause, share := s.surprise.Leading()
		o.Score, o.Cause, o.Share = score, cause, dst.vector(share)
	}
	s.surprise.VariablesTo(o.Anomaly)
	return o
}

// inspect asks the model what it noticed in the sample that it has just learnt.
func (e *Engine) inspect(dst *Batch, s *series, o *Observation) {
	f := s.models[0].f
	if m, is := f.(eval.Detector); is {
		if score, ok := m.Anomaly(); ok {
			o.Unusual = score
		}
	}
	if m, is := f.(eval.DriftDetector); is {
		if d, ok := m.Drift(); ok {
			s.drifted(dst, d)
		}
	}
}

// drifted appends the event of a drift.
func (s *series) drifted(dst *Batch, d eval.Drift) {
	of, what := "the errors", "larger than usual"
	if d.Variable != eval.All {
		of = "the errors of " + s.info.Variables[d.Variable]
	}
	if d.Bias {
		what = "of one sign"
	}
	if d.Action == eval.AdaptNone {
		s.event(dst, s.time, EventDrift, "%s have been %s for about %d samples", of, what, d.Since)
		return
	}
	s.event(dst, s.time, EventDrift, "%s have been %s for about %d samples; action: %s", of, what, d.Since, d.Action)
}

// learn shows y to the models and to their scores.
func (e *Engine) learn(s *series, y []float64) error {
	for _, m := range s.models {
		m.scorer.Observe(y)
		if err := m.f.Observe(y); err != nil {
			return fmt.Errorf("stream: series %q: %s refused a sample that is within the limits: %w", s.info.Name, m.name, err)
		}
	}
	return nil
}

// forecast issues the forecasts that s has now.
func (e *Engine) forecast(dst *Batch, s *series) error {
	s.forget()
	ref := e.referenceForecast(s)
	for i, m := range s.models[1:] {
		switch {
		case i == e.reference:
			if ref != nil {
				m.scorer.Push(ref, nil, nil, ref)
			}
		case m.f.ForecastTo(e.yhat):
			m.scorer.Push(e.yhat, nil, nil, ref)
		}
	}
	m := s.models[0]
	if !m.f.ForecastTo(e.yhat) {
		return nil
	}
	if !e.sane(e.yhat) {
		return e.rescue(dst, s)
	}
	e.keepGoodCopy(s)
	e.bounds(m.f)
	m.scorer.Push(e.yhat, e.lower, e.upper, ref)
	if e.c.Joint {
		e.region(m.f)
		m.scorer.PushJoint(e.jointLower, e.jointUpper)
	}
	copy(s.yhat, e.yhat)
	e.emit(dst, s)
	return nil
}

// referenceForecast returns the forecast of the baseline that is the reference,
// or nil.
func (e *Engine) referenceForecast(s *series) []float64 {
	if e.reference < 0 || !s.models[1+e.reference].f.ForecastTo(e.ref) {
		return nil
	}
	return e.ref
}

// explosion is how many times the largest sample allowed a forecast has to be to
// count as exploding.
const explosion = 1e6

// sane reports whether no forecast is infinite, NaN or exploding.
func (e *Engine) sane(v []float64) bool {
	for _, x := range v {
		if !(math.Abs(x) <= explosion*e.c.MaxAbs) {
			return false
		}
	}
	return true
}

// bounds sets e.lower and e.upper to the intervals of f, NaN where there is
// none or one of its ends is not finite.
func (e *Engine) bounds(f eval.Forecaster) {
	b, ok := f.(eval.Bounder)
	ok = ok && len(e.lower) > 0 && b.BoundsTo(e.lower, e.upper)
	for i := range e.lower {
		if !ok || !(math.Abs(e.lower[i]) <= math.MaxFloat64) || !(math.Abs(e.upper[i]) <= math.MaxFloat64) {
			e.lower[i], e.upper[i] = math.NaN(), math.NaN()
		}
	}
}

// region sets e.jointLower and e.jointUpper to the joint region of f, NaN where
// there is none.
func (e *Engine) region(f eval.Forecaster) {
	b, ok := f.(eval.JointBounder)
	if ok && b.JointTo(e.jointLower, e.jointUpper) {
		return
	}
	for i := range e.jointLower {
		e.jointLower[i], e.jointUpper[i] = math.NaN(), math.NaN()
	}
}

// emit appends the forecasts in e.yhat, unless their times are unknown.
func (e *Engine) emit(dst *Batch, s *series) {
	step := e.step(s)
	if step == 0 {
		return
	}
	at := origin{s.time, step}
	estimated := e.c.Interval == 0 && e.c.Months == 0
	if estimated && !s.issued.add(at, e.c.Horizon) {
		return
	}
	d := len(s.info.Variables)
	for _, h := range e.c.Emit {
		target := at.target(h)
		if target == math.MaxInt64 {
			return // past the year 2262
		}
		if estimated && s.issued.taken(at, h) {
			continue
		}
		e.lo, e.hi = e.lo[:0], e.hi[:0]
		for l := range e.c.Levels {
			from := (l*e.c.Horizon + h - 1) * d
			e.lo = append(e.lo, e.lower[from:from+d]...)
			e.hi = append(e.hi, e.upper[from:from+d]...)
		}
		dst.Forecasts = append(dst.Forecasts, Forecast{
			Series: s.info, Model: e.c.Model, Origin: s.time, Time: target, Horizon: h,
			Yhat: dst.vector(e.yhat[(h-1)*d : h*d]), Lower: dst.vector(e.lo), Upper: dst.vector(e.hi),
		})
		if e.c.Joint {
			f := &dst.Forecasts[len(dst.Forecasts)-1]
			f.JointLower = dst.vector(e.jointLower[(h-1)*d : h*d])
			f.JointUpper = dst.vector(e.jointUpper[(h-1)*d : h*d])
		}
	}
}

// fixedStep returns the time from one sample to the next as configured, 0 if it is
// not.
func (e *Engine) fixedStep() step {
	if e.c.Months > 0 {
		return months(e.c.Months)
	}
	return step(e.c.Interval)
}

// step returns the time from one sample of s to the next, 0 if it is not known yet.
func (e *Engine) step(s *series) step {
	if fixed := e.fixedStep(); fixed != 0 {
		return fixed
	}
	return s.spacing.median()
}

// measure appends the scores of s when they are due.
func (e *Engine) measure(dst *Batch, s *series) {
	if e.c.MetricsEvery == 0 {
		return
	}
	if s.samples%int64(e.c.MetricsEvery) == 0 {
		e.scores(dst, s)
		e.insight(dst, s)
	}
	// No two at the same time: a point has one value.
	if e.samples++; e.samples >= int64(e.c.MetricsEvery)*int64(len(e.series)) && s.time > e.pooled {
		e.samples, e.pooled = 0, s.time
		e.scoresOfAll(dst, s.time)
	}
}

// Scores appends the scores of all series as they are now, due or not. It
// changes nothing.
func (e *Engine) Scores(dst *Batch) {
	var now int64
	for _, s := range e.series {
		now = later(now, s.time)
	}
	e.scoresOfAll(dst, now)
	for _, s := range e.series {
		e.scores(dst, s)
	}
}

// scoresOfAll appends the scores over all series, if there are several: of their
// variables together.
func (e *Engine) scoresOfAll(dst *Batch, now int64) {
	if e.pool == nil || len(e.series) < 2 {
		return
	}
	for i, m := range e.series[0].models {
		e.scorers = e.scorers[:0]
		for _, s := range e.series {
			e.scorers = append(e.scorers, s.models[i].scorer)
		}
		for k, h := range e.c.Emit {
			if score := eval.Pool(e.scorers, k); score.N > 0 {
				dst.Metrics = append(dst.Metrics, Metric{Series: e.pool, Target: AllTargets, Horizon: h, Model: m.name, Time: now, Score: score})
			}
		}
	}
	clear(e.scorers)
}

// isPool reports whether a name is one of a series over all series.
func isPool(name string) bool { return name == AllSeries || strings.HasPrefix(name, AllSeries+" ") }

// scores appends the scores of s.
func (e *Engine) scores(dst *Batch, s *series) {
	for _, m := range s.models {
		for k, h := range e.c.Emit {
			for j := eval.All; j < len(s.info.Variables); j++ {
				target := AllTargets
				if j != eval.All {
					target = s.info.Variables[j]
				}
				if score := m.scorer.Windowed(j, k); score.N > 0 {
					dst.Metrics = append(dst.Metrics, Metric{
						Series: s.info, Target: target, Horizon: h, Model: m.name, Time: s.time, Score: score,
					})
				}
			}
		}
	}
}
