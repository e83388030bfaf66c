package eval

import (
	"math"

	"github.com/orffvar/forecaster/internal/snapshot"
)

// Directions of an AnomalyRule.
const (
	AnyDirection = 0
	Above        = 1
	Below        = -1
)

// AnomalyRule says which deviations of a variable may raise an alarm. The zero value
// admits all.
type AnomalyRule struct {
	// MinDeviation is the least deviation from the forecast, in units of the data.
	MinDeviation float64

	// MinRelative is the least deviation relative to the size of what was expected.
	MinRelative float64

	// Direction is Above or Below for deviations of one sign alone.
	Direction int
}

// admits reports whether a value that deviates from its forecast may raise an alarm.
func (r AnomalyRule) admits(expected, deviation float64) bool {
	size := math.Abs(deviation)
	return size >= r.MinDeviation && size >= r.MinRelative*math.Abs(expected) &&
		float64(r.Direction)*deviation >= 0
}

// AnomalyEvent is an anomaly from its first alarm to its end: 25 samples after the last
// sample with a score above 1.
type AnomalyEvent struct {
	// Open is whether the event goes on. An event is the same as long as Begin is.
	Open bool

	// Begin, Peak and End are the times of the first alarm, of the largest score, and
	// of the last sample above 1, in ns.
	Begin, Peak, End int64

	// Samples is the number of samples from Begin on.
	Samples int64

	// Score, Cause and Shares are those of the sample of the time Peak.
	Score  float64
	Cause  View
	Shares []float64

	// Normal says that the change has lasted for so long that it is the new normal.
	Normal bool
}

const (
	eventQuiet  = 25  // samples below 1 that end an event
	eventLeast  = .5  // score of a sample that is still part of the anomaly
	eventNear   = 5   // samples since the last above 1, after which none is part of it
	eventGrowth = 1.3 // of the score over the peak, that is an alarm again
)

// Anomalous reports whether the last sample is part of an anomaly: it is odd enough for an
// alarm or, in an event of several such samples, at most 5 samples behind one and half as
// odd.
func (s *AnomalyScorer) Anomalous() bool { return s.anomalous }

// Event returns the current event, or the last one. Before the first it is zero. Shares
// is overwritten by the next Observe.
func (s *AnomalyScorer) Event() AnomalyEvent { return s.event }

// continueEvent extends the event with a sample of the largest view score best, and returns
// the score of the sample. Within an event a sample scores above 1 when it is clearly
// odder than all before, or when other variables contradict it. One that is only as odd
// as the event has been stays between .9 and 1.
func (s *AnomalyScorer) continueEvent(time int64, best float64, y, yhat []float64) float64 {
	e := &s.event
	s.anomalous = false
	if e.Open {
		e.Samples++
		if s.run++; s.memory > 1 || best > 1 {
			s.run = 0
		}
		if best > 1 {
			e.End = time
			s.odd++
		}
		if e.Open = s.run < eventQuiet && !(e.Normal && s.run > 0); !e.Open {
			s.run = 0
		}
		s.anomalous = e.Open && (best > 1 || best > eventLeast && s.odd > 1 && s.run <= eventNear)
		if best <= 1 {
			return best
		}
		if best > e.Score {
			s.setPeak(time, best)
		}
		if best > eventGrowth*s.alarmed {
			s.alarmed = best
			return best
		}
		if s.leading == Correlation {
			return best
		}
		return 1 - .1/best
	}
	if best <= 1 {
		s.run = 0
		return best
	}
	if s.run++; s.run < int64(s.c.MinDuration) || !s.admitted(y, yhat) {
		return 1 - .1/best
	}
	*e = AnomalyEvent{Open: true, Begin: time, End: time, Samples: 1, Shares: e.Shares}
	s.run = 0
	s.alarmed, s.odd, s.anomalous = best, 1, true
	s.setPeak(time, best)
	return best
}

// setPeak makes the sample the peak of the event.
func (s *AnomalyScorer) setPeak(time int64, score float64) {
	e := &s.event
	e.Peak, e.Score, e.Cause = time, score, s.leading
	copy(e.Shares, s.share())
}

// admitted reports whether the rule of a variable with a part in the score lets it be an
// alarm.
func (s *AnomalyScorer) admitted(y, yhat []float64) bool {
	if s.c.Rules == nil {
		return true
	}
	for j, share := range s.share() {
		v := &s.vars[j]
		expected, deviation := y[j]-v.deviation, v.deviation
		if s.leading == Jump || s.leading == Noise {
			expected, deviation = y[j]-v.error, v.error
		}
		if share >= .05 && s.c.Rules[j].admits(expected, deviation) {
			return true
		}
	}
	return false
}

func (e *AnomalyEvent) state(c *snapshot.Codec) {
	c.Bool(&e.Open)
	c.Bool(&e.Normal)
	for _, x := range [...]*int64{&e.Begin, &e.Peak, &e.End, &e.Samples} {
		c.Int64(x)
	}
	c.Float64(&e.Score)
	cause := int(e.Cause)
	c.Index(&cause, int(viewCount))
	e.Cause = View(cause)
	c.Float64s(e.Shares)
}
