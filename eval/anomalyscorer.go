package eval

import (
	"math"

	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/internal/snapshot"
)

// View is one of the ways in which a sample can be unusual.
type View int

// The views of an AnomalyScorer.
const (
	// Level: the mean of the last samples is away from that of the series at this
	// time of day.
	Level View = iota

	// Noise: the forecast errors of the last samples are larger or smaller than usual.
	Noise

	// Jump: this sample is away from its forecast.
	Jump

	// Correlation: the last samples of a variable are away from what the other
	// variables of the same samples lead to expect.
	Correlation

	viewCount
)

func (v View) String() string { return [...]string{"level", "noise", "jump", "correlation"}[v] }

// viewRates are the expected numbers of false alarms of the views, in parts of
// AnomalyConfig.FalseAlarms. Their sum exceeds 1 because the tails of the slow views
// are estimated conservatively: simulations without anomalies have between .6 and 1.3 of
// the configured rate.
var viewRates = [viewCount]float64{Level: .3, Noise: .3, Jump: 1, Correlation: .3}

const (
	anomalyWarmup = 100    // samples before the first score
	anomalyMemory = 20_000 // samples that what is usual is averaged over
	jumpSpan      = 50     // samples that the size of recent errors is averaged over
	jumpAftermath = 6      // mean squared recent error in squares of the scale, that makes errors look small
	jumpRecent    = .5     // weight of recent squared errors beside the usual one
	levelSpan     = 20     // samples that Level averages over
	noiseSpan     = 25     // samples that Noise averages over
	othersSpan    = 10     // samples that Correlation averages over
	errorTail     = .05    // share of the errors in the tail of a variable
	noiseLeast    = .05    // standard deviations of the values; an error below it counts as none in Noise
	noiseMost     = 7      // largest surprisal of one error in Noise; Jump sees the rest
	holdAbove     = 9      // surprisal at which a view stops learning
	usualBelow    = 6      // surprisal below which the new normal has been learnt
)

// AnomalyConfig configures an AnomalyScorer.
type AnomalyConfig struct {
	Dim int

	// FalseAlarms is the expected number of alarms per sample of a series that does
	// not change, in (0, .1]. Zero means 1e-3.
	FalseAlarms float64

	// NormalAfter is the number of samples after which a lasting change is the new
	// normal. Zero means 300.
	NormalAfter int

	// Rules suppress alarms, one rule per variable. Nil means none.
	Rules []AnomalyRule

	// MinDuration is the number of consecutive samples above 1 that make an alarm.
	// Zero means 1.
	MinDuration int
}

// AnomalyScorer scores how improbable a sample of a series is, and the last samples
// with it, given the one-step forecasts made for them.
//
// A view computes a statistic of the samples and learns its tail online, which gives the
// probability p of a value at least as large. The score is the largest log(p)/log(r) over
// the views, where r is the view's part of FalseAlarms: 1 is as rare as FalseAlarms, 2 as
// rare as its square. There is no upper limit.
//
// An alarm, a score above 1, begins an event, see AnomalyEvent. Anomalous samples are not
// learnt from, until after NormalAfter samples they are the new normal.
//
// A step costs O(dim), and O(dim^2) in the view Correlation, which exists for 2 to 128
// variables. It allocates nothing.
type AnomalyScorer struct {
	c       AnomalyConfig
	n       int64
	vars    []anomalyVar
	day     dayProfile
	jump    sampleTail
	slow    [viewCount]slowView // those but Jump
	others  *others             // nil without Correlation
	z, r    []float64           // values and residuals of others, standardised
	event   AnomalyEvent
	run     int64   // consecutive samples above 1; within an event, at most 1
	alarmed float64 // last score above 1 in the event
	score   float64
	leading View

	anomalous bool // the last sample
	shares    []float64
}

// slowView is the state of a view that averages over samples.
type slowView struct {
	tail slowTail
	held int64 // samples that were not learnt from; -1 = the new normal is being learnt
}

