package engine

import (
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/stream/event"
)

// growPace is the number of recorded samples that the better model learns per new sample. With 3 it catches up
// within GrowAfter / 2 further samples.
const growPace = 3

// growth holds all samples of a series that began with the lightest model, and the better model that learns them.
// The better model takes over once it has learnt all samples. Its state is then the same as if it had learnt from
// the first sample on.
type growth struct {
	times  []int64   // time of each sample
	broken []bool    // whether the lags were dropped before the sample
	values []float64 // y and inputs of each sample

	next       *sharedModel // the better model; nil until the series has Config.GrowAfter samples
	forecaster forecaster   // forecaster of next
	tier       int          // tier of next
	taught     int          // number of samples that next has learnt
}

// grows reports whether series begin with the lightest model and grow later.
func (e *Engine) grows() bool {
	return e.c.GrowAfter > 0 && len(e.c.Lighter) > 0 && e.c.Scope == PerSeries
}

// record appends w to the recorded samples, and lets the better model learn growPace of them.
func (e *Engine) record(dst *Results, w *waiting) error {
	s, in := w.series, &w.sample
	g := s.growth
	if g.times == nil { // exact capacity, because many series never grow
		n := e.c.GrowAfter
		g.times, g.broken, g.values = make([]int64, 0, n), make([]bool, 0, n), make([]float64, 0, n*(len(in.Y)+len(w.inputs)))
	}
	g.times, g.broken, g.values = append(g.times, in.Time), append(g.broken, s.broken), append(append(g.values, in.Y...), w.inputs...)
	s.broken = false
	if g.next == nil {
		if len(g.times) < e.c.GrowAfter {
			return nil
		}
		if err := e.beginGrowth(dst, s, in.Time); err != nil || s.growth == nil {
			return err
		}
	}
	for range growPace {
		if err := e.teach(s); err != nil {
			return err
		}
		if g.taught == len(g.times) {
			s.tier, s.shared, s.forecaster, s.growth = g.tier, g.next, g.forecaster, nil
			return nil
		}
	}
	return nil
}

// beginGrowth makes the better model, or ends the growth if none fits into the budget.
func (e *Engine) beginGrowth(dst *Results, s *series, time int64) error {
	g, dim := s.growth, len(s.info.Variables)
	tier, bytes, ok := e.better(s)
	if !ok {
		s.growth = nil
		s.event(dst, time, event.Series, "keeps model %s to save memory", e.c.Lighter[s.tier-1].Name)
		return nil
	}
	m, err := s.shard.newModel(&e.c, dim, tier)
	if err != nil {
		return err
	}
	g.next, g.forecaster, g.tier = m, newForecaster(m.model), tier
	if heir := g.forecaster.heir; heir != nil {
		heir.Succeed(s.forecaster.Forecaster)
	}
	if e.budget.limit > 0 {
		e.setCost(s, bytes)
	}
	return nil
}

// teach lets the better model learn the next recorded sample, with the calls that the engine makes for a new
// sample.
func (e *Engine) teach(s *series) error {
	g, dim := s.growth, len(s.info.Variables)
	i, n := g.taught, dim+len(e.inputs)
	values := g.values[i*n : (i+1)*n]
	if g.broken[i] {
		g.forecaster.resetLags()
	}
	g.taught++
	if err := g.forecaster.show(g.times[i], values[:dim], values[dim:]); err != nil {
		return rejected(s.info.Name, e.c.Model, err)
	}
	resize(&s.shard.grown, e.c.Horizon*dim)
	g.forecaster.ForecastTo(s.shard.grown)
	return nil
}

// growthState transfers the growth of s.
func (e *Engine) growthState(c *snapshot.Codec, s *series) {
	grows := 0
	if s.growth != nil && !c.Decoding() {
		grows = 1
	}
	c.Len(&grows, 1)
	if c.Decoding() {
		s.growth = nil
	}
	if grows == 0 {
		return
	}
	if s.tier != len(e.c.Lighter) || !e.grows() {
		c.Fail("a series that grows, with a model that does not")
		return
	}
	if c.Decoding() {
		s.growth = new(growth)
	}
	g, dim := s.growth, len(s.info.Variables)
	c.Bool(&s.broken)
	n, size := len(g.times), dim+len(e.inputs)
	c.Len(&n, e.c.GrowAfter*growPace)
	if c.Decoding() {
		g.times, g.broken, g.values = make([]int64, n), make([]bool, n), make([]float64, n*size)
	}
	for i := range g.times {
		c.Int64(&g.times[i])
		c.Bool(&g.broken[i])
		c.Float64s(g.values[i*size : (i+1)*size])
	}
	begun := 0
	if g.next != nil {
		begun = 1
	}
	if c.Len(&begun, 1); begun == 0 {
		return
	}
	c.Index(&g.tier, s.tier)
	c.Index(&g.taught, len(g.times)+1)
	if c.Decoding() && c.Err() == nil {
		m, err := s.shard.newModel(&e.c, dim, g.tier)
		if err != nil {
			c.Fail("%v", err)
			return
		}
		g.next, g.forecaster = m, newForecaster(m.model)
	}
	if c.Err() == nil {
		g.next.state(c)
		c.Block(func() { g.forecaster.State(c) })
	}
}
