package varmodel

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/internal/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/sgd"
)

const (
	directOrder      = 3      // lags of all coordinates among the inputs of a direct learner
	directForgetting = 0.9998 // per sample
	directEvery      = 16     // samples between its steps when exact least squares has handed over
)

// The forecasts that are mixed at each chosen horizon.
const (
	repeatLast   = iota // persistence
	repeatSeason        // seasonal-naive
	seasonalStep        // the step of the last season, from the last value
	meanOfPast          // mean
	meanOfLately        // local mean
	iterated            // the source, fed with its own forecasts
	direct              // direct regression of the increment over h steps
	directLocal         // direct regression of the deviation from the local mean
	outlookExperts
)

// anchors are the horizons that are learnt: all the small ones, then two in
// each doubling, and the last.
func anchors(horizon int) []int {
	var a []int
	for h := 2; h < horizon; {
		a = append(a, h)
		switch {
		case h < 4:
			h++
		case h&(h-1) == 0:
			h += h / 2
		default:
			h += h / 3
		}
	}
	if horizon > 1 {
		a = append(a, horizon)
	}
	return a
}

// directs owns the weights of the direct learners.
type directs struct {
	dim    int
	inputs int          // variables that drive the series
	steps  []int        // anchors
	learn  []*sgd.Relay // one an anchor, outputs: dim increments, then dim deviations
	levels []float64    // scratch
	out    []float64    // scratch, 2 dim
}

func newDirects(dim, inputs int, steps []int, work *sgd.Workspace) (*directs, error) {
	g := &directs{dim: dim, inputs: inputs, steps: steps, levels: lanes.Rows(directOrder, dim), out: make([]float64, 2*dim)}
	for _, h := range steps {
		// Targets overlap: h of them tell hardly more than one.
		l, err := sgd.NewRelay(sgd.RelayConfig{
			RLS: sgd.RLSConfig{
				Features: g.features(), Outputs: 2 * dim, Ridge: DefaultRidge * math.Sqrt(float64(h)),
				Forgetting: directForgetting, MaxLeverage: 1,
			},
			Newton: sgd.BlockNewtonConfig{Block: blockWidth, Every: directEvery, Workspace: work},
			After:  max(relayAfter*g.features(), relayLeast),
		})
		if err != nil {
			return nil, fmt.Errorf("varmodel: horizon %d: %w", h, err)
		}
		g.learn = append(g.learn, l)
	}
	return g, nil
}

// features: an intercept, the lags, what the source forecasts, and the
// deviations from the local mean; then the inputs, which are those of a horizon.
func (g *directs) features() int { return 1 + (directOrder+2)*g.dim + 3*g.inputs }

func (g *directs) featuresTo(phi []float64, f *frame) {
	levelsTo(g.levels, f.scaler, &f.past, directOrder)
	phi[0] = 1
	n := copy(phi[1:], g.levels) + 1
	for i := n - 1; i > g.dim; i-- {
		phi[i] -= phi[i-g.dim]
	}
	n += copy(phi[n:], f.long)
	for j, v := range f.past.lag(0) {
		phi[n+j] = f.local.standardised(j, v)
	}
}

// driven puts the inputs of an anchor into the features.
func (g *directs) driven(p *origin, k int) []float64 {
	if n := 3 * g.inputs; n > 0 {
		copy(p.phi[len(p.phi)-n:], p.inputs[k*n:(k+1)*n])
	}
	return p.phi
}

func (g *directs) State(c *snapshot.Codec) {
	c.Section("directs")
	for _, l := range g.learn {
		l.State(c)
	}
}

// origin is what a direct learner and a mixer need when the target of a
// forecast is observed at last.
type origin struct {
	phi       []float64
	inputs    []float64 // features of them, per anchor
	last      []float64
	local     []float64
	step, sd  []float64   // units of the targets: one step; the deviation from the local mean
	forecasts [][]float64 // per anchor, outlookExperts x dim
	season    int         // that was known
}

