package auto

import (
	"math"
	"slices"
	"strconv"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/sgd/online"
	"github.com/orffvar/forecaster/varmodel/internal/check"
	"github.com/orffvar/forecaster/varmodel/series"
)

const (
	calendarAfter  = 500 // samples before the learners begin, because they have many weights
	calendarShort  = 3   // harmonics of the shorter cycle
	calendarLong   = 2   // harmonics of the longer cycle
	calendarBoth   = 1   // harmonics of the shorter cycle that are multiplied by the first harmonic of the longer cycle
	calendarStates = 4   // 1, level, increment, surprise

	calendarRidge      = 4
	calendarForgetting = .9998 // weight of a sample after one step
	calendarEvery      = 32    // samples between two steps of a one-step learner
	calendarSteps      = 2     // steps of the horizon per unit of thinning; see thin
	calendarThin       = 8     // largest result of thin: a learner learns at least one outcome in calendarThin
	calendarLeast      = 16    // smallest number of outcomes between two steps of a learner
	calendarLimit      = 8     // limit of an absolute error, in typical errors
	calendarMemory     = 1000  // errors in the running mean of a typical error
	calendarYoung      = 3000  // samples during which all learners are awake; see awake
	calendarWorth      = .005  // smallest part of the mean squared error that an awake learner removes
	calendarTrial      = 8     // all learners are awake in one block of samples out of calendarTrial
	calendarBlock      = 64    // samples per block
	calendarDistance   = 4     // limit of a level and of an increment, in standard deviations
	calendarSurprise   = 2.5   // limit of the last error, in units of two typical steps
)

// calendar corrects forecasts whose errors depend on hour, weekday and level together. Seasons do not depend on the
// level, and experts do not depend on the hour. One regression per variable and horizon (1 and the anchors) forecasts
// the error e of the uncorrected forecast, in typical errors:
//
//	e = sum_i w_i(phase) (a_i + b_i level + c_i increment + d_i surprise),
//
// where w are waves of two cycles at the time of the target, level is the last value, increment is the forecast
// increment, and surprise is the last error. The kernel is the operator-valued kernel of Brault (2017, section 3.3), a
// product of a periodic kernel and a linear kernel. Frequencies on a circle are integers, so they need not be drawn.
//
// Corrections are shrunken like the forecasts of anchors. If the errors are noise, the corrections are 0.
type calendar struct {
	horizons []int // 1, then the anchor horizons
	periods  []int // periods of one or two cycles, in samples; the learners begin again when the periods change
	work     *online.Workspace

	learners []*online.BlockNewton // horizons x dim; nil: not begun
	errors   []typicalError        // horizons x dim
	factors  []shrinkage           // horizons x dim

	surprise []float64        // dim: last one-step errors, in units of two typical steps
	now      calendarForecast // one-step forecast that waits for its target
	phi      []float64        // dim x features: features of now; nil: not begun

	waves, features, out []float64 // scratch
}

// calendarForecast holds the forecasts for one horizon, the predicted errors of these forecasts, and the inputs of
// the predictions. All slices have length dim.
type calendarForecast struct {
	known                 bool
	last, level, surprise []float64
	base, said            []float64 // uncorrected forecasts; predicted errors, in typical errors, NaN if asleep
}

func newCalendarForecast(dim int) calendarForecast {
	v := make([]float64, 5*dim)
	return calendarForecast{
		last: v[:dim], level: v[dim : 2*dim], surprise: v[2*dim : 3*dim], base: v[3*dim : 4*dim], said: v[4*dim:],
	}
}

// typicalError is a running mean of absolute errors. After calendarMemory errors it forgets exponentially.
type typicalError struct {
	mean, count float64
	squares     float64 // sum of (error / mean)^2, with shrinkageForgetting
}

func (t *typicalError) add(e float64) {
	t.count = min(t.count+1, calendarMemory)
	t.mean += (math.Abs(e) - t.mean) / t.count
}

// in returns e / mean, clipped to ±calendarLimit; 0 if mean is 0.
func (t *typicalError) in(e float64) float64 {
	if t.mean == 0 {
		return 0
	}
	return lanes.Clip(e/t.mean, calendarLimit)
}

func newCalendar(m *auto) *calendar {
	d := m.cfg.Dim
	c := &calendar{
		horizons: []int{1}, work: &m.work.newton, surprise: make([]float64, d), now: newCalendarForecast(d),
		out: make([]float64, 1),
	}
	if m.direct != nil {
		c.horizons = append(c.horizons, m.direct.steps...)
	}
	return c
}

// begin allocates new learners for the cycles of c.periods.
func (c *calendar) begin(dim int) {
	n, waves := len(c.horizons)*dim, wavesOf(len(c.periods))
	size := waves * calendarStates
	c.waves, c.features = make([]float64, waves), make([]float64, size)
	c.learners = make([]*online.BlockNewton, n)
	for i := range c.learners {
		var err error
		c.learners[i], err = online.NewBlockNewton(online.BlockNewtonConfig{
			Features: size, Outputs: 1, Block: size, Every: max(calendarEvery/thin(c.horizons[i/dim]), calendarLeast),
			Ridge: calendarRidge, Forgetting: calendarForgetting, Workspace: c.work,
		})
		if err != nil {
			panic("varmodel: " + err.Error()) // the constants above are valid
		}
	}
	c.phi = make([]float64, dim*size)
	c.errors, c.factors = make([]typicalError, n), slices.Repeat([]shrinkage{{every: 1, errors: 1}}, n)
	c.now.known = false
}

