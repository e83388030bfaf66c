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

// The experts of each anchor horizon h.
const (
	repeatLast   = iota // persistence, plus the trend as far as it is believed
	meanOfPast          // running mean
	meanOfLately        // local mean
	iterated            // source expert, iterated on its own forecasts
	iteratedAll         // one-step mixture, iterated on its own forecasts
	ownPast             // lagRegression
	direct              // direct regression of the increment over h steps
	lastSeason          // value one season before the target
	seasonStep          // last value plus the increment over h steps one season before
	directLocal         // direct regression of the deviation from the local mean
	anchorExperts
)

// The paths that shape the forecasts between two anchors. Each path has the weight of its expert at
// the anchors.
const (
	sourcePath  = iota // iterated source
	mixturePath        // iterated mixture
	ownPath            // lag regression
	seasonPath         // last season
	paths
)

// shorterTerms is the number of terms that the next shorter anchor counts for in the factor of an
// anchor; see shrink.
const shorterTerms = 3

// singleErrors is the number of standard errors subtracted in the shrinkage of one coordinate. In the
// shrinkage of all coordinates together it is 1.
const singleErrors = 2

// longestAnchor is the anchor of check.MaxHorizon.
const longestAnchor = 12_288

// anchors returns the anchor horizons: 2, 3, 4, 6, 8, 12, 16, … up to the first one that is not below
// horizon, none for horizon 1. A longer horizon only appends anchors, so it does not change the
// forecasts of shorter ones.
func anchors(horizon int) []int {
	var a []int
	for h := 2; horizon > 1; {
		a = append(a, h)
		if h >= horizon {
			break
		}
		switch {
		case h < 4:
			h++
		case h&(h-1) == 0:
			h += h / 2
		default:
			h += h / 3
		}
	}
	return a
}

// multihorizon makes the forecasts of more than one step ahead. It forecasts the remainder of the
// series; the season of the target is added at the end. At each anchor horizon it mixes simple
// forecasts, the iterated source, the iterated mixture and direct learners. Each of these is scored,
// and learns, when its target is observed.
//
// Forecasts between two anchors lie on the straight line between them, plus the deviation of each
// path from its own straight line, times the weight of the path; see sharePaths for the weights.
type multihorizon struct {
	direct  *directLearners
	horizon int      // the last anchor
	season  int      // samples; 0: none known
	seasons *seasons // nil: the model has no seasons

	mixtures    []*mixture   // for each anchor
	rounds      []rounds     // of each mixture
	shrinkages  []shrinkage  // for each anchor: shrinkage of the mixture towards last + moves
	single      []shrinkage  // anchors x dim: the same for one coordinate alone
	factors     []float64    // for each anchor; see shrink
	preferences []preference // anchors x dim: smoothing over the shrunken mixture
	lags        *lagRegression
	trends      *trends
	noOwnPast   bool     // lags.path is replaced by the last value: the ingredient is left out
	origins     []origin // ring; its length is the last anchor
	next        int      // index in the ring of the next origin
	count       int      // origins in the ring

	iteratedPath []float64  // horizon x dim: forecasts of the iterated source
	seasonPath   []float64  // horizon x dim: repetition of the last season; the last value without one
	iterates     bool       // the iterated mixture is an expert
	mixture      *iteration // the iterated mixture
	pathWeights  []float64  // anchors x paths x dim: weights of the paths in the interpolation
	atAnchors    []float64  // anchors x dim: forecasts
	ahead        []float64  // horizon x dim: seasons of the next samples; 0 without seasons
	recent       []float64  // scratch of iterate: rows of increments, forecast ones before observed ones
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
		origins:      make([]origin, horizon),
		iteratedPath: lanes.Rows(horizon, d), mixture: newIteration(m, horizon), iterates: m.has(partIterate),
		seasonPath:  make([]float64, horizon*d),
		pathWeights: make([]float64, paths*len(g.steps)*d),
		atAnchors:   make([]float64, len(g.steps)*d),
		factors:     make([]float64, len(g.steps)),
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
		o.mixtures = append(o.mixtures, newMixture(d, anchorExperts, h, repeatLast, true, &work.newton))
		r := newRounds(h)
		if !m.has(partRounds) {
			r.shortest = r.longest
		}
		o.rounds = append(o.rounds, r)
		o.shrinkages = append(o.shrinkages, shrinkage{errors: 1})
		for range d {
			o.single = append(o.single, shrinkage{errors: singleErrors})
			p := preference{}
			p.weigh()
			o.preferences = append(o.preferences, p)
		}
	}
	for i := range o.origins {
		o.origins[i] = newOrigin(g, calendar)
	}
	return o
}

