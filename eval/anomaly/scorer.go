package anomaly

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/lanes"
)

// View is one way in which a sample can be unusual.
type View int

// Views of a Scorer.
const (
	// Level: the mean of the last samples differs from the mean of the series at this time of day.
	Level View = iota

	// Noise: the forecast errors of the last samples are larger or smaller than usual.
	Noise

	// Jump: this sample differs from its forecast.
	Jump

	// Correlation: the last samples of a variable differ from their prediction by the other variables of the same
	// samples.
	Correlation

	// Flat: the variables move less from sample to sample than usual.
	Flat

	// State: the variables of this sample, taken together, differ from the usual samples.
	State

	viewCount
)

func (v View) String() string {
	return [...]string{"level", "noise", "jump", "correlation", "flat", "state"}[v]
}

// viewRates are the expected false alarms of the views as parts of Config.FalseAlarms. Their sum exceeds 1, because
// the tails of the slow views are conservative: simulations without anomalies have .6 to 1.4 times the configured
// rate.
var viewRates = [viewCount]float64{Level: .3, Noise: .3, Jump: 1, Correlation: .3, Flat: .3, State: .3}

const (
	anomalyWarmup = 100    // number of samples before the first score
	anomalyMemory = 20_000 // number of samples in the usual values
	holdAbove     = 9      // surprisal at which a view stops learning
	usualBelow    = 6      // surprisal below which the new normal is learnt
	longExcursion = 50     // samples after which an excursion of any size is odd, and is not learnt
	longMost      = 2      // multiple of NormalAfter after which it is learnt again
	evidenceLeast = .6     // part of the mean that the sample itself needs to score by the mean
)

// Config configures a Scorer.
type Config struct {
	Dim int

	// FalseAlarms is the expected number of alarms per sample in a series that does not change, in (0, .1]. Zero
	// means 1e-3.
	FalseAlarms float64

	// AlarmsPerDay replaces FalseAlarms by an expected number of alarms per day in a series that does not change.
	// The times of the samples give the rate per sample. Zero: FalseAlarms applies.
	AlarmsPerDay float64

	// NormalAfter is the number of samples after which a lasting change becomes the new normal. Zero means 300.
	NormalAfter int

	// Rules suppress alarms, one rule per variable. An alarm remains if the variables that are not suppressed are
	// odd enough. Nil: no rules.
	Rules []Rule

	// Interval returns the interval of the forecast of a variable for the sample being observed; NaN = none. Nil:
	// no intervals.
	Interval func(variable int) (lower, upper float64)

	// MinDuration is the number of consecutive samples above 1 for an alarm. Zero means 1.
	MinDuration int
}

// Scorer scores the improbability of each sample of a series, together with the last samples, given their one-step
// forecasts.
//
// Each view computes a statistic and learns its tail online. The tail gives the probability p of a value at least
// as large.
//
//	score = largest log(p) / log(r) over the views, r = part of the view in FalseAlarms.
//
// A score of 1 is as rare as FalseAlarms, 2 as its square. There is no upper limit; scores below 1 rank the
// samples. A value far outside of the range that recurs exactly is an alarm each time, see loneValues.
//
// An alarm, a score above 1, begins an event, see Event. Anomalous samples are not learnt until they are the new
// normal, after NormalAfter samples.
//
// A step costs O(dim), and O(dim^2) in the view Correlation, which exists for 2 to 128 variables. For one variable,
// Flat only detects equal values. A step allocates nothing.
type Scorer struct {
	c      Config
	limits [viewCount]float64 // surprisal that scores 1
	rate   float64            // false alarms per sample; determines limits
	budget budget
	n      int64

	// State of the variables.
	errors    anomalyErrors
	levels    *lanes.Levels
	lively    *lanes.Liveliness // nil for one variable
	residuals *lanes.Residuals  // nil without Correlation
	runs      anomalyRuns
	lone      []loneValues
	lonesWait bool      // some element of lone waits
	low, high []float64 // ranges of the values, without lone values

	clock   anomalyClock
	day     dayProfile
	profile []float64 // means at this time of day
	jump    sampleTail
	lessons float64             // alarms of Jump that may be learnt now, see learnJump
	slow    [viewCount]slowView // all views except Jump and State
	others  *others             // nil without Correlation
	r       []float64           // standardised residuals of others
	normal  *normalState
	event   eventState
	outer   *eventState // event that contains event, if event.inside; nil before the first

	// State of the last sample. now and expected are valid during Observe.
	now       []float64 // the sample
	expected  []float64 // forecast of the sample
	score     float64   // NaN = none
	leading   View
	scores    [viewCount]float64 // score of each view; 0 if the sample has no part in it
	ruled     [viewCount]float64 // scores above 1 after the rules
	recalls   bool               // some view is above 1, even if the sample has no part in it
	anomalous bool
	standing  bool                 // the score of Flat comes from a run of equal values
	squares   [viewCount][]float64 // squared statistic of each variable by view
	shares    []float64            // scratch
	left      []float64            // the sample without its lone values
	lonely    bool                 // the sample has a lone value that recurs
	waits     bool                 // the sample is a lone value that is new
}

