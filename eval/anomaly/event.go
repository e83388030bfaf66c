package anomaly

import (
	"cmp"
	"slices"

	"github.com/orffvar/forecaster/eval/snapshot"
)

// Event is an anomaly from its first alarm to its end: 25 samples after the last
// sample with a score above 1 or, after five such samples, above a half in a view that
// averages over samples. An event inside a longer one ends when its view no longer
// scores above 1; then the longer one goes on.
type Event struct {
	// Open reports that the event goes on. Begin identifies an event.
	Open bool

	// Begin, Peak and End are the times of the first alarm, of the largest score, and
	// of the last sample odd enough for an alarm, in ns.
	Begin, Peak, End int64

	// Samples is the number of samples from Begin to End.
	Samples int64

	// Score is the largest score of its samples.
	Score float64

	// StateScore is the largest state score of its samples, see Scorer.StateScore.
	StateScore float64

	// FalsePerDay is the expected number of alarms per day with at least this score, of a series that does not change.
	FalsePerDay float64

	// Seen is the variable with the largest share at Peak.
	Seen Seen

	// Cause is the view with the largest sum of scores over the samples odd enough for an
	// alarm, and Shares are the mean shares of the variables, weighted by these scores: a
	// shift that begins with a jump is a shift.
	Cause  View
	Shares []float64

	// Normal reports that the change has lasted long enough to be the new normal.
	Normal bool
}

// Seen has the observed and the expected value of a variable, and its interval. NaN: missing, or not known.
type Seen struct {
	Variable                         int
	Observed, Expected, Lower, Upper float64
}

// Blamed returns the variables with a part in the anomaly, the largest share first.
func (a *Event) Blamed() []int {
	const least = .05 // share of a variable that is named
	var order []int
	for j, share := range a.Shares {
		if share >= least {
			order = append(order, j)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(a.Shares[j], a.Shares[i]) })
	return order
}

const (
	eventQuiet   = 25  // samples below 1 that end an event
	eventLeast   = .5  // an event of eventSeveral odd samples goes on while a view that averages over samples scores above this
	eventSeveral = 5   // odd samples, see eventLeast
	eventGrowth  = 1.3 // a score this many times the peak is an alarm again
	eventCalm    = 10  // a jump after this number of calm samples in a row is another event
	eventOpen    = .8  // least score within an event
	eventHeld    = .95 // least score of a sample that would be an alarm without its event, or without a rule
	levelLeft    = 9   // a variable has left its level when its squared deviation exceeds this multiple of the usual one
	eventAlike   = .25 // least part of the shares that a sample has in common with its event
)

// eventState is the current event, or the last one, with what decides about its course.
type eventState struct {
	Event
	run      int64              // consecutive samples above 1; within an event, at most 1
	age      int64              // samples from Begin on
	odd      int64              // samples that are odd enough for an alarm
	calm     int64              // consecutive samples below 1 in which no view that averages sees the event
	inside   bool               // the event lies within Scorer.outer, which goes on
	standing bool               // a run of equal values began the event, and ends it
	shift    levelShift         // the jump that began the event
	highest  float64            // largest score; Score follows when it is clearly exceeded
	peaks    [viewCount]float64 // largest score of each view
	sums     [viewCount]float64 // of the scores of each view
	since    [viewCount]int64   // age at the first score above 1 of each view; 0 = none
	ended    Event              // the event that the last sample has ended, if endedNow

	// Of the last sample.
	begins, becameNormal, endedNow bool
}

func newEventState(dim int) eventState {
	var e eventState
	e.Shares, e.ended.Shares = make([]float64, dim), make([]float64, dim)
	return e
}

// Anomalous reports whether the last sample is odd enough for an alarm, in an event. The
// event goes from the first such sample to the last one.
func (s *Scorer) Anomalous() bool { return s.anomalous }

// Event returns the current event, or the last one. Before the first it is zero. Shares
// is overwritten by the next Observe.
func (s *Scorer) Event() Event { return s.event.Event }

// Begins reports whether the last sample begins Event.
func (s *Scorer) Begins() bool { return s.event.begins }

// BecameNormal reports whether the last sample has made Event the new normal.
func (s *Scorer) BecameNormal() bool { return s.event.becameNormal }

// Ended returns the event that the last sample has ended. Shares is overwritten by the
// next Observe.
func (s *Scorer) Ended() (e Event, ok bool) {
	if !s.event.endedNow {
		return e, false
	}
	return s.event.ended, true
}

// continueEvent extends the event with a sample of the largest view score best, and returns
// the score of the sample. One that the rules hold back stays below 1.
func (s *Scorer) continueEvent(time int64, best float64, y []float64) float64 {
	if best <= 1 || s.c.Rules == nil {
		return s.extend(time, best)
	}
	allowed := s.applyRules(y)
	score := s.extend(time, allowed)
	if allowed <= 1 {
		score = 1 - (1-eventHeld)/best
	}
	return score
}