// learn scores the forecasts whose target is the sample, NaN where missing, and learns from their errors.
func (o *multihorizon) learn(s *autoSeries, of *outcome) {
	n, scaler := len(o.origins), s.rest().scaler // the scaler has the statistics before the sample
	if s.calendar != nil {
		s.calendar.look(s.seasons, 1)
	}
	for k, h := range o.direct.steps {
		if o.count < h {
			break
		}
		p, every := &o.origins[(o.next-h+n)%n], o.rounds[k].length(o.mixtures[k].steps, scaler)
		if s.calendar != nil {
			s.calendar.learnAnchor(s, k, &p.calendar, of.sample, every)
		}
		o.learnAnchor(k, p, of.sample, every)
	}
}

// learnAnchor learns from the outcome of the forecasts of anchor k at the origin p. every is the number of
// outcomes per round.
func (o *multihorizon) learnAnchor(k int, p *origin, sample []float64, every int) {
	g, m, y := o.direct, o.mixtures[k], o.target
	for j, v := range sample {
		y[j] = v - p.seasons[k*g.dim+j]
	}
	m.setRounds(every)
	o.shrinkages[k].every = every
	o.trends.learn(k, every, y, p)
	start := p.forecasts[k][repeatLast*g.dim:][:g.dim]
	if !p.awake[k] {
		o.abstain(k, p.forecasts[k])
	}
	m.forecastTo(o.out, start, p.forecasts[k])
	m.setOut(p.mixed[k*g.dim : (k+1)*g.dim])
	smooth := p.smooth[k*g.dim:][:g.dim]
	mixed := p.shrunk[k*g.dim:][:g.dim]
	o.shrinkages[k].Observe(m, y, start, start)
	for j, v := range y {
		if t := &o.single[k*g.dim+j]; t.addOf(m, j, v-start[j], 0) {
			t.every = every
			t.endOutcome()
			unit := m.steps.Inverse[j]
			o.preferences[k*g.dim+j].learn((v-mixed[j])*unit, (v-smooth[j])*unit, every)
		}
	}
	m.Observe(y, start, true)

	learner, phi := g.learners[k], g.featuresWithInputs(p, k)
	learner.PredictTo(g.out, phi)
	root := math.Sqrt(float64(g.steps[k]))
	any := false
	for j, v := range y {
		e, local := &g.out[j], &g.out[g.dim+j]
		if math.IsNaN(v) {
			*e, *local = 0, 0
			continue
		}
		any = true
		*e = inUnits(v-p.last[j], root*p.step[j]) - *e
		*local = inUnits(v-p.local[j], p.sd[j]) - *local
	}
	if any {
		learner.Update(phi, g.out)
	}
}

// inUnits returns v / unit, limited; 0 if unit is 0, because nothing has moved yet.
func inUnits(v, unit float64) float64 {
	if unit == 0 {
		return 0
	}
	return lanes.Clip(v/unit, regression.TargetLimit)
}

