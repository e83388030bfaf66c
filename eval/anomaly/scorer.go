package anomaly

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/lanes"
)

// View is one of the ways in which a sample can be unusual.
type View int

// The views of a Scorer.
const (
	// Level: the mean of the last samples is away from the series' mean at this
	// time of day.
	Level View = iota

	// Noise: the forecast errors of the last samples are larger or smaller than usual.
	Noise

	// Jump: this sample is away from its forecast.
	Jump

	// Correlation: the last samples of a variable are away from their prediction
	// by the other variables of the same samples.
	Correlation

	// Flat: the variables move less from sample to sample than usual.
	Flat

	// State: the variables of this sample together are away from the usual samples.
	State

	viewCount
)

func (v View) String() string {
	return [...]string{"level", "noise", "jump", "correlation", "flat", "state"}[v]
}

// viewRates are the expected numbers of false alarms of the views, in parts of
// Config.FalseAlarms. Their sum exceeds 1 because the tails of the slow views
// are estimated conservatively: simulations without anomalies have between .6 and 1.4 of
// the configured rate.
var viewRates = [viewCount]float64{Level: .3, Noise: .3, Jump: 1, Correlation: .3, Flat: .3, State: .3}

const (
	anomalyWarmup = 100    // samples before the first score
	anomalyMemory = 20_000 // samples over which the usual values are averaged
	holdAbove     = 9      // surprisal at which a view stops learning
	usualBelow    = 6      // surprisal below which the new normal has been learnt
	longExcursion = 50     // samples of an excursion after which it is odd, however small, and teaches nothing …
	longMost      = 2      // … for this multiple of NormalAfter
	evidenceLeast = .6     // least part of the mean that a sample has to have, to score by the mean
)

// Config configures a Scorer.
type Config struct {
	Dim int

	// FalseAlarms is the expected number of alarms per sample of a series that does
	// not change, in (0, .1]. Zero means 1e-3.
	FalseAlarms float64

	// AlarmsPerDay replaces FalseAlarms by the expected number of alarms per day of a series that does not
	// change: the rate per sample follows from the times of the samples. Zero means none.
	AlarmsPerDay float64

	// NormalAfter is the number of samples after which a lasting change is the new
	// normal. Zero means 300.
	NormalAfter int

	// Rules suppress alarms, one rule per variable: an alarm remains if the variables
	// that no rule suppresses are odd enough for it. Nil means no rules.
	Rules []Rule

	// Interval returns the interval of the forecast of a variable of the sample that is observed now; NaN = none.
	// Nil means that none are known.
	Interval func(variable int) (lower, upper float64)

	// MinDuration is the number of consecutive samples above 1 that make an alarm.
	// Zero means 1.
	MinDuration int
}

// Scorer scores how improbable a sample of a series is, and the last samples
// with it, given the one-step forecasts made for them.
//
// A view computes a statistic of the samples and learns its tail online, which gives the
// probability p of a value at least as large. The score is the largest log(p)/log(r) over
// the views, where r is the view's part of FalseAlarms: 1 is as rare as FalseAlarms, 2 as
// rare as its square. There is no upper limit. Below 1 it ranks the samples.
//
// A value far outside of the range that comes again exactly is an alarm each time, see loneValues.
//
// An alarm, a score above 1, begins an event, see Event. Anomalous samples are not
// learnt from, until after NormalAfter samples they are the new normal.
//
// A step costs O(dim), and O(dim^2) in the view Correlation, which exists for 2 to 128
// variables; Flat compares steps of 2 or more variables, and of one it sees equal
// values alone. It allocates nothing.
type Scorer struct {
	c      Config
	limits [viewCount]float64 // surprisal that scores 1
	rate   float64            // false alarms per sample, from which the limits follow
	budget budget
	n      int64

	// Of the variables.
	errors    anomalyErrors
	levels    *lanes.Levels
	lively    *lanes.Liveliness // nil for one variable
	residuals *lanes.Residuals  // nil without Correlation
	runs      anomalyRuns
	lone      []loneValues
	lonesWait bool      // one of lone waits
	low, high []float64 // ranges of the values without the lone ones

	clock   anomalyClock
	day     dayProfile
	profile []float64 // of the day, now
	jump    sampleTail
	lessons float64             // alarms of Jump that may be learnt now, see learnJump
	slow    [viewCount]slowView // of all views but Jump and State
	others  *others             // nil without Correlation
	r       []float64           // residuals of others, standardised
	normal  *normalState
	event   eventState
	outer   *eventState // the event around event if event.inside; nil before the first

	// Of the last sample.
	now       []float64 // the sample, while it is observed …
	expected  []float64 // … and its forecast
	score     float64   // NaN = none
	leading   View
	scores    [viewCount]float64 // of the views; 0 where the sample has no part
	ruled     [viewCount]float64 // scores above 1, after the rules
	recalls   bool               // a view is above 1, even if the sample has no part in it
	anomalous bool
	standing  bool                 // Flat scores by a run of equal values
	squares   [viewCount][]float64 // statistic of each variable by view, squared
	shares    []float64            // scratch
	left      []float64            // the sample without its lone values
	lonely    bool                 // the sample has a lone value again
	waits     bool                 // the sample is a lone value for the first time
}