// evidence holds the statistic of a view over its window (all), and of the last sample alone (last). Earlier
// samples, or a forecast that repeats a spike, do not raise last.
type evidence struct{ all, last float64 }

// root returns the square roots of e.
func (e evidence) root() evidence { return evidence{math.Sqrt(e.all), math.Sqrt(e.last)} }

// slowView is the state of a view that averages over samples.
type slowView struct {
	tail    slowTail
	lengths lengthTail // lengths of the excursions beyond the threshold
	held    int64      // number of samples that were not learnt; -1 = the new normal is being learnt
	long    int64      // number of samples of this excursion
	peaks   *peaks     // nil without a budget
}

// NewScorer returns a Scorer without samples.
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

// Observe scores the sample y at a time in ns, given its forecast yhat, and then learns it. yhat is nil without a
// forecast; NaN marks a missing coordinate. ok is false while no score is known.
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
	y = s.left // the other views ignore lone values
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

// consider adds the surprisal of a view, and returns the largest score so far. Scores below 1 are squared in three
// views. In Jump, single samples would otherwise rank above views that average. In Flat and Correlation, most quiet
// or differently related variables are not wrong.
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

// alarms reports whether the surprisal of a view is an alarm and rules exist.
func (s *Scorer) alarms(v View, surprisal float64) bool {
	return s.c.Rules != nil && surprisal > s.limits[v]
}

// considerSlow is consider for a view that averages over samples. It learns the mean unless the view is held. A
// sample without a part in the mean, such as the samples after a single spike, does not score by it.
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

// considerRun is consider for the least probable run of equal values. Flat gets its score if that exceeds the score
// of the steps.
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

// count counts the samples of an excursion, given the statistic x of the last sample. It learns the length of an
// excursion that has ended.
func (w *slowView) count(x float64) {
	switch {
	case x > w.tail.threshold:
		w.long++
	case x < excursionEnd*w.tail.threshold && w.long > 0:
		w.lengths.learn(float64(w.long))
		w.long = 0
	}
}

// surprisal returns -log P of a statistic at least as large as x. In Correlation it also considers an excursion at
// least as long as this one; excursions of other views may last without being odd.
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

// learns reports whether the views learn the last sample. It must neither be far beyond the usual values nor part
// of a long excursion, unless the excursion has become usual.
func (w *slowView) learns(normalAfter int) bool {
	return w.held < 0 || w.held == 0 && (w.long <= longExcursion || w.long > longExcursion+longMost*int64(normalAfter))
}

// pace returns the factor on the rate of a view for samples nearer to usual than the recent mean. An anomaly is
// thus forgotten faster than it was learnt, so that its event ends in time.
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

// becomeNormal makes the event the new normal. If the event is an inner one, the outer event becomes normal.
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
	s.clock.state(c)
	s.day.state(c)
	s.jump.state(c)
	c.Float64(&s.lessons)
	for _, v := range [...]View{Level, Noise, Correlation, Flat} {
		if v >= Correlation && s.c.Dim == 1 {
			break // these views compare variables
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