// forecast makes the forecasts of all anchors for s, from its remainder.
func (o *multihorizon) forecast(s *autoSeries) {
	whole, f, source := s.frame, s.rest(), s.m.source
	p := &o.origins[o.next]
	o.direct.FeaturesTo(p.phi, f)
	last := f.past.Lag(0)
	copy(p.last, last)
	for j := range last {
		p.local[j], p.sd[j] = f.local.mean[j], f.local.sd[j]
		p.step[j] = f.scaler.Rms[j]
	}
	seen := whole.past.ObservedAt(0)
	if whole != f {
		o.seasons.AheadTo(o.ahead)
	}
	o.lags.Push(last, seen)
	o.lags.learn(f.scaler)
	o.trends.predict(f, whole.past.Seen, s.smoothing, p)
	o.lags.predict(f.scaler, o.trends.ahead)
	if o.noOwnPast {
		for h := range o.horizon {
			copy(o.lags.path[h*len(last):(h+1)*len(last)], last)
		}
	}
	o.iterate(f, source)
	o.repeatSeason(whole, last)
	o.shrink()
	o.mixture.forecast(s, o.wake(p.awake, s.total), o.ahead, o.iteratedPath)
	for k := range o.direct.steps {
		o.expertsTo(p.forecasts[k], k, whole, f, p)
		o.combine(k, p, s)
	}
	if s.calendar != nil {
		s.calendar.correctAnchors(o.atAnchors, p.seasons, &p.calendar, s)
	}
	o.next = (o.next + 1) % len(o.origins)
	o.count = min(o.count+1, len(o.origins))
}

