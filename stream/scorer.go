package stream

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/snapshot"
)

// scorer is the half of an Engine behind the models: it compares what was forecast with
// what came, with the forecasts of the baselines and with what is usual, and makes the
// points. It knows the series by the step results, and nothing that it does reaches a
// model. So it can work in another goroutine, at earlier samples.
type scorer struct {
	c         *EngineConfig
	reference int             // index into c.Baselines, or -1
	pool      *Series         // over all series; nil without
	series    []*scoredSeries // in order of appearance

	// Scratch: it holds nothing between two step results.
	yhat, ref              []float64 // H x dim
	lower, upper           []float64 // L x H x dim
	jointLower, jointUpper []float64 // H x dim
	scorers                []*eval.Scorer
	losses                 []float64
}

// scoredSeries is all that the scorer knows of one series with its variables.
type scoredSeries struct {
	info  *Series
	place int   // in order of appearance
	time  int64 // of the last sample

	scorer    *eval.Scorer        // of the model
	baselines []*baseline         // in their order
	anomalies *eval.AnomalyScorer // nil: none are asked for

	intervals  eval.Intervals   // nil when the model has them, or none are asked for
	drift      eval.DriftWatch  // likewise
	companions []eval.Companion // these two
	yhat       []float64        // the one-step forecast issued last, dim; NaN = none
	issued     issued           // while the spacing is estimated

	limits *limits

	changed bool // since Engine.Saved
}

func (s *scoredSeries) hasChanged() bool { return s.changed }

// baseline is a baseline of a series with its score.
type baseline struct {
	name   string
	own    eval.Model // that f belongs to
	f      eval.Forecaster
	scorer *eval.Scorer
}

func newScorer(c *EngineConfig) *scorer {
	sc := &scorer{c: c, reference: -1}
	for i, b := range c.Baselines {
		if b.Reference {
			sc.reference = i
		}
	}
	if c.Pool != "" {
		sc.pool = &Series{Name: c.Pool}
	}
	return sc
}

