package stream

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/snapshot"
)

// judge is the half of an Engine behind the models: it compares what was forecast
// with what came, with what baselines had said and with what is usual, and makes the
// points. It knows the series by the turns that it is told, and nothing that it does
// reaches a model. So it can work in another goroutine, at earlier samples.
type judge struct {
	c         *EngineConfig
	reference int       // index into c.Baselines, or -1
	pool      *Series   // over all series; nil without
	series    []*judged // in order of appearance

	// Scratch: it holds nothing between two turns.
	yhat, ref              []float64 // H x dim
	lower, upper           []float64 // L x H x dim
	jointLower, jointUpper []float64 // H x dim
	scorers                []*eval.Scorer
}

// judged is all that the judge knows of one series with its variables.
type judged struct {
	info  *Series
	place int   // in order of appearance
	time  int64 // of the last sample

	scorer   *eval.Scorer // of the model
	rivals   []*rival     // the baselines in their order
	surprise *eval.Surprise

	intervals  eval.Intervals   // nil when the model has them, or none are asked for
	drift      eval.DriftWatch  // likewise
	companions []eval.Companion // these two
	yhat       []float64        // the one-step forecast issued last, dim; NaN = none
	issued     issued           // while the spacing is estimated

	changed bool // since Engine.Saved
}

func (s *judged) hasChanged() bool { return s.changed }

// rival is a baseline of a series with its score.
type rival struct {
	name   string
	own    eval.Model // that f belongs to
	f      eval.Forecaster
	scorer *eval.Scorer
}

func newJudge(c *EngineConfig) *judge {
	j := &judge{c: c, reference: -1}
	for i, b := range c.Baselines {
		if b.Reference {
			j.reference = i
		}
	}
	if c.Pool != "" {
		j.pool = &Series{Name: c.Pool}
	}
	return j
}

// newJudged returns what the judge knows of a series that begins now. The judge
// hears of it by a turn.
func newJudged(c *EngineConfig, info *Series, place int) (*judged, error) {
	dim := len(info.Variables)
	s := &judged{
		info: info, place: place, scorer: newScorer(c, dim),
		surprise: eval.NewSurprise(dim), yhat: make([]float64, dim), changed: true,
	}
	for _, b := range c.Baselines {
		m, err := b.New(dim, c.Horizon)
		if err != nil {
			return nil, fmt.Errorf("stream: baseline %s of %d variables: %w", b.Name, dim, err)
		}
		s.rivals = append(s.rivals, &rival{name: b.Name, own: m, f: m.NewSeries(), scorer: newScorer(c, dim)})
	}
	var err error
	if c.Intervals != nil {
		if s.intervals, err = c.Intervals(dim); err != nil {
			return nil, fmt.Errorf("stream: intervals of %d variables: %w", dim, err)
		}
		s.companions = append(s.companions, s.intervals)
	}
	if c.Drift != nil {
		if s.drift, err = c.Drift(dim); err != nil {
			return nil, fmt.Errorf("stream: drift detector of %d variables: %w", dim, err)
		}
		s.companions = append(s.companions, s.drift)
	}
	s.forget()
	return s, nil
}

func newScorer(c *EngineConfig, dim int) *eval.Scorer {
	sc := eval.ScorerConfig{Dim: dim, Horizons: c.Emit, Window: c.MetricsWindow}
	if len(c.Levels) > 0 {
		sc.Level = c.Levels[0]
		sc.Joint = c.Joint
	}
	return eval.NewScorer(sc)
}

// forget drops the one-step forecast.
func (s *judged) forget() {
	for i := range s.yhat {
		s.yhat[i] = math.NaN()
	}
}

