package auto

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/internal/vec"
)

// panel is the stage of the one-step forecasts: the experts and their mixture.
type panel struct {
	mixture   *mixture
	young     shrinkage   // shrinkage of the mixture in a young series
	phi       [][]float64 // features of each expert
	out       []float64   // experts x dim: predictions from phi, in units of the targets
	forecasts []float64   // names x vec.Stride(dim): one-step forecasts, persistence first
	target    []float64   // scratch
	observed  []bool      // scratch
	start     []float64   // dim: one-step forecasts by smoothing, towards which the mixture is shrunk
}

func newPanel(m *auto) *panel {
	d, k := m.cfg.Dim, len(m.experts)
	p := &panel{
		mixture:   newMixture(d, len(m.names), 1, -1, m.has(partStack), &m.work.newton),
		young:     shrinkage{every: 1, errors: earlyErrors, fading: true},
		phi:       make([][]float64, k),
		out:       make([]float64, k*d),
		forecasts: vec.Aligned(len(m.names) * vec.Stride(d)),
		target:    make([]float64, d),
		observed:  make([]bool, d),
		start:     make([]float64, d),
	}
	for i, e := range m.experts {
		p.phi[i] = make([]float64, e.Features())
	}
	return p
}

func (p *panel) learn(s *autoSeries, o *outcome) {
	if s.pending {
		p.learnExperts(s, o)
		if s.total < earlyEnd {
			p.young.Observe(p.mixture, o.target, o.before, p.start)
		}
	}
	p.mixture.Observe(o.target, o.before, s.pending)
}

func (p *panel) learnExperts(s *autoSeries, o *outcome) {
	for j, v := range o.sample {
		p.observed[j] = v == v && s.past.Seen[j]
	}
	next := o.target
	if o.replaced || s.past.Unseen > 0 {
		next = p.target
		copyWhere(next, o.target, p.observed)
	}
	for _, t := range s.m.targets {
		s.frame.setTargets(t, next)
	}
	if s.remainder != nil {
		s.remainder.setTargets(next)
	}
	for i, e := range s.m.experts {
		out, f := p.outOf(e, i), s.frameOf(e)
		if s.m.cfg.Shared { // other series may have changed the weights
			e.predictTo(out, p.phi[i], f)
		}
		e.learn(out, p.phi[i], f, p.observed)
	}
}

// forecast computes the features and forecasts of the experts, then the forecast of the mixture.
func (p *panel) forecast(s *autoSeries) {
	f, rest, last := s.frame, s.rest(), s.past.Lag(0)
	d, stride := len(last), vec.Stride(len(last))
	copy(p.forecasts, last)
	for i, e := range s.m.experts {
		if e.random != nil && !s.m.refits() {
			e.random.Observe(e.lagsOf(f))
		}
		forecast := p.forecasts[(i+1)*stride:][:d]
		e.FeaturesTo(p.phi[i], f)
		e.forecastTo(forecast, p.outOf(e, i), p.phi[i], s.frameOf(e))
		if e.source && s.remainder != nil {
			longTo(rest.long, forecast, rest)
			s.remainder.addSeason(forecast, f.scaler)
		}
		if e.source && s.m.long {
			longTo(f.long, forecast, f)
		}
	}
	if s.m.repeats {
		s.forecastSeason(p.forecasts[(len(s.m.experts)+1)*stride:][:d])
	}
	p.mixture.forecastTo(s.next, last, p.forecasts)
	factor := p.youngFactor(s)
	if s.total < earlyEnd {
		p.startTo(p.start, s)
	}
	for j, v := range s.next {
		switch {
		case v-v != 0:
			s.next[j] = last[j] // v is not finite
		case factor < 1:
			s.next[j] = p.start[j] + factor*(v-p.start[j])
		}
	}
}

// startTo writes the one-step forecasts by smoothing.
func (p *panel) startTo(dst []float64, s *autoSeries) {
	for j, v := range s.past.Lag(0) {
		dst[j] = v + s.smoothing.ahead(j, 1, nextResponses)
		if s.remainder != nil {
			dst[j] += s.remainder.season[j] - s.seasons.last[j]
		}
	}
}

// forecastSeason writes the mean of the remainder plus the season of the next sample. For variables without a season
// it writes the last value.
func (s *autoSeries) forecastSeason(dst []float64) {
	r := s.remainder
	copy(dst, s.past.Lag(0))
	if r == nil {
		return
	}
	for j, v := range r.season {
		if s.seasons.has(j) {
			limit := returnLimit * s.scaler.Steps[j]
			v = dst[j] + lanes.Clip(r.frame.scaler.Mean[j]+v-dst[j], limit)
			dst[j] = s.scaler.Within(j, v, 0)
		}
	}
}

// outOf returns the row of out for expert e, which has index i.
func (p *panel) outOf(e *expert, i int) []float64 { return p.out[i*e.dim : (i+1)*e.dim] }

// longTo writes the increments of a forecast of the source, in typical steps. They are features of other experts.
func longTo(dst, forecast []float64, f *frame) {
	lanes.Standardise(dst, forecast, f.past.Lag(0), f.scaler.PerStep, math.Inf(1))
}

// copyWhere copies x[j] where exists[j], and writes NaN elsewhere.
func copyWhere(dst, x []float64, exists []bool) {
	for j, v := range x {
		if !exists[j] {
			v = math.NaN()
		}
		dst[j] = v
	}
}

func (p *panel) stateOf(c *snapshot.Codec, _ *autoSeries) {
	p.mixture.State(c)
	p.young.State(c)
	for _, phi := range p.phi {
		c.Float64s(phi)
	}
	c.Float64s(p.out)
	c.Float64s(p.start)
}
