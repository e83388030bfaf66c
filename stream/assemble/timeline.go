package assemble

import (
	"math"
	"slices"

	"github.com/orffvar/forecaster/eval/snapshot"
)

// timeline notices that the clock of a series was wrong for a while. One sample in the year
// 2261 makes all that follow late. When Agreement late records in a row go on in a hole, where
// the series has no sample, they are right, and what lies after the hole was wrong. Records that
// are sent again lie in no hole, so they change nothing.
type timeline struct {
	holes []hole // ascending
	back  int    // late records in a row, in one hole, that ascend
	last  int64  // time of the last of these
}

// hole is a step in time that no sample lies in. A clock that is wrong by the length of the
// hole comes back to a time in it, unless it has been wrong for longer than that: so a hole
// counts only until the series has gone on for as long.
type hole struct {
	before int64 // last time before it; MinInt64: the series begins after the hole
	landed int64 // first time after it
	since  int64 // ns that the series has gone on for, without steps that are holes themselves
}

const (
	Agreement    = 10   // late records in a row that outweigh what lies ahead, and spacings that make no hole
	forgetBefore = 1000 // spacings after which the beginning of a series stands
	maxHoles     = 16   // the shortest is forgotten first
)

// begin takes the first time of a series: it may be wrong, too.
func (l *timeline) begin(t int64) {
	*l = timeline{holes: []hole{{before: math.MinInt64, landed: t}}}
}

// advance takes a time after the one before; every is the time between samples, 0 = not known.
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

// stands reports whether what follows h was right.
func (h *hole) stands(every Spacing) bool {
	if h.before == math.MinInt64 {
		return h.since/every.Length() >= forgetBefore
	}
	return uint64(h.since) >= span(h.before, h.landed)
}

// add notes that no sample lies between two times, if that is long.
func (l *timeline) add(from, to int64, every Spacing) bool {
	if every != 0 && span(from, to)/uint64(every.Length()) < Agreement {
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

// returns takes the time of a late record, and reports whether the series goes back to it.
func (l *timeline) returns(t int64, every Spacing) bool {
	if l.back > 0 && t <= l.last {
		if every == 0 || span(t, l.last)/uint64(every.Length()) < Agreement {
			return false // too close to the last time: records of one row come in any order
		}
		l.back = 0
	}
	for i, h := range l.holes {
		if t <= h.before || t >= h.landed {
			continue
		}
		if l.back > 0 && l.last < h.before {
			l.back = 0 // they lie in two holes
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

// allow makes the next late record go back, whatever its time.
func (l *timeline) allow() {
	*l = timeline{holes: []hole{{before: math.MinInt64, landed: math.MaxInt64}}, back: Agreement - 1, last: math.MinInt64}
}

// span is the time between two times, which may be centuries.
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
