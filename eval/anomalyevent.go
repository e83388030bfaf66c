package eval

import (
	"slices"

	"github.com/orffvar/forecaster/internal/snapshot"
)

// AnomalyEvent is an anomaly from its first alarm to its end: 25 samples after the last
// sample with a score above 1 or, after five such samples, above a half in a view that
// averages over samples. An event inside a longer one ends when its view no longer
// scores above 1; then the longer one goes on.
type AnomalyEvent struct {
	// Open is whether the event goes on. An event is the same as long as Begin is.
	Open bool

	// Begin, Peak and End are the times of the first alarm, of the largest score, and
	// of the last sample above 1, in ns.
	Begin, Peak, End int64

	// Samples is the number of samples from Begin on.
	Samples int64

	// Score is the largest score.
	Score float64

	// Cause is the view with the largest sum of scores over the samples above 1, and
	// Shares are the mean shares of the variables, weighted by these scores: a shift that
	// begins with a jump is a shift.
	Cause  View
	Shares []float64

	// Normal says that the change has lasted for so long that it is the new normal.
	Normal bool
}

const (
	eventQuiet   = 25  // samples below 1 that end an event
	eventLeast   = .5  // score of a view that averages over samples, above which an event of several odd samples goes on
	eventSeveral = 5   // odd samples
	eventNear    = 2   // samples since the last above 1, after which none is part of it
	eventGrowth  = 1.3 // of the score over the peak, that is an alarm again
	eventAlike   = .25 // of the shares, that an anomaly has in common with the one it belongs to
)

// eventState is the current event, or the last one, with what decides about its course.
type eventState struct {
	AnomalyEvent
	run      int64              // consecutive samples above 1; within an event, at most 1
	away     int64              // samples since the last one that was odd itself; run forgets what the views recall, too
	odd      int64              // samples that are odd enough for an alarm
	inside   bool               // another event, which goes on
	standing bool               // begun by a run of equal values, with which it ends
	shift    levelShift         // that it began with
	alarmed  float64            // last score above 1
	peaks    [viewCount]float64 // largest score of each view
	sums     [viewCount]float64 // of the scores of each view
	ended    AnomalyEvent       // by the last sample, if endedNow

	// Of the last sample.
	begins, becameNormal, endedNow bool
}

// Anomalous reports whether the last sample is part of an anomaly: it is odd enough for an
// alarm or, in an event of five such samples, at most 2 samples behind one that is half as
// odd in a view that averages over samples.
func (s *AnomalyScorer) Anomalous() bool { return s.anomalous }

// Event returns the current event, or the last one. Before the first it is zero. Shares
// is overwritten by the next Observe.
func (s *AnomalyScorer) Event() AnomalyEvent { return s.event.AnomalyEvent }

// Begins reports whether the last sample begins Event.
func (s *AnomalyScorer) Begins() bool { return s.event.begins }

// BecameNormal reports whether the last sample has made Event the new normal.
func (s *AnomalyScorer) BecameNormal() bool { return s.event.becameNormal }

// Ended returns the event that the last sample has ended. Shares is overwritten by the
// next Observe.
func (s *AnomalyScorer) Ended() (e AnomalyEvent, ok bool) {
	if !s.event.endedNow {
		return e, false
	}
	return s.event.ended, true
}

// continueEvent extends the event with a sample of the largest view score best, and returns
// the score of the sample. One that the rules hold back stays below 1.
func (s *AnomalyScorer) continueEvent(time int64, best float64, y []float64) float64 {
	if best <= 1 || s.c.Rules == nil {
		return s.extend(time, best)
	}
	allowed := s.applyRules(y)
	score := s.extend(time, allowed)
	if allowed <= 1 {
		score = 1 - .1/best
	}
	return score
}

// extend is continueEvent behind the rules. Within an event a sample scores above 1 when it is clearly
// odder than all before, when other variables contradict it, or when it begins another
// event. One that is only as odd as the event has been stays between .9 and 1.
func (s *AnomalyScorer) extend(time int64, best float64) float64 {
	e := &s.event
	s.anomalous = false
	if e.Open && e.inside {
		s.leave()
	}
	if e.Open && e.standing && !s.standing {
		s.endEvent()
	}
	if e.Open && e.shift.size != 0 {
		s.followShift(time)
	}
	if e.Open {
		e.Samples++
		e.run++
		e.away++
		if best > 1 || e.odd >= eventSeveral && s.lasts() {
			e.run, e.away = 0, 0
		}
		if s.recalls {
			e.run = 0
		}
		if e.run >= eventQuiet || e.Normal && e.run > 0 {
			s.endEvent()
			return best
		}
		if best <= 1 {
			s.anomalous = e.odd >= eventSeveral && e.away <= eventNear
			return best
		}
		leading := s.leading
		if score, is := s.another(best); is {
			s.begin(time, score, true)
			return score
		}
		s.leading = leading
		score := 1 - .1/best
		if best > eventGrowth*e.alarmed {
			e.alarmed = best
			score = best
		}
		s.takePart(time, best)
		return score
	}
	if best <= 1 {
		e.run = 0
		return best
	}
	if e.run++; e.run < int64(s.c.MinDuration) {
		return 1 - .1/best
	}
	s.begin(time, best, false)
	return best
}

// lasts reports whether the sample is still odd enough for the event, in a view that averages
// over samples.
func (s *AnomalyScorer) lasts() bool {
	return max(s.scores[Level], s.scores[Noise], s.scores[Correlation], s.scores[Flat]) > eventLeast
}

