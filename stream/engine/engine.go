package engine

import (
	"math"
	"slices"

	"github.com/orffvar/forecaster/internal/plural"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/assemble"
	"github.com/orffvar/forecaster/stream/event"
	"github.com/orffvar/forecaster/stream/refuse"
)

// Engine turns records into forecasts, scores and events. It has no clock, no goroutine and no I/O. Its state is a
// function of its configuration and of the applied records, so a replay gives the same bits.
//
// It has two halves that share only Results. Learn assembles records into samples (assemble.Assembler), lets the
// models learn and forecast, and appends step results to the Results. LearnMessage and Settle do the same for many
// messages, series by series. Score turns step results into points. One goroutine may learn while another scores,
// if all Results are scored in the order of learning. Other concurrent use is unsafe.
type Engine struct {
	c         Config
	assembler *assemble.Assembler
	scorer    *scorer

	next    int64
	latest  int64 // time of the last learnt sample, ns; 0 = none
	refused refusedCounts
	samples int64          // number of samples since the last scores over all series
	pooled  int64          // time of the last scores over all series
	series  []*series      // in order of appearance, like the series of the Assembler
	shared  []*sharedModel // with scope Shared, in order of appearance
	kin     kin            // nil: not listed yet

	budget budget
	tier   int // tier of the next new series; set by affordSeries

	into   learner
	shards []*shard
	queue  []waiting // waiting samples, in order of arrival
	inputs []float64 // scratch, H+1 x inputs
}

// New returns an Engine without series. The error lists all invalid fields of c.
func New(c Config) (*Engine, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	a, err := assemble.New(c.Config)
	if err != nil {
		return nil, err
	}
	e := &Engine{c: c, assembler: a, refused: newRefusedCounts(), shards: []*shard{{Constructors: Constructors{c.NewModel, c.Lighter}}}}
	for _, more := range c.Shards {
		e.shards = append(e.shards, &shard{Constructors: more})
	}
	e.inputs = make([]float64, (c.Horizon+1)*c.Inputs())
	e.budget = budget{limit: c.Memory, costs: make(map[choice]cost)}
	e.tier = e.firstTier()
	a.Afford = e.affordSeries
	scored := c
	e.scorer = newScorer(&scored)
	return e, nil
}

// Next returns the offset after the last applied message.
func (e *Engine) Next() int64 { return e.next }

// NumSeries returns the number of series so far.
func (e *Engine) NumSeries() int { return len(e.series) }

// Resets returns the number of counter resets.
func (e *Engine) Resets() int64 { return e.assembler.Resets() }

// begin reports whether m is new, and counts it. Messages with an offset before Next are not new.
func (e *Engine) begin(dst *Results, m *stream.Message) bool {
	if m.Offset < e.next {
		return false
	}
	e.next = m.Offset + 1
	dst.Next = e.next
	dst.Records++
	return true
}

// refuse appends m, a message or a part of one, as a dead letter. The first, tenth, hundredth, … refusal for a
// reason also appends an event.
func (e *Engine) refuse(dst *Results, m *stream.Message, err *refuse.Error) {
	dst.arrive()
	dst.refuse(m, err)
	e.reportRefused(dst, m, err)
}

// Learn adds r to the Assembler and learns the samples that r completes. It appends their step results to dst, for
// Score. Errors in the data become dead letters in dst. A returned error is fatal: the Engine must not be used
// afterwards.
//
// The model learns a sample, then forecasts. A forecast is in dst before its target is read.
func (e *Engine) Learn(dst *Results, r *stream.Record) error {
	if err := e.add(dst, r); err != nil {
		return err
	}
	return e.Settle(dst)
}

// add adds r to the Assembler. The completed samples may wait for Settle.
func (e *Engine) add(dst *Results, r *stream.Record) error {
	e.into = learner{e, dst, r.Message}
	return e.assembler.Add(&e.into, r)
}

// Close learns the open rows of the Assembler, as no record follows, and appends the results to dst, for Score. It reports
// whether there was one.
func (e *Engine) Close(dst *Results) (some bool, err error) {
	e.into = learner{e, dst, nil}
	before := dst.arrivals
	if err := e.assembler.Close(&e.into); err != nil {
		return false, err
	}
	return dst.arrivals > before, e.Settle(dst)
}

