package engine

import (
	"slices"

	"github.com/orffvar/forecaster/eval/anomaly"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/event"
)

// anomalies returns the configuration of the anomaly scores of a series.
func (c *Config) anomalies(variables []string) anomaly.Config {
	var a anomaly.Config
	if c.Anomalies != nil {
		a = c.Anomalies(variables)
	}
	a.Dim = len(variables)
	return a
}

// scoreAnomaly sets the anomaly scores of the sample of r in the observation o. It appends an event when an anomaly
// begins, becomes the new normal, or ends.
func scoreAnomaly(dst *Results, o *stream.Observation, s *scoredSeries, r *stepResult) {
	a := s.anomalies
	if score, ok := a.Observe(r.time, r.y, s.yhat); ok {
		o.AnomalyScore, o.Cause = score, a.Cause()
	}
	if score, ok := a.StateScore(); ok {
		o.StateScore = score
	}
	a.VariablesTo(o.VariableScores)
	e := a.Event()
	if a.BecameNormal() {
		reportAnomaly(dst, o, event.NewNormal, e)
	}
	if ended, ok := a.Ended(); ok {
		reportAnomaly(dst, o, event.End, ended)
	}
	if a.Begins() {
		reportAnomaly(dst, o, event.Begin, e)
	}
	if o.Anomalous = a.Anomalous(); o.Anomalous {
		o.Share = dst.vector(a.Shares())
		known := e // a copy, because most samples have no anomaly and must not allocate
		known.Shares = dst.vector(e.Shares)
		o.Anomaly = &known
	}
}

// reportAnomaly appends an event for a phase of the anomaly e.
func reportAnomaly(dst *Results, o *stream.Observation, phase string, e anomaly.Event) {
	e.Shares = slices.Clone(e.Shares)
	s := o.Series
	a := &event.AnomalyPhase{Event: e, Phase: phase, Variables: s.Variables}
	dst.Events = append(dst.Events, stream.Event{Series: s.Name, Tags: s.Tags, Time: o.Time, Kind: event.Anomaly, Text: a.Text(), Anomaly: a})
}
