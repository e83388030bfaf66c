package livepage

import (
	"time"

	"github.com/orffvar/forecaster/stream"
)

// counters count over all series.
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

// rate returns the records per second of the last whole seconds.
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

// eventLog is a ring of the newest events, numbered from 0.
type eventLog struct {
	ring [maxEvents]stream.Event
	end  int64 // number of the next one
}

func (l *eventLog) add(e stream.Event) {
	l.ring[l.end%maxEvents] = e
	l.end++
}

// since returns the events from number first on, oldest first, as far as they
// are kept, but the newest limit at most.
func (l *eventLog) since(first int64, limit int) []eventMessage {
	out := []eventMessage{}
	for i := max(first, l.end-int64(min(limit, maxEvents)), 0); i < l.end; i++ {
		e := &l.ring[i%maxEvents]
		out = append(out, eventMessage{ID: i, Series: valid(e.Series), Time: seconds(e.Time), Kind: e.Kind, Text: valid(e.Text)})
	}
	return out
}
