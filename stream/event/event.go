// Package event defines the kinds of events, and the text of an anomaly event.
package event

import (
	"fmt"
	"math"
	"time"

	"github.com/orffvar/forecaster/eval/anomaly"
)

// AnomalyPhase is one phase of an anomaly: its beginning, its end, or its change into the new
// normal.
type AnomalyPhase struct {
	anomaly.Event
	Phase     string // Begin, NewNormal or End
	Variables []string
}

// The phases of an anomaly.
const (
	Begin     = "begin"
	NewNormal = "new_normal"
	End       = "end"
)

// Kinds are the kinds of events.
var Kinds = []string{
	Series, SchemaChange, Refused, Time, Gap, Anomaly, Limit, Season, Drift, Reset, Reload,
}

// The kinds of events.
const (
	Series       = "series"        // a new series was seen
	SchemaChange = "schema_change" // the variables of the series changed, which makes a new model
	Refused      = "refused"       // the first, tenth, hundredth, … record was refused for a reason; series of Pool
	Time         = "time"          // the time went back, because earlier samples had a wrong time
	Gap          = "gap"           // missing samples were filled in, or the lags dropped
	Anomaly      = "anomaly"       // an anomaly has begun, has become the new normal, or has ended
	Limit        = "limit"         // a variable is expected to reach its limit, or no longer
	Season       = "season"        // the forecasts use other seasons than before
	Drift        = "drift"         // the errors of the model have changed
	Reset        = "reset"         // the state went bad: a new model
	Reload       = "reload"        // the configuration was read again; series AllSeries
)

// Text returns the text of the event.
func (a *AnomalyPhase) Text() string {
	var text string
	switch a.Phase {
	case Begin:
		text = fmt.Sprintf("anomaly begins: %s, score %.2f, state %.2f", a.Cause, a.Score, a.StateScore)
	case NewNormal:
		text = fmt.Sprintf("anomaly since %s is the new normal: peak %.2f, %s", TimeText(a.Begin), a.Score, a.Cause)
	default:
		text = fmt.Sprintf("anomaly from %s to %s has ended: peak %.2f at %s, %s", TimeText(a.Begin), TimeText(a.End), a.Score, TimeText(a.Peak), a.Cause)
	}
	for _, j := range a.Blamed() {
		text += fmt.Sprintf(", %s %.0f %%", a.Variables[j], 100*a.Shares[j])
	}
	return text + a.seen() + a.falseAlarms()
}

// seen describes the observed and the expected value of the leading variable, and the beginning of an anomaly that
// is older than its first alarm.
func (a *AnomalyPhase) seen() string {
	v := &a.Seen
	text := ""
	if a.Phase == Begin && a.Samples > 1 {
		text = "; since " + TimeText(a.Begin)
	}
	if math.IsNaN(v.Observed) || math.IsNaN(v.Expected) {
		return text
	}
	text += fmt.Sprintf("; %s was %.5g, expected %.5g", a.Variables[v.Variable], v.Observed, v.Expected)
	if !math.IsNaN(v.Lower) {
		text += fmt.Sprintf(" in %.4g … %.4g", v.Lower, v.Upper)
	}
	return text
}

// falseAlarms describes how often a false alarm reaches the score.
func (a *AnomalyPhase) falseAlarms() string {
	if text := FalseAlarmText(a.FalsePerDay); text != "" {
		return "; by chance " + text
	}
	return ""
}

// FalseAlarmText describes the mean time between events that are expected perDay times per day; "" for NaN.
func FalseAlarmText(perDay float64) string {
	const most = 100 // years
	switch days := 1 / perDay; {
	case math.IsNaN(perDay):
		return ""
	case days < 2:
		return fmt.Sprintf("%.2g times a day", perDay)
	case days < 730:
		return fmt.Sprintf("once in %.0f days", days)
	case days < most*365.25:
		return fmt.Sprintf("once in %.0f years", days/365.25)
	}
	return fmt.Sprintf("less than once in %d years", most)
}

// TimeText formats a time, in ns since 1970 UTC, as RFC 3339.
func TimeText(t int64) string { return time.Unix(0, t).UTC().Format(time.RFC3339Nano) }
