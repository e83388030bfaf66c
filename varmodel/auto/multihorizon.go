package auto

import (
	"math"
	"strconv"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/varmodel/internal/check"
	"github.com/orffvar/forecaster/varmodel/internal/regression"
	"github.com/orffvar/forecaster/varmodel/series"
)

// Experts of each anchor horizon h.
const (
	repeatLast   = iota // persistence plus the believed part of the trend
	meanOfPast          // running mean
	meanOfLately        // local mean
	iterated            // source, iterated on its own forecasts
	iteratedAll         // one-step mixture, iterated on its own forecasts
	ownPast             // lagRegression of each coordinate on its own past
	direct              // direct regression of the increment over h steps
	lastSeason          // last observed value a whole number of seasons before the target
	seasonStep          // lastSeason plus the change of the last value over one season
	directLocal         // direct regression of the deviation from the local mean
	anchorExperts
)

// Paths that shape the forecasts between two anchors. A path has the weight of its expert at both anchors; see
// sharePaths.
const (
	sourcePath  = iota // iterated source
	mixturePath        // iterated mixture
	ownPath            // lag regression
	seasonPath         // last season
	paths
)

// shorterTerms is the weight of the next shorter anchor in the factor of an anchor, in terms; see shrink.
const shorterTerms = 3

// singleErrors is the number of standard errors subtracted in the shrinkage of one coordinate. The shrinkage of all
// coordinates together subtracts 1.
const singleErrors = 2

// multihorizon is the stage of the forecasts of more than one step. It forecasts the remainder of the series, and
// adds the season of the target at the end. A mixture at each anchor horizon combines simple forecasts, the iterated
// source, the iterated mixture and direct learners. Mixture and learners are updated when the target is observed.
//
// A forecast between two anchors is the linear interpolation of the anchors, plus for each path
//
//	weight * scale * (path - linear interpolation of the path);
//
// see sharePaths for weight and follow for scale.
type multihorizon struct {
	direct  *directLearners
	horizon int      // last anchor, >= the horizon of the model
	season  int      // samples per season; 0: no season is known
	seasons *seasons // seasons of the series; without cycles if the model has no seasons

	anchors   []anchor
	lags      *lagRegression
	trends    *trends
	noOwnPast bool // true: the last value replaces lags.path, because the ingredient is left out
	made      int  // number of origins so far = number of the next origin
	count     int  // origins since the last break. Invariant: 0 <= count <= horizon

	iteratedPath []float64  // horizon x dim: forecasts of the iterated source
	seasonPath   []float64  // horizon x dim: repetition of the last season; without a season, the last value
	iterates     bool       // true: the iterated mixture is an expert
	mixture      *iteration // iterated one-step mixture
	pathWeights  []float64  // anchors x paths x dim: weights of the paths in the interpolation
	atAnchors    []float64  // anchors x dim: forecasts of the remainder
	ahead        []float64  // horizon x dim: seasons of the next samples; 0 without a season
	phi          []float64  // scratch: features of the direct learners
	recent       []float64  // scratch of iterate: rows of forecast increments, then rows of observed increments
	values       []float64  // scratch, dim
	out          []float64  // scratch, dim
	target       []float64  // scratch, dim
	all          []float64  // scratch, horizon x dim
}

func newMultihorizon(m *auto, q *seasons, calendar bool) *multihorizon {
	g, work := m.direct, m.work
	d, horizon := g.dim, g.steps[len(g.steps)-1]
	o := &multihorizon{
		direct: g, horizon: horizon, seasons: q, season: m.cfg.Season,
		iteratedPath: lanes.Rows(horizon, d), mixture: newIteration(m, horizon), iterates: m.has(partIterate),
		seasonPath:  make([]float64, horizon*d),
		pathWeights: make([]float64, paths*len(g.steps)*d),
		atAnchors:   make([]float64, len(g.steps)*d),
		phi:         make([]float64, g.Features()),
		recent:      vec.Aligned((horizon + m.recent()) * strideOf(d)),
		values:      lanes.Rows(1, d),
		out:         make([]float64, d),
		target:      make([]float64, d),
		ahead:       make([]float64, horizon*d),
		all:         make([]float64, horizon*d),
		lags:        newLagRegression(d, horizon, m.cfg.Season, work),
		trends:      newTrends(d, g.steps, m.has(partTrend)),
		noOwnPast:   !m.has(partOwn),
	}
	for _, h := range g.steps {
		o.anchors = append(o.anchors, newAnchor(m, h, calendar))
	}
	return o
}

// learn updates the anchors with the errors of all forecasts whose target is of.sample (NaN where missing).
func (o *multihorizon) learn(s *autoSeries, of *outcome) {
	scaler := s.rest().scaler // statistics before the sample
	if s.calendar != nil {
		s.calendar.look(s.seasons, 1)
	}
	for k := range o.anchors {
		a := &o.anchors[k]
		if o.count < a.horizon {
			break
		}
		p, every := a.origin(o.made), a.rounds.length(a.mixture.steps, scaler)
		if s.calendar != nil {
			s.calendar.learnAnchor(s, k, &p.calendar, of.sample, every)
		}
		o.learnAnchor(k, p, of.sample, every)
	}
}