// take does what t asks for and appends what comes of it to dst. An error is fatal.
func (j *judge) take(dst *Batch, t *turn) error {
	s := t.of
	s.changed = true
	switch t.kind {
	case turnBegin:
		j.begin(s)
	case turnSample:
		s.time = t.time
		o := j.observe(dst, t)
		if err := j.score(s, t); err != nil {
			return err
		}
		o.Unusual = t.unusual
		j.watch(dst, s)
		j.forecast(dst, t)
		j.measure(dst, t)
	case turnFill:
		if err := j.score(s, t); err != nil {
			return err
		}
		s.issue(t.yhat)
		s.forget()
	case turnBreak:
		j.interrupt(s, t)
	case turnEvent:
		dst.Events = append(dst.Events, t.event)
	}
	return nil
}

// begin takes in a new series, or one with new variables: what was issued before for
// times to come still stands.
func (j *judge) begin(s *judged) {
	if s.place == len(j.series) {
		j.series = append(j.series, s)
		return
	}
	s.issued = j.series[s.place].issued
	j.series[s.place] = s
}

// observe appends the sample of t with what was expected of it.
func (j *judge) observe(dst *Batch, t *turn) *Observation {
	s := t.of
	v := dst.room(2 * len(t.y))
	residual, anomaly := v[:len(t.y):len(t.y)], v[len(t.y):]
	dst.Observations = append(dst.Observations, Observation{
		Series: s.info, Time: t.time, Y: t.y, Residual: residual, Score: math.NaN(), Anomaly: anomaly,
	})
	o := &dst.Observations[len(dst.Observations)-1]
	for i, y := range t.y {
		residual[i] = y - s.yhat[i]
	}
	if score, ok := s.surprise.Observe(t.y, s.yhat); ok {
		cause, share := s.surprise.Leading()
		o.Score, o.Cause, o.Share = score, cause, dst.vector(share)
	}
	s.surprise.VariablesTo(anomaly)
	return o
}

// score shows the sample of t to all that had a forecast of it.
func (j *judge) score(s *judged, t *turn) error {
	s.scorer.Observe(t.y)
	for _, m := range s.rivals {
		if t.inputs != nil {
			if taker, ok := eval.As[eval.InputTaker](m.f); ok {
				taker.SetInputs(t.inputs)
			}
		}
		m.scorer.Observe(t.y)
		if err := m.f.Observe(t.y); err != nil {
			return refused(s.info.Name, m.name, err)
		}
	}
	for _, c := range s.companions {
		c.Observe(t.y)
	}
	return nil
}

// refused is the error of a model that does not take what it has to.
func refused(series, model string, err error) error {
	return fmt.Errorf("stream: series %q: %s refused a sample that is within the limits: %w", series, model, err)
}

// watch tells of a drift that the last sample has shown.
func (j *judge) watch(dst *Batch, s *judged) {
	if s.drift == nil {
		return
	}
	if d, ok := s.drift.Drift(); ok {
		dst.Events = append(dst.Events, driftEvent(s.info, s.time, d))
	}
}

// driftEvent is the event of a drift.
func driftEvent(s *Series, time int64, d eval.Drift) Event {
	of, what, action := "the errors", "larger than usual", ""
	if d.Variable != eval.All {
		of = "the errors of " + s.Variables[d.Variable]
	}
	if d.Bias {
		what = "of one sign"
	}
	if d.Action != eval.AdaptNone {
		action = "; action: " + string(d.Action)
	}
	text := fmt.Sprintf("%s have been %s for about %d samples%s", of, what, d.Since, action)
	return Event{Series: s.Name, Time: time, Kind: EventDrift, Text: text}
}

// issue tells the companions what was forecast; nil is nothing.
func (s *judged) issue(yhat []float64) {
	for _, c := range s.companions {
		if yhat == nil {
			c.ResetLags()
		} else {
			c.Issue(yhat)
		}
	}
}

// forecast lets the baselines forecast beside the model, and makes the points.
func (j *judge) forecast(dst *Batch, t *turn) {
	s := t.of
	j.shape(len(t.y))
	s.forget()
	s.issue(t.yhat)
	ref := j.referenceForecast(s)
	for i, m := range s.rivals {
		switch {
		case i == j.reference:
			if ref != nil {
				m.scorer.Push(ref, nil, nil, ref)
			}
		case m.f.ForecastTo(j.yhat):
			m.scorer.Push(j.yhat, nil, nil, ref)
		}
	}
	if t.yhat == nil {
		return
	}
	j.bounds(t)
	s.scorer.Push(t.yhat, j.lower, j.upper, ref)
	if j.c.Joint {
		j.region(t)
		s.scorer.PushJoint(j.jointLower, j.jointUpper)
	}
	copy(s.yhat, t.yhat)
	j.emit(dst, t)
}