// anomalyVar is the state of a variable.
type anomalyVar struct {
	n, errs int64

	scale, recent float64 // mean absolute error; mean square of recent errors
	errorQuantile float64 // of the errors in units of the scale: exceeded by errorTail
	errorExcess   float64 // mean logarithm of what exceeds it
	tails         float64 // number of errors that exceeded it, with the prior
	lately, usual float64 // mean surprisal of the errors

	mean, variance float64 // of the values
	dayError       float64 // mean squared deviation from the profile
	meanError      float64 // the same from the mean, since the profile exists
	byDay          bool    // the profile is the better reference
	deviations     int64   // from the reference, since it is the reference
	deviation      float64 // mean of recent deviations from the reference
	spread         float64 // mean square of the deviations
	residual       float64 // mean of recent residuals given the others
	residualSquare float64 // their mean square

	error                       float64 // of the last sample, in the units of the data; 0 = none
	jump, level, noise, related float64 // statistic of the last sample by view
}

// NewAnomalyScorer returns an AnomalyScorer that has seen nothing.
func NewAnomalyScorer(c AnomalyConfig) *AnomalyScorer {
	if c.FalseAlarms == 0 {
		c.FalseAlarms = 1e-3
	}
	if c.NormalAfter == 0 {
		c.NormalAfter = 300
	}
	s := &AnomalyScorer{c: c, vars: make([]anomalyVar, c.Dim), shares: make([]float64, c.Dim), score: math.NaN()}
	s.day.values = make([]float64, dayBins*c.Dim)
	if c.Dim >= 2 && c.Dim <= othersMost {
		s.others = newOthers(c.Dim)
		s.z, s.r = make([]float64, c.Dim), make([]float64, c.Dim)
	}
	s.event.Shares = make([]float64, c.Dim)
	return s
}

// Observe scores the sample y of the time, in ns, whose forecast had been yhat, and
// then learns from it. yhat is nil while there is none; NaN marks a missing
// coordinate. ok is false while nothing is known.
func (s *AnomalyScorer) Observe(time int64, y, yhat []float64) (score float64, ok bool) {
	if len(y) != len(s.vars) || yhat != nil && len(yhat) != len(y) {
		panic("eval: wrong number of variables")
	}
	s.n++
	s.day.enter(time)
	jump, noise, errs := s.observeErrors(y, yhat)
	level, values := s.observeLevels(y)
	s.score, s.anomalous = math.NaN(), false
	best := math.Inf(-1)
	if errs {
		best = s.consider(best, Jump, s.jump.surprisal(jump))
		s.jump.learn(jump)
		best = s.considerSlow(best, Noise, noise, .05, .5)
	}
	if values {
		best = s.considerSlow(best, Level, level, .5, 1)
	}
	if s.others != nil && values {
		best = s.considerSlow(best, Correlation, s.observeOthers(), .5, .5)
	}
	s.learnLevels(y)
	if s.n <= anomalyWarmup || !(best >= 0) {
		return 0, false
	}
	s.score = s.continueEvent(time, best, y, yhat)
	return s.score, true
}

// consider takes the surprisal of a view and returns the largest score so far.
func (s *AnomalyScorer) consider(best float64, v View, surprisal float64) float64 {
	if score := surprisal / -math.Log(s.c.FalseAlarms*viewRates[v]); score > best {
		best, s.leading = score, v
	}
	return best
}

// considerSlow is consider for a statistic x of a view that averages over samples. It
// learns x unless the view is held.
func (s *AnomalyScorer) considerSlow(best float64, v View, x, least, prior float64) float64 {
	w := &s.slow[v]
	surprisal := w.tail.surprisal(x)
	switch {
	case w.held < 0:
		if surprisal < usualBelow {
			w.held = 0
		}
	case surprisal < holdAbove:
		w.held = 0
	default:
		if w.held++; w.held > int64(s.c.NormalAfter) {
			w.held = -1
			s.acceptNormal(v)
		}
	}
	if w.held <= 0 {
		w.tail.learn(x, least, prior)
	}
	return s.consider(best, v, surprisal)
}