// outlook forecasts further than one step ahead: at each anchor it mixes simple
// forecasts, the iterated source and direct learners, all of them scored and
// taught when their target is observed; in between it goes from one anchor to the
// next, bent like the iterated source and the last season as far as they have a say
// at these anchors.
type outlook struct {
	directs *directs
	horizon int
	season  int // samples; 0: none known

	mixers  []*mixer
	trust   []trust // in the mixture of each anchor
	base    *seasonBase
	origins []origin // ring, as many as the last anchor
	next    int
	count   int

	since    []int     // samples since the last novelty of each coordinate
	path     []float64 // horizon x dim: iterated source
	cycle    []float64 // horizon x dim: the last season, 0 when none is known
	bend     []float64 // anchors x dim x 2: weight of each of the two
	forecast []float64 // anchors x dim
	recent   []float64 // scratch of the iteration: rows of increments, forecasts before those that were seen
	levels   []float64 // scratch, dim
	out      []float64 // scratch, dim
}

func newOutlook(g *directs, horizon, depth int) *outlook {
	d := g.dim
	o := &outlook{
		directs: g, horizon: horizon,
		origins:  make([]origin, g.steps[len(g.steps)-1]),
		since:    make([]int, d),
		path:     make([]float64, horizon*d),
		cycle:    make([]float64, horizon*d),
		bend:     make([]float64, 2*len(g.steps)*d),
		forecast: make([]float64, len(g.steps)*d),
		recent:   vec.Aligned((horizon + depth) * strideOf(d)),
		levels:   make([]float64, d),
		out:      make([]float64, d),
		base:     newSeasonBase(g.steps),
	}
	for _, h := range g.steps {
		o.mixers = append(o.mixers, newMixer(d, outlookExperts, h, repeatLast, true))
		o.trust = append(o.trust, trust{every: h})
	}
	for j := range o.since {
		o.since[j] = len(o.origins)
	}
	for i := range o.origins {
		p := &o.origins[i]
		p.phi = make([]float64, g.features())
		p.inputs = make([]float64, 3*g.inputs*len(g.steps))
		p.last, p.local = make([]float64, d), make([]float64, d)
		p.step, p.sd = make([]float64, d), make([]float64, d)
		p.forecasts = make([][]float64, len(g.steps))
		for k := range p.forecasts {
			p.forecasts[k] = make([]float64, outlookExperts*d)
		}
	}
	return o
}

// observe scores and learns the forecasts whose target is y, NaN where missing.
func (o *outlook) observe(y []float64) {
	g := o.directs
	n := len(o.origins)
	for k, h := range g.steps {
		if o.count < h {
			break
		}
		p := &o.origins[(o.next-h+n)%n]
		o.mixers[k].forecastTo(o.out, p.last, p.forecasts[k])
		if p.season > 0 && p.season == o.base.season {
			o.compare(k, y, p)
		}
		o.trust[k].observe(o.mixers[k], y, p.last)
		o.mixers[k].observe(y, p.last, true)

		g.learn[k].PredictTo(g.out, g.driven(p, k))
		root := math.Sqrt(float64(h))
		any := false
		for j, v := range y {
			e, local := &g.out[j], &g.out[g.dim+j]
			if math.IsNaN(v) {
				*e, *local = 0, 0
				continue
			}
			any = true
			*e = min(max((v-p.last[j])/(root*p.step[j]), -targetLimit), targetLimit) - *e
			*local = min(max((v-p.local[j])/p.sd[j], -targetLimit), targetLimit) - *local
		}
		if any {
			g.learn[k].Update(g.driven(p, k), g.out)
		}
	}
}

// compare shows the outcome y of the forecasts from p to the trust in what is mixed
// at anchor k, as against repeating the season.
func (o *outlook) compare(k int, y []float64, p *origin) {
	t, m, d := &o.base.trusts[k], o.mixers[k], o.directs.dim
	for j, then := range p.forecasts[k][repeatSeason*d : (repeatSeason+1)*d] {
		if !math.IsNaN(y[j]) {
			said := p.last[j] + o.trust[k].share*finiteOr(o.out[j]-p.last[j], 0)
			t.add((said-then)/m.unit(j), (y[j]-then)/m.unit(j))
		}
	}
	t.end()
}

