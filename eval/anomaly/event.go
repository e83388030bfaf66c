package anomaly

import (
	"cmp"
	"slices"

	"github.com/orffvar/forecaster/eval/snapshot"
)

// Event is an anomaly from its first alarm to its end. It ends 25 samples after the last sample with a score above
// 1. After five odd samples, a score above a half in a view that averages over samples also extends it. An event
// inside a longer event ends when its view no longer scores above 1; the longer event then continues.
type Event struct {
	// Open reports whether the event continues. Begin identifies an event.
	Open bool

	// Begin is the time of the first alarm, Peak of the largest score, End of the last sample odd enough for an
	// alarm, in ns.
	Begin, Peak, End int64

	// Samples is the number of samples from Begin to End.
	Samples int64

	// Score is the largest score of the samples.
	Score float64

	// StateScore is the largest state score of the samples, see Scorer.StateScore.
	StateScore float64

	// FalsePerDay is the expected number of alarms per day with at least this score, in a series that does not
	// change.
	FalsePerDay float64

	// Seen is the variable with the largest share at Peak.
	Seen Seen

	// Cause is the view with the largest sum of scores over the odd samples, so a shift that begins with a jump is
	// a shift. Shares are the mean shares of the variables, weighted by these scores.
	Cause  View
	Shares []float64

	// Normal reports whether the change has lasted long enough to be the new normal.
	Normal bool
}

// Seen holds the observed value of a variable, its expected value and its interval. NaN: missing or unknown.
type Seen struct {
	Variable                         int
	Observed, Expected, Lower, Upper float64
}

// Blamed returns the variables with a share of at least 5 %, the largest share first.
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
	eventQuiet   = 25  // samples below 1 after which an event ends
	eventLeast   = .5  // score in a view that averages which extends an event of eventSeveral odd samples
	eventSeveral = 5   // number of odd samples, see eventLeast
	eventGrowth  = 1.3 // multiple of the peak from which a score is an alarm again
	eventCalm    = 10  // consecutive calm samples after which a jump is another event
	eventOpen    = .8  // least score of a sample within an event
	eventHeld    = .95 // least score of an alarm that its event or a rule holds back
	levelLeft    = 9   // multiple of the usual squared deviation beyond which a variable has left its level
	eventAlike   = .25 // least common part of the shares of a sample and of its event
)

// eventState is the present or last event, with the state that decides its course.
type eventState struct {
	Event
	run      int64              // number of consecutive samples above 1; within an event, of samples at most 1
	age      int64              // samples from Begin on
	odd      int64              // number of samples odd enough for an alarm
	calm     int64              // number of consecutive samples below 1 without the event in any view that averages
	inside   bool               // the event lies within Scorer.outer, which continues
	standing bool               // the event began with a run of equal values, and ends with it
	shift    levelShift         // the jump that began the event
	highest  float64            // largest score; Event.Score follows if it is clearly exceeded
	peaks    [viewCount]float64 // largest score of each view
	sums     [viewCount]float64 // sum of the scores of each view
	since    [viewCount]int64   // age at the first score above 1 of each view; 0 = none
	ended    Event              // event that the last sample has ended, if endedNow

	// State of the last sample.
	begins, becameNormal, endedNow bool
}

func newEventState(dim int) eventState {
	var e eventState
	e.Shares, e.ended.Shares = make([]float64, dim), make([]float64, dim)
	return e
}

// Anomalous reports whether the last sample is part of an event and odd enough for an alarm. An event lasts from
// the first such sample to the last.
func (s *Scorer) Anomalous() bool { return s.anomalous }

// Event returns the present event, or the last one; the zero Event before the first. The next Observe overwrites
// Shares.
func (s *Scorer) Event() Event { return s.event.Event }

// Begins reports whether the last sample begins Event.
func (s *Scorer) Begins() bool { return s.event.begins }

// BecameNormal reports whether the last sample has made Event the new normal.
func (s *Scorer) BecameNormal() bool { return s.event.becameNormal }

// Ended returns the event that the last sample has ended; ok is false if there is none. The next Observe overwrites
// Shares.
func (s *Scorer) Ended() (e Event, ok bool) {
	if !s.event.endedNow {
		return e, false
	}
	return s.event.ended, true
}

// continueEvent extends the event by a sample, whose largest view score is best, and returns the score of the
// sample. A sample held back by the rules stays below 1.
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

// extend is continueEvent after the rules. Within an event a sample scores above 1 if it is clearly odder than all
// earlier ones, or begins another event. Other alarms score between .95 and 1. Samples without an alarm score
// between .8 and .95, above those outside of events.
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
// after a calm period.
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

// settle makes the recent samples of a view its new normal, NormalAfter samples after the first odd one of the
// view. Each view counts separately, because State sees an anomaly long before Correlation.
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

// lasts reports whether a view that averages over samples still sees the event.
func (s *Scorer) lasts() bool {
	return max(s.scores[Level], s.scores[Noise], s.scores[Correlation], s.scores[Flat], s.scores[State]) > eventLeast
}

// begin begins an event with a sample of the given score, and returns the score.
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

// openInside makes the present event the outer event of the next.
func (s *Scorer) openInside() {
	if s.outer == nil {
		s.outer = new(newEventState(s.c.Dim))
	}
	s.event, *s.outer = *s.outer, s.event
}

// another reports whether a sample above 1 is another anomaly inside the event, and returns its score. It is one if
// it is clearly odder than the event, if its jump is clearly larger than the jumps of the event, or if it is odd in
// other variables. another sets the leading view.
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

// leave returns from an inner event to the outer one once the view of the inner event has ended.
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

// endEvent ends the event.
func (s *Scorer) endEvent() {
	e := &s.event
	e.Open, e.run = false, 0
	shares := e.ended.Shares
	copy(shares, e.Shares)
	e.ended = e.Event
	e.ended.Shares = shares
	e.endedNow = true
}

// takePart adds a sample odd enough for an alarm to the event, and returns its score. The score is between .95 and
// 1, unless it is clearly above all earlier ones.
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

// cause returns the view that describes the last sample best. Usually it is the leading view. If Correlation leads
// because a variable stands still, has jumped or has left its level, it is Flat, Jump or Level.
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
	from, size float64 // level before the jump, and jump; size 0 = no jump, or the variable has returned
	last, age  int64   // time of the last sample at the new level, and number of samples of the event up to it
}

const (
	shiftStays   = .5 // part of the jump beyond which a variable is at the new level
	shiftReturns = .3 // least error of a return, as a part of the jump
)

// followShift keeps an event that began with a jump open until the variable jumps back. Views that average over
// samples see a shift of a few samples late or not at all, and its end even later.
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
	c.Bool(&e.begins) // the next sample counts it
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