// extend is continueEvent after the rules. Within an event a sample scores above 1 when it is clearly
// odder than all before, or when it begins another event. A sample that is only as odd as the event
// scores between .95 and 1. One that is no alarm scores between .8 and .95, and so ranks before those
// outside of events.
func (s *Scorer) extend(time int64, best float64) float64 {
	e := &s.event
	s.anomalous = false
	if e.Open && e.inside {
		s.leave()
	}
	if e.Open && e.standing && !s.standing {
		s.endEvent()
	}
	shifted := e.Open && e.shift.size != 0
	if shifted {
		s.followShift(time)
	}
	if e.Open {
		e.age++
		if e.inside {
			s.outer.age++
		}
		e.run++
		quiet := e.run
		if best > 1 || e.age <= int64(s.c.NormalAfter) && (s.recalls || e.odd >= eventSeveral && s.lasts()) {
			e.run = 0
		}
		if e.run >= eventQuiet || e.Normal && best <= 1 {
			s.endEvent()
			return best
		}
		calm := e.calm
		if e.calm = 0; shifted {
			calm = 0
		}
		if best <= 1 {
			if !s.lasts() {
				e.calm = calm + 1
			}
			return eventOpen + (eventHeld-eventOpen)*best
		}
		if s.comesAgain(quiet, calm) {
			s.endEvent()
			score := s.begin(time, best, false)
			e.endedNow = true
			return score
		}
		leading := s.leading
		if score, is := s.another(best); is {
			return s.begin(time, score, true)
		}
		s.leading = leading
		return s.takePart(time, best)
	}
	if best <= 1 {
		e.run = 0
		return best
	}
	if e.run++; e.run < int64(s.c.MinDuration) {
		return 1 - (1-eventHeld)/best
	}
	return s.begin(time, best, false)
}

// comesAgain reports whether a sample above 1 begins another event of the same kind: a lone value again, or a jump
// after a calm time.
func (s *Scorer) comesAgain(quiet, calm int64) bool {
	e := &s.event
	if e.inside || s.c.MinDuration > 1 {
		return false
	}
	if s.scores[Jump] > 1 && calm >= eventCalm && !e.standing {
		return true
	}
	return s.lonely && quiet > sentinelQuiet && !s.lasts()
}

// settle makes the event the new normal NormalAfter samples after the first odd one of a view, and so the recent samples
// of that view. Each view counts for itself: State sees an anomaly long before Correlation.
func (s *Scorer) settle() {
	e := &s.event
	if e.inside {
		e = s.outer
	}
	normal := e.Normal
	for v, score := range s.scores {
		if score <= 1 {
			continue
		}
		if e.since[v] == 0 {
			e.since[v] = e.age
		}
		if normal || e.age-e.since[v] < int64(s.c.NormalAfter) {
			continue
		}
		s.becomeNormal()
		if View(v) != Jump && (View(v) != Flat || s.lively != nil) {
			s.acceptNormal(View(v))
		}
	}
}

// lasts reports whether the sample is still odd enough for the event, in a view that averages
// over samples.
func (s *Scorer) lasts() bool {
	return max(s.scores[Level], s.scores[Noise], s.scores[Correlation], s.scores[Flat], s.scores[State]) > eventLeast
}

// begin begins an event with a sample of this score, and returns the score.
func (s *Scorer) begin(time int64, score float64, inside bool) float64 {
	e := &s.event
	if inside {
		s.openInside()
	}
	e.standing = s.leading == Flat && s.standing
	begin, age := time, int64(1)
	if r := &s.runs; e.standing && !inside && r.begin > e.End {
		begin, age = r.begin, r.age
	}
	e.Event = Event{Open: true, Begin: begin, Shares: e.Shares}
	e.inside, e.begins, e.becameNormal, e.endedNow = inside, true, false, false
	e.run, e.age, e.odd, e.calm, e.highest = 0, age, 0, 0, 0
	e.peaks, e.sums, e.since = [viewCount]float64{}, [viewCount]float64{}, [viewCount]int64{}
	clear(e.Shares)
	score = s.takePart(time, score)
	if e.shift = (levelShift{}); s.scores[Jump] > 1 {
		j := slices.Index(s.squares[Jump], slices.Max(s.squares[Jump]))
		size := s.errors.Error[j]
		e.shift = levelShift{variable: j, size: size, from: s.runs.last[j] - size, last: time, age: age}
	}
	return score
}

// openInside makes the event the outer one of the next.
func (s *Scorer) openInside() {
	if s.outer == nil {
		s.outer = new(newEventState(s.c.Dim))
	}
	s.event, *s.outer = *s.outer, s.event
}

// another reports whether a sample above 1 is another anomaly inside the event, and
// returns its score. The sample is clearly odder than the event, a jump that is clearly larger
// than the jumps of the event, or odd in other variables. another sets the leading view.
func (s *Scorer) another(best float64) (score float64, is bool) {
	e := &s.event
	if e.age <= eventQuiet || s.c.MinDuration > 1 || e.inside || e.endedNow || s.leading == State {
		return 0, false
	}
	leading := s.leading
	if score, s.leading = s.scores[Jump], Jump; score > 1 && (score > eventGrowth*e.peaks[Jump] || !s.alike()) {
		return score, true
	}
	s.leading = leading
	return best, best > eventGrowth*e.highest && !e.standing || !s.alike()
}