// begin begins an event with a sample of the score.
func (s *AnomalyScorer) begin(time int64, score float64, inside bool) {
	e := &s.event
	if inside {
		s.event, s.outer = s.outer, s.event
	}
	e.standing = s.leading == Flat && s.standing
	begin, samples := time, int64(1)
	if r := &s.runs; e.standing && !inside && r.begin > e.End {
		begin, samples = r.begin, r.age
	}
	e.AnomalyEvent = AnomalyEvent{Open: true, Begin: begin, Samples: samples, Shares: e.Shares}
	e.inside, e.begins, e.becameNormal, e.endedNow = inside, true, false, false
	e.run, e.away, e.odd, e.alarmed = 0, 0, 0, score
	e.peaks, e.sums = [viewCount]float64{}, [viewCount]float64{}
	clear(e.Shares)
	s.takePart(time, score)
	if e.shift = (levelShift{}); s.scores[Jump] > 1 {
		j := slices.Index(s.squares[Jump], slices.Max(s.squares[Jump]))
		size := s.errors.Error[j]
		e.shift = levelShift{variable: j, size: size, from: s.runs.last[j] - size, last: time}
	}
}

// another reports whether a sample above 1 is another anomaly inside the event, and
// returns the score: clearly odder than the event has been, a jump that is clearly larger
// than those of the event, or something in other variables. The view is the leading one.
func (s *AnomalyScorer) another(best float64) (score float64, is bool) {
	e := &s.event
	if e.Samples <= eventQuiet || s.c.MinDuration > 1 || e.inside || e.endedNow {
		return 0, false
	}
	leading := s.leading
	if score, s.leading = s.scores[Jump], Jump; score > 1 && (score > eventGrowth*e.peaks[Jump] || !s.alike()) {
		return score, true
	}
	s.leading = leading
	return best, best > eventGrowth*e.Score && !e.standing || !s.alike()
}

// alike reports whether the sample and the event have variables in common.
func (s *AnomalyScorer) alike() bool {
	common := 0.
	for j, share := range s.share() {
		common += min(share, s.event.Shares[j])
	}
	return common >= eventAlike
}

// leave returns from an event inside another one when its view has ended.
func (s *AnomalyScorer) leave() {
	e := &s.event
	if s.scores[e.Cause] > 1 {
		return
	}
	e.Open = false
	shares := s.outer.ended.Shares
	copy(shares, e.Shares)
	s.outer.ended = e.AnomalyEvent
	s.outer.ended.Shares = shares
	s.outer.Samples += e.Samples
	s.outer.run, s.outer.away, s.outer.begins, s.outer.endedNow = e.run, e.away, false, true
	s.event, s.outer = s.outer, s.event
}

// endEvent closes the event.
func (s *AnomalyScorer) endEvent() {
	e := &s.event
	e.Open, e.run = false, 0
	shares := e.ended.Shares
	copy(shares, e.Shares)
	e.ended = e.AnomalyEvent
	e.ended.Shares = shares
	e.endedNow = true
}

// takePart adds a sample above 1 to the event.
func (s *AnomalyScorer) takePart(time int64, score float64) {
	e := &s.event
	s.anomalous = true
	e.End = time
	e.odd++
	if score > e.Score {
		e.Peak, e.Score = time, score
	}
	for v, x := range s.scores {
		e.peaks[v] = max(e.peaks[v], x)
	}
	e.sums[s.leading] += score
	total := 0.
	for u, sum := range e.sums {
		total += sum
		if sum > e.sums[e.Cause] {
			e.Cause = View(u)
		}
	}
	for j, share := range s.share() {
		e.Shares[j] += score / total * (share - e.Shares[j])
	}
}

// levelShift is a jump of a variable to a level where it may stay.
type levelShift struct {
	variable   int
	from, size float64 // the level before, and the jump; 0 = none, or the variable has returned
	last       int64   // time of the last sample at the new level
}

const (
	shiftStays   = .5 // of the jump, beyond which a variable is at the new level
	shiftReturns = .3 // of the jump, the least error of a return
)

// followShift lets an event that began with a jump last until the variable jumps back. The views that
// average over samples see a shift of a few samples late, or not at all, and its end later still.
func (s *AnomalyScorer) followShift(time int64) {
	e := &s.event
	l := &e.shift
	if (s.runs.last[l.variable]-l.from)/l.size > shiftStays {
		l.last = time
		return
	}
	if -s.errors.Error[l.variable]/l.size > shiftReturns && l.last > e.Begin {
		e.End = max(e.End, l.last)
	}
	l.size = 0
}

func (l *levelShift) state(c *snapshot.Codec, dim int) {
	c.Float64(&l.size)
	if l.size != 0 {
		c.Index(&l.variable, dim)
		c.Float64(&l.from)
		c.Int64(&l.last)
	}
}

func (e *eventState) state(c *snapshot.Codec) {
	c.Bool(&e.Open)
	c.Bool(&e.Normal)
	c.Bool(&e.inside)
	c.Bool(&e.standing)
	c.Bool(&e.becameNormal)
	for _, x := range [...]*int64{&e.Begin, &e.Peak, &e.End, &e.Samples, &e.run, &e.away, &e.odd} {
		c.Int64(x)
	}
	c.Float64(&e.Score)
	cause := int(e.Cause)
	c.Index(&cause, int(viewCount))
	e.Cause = View(cause)
	c.Float64s(e.Shares)
	if e.Open {
		c.Float64(&e.alarmed)
		e.shift.state(c, len(e.Shares))
		c.Float64s(e.peaks[:])
		c.Float64s(e.sums[:])
	}
}