// pace is the factor of the rate at which a view averages x into the mean m of the last
// samples: an anomaly is forgotten faster than it was learnt, so that it ends in time.
func (s *AnomalyScorer) pace(v View, x, m float64) float64 {
	if s.slow[v].held <= 0 || math.Abs(x) >= math.Abs(m) {
		return 1
	}
	if v == Correlation {
		return 4
	}
	return 2
}

// acceptNormal makes the recent samples of the view the new normal.
func (s *AnomalyScorer) acceptNormal(v View) {
	for j := range s.vars {
		w := &s.vars[j]
		switch v {
		case Level:
			w.mean += w.deviation
			w.spread = max(w.spread, w.deviation*w.deviation)
			s.day.shift(j, w.deviation)
			w.deviation = 0
		case Noise:
			w.usual = w.lately
		case Correlation:
			w.residualSquare = max(w.residualSquare, w.residual*w.residual)
		}
	}
	if v == Correlation {
		s.others.discount()
	}
	s.event.Normal = s.event.Open
}

// observeErrors scores and learns the errors of the forecasts yhat of y, and returns the
// statistics of Jump and of Noise.
func (s *AnomalyScorer) observeErrors(y, yhat []float64) (jump, noise float64, ok bool) {
	held := s.slow[Noise].held > 0
	for j := range s.vars {
		v := &s.vars[j]
		v.error, v.jump, v.noise = 0, 0, 0
		if yhat == nil {
			continue
		}
		e := y[j] - yhat[j]
		if !finite(e) {
			continue
		}
		ok = true
		v.error = e
		surprisal, u := v.learnError(math.Abs(e))
		if len(s.vars) == 1 {
			v.jump = 2 * math.Log1p(u) // of a single variable the tail need not be comparable
		} else {
			v.jump = surprisal
		}
		jump += v.jump * v.jump
		lately := min(surprisal, noiseMost)
		if e*e < noiseLeast*noiseLeast*v.variance {
			lately = 0
		}
		if lately < v.usual && v.recent > jumpAftermath*v.scale*v.scale {
			lately = v.usual // it is small beside the errors before; that is not quiet
		}
		v.lately += lanes.Weight(float64(v.errs), 1./noiseSpan) * (lately - v.lately)
		if !held {
			v.usual += lanes.Weight(float64(v.errs), 1./anomalyMemory) * (lately - v.usual)
		}
		v.noise = math.Abs(v.lately - v.usual)
		noise += v.noise * v.noise
	}
	return math.Sqrt(jump), math.Sqrt(noise), ok
}

// learnError takes the size of an error and returns its surprisal, and the size in
// units of what is usual and recent.
func (v *anomalyVar) learnError(size float64) (surprisal, u float64) {
	const (
		start    = 20 // errors before the first surprisal
		quantile = 2.5
		excess   = .3
		prior    = 10
		usual    = 10  // scales; beyond it an error counts as that far
		far      = 30  // the same among the recent ones, so that they forget a jump within some hundred samples
		novel    = 1e6 // u of an error where there never was one
		most     = 1e300
	)
	v.errs++
	rate := lanes.Weight(float64(v.errs), 1./anomalyMemory)
	unit := math.Sqrt(v.scale*v.scale + jumpRecent*v.recent)
	if v.errs == start {
		v.errorQuantile, v.errorExcess, v.tails = quantile, excess, prior
	}
	switch {
	case size == 0 || v.errs <= start:
	case unit > 0:
		u = min(size/unit, most)
	default:
		u = novel
	}
	if v.errs > start {
		factor := rate / errorTail * v.errorExcess
		surprisal = -math.Log(errorTail)
		if u > v.errorQuantile {
			x := math.Log(u / v.errorQuantile)
			surprisal += x / v.errorExcess
			v.tails++
			v.errorExcess += lanes.Weight(v.tails, 1e-3) * (min(x, 10*v.errorExcess) - v.errorExcess)
			v.errorQuantile *= math.Exp(factor * (1 - errorTail))
		} else {
			surprisal *= u / v.errorQuantile
			v.errorQuantile *= math.Exp(-factor * errorTail)
		}
		if unit > 0 {
			size = min(size, far*unit)
		}
	}
	v.recent += lanes.Weight(float64(v.errs), 1./jumpSpan) * (size*size - v.recent)
	if v.errs > start && v.scale > 0 {
		size = min(size, usual*v.scale)
	}
	v.scale += rate * (size - v.scale)
	return surprisal, u
}

