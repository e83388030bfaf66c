package engine

import (
	"fmt"
	"math"
	"slices"

	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/stream"
)

// scorer is the second half of an Engine. It scores forecasts and samples, runs the baselines, and makes the
// points. It reads only step results and returns nothing to a model, so it can run in another goroutine, behind the
// models.
type scorer struct {
	c         *Config
	reference int             // index into c.Baselines, or -1
	pool      *stream.Series  // series of Config.Pool; nil without one
	series    []*scoredSeries // in order of appearance

	// Scratch of one step result.
	yhat, ref              []float64 // H x dim
	lower, upper           []float64 // L x H x dim, memory of the batch; nil without levels
	path                   []float64 // scratch for one variable, 4 x len(Emit); only with limits
	reach                  []float64 // len(Emit) x dim, see stream.Forecast; only with limits
	jointLower, jointUpper []float64 // H x dim
	scorers                []*scoring.Scorer
	losses                 []float64
	earlier                issued // see issued.mayShare

	// Scratch of takeAll.
	marks []mark
	first []int32              // index of the first result of each arrival
	order [len(mark{})][]int32 // for each kind of points: the old indices in the new order
}

func newScorer(c *Config) *scorer {
	sc := &scorer{c: c, reference: -1}
	for i, b := range c.Baselines {
		if b.Reference {
			sc.reference = i
		}
	}
	if c.Pool != "" {
		sc.pool = &stream.Series{Name: c.Pool}
	}
	return sc
}

// takeAll takes the step results of dst and sorts their points by arrival.
func (sc *scorer) takeAll(dst *Results) error {
	sc.marks = slices.Grow(sc.marks[:0], len(dst.results)+1)
	dst.Observations = slices.Grow(dst.Observations, len(dst.results))
	dst.Forecasts = slices.Grow(dst.Forecasts, len(dst.results)*len(sc.c.Emit))
	for i := range dst.results {
		sc.marks = append(sc.marks, dst.mark())
		if err := sc.take(dst, &dst.results[i]); err != nil {
			return err
		}
	}
	sc.marks = append(sc.marks, dst.mark())
	if dst.unsorted {
		sc.sort(dst)
	}
	dst.scored()
	return nil
}

// take appends the points of one step result to dst. An error is fatal.
func (sc *scorer) take(dst *Results, r *stepResult) error {
	if r.kind == resultEvent {
		dst.Events = append(dst.Events, *r.event)
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
		o.LevelSetScore = r.levelSetScore
		sc.report(s, r.y)
		sc.watch(dst, s)
		sc.forecast(dst, o, r)
		sc.measure(dst, r)
	case resultFill:
		if err := sc.score(s, r); err != nil {
			return err
		}
		s.issue(r.yhat)
		s.follow(r.yhat, nil, nil)
		s.forget()
	case resultBreak:
		sc.interrupt(s, r)
	}
	return nil
}

// begin adds a new series, or replaces a series whose variables have changed. The latter keeps its issued origins,
// because their forecasts are already written.
func (sc *scorer) begin(s *scoredSeries) {
	if s.place == len(sc.series) {
		sc.series = append(sc.series, s)
		return
	}
	s.issued = sc.series[s.place].issued
	sc.series[s.place] = s
}

// observe appends the sample of r with its residuals and anomaly scores.
func (sc *scorer) observe(dst *Results, r *stepResult) *stream.Observation {
	s := r.series
	v := dst.room(2 * len(r.y))
	residual, anomaly := v[:len(r.y):len(r.y)], v[len(r.y):]
	dst.Observations = append(dst.Observations, stream.Observation{
		Series: s.info, Time: r.time, Missing: r.missing, Y: r.y, Residual: residual, AnomalyScore: math.NaN(), StateScore: math.NaN(), VariableScores: anomaly,
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

// score passes the sample of r to the scorers, the baselines, the companions and the follower.
func (sc *scorer) score(s *scoredSeries, r *stepResult) error {
	compare := (*scoring.Scorer).Observe
	if r.warmUp {
		compare = (*scoring.Scorer).Skip
	}
	for _, m := range s.scorers {
		compare(m.Scorer, r.y)
	}
	for _, m := range s.baselines {
		if err := m.f.show(r.time, r.y, r.inputs); err != nil {
			return rejected(s.info.Name, m.name, err)
		}
	}
	if s.intervals != nil {
		s.intervals.SetPhases(r.phases)
	}
	for _, c := range s.companions {
		c.Observe(r.y)
	}
	if s.follower != nil {
		s.follower.Observe(r.y, !r.warmUp)
	}
	return nil
}

// report calls the functions Inside, Errors and Losses of Evaluation for the last sample y.
func (sc *scorer) report(s *scoredSeries, y []float64) {
	if inside := sc.c.Evaluation.Inside; inside != nil {
		sc.losses = slices.Grow(sc.losses[:0], len(y))[:len(y)]
		for i, k := range sc.c.Evaluation.Watched {
			s.scorers[0].InsideTo(sc.losses, k, y)
			inside(s.info, i, sc.losses)
		}
	}
	if errors := sc.c.Evaluation.Errors; errors != nil {
		for i, k := range sc.c.Evaluation.Watched {
			errors(s.info, i, s.scorers[0].Errors(k))
		}
	}
	if sc.c.Evaluation.Losses == nil {
		return
	}
	for _, m := range s.scorers {
		sc.losses = sc.losses[:0]
		for _, k := range sc.c.Evaluation.Watched {
			sc.losses = append(sc.losses, m.Loss(k))
		}
		sc.c.Evaluation.Losses(s.info, m.model, sc.losses)
	}
}

// rejected returns the error for a model that refuses a sample within the limits.
func rejected(series, model string, err error) error {
	return fmt.Errorf("stream: series %q: %s did not take a sample that is within the limits: %w", series, model, err)
}

// interrupt passes min(r.missing, Horizon) missing targets to the scorers, so that their pending forecasts are not
// scored. It resets the lags of baselines, companions and follower.
func (sc *scorer) interrupt(s *scoredSeries, r *stepResult) {
	s.forget()
	for range min(r.missing, int64(sc.c.Horizon)) {
		for _, m := range s.scorers {
			m.Observe(r.y)
		}
	}
	for _, m := range s.baselines {
		m.f.resetLags()
	}
	for _, c := range s.companions {
		c.ResetLags()
	}
	s.follow(nil, nil, nil)
}

// state transfers all series, or only the changed ones. In decoding, Engine.state has made the series before.
func (sc *scorer) state(c *snapshot.Codec, all bool) {
	c.Section("scorer")
	snapshot.Some(c, sc.series, all, sc.c.MaxSeries, func(c *snapshot.Codec, i int) {
		if i >= len(sc.series) {
			c.Fail("scores of a series behind the last")
			return
		}
		c.Block(func() { sc.series[i].state(c) })
	})
}
