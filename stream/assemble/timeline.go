package assemble

import (
	"math"
	"slices"

	"github.com/orffvar/forecaster/eval/snapshot"
)

// timeline detects that the clock of a series was wrong for a while. One sample in the year 2261 makes all later
// samples late. If Agreement consecutive late records ascend within one hole, a span of time without samples, they
// are right and the samples after the hole had wrong times. Records that are sent again lie in no hole, so they
// change nothing.
type timeline struct {
	holes []hole // ascending
	back  int    // number of consecutive late records that ascend in one hole
	last  int64  // time of the last of these records
}

// hole is a span of time without samples. A clock that was ahead by the length of the hole comes back to a time
// within the hole, unless it was wrong for longer than this length. A hole is therefore dropped once the series has
// continued for its length.
type hole struct {
	before int64 // last time before it; MinInt64: the series begins after the hole
	landed int64 // first time after it
	since  int64 // ns by which the series has continued since, without steps that are holes
}

const (
	Agreement    = 10   // consecutive late records that outweigh the samples ahead; also the least length of a hole, in spacings
	forgetBefore = 1000 // spacings after which the first time of a series counts as right
	maxHoles     = 16   // beyond this number the shortest hole is dropped
)

// begin sets the first time of a series. It may be wrong, too.
func (l *timeline) begin(t int64) {
	*l = timeline{holes: []hole{{before: math.MinInt64, landed: t}}}
}

// advance adds the step between two consecutive times. every is the time between samples, 0 = unknown.
func (l *timeline) advance(from, to int64, every Spacing) {
	l.back = 0
	if l.add(from, to, every) {
		return
	}
	for i := range l.holes {
		l.holes[i].since += to - from
	}
	l.holes = slices.DeleteFunc(l.holes, func(h hole) bool { return h.stands(every) })
}

// stands reports whether the times after h count as right.
func (h *hole) stands(every Spacing) bool {
	if h.before == math.MinInt64 {
		return h.since/every.Length() >= forgetBefore
	}
	return uint64(h.since) >= span(h.before, h.landed)
}

// add adds a hole between two times, if they are far enough apart, and reports whether they are.
func (l *timeline) add(from, to int64, every Spacing) bool {
	if every != 0 && !every.Apart(from, to) {
		return false
	}
	l.holes = append(l.holes, hole{before: from, landed: to})
	if len(l.holes) > maxHoles {
		shortest := 0
		for i, h := range l.holes {
			if span(h.before, h.landed) < span(l.holes[shortest].before, l.holes[shortest].landed) {
				shortest = i
			}
		}
		l.holes = slices.Delete(l.holes, shortest, shortest+1)
	}
	return true
}

// returns adds the time of a late record, and reports whether the series goes back to that time.
func (l *timeline) returns(t int64, every Spacing) bool {
	if l.back > 0 && t <= l.last {
		if every == 0 || !every.Apart(t, l.last) {
			return false // too close to the last time: records of one row come in any order
		}
		l.back = 0
	}
	for i, h := range l.holes {
		if t <= h.before || t >= h.landed {
			continue
		}
		if l.back > 0 && l.last < h.before {
			l.back = 0 // the two records lie in different holes
		}
		l.back, l.last = l.back+1, t
		if l.back < Agreement {
			return false
		}
		l.back, l.holes = 0, l.holes[:i]
		l.add(h.before, t, every)
		return true
	}
	return false
}

// allow lets the series go back to the next late record, whatever its time.
func (l *timeline) allow() {
	*l = timeline{holes: []hole{{before: math.MinInt64, landed: math.MaxInt64}}, back: Agreement - 1, last: math.MinInt64}
}

// Apart reports whether two ascending times are Agreement spacings or more apart, so that one of them may be wrong.
func (s Spacing) Apart(from, to int64) bool { return span(from, to)/uint64(s.Length()) >= Agreement }

// span returns the time between two times. Unsigned: int64 could overflow.
func span(from, to int64) uint64 { return uint64(to) - uint64(from) }

func (l *timeline) state(c *snapshot.Codec) {
	n := len(l.holes)
	c.Len(&n, maxHoles)
	if c.Decoding() {
		l.holes = make([]hole, n)
	}
	for i := range l.holes {
		c.Int64(&l.holes[i].before)
		c.Int64(&l.holes[i].landed)
		c.Int64(&l.holes[i].since)
	}
	c.Int(&l.back)
	c.Int64(&l.last)
}
