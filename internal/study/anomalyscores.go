package study

import (
	"cmp"
	"math"
	"slices"

	"github.com/orffvar/forecaster/eval/anomaly"
	"github.com/orffvar/forecaster/stream"
)

// Anomalies collect the anomaly scores of the rows of each series, in the order of
// Samples: each by the forecast made before the row was seen; and the anomalies.
type Anomalies struct {
	LevelSets bool // takes the score of the model itself, see eval.Detector

	Rows [][]RowScore

	found  [][]foundAnomaly // of each series
	index  map[*stream.Series]int
	bounds map[boundsKey]bounds // of the one-step forecasts whose targets are to come
}

// boundsKey is a series by its name and a target time.
type boundsKey struct {
	series string
	time   int64
}

// bounds are the intervals of a forecast at the first level, length dim each.
type bounds struct{ lower, upper []float64 }

// RowScore is the anomaly score of a row: above 1 it is an alarm. Score is NaN while
// there is none.
type RowScore struct {
	Score     float64
	anomalous bool // odd enough for an alarm, in an anomaly
	view      anomaly.View
	who       []share // the variables behind it, of an anomalous row alone
}

// share is the part of a variable in a score.
type share struct {
	variable int
	share    float64
	rowValue
}

// rowValue is what was observed of a variable in a row, and what was expected.
type rowValue struct {
	time               int64
	observed, expected float64 // NaN = missing, no forecast
	lower, upper       float64 // interval of the forecast; NaN = not calibrated
}

// foundAnomaly is an anomaly as its events describe it.
type foundAnomaly struct {
	anomaly.Event
	furthest []rowValue // of each variable, that of the anomalous row that is furthest from its forecast
}

// Add takes the scores in b.
func (s *Anomalies) Add(b *stream.Batch) {
	if s.index == nil {
		s.index, s.bounds = make(map[*stream.Series]int), make(map[boundsKey]bounds)
	}
	for i := range b.Forecasts {
		if f := &b.Forecasts[i]; f.Horizon == 1 && len(f.Lower) >= len(f.Yhat) {
			d := len(f.Yhat)
			s.bounds[boundsKey{f.Series.Name, f.Time}] = bounds{slices.Clone(f.Lower[:d]), slices.Clone(f.Upper[:d])}
		}
	}
	for i := range b.Observations {
		s.observe(&b.Observations[i])
	}
	for i := range b.Events {
		e := &b.Events[i]
		if e.Kind != stream.EventAnomaly {
			continue
		}
		for series, k := range s.index {
			if series.Name == e.Series {
				s.update(k, &e.Anomaly.Event)
			}
		}
	}
}

// observe takes the score of a row.
func (s *Anomalies) observe(o *stream.Observation) {
	k, seen := s.index[o.Series]
	if !seen {
		k = len(s.Rows)
		s.index[o.Series], s.Rows, s.found = k, append(s.Rows, nil), append(s.found, nil)
	}
	row := RowScore{Score: o.AnomalyScore, view: o.Cause, anomalous: o.Anomalous}
	key := boundsKey{o.Series.Name, o.Time}
	switch {
	case s.LevelSets:
		row = RowScore{Score: o.LevelSetScore, view: -1, anomalous: o.LevelSetScore > LevelSetLimit}
		if row.anomalous {
			s.extend(k, o)
		}
	case o.Anomalous:
		values := valuesOf(o, s.bounds[key])
		row.who = largest(o.Share, 3)
		for i := range row.who {
			row.who[i].rowValue = values[row.who[i].variable]
		}
		a := s.update(k, o.Anomaly)
		if a == nil {
			s.found[k] = append(s.found[k], foundAnomaly{*o.Anomaly, values})
			a = &s.found[k][len(s.found[k])-1]
			a.Shares = slices.Clone(a.Shares)
		}
		for j, v := range values {
			if f := &a.furthest[j]; v.distance() > f.distance() || math.IsNaN(f.distance()) {
				*f = v
			}
		}
	}
	delete(s.bounds, key)
	s.Rows[k] = append(s.Rows[k], row)
}

// update sets the anomaly of series k that began at the same time as e to e. It returns nil if there
// is none.
func (s *Anomalies) update(k int, e *anomaly.Event) *foundAnomaly {
	for i := len(s.found[k]) - 1; i >= 0; i-- {
		if a := &s.found[k][i]; a.Begin == e.Begin {
			shares := append(a.Shares[:0], e.Shares...)
			a.Event, a.Shares = *e, shares
			return a
		}
	}
	return nil
}

// extend takes a row above the threshold of level sets: with the row before, one is an anomaly.
func (s *Anomalies) extend(k int, o *stream.Observation) {
	if n := len(s.Rows[k]); n == 0 || !s.Rows[k][n-1].anomalous {
		s.found[k] = append(s.found[k], foundAnomaly{Event: anomaly.Event{Begin: o.Time, Cause: -1}})
	}
	a := &s.found[k][len(s.found[k])-1]
	a.End, a.Score = o.Time, max(a.Score, o.LevelSetScore)
}

// valuesOf returns what was observed of each variable, and what was expected.
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

// distance is that from the forecast, in widths of its interval if it has one.
func (v *rowValue) distance() float64 {
	d := math.Abs(v.observed - v.expected)
	if width := v.upper - v.lower; !math.IsNaN(width) {
		d /= width
	}
	return d
}

// largest returns the n largest shares, largest first, without those below a
// twentieth.
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

// flat returns the scores of all rows in the order of the series, and which of them are
// between the beginning and the end of an anomaly.
func (s *Anomalies) flat(data *Samples) (scores []float64, flagged []bool) {
	for k, rows := range s.Rows {
		within := make([]bool, len(rows))
		for i := range s.found[k] {
			first, last := s.found[k][i].rows(data.Series[k].Times)
			for row := first; row <= last; row++ {
				within[row] = true
			}
		}
		for _, r := range rows {
			scores = append(scores, r.Score)
		}
		flagged = append(flagged, within...)
	}
	return scores, flagged
}

// rows returns the first and the last row of an anomaly, by the times of the rows.
func (a *foundAnomaly) rows(times []int64) (first, last int) {
	first, _ = slices.BinarySearch(times, a.Begin)
	last, _ = slices.BinarySearch(times[first:len(times)-1], a.End)
	return first, first + last
}
