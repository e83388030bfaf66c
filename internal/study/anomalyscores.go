package study

import (
	"cmp"
	"math"
	"slices"

	"github.com/orffvar/forecaster/eval/anomaly"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/event"
)

// Anomalies collects the anomalies and the scores of each series. The score of a row comes from the forecast made before
// the row was observed.
type Anomalies struct {
	LevelSets bool // take the score of the model: see eval.Detector
	Skip      int  // number of history rows at the beginning of each series: the model learns them, but they have no score

	Keep bool                              // keep the scores of all rows
	See  func(s *scoredSeries, r RowScore) // called for each row with a score; may be nil

	scored, unscored int // number of rows with a score, and rows without one
	series           []*scoredSeries
	index            map[*stream.Series]*scoredSeries
}

// scoredSeries are the scores of a series.
type scoredSeries struct {
	*stream.Series
	rows   int
	began  int64     // time of the first row after the history
	times  []int64   // times of the last rows
	odd    bool      // the last row is anomalous
	scores []float64 // scores of all rows, if Anomalies.Keep
	states []float64 // state scores of all rows, if Anomalies.Keep
	found  []foundAnomaly

	forecasts []bounds // one-step forecasts whose targets were not observed yet
}

// recentRows is the smallest number of times that a series keeps. An anomaly is assumed to begin within them.
const recentRows = 4096

// bounds are the intervals of a one-step forecast at the first level; lower and upper have length dim.
type bounds struct {
	time         int64
	lower, upper []float64
}

// RowScore is the anomaly score of a row. A score above 1 is an alarm; NaN: no score yet.
type RowScore struct {
	Score     float64
	State     float64 // state score; NaN: none
	row       int
	time      int64
	anomalous bool // above the threshold, within an anomaly
	view      anomaly.View
	who       []share // main variables of an anomalous row
}

// share is the share of a variable in a score, and its values in the row.
type share struct {
	variable int
	share    float64
	rowValue
}

// rowValue is the observed and the expected value of a variable in a row.
type rowValue struct {
	time               int64
	observed, expected float64 // NaN: missing value, or no forecast
	lower, upper       float64 // interval of the forecast; NaN: not calibrated yet
}

// foundAnomaly is an anomaly, as its last event describes it.
type foundAnomaly struct {
	anomaly.Event
	first, last int        // rows
	from, to    int64      // times of these rows
	furthest    []rowValue // by variable: values in the anomalous row in which it is furthest from its forecast
}

// Add adds the scores and anomalies in b.
func (s *Anomalies) Add(b *stream.Batch) {
	for i := range b.Forecasts {
		if f := &b.Forecasts[i]; f.Horizon == 1 && len(f.Lower) >= len(f.Yhat) {
			d, of := len(f.Yhat), s.of(f.Series)
			of.forecasts = append(of.forecasts, bounds{f.Time, slices.Clone(f.Lower[:d]), slices.Clone(f.Upper[:d])})
		}
	}
	for i := range b.Observations {
		s.observe(&b.Observations[i])
	}
	for i := range b.Events {
		e := &b.Events[i]
		if e.Kind != event.Anomaly || s.LevelSets { // events belong to the score of the model
			continue
		}
		for _, of := range s.series {
			if of.Name == e.Series {
				of.update(&e.Anomaly.Event)
			}
		}
	}
}

// of returns the scores of a series, and begins them for a new series.
func (s *Anomalies) of(series *stream.Series) *scoredSeries {
	of := s.index[series]
	if of == nil {
		if s.index == nil {
			s.index = make(map[*stream.Series]*scoredSeries)
		}
		of = &scoredSeries{Series: series}
		s.index[series], s.series = of, append(s.series, of)
	}
	return of
}