// learnAnchor updates anchor k with the outcome of its forecasts at the origin p. every is the number of outcomes per
// round.
func (o *multihorizon) learnAnchor(k int, p *origin, sample []float64, every int) {
	g, a, y := o.direct, &o.anchors[k], o.target
	m := a.mixture
	for j, v := range sample {
		y[j] = v - p.season[j]
	}
	m.setRounds(every)
	a.shrinkage.every = every
	o.trends.learn(k, every, y, p)
	start := p.forecasts[repeatLast*g.dim:][:g.dim]
	if !p.awake {
		a.abstain(p.forecasts)
	}
	m.forecastTo(o.out, start, p.forecasts)
	m.setOut(p.mixed)
	a.shrinkage.Observe(m, y, start, start)
	for j, v := range y {
		if t := &a.single[j]; t.addOf(m, j, v-start[j], 0) {
			t.every = every
			t.endOutcome()
			unit := m.steps.Inverse[j]
			a.preferences[j].learn((v-p.shrunk[j])*unit, (v-p.smooth[j])*unit, every)
		}
	}
	m.Observe(y, start, true)

	learner := g.learners[k]
	learner.PredictTo(g.out, p.phi)
	any := false
	for j, v := range y {
		e, local := &g.out[j], &g.out[g.dim+j]
		if math.IsNaN(v) {
			*e, *local = 0, 0
			continue
		}
		any = true
		*e = inUnits(v-p.last[j], a.root*p.step[j]) - *e
		*local = inUnits(v-p.local[j], p.sd[j]) - *local
	}
	if any {
		learner.Update(p.phi, g.out)
	}
}

// inUnits returns v / unit, clipped to ±regression.TargetLimit; 0 if unit is 0, because nothing has moved yet.
func inUnits(v, unit float64) float64 {
	if unit == 0 {
		return 0
	}
	return lanes.Clip(v/unit, regression.TargetLimit)
}

// forecast makes the forecasts of the remainder of s at all anchors.
func (o *multihorizon) forecast(s *autoSeries) {
	whole, f, source := s.frame, s.rest(), s.m.source
	o.direct.FeaturesTo(o.phi, f)
	last := f.past.Lag(0)
	seen := whole.past.ObservedAt(0)
	if whole != f {
		o.seasons.AheadTo(o.ahead)
	}
	o.lags.Push(last, seen)
	o.lags.learn(f.scaler)
	o.trends.predict(f, whole.past.Seen, s.smoothing)
	o.lags.predict(f.scaler, o.trends.ahead)
	if o.noOwnPast {
		for h := range o.horizon {
			copy(o.lags.path[h*len(last):(h+1)*len(last)], last)
		}
	}
	o.iterate(f, source)
	o.repeatSeason(whole, last)
	o.shrink()
	o.mixture.forecast(s, o.wake(s.total), o.ahead, o.iteratedPath)
	for k := range o.anchors {
		p := o.anchors[k].origin(o.made)
		o.expertsTo(p, k, whole, f)
		o.combine(k, p, s)
	}
	if s.calendar != nil {
		s.calendar.correctAnchors(s, o)
	}
	o.made++
	o.count = min(o.count+1, o.horizon)
}

// expertsTo fills the origin p with the forecasts of the experts of anchor k, and with their inputs. whole is the frame
// of the series, f the frame of its remainder.
func (o *multihorizon) expertsTo(p *origin, k int, whole, f *frame) {
	g := o.direct
	d, h, root, last := g.dim, g.steps[k], o.anchors[k].root, f.past.Lag(0)
	copy(p.phi, o.phi)
	if n := 3 * g.inputs; n > 0 {
		f.inputs.AheadTo(p.phi[len(p.phi)-n:], h)
	}
	copy(p.last, last)
	copy(p.local, f.local.mean)
	copy(p.sd, f.local.sd)
	copy(p.step, f.scaler.Rms)
	copy(p.season, o.ahead[(h-1)*d:])
	copy(p.trend, o.trends.increments[k*d:])
	moves := o.trends.moves[k*d : (k+1)*d]
	at := func(expert int) []float64 { return p.forecasts[expert*d : (expert+1)*d] }
	for j, v := range moves {
		at(repeatLast)[j] = last[j] + v
	}
	then := o.seasonPath[(h-1)*d : h*d]
	copy(at(lastSeason), then)
	copy(at(seasonStep), then)
	if o.repeats(whole) {
		for j, v := range whole.past.Lag(o.season) {
			at(seasonStep)[j] += whole.past.Lag(0)[j] - v
		}
	}
	copy(at(meanOfPast), f.scaler.Mean)
	copy(at(meanOfLately), p.local)
	copy(at(ownPast), o.lags.path[(h-1)*d:h*d])
	copy(at(iterated), o.iteratedPath[(h-1)*d:h*d])
	if copy(at(iteratedAll), o.mixture.path[(h-1)*d:h*d]); !p.awake {
		copy(at(iteratedAll), at(iterated)) // until abstain
	}
	g.learners[k].PredictTo(g.out, p.phi)
	for j, x := range last {
		limit, move := regression.OutputLimit*root*p.step[j], moves[j]
		v := finiteOr(g.out[j], 0) * root * p.step[j]
		at(direct)[j] = f.scaler.Within(j, x+series.ClipTo(v, move-limit, move+limit), move)
		v = p.local[j] + p.sd[j]*finiteOr(g.out[d+j], 0)
		at(directLocal)[j] = f.scaler.Within(j, v, move)
	}
}

