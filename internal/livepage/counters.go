package livepage

import (
	"time"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/event"
)

// counters count records over all series.
type counters struct {
	records, deadLetters int64
	watermark            int64

	began   time.Time
	buckets [rateWindow + 1]bucket // ring, indexed by the second
}

// rateWindow is the number of whole seconds over which the rate is taken.
const rateWindow = 5

type bucket struct {
	second, records int64
}

func (c *counters) add(b *stream.Batch, now time.Time) {
	c.records += b.Records
	c.deadLetters += int64(len(b.DeadLetters))
	if b.Watermark != 0 && (c.watermark == 0 || b.Watermark > c.watermark) {
		c.watermark = b.Watermark
	}
	if c.began.IsZero() {
		c.began = now
	}
	second := now.Unix()
	k := &c.buckets[second%int64(len(c.buckets))]
	if k.second != second {
		*k = bucket{second: second}
	}
	k.records += b.Records
}

// rate returns the mean number of records per second over the last whole seconds.
func (c *counters) rate(now time.Time) float64 {
	if c.began.IsZero() {
		return 0
	}
	second := now.Unix()
	span := min(rateWindow, second-c.began.Unix())
	if span < 1 {
		return 0
	}
	var n int64
	for _, k := range c.buckets {
		if k.second < second && k.second >= second-span {
			n += k.records
		}
	}
	return float64(n) / float64(span)
}

// incidentSpan is the longest time between the first alarm of an incident and an alarm of another series in it.
const incidentSpan = 2 * time.Minute

// eventLog is a ring of the newest events. Events are numbered from 0.
type eventLog struct {
	ring [maxEvents]loggedEvent
	end  int64 // number of the next event
}

// loggedEvent is an event, with the number of the first event of its incident. Alarms of several series at about the
// same time are one incident: they usually have one cause.
type loggedEvent struct {
	stream.Event
	incident int64 // number of the first event of the incident; -1: none
}

func (l *eventLog) add(e stream.Event) {
	l.ring[l.end%maxEvents] = loggedEvent{e, l.incidentOf(&e)}
	l.end++
}

// incidentOf returns the incident of e, the next event.
func (l *eventLog) incidentOf(e *stream.Event) int64 {
	if e.Anomaly == nil {
		return -1
	}
	for i := l.end - 1; i >= max(0, l.end-maxEvents); i-- {
		o := &l.ring[i%maxEvents]
		switch {
		case o.incident < 0:
		case o.Series == e.Series && o.Anomaly.Begin == e.Anomaly.Begin:
			return o.incident
		case o.incident == i && e.Anomaly.Phase == event.Begin && time.Duration(e.Time-o.Time).Abs() <= incidentSpan:
			return i
		}
	}
	return l.end
}

// since returns the kept events from number first on, oldest first, and at most the newest limit of them.
func (l *eventLog) since(first int64, limit int) []eventMessage {
	out := []eventMessage{}
	for i := max(first, l.end-int64(min(limit, maxEvents)), 0); i < l.end; i++ {
		e := &l.ring[i%maxEvents]
		m := eventMessage{ID: i, Series: valid(e.Series), Time: seconds(e.Time), Kind: e.Kind, Text: valid(e.Text)}
		if e.incident >= 0 {
			m.Incident, m.Phase = &e.incident, e.Anomaly.Phase
		}
		out = append(out, m)
	}
	return out
}