// predict makes the forecasts from the last sample of f. source is the expert
// to iterate, or nil; one mixes the forecasts of one step and knows what is
// novel: until the outcome of a novelty was seen at a horizon, that horizon's
// forecast is the last value.
func (o *outlook) predict(f *frame, source *expert, one *mixer) {
	g := o.directs
	d := g.dim
	last := f.past.lag(0)
	p := &o.origins[o.next]
	g.featuresTo(p.phi, f)
	copy(p.last, last)
	for j := range last {
		p.local[j], p.sd[j] = f.local.mean[j], f.local.unit[j]
		p.step[j] = f.scaler.steps[j]
	}
	for j := range o.since {
		o.since[j] = min(o.since[j]+1, len(o.origins))
		if one.novel(j) {
			o.since[j] = 0
		}
	}
	o.iterate(f, source)
	p.season = o.season
	if f.past.count < o.season {
		p.season = 0 // not yet
	}
	o.base.observe(p.season, &f.past, func(k, j int) float64 { return o.mixers[k].unit(j) })
	if s := p.season; s > 0 {
		for h := range o.horizon {
			copy(o.cycle[h*d:(h+1)*d], f.past.lag(s-1-h%s)) // a whole number of seasons before the target
		}
	}
	for k, h := range g.steps {
		if n := 3 * g.inputs; n > 0 {
			f.inputs.aheadTo(p.inputs[k*n:(k+1)*n], h)
		}
		z := p.forecasts[k]
		at := func(expert int) []float64 { return z[expert*d : (expert+1)*d] }
		copy(at(repeatLast), last)
		copy(at(repeatSeason), last)
		copy(at(seasonalStep), last)
		if s := p.season; s > 0 {
			then := o.cycle[(h-1)*d : h*d]
			copy(at(repeatSeason), then)
			for j, v := range f.past.lag(s) {
				at(seasonalStep)[j] += then[j] - v
			}
		}
		copy(at(meanOfPast), f.scaler.mean)
		copy(at(meanOfLately), p.local)
		copy(at(iterated), o.path[(h-1)*d:h*d])
		g.learn[k].PredictTo(g.out, g.driven(p, k))
		root := math.Sqrt(float64(h))
		for j, x := range last {
			limit := outputLimit * root * p.step[j]
			v := finiteOr(g.out[j], 0) * root * p.step[j]
			at(direct)[j] = f.scaler.within(j, x+min(max(v, -limit), limit))
			v = p.local[j] + p.sd[j]*finiteOr(g.out[d+j], 0)
			at(directLocal)[j] = f.scaler.within(j, v)
		}
		forecast := o.forecast[k*d : (k+1)*d]
		o.mixers[k].forecastTo(forecast, last, z)
		for j, v := range forecast {
			forecast[j] = last[j] + o.trust[k].share*finiteOr(v-last[j], 0)
			w, bend := func(expert int) float64 { return o.mixers[k].aggregate.weight(expert, j) }, o.bend[2*(k*d+j):]
			trusted := o.trust[k].share * (1 - o.mixers[k].lastWeight(j))
			if o.since[j] < h {
				forecast[j], trusted = last[j], 0
			}
			bend[0], bend[1] = trusted*w(iterated), trusted*(w(repeatSeason)+w(seasonalStep))
			if o.base.better(k) && o.since[j] >= h {
				share, then := o.base.trusts[k].share, at(repeatSeason)[j]
				forecast[j] = then + share*(forecast[j]-then)
				bend[0], bend[1] = share*bend[0], share*bend[1]+1-share
			}
		}
	}
	o.next = (o.next + 1) % len(o.origins)
	o.count = min(o.count+1, len(o.origins))
}

// trust is the share of a mixture's increments that is taken, the rest being
// persistence: the slope of the regression of what happened on what the mixture
// said, all coordinates together, less one standard error (three with one term).
// Outcomes of overlapping forecasts are alike, so every h of them make one term of
// the sums. On a random walk it is near 0 whatever the experts have picked up.
type trust struct {
	every               int
	outcomes            int
	product, square     float64 // of the term that is not complete
	xy, xx, noise, size float64 // weighted sums over the terms, and their weight
	share               float64
}

const (
	trustForgetting = 0.9998 // per sample
	trustLimit      = 5      // limit of an increment, in typical ones
)

// observe learns from the outcome y of the forecasts that m has just made.
func (t *trust) observe(m *mixer, y, last []float64) {
	for j, v := range y {
		if step := v - last[j]; m.steps.Count[j]+math.Abs(step) > 0 { // false if missing
			t.add(m.out[j], step/m.unit(j))
		}
	}
	t.end()
}

