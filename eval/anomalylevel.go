package eval

import (
	"math"

	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/internal/snapshot"
)

const (
	levelSpan  = 20  // samples that Level averages over
	levelStart = 50  // deviations before the first statistic
	levelClip  = 8   // standard deviations, at which a deviation counts in the mean: a single sample alone is for Jump
	levelMost  = 900 // largest square of a variable in the mean over the variables
)

// anomalyLevel is what the view Level knows of the values of a variable.
type anomalyLevel struct {
	n              int64
	mean, variance float64
	dayError       float64 // mean squared deviation from the profile of the day
	meanError      float64 // the same from the mean, since the profile exists
	byDay          bool    // the profile is the better reference
	deviations     int64   // from the reference, since it is the reference
	deviation      float64 // mean of recent deviations from the reference
	spread         float64 // mean square of the deviations
}

// observeLevels compares the values y with their references, and returns the statistic
// of Level: the root mean square over the variables.
func (s *AnomalyScorer) observeLevels(y []float64) (level evidence, ok bool) {
	squares := s.squares[Level]
	clear(squares)
	clear(s.z)
	count, most := 0., float64(levelMost)
	if len(y) == 1 {
		most = 1e12
	}
	var usual, recent weight
	for j, value := range y {
		if !finite(value) {
			continue
		}
		v := &s.vars[j]
		if v.n++; v.n == 1 {
			v.mean = value
		}
		d := value - v.mean
		if s.z != nil && v.variance > 0 {
			s.z[j] = lanes.Clip(d/math.Sqrt(v.variance), 10)
		}
		if profile, known := s.day.value(j); known {
			d = v.compareReferences(d, value-profile, usual.of(v.n, 1./anomalyMemory))
		}
		square := v.variance
		if v.byDay {
			square = v.dayError
		}
		if d*d > levelClip*levelClip*square && v.deviations > levelStart && square > 0 {
			d = math.Copysign(levelClip*math.Sqrt(square), d)
		}
		v.deviations++
		v.deviation += s.pace(Level, d, v.deviation) * recent.of(v.deviations, 1./levelSpan) * (d - v.deviation)
		if v.deviations <= levelStart {
			continue
		}
		ok = true
		unit := v.spread
		if len(y) > 1 {
			unit = v.variance // so that variables that hardly move have little part in the mean
		}
		if unit += 1e-4 * v.scale * v.scale; unit > 0 {
			unit = 1 / unit
			squares[j] = min(v.deviation*v.deviation*unit, 1e12)
			if d*v.deviation > 0 {
				level.last += min(d*d*unit, most)
			}
		}
		level.all += min(squares[j], most)
		count++
	}
	count = max(count, 1)
	return evidence{level.all / count, level.last / count}.root(), ok
}

// compareReferences takes the deviations of a value from the mean and from the profile
// of the day with their weight, and returns that from the better reference.
func (v *anomalyLevel) compareReferences(fromMean, fromProfile, rate float64) float64 {
	v.meanError += rate * (fromMean*fromMean - v.meanError)
	v.dayError += rate * (fromProfile*fromProfile - v.dayError)
	least := .7 // so much better that chance does not choose
	if v.byDay {
		least = .8
	}
	if byDay := v.dayError < least*v.meanError; byDay != v.byDay {
		v.byDay, v.deviations, v.deviation, v.spread = byDay, 0, 0, 0
	}
	if v.byDay {
		return fromProfile
	}
	return fromMean
}

// learnLevels takes the values y into the references, but for variables that Level
// holds to be anomalous.
func (s *AnomalyScorer) learnLevels(y []float64) {
	w := &s.slow[Level]
	var usual, spread weight
	for j, value := range y {
		if !finite(value) || !w.teaches(s.squares[Level][j]) {
			continue
		}
		v := &s.vars[j]
		square := v.deviation * v.deviation
		if square > 25*v.spread && v.deviations > levelStart && v.spread > 0 {
			square = 25 * v.spread
		}
		v.spread += spread.of(v.deviations, 1./anomalyMemory) * (square - v.spread)
		d := value - v.mean
		rate := usual.of(v.n, 1./anomalyMemory)
		v.mean += rate * d
		square = d * d
		if square > 25*v.variance && v.n > levelStart && v.variance > 0 {
			square = 25 * v.variance
		}
		v.variance += rate * (square - v.variance)
		s.day.learn(j, value)
	}
	s.day.count()
}

func (v *anomalyLevel) state(c *snapshot.Codec) {
	c.Int64(&v.n)
	c.Int64(&v.deviations)
	c.Bool(&v.byDay)
	for _, x := range [...]*float64{&v.mean, &v.variance, &v.dayError, &v.meanError, &v.deviation, &v.spread} {
		c.Float64(x)
	}
}
