package lanes

import "math"

// Levels has two references for n variables, the mean over all samples and a profile of the day (which the caller
// keeps), and the mean deviation of recent samples from the better reference. With the sample x_t, and its deviation
// d_t from this reference, clipped to clip standard deviations,
//
//	deviation_t = deviation_{t-1} + pace b_t (d_t - deviation_{t-1})
//	square      = deviation_t² / (variance + least scale²)
//
// where scale is the usual forecast error. With a single variable, Spread replaces the variance. The profile is the
// better reference while its mean squared deviation is below a share of that of the mean. A sample that is not finite
// is missing.
type Levels struct {
	Count, Origin, Mean, Variance []float64 // Origin is the first value; the profile is relative to it
	DayError, MeanError           []float64 // mean squared deviations from the profile, and from the mean
	ByDay                         []float64 // 1: the profile is the better reference; otherwise 0
	Deviations                    []float64 // number of deviations from the better reference
	Deviation                     []float64 // mean of recent deviations
	Spread                        []float64 // mean square of Deviation

	// Fields of the last sample.
	Z      []float64 // deviation from the mean in standard deviations, clipped; 0: missing, or a single variable
	Square []float64 // squared mean deviation, see above; 0: missing
	Last   []float64 // square of the last deviation alone if it has the sign of Deviation, otherwise 0; NaN: none
	Step   []float64 // unweighted step of Learn for the profile

	Known bool    // the profile is known
	Pace  float64 // factor of the weight of a deviation that is smaller than the mean deviation

	all    []float64
	n      int
	limits [levLimits]float64
}

// LevelRules are the constants of Levels.
type LevelRules struct {
	Most        float64 // largest Count and Deviations
	Rate        float64 // least weight of a value
	Span        float64 // least weight of a deviation in Deviation
	Start       float64 // number of deviations before the first statistic
	Clip        float64
	Least       float64 // least variance, in squares of the scale
	ClipZ       float64
	Better      float64 // share of MeanError: the profile becomes the reference if DayError is below it
	Good        float64 // share of MeanError: the profile remains the reference while DayError is below it
	MostSquare  float64
	MostLast    float64
	Winsor      float64 // largest square that is learnt, as a multiple of the mean square
	FarVariance float64 // largest squared deviation that the references learn, in variances
}

// NewLevels returns statistics without samples.
func NewLevels(n int, r LevelRules) *Levels {
	l := &Levels{
		n: n,
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

// Compare compares the sample x with the references. scale has the usual forecast errors.
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
		if l.n == 1 { // a single variable may stay at a new level: the unit is its usual mean deviation
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

// reference learns the squared deviations of a value from the mean and from the profile, with weight rate. It returns the
// deviation from the better reference, and its mean square.
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

// Learn updates the references with the sample x of the last Compare. It skips variables whose Square exceeds limit, or
// whose element of others exceeds limitOfOthers.
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
			// A single outlier hardly moves a reference.
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