// shape gives the scratch memory the sizes for dim variables.
func (j *judge) shape(dim int) {
	n := j.c.Horizon * dim
	if len(j.yhat) == n {
		return
	}
	resize(&j.yhat, n)
	resize(&j.ref, n)
	resize(&j.lower, len(j.c.Levels)*n)
	resize(&j.upper, len(j.c.Levels)*n)
	if j.c.Joint {
		resize(&j.jointLower, n)
		resize(&j.jointUpper, n)
	}
}

func resize(v *[]float64, n int) { *v = slices.Grow((*v)[:0], n)[:n] }

// referenceForecast returns the forecast of the baseline that is the reference,
// or nil.
func (j *judge) referenceForecast(s *judged) []float64 {
	if j.reference < 0 || !s.rivals[j.reference].f.ForecastTo(j.ref) {
		return nil
	}
	return j.ref
}

// bounds sets j.lower and j.upper to the intervals of the forecasts of t, NaN where
// there is none or one of its ends is not finite.
func (j *judge) bounds(t *turn) {
	n, ok := len(j.lower), t.bounds != nil
	switch {
	case n == 0:
		return
	case ok:
		copy(j.lower, t.bounds)
		copy(j.upper, t.bounds[n:])
	case t.of.intervals != nil:
		ok = t.of.intervals.BoundsTo(j.lower, j.upper)
	}
	for i := range j.lower {
		if !ok || !(math.Abs(j.lower[i]) <= math.MaxFloat64) || !(math.Abs(j.upper[i]) <= math.MaxFloat64) {
			j.lower[i], j.upper[i] = math.NaN(), math.NaN()
		}
	}
}

// region sets j.jointLower and j.jointUpper to the joint region of the forecasts of
// t, NaN where there is none.
func (j *judge) region(t *turn) {
	if t.region != nil {
		copy(j.jointLower, t.region)
		copy(j.jointUpper, t.region[len(j.jointLower):])
		return
	}
	for i := range j.jointLower {
		j.jointLower[i], j.jointUpper[i] = math.NaN(), math.NaN()
	}
}

// emit appends the forecasts of t, unless their times are unknown.
func (j *judge) emit(dst *Batch, t *turn) {
	if t.step == 0 {
		return
	}
	s, at := t.of, origin{t.time, t.step}
	estimated := j.c.Interval == 0 && j.c.Months == 0
	if estimated && !s.issued.add(at, j.c.Horizon) {
		return
	}
	d := len(t.y)
	for _, h := range j.c.Emit {
		target := at.target(h)
		if target == math.MaxInt64 {
			return // past the year 2262
		}
		if estimated && s.issued.taken(at, h) {
			continue
		}
		from, to := (h-1)*d, h*d
		dst.Forecasts = append(dst.Forecasts, Forecast{
			Series: s.info, Model: j.c.Model, Origin: t.time, Time: target, Horizon: h,
			Yhat: t.yhat[from:to:to], Lower: j.atHorizon(dst, j.lower, from, to), Upper: j.atHorizon(dst, j.upper, from, to),
		})
		if j.c.Joint {
			f := &dst.Forecasts[len(dst.Forecasts)-1]
			f.JointLower, f.JointUpper = dst.vector(j.jointLower[from:to]), dst.vector(j.jointUpper[from:to])
		}
	}
}

// atHorizon returns a copy of the part of bounds, L x H x dim, of one horizon: L x
// dim.
func (j *judge) atHorizon(dst *Batch, bounds []float64, from, to int) []float64 {
	v := dst.room(len(j.c.Levels) * (to - from))
	for l := range j.c.Levels {
		row := bounds[l*len(j.yhat):]
		copy(v[l*(to-from):], row[from:to])
	}
	return v
}

