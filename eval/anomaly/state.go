package anomaly

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/internal/vec"
)

const (
	stateStart    = 50  // number of samples before the first distance is learnt
	stateKnown    = 200 // number of samples after which covariance and standard deviations change slowly
	stateRest     = 8   // after stateKnown, one of stateRest samples changes them
	stateClip     = 3   // largest deviation of a variable in standard deviations, for stateMany or more variables
	stateMost     = 25  // largest squared deviation from the prediction by the other variables, for stateMany or more variables
	stateMany     = 16  // number of variables; for fewer, both limits grow in proportion
	stateClipOne  = 1e6 // stateClip of a single variable
	stateFar      = 100 // largest value in the mean and the variance, in standard deviations
	stateShrink   = .2  // variance added in every direction, in variances of a variable
	statePrior    = 50  // weight of the prior covariance, of unrelated variables, in samples
	stateScaleOne = 2   // factor on the logarithm for a single variable, for which sampleTail has the bins
	stateCore     = 2.3 // largest surprisal of a sample that changes the covariance; nine in ten are below
	stateSpan     = 10  // number of samples in the mean surprisal
	stateOutlives = 10  // multiple of NormalAfter after which an unusual state is the new normal
)

// normalState is the distribution of the normal samples, and the distance of the last sample from it. With z the
// clipped deviations of the variables from their means in standard deviations, C their covariance and Q = (C +
// stateShrink I)^-1,
//
//	distance x² = sum_j min((Q z)_j² / Q_jj, most) / dim
//
// (Q z)_j / Q_jj is the deviation of variable j from its prediction by the others, and 1 / Q_jj its variance. The
// distance grows with many variables that are moderately off, and with one that contradicts the others, but no
// single one of many variables decides alone. A single variable has x = |z|, with a wide clip. Samples of an
// anomaly are not learnt until they have lasted for stateOutlives times NormalAfter.
type normalState struct {
	n              float64 // number of samples learnt, at most anomalyMemory
	mean, variance []float64
	resolution     []float64     // smallest step so far: the least standard deviation
	inverse        []float64     // inverse standard deviations
	samples        float64       // number of samples in q
	q              vec.Symmetric // inverse of the shrunk sum of squares; nil for one variable, and for very many
	diagonal, unit []float64     // diagonal of q; factors on the squares of q z
	tail           sampleTail
	lately         float64 // mean surprisal of the last samples
	held           int64   // number of samples that were not learnt; -1 = the new normal is being learnt

	share            float64 // 1/dim
	clip, most, logs float64 // stateClip and stateMost for this number of variables; logs scales the logarithm in distance

	z, k      []float64 // deviations of the last sample, and q z
	product   float64   // z q z
	distance  float64   // logs log(1 + x²)
	surprisal float64
}

func newNormalState(dim int) *normalState {
	row := func() []float64 { return lanes.Rows(1, dim) }
	s := &normalState{mean: row(), variance: row(), resolution: row(), inverse: row(), z: row(), share: 1 / float64(dim)}
	s.k = s.z
	s.clip, s.logs = stateClipOne, stateScaleOne
	if dim > 1 {
		part := max(1, stateMany/float64(dim))
		s.clip, s.most = part*stateClip, part*part*stateMost
		s.logs = tailBins * tailWidth / math.Log1p(s.most)
	}
	for j := range s.resolution {
		s.resolution[j] = math.Inf(1)
	}
	if dim > 1 && dim <= othersMost {
		const prior = 1 / (statePrior * (1 + stateShrink))
		s.q, s.samples, s.k, s.unit, s.diagonal = vec.NewSymmetric(dim, squareMost), statePrior, row(), row(), row()
		s.q.SetIdentity(prior)
		for j := range s.diagonal {
			s.diagonal[j] = prior
		}
		s.setUnits()
	}
	return s
}

// compare sets the distance of the sample y.
func (s *normalState) compare(y []float64) {
	sum := 0.
	if len(y) == 1 {
		s.z[0] = 0
		if z := (y[0] - s.mean[0]) * s.inverse[0]; z-z == 0 {
			s.z[0] = lanes.Clip(z, s.clip)
		}
		sum = s.z[0] * s.z[0]
	} else {
		sum = s.standardise(y)
	}
	s.distance = s.logs * roughLog(1+sum*s.share)
	s.surprisal = s.tail.surprisal(s.distance)
}

// standardise sets the deviations of sample y, and returns the sum of their squares, each given the other
// variables.
func (s *normalState) standardise(y []float64) (sum float64) {
	lanes.Standardise(s.z, y, s.mean, s.inverse, s.clip)
	if sum = s.project(); sum-sum != 0 { // some are missing
		for j, z := range s.z {
			if z-z != 0 {
				s.z[j] = 0
			}
		}
		sum = s.project()
	}
	if s.q == nil {
		return sum
	}
	sum = 0
	unit := s.unit[:len(s.k)]
	for j, k := range s.k {
		square := float64(k * k * unit[j])
		if square > s.most {
			square = s.most
		}
		sum += square
	}
	return sum
}

// project sets k = q z and returns product = z^T q z.
func (s *normalState) project() float64 {
	if s.q == nil {
		return vec.Dot(s.z, s.z)
	}
	s.product = s.q.MatVec(s.k, s.z)
	return s.product
}

// setUnits sets unit.
func (s *normalState) setUnits() {
	for j, d := range s.diagonal {
		s.unit[j] = s.samples / d
	}
}

