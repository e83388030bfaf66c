package stream

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/eval"
)

// Engine is the pure core of the program: it turns records into forecasts,
// scores and events. It has no clock, no goroutine and does no I/O, so its state
// is a function of its configuration and the records applied, and a replay gives
// the same bits.
//
// It has two halves. One admits records and lets the models learn and forecast;
// what came of that it tells the other, the judge, by turns in the Batch. Learn
// belongs to the first, Score to the second. They share nothing else, so that two
// goroutines can have one half each, if a Batch is judged after it is learnt and in
// order. In all else an Engine is not safe for concurrent use.
type Engine struct {
	c     EngineConfig
	fixed *variables // c.Variables, or nil
	judge *judge

	next    int64
	samples int64              // since the last scores over all series
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

// scratch is memory that holds nothing between two calls of Learn.
type scratch struct {
	y, missing []float64 // dim

	inputs []float64 // H+1 x inputs
	given  []float64 // inputs of a record
	plain  Record    // a record without them

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
	e := &Engine{c: c, byName: make(map[string]*series), assembling: make(map[string]*assembly)}
	e.driving, e.given = make(map[string]*drivers), make([]float64, len(c.Exogenous))
	judged := c
	e.judge = newJudge(&judged)
	if c.Variables != nil {
		e.fixed = newVariables(c.Variables)
	}
	return e, nil
}

// Next returns the offset after the last message applied.
func (e *Engine) Next() int64 { return e.next }

// NumSeries returns the number of series seen.
func (e *Engine) NumSeries() int { return len(e.series) }

// Apply is Begin, Learn and Score for a message with one record.
func (e *Engine) Apply(dst *Batch, r *Record) error {
	if !e.Begin(dst, r.Message) {
		return nil
	}
	if err := e.Learn(dst, r); err != nil {
		return err
	}
	return e.Score(dst)
}

// Reject is Begin and Refuse for a message that could not be decoded.
func (e *Engine) Reject(dst *Batch, m *Message, err *DataError) {
	if e.Begin(dst, m) {
		e.Refuse(dst, m, err)
	}
}

// Begin reports whether m is new: one whose offset was applied before is to be
// skipped. What is in a new one goes to Learn and Refuse, and no state must be
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

// Learn learns from r and appends what comes of it to dst, to be judged. What is
// wrong with the data becomes a dead letter in dst; an error is fatal and leaves the
// Engine unusable. With an Assembly r is a part of a sample, and the samples are the
// rows that it closes, none or several.
//
// The order for an accepted sample is: learn it, then forecast. A forecast is handed
// to the judge before the samples it is compared with are seen: it has not seen its
// target.
func (e *Engine) Learn(dst *Batch, r *Record) error {
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
	t := turn{kind: turnSample, of: s.judged, time: r.Time, y: dst.vector(e.y), inputs: e.drive(dst, s, r.Time)}
	if err := s.model.Observe(t.y); err != nil {
		return refused(s.info.Name, e.c.Model, err)
	}
	t.unusual = s.inspect(dst)
	if err := e.forecast(dst, s, &t); err != nil {
		return err
	}
	e.measure(dst, s, &t)
	dst.take(t, e.points(&t))
	return nil
}

// LearnMessage learns from all that was decoded from the i-th message of src; see
// Begin, Refuse and Learn.
func (e *Engine) LearnMessage(dst *Batch, src *Decoded, i int) error {
	m, parts := src.at(i)
	if m.message.Refused != nil {
		e.Reject(dst, &m.message, m.message.Refused)
		return nil //nolint:nilerr // a refusal is an outcome: it is now a dead letter
	}
	if !e.Begin(dst, &m.message) {
		return nil
	}
	for i := range parts {
		if i > 0 {
			dst.Records++ // the first one was counted as the message
		}
		p := &parts[i]
		p.record.Message = &m.message
		if p.split {
			p.record.Message = &p.message
		}
		if p.refusal != nil {
			e.Refuse(dst, p.record.Message, p.refusal)
		} else if err := e.Learn(dst, &p.record); err != nil {
			return fmt.Errorf("%s: %w", m.message.Origin(), err)
		}
	}
	if m.err != nil {
		return fmt.Errorf("%s: %w", m.message.Origin(), m.err)
	}
	return nil
}

// later returns the later of two times, of which 0 means none.
func later(a, b int64) int64 {
	if a == 0 || b != 0 && b > a {
		return b
	}
	return a
}

// Score appends to dst the points that its turns stand for: those of all records
// learnt from since the last call, of this batch and no other. It completes the
// Snapshot of dst, if there is one.
func (e *Engine) Score(dst *Batch) error {
	for i := range dst.turns {
		if err := e.judge.take(dst, &dst.turns[i]); err != nil {
			return err
		}
	}
	dst.judged()
	if dst.half {
		dst.Snapshot, dst.half = e.stateOfJudge(dst.Snapshot, dst.Since == 0), false
		e.judge.saved()
	}
	return nil
}

// inspect asks the model of s what it noticed in the sample that it has just learnt,
// and returns its score of how unusual that is.
func (s *series) inspect(dst *Batch) (unusual float64) {
	unusual = math.NaN()
	if m, is := eval.As[eval.Detector](s.model); is {
		if score, ok := m.Anomaly(); ok {
			unusual = score
		}
	}
	if m, is := eval.As[eval.DriftDetector](s.model); is {
		if d, ok := m.Drift(); ok {
			s.tell(dst, driftEvent(s.info, s.time, d))
		}
	}
	return unusual
}

// forecast puts the forecasts that s has now into t.
func (e *Engine) forecast(dst *Batch, s *series, t *turn) error {
	n := e.c.Horizon * len(t.y)
	yhat := dst.room(n)
	if !s.model.ForecastTo(yhat) {
		return nil
	}
	if !e.sane(yhat) {
		return e.rescue(dst, s)
	}
	e.keepGoodCopy(s)
	t.yhat, t.step = yhat, e.step(s)
	if l := len(e.c.Levels); l > 0 && e.c.Intervals == nil {
		if b, is := eval.As[eval.Bounder](s.model); is {
			if v := dst.room(2 * l * n); b.BoundsTo(v[:l*n], v[l*n:]) {
				t.bounds = v
			}
		}
	}
	if e.c.Joint {
		if b, is := eval.As[eval.JointBounder](s.model); is {
			if v := dst.room(2 * n); b.JointTo(v[:n], v[n:]) {
				t.region = v
			}
		}
	}
	return nil
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

// measure says in t which scores are due, and appends what the model says about
// itself then.
func (e *Engine) measure(dst *Batch, s *series, t *turn) {
	if e.c.MetricsEvery == 0 {
		return
	}
	if t.due = s.samples%int64(e.c.MetricsEvery) == 0; t.due {
		e.insight(dst, s)
	}
	// No two at the same time: a point has one value.
	if e.samples++; e.samples >= int64(e.c.MetricsEvery)*int64(len(e.series)) && s.time > e.pooled {
		e.samples, e.pooled = 0, s.time
		t.dueAll = true
	}
}

// SetMetricsEvery changes EngineConfig.MetricsEvery: it says when scores are written,
// and nothing depends on it.
func (e *Engine) SetMetricsEvery(n int) { e.c.MetricsEvery = n }

// AppendScores appends the scores of all series as they are now, due or not. It
// changes nothing.
func (e *Engine) AppendScores(dst *Batch) { e.judge.all(dst) }

// points returns how many points a sample becomes, but for what is rare.
func (e *Engine) points(t *turn) int {
	n := 1
	if t.step != 0 {
		n += len(e.c.Emit)
	}
	if t.due {
		n += (1 + len(e.c.Baselines)) * len(e.c.Emit) * (1 + len(t.y))
	}
	return n
}
