package lanes

import "math"

// Levels are the means of n variables, over all samples and by a profile of the day that is
// kept elsewhere, and how far the last samples are from the better of these references. With the
// sample x_t, and d_t its deviation from the reference, clipped to clip standard deviations there,
//
//	deviation_t = deviation_{t-1} + pace b_t (d_t - deviation_{t-1})
//	square      = deviation_t² / (variance + (least scale)²)
//
// where scale is the usual forecast error. The profile is the better reference while the mean square
// of the deviations from it is below a part of that from the mean. A sample that is not finite is
// missing.
type Levels struct {
	Count, Origin, Mean, Variance []float64 // Origin is the first value, which the profile is relative to
	DayError, MeanError           []float64 // mean squared deviations from the profile, and from the mean
	ByDay                         []float64 // 1 = the profile is the better reference, else 0
	Deviations                    []float64 // number of deviations from this reference
	Deviation                     []float64 // mean of the last ones
	Spread                        []float64 // mean square of Deviation

	// Of the last sample.
	Z      []float64 // deviation from the mean in standard deviations, clipped; 0 = missing, or one variable
	Square []float64 // 0 = none
	Last   []float64 // the same of the last deviation alone if it has the same sign, else 0; NaN = none
	Step   []float64 // what Learn adds to the profile, before its weight

	Known bool    // the profile is known
	Pace  float64 // factor of the weight of a deviation that is smaller than the mean

	all    []float64
	n      int
	limits [levLimits]float64
}

// LevelRules are the constants of Levels.
type LevelRules struct {
	Most        float64 // Count and Deviations are at most this
	Rate        float64 // least weight of a value
	Span        float64 // least weight of a deviation in Deviation
	Start       float64 // deviations before the first statistic
	Clip        float64
	Least       float64 // least squared standard deviation in squares of the scale
	ClipZ       float64
	Better      float64 // share of MeanError: a DayError below it makes the profile the reference …
	Good        float64 // … and below which the profile remains the reference
	MostSquare  float64
	MostLast    float64
	Winsor      float64 // squares of a mean square, at which a square counts in it
	FarVariance float64 // squared deviation in variances, at which a deviation counts in the references
}

// NewLevels returns the statistics of no samples.
func NewLevels(n int, r LevelRules) *Levels {
	l := &Levels{
		Pace: 1, n: n,
		limits: [levLimits]float64{
			levOne: 1, levMost: r.Most, levRate: r.Rate, levSpan: r.Span, levStart: r.Start, levClip: r.Clip,
			levLeast: r.Least, levClipZ: r.ClipZ, levBetter: r.Better, levGood: r.Good,
			levMostSquare: r.MostSquare, levMostLast: r.MostLast, levWinsor: r.Winsor, levFar: r.FarVariance,
			levKnown: 0, levPace: 1, levLimit: 0, levOthers: 0,
		},
	}
	l.all = compact(n, l.fields())
	return l
}

// Compare compares the sample x with the references. scale are the usual forecast errors.
func (l *Levels) Compare(x, profile, scale []float64) {
	if len(x) != l.n || len(profile) < l.n || len(scale) < l.n {
		panic("lanes: Levels.Compare: lengths differ")
	}
	l.limits[levPace], l.limits[levKnown] = l.Pace, 0
	if l.Known {
		l.limits[levKnown] = 1
	}
	if l.n < few {
		levelsPortable(l, x, profile, scale)
		return
	}
	levels(l, x, profile, scale)
}

