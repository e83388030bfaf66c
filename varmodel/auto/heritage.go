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
	heritageMost  = 8  // largest number of older series
	heritageLeast = 2  // smallest number of older series
	heritageAlike = .5 // smallest share of the variance of the older shapes that their mean explains
)

// heritage is the mean season of older series of the same variables, in typical steps. A new series begins its cycles with
// it: otherwise the first day of a series has no season, and its first week no weekend. During the first period of the
// shortest cycle the series learns the amplitude of the season in its own units. A variable whose changes do not resemble
// the season then begins its cycles as if there were no heritage. A typical step is a median, so that a glitch in the first
// hours does not change it.
type heritage struct {
	spacing int64            // ns between the samples of the older series
	cycles  []inheritedCycle // by ascending period

	positive       []bool // dim: no older series had a negative value
	begun, fitting bool   // fitting: until the first period of the shortest cycle is nearly complete
	fits           []amplitudeFit
}

// inheritedCycle is the mean shape of a cycle of the clock.
type inheritedCycle struct {
	span   int64
	period int
	shape  []float32 // period x dim, in typical steps; 0 for a variable without a common shape
}

func newHeritage(spacing int64, dim int) *heritage {
	return &heritage{spacing: spacing, fits: make([]amplitudeFit, dim), positive: make([]bool, dim)}
}

// itself returns s, also of a type that embeds an autoSeries.
func (s *autoSeries) itself() *autoSeries { return s }

// Inherit implements eval.Heir.
func (s *autoSeries) Inherit(older []eval.Forecaster, time int64) (inherits bool) {
	if !s.m.seasonal() || s.m.cfg.Season != 0 {
		return false
	}
	var of []*autoSeries
	for _, f := range older {
		o, ok := eval.As[interface{ itself() *autoSeries }](f)
		if ok && o.itself().hasHeritage(time) && len(of) < heritageMost {
			of = append(of, o.itself())
		}
	}
	s.seasons.heritage = meanSeason(of, s.m.cfg.Dim)
	return s.seasons.heritage != nil
}

// hasHeritage reports whether s has learnt two periods of a cycle of the clock, without samples after time. The clocks of two series
// may differ by the spacing.
func (s *autoSeries) hasHeritage(time int64) bool {
	q := s.seasons
	return q.before > 0 && q.before <= time+q.spacing &&
		slices.ContainsFunc(q.cycles, func(c *cycle) bool { return c.span > 0 && !c.free && c.learnt >= 2*c.period })
}

// Succeed implements eval.Heir.
func (s *autoSeries) Succeed(lighter eval.Forecaster) {
	o, ok := eval.As[interface{ itself() *autoSeries }](lighter)
	if ok && o.itself().seasons.heritage != nil && s.m.seasonal() {
		h := o.itself().seasons.heritage
		s.seasons.heritage = newHeritage(h.spacing, s.m.cfg.Dim)
		s.seasons.heritage.cycles, s.seasons.heritage.positive = h.cycles, h.positive
	}
}

// meanSeason returns the mean season of some series, nil if they have none in common.
func meanSeason(of []*autoSeries, dim int) *heritage {
	if len(of) == 0 {
		return nil
	}
	h := newHeritage(of[0].seasons.spacing, dim)
	for j := range h.positive {
		h.positive[j] = !slices.ContainsFunc(of, func(s *autoSeries) bool { return s.gate.of[j].least < 0 })
	}
	for _, span := range naturalSpans {
		if c := meanCycle(of, span, h.spacing, dim); c != nil {
			h.cycles = append(h.cycles, *c)
		}
	}
	if len(h.cycles) == 0 || h.cycles[0].period < evidenceBlocks {
		return nil
	}
	return h
}

// meanCycle returns the mean shape of the cycles of one span, nil if they have nothing in common. The mean is shrunk by the
// share of the variance between series that it explains.
func meanCycle(of []*autoSeries, span, spacing int64, dim int) *inheritedCycle {
	n := 0.
	var mean, squares []float64
	for _, s := range of {
		c := s.seasons.ofSpan(span)
		if c == nil || c.learnt < 2*c.period || !s.seasons.same(s.seasons.spacing, float64(spacing)) || mean != nil && len(mean) != len(c.mean) {
			continue
		}
		if mean == nil {
			mean, squares = make([]float64, len(c.mean)), make([]float64, dim)
		}
		n++
		for i, v := range c.mean {
			j := i % dim
			x := 0.
			if step := s.gate.of[j].step; step > 0 {
				x = c.share[j].value * float64(v) * c.unit[j] / step
			}
			mean[i] += x
			squares[j] += x * x
		}
	}
	if n < heritageLeast {
		return nil
	}
	common := make([]float64, dim)
	for i, v := range mean {
		common[i%dim] += v * v / n // n times the square of the mean
	}
	found := false
	for j, v := range common {
		common[j] = 0
		if squares[j] > 0 {
			common[j] = (n*v/squares[j] - 1) / (n - 1)
		}
		if common[j] < heritageAlike {
			common[j] = 0
		}
		found = found || common[j] > 0
	}
	if !found {
		return nil
	}
	c := &inheritedCycle{span: span, period: len(mean) / dim, shape: make([]float32, len(mean))}
	for i, v := range mean {
		c.shape[i] = float32(series.ClipTo(common[i%dim]*v/n, -math.MaxFloat32, math.MaxFloat32))
	}
	return c
}

// clip raises negative forecasts, n x dim, to 0 for variables without negative values, here and in the older series.
func (h *heritage) clip(forecasts []float64, g *gate) {
	d := len(h.positive)
	for i, v := range forecasts {
		if j := i % d; v < 0 && h.positive[j] && g.of[j].least >= 0 {
			forecasts[i] = 0
		}
	}
}

func (h *heritage) State(c *snapshot.Codec, dim int) {
	c.Section("heritage")
	c.Int64(&h.spacing)
	n := len(h.cycles)
	c.Len(&n, len(naturalSpans))
	if c.Decoding() {
		if n == 0 {
			c.Fail("a heritage without a cycle")
		}
		h.cycles = make([]inheritedCycle, n)
	}
	for i := range h.cycles {
		o := &h.cycles[i]
		c.Int64(&o.span)
		if c.Index(&o.period, check.MaxPeriod+1); c.Err() != nil {
			return
		}
		if c.Decoding() {
			o.shape = make([]float32, o.period*dim)
		}
		c.Float32s(o.shape)
	}
	for j := range h.positive {
		c.Bool(&h.positive[j])
	}
	c.Bool(&h.begun)
	c.Bool(&h.fitting)
	for j := range h.fits {
		f := &h.fits[j]
		c.Index(&f.samples, math.MaxInt)
		c.Bool(&f.known)
		for _, v := range []*float64{
			&f.block.said, &f.block.happened, &f.before.said, &f.before.happened,
			&f.xx, &f.xy, &f.yy, &f.weight, &f.amplitude,
		} {
			c.Float64(v)
		}
	}
}