// add takes into account what was said of one coordinate, and what happened.
func (t *trust) add(said, happened float64) {
	said = lanes.Clip(said, trustLimit)
	t.product += said * lanes.Clip(happened, trustLimit)
	t.square += said * said
}

// end ends an outcome.
func (t *trust) end() {
	if t.outcomes++; t.outcomes < t.every {
		return
	}
	f := math.Pow(trustForgetting, float64(t.every))
	rest := t.product - t.share*t.square
	t.xy, t.xx = f*t.xy+t.product, f*t.xx+t.square
	t.noise, t.size = f*t.noise+rest*rest, f*t.size+1
	t.outcomes, t.product, t.square = 0, 0, 0
	t.share = 0
	if t.xx > 0 {
		// With few terms their error is not known well either.
		t.share = min(max((t.xy-(1+2/t.size)*math.Sqrt(t.noise))/t.xx, 0), 1)
	}
}

func (t *trust) State(c *snapshot.Codec) {
	c.Index(&t.outcomes, t.every)
	for _, v := range []*float64{&t.product, &t.square, &t.xy, &t.xx, &t.noise, &t.size, &t.share} {
		c.Float64(v)
	}
}

// iterate fills path with the forecasts of the source, each taken as if it had
// been observed; with persistence when there is no source.
func (o *outlook) iterate(f *frame, source *expert) {
	d := o.directs.dim
	if source == nil {
		for h := range o.horizon {
			copy(o.path[h*d:(h+1)*d], f.past.lag(0))
		}
		return
	}
	walker, stride := source.walker, f.recent.stride
	copy(o.recent[o.horizon*stride:], f.recent.rows(0)[:len(walker.theta)])
	last := f.past.lag(0)
	for h := range o.horizon {
		for j, x := range last {
			o.levels[j] = f.scaler.standardised(j, x)
		}
		path, step := o.path[h*d:(h+1)*d], o.recent[(o.horizon-h-1)*stride:]
		walker.forecastTo(path, o.levels, o.recent[(o.horizon-h)*stride:], f.scaler.perStep)
		for j, v := range path {
			if v != v {
				v = 0
			}
			path[j] = f.scaler.within(j, last[j]+f.scaler.steps[j]*lanes.Clip(v, outputLimit))
			step[j] = path[j] - last[j]
		}
		last = path
	}
}

// forecastTo writes the forecasts of all horizons; one is that of one step.
func (o *outlook) forecastTo(dst, one []float64) {
	d := o.directs.dim
	copy(dst[:d], one)
	left := 1
	for k, h := range o.directs.steps {
		for j, v := range o.forecast[k*d : (k+1)*d] {
			at := func(path []float64, h int) float64 { return path[(h-1)*d+j] }
			for i := left + 1; i < h; i++ { // never before the first anchor, which is 2
				t := float64(i-left) / float64(h-left)
				between := func(l, r float64) float64 { return (1-t)*l + t*r }
				u := between(at(dst, left), v)
				for n, path := range [2][]float64{o.path, o.cycle} {
					bend := between(o.bend[2*((k-1)*d+j)+n], o.bend[2*(k*d+j)+n])
					u += bend * (at(path, i) - between(at(path, left), at(path, h)))
				}
				dst[(i-1)*d+j] = u
			}
			dst[(h-1)*d+j] = v
		}
		left = h
	}
}

func (o *outlook) State(c *snapshot.Codec) {
	c.Section("outlook")
	c.Index(&o.season, maxLags)
	c.Index(&o.next, len(o.origins))
	c.Index(&o.count, len(o.origins)+1)
	for i := range o.origins {
		p := &o.origins[i]
		for _, v := range [][]float64{p.phi, p.inputs, p.last, p.local, p.step, p.sd} {
			c.Float64s(v)
		}
		for _, v := range p.forecasts {
			c.Float64s(v)
		}
		c.Index(&p.season, maxLags)
	}
	o.base.State(c)
	for j := range o.since {
		c.Index(&o.since[j], len(o.origins)+1)
	}
	c.Float64s(o.path)
	c.Float64s(o.cycle)
	c.Float64s(o.bend)
	c.Float64s(o.forecast)
	for k, m := range o.mixers {
		m.State(c)
		o.trust[k].State(c)
	}
}
