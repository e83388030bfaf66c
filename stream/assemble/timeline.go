package assemble

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
)

// timeline notices that the clock of a series was wrong for a while. One sample in the year
// 2261 makes all that follow late. When agreement late records in a row go on from before a
// leap in time, they are right, and the leap was wrong.
type timeline struct {
	leapt  bool  // there was a leap, fewer than forgetLeap samples ago
	before int64 // last time before the leap
	landed int64 // first time after it
	since  int   // samples since the leap
	back   int   // late records in a row, between before and landed, that ascend
	last   int64 // time of the last of these
}

const (
	Agreement  = 10   // late records in a row that outweigh a leap
	fewestLeap = 100  // spacings that a leap is longer than at least
	forgetLeap = 1000 // samples after which a leap stands
)

// begin takes the first time of a series: it may be wrong, too.
func (l *timeline) begin(t int64) {
	*l = timeline{leapt: true, before: math.MinInt64, landed: t, since: 1}
}

// advance takes a time after the one before. leap is the longest step that is none; 0 = not
// known.
func (l *timeline) advance(from, to, leap int64) {
	l.back = 0
	switch {
	case leap > 0 && to-from > leap:
		*l = timeline{leapt: true, before: from, landed: to, since: 1}
	case l.leapt:
		if l.since++; l.since >= forgetLeap {
			*l = timeline{}
		}
	}
}

// returns takes the time of a late record, and reports whether it goes back to before the
// leap.
func (l *timeline) returns(t int64) bool {
	if !l.leapt || t <= l.before || t >= l.landed || l.back > 0 && t <= l.last {
		return false
	}
	l.back, l.last = l.back+1, t
	return l.back >= Agreement
}

// allow makes the next late record go back, whatever its time.
func (l *timeline) allow() {
	*l = timeline{leapt: true, before: math.MinInt64, landed: math.MaxInt64, back: Agreement - 1, last: math.MinInt64}
}

// leapOf returns the longest step in time that is no leap, 0 = not known.
func (c *Config) leapOf(every Spacing) int64 {
	n := int64(max(c.MaxGap, fewestLeap) + 1)
	if length := every.Length(); length <= math.MaxInt64/n {
		return n * length
	}
	return math.MaxInt64
}

func (l *timeline) state(c *snapshot.Codec) {
	c.Bool(&l.leapt)
	c.Int64(&l.before)
	c.Int64(&l.landed)
	c.Int(&l.since)
	c.Int(&l.back)
	c.Int64(&l.last)
}
