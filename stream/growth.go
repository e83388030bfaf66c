package stream

import "github.com/orffvar/forecaster/internal/snapshot"

// growPace is the number of recorded samples that the model a series grows into learns with
// each new sample: it has caught up when the series has half as many again.
const growPace = 3

// growth is what a series that begins with the lightest model holds until it has a better one:
// its samples, and the better model while that learns them. Having learnt all of them it takes
// over, and is what it would be if the series had begun with it.
type growth struct {
	record []recorded

	next       *sharedModel // nil until the series has EngineConfig.GrowAfter samples
	forecaster forecaster
	tier       int // of next
	taught     int // samples of record that next has learnt
}

// recorded is a sample as a model gets it.
type recorded struct {
	time   int64
	broken bool // it does not follow the one before
	values []float64
}

// grows reports whether series begin with the lightest model.
func (e *Engine) grows() bool {
	return e.c.GrowAfter > 0 && len(e.c.Lighter) > 0 && e.c.Scope == PerSeries
}

// record keeps a sample that the model of its series has just learnt, and lets the series grow.
func (e *Engine) record(dst *Batch, w *waiting) error {
	s, in := w.series, &w.sample
	g := s.growth
	values := append(append(make([]float64, 0, len(in.Y)+len(w.inputs)), in.Y...), w.inputs...)
	g.record = append(g.record, recorded{time: in.Time, broken: s.broken, values: values})
	s.broken = false
	if g.next == nil {
		if len(g.record) < e.c.GrowAfter {
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
		if g.taught == len(g.record) {
			s.tier, s.shared, s.forecaster, s.growth = g.tier, g.next, g.forecaster, nil
			return nil
		}
	}
	return nil
}

// beginGrowth makes the model that s grows into, or ends the growth where no better one fits.
func (e *Engine) beginGrowth(dst *Batch, s *series, time int64) error {
	g, dim := s.growth, len(s.info.Variables)
	tier, bytes, ok := e.better(s)
	if !ok {
		s.growth = nil
		s.event(dst, time, EventSeries, "keeps model %s to save memory", e.c.Lighter[s.tier-1].Name)
		return nil
	}
	m, err := s.shard.newModel(&e.c, dim, tier)
	if err != nil {
		return err
	}
	g.next, g.forecaster, g.tier = m, newForecaster(m.model), tier
	if e.budget.limit > 0 {
		e.setCost(s, bytes)
	}
	return nil
}

// teach lets the model that s grows into learn one more of the recorded samples, by the calls
// that the engine makes for a new one.
func (e *Engine) teach(s *series) error {
	g := s.growth
	r, dim := &g.record[g.taught], len(s.info.Variables)
	if r.broken {
		g.forecaster.resetLags()
	}
	g.taught++
	if err := g.forecaster.show(r.time, r.values[:dim], r.values[dim:]); err != nil {
		return rejected(s.info.Name, e.c.Model, err)
	}
	resize(&s.shard.grown, e.c.Horizon*dim)
	g.forecaster.ForecastTo(s.shard.grown)
	return nil
}

// growthState transfers what s grows into.
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
	n := len(g.record)
	c.Len(&n, e.c.GrowAfter*growPace)
	if c.Decoding() {
		g.record = make([]recorded, n)
	}
	for i := range g.record {
		r := &g.record[i]
		c.Int64(&r.time)
		c.Bool(&r.broken)
		if c.Decoding() {
			r.values = make([]float64, dim+len(e.inputs))
		}
		c.Float64s(r.values)
	}
	begun := 0
	if g.next != nil {
		begun = 1
	}
	if c.Len(&begun, 1); begun == 0 {
		return
	}
	c.Index(&g.tier, s.tier)
	c.Index(&g.taught, len(g.record)+1)
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
