package auto

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/varmodel/series"
)

const (
	remainderLags   = 8   // least number of samples in remainder.past; frame.recent goes further back
	remainderChange = .25 // change of the shares for a new computation: sum over the cycles, mean over the variables
	mixtureKeep     = .3  // factor of the weight of outcomes in the mixtures when experts begin to forecast with a season
	remainderEvery  = 64  // smallest number of samples between two computations of the remainder
	remainderKeep   = .02 // factor of the weight of samples in the source at a computation
)

// remainder is a series minus its season. The source and all forecasts of more than one step use the remainder; the
// season of the target is added to their forecasts. The remainder has its own units, because a strong season makes
// its steps much smaller than the steps of the series.
type remainder struct {
	frame  *frame
	past   *series.History
	season []float64 // dim: season of the next sample
	shares []float64 // cycles x dim: shares of the cycles at the last computation
	age    int       // samples since the last computation
	broken bool      // the next sample follows a break
	moved  []float64 // dim: change of the sample before the last by this computation, while age is 0; nil: the smoothers begin again
	z      []float64 // scratch
}

func newRemainder(s *autoSeries) *remainder {
	d := s.m.cfg.Dim
	r := &remainder{past: series.NewHistory(d, max(remainderLags, s.m.order)), season: make([]float64, d), z: make([]float64, d)}
	r.frame = newFrame(d, s.m.order, s.m.recent(), series.NewScaler(d), newLocalMean(d), s.frame.inputs)
	r.frame.past = *r.past
	return r
}

// follow updates the season with the last sample. Then it appends the last sample to the remainder, or computes the
// remainder again.
func (s *seasons) follow(of *autoSeries) {
	y := of.past.Lag(0)
	s.Observe(of.scaler.Inverse)
	rescaled := s.heritage != nil && s.heritage.follow(of)
	r := of.remainder
	if r == nil && !s.active {
		return
	}
	enough := of.past.Count >= min(of.total/2, of.m.memory)
	if r == nil || enough && (rescaled || r.age >= remainderEvery && r.changed(s)) {
		if enough {
			of.computeRemainder()
		}
		return
	}
	for j, v := range y {
		r.z[j] = v - s.last[j]
	}
	r.Push(r.z)
	r.age++
}

// changed reports whether the shares of the cycles have changed by more than remainderChange since the last
// computation.
func (r *remainder) changed(q *seasons) bool {
	d := len(r.z)
	if len(q.cycles)*d != len(r.shares) {
		return true
	}
	var sum float64
	for k, c := range q.cycles {
		for j, then := range r.shares[k*d : (k+1)*d] {
			sum += math.Abs(c.share[j].value - then)
		}
	}
	return sum > remainderChange*float64(d)
}

// change adds by to the sample of variable j at a lag.
func (r *remainder) change(lag, j int, by float64) {
	if r.frame.recent.change(lag, j, by); lag < r.past.Depth {
		r.past.Lag(lag)[j] += by
	}
}

// Push appends a sample of the remainder.
func (r *remainder) Push(z []float64) {
	f := r.frame
	r.past.Push(z, z)
	if r.broken {
		r.broken = false
		for j, v := range z {
			r.past.Fill(j, v)
			f.recent.clear(j)
		}
		f.local.restart(z)
	}
	f.recent.Push(r.past.Lag(0), r.past.Lag(1))
	f.local.Add(z)
	f.scaler.Add(z)
}

// computeRemainder computes the remainder of all samples in the past with the present season, and updates the source
// with it. Means and ranges come from the series, which covers more samples. This is valid because a season has mean 0.
func (s *autoSeries) computeRemainder() {
	q, source := s.seasons, s.m.source
	if source != nil {
		source.yuleWalker.add(s.frameOf(source).recent, 0)
		source.discount(remainderKeep)
	}
	r := newRemainder(s)
	f := r.frame
	r.shares = q.sharesTo(nil)
	for l := min(s.past.Count, s.past.Depth) - 1; l >= 0; l-- {
		q.to(r.season, -l)
		for j, v := range s.past.Lag(l) {
			r.z[j] = v - r.season[j]
		}
		if source != nil && r.past.Count > 2 {
			f.setTargets(incrementTarget, r.z)
			learn := source.yuleWalker.take
			if l == 0 {
				source.yuleWalker.solveNext()
				learn = source.yuleWalker.learn
			}
			learn(f.targets[incrementTarget], s.past.ObservedAt(l), f)
		}
		r.Push(r.z)
		f.past.AlignWith(r.past)
		f.prepare()
	}
	from, to := s.scaler, f.scaler
	copy(to.Weight, from.Weight)
	copy(to.Variance, from.Variance)
	copy(to.Sd, from.Sd)
	if min(s.past.Count, s.past.Depth) < s.total { // else the mean of the remainder covers all samples, and is better
		copy(to.Mean, from.Mean)
	}
	for j := range r.z {
		to.Low[j], to.High[j] = min(to.Low[j], from.Low[j]), max(to.High[j], from.High[j])
	}
	to.Derive()
	if q.ofClock() {
		s.panel.mixture.discount(mixtureKeep)
	}
	if s.multihorizon != nil && s.remainder == nil {
		s.multihorizon.begin()
	}
	if s.remainder != nil && q.heritage == nil { // else the errors come from a season whose amplitude was not known
		r.moved = make([]float64, len(r.z))
		for j, v := range r.past.Lag(1) {
			r.moved[j] = v - s.remainder.past.Lag(0)[j]
		}
	}
	s.remainder = r
	s.chooseSeason()
	if s.multihorizon != nil {
		s.renewLags(1)
	}
}