// alike reports whether the sample and the event have variables in common.
func (s *Scorer) alike() bool {
	common := 0.
	for j, share := range s.share() {
		common += min(share, s.event.Shares[j])
	}
	return common >= eventAlike
}

// leave returns from an event inside another one when its view has ended.
func (s *Scorer) leave() {
	e := &s.event
	if s.scores[e.Cause] > 1 || s.scores[Correlation] > 1 && s.cause() == e.Cause {
		return
	}
	e.Open = false
	shares := s.outer.ended.Shares
	copy(shares, e.Shares)
	s.outer.ended = e.Event
	s.outer.ended.Shares = shares
	s.outer.run, s.outer.begins, s.outer.endedNow = e.run, false, true
	s.event, *s.outer = *s.outer, s.event
}

// endEvent closes the event.
func (s *Scorer) endEvent() {
	e := &s.event
	e.Open, e.run = false, 0
	shares := e.ended.Shares
	copy(shares, e.Shares)
	e.ended = e.Event
	e.ended.Shares = shares
	e.endedNow = true
}

// takePart adds a sample odd enough for an alarm to the event, and returns its score: between
// .95 and 1 unless it is clearly odder than all before.
func (s *Scorer) takePart(time int64, best float64) (score float64) {
	e := &s.event
	s.anomalous = true
	e.End, e.Samples = time, e.age
	e.odd++
	score = 1 - (1-eventHeld)/best
	if best > eventGrowth*e.Score {
		e.Peak, e.Score, score = time, best, best
		e.FalsePerDay, e.Seen = s.falsePerDay(best), s.see()
	}
	e.highest = max(e.highest, best)
	state, _ := s.StateScore()
	e.StateScore = max(e.StateScore, state)
	for v, x := range s.scores {
		e.peaks[v] = max(e.peaks[v], x)
	}
	e.sums[s.cause()] += best
	total := 0.
	for u, sum := range e.sums {
		total += sum
		if sum > e.sums[e.Cause] {
			e.Cause = View(u)
		}
	}
	for j, share := range s.share() {
		e.Shares[j] += best / total * (share - e.Shares[j])
	}
	s.settle()
	return score
}

// cause returns the view that describes the last sample best. If Correlation leads because a variable
// stands still, has jumped or has left its level, it is Flat, Jump or Level, else the leading view.
func (s *Scorer) cause() View {
	switch l := s.levels; {
	case s.leading != Correlation:
	case s.standing:
		return Flat
	case s.scores[Jump] > 1:
		return Jump
	default:
		share := s.share()
		j := slices.Index(share, slices.Max(share))
		if d := l.Deviation[j]; d*d > levelLeft*l.Spread[j] {
			return Level
		}
	}
	return s.leading
}

// levelShift is a jump of a variable to a level where it may stay.
type levelShift struct {
	variable   int
	from, size float64 // the level before, and the jump; size 0 = none, or the variable has returned
	last, age  int64   // time of the last sample at the new level, and samples of the event up to it
}

const (
	shiftStays   = .5 // a variable is at the new level beyond this part of the jump
	shiftReturns = .3 // least error of a return, in parts of the jump
)

// followShift lets an event that began with a jump last until the variable jumps back. The views that
// average over samples see a shift of a few samples late, or not at all, and its end later still.
func (s *Scorer) followShift(time int64) {
	e := &s.event
	l := &e.shift
	if (s.runs.last[l.variable]-l.from)/l.size > shiftStays {
		l.last, l.age = time, e.age+1
		return
	}
	if -s.errors.Error[l.variable]/l.size > shiftReturns && l.last > e.End {
		e.End, e.Samples = l.last, l.age
	}
	l.size = 0
}

func (l *levelShift) state(c *snapshot.Codec, dim int) {
	c.Float64(&l.size)
	if l.size != 0 {
		c.Index(&l.variable, dim)
		c.Float64(&l.from)
		c.Int64(&l.last)
		c.Int64(&l.age)
	}
}

func (e *eventState) state(c *snapshot.Codec) {
	c.Bool(&e.Open)
	c.Bool(&e.Normal)
	c.Bool(&e.inside)
	c.Bool(&e.standing)
	c.Bool(&e.becameNormal)
	for _, x := range [...]*int64{&e.Begin, &e.Peak, &e.End, &e.Samples, &e.age, &e.run, &e.odd, &e.calm} {
		c.Int64(x)
	}
	c.Float64(&e.Score)
	c.Float64(&e.StateScore)
	cause := int(e.Cause)
	c.Index(&cause, int(viewCount))
	e.Cause = View(cause)
	c.Float64s(e.Shares)
	if e.Open {
		c.Float64(&e.highest)
		c.Float64(&e.FalsePerDay)
		e.Seen.state(c, len(e.Shares))
		e.shift.state(c, len(e.Shares))
		c.Float64s(e.peaks[:])
		c.Float64s(e.sums[:])
		for v := range e.since {
			c.Int64(&e.since[v])
		}
	}
}
