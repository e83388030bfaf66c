package engine

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/event"
	"github.com/orffvar/forecaster/stream/refuse"
)

// refusedCounts counts the refused records by reason, in the order of refuse.Reasons.
type refusedCounts struct {
	total, reported []int64 // reported: total at the last event of the reason
	events          int64   // number of events, of all reasons
}

func newRefusedCounts() refusedCounts {
	return refusedCounts{total: make([]int64, len(refuse.Reasons)), reported: make([]int64, len(refuse.Reasons))}
}

// add counts a refused record. If events is set, report is true at the first record of the reason, and whenever the
// total of the reason is ten times the last reported total. total is 0 unless it is to be reported.
func (r *refusedCounts) add(reason refuse.Reason, events bool) (total int64, report bool) {
	i := slices.Index(refuse.Reasons, reason)
	r.total[i]++
	if !events || r.total[i] < 10*r.reported[i] {
		return 0, false
	}
	r.reported[i] = r.total[i]
	return r.total[i], true
}

// state transfers the counts of the reasons that occurred.
func (r *refusedCounts) state(c *snapshot.Codec) {
	c.Int64(&r.events)
	n := 0
	for _, total := range r.total {
		if total > 0 {
			n++
		}
	}
	c.Len(&n, len(refuse.Reasons))
	for i := 0; n > 0 && c.Err() == nil; i++ {
		if !c.Decoding() && r.total[i] == 0 {
			continue
		}
		at := i
		c.Index(&at, len(refuse.Reasons))
		if at < i {
			c.Fail("reasons that do not ascend")
			return
		}
		i = at
		c.Int64(&r.total[i])
		c.Int64(&r.reported[i])
		n--
	}
}

// reportRefused appends an event about the refused m if one is due. Its time is that of the last sample or, before
// the first sample, of m; without either, the event waits. The n-th event is n - 1 ns later, because two events at
// one time would be one point. Its series is Pool or AllSeries.
func (e *Engine) reportRefused(dst *Results, m *stream.Message, err *refuse.Error) {
	when := e.latest
	if when == 0 {
		when = m.Time
	}
	n, report := e.refused.add(err.Reason, when != 0)
	if !report {
		return
	}
	when += e.refused.events
	e.refused.events++
	records := "records were"
	if n == 1 {
		records = "record was"
	}
	dst.add(stepResult{kind: resultEvent, event: &stream.Event{Series: cmp.Or(e.c.Pool, stream.AllSeries), Time: when, Kind: event.Refused,
		Text: fmt.Sprintf("%d %s refused as %s; the latest: %s: %s", n, records, err.Reason, m.Origin(), err.Detail)}})
}