func levelsPortable(l *Levels, x, profile, scale []float64) {
	p := &l.limits
	for j, v := range x {
		l.Z[j], l.Square[j], l.Last[j] = 0, 0, math.NaN()
		if v-v != 0 {
			continue
		}
		if l.Count[j] == 0 {
			l.Mean[j], l.Origin[j] = v, v
		}
		if l.Count[j]++; l.Count[j] > p[levMost] {
			l.Count[j] = p[levMost]
		}
		d, square, inverse := v-l.Mean[j], l.Variance[j], 0.
		if unit := square + float64(p[levLeast]*scale[j]*scale[j]); unit > 0 && l.n > 1 {
			inverse = 1 / math.Sqrt(unit)
			l.Z[j] = Clip(d*inverse, p[levClipZ])
		}
		unit := inverse * inverse
		if away := v - l.Origin[j] - profile[j]; p[levKnown] > 0 && away == away {
			d, square = l.reference(j, d, away, Weight(l.Count[j], p[levRate]))
		}
		if l.Deviations[j] > p[levStart] && square > 0 {
			d = Clip(d, p[levClip]*math.Sqrt(square))
		}
		if l.Deviations[j]++; l.Deviations[j] > p[levMost] {
			l.Deviations[j] = p[levMost]
		}
		deviation, pace := l.Deviation[j], 1.
		if math.Abs(d) < math.Abs(deviation) {
			pace = p[levPace]
		}
		deviation += float64(pace * Weight(l.Deviations[j], p[levSpan]) * (d - deviation))
		l.Deviation[j] = deviation
		if !(l.Deviations[j] > p[levStart]) {
			continue
		}
		if l.n == 1 { // one variable may stay where it is: the unit is the usual mean
			if unit = l.Spread[j] + float64(p[levLeast]*scale[j]*scale[j]); unit > 0 {
				unit = 1 / unit
			}
		}
		if square = deviation * deviation * unit; square > p[levMostSquare] {
			square = p[levMostSquare]
		}
		l.Square[j], l.Last[j] = square, 0
		if float64(d*deviation) > 0 {
			if square = d * d * unit; square > p[levMostLast] {
				square = p[levMostLast]
			}
			l.Last[j] = square
		}
	}
}

// reference takes the deviations of a value from the mean and from the profile with their weight. It
// returns that from the better reference, with its mean square.
func (l *Levels) reference(j int, fromMean, fromProfile, rate float64) (d, square float64) {
	p := &l.limits
	l.MeanError[j] += float64(rate * (float64(fromMean*fromMean) - l.MeanError[j]))
	l.DayError[j] += float64(rate * (float64(fromProfile*fromProfile) - l.DayError[j]))
	part, byDay := p[levBetter], 0.
	if l.ByDay[j] > 0 {
		part = p[levGood]
	}
	if l.DayError[j] < float64(part*l.MeanError[j]) {
		byDay = 1
	}
	if byDay != l.ByDay[j] {
		l.ByDay[j], l.Deviations[j], l.Deviation[j], l.Spread[j] = byDay, 0, 0, 0
	}
	if byDay > 0 {
		return fromProfile, l.DayError[j]
	}
	return fromMean, l.Variance[j]
}

// Learn takes the sample x, which was compared before, into the references: that of the variables
// whose Square is at most limit, and whose entry of others is at most limitOfOthers.
func (l *Levels) Learn(x, profile, others []float64, limit, limitOfOthers float64) {
	if len(x) != l.n || len(profile) < l.n || len(others) < l.n {
		panic("lanes: Levels.Learn: lengths differ")
	}
	l.limits[levLimit], l.limits[levOthers] = limit, limitOfOthers
	if l.n < few {
		learnLevelsPortable(l, x, profile, others)
		return
	}
	learnLevels(l, x, profile, others)
}

func learnLevelsPortable(l *Levels, x, profile, others []float64) {
	p := &l.limits
	for j, v := range x {
		l.Step[j] = 0
		if v-v != 0 || !(l.Square[j] <= p[levLimit]) || !(others[j] <= p[levOthers]) {
			continue
		}
		square, spread := float64(l.Deviation[j]*l.Deviation[j]), l.Spread[j]
		if most := p[levWinsor] * spread; l.Deviations[j] > p[levStart] && spread > 0 && square > most {
			square = most
		}
		l.Spread[j] = spread + float64(Weight(l.Deviations[j], p[levRate])*(square-spread))
		d, step, variance := v-l.Mean[j], v-l.Origin[j]-profile[j], l.Variance[j]
		square = d * d
		if l.Count[j] > p[levStart] && variance > 0 {
			// A single sample far away moves no reference by much.
			far := math.Sqrt(p[levFar] * variance)
			d, step = Clip(d, far), Clip(step, far)
			if most := p[levWinsor] * variance; square > most {
				square = most
			}
		}
		l.Step[j] = step
		weight := Weight(l.Count[j], p[levRate])
		l.Mean[j] += float64(weight * d)
		l.Variance[j] = variance + float64(weight*(square-variance))
	}
}