// observe adds the score of a row.
func (s *Anomalies) observe(o *stream.Observation) {
	of := s.of(o.Series)
	if len(of.times) >= 2*recentRows {
		of.times = of.times[:copy(of.times, of.times[recentRows:])]
	}
	of.times = append(of.times, o.Time)
	if of.rows++; of.rows <= s.Skip+1 {
		of.began = o.Time
	}
	row := RowScore{Score: o.AnomalyScore, State: o.StateScore, row: of.rows - 1, time: o.Time, view: o.Cause, anomalous: o.Anomalous}
	switch {
	case s.LevelSets:
		row.Score, row.State, row.view, row.anomalous = o.LevelSetScore, math.NaN(), -1, o.LevelSetScore > LevelSetLimit
		if row.anomalous {
			of.extend(o)
		}
	case o.Anomalous:
		values := valuesOf(o, of.forecast(o.Time))
		row.who = largest(o.Share, 3)
		for i := range row.who {
			row.who[i].rowValue = values[row.who[i].variable]
		}
		a := of.update(o.Anomaly)
		if a == nil {
			of.found = append(of.found, foundAnomaly{Event: *o.Anomaly, furthest: values})
			a = &of.found[len(of.found)-1]
			a.Shares = slices.Clone(a.Shares)
			a.first, a.from = of.rowAt(a.Begin)
			a.last, a.to = of.rowAt(a.End)
		}
		for j, v := range values {
			if f := &a.furthest[j]; v.distance() > f.distance() || math.IsNaN(f.distance()) {
				*f = v
			}
		}
	}
	of.forecast(o.Time + 1) // drops the forecast for this row
	of.odd = row.anomalous
	if s.Keep {
		of.scores = append(of.scores, row.Score)
		of.states = append(of.states, row.State)
	}
	if row.row < s.Skip {
		return
	}
	if math.IsNaN(row.Score) {
		s.unscored++
		return
	}
	s.scored++
	if s.See != nil {
		s.See(of, row)
	}
}

// forecast returns the bounds for a time, and drops earlier ones.
func (s *scoredSeries) forecast(time int64) bounds {
	n := 0
	for n < len(s.forecasts) && s.forecasts[n].time < time {
		n++
	}
	s.forecasts = slices.Delete(s.forecasts, 0, n)
	if len(s.forecasts) > 0 && s.forecasts[0].time == time {
		return s.forecasts[0]
	}
	return bounds{}
}

// rowAt returns the first row at or after a time, or the last row, and the time of that row.
func (s *scoredSeries) rowAt(time int64) (row int, at int64) {
	i, _ := slices.BinarySearch(s.times[:len(s.times)-1], time)
	return s.rows - len(s.times) + i, s.times[i]
}

// update replaces the event of the anomaly that began at the same time as e. It returns nil if there is no such anomaly.
func (s *scoredSeries) update(e *anomaly.Event) *foundAnomaly {
	for i := len(s.found) - 1; i >= 0; i-- {
		if a := &s.found[i]; a.Begin == e.Begin {
			shares := append(a.Shares[:0], e.Shares...)
			if e.End != a.End {
				a.last, a.to = s.rowAt(e.End)
			}
			a.Event, a.Shares = *e, shares
			return a
		}
	}
	return nil
}

// extend adds a row above the threshold of level sets to the anomaly of the previous row, or begins an anomaly.
func (s *scoredSeries) extend(o *stream.Observation) {
	if !s.odd {
		s.found = append(s.found, foundAnomaly{Event: anomaly.Event{Begin: o.Time, Cause: -1, StateScore: math.NaN(), FalsePerDay: math.NaN()}, first: s.rows - 1, from: o.Time})
	}
	a := &s.found[len(s.found)-1]
	a.End, a.Score, a.last, a.to = o.Time, max(a.Score, o.LevelSetScore), s.rows-1, o.Time
}

// valuesOf returns the observed and the expected value of each variable.
func valuesOf(o *stream.Observation, b bounds) []rowValue {
	values := make([]rowValue, len(o.Y))
	for j, y := range o.Y {
		v := rowValue{o.Time, y, y - o.Residual[j], math.NaN(), math.NaN()}
		if len(b.lower) == len(o.Y) {
			v.lower, v.upper = b.lower[j], b.upper[j]
		}
		values[j] = v
	}
	return values
}

// distance returns |observed - expected|, divided by the width of the interval if there is one.
func (v *rowValue) distance() float64 {
	d := math.Abs(v.observed - v.expected)
	if width := v.upper - v.lower; !math.IsNaN(width) {
		d /= width
	}
	return d
}

// largest returns the n largest shares in descending order. Shares below 0.05 are left out.
func largest(shares []float64, n int) []share {
	var all []share
	for j, v := range shares {
		if v >= .05 {
			all = append(all, share{variable: j, share: v})
		}
	}
	slices.SortStableFunc(all, func(a, b share) int { return cmp.Compare(b.share, a.share) })
	return all[:min(n, len(all))]
}

// flat returns the scores of all rows, series after series, and reports which rows lie within an anomaly.
func (s *Anomalies) flat() (scores []float64, flagged []bool) {
	for _, of := range s.series {
		within := make([]bool, len(of.scores))
		for i := range of.found {
			for row := of.found[i].first; row <= of.found[i].last; row++ {
				within[row] = true
			}
		}
		scores, flagged = append(scores, of.scores...), append(flagged, within...)
	}
	return scores, flagged
}

// flatStates returns the state scores of all rows, series after series.
func (s *Anomalies) flatStates() (scores []float64) {
	for _, of := range s.series {
		scores = append(scores, of.states...)
	}
	return scores
}
