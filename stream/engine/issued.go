package engine

import (
	"math"
	"slices"
	"time"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/stream/assemble"
)

// issued are the forecasts of a series whose target times may still lie ahead. A later
// forecast of a horizon can have the target time of an earlier one: while the spacing is
// estimated and the estimate shrinks, and with a spacing of months, in which 29, 30 and 31
// January are all one month before 28 February. The earlier one stands, so that no point is
// ever written with two values.
type issued []issuedAt

// issuedAt is when forecasts were issued, and with which spacing.
type issuedAt struct {
	time    int64
	spacing assemble.Spacing
}

// target returns the target time of a horizon, or the end of time.
func (o issuedAt) target(h int) int64 { return o.spacing.After(o.time, h) }

// maxIssued bounds the number of origins for a largest horizon. It is reached only by
// times without any regularity; no forecast is issued then.
func maxIssued(horizon int) int { return 4*horizon + 100 }

// add reports whether there is room for a new origin, and takes it into account. It forgets the origins
// whose last target the series passes step by step. What a leap passes stays: the leap may be wrong, and the
// series go back.
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
			return false // all are under way
		}
		*s = slices.Delete(*s, i, i+1)
	}
	*s = append(*s, o)
	return true
}

// leaps reports whether the clock may be wrong at o, or was at the origin before it.
func (o issuedAt) leaps(last issuedAt) bool {
	since := uint64(o.time) - uint64(last.time) // may be centuries
	return o.time <= last.time || since/uint64(last.spacing.Length()) >= assemble.Agreement
}

// shortestMonth is the number of days that every month has: only forecasts issued on that day
// or later can share a target.
const shortestMonth = 28

// mostMonthEnds bounds the number of origins from the 28th on: a sample per minute.
const mostMonthEnds = 4*24*60 + 100

// addMonthEnd is add for a spacing of months, and an origin at the end of one.
func (s *issued) addMonthEnd(o issuedAt) bool {
	const days = 4 * int64(24*time.Hour) // from the 28th to the 31st
	*s = slices.DeleteFunc(*s, func(old issuedAt) bool { return old.time <= o.time-days })
	if len(*s) == mostMonthEnds {
		return false
	}
	*s = append(*s, o)
	return true
}

// mayShare appends to dst the origins before o that can have a target time of o: as long as origins ascend
// only one with a larger spacing, or with one of months. After a clock was ahead and set back, also one that
// does not lie before o.
func (s issued) mayShare(dst issued, o issuedAt) issued {
	length := o.spacing.Length()
	for _, old := range s[:max(0, len(s)-1)] { // the last one is o
		if old.spacing.Length() > length || old.spacing < 0 && old.time < o.time || old.time >= o.time {
			dst = append(dst, old)
		}
	}
	return dst
}

// taken reports whether an origin has the given target time at horizon h.
func (s issued) taken(at int64, h int) bool {
	return slices.ContainsFunc(s, func(old issuedAt) bool { return old.target(h) == at })
}

// state has no limit of its own: the horizon may have been a longer one.
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
