package auto

import (
	"math"
	"slices"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/varmodel/internal/check"
	"github.com/orffvar/forecaster/varmodel/series"
)

const (
	phasesFrom     = 100 // samples of a series before other parts use its phases
	shortestPhases = 5   // samples in the shortest cycle whose phase other parts use
)

const (
	shortestSeason = 3   // samples
	sameSeason     = .1  // smallest relative difference between the periods of two cycles
	naturalTerms   = 1.5 // terms before a cycle of the clock has a share
	freeTerms      = 2.5 // terms before a cycle of the search has a share
	freeShare      = .2  // smallest share of a cycle of the search, which tries many periods
	freeCycles     = 2   // largest number of cycles of the search
	freeTrial      = 10  // periods after which a cycle of the search without a share is no longer followed
)

// seasons are the cycles of one series: natural periods of the clock, such as the day, the configured
// period, and the periods that the search finds. Each cycle models the part of a sample that shorter
// cycles leave. Its share in the forecasts grows with its accuracy; see share.
//
// Phases are computed from the time stamps, if there are any, and so survive gaps. Otherwise samples
// are counted, and a break removes the cycles of the search.
type seasons struct {
	dim, limit int // limit: longest period, in samples

	time, before int64 // ns: time of the next sample, and of the sample before it; 0: not known
	spacing      int64 // ns between samples; 0: not known
	alike        int   // consecutive steps with another spacing
	since        int64 // start of the first of these steps

	count    int             // samples
	cycles   []*cycle        // by ascending period
	past     *series.History // keeps at least longest + 1 samples
	longest  int             // longest period of all cycles so far, including removed ones
	known    int             // index of the first sample that cycle sums subtract; see add
	last     []float64       // season at the last sample, as forecast before it
	active   bool            // a cycle has a share
	heritage *heritage       // nil: the series begins, or has begun, without the season of older series
	others   []float64       // scratch: shapes of the shorter cycles
	turning  []*cycle        // scratch
}

// newSeasons returns the seasons of a new series. Each sample has to be in past before Observe. given is
// the configured period, or 0.
func newSeasons(past *series.History, limit, given int) *seasons {
	dim := past.Dim
	s := &seasons{dim: dim, limit: limit, past: past, last: make([]float64, dim), others: make([]float64, dim)}
	if given > 0 {
		c := newCycle(dim, given)
		c.given = true
		s.add(c)
	}
	return s
}

// find returns the cycle of about the given period, or nil.
func (s *seasons) find(period int) *cycle {
	for _, c := range s.cycles {
		if math.Abs(float64(c.period-period)) <= sameSeason*float64(period) {
			return c
		}
	}
	return nil
}

// add inserts a cycle in the order of periods, and extends the past to its period. Samples that the past has lost
// before the extension are not subtracted when they leave the sum of a period.
func (s *seasons) add(c *cycle) {
	i := 0
	for i < len(s.cycles) && s.cycles[i].period < c.period {
		i++
	}
	s.cycles = append(s.cycles, nil)
	copy(s.cycles[i+1:], s.cycles[i:])
	s.cycles[i] = c
	if c.period > s.longest {
		s.known, s.longest = max(s.known, s.count+1-max(s.longest, s.past.Depth)), c.period
		s.past.Keep(c.period + 1)
	}
}

// Keep removes the cycles for which condition is false.
func (s *seasons) Keep(condition func(*cycle) bool) {
	var kept []*cycle
	for _, c := range s.cycles {
		if condition(c) {
			kept = append(kept, c)
		}
	}
	s.cycles = kept
}

// propose adds a cycle with a period that the search has found, teaches it the past, and reports whether it has a
// share. It removes earlier cycles of the search without a share. Of two cycles of the search with about the same
// period the stronger one stays: the first search, of a short past, is often wrong by a sample.
func (s *seasons) propose(period int, inverse []float64) (active bool) {
	s.Keep(func(c *cycle) bool { return !c.free || c.active })
	if period < shortestSeason {
		return false
	}
	before, like, free := s.cycles, s.find(period), 0
	for _, c := range s.cycles {
		if c.free && c != like {
			free++
		}
	}
	if free >= freeCycles || like != nil && (!like.free || like.period == period) {
		return false
	}
	s.Keep(func(c *cycle) bool { return c != like })
	c := newCycle(s.dim, period)
	c.setFree()
	c.span = s.spacing * int64(period)
	s.add(c)
	s.teach(c, min(s.past.Count, s.past.Depth), 0, inverse)
	if like != nil && c.strength() <= like.strength() {
		s.cycles = before
		return false
	}
	return c.active
}