// learner receives the samples and refusals from the Assembler for one record.
type learner struct {
	e   *Engine
	dst *Results
	of  *stream.Message // message of the record
}

// Refuse implements assemble.Receiver.
func (l *learner) Refuse(m *stream.Message, err *refuse.Error) {
	if m != l.of {
		l.dst.Records++ // a row of several messages, which were counted already
	}
	l.e.refuse(l.dst, m, err)
}

// Sample implements assemble.Receiver. The models learn in at once, or in Settle.
func (l *learner) Sample(in *assemble.Sample) error {
	s, err := l.e.seriesOf(l.dst, in)
	if err != nil {
		return err
	}
	s.changed = true // only samples change a series
	return l.e.enqueue(l.dst, s, in)
}

// learn lets the model learn from w and forecast, and appends the step result to dst.
func (e *Engine) learn(dst *Results, w *waiting) error {
	s, h, in := w.series, w.series.shard, &w.sample
	e.closeGap(dst, s, in)
	r := stepResult{
		kind: resultSample, series: s.scored, time: in.Time, row: in.Row, y: in.Y, inputs: w.inputs,
		warmUp: !e.c.Evaluation.scored(in.Row), due: w.due, dueAll: w.dueAll, missing: in.Gap,
	}
	seasonal := s.forecaster.seasonal // observe may replace the model of the series
	if seasonal != nil {
		h.before = sortedSeasons(h.before, seasonal)
	}
	s.see(in.Y)
	if err := e.observe(dst, w); err != nil {
		return err
	}
	if seasonal != nil {
		if h.seasons = sortedSeasons(h.seasons, seasonal); !slices.Equal(h.before, h.seasons) {
			s.event(dst, in.Time, event.Season, "%s", SeasonText(h.seasons))
		}
	}
	if err := e.remeasure(s, in.Row+1); err != nil {
		return err
	}
	r.phases = s.forecaster.phases()
	r.levelSetScore = s.inspect(dst, in.Time)
	if err := e.forecast(dst, s, in, &r); err != nil {
		return err
	}
	if w.due {
		e.insight(dst, s, &r)
	}
	dst.add(r)
	return nil
}

// fill lets the model learn w, a filled-in sample.
func (e *Engine) fill(dst *Results, w *waiting) error {
	s, y := w.series, w.sample.Y
	r := stepResult{kind: resultFill, series: s.scored, y: y, inputs: w.inputs}
	if err := e.observe(dst, w); err != nil {
		return err
	}
	r.phases = s.forecaster.phases()
	if yhat := dst.room(e.c.Horizon * len(y)); s.forecaster.ForecastTo(yhat) && e.sane(yhat) {
		s.hide(yhat)
		r.yhat = yhat
	}
	dst.add(r)
	return nil
}

// closeGap appends an event if samples before in are missing, or if the previous time was wrong. It drops the lags
// unless all missing samples were filled in.
func (e *Engine) closeGap(dst *Results, s *series, in *assemble.Sample) {
	switch {
	case in.Wrong != 0:
		s.event(dst, in.Time, event.Time, "the time was wrong: %s was the last, %d records in a row go on from before it", event.TimeText(in.Wrong), assemble.Agreement)
		e.dropLags(dst, s, in)
		return
	case in.Gap == 0:
		return
	case in.Break == 0:
		s.event(dst, in.Time, event.Gap, "%s missing", plural.Count(in.Gap, "sample"))
		return
	}
	s.event(dst, in.Time, event.Gap, "%s missing, more than %d: only these are filled in", plural.Count(in.Gap, "sample"), e.c.MaxGap)
	e.dropLags(dst, s, in)
}

// dropLags resets the lags of the model and appends a break, because in is no neighbour in time of the last sample.
func (e *Engine) dropLags(dst *Results, s *series, in *assemble.Sample) {
	s.forecaster.resetLags()
	s.broken = true
	y := dst.room(len(in.Y))
	for i := range y {
		y[i] = math.NaN()
	}
	r := stepResult{kind: resultBreak, series: s.scored, y: y, missing: in.Break}
	if in.Wrong != 0 {
		r.missing = int64(e.c.Horizon)
	}
	dst.add(r)
}