// roughLog returns log(x) for x >= 1, with an error of at most 2e-5. Bins of the distance are a thousand times as
// wide.
func roughLog(x float64) float64 {
	bits := math.Float64bits(x)
	m := math.Float64frombits(bits&(1<<52-1)|1023<<52) - 1 // mantissa - 1, in [0, 1)
	p := float64((float64(.0306674245*m)-.1325730707)*float64(m*m)) + (float64(.2866545174*m) - .4910061602)
	p = float64(p*m) + .9994044696
	return float64(float64(int(bits>>52)-1023)*math.Ln2) + float64(p*m)
}

// resolve updates the resolutions with the step from sample last to y.
func (s *normalState) resolve(y, last []float64) {
	for j, v := range y {
		if step := math.Abs(v - last[j]); step > 0 {
			s.resolution[j] = min(s.resolution[j], step)
		}
	}
}

// learn adds sample y to means and variances, with the weight of the given number of samples.
func (s *normalState) learn(y []float64, samples float64) {
	s.n = min(s.n+samples, anomalyMemory)
	rate := samples / s.n
	for j, v := range y {
		if v-v != 0 {
			continue
		}
		if s.variance[j] == 0 && s.mean[j] == 0 {
			s.mean[j] = v // the first one
		}
		d := v - s.mean[j]
		if inverse := s.inverse[j]; s.n > stateStart && math.Abs(d)*inverse > stateFar {
			d = lanes.Clip(d, stateFar/inverse)
		}
		s.mean[j] += rate * d
		s.variance[j] += rate * (d*d - s.variance[j])
	}
}

// scale sets the standard deviations, bounded below by the resolutions.
func (s *normalState) scale() {
	for j, variance := range s.variance {
		sd := math.Sqrt(variance)
		if r := s.resolution[j]; r > sd && !math.IsInf(r, 1) {
			sd = r
		}
		if sd > 0 {
			s.inverse[j] = 1 / sd
		}
	}
}

// relate adds the last sample, and a part of stateShrink, to the covariance.
func (s *normalState) relate() {
	s.samples++
	s.take(1 / (1 + s.product))
	j, share := int(s.samples)%len(s.z), stateShrink*float64(len(s.z)) // stateShrink goes to one direction after the other
	s.q.RowTo(s.k, j)
	s.take(share / (1 + share*s.k[j]))
	s.setUnits()
}

// take subtracts weight k k' from q.
func (s *normalState) take(weight float64) {
	s.q.Rank1(-weight, s.k)
	for j, k := range s.k {
		s.diagonal[j] -= float64(weight * k * k)
	}
}

// considerState is consider for State, which scores a sample of several variables that is an alarm in no other
// view. It does not score within an event that has become the new normal, because a lasting state would hold the
// event open.
func (s *Scorer) considerState(best float64, y []float64) float64 {
	t := s.normal
	if s.c.Dim == 1 || best > 1 || t.surprisal <= s.limits[State] || s.event.Open && s.event.Normal {
		return best
	}
	for j, z := range t.z {
		if s.squares[State][j] = z * z; t.q != nil {
			s.squares[State][j] = t.k[j] * t.k[j] * t.unit[j]
		}
	}
	if s.alarms(State, t.surprisal) {
		part := s.rule(State, y)
		s.ruled[State] = t.tail.surprisal(t.logs*math.Log1p(math.Expm1(t.distance/t.logs)*part*part)) / s.limits[State]
	}
	return s.consider(best, State, t.surprisal)
}

// stateRests reports whether the last sample changes only the tail.
func (s *Scorer) stateRests() bool { return s.normal.n > stateKnown && s.n%stateRest != 0 }

// StateScore returns the score of the last sample in the view State alone. It stays high while the state lasts; 1
// is as rare as FalseAlarms. ok is false while no score is known.
func (s *Scorer) StateScore() (score float64, ok bool) {
	return s.normal.surprisal / s.limits[State], s.normal.tail.n >= anomalyWarmup
}

// learnState learns the last sample y as normal, unless it is part of an anomaly.
func (s *Scorer) learnState(y []float64) {
	t := s.normal
	t.lately += (min(t.surprisal, holdAbove) - t.lately) / stateSpan
	unusual := t.surprisal >= holdAbove || t.lately >= usualBelow || s.event.Open && !s.event.Normal
	switch {
	case t.held < 0:
		if t.lately < usualBelow {
			t.held = 0
		}
	case !unusual:
		t.held = 0
	default:
		if t.held++; t.held > stateOutlives*int64(s.c.NormalAfter) {
			t.held, t.n = -1, min(t.n, float64(s.c.NormalAfter))
		}
	}
	if t.held > 0 {
		if t.held == 1 {
			t.tail.learn(t.distance)
		}
		return
	}
	if t.n > stateStart {
		t.tail.learn(t.distance)
	}
	if !s.stateRests() {
		samples := 1.
		if t.n > stateKnown {
			samples = stateRest
		}
		t.learn(y, samples)
		if t.q != nil && t.n > stateStart && t.surprisal <= stateCore {
			t.relate()
		}
		t.scale()
	}
}

func (s *normalState) state(c *snapshot.Codec) {
	c.Float64(&s.n)
	c.Float64(&s.lately)
	c.Int64(&s.held)
	for _, row := range [...][]float64{s.mean, s.variance, s.resolution, s.inverse} {
		c.Float64s(row)
	}
	s.tail.state(c)
	if s.q != nil {
		c.Float64(&s.samples)
		s.q.State(c)
		c.Float64s(s.diagonal)
		s.setUnits()
	}
}