// chooseSeason sets the season of the forecasts of more than one step to the strongest season that fits into the past.
// A configured season stays.
func (s *autoSeries) chooseSeason() {
	o := s.multihorizon
	if o == nil || s.m.cfg.Season != 0 {
		return
	}
	o.season = 0
	for _, p := range s.seasons.appendPeriods(nil, false) {
		if p < s.past.Depth {
			o.season = p
			break
		}
	}
}

// rest returns the frame of the remainder, or the frame of the series if there is no remainder.
func (s *autoSeries) rest() *frame {
	if s.remainder != nil {
		return s.remainder.frame
	}
	return s.frame
}

// frameOf returns the frame for expert e: rest for the source, else the frame of the series.
func (s *autoSeries) frameOf(e *expert) *frame {
	if e.source {
		return s.rest()
	}
	return s.frame
}

// forecast prepares the frame of the remainder and the season of the next sample.
func (s *seasons) forecast(of *autoSeries) {
	r := of.remainder
	if r == nil {
		return
	}
	r.frame.past.AlignWith(r.past)
	r.frame.prepare()
	s.to(r.season, 1)
}

// setTargets sets the target of the source from the next sample y of the series.
func (r *remainder) setTargets(y []float64) {
	for j, v := range y {
		r.z[j] = v - r.season[j]
	}
	r.frame.setTargets(incrementTarget, r.z)
}

// addSeason adds the season of the next sample to a forecast of the remainder, within the range of s.
func (r *remainder) addSeason(forecast []float64, s *series.Scaler) {
	for j, v := range r.season {
		forecast[j] = s.Within(j, forecast[j]+v, 0)
	}
}

// pastRemainder computes the remainder in the past, for refits of experts that use forecasts of the source.
type pastRemainder struct {
	frame      *frame
	past       *series.History
	begun      bool
	z, now, to []float64
}

func newPastRemainder(s *autoSeries) *pastRemainder {
	d := s.m.cfg.Dim
	p := &pastRemainder{past: series.NewHistory(d, remainderLags), z: make([]float64, d), now: make([]float64, d), to: make([]float64, d)}
	p.frame = newFrame(d, 1, s.m.recent(), nil, nil, nil)
	p.frame.past = *p.past
	return p
}

// longTo writes the increments forecast by the source after the sample at lag back, in typical steps, dim. Call it for
// consecutive lags.
func (p *pastRemainder) longTo(dst, out []float64, s *autoSeries, back int) {
	f, r := p.frame, s.remainder
	f.scaler, f.local = r.frame.scaler, r.frame.local
	first := back
	if !p.begun {
		p.begun = true
		first = min(back+f.recent.count, min(s.past.Count, s.past.Depth)-1)
	}
	for l := first; l >= back; l-- {
		s.seasons.to(p.now, -l)
		for j, v := range s.past.Lag(l) {
			p.z[j] = v - p.now[j]
		}
		p.past.Push(p.z, p.z)
		f.recent.Push(p.past.Lag(0), p.past.Lag(1))
	}
	f.past.AlignWith(p.past)
	f.prepare()
	s.m.source.forecastTo(dst, out, nil, f)
	s.seasons.to(p.to, 1-back)
	for j, v := range p.to {
		dst[j] = (dst[j] + v - p.now[j] - p.z[j]) * s.scaler.PerStep[j]
	}
}

// State saves or restores the results of longTo. They cannot be computed again, because the shapes of the cycles have
// changed.
func (p *pastRemainder) State(c *snapshot.Codec) {
	c.Bool(&p.begun)
	p.past.State(c)
	c.Float64s(p.frame.recent.rows(0))
}

func (r *remainder) State(c *snapshot.Codec) {
	c.Section("remainder")
	f := r.frame
	f.scaler.State(c)
	f.local.State(c)
	r.past.State(c)
	c.Float64s(f.recent.rows(0))
	c.Float64s(f.long)
	n := len(r.shares)
	c.Len(&n, (len(naturalSpans)+freeCycles+2)*len(r.z))
	if c.Decoding() {
		r.shares = make([]float64, n)
	}
	c.Float64s(r.shares)
	c.Float64s(r.season)
	c.Int(&r.age)
	c.Bool(&r.broken)
	if c.Decoding() {
		f.past = *r.past
		f.prepare()
	}
}