// begun reports whether there are learners. It replaces the learners when the periods of the cycles change.
func (c *calendar) begun(s *autoSeries) bool {
	if s.total < calendarAfter {
		return false
	}
	cycles := s.seasons.turns()
	if !slices.EqualFunc(c.periods, cycles, func(period int, t *cycle) bool { return period == t.period }) {
		c.periods, c.learners = c.periods[:0], nil
		for _, t := range cycles {
			c.periods = append(c.periods, t.period)
		}
		if len(cycles) > 0 {
			c.begin(s.m.cfg.Dim)
		}
	}
	return c.learners != nil
}

// wavesOf returns the number of waves of one or two cycles.
func wavesOf(cycles int) int {
	if cycles < 2 {
		return 1 + 2*calendarShort
	}
	return 1 + 2*calendarShort + 2*calendarLong + 4*calendarBoth
}

// look sets c.waves to the waves h samples after the last sample.
func (c *calendar) look(s *seasons, h int) {
	cycles := s.turns()
	if len(cycles) == 0 || len(c.waves) != wavesOf(len(cycles)) {
		return // there are no learners, or they begin again
	}
	c.waves[0] = 1
	short := c.waves[1:]
	wavesTo(short, calendarShort, cycles[0], h)
	if len(cycles) < 2 {
		return
	}
	long := short[2*calendarShort:]
	wavesTo(long, calendarLong, cycles[1], h)
	both := long[2*calendarLong:]
	for i := range 2 * calendarBoth {
		both[2*i], both[2*i+1] = long[0]*short[i], long[1]*short[i]
	}
}

// wavesTo writes cos(k a), sin(k a) for k = 1 … harmonics, where a is the angle of cycle c h samples after the last
// sample.
func wavesTo(dst []float64, harmonics int, c *cycle, h int) {
	sin, cos := math.Sincos(2 * math.Pi * float64(c.phaseAfter(h)) / float64(c.period))
	x, y := cos, sin
	for k := range harmonics {
		dst[2*k], dst[2*k+1] = x, y
		x, y = x*cos-y*sin, x*sin+y*cos
	}
}

// featuresOf returns the part of c.phi for variable j.
func (c *calendar) featuresOf(j int) []float64 {
	n := len(c.features)
	return c.phi[j*n : (j+1)*n]
}

// featuresTo writes the features of the forecast p of variable j from c.waves. Call look first.
func (c *calendar) featuresTo(phi []float64, p *calendarForecast, s *series.Scaler, j int) {
	level, surprise := p.level[j], p.surprise[j]
	increment := lanes.Clip((p.base[j]-p.last[j])*s.Inverse[j], calendarDistance)
	for k, w := range c.waves {
		to := phi[k*calendarStates:][:calendarStates]
		to[0], to[1], to[2], to[3] = w, w*level, w*increment, w*surprise
	}
}

// forecast corrects the one-step forecasts.
func (c *calendar) forecast(s *autoSeries) {
	p := &c.now
	copy(p.base, s.next)
	if p.known = c.begun(s); !p.known {
		return
	}
	copy(p.last, s.past.Lag(0))
	copy(p.surprise, c.surprise)
	for j, v := range p.last {
		p.level[j] = lanes.Clip((v-s.scaler.Mean[j])*s.scaler.Inverse[j], calendarDistance)
	}
	c.look(s.seasons, 1)
	for j := range p.base {
		phi := c.featuresOf(j)
		s.next[j] = c.correct(phi, p, s, j, 0)
	}
}

// correct predicts the error p.said[j] and returns the corrected forecast of variable j. horizon is an index of
// c.horizons.
func (c *calendar) correct(phi []float64, p *calendarForecast, s *autoSeries, j, horizon int) float64 {
	at := horizon*len(p.last) + j
	if p.said[j] = math.NaN(); !c.awake(s, at) {
		return p.base[j]
	}
	c.featuresTo(phi, p, s.scaler, j)
	c.learners[at].PredictTo(c.out, phi)
	p.said[j] = lanes.Clip(c.out[0], calendarLimit)
	by := c.factors[at].factor * p.said[j] * c.errors[at].mean
	if by == 0 {
		return p.base[j]
	}
	return s.scaler.Within(j, p.base[j]+by, p.base[j]-p.last[j])
}

// awake reports whether the learner at index at predicts and learns. A learner with little effect sleeps, except in
// trial blocks.
func (c *calendar) awake(s *autoSeries, at int) bool {
	t := &c.factors[at]
	return s.total < calendarYoung || s.total/calendarBlock%calendarTrial == 0 ||
		t.factor > 0 && t.xy*t.xy > calendarWorth*t.xx*c.errors[at].squares
}