// observe lets the model learn w, and records w while the series grows.
func (e *Engine) observe(dst *Results, w *waiting) error {
	s := w.series
	if err := s.forecaster.show(w.sample.Time, w.sample.Y, w.inputs); err != nil {
		return rejected(s.info.Name, e.c.Model, err)
	}
	if s.growth != nil {
		return e.record(dst, w)
	}
	return nil
}

// LearnMessage learns all parts of the i-th message of src, unless it was applied before. Refused parts become dead
// letters. Samples may wait: Settle must be called with dst before dst is scored, before the state is encoded, and
// before another batch is used.
func (e *Engine) LearnMessage(dst *Results, src *Decoded, i int) error {
	if !e.begin(dst, &src.messages[i].message) {
		return nil
	}
	counted := true // begin counts the first record
	return src.Parts(i, func(r *stream.Record, refusal *refuse.Error) error {
		if r.Ahead {
			return e.add(dst, r)
		}
		if !counted {
			dst.Records++
		}
		counted = false
		if refusal != nil {
			e.refuse(dst, r.Message, refusal)
			return nil
		}
		return e.add(dst, r)
	})
}

// later returns the later of two times; 0 means none.
func later(a, b int64) int64 {
	if a == 0 || b != 0 && b > a {
		return b
	}
	return a
}

// Score turns the step results in dst into points. Each batch must be scored once, in the order of learning.
func (e *Engine) Score(dst *Results) error { return e.scorer.takeAll(dst) }

// inspect appends an event if the model detects a drift at the last sample. It returns the level set score of the
// model, NaN without one.
func (s *series) inspect(dst *Results, time int64) (score float64) {
	score = math.NaN()
	if m := s.forecaster.detector; m != nil {
		if v, ok := m.Anomaly(); ok {
			score = v
		}
	}
	if m := s.forecaster.drift; m != nil {
		if d, ok := m.Drift(); ok {
			s.addEvent(dst, driftEvent(s.info, time, d))
		}
	}
	return score
}

// forecast stores the forecasts of s and their bounds in r.
func (e *Engine) forecast(dst *Results, s *series, in *assemble.Sample, r *stepResult) error {
	n := e.c.Horizon * len(r.y)
	yhat := dst.room(n)
	if !s.forecaster.ForecastTo(yhat) {
		return nil
	}
	if !e.sane(yhat) {
		return e.rescue(dst, s, in.Time)
	}
	r.yhat, r.spacing = yhat, in.Spacing
	if l := len(e.c.Levels); l > 0 && e.c.Intervals == nil {
		if b := s.forecaster.bounder; b != nil {
			if v := dst.room(2 * l * n); b.BoundsTo(v[:l*n], v[l*n:]) {
				r.bounds = v
			}
		}
	}
	if m := s.forecaster.limited; m != nil && len(e.c.Levels) > 0 {
		d := len(r.y)
		if v := dst.room(2 * d); m.LimitsTo(v[:d], v[d:]) {
			r.learnt = bounds{v[:d], v[d:]}
		}
	}
	if e.c.Joint {
		if b := s.forecaster.joint; b != nil {
			if v := dst.room(2 * n); b.JointTo(v[:n], v[n:]) {
				r.region = v
			}
		}
	}
	s.hide(r.yhat)
	s.hide(r.bounds)
	s.hide(r.region)
	return nil
}

// explosion is the multiple of MaxAbs above which the absolute value of a forecast counts as exploded.
const explosion = 1e6

// sane reports whether all forecasts are finite and none explodes.
func (e *Engine) sane(v []float64) bool {
	limit := explosion * e.c.MaxAbs
	for _, x := range v {
		if !(x <= limit && x >= -limit) {
			return false
		}
	}
	return true
}

// SetMetricsEvery changes Config.MetricsEvery. No forecast depends on it.
func (e *Engine) SetMetricsEvery(n int) { e.c.MetricsEvery = n }

// MeanErrors returns the mean squared error and the NMSE of the model or baseline with the given
// name over all series, averaged over the horizons 1 to Evaluation.MeanTo. NaN: no scores.
func (e *Engine) MeanErrors(name string) (mse, nmse float64) { return e.scorer.meanErrors(name) }

// AppendScores appends the present scores of all series to dst, due or not. It does not change the state.
func (e *Engine) AppendScores(dst *Results) { e.scorer.all(dst) }