// teach lets a new cycle learn the samples with the lags n-1, …, newest.
func (s *seasons) teach(c *cycle, n, newest int, inverse []float64) {
	period, past := c.period, s.past
	shorter := s.cycles[:0:0]
	for _, o := range s.cycles {
		if o.period < period {
			shorter = append(shorter, o)
		}
	}
	if c.span > 0 && s.before != 0 {
		c.place(s.before)
	}
	c.phase, c.day = c.phaseAfter(-n), c.day-int64(n)
	others := make([]float64, s.dim)
	for l := n - 1; l >= newest; l-- {
		clear(others)
		for _, o := range shorter {
			o.shapeAt(others, -l)
		}
		var old []float64
		if l+period < n {
			old = past.Lag(l + period)
		}
		c.move(0)
		c.Step(past.Lag(l), old)
		if c.run == period {
			c.begin(func(i int) []float64 { return past.Lag(l + i) }, shorter, l, inverse)
		} else if c.run > period {
			c.learn(past.Lag(l), others, inverse, past.ObservedAt(l))
		}
	}
	c.check()
	s.active = s.active || c.active
}

// phases returns the phases of the shortest cycles that have a shape. A cycle of the search needs a
// share, because the search tries many periods. The week and the year count only without a shorter
// cycle.
func (s *seasons) phases() (now eval.Phases) {
	n := 0
	for _, c := range s.cycles {
		long := c.span >= weekSpan && n > 0
		if n < len(now) && c.mean != nil && c.period >= shortestPhases && !long && (c.active || !c.free) {
			now[n] = eval.Phase{Period: int32(c.period), At: int32(c.phase)}
			n++
		}
	}
	return now
}

// turns returns the two longest cycles of at least shortestPhases samples, the shorter one first, without the month,
// which has no harmonics. A cycle of the search needs a share.
func (s *seasons) turns() []*cycle {
	s.turning = s.turning[:0]
	for i := len(s.cycles) - 1; i >= 0 && len(s.turning) < 2; i-- {
		if c := s.cycles[i]; c.period >= shortestPhases && (c.active || !c.free) && c.span != monthSpan {
			s.turning = append(s.turning, c)
		}
	}
	slices.Reverse(s.turning)
	return s.turning
}

// begin sets variable j to v in all samples so far, as series.History does at the first value of a
// variable.
func (s *seasons) begin(j int, v float64) {
	for _, c := range s.cycles {
		c.total[j], c.fresh[j] = v*float64(min(c.run, c.period)), v*float64(c.run%c.period)
	}
}

// learn calls begin for variables with their first value.
func (s *seasons) learn(of *autoSeries, o *outcome) {
	if of.past.Unseen == 0 {
		return
	}
	for j, v := range o.sample {
		if v == v && !of.past.Seen[j] {
			s.begin(j, v)
		}
	}
}

// Observe learns the last sample in past. inverse has the inverse standard deviations of the variables.
func (s *seasons) Observe(inverse []float64) {
	y := s.past.Lag(0)
	s.clock(inverse)
	s.active = false
	clear(s.last)
	others := s.others[:len(y)]
	clear(others)
	for k, c := range s.cycles {
		if c.failed() {
			continue // until the next search removes it
		}
		c.move(s.time)
		var old []float64
		if c.run >= c.period && s.count-c.period >= s.known {
			old = s.past.Lag(c.period)
		}
		c.Step(y, old)
		switch {
		case c.run == c.period && c.learnt == 0:
			c.begin(s.past.Lag, s.cycles[:k], 0, inverse)
			c.check()
		case c.run >= c.period && c.learn(y, others, inverse, s.past.ObservedAt(0)):
			c.check()
		}
		if c.believeWeekends(s.past.Lag, inverse) {
			c.Remember()
			c.check()
		}
		s.active = s.active || c.active
		if !c.active {
			continue
		}
		shares, last := c.share[:len(y)], s.last[:len(y)]
		for j, v := range c.prior[:len(y)] {
			if share := shares[j].value; share > 0 {
				others[j] += v
				last[j] += share * v
			}
		}
	}
	s.count++
	s.time = 0
}

// change adds by to the sample of variable j at a lag.
func (s *seasons) change(lag, j int, by float64) {
	for _, c := range s.cycles {
		c.change(lag, j, by)
	}
}

// to writes the sum of the shapes, each times its share, to dst (dim): the season k samples after the last
// sample, or before it if k < 0.
func (s *seasons) to(dst []float64, k int) {
	clear(dst)
	for _, c := range s.cycles {
		if !c.active {
			continue
		}
		mean := c.At(k)
		for j := range dst {
			dst[j] += c.share[j].value * c.unit[j] * float64(mean[j])
		}
	}
}