// evidence is the statistic of a view over its window (all), and the statistic of the last
// sample alone (last): earlier samples, or a forecast that repeats a spike, do not raise it.
type evidence struct{ all, last float64 }

// root is the evidence whose squares are e.
func (e evidence) root() evidence { return evidence{math.Sqrt(e.all), math.Sqrt(e.last)} }

// slowView is the state of a view that averages over samples.
type slowView struct {
	tail    slowTail
	lengths lengthTail // of the excursions beyond the threshold
	held    int64      // samples that were not learnt from; -1 = the new normal is being learnt
	long    int64      // samples of this excursion
	peaks   *peaks     // nil without a budget
}

// NewScorer returns a Scorer that has seen nothing.
func NewScorer(c Config) *Scorer {
	if c.FalseAlarms == 0 {
		c.FalseAlarms = 1e-3
	}
	if c.NormalAfter == 0 {
		c.NormalAfter = 300
	}
	s := &Scorer{
		c: c, errors: newAnomalyErrors(c.Dim), levels: newLevels(c.Dim), runs: newAnomalyRuns(c.Dim),
		shares: make([]float64, c.Dim), left: make([]float64, c.Dim), lone: newLoneValues(c.Dim), profile: make([]float64, c.Dim), event: newEventState(c.Dim), score: math.NaN(),
	}
	s.normal, s.low, s.high = newNormalState(c.Dim), make([]float64, c.Dim), make([]float64, c.Dim)
	for j := range s.low {
		s.low[j], s.high[j] = math.Inf(1), math.Inf(-1)
	}
	for v := range s.slow {
		s.slow[v].lengths = lengthTail{slowPrior, lengthPrior}
		if c.AlarmsPerDay > 0 {
			s.slow[v].peaks = new(peaks)
		}
	}
	s.setRate(c.FalseAlarms)
	s.squares = [viewCount][]float64{
		Level: s.levels.Square[:c.Dim], Noise: s.errors.Square[:c.Dim],
		Jump: make([]float64, c.Dim), Correlation: make([]float64, c.Dim), Flat: make([]float64, c.Dim), State: make([]float64, c.Dim),
	}
	if c.Dim >= 2 {
		s.lively = newLiveliness(c.Dim)
		s.squares[Flat] = s.lively.Square[:c.Dim]
	}
	s.day = newDayProfile(c.Dim)
	if c.Dim >= 2 && c.Dim <= othersMost {
		s.others, s.residuals = newOthers(c.Dim), lanes.NewResiduals(c.Dim, 1./othersSpan)
		s.squares[Correlation], s.r = s.residuals.Square[:c.Dim], make([]float64, c.Dim)
	}
	return s
}

