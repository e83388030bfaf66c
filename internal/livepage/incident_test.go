package livepage

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/orffvar/forecaster/eval/anomaly"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/event"
)

// alarmOf returns an event of an anomaly that began at the given second.
func alarmOf(series, phase string, begin, now int) stream.Event {
	at := func(s int) int64 { return int64(s) * int64(time.Second) }
	a := &event.AnomalyPhase{Event: anomaly.Event{Begin: at(begin), End: at(now), Score: 2, Samples: 1, Shares: []float64{1}, FalsePerDay: .1, Seen: anomaly.Seen{Observed: 9, Expected: 1, Lower: 0, Upper: 2}}, Phase: phase, Variables: []string{"cpu"}}
	return stream.Event{Series: series, Time: at(now), Kind: event.Anomaly, Text: a.Text(), Anomaly: a}
}

// Alarms of several series within two minutes are one incident, and so are the ends of these anomalies. A later alarm
// begins another.
func TestAlarmsAtOneTimeAreOneIncident(t *testing.T) {
	events := []stream.Event{
		alarmOf("a", event.Begin, 1000, 1000), {Series: "a", Kind: event.Gap}, alarmOf("b", event.Begin, 1060, 1060),
		alarmOf("a", event.End, 1000, 1100), alarmOf("c", event.Begin, 1121, 1121), alarmOf("a", event.Begin, 1110, 1110),
		alarmOf("c", event.End, 1121, 9000), alarmOf("lost", event.End, 5, 9000),
	}
	want := []int64{0, -1, 0, 0, 4, 4, 4, 7}
	var log eventLog
	for _, e := range events {
		log.add(e)
	}
	for i, m := range log.since(0, maxEvents) {
		got := int64(-1)
		if m.Incident != nil {
			got = *m.Incident
		}
		if got != want[i] {
			t.Errorf("event %d (%s %s) belongs to incident %d, want %d", i, m.Series, m.Phase, got, want[i])
		}
	}
}

// The page shows an incident as one line with its series. The line opens to all of its events.
func TestIncidentInABrowser(t *testing.T) {
	f := fleet(t, 5)
	for k, name := range []string{"web-1", "web-2", "db-1", "db-2"} {
		f.write(&stream.Batch{Events: []stream.Event{alarmOf(name, event.Begin, 1000+20*k, 1000+20*k)}})
	}
	server := serve(t, f)
	w := openBrowser(t, 1280, 900)
	w.do(chromedp.Navigate(server.URL))
	w.until(`document.querySelectorAll("#events details p").length === 3`)
	if got := w.text("#events .kind"); got != "anomaly of 4 series" {
		t.Errorf("the line begins with %q", got)
	}
	if got := w.text("#events b"); got != "web-1, web-2, db-1, …" {
		t.Errorf("the line names %q", got)
	}
}
