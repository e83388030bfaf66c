package engine

import (
	"math"
	"slices"
	"time"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/stream/assemble"
)

// issued lists the origins of a series whose target times may lie ahead. Two forecasts of one horizon can have the
// same target time: if the estimated spacing shrinks, or with a spacing of months, where 29, 30 and 31 January are
// all one month before 28 February. Only the earlier forecast is written, so a point never has two values.
type issued []issuedAt

// issuedAt is an origin: the time of issue of forecasts, and their spacing.
type issuedAt struct {
	time    int64
	spacing assemble.Spacing
}

// target returns the target time of horizon h, math.MaxInt64 beyond the range of times.
func (o issuedAt) target(h int) int64 { return o.spacing.After(o.time, h) }

// maxIssued is the largest number of origins kept. Only irregular times reach it; forecasts are then not written.
func maxIssued(horizon int) int { return 4*horizon + 100 }

// add appends o and reports whether there is room for it. It deletes origins whose last target lies between the
// last origin and o. It keeps them if o leaps, because the leap may be wrong and the series may go back.
func (s *issued) add(o issuedAt, horizon int) bool {
	if n := len(*s); n > 0 && !o.leaps((*s)[n-1]) {
		last := (*s)[n-1].time
		*s = slices.DeleteFunc(*s, func(old issuedAt) bool {
			t := old.target(horizon)
			return last < t && t <= o.time
		})
	}
	if len(*s) >= maxIssued(horizon) {
		i := slices.IndexFunc(*s, func(old issuedAt) bool { return old.time >= o.time || old.target(horizon) <= o.time })
		if i < 0 {
			return false // all targets lie ahead
		}
		*s = slices.Delete(*s, i, i+1)
	}
	*s = append(*s, o)
	return true
}

// leaps reports whether o lies before last, or so far after it that one of their times may be
// wrong.
func (o issuedAt) leaps(last issuedAt) bool {
	return o.time <= last.time || last.spacing.Apart(last.time, o.time)
}

// shortestMonth is the number of days in the shortest month. Only forecasts issued on this day or later can share a
// target.
const shortestMonth = 28

// mostMonthEnds is the largest number of origins kept from the 28th to the 31st: one per minute.
const mostMonthEnds = 4*24*60 + 100

// addMonthEnd is add for a spacing of months and an origin on day shortestMonth or later.
func (s *issued) addMonthEnd(o issuedAt) bool {
	const days = 4 * int64(24*time.Hour) // from the 28th to the 31st
	*s = slices.DeleteFunc(*s, func(old issuedAt) bool { return old.time <= o.time-days })
	if len(*s) == mostMonthEnds {
		return false
	}
	*s = append(*s, o)
	return true
}

// mayShare appends to dst the origins that can share a target time with o, the last one in s. These are earlier
// origins with a larger spacing or with a spacing of months. After the clock was set back, they are also the
// origins at or after o.
func (s issued) mayShare(dst issued, o issuedAt) issued {
	length := o.spacing.Length()
	for _, old := range s[:max(0, len(s)-1)] {
		if old.spacing.Length() > length || old.spacing < 0 && old.time < o.time || old.time >= o.time {
			dst = append(dst, old)
		}
	}
	return dst
}

// taken reports whether some origin has the target time at for horizon h.
func (s issued) taken(at int64, h int) bool {
	return slices.ContainsFunc(s, func(old issuedAt) bool { return old.target(h) == at })
}

// state accepts any number of origins: the saved horizon may have been longer.
func (s *issued) state(c *snapshot.Codec) {
	n := len(*s)
	c.Len(&n, math.MaxInt)
	if c.Decoding() {
		*s = nil
	}
	for i := 0; i < n && c.Err() == nil; i++ {
		if c.Decoding() {
			*s = append(*s, issuedAt{})
		}
		c.Int64(&(*s)[i].time)
		c.Int64((*int64)(&(*s)[i].spacing))
	}
}