// Observe scores the sample y of the time, in ns, whose forecast had been yhat, and
// then learns from it. yhat is nil while there is none; NaN marks a missing
// coordinate. ok is false while nothing is known.
func (s *Scorer) Observe(time int64, y, yhat []float64) (score float64, ok bool) {
	if len(y) != s.c.Dim || yhat != nil && len(yhat) != len(y) {
		panic("eval: wrong number of variables")
	}
	s.n++
	s.now, s.expected = y, yhat
	s.day.enter(time)
	factor := s.clock.enter(time)
	s.keepBudget()
	s.score, s.anomalous, s.recalls, s.standing = math.NaN(), false, false, false
	s.scores = [viewCount]float64{}
	s.event.begins, s.event.becameNormal, s.event.endedNow = false, false, false
	s.lonely = s.excludeLone(s.left, y, yhat, factor)
	s.normal.compare(y)
	if !s.stateRests() {
		s.normal.resolve(y, s.runs.last)
	}
	jump, errs := s.observeJump(y, yhat, factor)
	standing := s.observeRuns(time, y, s.day.seen())
	sample := y
	y = s.left // the other views see the rest
	level, values := s.observeLevels(y)
	best := math.Inf(-1)
	if errs {
		best = s.considerSlow(best, Noise, s.observeNoise(), y, .05, .5)
	}
	if values {
		best = s.considerSlow(best, Level, level, y, .5, 1)
	}
	if s.lively != nil {
		if flat := s.observeFlat(y); values {
			best = s.considerSlow(best, Flat, flat, y, .2, .2)
		}
	}
	if standing > 0 {
		best = s.considerRun(best, standing)
	}
	if s.others != nil && values {
		best = s.considerSlow(best, Correlation, s.observeOthers(), y, .5, .5)
	}
	if errs {
		surprisal := s.jump.surprisal(jump.last)
		if s.alarms(Jump, surprisal) {
			s.ruled[Jump] = s.jump.surprisal(jump.last*s.rule(Jump, sample)) / s.limits[Jump]
		}
		best = s.consider(best, Jump, surprisal)
		s.learnJump(jump.last, surprisal > s.limits[Jump])
	}
	best = s.considerState(best, sample)
	s.learnLevels(y)
	if s.n <= anomalyWarmup || !(best >= 0) {
		s.learnState(sample)
		return 0, false
	}
	s.score = s.continueEvent(time, best, y)
	s.learnState(sample)
	return s.score, true
}

// consider takes the surprisal of a view and returns the largest score so far. Scores of Jump below 1 are
// squared: single samples would otherwise rank before the views that average. Scores of Flat and
// Correlation below 1 are squared, too: most variables that are quiet, or related in another way, are not wrong.
func (s *Scorer) consider(best float64, v View, surprisal float64) float64 {
	score := surprisal / s.limits[v]
	if (v == Jump || v == Flat || v == Correlation) && score < 1 {
		score *= score
	}
	if s.scores[v] = score; score > best {
		best, s.leading = score, v
	}
	return best
}

// alarms reports whether the surprisal of a view is an alarm that there are rules for.
func (s *Scorer) alarms(v View, surprisal float64) bool {
	return s.c.Rules != nil && surprisal > s.limits[v]
}

// considerSlow is consider for a view that averages over samples. It learns the mean
// unless the view is held. A sample that has no part in the mean, such as those behind a
// single spike, does not score by it.
func (s *Scorer) considerSlow(best float64, v View, x evidence, y []float64, least, prior float64) float64 {
	w := &s.slow[v]
	w.count(x.all)
	if w.peaks != nil && w.tail.n >= slowReady {
		w.peaks.enter(x.all, w.long == 0, s.rate*viewRates[v])
	}
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
	case surprisal < max(holdAbove, s.limits[v]):
		w.held = 0
	default:
		if w.held++; w.held > int64(s.c.NormalAfter) {
			s.acceptNormal(v)
			s.becomeNormal()
		}
	}
	if w.learns(s.c.NormalAfter) {
		w.tail.learn(x.all, least, prior)
	}
	s.recalls = s.recalls || memory > s.limits[v]
	if x.last < evidenceLeast*x.all {
		return best
	}
	return s.consider(best, v, surprisal)
}