// newScoredSeries returns what the scorer knows of a series that begins now. The scorer
// learns about it by a step result.
func newScoredSeries(c *EngineConfig, info *Series, place int) (*scoredSeries, error) {
	dim := len(info.Variables)
	s := &scoredSeries{
		info: info, place: place, scorer: newModelScorer(c, info),
		yhat: make([]float64, dim), limits: newLimits(c, info.Variables), changed: true,
	}
	if !c.Evaluation.NoAnomalies {
		s.anomalies = eval.NewAnomalyScorer(c.anomalies(info.Variables))
	}
	for _, b := range c.Baselines {
		m, err := b.New(dim, c.Horizon)
		if err != nil {
			return nil, fmt.Errorf("stream: baseline %s of %d variables: %w", b.Name, dim, err)
		}
		s.baselines = append(s.baselines, &baseline{name: b.Name, own: m, f: m.NewSeries(), scorer: newModelScorer(c, info)})
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

func newModelScorer(c *EngineConfig, info *Series) *eval.Scorer {
	config := eval.ScorerConfig{Dim: len(info.Variables), Horizons: c.Emit, Window: c.MetricsWindow}
	if c.Evaluation.Scale != nil {
		config.Scale = c.Evaluation.Scale(info)
	}
	if len(c.Levels) > 0 {
		config.Level = c.Levels[0]
		config.Joint = c.Joint
	}
	return eval.NewScorer(config)
}

// forget drops the one-step forecast.
func (s *scoredSeries) forget() {
	for i := range s.yhat {
		s.yhat[i] = math.NaN()
	}
}

// take does what r asks for and appends what comes of it to dst. An error is fatal.
func (sc *scorer) take(dst *Batch, r *stepResult) error {
	if r.kind == resultEvent {
		dst.Events = append(dst.Events, r.event)
		return nil
	}
	s := r.series
	s.changed = true
	switch r.kind {
	case resultBegin:
		sc.begin(s)
	case resultSample:
		s.time = r.time
		o := sc.observe(dst, r)
		if err := sc.score(s, r); err != nil {
			return err
		}
		o.Unusual = r.unusual
		sc.report(s, r.y)
		sc.watch(dst, s)
		sc.forecast(dst, r)
		sc.measure(dst, r)
	case resultFill:
		if err := sc.score(s, r); err != nil {
			return err
		}
		s.limits.clip(r.yhat)
		s.issue(r.yhat)
		s.forget()
	case resultBreak:
		sc.interrupt(s, r)
	}
	return nil
}

// begin takes in a new series, or one with new variables: what was issued before for
// times to come still stands.
func (sc *scorer) begin(s *scoredSeries) {
	if s.place == len(sc.series) {
		sc.series = append(sc.series, s)
		return
	}
	s.issued = sc.series[s.place].issued
	sc.series[s.place] = s
}

// observe appends the sample of r with what was expected of it.
func (sc *scorer) observe(dst *Batch, r *stepResult) *Observation {
	s := r.series
	v := dst.room(2 * len(r.y))
	residual, anomaly := v[:len(r.y):len(r.y)], v[len(r.y):]
	dst.Observations = append(dst.Observations, Observation{
		Series: s.info, Time: r.time, Y: r.y, Residual: residual, Score: math.NaN(), Anomaly: anomaly,
	})
	o := &dst.Observations[len(dst.Observations)-1]
	for i, y := range r.y {
		residual[i], anomaly[i] = y-s.yhat[i], math.NaN()
	}
	if s.anomalies != nil {
		scoreAnomaly(dst, o, s, r)
	}
	return o
}

// score shows the sample of r to all that had a forecast of it.
func (sc *scorer) score(s *scoredSeries, r *stepResult) error {
	compare := (*eval.Scorer).Observe
	if r.warmUp {
		compare = (*eval.Scorer).Skip
	}
	compare(s.scorer, r.y)
	for _, m := range s.baselines {
		if r.inputs != nil {
			if taker, ok := eval.As[eval.InputTaker](m.f); ok {
				taker.SetInputs(r.inputs)
			}
		}
		if c, ok := eval.As[eval.Clocked](m.f); ok {
			c.SetTime(r.time)
		}
		compare(m.scorer, r.y)
		if err := m.f.Observe(r.y); err != nil {
			return rejected(s.info.Name, m.name, err)
		}
	}
	for _, c := range s.companions {
		c.Observe(r.y)
	}
	return nil
}

// report passes the losses of the last sample y on, and whether it was inside its intervals.
func (sc *scorer) report(s *scoredSeries, y []float64) {
	if inside := sc.c.Evaluation.Inside; inside != nil {
		sc.losses = slices.Grow(sc.losses[:0], len(y))[:len(y)]
		for k := range sc.c.Emit {
			s.scorer.InsideTo(sc.losses, k, y)
			inside(s.info, k, sc.losses)
		}
	}
	if sc.c.Evaluation.Losses == nil {
		return
	}
	for i := range 1 + len(s.baselines) {
		name, scorer := sc.scorerOf(s, i)
		sc.losses = sc.losses[:0]
		for k := range sc.c.Emit {
			sc.losses = append(sc.losses, scorer.Loss(k))
		}
		sc.c.Evaluation.Losses(s.info, name, sc.losses)
	}
}

// rejected is the error of a model that does not take what it has to.
func rejected(series, model string, err error) error {
	return fmt.Errorf("stream: series %q: %s did not take a sample that is within the limits: %w", series, model, err)
}

// watch adds an event for a drift at the last sample.
func (sc *scorer) watch(dst *Batch, s *scoredSeries) {
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
	return Event{Series: s.Name, Tags: s.Tags, Time: time, Kind: EventDrift, Text: text}
}

// issue passes the forecasts to the companions; nil: there are none.
func (s *scoredSeries) issue(yhat []float64) {
	for _, c := range s.companions {
		if yhat == nil {
			c.ResetLags()
		} else {
			c.Issue(yhat)
		}
	}
}

// forecast lets the baselines forecast beside the model, and makes the points.
func (sc *scorer) forecast(dst *Batch, r *stepResult) {
	s := r.series
	sc.shape(len(r.y))
	s.forget()
	s.limits.clip(r.yhat)
	s.issue(r.yhat)
	ref := sc.referenceForecast(s)
	for i, m := range s.baselines {
		switch {
		case i == sc.reference:
			if ref != nil {
				m.scorer.Push(ref, nil, nil, ref)
			}
		case m.f.ForecastTo(sc.yhat):
			m.scorer.Push(sc.yhat, nil, nil, ref)
		}
	}
	if r.yhat == nil {
		return
	}
	sc.bounds(r)
	s.scorer.Push(r.yhat, sc.lower, sc.upper, ref)
	if sc.c.Joint {
		sc.region(r)
		s.scorer.PushJoint(sc.jointLower, sc.jointUpper)
	}
	copy(s.yhat, r.yhat)
	sc.emit(dst, r)
}

// shape gives the scratch memory the sizes for dim variables.
func (sc *scorer) shape(dim int) {
	n := sc.c.Horizon * dim
	if len(sc.yhat) == n {
		return
	}
	resize(&sc.yhat, n)
	resize(&sc.ref, n)
	resize(&sc.lower, len(sc.c.Levels)*n)
	resize(&sc.upper, len(sc.c.Levels)*n)
	if sc.c.Joint {
		resize(&sc.jointLower, n)
		resize(&sc.jointUpper, n)
	}
}

func resize(v *[]float64, n int) { *v = slices.Grow((*v)[:0], n)[:n] }

// referenceForecast returns the forecast of the baseline that is the reference,
// or nil.
func (sc *scorer) referenceForecast(s *scoredSeries) []float64 {
	if sc.reference < 0 || !s.baselines[sc.reference].f.ForecastTo(sc.ref) {
		return nil
	}
	return sc.ref
}

// bounds sets sc.lower and sc.upper to the intervals of the forecasts of r, NaN where
// there is none or one of its ends is not finite.
func (sc *scorer) bounds(r *stepResult) {
	n, ok := len(sc.lower), r.bounds != nil
	switch {
	case n == 0:
		return
	case ok:
		copy(sc.lower, r.bounds)
		copy(sc.upper, r.bounds[n:])
	case r.series.intervals != nil:
		ok = r.series.intervals.BoundsTo(sc.lower, sc.upper)
	}
	for i := range sc.lower {
		if !ok || !(math.Abs(sc.lower[i]) <= math.MaxFloat64) || !(math.Abs(sc.upper[i]) <= math.MaxFloat64) {
			sc.lower[i], sc.upper[i] = math.NaN(), math.NaN()
		}
	}
	r.series.limits.clip(sc.lower)
	r.series.limits.clip(sc.upper)
}

// region sets sc.jointLower and sc.jointUpper to the joint region of the forecasts of
// r, NaN where there is none.
func (sc *scorer) region(r *stepResult) {
	if r.region != nil {
		copy(sc.jointLower, r.region)
		copy(sc.jointUpper, r.region[len(sc.jointLower):])
		r.series.limits.clip(sc.jointLower)
		r.series.limits.clip(sc.jointUpper)
		return
	}
	for i := range sc.jointLower {
		sc.jointLower[i], sc.jointUpper[i] = math.NaN(), math.NaN()
	}
}

// emit appends the forecasts of r, unless their times are unknown.
func (sc *scorer) emit(dst *Batch, r *stepResult) {
	if r.spacing == 0 {
		return
	}
	s, at := r.series, issuedAt{r.time, r.spacing}
	shared := sc.c.Interval == 0 && sc.c.Months == 0 // targets of several origins, if there are any
	if shared && !s.issued.add(at, sc.c.Horizon) {
		return
	}
	if sc.c.Months > 0 && time.Unix(0, r.time).UTC().Day() >= shortestMonth {
		if shared = true; !s.issued.addMonthEnd(at) {
			return
		}
	}
	d := len(r.y)
	for _, h := range sc.c.Emit {
		target := at.target(h)
		if target == math.MaxInt64 {
			return // past the year 2262
		}
		if shared && s.issued.taken(at, h) {
			continue
		}
		from, to := (h-1)*d, h*d
		dst.Forecasts = append(dst.Forecasts, Forecast{
			Series: s.info, Model: sc.c.Model, Origin: r.time, Row: r.row, Time: target, Horizon: h,
			Yhat: r.yhat[from:to:to], Lower: sc.atHorizon(dst, sc.lower, from, to), Upper: sc.atHorizon(dst, sc.upper, from, to),
		})
		if sc.c.Joint {
			f := &dst.Forecasts[len(dst.Forecasts)-1]
			f.JointLower, f.JointUpper = dst.vector(sc.jointLower[from:to]), dst.vector(sc.jointUpper[from:to])
		}
	}
}

// atHorizon returns a copy of the part of bounds, L x H x dim, of one horizon: L x
// dim.
func (sc *scorer) atHorizon(dst *Batch, bounds []float64, from, to int) []float64 {
	v := dst.room(len(sc.c.Levels) * (to - from))
	for l := range sc.c.Levels {
		row := bounds[l*len(sc.yhat):]
		copy(v[l*(to-from):], row[from:to])
	}
	return v
}

// interrupt says that the forecasts under way will not be scored. None waits longer
// than the horizon.
func (sc *scorer) interrupt(s *scoredSeries, r *stepResult) {
	s.forget()
	if r.rewound {
		s.issued = nil
	}
	for range min(r.missing, int64(sc.c.Horizon)) {
		s.scorer.Observe(r.y)
		for _, m := range s.baselines {
			m.scorer.Observe(r.y)
		}
	}
	for _, m := range s.baselines {
		resetLags(m.f)
	}
	for _, c := range s.companions {
		c.ResetLags()
	}
}

// measure appends the scores that are due at r.
func (sc *scorer) measure(dst *Batch, r *stepResult) {
	if r.due {
		sc.scores(dst, r.series)
	}
	if r.dueAll {
		sc.scoresOfAll(dst, r.time)
	}
}

// all appends the scores of all series as they are now, due or not. It changes
// nothing.
func (sc *scorer) all(dst *Batch) {
	var now int64
	for _, s := range sc.series {
		now = later(now, s.time)
	}
	sc.scoresOfAll(dst, now)
	for _, s := range sc.series {
		sc.scores(dst, s)
	}
}

// scoresOfAll appends the scores over all series, if there are several: of their
// variables together.
func (sc *scorer) scoresOfAll(dst *Batch, now int64) {
	if sc.pool == nil || len(sc.series) < 2 {
		return
	}
	for i := range 1 + len(sc.c.Baselines) {
		name := ""
		sc.scorers = sc.scorers[:0]
		for _, s := range sc.series {
			var scorer *eval.Scorer
			name, scorer = sc.scorerOf(s, i)
			sc.scorers = append(sc.scorers, scorer)
		}
		for k, h := range sc.c.Emit {
			if score := eval.Pool(sc.scorers, k); score.N > 0 {
				dst.Metrics = append(dst.Metrics, Metric{Series: sc.pool, Target: AllTargets, Horizon: h, Model: name, Time: now, Score: score})
			}
		}
	}
	clear(sc.scorers)
}

// scorerOf returns the name and the scorer of the model for i = 0, then of the baselines.
func (sc *scorer) scorerOf(s *scoredSeries, i int) (string, *eval.Scorer) {
	if i == 0 {
		return sc.c.Model, s.scorer
	}
	return s.baselines[i-1].name, s.baselines[i-1].scorer
}

// isPool reports whether a name is one of a series over all series.
func isPool(name string) bool { return name == AllSeries || strings.HasPrefix(name, AllSeries+" ") }

// scores appends the scores of s.
func (sc *scorer) scores(dst *Batch, s *scoredSeries) {
	for i := range 1 + len(s.baselines) {
		name, scorer := sc.scorerOf(s, i)
		for k, h := range sc.c.Emit {
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
func (sc *scorer) state(c *snapshot.Codec, all bool) {
	c.Section("scorer")
	transferSome(c, sc.series, all, sc.c.MaxSeries, func(c *snapshot.Codec, i int) {
		if i >= len(sc.series) {
			c.Fail("scores of a series behind the last")
			return
		}
		c.Block(func() { sc.series[i].state(c) })
	})
}

func (s *scoredSeries) state(c *snapshot.Codec) {
	c.Section("scored")
	c.Int64(&s.time)
	c.Optional("model", func() { s.scorer.State(c) })
	for _, m := range s.baselines {
		c.Optional("baseline "+m.name, func() {
			m.own.State(c)
			m.f.State(c)
			m.scorer.State(c)
		})
	}
	if s.intervals != nil {
		c.Optional("intervals", func() { s.intervals.State(c) })
	}
	if s.drift != nil {
		c.Optional("drift", func() { s.drift.State(c) })
	}
	if s.anomalies != nil {
		s.anomalies.State(c)
	}
	c.Float64s(s.yhat)
	s.issued.state(c)
}