// combine sets the forecasts of anchor k from the experts in the origin p. For each coordinate,
//
//	start    = last + moves
//	shrunk   = start + max(common factor, own factor) * (mixture - start)
//	forecast = shrunk + preference * (smoothing - shrunk)
//
// After a shift the forecast is the last value; see gate.shifted.
func (o *multihorizon) combine(k int, p *origin, s *autoSeries) {
	d, a := o.direct.dim, &o.anchors[k]
	start := p.forecasts[repeatLast*d:][:d]
	forecast := o.atAnchors[k*d : (k+1)*d]
	if !p.awake {
		a.abstain(p.forecasts)
	}
	a.mixture.forecastTo(forecast, start, p.forecasts)
	a.mixture.outTo(p.mixed)
	for j, v := range p.last {
		p.smooth[j] = v + s.smoothing.ahead(j, a.horizon, a.responses)
	}
	for j, v := range forecast {
		shrunk := max(a.factor, a.single[j].factor)
		v = start[j] + shrunk*finiteOr(v-start[j], 0)
		p.shrunk[j] = v
		forecast[j] = v + a.preferences[j].weight*(p.smooth[j]-v)
		o.sharePaths(k, j, p.awake)
		if s.gate.shifted(j, a.horizon) {
			forecast[j] = p.last[j]
			for n := range paths {
				o.pathWeights[(k*paths+n)*d+j] = 0
			}
		}
	}
}

// shrink computes the factors of the anchors in ascending order, because shorter horizons have more terms:
//
//	factor_k = (terms_k * own factor_k + shorterTerms * factor_{k-1}) / (terms_k + shorterTerms).
func (o *multihorizon) shrink() {
	var factor float64
	for k := range o.anchors {
		a := &o.anchors[k]
		t := &a.shrinkage
		factor = (t.terms*t.factor + shorterTerms*factor) / (t.terms + shorterTerms)
		a.factor = factor
	}
}

func positive(v float64) bool { return v > 0 }

// begin handles a change of the past, or the first season of the series: the mixtures now forecast the remainder. It drops
// the pending forecasts of the series as it was, and multiplies the weight of all outcomes by mixtureKeep.
func (o *multihorizon) begin() {
	o.count = 0
	for k := range o.anchors {
		o.anchors[k].discount(mixtureKeep)
	}
}

func (o *multihorizon) interrupt(*autoSeries) {
	o.count = 0
	o.lags.interrupt()
}

// stateOf saves or restores the anchors and the lag regression. A state saved with horizon 1 has no anchors. A lag
// regression saved with another horizon is not restored: a new one learns the past again.
func (o *multihorizon) stateOf(c *snapshot.Codec, s *autoSeries) {
	several := false
	c.Optional("multihorizon", func() { o.State(c); several = true })
	if !several {
		s.chooseSeason()
		s.smoothing.renew(s)
	}
	renew := c.Decoding()
	c.Optional("lags="+strconv.Itoa(o.horizon), func() {
		o.lags.State(c)
		renew = false
	})
	if renew {
		s.renewLags(0)
	}
}

// State saves or restores the anchors, each as an option, and the pending forecasts. If the saved horizon differs, the
// pending forecasts are dropped, and anchors that were not saved begin empty.
func (o *multihorizon) State(c *snapshot.Codec) {
	c.Section("multihorizon")
	c.Index(&o.season, check.MaxPeriod+1)
	o.trends.State(c)
	for k, h := range o.direct.steps {
		c.Optional(strconv.Itoa(h), func() {
			o.anchors[k].State(c)
			o.trends.anchorState(c, k)
		})
	}
	c.Optional("horizon="+strconv.Itoa(o.horizon), func() { o.originsState(c) })
	if c.Decoding() {
		o.shrink()
	}
}

func (o *multihorizon) originsState(c *snapshot.Codec) {
	c.Index(&o.made, math.MaxInt)
	c.Index(&o.count, o.horizon+1)
	for k := range o.anchors {
		for i := range o.anchors[k].origins {
			o.anchors[k].origins[i].State(c)
		}
	}
	for _, v := range [][]float64{o.iteratedPath, o.mixture.path, o.seasonPath, o.ahead, o.pathWeights, o.atAnchors} {
		c.Float64s(v)
	}
}
