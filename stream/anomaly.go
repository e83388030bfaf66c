package stream

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/orffvar/forecaster/eval"
)

// anomalies returns the configuration of the anomaly scores of a series.
func (c *EngineConfig) anomalies(variables []string) eval.AnomalyConfig {
	var a eval.AnomalyConfig
	if c.Anomalies != nil {
		a = c.Anomalies(variables)
	}
	a.Dim = len(variables)
	return a
}

// reportAnomaly appends an event when an anomaly has begun, has become the new normal, or
// has ended.
func reportAnomaly(dst *Batch, o *Observation, before, now eval.AnomalyEvent) {
	s := o.Series
	report := func(format string, args ...any) {
		dst.Events = append(dst.Events, Event{Series: s.Name, Tags: s.Tags, Time: o.Time, Kind: EventAnomaly, Text: fmt.Sprintf(format, args...)})
	}
	switch {
	case o.Begins:
		report("anomaly begins: %s, score %.2f%s", now.Cause, now.Score, blamed(s, now.Shares))
	case now.Normal && !before.Normal:
		report("anomaly since %s is the new normal: peak %.2f, %s%s", utc(now.Begin), now.Score, now.Cause, blamed(s, now.Shares))
	case before.Open && !now.Open:
		report("anomaly from %s to %s has ended: peak %.2f at %s, %s%s",
			utc(now.Begin), utc(now.End), now.Score, utc(now.Peak), now.Cause, blamed(s, now.Shares))
	}
}

func utc(ns int64) string { return time.Unix(0, ns).UTC().Format(time.RFC3339Nano) }

// blamed lists the variables with a part in an anomaly, the largest first.
func blamed(s *Series, shares []float64) string {
	const least = .05 // share of a variable that is named
	var order []int
	for j, share := range shares {
		if share >= least {
			order = append(order, j)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(shares[b], shares[a]) })
	text := ""
	for _, j := range order {
		text += fmt.Sprintf(", %s %.0f %%", s.Variables[j], 100*shares[j])
	}
	return text
}
