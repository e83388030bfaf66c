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
	levelFar   = 30  // standard deviations, at which a value counts in the references
	levelMost  = 900 // largest square of a variable in the mean over the variables
)

// anomalyLevel is what the view Level knows of the values of a variable.
type anomalyLevel struct {
	n              uint16  // values, at most anomalyMemory
	origin         float64 // first value, which the profile is relative to
	mean, variance float64
	dayError       float64 // mean squared deviation from the profile of the day
	meanError      float64 // the same from the mean, since the profile exists
	byDay          bool    // the profile is the better reference
	deviations     uint16  // from the reference, since it is the reference; at most anomalyMemory
	deviation      float64 // mean of recent deviations from the reference
	spread         float64 // mean square of the deviations
}

// observeLevels compares the values y with their references, and returns the statistic
// of Level: the root mean square over the variables.
func (s *AnomalyScorer) observeLevels(y []float64) (level evidence, ok bool) {
	squares := s.squares[Level][:len(y)]
	clear(squares)
	clear(s.z)
	profile, known := s.day.row()
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
		if v.n = counted(v.n); v.n == 1 {
			v.mean, v.origin = value, value
		}
		d := value - v.mean
		// Variables that hardly move have little part in the mean over the variables.
		unit := v.variance + 1e-4*v.scale*v.scale
		if len(y) > 1 && unit > 0 {
			inverse := 1 / math.Sqrt(unit)
			unit = inverse * inverse
			if s.z != nil {
				s.z[j] = lanes.Clip(d*inverse, 10)
			}
		}
		square := v.variance
		if known {
			if d = v.compareReferences(d, value-v.origin-float64(profile[j]), usual.of(v.n, 1./anomalyMemory)); v.byDay {
				square = v.dayError
			}
		}
		if d*d > levelClip*levelClip*square && v.deviations > levelStart && square > 0 {
			d = math.Copysign(levelClip*math.Sqrt(square), d)
		}
		v.deviations = counted(v.deviations)
		v.deviation += s.pace(Level, d, v.deviation) * recent.of(v.deviations, 1./levelSpan) * (d - v.deviation)
		if v.deviations <= levelStart {
			continue
		}
		ok = true
		if len(y) == 1 {
			if unit = v.spread + 1e-4*v.scale*v.scale; unit > 0 {
				unit = 1 / unit
			}
		}
		square = v.deviation * v.deviation * unit
		if square > 1e12 {
			square = 1e12
		}
		squares[j] = square
		if square > most {
			square = most
		}
		level.all += square
		if square = d * d * unit; square > most {
			square = most
		}
		level.last += onSide(square, d, v.deviation)
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

// lesson returns the largest squared statistic in a view of a variable that may change what is
// usual: one with a usual statistic teaches in any case.
func (s *AnomalyScorer) lesson(v View) float64 {
	w := &s.slow[v]
	if w.learns(s.c.NormalAfter) {
		return math.Inf(1)
	}
	return w.tail.threshold * w.tail.threshold
}

// learnLevels takes the values y into the references, but for variables that Level
// or Correlation holds to be anomalous.
func (s *AnomalyScorer) learnLevels(y []float64) {
	var usual, spread weight
	squares := s.squares[Level][:len(y)]
	profile, rate := s.day.learn()
	level, others := s.lesson(Level), s.lesson(Correlation)
	contradictions := s.squares[Correlation][:len(y)]
	for j, value := range y {
		if !finite(value) || !(squares[j] <= level) || !(contradictions[j] <= others) {
			continue
		}
		v := &s.vars[j].anomalyLevel
		square := v.deviation * v.deviation
		if square > 25*v.spread && v.deviations > levelStart && v.spread > 0 {
			square = 25 * v.spread
		}
		v.spread += spread.of(v.deviations, 1./anomalyMemory) * (square - v.spread)
		d, fromProfile := value-v.mean, value-v.origin-float64(profile[j])
		square = d * d
		if v.n > levelStart && v.variance > 0 {
			// A single sample far away moves no reference by much.
			far := levelFar * levelFar * v.variance
			d, fromProfile = limit(d, far), limit(fromProfile, far)
			square = min(square, 25*v.variance)
		}
		weight := usual.of(v.n, 1./anomalyMemory)
		v.mean += weight * d
		v.variance += weight * (square - v.variance)
		profile[j] = moved(profile[j], rate*fromProfile)
	}
}

// limit returns d with a square of at most most.
func limit(d, most float64) float64 {
	if d*d > most {
		return math.Copysign(math.Sqrt(most), d)
	}
	return d
}

func (v *anomalyLevel) state(c *snapshot.Codec) {
	c.Uint16(&v.n)
	c.Uint16(&v.deviations)
	c.Bool(&v.byDay)
	for _, x := range [...]*float64{&v.origin, &v.mean, &v.variance, &v.dayError, &v.meanError, &v.deviation, &v.spread} {
		c.Float64(x)
	}
}