// considerRun is consider for the least probable run of equal values. Flat has its score if that is
// larger than the score of the steps.
func (s *Scorer) considerRun(best, surprisal float64) float64 {
	score := surprisal / s.limits[Flat]
	if s.standing = score > 1; !s.standing || score <= s.scores[Flat] {
		return best
	}
	s.ruled[Flat] = score
	for j, inverse := range s.runs.odds {
		x := math.Log(max(inverse, 1))
		s.squares[Flat][j] = x * x
	}
	return s.consider(best, Flat, surprisal)
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
// excursion at least as long as this one. Excursions of other views may last without being odd.
func (w *slowView) surprisal(v View, x float64) float64 {
	s := w.tail.surprisal(x)
	if w.peaks != nil && x > w.tail.threshold {
		s = min(s, w.peaks.surprisal(x))
	}
	if v != Correlation || w.long == 0 || w.tail.n < slowReady || x < excursionEnd*w.tail.threshold {
		return s
	}
	return max(s, w.lengths.surprisal(float64(w.long))-math.Log(w.tail.share))
}

// learns reports whether the views learn from the last sample: it is neither far beyond
// the usual nor part of a long excursion, or the excursion has become usual.
func (w *slowView) learns(normalAfter int) bool {
	return w.held < 0 || w.held == 0 && (w.long <= longExcursion || w.long > longExcursion+longMost*int64(normalAfter))
}

// pace is the factor of the rate at which a view averages samples that are nearer to usual than the
// recent mean: an anomaly is forgotten faster than it was learnt, so that its event ends in time.
func (s *Scorer) pace(v View) float64 {
	switch {
	case s.slow[v].held <= 0:
		return 1
	case v == Correlation:
		return 4
	}
	return 2
}

// acceptNormal makes the recent samples of the view the new normal.
func (s *Scorer) acceptNormal(v View) {
	s.slow[v].held = -1
	switch l, r := s.levels, s.residuals; v {
	case Level:
		for j, d := range l.Deviation[:s.c.Dim] {
			l.Mean[j] += d
			l.Spread[j] = max(l.Spread[j], d*d)
			s.day.shift(j, d)
		}
		clear(l.Deviation)
	case Noise:
		copy(s.errors.Usual, s.errors.Lately)
	case Flat:
		copy(s.lively.Usual, s.lively.Lately)
	case Correlation:
		for j, m := range r.Mean {
			r.Usual[j] = max(r.Usual[j], m*m)
		}
		s.others.discount()
	}
}

// becomeNormal makes the event the new normal. Of an event inside of another one, the outer
// event becomes normal.
func (s *Scorer) becomeNormal() {
	e := &s.event
	if e.inside {
		e = s.outer
	}
	e.becameNormal = e.becameNormal || e.Open && !e.Normal
	e.Normal = e.Open
}

// State saves or restores the scorer.
func (s *Scorer) State(c *snapshot.Codec) {
	c.Int64(&s.n)
	s.budget.state(c)
	if c.Decoding() && s.c.AlarmsPerDay > 0 && s.budget.now > 0 {
		s.followBudget()
	}
	for j := range s.c.Dim {
		s.errors.state(c, j)
		levelState(c, s.levels, j)
		s.loneState(c, j)
		if s.residuals != nil {
			c.Float64(&s.residuals.Mean[j])
			c.Float64(&s.residuals.Usual[j])
		}
		if s.lively != nil {
			livelinessState(c, s.lively, j)
		}
	}
	s.runs.state(c)
	if s.lively != nil {
		copy(s.lively.Before, s.runs.last)
	}
	s.clock.state(c)
	s.day.state(c)
	s.jump.state(c)
	c.Float64(&s.lessons)
	for _, v := range [...]View{Level, Noise, Correlation, Flat} {
		if v >= Correlation && s.c.Dim == 1 {
			break // they compare variables
		}
		w := &s.slow[v]
		c.Int64(&w.held)
		c.Int64(&w.long)
		w.tail.state(c)
		w.lengths.state(c)
		peaksState(c, w.peaks)
	}
	if s.others != nil {
		s.others.state(c)
	}
	s.normal.state(c)
	s.event.state(c)
	if s.event.inside {
		if s.outer == nil {
			s.outer = new(newEventState(s.c.Dim))
		}
		s.outer.state(c)
	}
}
