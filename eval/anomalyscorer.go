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

	// Flat: the variables move less from sample to sample than usual.
	Flat

	viewCount
)

func (v View) String() string { return [...]string{"level", "noise", "jump", "correlation", "flat"}[v] }

// viewRates are the expected numbers of false alarms of the views, in parts of
// AnomalyConfig.FalseAlarms. Their sum exceeds 1 because the tails of the slow views
// are estimated conservatively: simulations without anomalies have between .6 and 1.4 of
// the configured rate.
var viewRates = [viewCount]float64{Level: .3, Noise: .3, Jump: 1, Correlation: .3, Flat: .3}

const (
	anomalyWarmup = 100    // samples before the first score
	anomalyMemory = 20_000 // samples that what is usual is averaged over
	holdAbove     = 9      // surprisal at which a view stops learning
	usualBelow    = 6      // surprisal below which the new normal has been learnt
	longExcursion = 50     // samples beyond the threshold of a tail, after which they are odd however small, and teach nothing …
	longMost      = 2      // … for so many times NormalAfter
	evidenceLeast = .6     // part of the mean that a sample needs to score by it
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

	// Rules suppress alarms, one rule per variable: the other variables must be odd
	// enough for an alarm without those that the rules suppress. Nil means no rules.
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
// rare as its square. There is no upper limit. Below 1 it ranks the samples.
//
// An alarm, a score above 1, begins an event, see AnomalyEvent. Anomalous samples are not
// learnt from, until after NormalAfter samples they are the new normal.
//
// A step costs O(dim), and O(dim^2) in the view Correlation, which exists for 2 to 128
// variables; Flat exists for 2 or more. It allocates nothing.
type AnomalyScorer struct {
	c      AnomalyConfig
	limits [viewCount]float64 // surprisal that scores 1
	n      int64
	vars   []anomalyVar
	clock  anomalyClock
	day    dayProfile
	jump   sampleTail
	slow   [viewCount]slowView // those but Jump
	others *others             // nil without Correlation
	z, r   []float64           // values and residuals of others, standardised
	steps  []float64           // scratch of Flat
	event  eventState
	outer  eventState // that the event is inside of, if it is

	// Of the last sample.
	score     float64 // NaN = none
	leading   View
	scores    [viewCount]float64 // of the views; 0 where the sample has no part
	ruled     [viewCount]float64 // what the rules leave of those above 1
	memory    float64            // largest score of a view, even if the sample has no part in it
	anomalous bool
	squares   [viewCount][]float64 // statistic of each variable by view, squared
	shares    []float64            // scratch
}

// evidence is the statistic of a view, and that of what the last sample itself says: it
// is not the mean over samples before it, nor the error of a forecast that repeats a spike.
type evidence struct{ all, last float64 }

// root is the evidence whose squares are e.
func (e evidence) root() evidence { return evidence{math.Sqrt(e.all), math.Sqrt(e.last)} }

// onSide returns x if the last deviation has the sign of the mean, and else 0. It does not
// branch: the sign of a deviation cannot be predicted.
func onSide(x, last, mean float64) float64 {
	differ := int64(math.Float64bits(last)^math.Float64bits(mean)) >> 63
	return math.Float64frombits(math.Float64bits(x) &^ uint64(differ))
}

// slowView is the state of a view that averages over samples.
type slowView struct {
	tail    slowTail
	lengths lengthTail // of the excursions beyond the threshold
	held    int64      // samples that were not learnt from; -1 = the new normal is being learnt
	long    int64      // samples of this excursion
}

// anomalyVar is the state of a variable.
type anomalyVar struct {
	anomalyErrors
	anomalyLevel
	anomalyFlat
	residual       float64 // mean of recent residuals given the others
	residualSquare float64 // their mean square
}

// weight is lanes.Weight for one variable after the other, whose counts are equal as a
// rule: a division per sample, not per variable.
type weight struct {
	count uint16
	value float64
}

// counted returns the count after another one, at most anomalyMemory: then every weight is the
// least one.
func counted(count uint16) uint16 { return min(count+1, anomalyMemory) }

func (w *weight) of(count uint16, least float64) float64 {
	if count != w.count {
		w.count, w.value = count, lanes.Weight(float64(count), least)
	}
	return w.value
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
	for v := range s.slow {
		s.slow[v].lengths = lengthTail{slowPrior, lengthPrior}
	}
	for v := range s.limits {
		s.limits[v] = -math.Log(c.FalseAlarms * viewRates[v])
		s.squares[v] = make([]float64, c.Dim)
	}
	s.steps = make([]float64, c.Dim)
	s.day.values = make([]float32, dayBins*c.Dim)
	if c.Dim >= 2 && c.Dim <= othersMost {
		s.others = newOthers(c.Dim)
		s.z, s.r = make([]float64, c.Dim), make([]float64, c.Dim)
	}
	for _, e := range [...]*eventState{&s.event, &s.outer} {
		e.Shares, e.ended.Shares = make([]float64, c.Dim), make([]float64, c.Dim)
	}
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
	factor := s.clock.enter(time)
	s.score, s.anomalous, s.memory = math.NaN(), false, 0
	s.scores = [viewCount]float64{}
	s.event.begins, s.event.becameNormal, s.event.endedNow = false, false, false
	jump, errs := s.observeJump(y, yhat, factor)
	level, values := s.observeLevels(y)
	best := math.Inf(-1)
	if errs {
		best = s.considerSlow(best, Noise, s.observeNoise(), y, .05, .5)
	}
	if values {
		best = s.considerSlow(best, Level, level, y, .5, 1)
	}
	if values && len(y) > 1 {
		best = s.considerSlow(best, Flat, s.observeFlat(y), y, .2, .5)
	}
	if s.others != nil && values {
		best = s.considerSlow(best, Correlation, s.observeOthers(), y, .5, .5)
	}
	if errs {
		// Below 1 it matters only when it leads.
		least := math.Sqrt(max(0, min(best, 1)))
		surprisal := s.jump.surprisal(jump.last, least*s.limits[Jump])
		if s.alarms(Jump, surprisal) {
			s.ruled[Jump] = s.jump.surprisal(jump.last*s.rule(Jump, y), 0) / s.limits[Jump]
		}
		best = s.consider(best, Jump, surprisal)
		s.jump.learn(jump.all)
	}
	s.learnLevels(y)
	if s.n <= anomalyWarmup || !(best >= 0) {
		return 0, false
	}
	s.score = s.continueEvent(time, best, y)
	return s.score, true
}

// consider takes the surprisal of a view and returns the largest score so far. Below 1 the score of
// Jump is squared: single samples would hide in the ranking what the other views average. So is that
// of Flat, as most of what is quiet is not wrong.
func (s *AnomalyScorer) consider(best float64, v View, surprisal float64) float64 {
	score := surprisal / s.limits[v]
	if (v == Jump || v == Flat) && score < 1 {
		score *= score
	}
	if s.scores[v] = score; score > best {
		best, s.leading = score, v
	}
	return best
}

// alarms reports whether the surprisal of a view is an alarm that there are rules for.
func (s *AnomalyScorer) alarms(v View, surprisal float64) bool {
	return s.c.Rules != nil && surprisal > s.limits[v]
}

// considerSlow is consider for a view that averages over samples. It learns the mean
// unless the view is held. A sample that has no part in the mean, such as those behind a
// single spike, does not score by it.
func (s *AnomalyScorer) considerSlow(best float64, v View, x evidence, y []float64, least, prior float64) float64 {
	w := &s.slow[v]
	w.count(x.all)
	surprisal := w.surprisal(v, x.all)
	memory := surprisal
	if s.alarms(v, surprisal) {
		memory = w.surprisal(v, x.all*s.rule(v, y))
		s.ruled[v] = memory / s.limits[v]
	}
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
	if w.learns(s.c.NormalAfter) {
		w.tail.learn(x.all, least, prior)
	}
	s.memory = max(s.memory, memory/s.limits[v])
	if x.last < evidenceLeast*x.all {
		return best
	}
	return s.consider(best, v, surprisal)
}

// count counts the samples of an excursion whose last statistic is x, and learns the length of
// one that has ended.
func (w *slowView) count(x float64) {
	switch {
	case x > w.tail.threshold:
		w.long++
	case x < excursionEnd*w.tail.threshold && w.long > 0:
		w.lengths.learn(float64(w.long))
		w.long = 0
	}
}

// surprisal returns -log P for a statistic at least as large as x or, in Correlation, for an
// excursion at least as long as this one. Levels and noises may stay where they are for long.
func (w *slowView) surprisal(v View, x float64) float64 {
	s := w.tail.surprisal(x)
	if v != Correlation || w.long == 0 || w.tail.n < slowReady || x < excursionEnd*w.tail.threshold {
		return s
	}
	return max(s, w.lengths.surprisal(float64(w.long))-math.Log(w.tail.share))
}

// learns reports whether the last sample teaches what is usual: it is neither far beyond
// that nor part of a long excursion, or it has been for so long that this is usual.
func (w *slowView) learns(normalAfter int) bool {
	return w.held < 0 || w.held == 0 && (w.long <= longExcursion || w.long > longExcursion+longMost*int64(normalAfter))
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
		case Flat:
			w.often = w.lively
		case Correlation:
			w.residualSquare = max(w.residualSquare, w.residual*w.residual)
		}
	}
	if v == Correlation {
		s.others.discount()
	}
	e := &s.event
	if e.inside {
		e = &s.outer
	}
	e.becameNormal = e.becameNormal || e.Open && !e.Normal
	e.Normal = e.Open
}

// State saves or restores it.
func (s *AnomalyScorer) State(c *snapshot.Codec) {
	c.Int64(&s.n)
	for j := range s.vars {
		v := &s.vars[j]
		v.anomalyErrors.state(c)
		v.anomalyLevel.state(c)
		if s.others != nil {
			c.Float64(&v.residual)
			c.Float64(&v.residualSquare)
		}
		if len(s.vars) > 1 {
			v.anomalyFlat.state(c)
		}
	}
	s.clock.state(c)
	s.day.state(c)
	s.jump.state(c)
	for _, v := range [...]View{Level, Noise, Correlation, Flat} {
		if v >= Correlation && len(s.vars) == 1 {
			break // they compare variables
		}
		w := &s.slow[v]
		c.Int64(&w.held)
		c.Int64(&w.long)
		w.tail.state(c)
		w.lengths.state(c)
	}
	if s.others != nil {
		s.others.state(c)
	}
	s.event.state(c)
	if s.event.inside {
		s.outer.state(c)
	}
}