// observeLevels compares the values y with their references, and returns the statistic
// of Level: the root mean square over the variables.
func (s *AnomalyScorer) observeLevels(y []float64) (level float64, ok bool) {
	const start = 50 // deviations before the first statistic
	sum, count := 0., 0.
	for j, value := range y {
		v := &s.vars[j]
		v.level = 0
		if s.z != nil {
			s.z[j] = 0
		}
		if !finite(value) {
			continue
		}
		if v.n++; v.n == 1 {
			v.mean = value
		}
		d := value - v.mean
		if profile, known := s.day.value(j); known {
			byDay := v.compareReferences(d, value-profile)
			if byDay != v.byDay {
				v.byDay, v.deviations, v.deviation, v.spread = byDay, 0, 0, 0
			}
			if byDay {
				d = value - profile
			}
		}
		v.deviations++
		v.deviation += s.pace(Level, d, v.deviation) * lanes.Weight(float64(v.deviations), 1./levelSpan) * (d - v.deviation)
		if s.z != nil && v.variance > 0 {
			s.z[j] = lanes.Clip((value-v.mean)/math.Sqrt(v.variance), 10)
		}
		if v.deviations <= start {
			continue
		}
		ok = true
		unit := v.spread
		if len(y) > 1 {
			unit = v.variance // so that variables that hardly move have little part in the mean
		}
		if unit += 1e-4 * v.scale * v.scale; unit > 0 {
			v.level = min(math.Abs(v.deviation)/math.Sqrt(unit), 1e6)
		}
		sum += min(v.level*v.level, 900)
		count++
	}
	if len(y) == 1 {
		return s.vars[0].level, ok
	}
	return math.Sqrt(sum / max(count, 1)), ok
}

// compareReferences takes the deviations of a value from the mean and from the profile
// of the day, and reports whether the profile is the better reference.
func (v *anomalyVar) compareReferences(fromMean, fromProfile float64) bool {
	rate := lanes.Weight(float64(v.n), 1./anomalyMemory)
	v.meanError += rate * (fromMean*fromMean - v.meanError)
	v.dayError += rate * (fromProfile*fromProfile - v.dayError)
	if v.byDay {
		return v.dayError < .8*v.meanError
	}
	return v.dayError < .7*v.meanError
}

// learnLevels takes the values y into the references, but for variables that Level
// holds to be anomalous.
func (s *AnomalyScorer) learnLevels(y []float64) {
	w := &s.slow[Level]
	for j, value := range y {
		v := &s.vars[j]
		if !finite(value) || w.held > 0 && v.level > w.tail.threshold {
			continue
		}
		square := v.deviation * v.deviation
		if v.deviations > 50 && v.spread > 0 {
			square = min(square, 25*v.spread)
		}
		v.spread += lanes.Weight(float64(v.deviations), 1./anomalyMemory) * (square - v.spread)
		d := value - v.mean
		rate := lanes.Weight(float64(v.n), 1./anomalyMemory)
		v.mean += rate * d
		if v.n > 50 && v.variance > 0 {
			d = lanes.Clip(d, 5*math.Sqrt(v.variance))
		}
		v.variance += rate * (d*d - v.variance)
		s.day.learn(j, value)
	}
	s.day.count()
}