// expertsTo writes the forecasts of the experts of anchor k, anchorExperts x dim.
func (o *multihorizon) expertsTo(z []float64, k int, whole, f *frame, p *origin) {
	g := o.direct
	d, h, last := g.dim, g.steps[k], p.last
	if n := 3 * g.inputs; n > 0 {
		f.inputs.AheadTo(p.inputs[k*n:(k+1)*n], h)
	}
	copy(p.seasons[k*d:], o.ahead[(h-1)*d:h*d])
	at := func(expert int) []float64 { return z[expert*d : (expert+1)*d] }
	for j, v := range p.moves[k*d : (k+1)*d] {
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
	if copy(at(iteratedAll), o.mixture.path[(h-1)*d:h*d]); !p.awake[k] {
		copy(at(iteratedAll), at(iterated)) // until abstain
	}
	g.learners[k].PredictTo(g.out, g.featuresWithInputs(p, k))
	root := math.Sqrt(float64(h))
	for j, x := range last {
		limit, move := regression.OutputLimit*root*p.step[j], p.moves[k*d+j]
		v := finiteOr(g.out[j], 0) * root * p.step[j]
		at(direct)[j] = f.scaler.Within(j, x+series.ClipTo(v, move-limit, move+limit), move)
		v = p.local[j] + p.sd[j]*finiteOr(g.out[d+j], 0)
		at(directLocal)[j] = f.scaler.Within(j, v, move)
	}
}

// combine mixes the experts of anchor k for each coordinate:
//
//	start    = last + moves
//	shrunk   = start + max(factor of all coordinates, factor of this one) * (mixture - start)
//	forecast = shrunk + preference * (smoothing - shrunk)
//
// After a shift the forecast is the last value.
func (o *multihorizon) combine(k int, p *origin, s *autoSeries) {
	d, m := o.direct.dim, o.mixtures[k]
	z := p.forecasts[k]
	start := z[repeatLast*d:][:d]
	forecast := o.atAnchors[k*d : (k+1)*d]
	if !p.awake[k] {
		o.abstain(k, z)
	}
	m.forecastTo(forecast, start, z)
	m.outTo(p.mixed[k*d : (k+1)*d])
	smooth := p.smooth[k*d:][:d]
	damped := dampedSteps(o.direct.steps[k])
	for j, v := range p.last {
		smooth[j] = v + s.smoothing.ahead(j, o.direct.steps[k], damped)
	}
	for j, v := range forecast {
		shrunk := max(o.factors[k], o.single[k*d+j].factor)
		v = start[j] + shrunk*finiteOr(v-start[j], 0)
		p.shrunk[k*d+j] = v
		forecast[j] = v + o.preferences[k*d+j].weight*(smooth[j]-v)
		o.sharePaths(k, j, p.awake[k])
		if s.gate.shifted(j, o.direct.steps[k]) {
			forecast[j] = p.last[j]
			for n := range paths {
				o.pathWeights[(k*paths+n)*d+j] = 0
			}
		}
	}
}

// abstain sets the forecast of the iterated mixture at anchor k, which sleeps, to the weighted mean of
// the other experts: a sleeping expert neither gains nor loses weight (Freund, Schapire, Singer and
// Warmuth 1997).
func (o *multihorizon) abstain(k int, z []float64) {
	d, a := o.direct.dim, o.mixtures[k].aggregate
	for j := range d {
		var sum, weights float64
		for e := range anchorExperts {
			if w := a.weight(e, j); e != iteratedAll {
				sum += w * z[e*d+j]
				weights += w
			}
		}
		if weights > 0 {
			z[iteratedAll*d+j] = sum / weights
		}
	}
}

// shrink computes the factors of the anchors in ascending order, because shorter horizons have more
// terms:
//
//	factor_k = (terms_k * own factor_k + shorterTerms * factor_{k-1}) / (terms_k + shorterTerms).
func (o *multihorizon) shrink() {
	var factor float64
	for k := range o.factors {
		t := &o.shrinkages[k]
		factor = (t.terms*t.factor + shorterTerms*factor) / (t.terms + shorterTerms)
		o.factors[k] = factor
	}
}

func positive(v float64) bool { return v > 0 }

// begin handles the first season of the series. From now on the mixtures forecast the remainder without the
// season. So begin drops the pending forecasts, which were of the series itself, and multiplies the
// weight of all scores by mixtureKeep.
func (o *multihorizon) begin() {
	o.count = 0
	for k, m := range o.mixtures {
		m.discount(mixtureKeep)
		o.shrinkages[k].discount(mixtureKeep)
	}
	for i := range o.single {
		o.single[i].discount(mixtureKeep)
		o.preferences[i].discount(mixtureKeep)
	}
}

func (o *multihorizon) interrupt(*autoSeries) {
	o.count = 0
	o.lags.interrupt()
}

// stateOf transfers the anchor horizons and the lag regression. A state saved with horizon 1 has no
// anchors. A lag regression saved with another horizon is not restored: it learns the past again.
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

// State transfers the anchors, each as an option, and the pending forecasts. If the saved horizon
// differs, pending forecasts are dropped, and anchors that were not saved begin empty.
func (o *multihorizon) State(c *snapshot.Codec) {
	c.Section("multihorizon")
	c.Index(&o.season, check.MaxPeriod+1)
	o.trends.State(c)
	for k, h := range o.direct.steps {
		c.Optional(strconv.Itoa(h), func() {
			o.mixtures[k].State(c)
			o.shrinkages[k].State(c)
			for j := range o.direct.dim {
				o.single[k*o.direct.dim+j].State(c)
				o.preferences[k*o.direct.dim+j].State(c)
			}
			o.trends.anchorState(c, k)
		})
	}
	c.Optional("horizon="+strconv.Itoa(o.horizon), func() { o.originsState(c) })
	if c.Decoding() {
		o.shrink()
	}
}

func (o *multihorizon) originsState(c *snapshot.Codec) {
	c.Index(&o.next, len(o.origins))
	c.Index(&o.count, len(o.origins)+1)
	for i := range o.origins {
		o.origins[i].State(c)
	}
	for _, v := range [][]float64{o.iteratedPath, o.mixture.path, o.seasonPath, o.ahead, o.pathWeights, o.atAnchors} {
		c.Float64s(v)
	}
}