// interrupt says that the forecasts under way will not be scored. None waits longer
// than the horizon.
func (j *judge) interrupt(s *judged, t *turn) {
	s.forget()
	for range min(t.missing, j.c.Horizon) {
		s.scorer.Observe(t.y)
		for _, m := range s.rivals {
			m.scorer.Observe(t.y)
		}
	}
	for _, m := range s.rivals {
		resetLags(m.f)
	}
	for _, c := range s.companions {
		c.ResetLags()
	}
}

// measure appends the scores that are due at t.
func (j *judge) measure(dst *Batch, t *turn) {
	if t.due {
		j.scores(dst, t.of)
	}
	if t.dueAll {
		j.scoresOfAll(dst, t.time)
	}
}

// all appends the scores of all series as they are now, due or not. It changes
// nothing.
func (j *judge) all(dst *Batch) {
	var now int64
	for _, s := range j.series {
		now = later(now, s.time)
	}
	j.scoresOfAll(dst, now)
	for _, s := range j.series {
		j.scores(dst, s)
	}
}

// scoresOfAll appends the scores over all series, if there are several: of their
// variables together.
func (j *judge) scoresOfAll(dst *Batch, now int64) {
	if j.pool == nil || len(j.series) < 2 {
		return
	}
	for i := range 1 + len(j.c.Baselines) {
		name := ""
		j.scorers = j.scorers[:0]
		for _, s := range j.series {
			var scorer *eval.Scorer
			name, scorer = j.contender(s, i)
			j.scorers = append(j.scorers, scorer)
		}
		for k, h := range j.c.Emit {
			if score := eval.Pool(j.scorers, k); score.N > 0 {
				dst.Metrics = append(dst.Metrics, Metric{Series: j.pool, Target: AllTargets, Horizon: h, Model: name, Time: now, Score: score})
			}
		}
	}
	clear(j.scorers)
}

// contender returns the name and the scores of the model, then of the baselines.
func (j *judge) contender(s *judged, i int) (string, *eval.Scorer) {
	if i == 0 {
		return j.c.Model, s.scorer
	}
	return s.rivals[i-1].name, s.rivals[i-1].scorer
}

// isPool reports whether a name is one of a series over all series.
func isPool(name string) bool { return name == AllSeries || strings.HasPrefix(name, AllSeries+" ") }

// scores appends the scores of s.
func (j *judge) scores(dst *Batch, s *judged) {
	for i := range 1 + len(s.rivals) {
		name, scorer := j.contender(s, i)
		for k, h := range j.c.Emit {
			for v := eval.All; v < len(s.info.Variables); v++ {
				target := AllTargets
				if v != eval.All {
					target = s.info.Variables[v]
				}
				if score := scorer.Windowed(v, k); score.N > 0 {
					dst.Metrics = append(dst.Metrics, Metric{
						Series: s.info, Target: target, Horizon: h, Model: name, Time: s.time, Score: score,
					})
				}
			}
		}
	}
}

// state transfers what is known of all series, or of those that have changed. The
// series are there: the engine has made them.
func (j *judge) state(c *snapshot.Codec, all bool) {
	c.Section("judge")
	transferSome(c, j.series, all, j.c.MaxSeries, func(c *snapshot.Codec, i int) {
		if i >= len(j.series) {
			c.Fail("scores of a series behind the last")
			return
		}
		j.series[i].state(c, j.c.Horizon)
	})
}

func (s *judged) state(c *snapshot.Codec, horizon int) {
	c.Section("judged")
	c.Int64(&s.time)
	s.scorer.State(c)
	for _, m := range s.rivals {
		c.Section(m.name)
		m.own.State(c)
		m.f.State(c)
		m.scorer.State(c)
	}
	for _, k := range s.companions {
		k.State(c)
	}
	s.surprise.State(c)
	c.Float64s(s.yhat)
	s.issued.state(c, horizon)
}
