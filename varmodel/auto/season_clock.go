package auto

import (
	"math"
	"slices"
)

const (
	alikeSpacings  = 8   // steps of one length after which this length is the spacing
	spacingDiffers = .15 // relative difference below which two spacings are the same: months have 28 to 31 days
	periodDiffers  = .02 // largest relative difference of a natural period from a whole number of samples
	longestYear    = 400 // samples; a longer year is no cycle, because no series has many of them
	daySpan        = 86400e9
	weekSpan       = 7 * daySpan
	yearSpan       = 31556952e9
	monthSpan      = yearSpan / 12
)

// naturalSpans are the natural periods of the clock in nanoseconds: minute, hour, day, week, month and year.
var naturalSpans = []int64{60e9, 3600e9, daySpan, weekSpan, monthSpan, yearSpan}

// clock derives the spacing, and with it the natural periods, from the times of the samples.
func (s *seasons) clock(inverse []float64) {
	step := s.time - s.before
	known := s.time != 0 && s.before != 0 && step > 0
	s.before = s.time
	if !known || s.same(step, float64(s.spacing)) {
		s.alike = 0
		return
	}
	if s.alike > 0 && !s.same(step, float64(s.time-step-s.since)/float64(s.alike)) {
		s.alike = 0
	}
	if s.alike == 0 {
		s.since = s.time - step
	}
	if s.alike++; s.alike == alikeSpacings {
		s.spacing = (s.time - s.since) / alikeSpacings
		s.alike = 0
		s.natural(inverse)
	}
}

// dated reports whether earlier samples had a time.
func (s *seasons) dated() bool { return s.before != 0 || s.spacing > 0 }

// same reports whether a step has about the given length.
func (s *seasons) same(step int64, length float64) bool {
	return math.Abs(float64(step)-length) < spacingDiffers*length
}

// natural replaces all cycles but the configured one by the cycles of the clock.
func (s *seasons) natural(inverse []float64) {
	n := min(alikeSpacings+1, s.past.Count) // samples of this spacing
	s.Keep(func(c *cycle) bool { return c.given })
	for _, span := range naturalSpans {
		exact := float64(span) / float64(s.spacing)
		limit := s.limit
		if span == yearSpan {
			limit = min(limit, longestYear)
		}
		period := int(math.Round(exact))
		if span == monthSpan {
			if math.Abs(float64(s.spacing)-daySpan) > periodDiffers*daySpan {
				continue
			}
			period, exact = MonthPhases, MonthPhases
		}
		if period < shortestSeason || period > limit || math.Abs(exact-float64(period)) > periodDiffers*exact {
			continue
		}
		if c := newCycle(s.dim, period); s.find(period) == nil {
			c.span = span
			s.add(c)
			s.teach(c, n, 1, inverse) // without the last sample: Observe is about to learn it
		}
	}
	s.known = min(s.known, s.count+1-n)
}

// ofSpan returns the cycle of the clock with the given span, or nil.
func (s *seasons) ofSpan(span int64) *cycle {
	for _, c := range s.cycles {
		if c.span == span && !c.free {
			return c
		}
	}
	return nil
}

// ofClock reports whether a cycle that is not of the search has a share.
func (s *seasons) ofClock() bool {
	return slices.ContainsFunc(s.cycles, func(c *cycle) bool { return c.active && !c.free })
}