// observeOthers returns the statistic of Correlation: the largest mean residual of a
// variable given the others, in its standard deviations.
func (s *AnomalyScorer) observeOthers() float64 {
	const start = 30
	held := s.slow[Correlation].held > 0
	if s.n <= start {
		return 0
	}
	s.others.residualsTo(s.r, s.z)
	most := 0.
	for j, r := range s.r {
		v := &s.vars[j]
		v.residual += s.pace(Correlation, r, v.residual) * 1. / othersSpan * (r - v.residual)
		v.related = 0
		if v.residualSquare > 0 {
			v.related = math.Abs(v.residual) / math.Sqrt(v.residualSquare)
		}
		most = max(most, v.related)
		if held && v.related > s.slow[Correlation].tail.threshold {
			continue
		}
		square := v.residual * v.residual
		if s.n > 2*start && v.residualSquare > 0 {
			square = min(square, 25*v.residualSquare)
		}
		v.residualSquare += lanes.Weight(float64(s.n-start), 1./anomalyMemory) * (square - v.residualSquare)
	}
	if !held {
		s.others.learn(s.z)
	}
	return most
}

// Leading returns the view that the last score is of, and the shares of the variables
// in it: they sum to 1, unless the score is 0. The slice is overwritten by the next
// call; nil while there is no score.
func (s *AnomalyScorer) Leading() (View, []float64) {
	if math.IsNaN(s.score) {
		return Level, nil
	}
	s.sharesTo(s.shares)
	return s.leading, s.shares
}

// sharesTo sets dst to the shares of the variables in the leading view: of its squares,
// beyond what is usual in a view that averages over samples.
func (s *AnomalyScorer) sharesTo(dst []float64) {
	sum, most := 0., 0
	for j := range s.vars {
		x := s.vars[j].in(s.leading)
		dst[j] = x * x
		sum += dst[j]
		if dst[j] > dst[most] {
			most = j
		}
	}
	if sum == 0 {
		return
	}
	// The usual surprisal of a variable is no cause.
	usual := .25 * dst[most]
	if len(s.vars) > 1 {
		sum = 0
		for j := range dst {
			dst[j] = max(0, dst[j]-usual)
			sum += dst[j]
		}
	}
	for j := range dst {
		dst[j] /= sum
	}
}

// in returns the statistic of the last sample in a view.
func (v *anomalyVar) in(view View) float64 {
	return [viewCount]float64{Level: v.level, Noise: v.noise, Jump: v.jump, Correlation: v.related}[view]
}

// VariablesTo writes the score of each variable into dst, of length dim: the part of
// the score that its share in the leading view explains; NaN while there is no score.
func (s *AnomalyScorer) VariablesTo(dst []float64) {
	if len(dst) != len(s.vars) {
		panic("eval: wrong number of variables")
	}
	if math.IsNaN(s.score) {
		fillNaN(dst)
		return
	}
	s.sharesTo(dst)
	most := 0.
	for _, share := range dst {
		most = max(most, share)
	}
	for j := range dst {
		if most > 0 {
			dst[j] *= s.score / most
		}
	}
}

// State saves or restores it.
func (s *AnomalyScorer) State(c *snapshot.Codec) {
	c.Int64(&s.n)
	c.Int64(&s.run)
	c.Float64(&s.alarmed)
	for j := range s.vars {
		v := &s.vars[j]
		c.Int64(&v.n)
		c.Int64(&v.errs)
		c.Int64(&v.deviations)
		c.Bool(&v.byDay)
		for _, x := range [...]*float64{
			&v.scale, &v.recent, &v.errorQuantile, &v.errorExcess, &v.tails, &v.lately, &v.usual,
			&v.mean, &v.variance, &v.dayError, &v.meanError, &v.deviation, &v.spread, &v.residual, &v.residualSquare,
		} {
			c.Float64(x)
		}
	}
	s.day.state(c)
	s.jump.state(c)
	for i := range s.slow {
		c.Int64(&s.slow[i].held)
		s.slow[i].tail.state(c)
	}
	if s.others != nil {
		s.others.state(c)
	}
	s.event.state(c)
}
