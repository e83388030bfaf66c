package stream

import (
	"fmt"
	"slices"
	"time"

	"github.com/orffvar/forecaster/eval/anomaly"
)

// anomalies returns the configuration of the anomaly scores of a series.
func (c *EngineConfig) anomalies(variables []string) anomaly.Config {
	var a anomaly.Config
	if c.Anomalies != nil {
		a = c.Anomalies(variables)
	}
	a.Dim = len(variables)
	return a
}

// scoreAnomaly adds to the observation o how unusual the sample of r is, and an event when
// an anomaly has begun, has become the new normal, or has ended.
func scoreAnomaly(dst *Batch, o *Observation, s *scoredSeries, r *stepResult) {
	a := s.anomalies
	if score, ok := a.Observe(r.time, r.y, s.yhat); ok {
		o.AnomalyScore, o.Cause = score, a.Cause()
	}
	a.VariablesTo(o.VariableScores)
	e := a.Event()
	if a.BecameNormal() {
		reportAnomaly(dst, o, AnomalyNewNormal, e)
	}
	if ended, ok := a.Ended(); ok {
		reportAnomaly(dst, o, AnomalyEnd, ended)
	}
	if a.Begins() {
		reportAnomaly(dst, o, AnomalyBegin, e)
	}
	if o.Anomalous = a.Anomalous(); o.Anomalous {
		o.Share = dst.vector(a.Shares())
		known := e // of its own memory, which other samples do not need
		known.Shares = dst.vector(e.Shares)
		o.Anomaly = &known
	}
}

// reportAnomaly appends an event of the anomaly e.
func reportAnomaly(dst *Batch, o *Observation, phase string, e anomaly.Event) {
	e.Shares = slices.Clone(e.Shares)
	s := o.Series
	a := &Anomaly{Event: e, Phase: phase, Variables: s.Variables}
	dst.Events = append(dst.Events, Event{Series: s.Name, Tags: s.Tags, Time: o.Time, Kind: EventAnomaly, Text: a.text(), Anomaly: a})
}

// text is the text of the event.
func (a *Anomaly) text() string {
	var text string
	switch a.Phase {
	case AnomalyBegin:
		text = fmt.Sprintf("anomaly begins: %s, score %.2f", a.Cause, a.Score)
	case AnomalyNewNormal:
		text = fmt.Sprintf("anomaly since %s is the new normal: peak %.2f, %s", utc(a.Begin), a.Score, a.Cause)
	default:
		text = fmt.Sprintf("anomaly from %s to %s has ended: peak %.2f at %s, %s", utc(a.Begin), utc(a.End), a.Score, utc(a.Peak), a.Cause)
	}
	for _, j := range a.Blamed() {
		text += fmt.Sprintf(", %s %.0f %%", a.Variables[j], 100*a.Shares[j])
	}
	return text
}

func utc(ns int64) string { return time.Unix(0, ns).UTC().Format(time.RFC3339Nano) }