// AheadTo writes the present estimates of the seasons of the next samples, n x dim.
func (s *seasons) AheadTo(dst []float64) {
	clear(dst)
	d := s.dim
	for _, c := range s.cycles {
		if !c.active {
			continue
		}
		phase := c.phase
		for i := 0; i < len(dst); i += d {
			if phase++; phase == c.period {
				phase = 0
			}
			if c.span == monthSpan {
				phase = c.phaseAfter(i/d + 1)
			}
			row, mean := dst[i:i+d], c.mean[phase*d:(phase+1)*d]
			for j := range row {
				row[j] += c.share[j].value * c.unit[j] * float64(mean[j])
			}
		}
	}
}

// valueAt returns the present estimate of the season of variable j, k samples after the last one:
// the sum over cycles of share * unit * shape.
func (s *seasons) valueAt(j, k int) (sum float64) {
	for _, c := range s.cycles {
		if share := c.share[j].value; share > 0 {
			sum += share * c.unit[j] * float64(c.At(k)[j])
		}
	}
	return sum
}

func (s *seasons) interrupt(*autoSeries) {
	s.time, s.before, s.alike = 0, 0, 0
	s.Keep(func(c *cycle) bool { return c.span > 0 || c.given })
	for _, c := range s.cycles {
		c.interrupt()
	}
	if s.heritage != nil {
		s.heritage.interrupt()
	}
}

// sharesTo appends the shares of all cycles to dst.
func (s *seasons) sharesTo(dst []float64) []float64 {
	for _, c := range s.cycles {
		for j := range c.share {
			dst = append(dst, c.share[j].value)
		}
	}
	return dst
}

// appendPeriods appends the periods of the said cycles to dst, strongest first. With sure, it appends only the periods of
// sure cycles.
func (s *seasons) appendPeriods(dst []int, sure bool) []int {
	first := len(dst)
	for _, c := range s.cycles {
		if !c.said || sure && !c.sure {
			continue
		}
		i := len(dst)
		dst = append(dst, c.period)
		for ; i > first && s.find(dst[i-1]).strength() < c.strength(); i-- {
			dst[i] = dst[i-1]
		}
		dst[i] = c.period
	}
	return dst
}

func (s *seasons) stateOf(c *snapshot.Codec, of *autoSeries) {
	if s.State(c); c.Err() != nil {
		return
	}
	has := of.remainder != nil
	c.Bool(&has)
	if c.Decoding() {
		of.remainder = nil
		if has {
			of.remainder = newRemainder(of)
		}
	}
	if has {
		of.remainder.State(c)
	}
}

func (s *seasons) State(c *snapshot.Codec) {
	c.Section("seasons")
	for _, v := range []*int64{&s.time, &s.before, &s.spacing, &s.since} {
		c.Int64(v)
	}
	c.Index(&s.alike, alikeSpacings)
	for _, v := range []*int{&s.count, &s.longest, &s.known} {
		c.Int(v)
	}
	n := len(s.cycles)
	c.Len(&n, len(naturalSpans)+freeCycles+2)
	if c.Decoding() {
		s.cycles = nil
	}
	for i := range n {
		period := 0
		if !c.Decoding() {
			period = s.cycles[i].period
		}
		c.Index(&period, check.MaxPeriod+1)
		if c.Err() != nil {
			return
		}
		if c.Decoding() {
			if period < 1 {
				c.Fail("seasons: a period of %d", period)
				return
			}
			s.add(newCycle(s.dim, period))
		}
		s.cycles[i].State(c)
	}
	c.Float64s(s.last)
	inherits := s.heritage != nil
	if c.Bool(&inherits); c.Decoding() {
		s.heritage = nil
		if inherits {
			s.heritage = newHeritage(0, s.dim)
		}
	}
	if inherits {
		s.heritage.State(c, s.dim)
	}
	s.active = false
	for _, o := range s.cycles {
		o.check()
		s.active = s.active || o.active
	}
}

// has reports whether a cycle has a share for variable j.
func (s *seasons) has(j int) bool {
	return slices.ContainsFunc(s.cycles, func(c *cycle) bool { return c.share[j].value > 0 })
}

// hasOwn reports whether a cycle whose shape is not inherited has a share for variable j.
func (s *seasons) hasOwn(j int) bool {
	return slices.ContainsFunc(s.cycles, func(c *cycle) bool { return !c.heir && c.share[j].value > 0 })
}