// correctAnchors corrects o.atAnchors, the forecasts of the remainder at the anchors.
func (c *calendar) correctAnchors(s *autoSeries, o *multihorizon) {
	d := len(c.now.last)
	for k := range o.anchors {
		origin := o.anchors[k].origin(o.made)
		p := &origin.calendar
		if p.known = c.now.known; !p.known {
			continue
		}
		copy(p.last, c.now.last)
		copy(p.level, c.now.level)
		copy(p.surprise, c.now.surprise)
		c.look(s.seasons, o.anchors[k].horizon)
		forecasts := o.atAnchors[k*d : (k+1)*d]
		for j, season := range origin.season {
			p.base[j] = forecasts[j] + season
			if v := c.correct(c.features, p, s, j, k+1); !s.gate.shifted(j, o.anchors[k].horizon) {
				forecasts[j] = v - season
			}
		}
	}
}

// learn updates the one-step learners with the errors of the last one-step forecast.
func (c *calendar) learn(s *autoSeries, o *outcome) {
	for j, v := range o.target {
		e := v - c.now.base[j]
		if c.surprise[j] = 0; !s.pending || e != e {
			continue
		}
		c.surprise[j] = lanes.Clip(e*s.scaler.PerStep[j]/2, calendarSurprise)
		if c.now.known && c.learners != nil && c.now.said[j] == c.now.said[j] {
			c.score(j, e, c.now.said[j])
			c.teach(c.featuresOf(j), j, e)
		}
	}
}

// learnAnchor updates the learners of anchor k with the errors of the forecasts p, whose target is sample. every is
// the number of outcomes per term of the shrinkage. Call look first.
func (c *calendar) learnAnchor(s *autoSeries, k int, p *calendarForecast, sample []float64, every int) {
	if !p.known || c.learners == nil {
		return
	}
	taught := teaches(s.total, thin(c.horizons[k+1]))
	for j, v := range sample {
		e := v - p.base[j]
		if e != e || p.said[j] != p.said[j] {
			continue
		}
		at := (k+1)*len(sample) + j
		c.factors[at].every = every
		c.score(at, e, p.said[j])
		if taught {
			c.featuresTo(c.features, p, s.scaler, j)
			c.teach(c.features, at, e)
		}
	}
}

// thin returns the largest power of two n <= max(1, horizon / calendarSteps), at most calendarThin. A learner learns
// one outcome in n, because the outcomes of long horizons are correlated.
func thin(horizon int) int {
	n := 1
	for n < calendarThin && 2*n <= horizon/calendarSteps {
		n *= 2
	}
	return n
}

// teaches reports whether the learners learn from a sample. It is true for one sample in n. Multiples of the golden
// ratio select all phases of a cycle equally often.
func teaches(sample, n int) bool {
	const golden = 0x9e3779b97f4a7c15
	return uint64(sample)*golden>>32%uint64(n) == 0
}

// score updates the typical error and the shrinkage of a learner with an error e and its prediction said.
func (c *calendar) score(at int, e, said float64) {
	t := &c.errors[at]
	t.add(e)
	e = lanes.Clip(t.in(e), shrinkageLimit)
	t.squares = shrinkageForgetting*t.squares + e*e
	c.factors[at].add(said, e)
	c.factors[at].endOutcome()
}

// teach updates the learner at index at with the error e. Call score first.
func (c *calendar) teach(phi []float64, at int, e float64) {
	c.learners[at].PredictTo(c.out, phi)
	c.out[0] = c.errors[at].in(e) - c.out[0]
	c.learners[at].Update(phi, c.out)
}

func (c *calendar) discount(keep float64) {
	for _, l := range c.learners {
		l.Discount(keep)
	}
}

func (c *calendar) interrupt(*autoSeries) {
	clear(c.surprise)
	c.now.known = false
}

func (c *calendar) stateOf(s *snapshot.Codec, of *autoSeries) {
	s.Section("calendar")
	d := of.m.cfg.Dim
	n, begun := len(c.periods), c.learners != nil
	s.Len(&n, 2)
	if s.Decoding() {
		c.periods = make([]int, n)
	}
	for i := range c.periods {
		s.Index(&c.periods[i], check.MaxPeriod+1)
	}
	s.Float64s(c.surprise)
	s.Float64s(c.now.base)
	if s.Bool(&begun); !begun {
		return
	}
	if s.Decoding() {
		c.begin(d)
	}
	c.now.State(s)
	s.Float64s(c.phi)
	for k, h := range c.horizons {
		s.Optional(strconv.Itoa(h), func() {
			for at := k * d; at < (k+1)*d; at++ {
				s.Float64(&c.errors[at].mean)
				s.Float64(&c.errors[at].count)
				s.Float64(&c.errors[at].squares)
				c.factors[at].State(s)
				c.learners[at].State(s)
			}
		})
	}
}

func (p *calendarForecast) State(c *snapshot.Codec) {
	c.Bool(&p.known)
	for _, v := range [][]float64{p.last, p.level, p.surprise, p.base, p.said} {
		c.Float64s(v)
	}
}
