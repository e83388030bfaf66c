package auto

import (
	"math"
	"slices"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/varmodel/internal/check"
	"github.com/orffvar/forecaster/varmodel/series"
)

const (
	heritageMost    = 8  // largest number of older series
	heritageLeast   = 2  // smallest number of older series
	heritageAlike   = .5 // smallest share of the variance of the older shapes that their mean explains
	heritageBlocks  = .3 // prior weight of the amplitude, in blocks
	heritagePrior   = .7 // prior amplitude, in typical steps of the new series
	heritageClip    = 3  // limit of the change of a block and of a shape, in prior and in fitted amplitudes
	heritageFits    = .6 // smallest correlation of the changes of the first period with the season
	heritagePeriods = 2  // prior weight of the shape, in periods
	heritageWeight  = heritagePeriods / (heritagePeriods + 1.)
	heritageChange  = .1 // relative change of an amplitude for a new computation of the remainder
)

// heritage is the mean season of older series of the same variables, in typical steps: medians of the absolute steps, so
// that glitches in the first hours of a new series have no effect. A new series begins its cycles with
// it: otherwise the first day of a series has no season, and its first week no weekend. During the first period of the
// shortest cycle the series learns the amplitude of the season in its own units. A variable whose changes do not resemble
// the season then begins its cycles as if there were no heritage.
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

// amplitudeFit is a regression of the changes of a variable from block to block (y) on those of the inherited season (x).
type amplitudeFit struct {
	block      change // sums over the current block
	samples    int    // samples in it
	before     change // means over the block before it
	known      bool   // true: before is known
	xx, xy, yy float64
	weight     float64 // prior weight of the amplitude, as a sum of x x
	amplitude  float64 // 0: no season
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

// follow begins the cycles of a series with the heritage, and updates the amplitudes with the last sample. It reports
// whether they changed so much that the remainder has to be computed again.
func (h *heritage) follow(s *autoSeries) (changed bool) {
	q := s.seasons
	switch {
	case q.spacing == 0:
		return false
	case !q.same(q.spacing, float64(h.spacing)) || q.count >= 2*h.cycles[len(h.cycles)-1].period: // a heavier model may inherit it until then
		q.heritage = nil
		return false
	case !h.begun:
		h.begin(s)
		return false
	case !h.fitting:
		return false
	}
	first := q.ofSpan(h.cycles[0].span)
	if first == nil || !first.heir {
		h.fitting = false
		return false
	}
	y := s.past.Lag(0)
	for j := range h.fits {
		x := 0.
		for _, c := range q.cycles {
			if c.heir {
				x += float64(c.At(0)[j])
			}
		}
		if f := &h.fits[j]; f.add(x, y[j], first.period) {
			f.fit(s.typicalStep(j))
			changed = h.scale(q, j) || changed
		}
	}
	if h.fitting = first.run < first.period-1; !h.fitting {
		for j := range h.fits {
			if f := &h.fits[j]; !(f.xy > heritageFits*math.Sqrt(f.xx*f.yy)) {
				f.amplitude = 0
				changed = h.scale(q, j) || changed
			}
		}
	}
	return changed
}

// begin begins the cycles of s.
func (h *heritage) begin(s *autoSeries) {
	h.begun, h.fitting = true, true
	q := s.seasons
	for _, from := range h.cycles {
		c := q.ofSpan(from.span)
		if c == nil || c.period != from.period || c.mean != nil {
			continue
		}
		c.open()
		copy(c.mean, from.shape)
		c.heir = true
	}
	for j := range h.fits {
		f := &h.fits[j]
		f.weight, f.amplitude = heritageBlocks*h.cycles[0].meanChange(j), heritagePrior*s.typicalStep(j)
		h.scale(q, j)
	}
}

// meanChange returns the mean square change of the shape of variable j from block to block.
func (c *inheritedCycle) meanChange(j int) (mean float64) {
	dim, size := len(c.shape)/c.period, c.period/evidenceBlocks
	before, first := 0., 0.
	for b := range evidenceBlocks {
		sum := 0.
		for i := range size {
			sum += float64(c.shape[(b*size+i)*dim+j]) / float64(size)
		}
		if b == 0 {
			first = sum
		} else {
			mean += (sum - before) * (sum - before)
		}
		before = sum
	}
	return (mean + (first-before)*(first-before)) / evidenceBlocks
}

// scale sets the units and shares of variable j in the inherited cycles, and reports whether the amplitude has changed by
// more than heritageChange.
func (h *heritage) scale(q *seasons, j int) (changed bool) {
	a := h.fits[j].amplitude
	for _, c := range q.cycles {
		if !c.heir {
			continue
		}
		changed = changed || math.Abs(a-c.unit[j]) > heritageChange*c.unit[j]
		c.share[j].value = 0
		if c.unit[j] = a; a > 0 && c.hasShape(j) {
			c.share[j].value = 1
		}
		c.Remember()
		c.check()
	}
	q.active = slices.ContainsFunc(q.cycles, func(c *cycle) bool { return c.active })
	return changed
}

// hasShape reports whether the shape of variable j is not 0.
func (c *cycle) hasShape(j int) bool {
	for i := j; i < len(c.mean); i += len(c.share) {
		if c.mean[i] != 0 {
			return true
		}
	}
	return false
}

// merge moves the shape of the first period towards the inherited shape, with its best amplitude, and believes the mean.
// Variables whose shapes differ keep their own. unit holds the amplitudes so far, which limit the shape of the period.
func (c *cycle) merge(inherited []float32, unit, inverse []float64) {
	merged, dim := false, len(inverse)
	for j, v := range inverse {
		if c.share[j].value == 0 {
			continue
		}
		var xx, xy, yy float64
		for i := j; i < len(inherited); i += dim {
			x := float64(inherited[i])
			xx += x * x
		}
		limit := heritageClip * unit[j] * math.Sqrt(xx/float64(c.period))
		differs := func(i int) float64 { return float64(c.mean[i])*c.unit[j] - unit[j]*float64(inherited[i]) }
		var all []float64
		for i := j; i < len(inherited); i += dim {
			all = append(all, differs(i))
		}
		level := median(all)
		own := func(i int) float64 { return unit[j]*float64(inherited[i]) + lanes.Clip(differs(i)-level, limit) }
		for i := j; i < len(inherited); i += dim {
			y := own(i)
			xy, yy = xy+float64(inherited[i])*y, yy+y*y
		}
		// A level beyond the limit means that the first period has a glitch or a step, which the next one learns as well.
		if c.share[j].value = 0; math.Abs(level) > limit || !(xy > heritageFits*math.Sqrt(xx*yy)) {
			continue
		}
		for i := j; i < len(inherited); i += dim {
			y := own(i)
			c.Set(c.mean[i-j:], j, y+heritageWeight*(xy/xx*float64(inherited[i])-y))
		}
		c.believe(j, v)
		merged = true
	}
	for i := range c.count {
		if merged {
			c.count[i] += heritagePeriods
		}
	}
}

// add adds a sample y and the season x at it to the current block, and reports whether a block has ended.
func (f *amplitudeFit) add(x, y float64, period int) (ended bool) {
	f.block.said, f.block.happened = f.block.said+x, f.block.happened+y
	f.samples++
	return f.samples*evidenceBlocks >= period
}

// fit ends a block, and sets the amplitude. Its factor is the share of the squares, with the prior, that the season
// explains. step is the typical step; 0: there is none.
func (f *amplitudeFit) fit(step float64) {
	n, prior := float64(f.samples), heritagePrior*step
	mean := change{f.block.said / n, f.block.happened / n}
	if f.known {
		dx, dy := mean.said-f.before.said, mean.happened-f.before.happened
		limit := heritageClip * prior * (math.Abs(dx) + math.Sqrt(f.weight/heritageBlocks))
		dy = lanes.Clip(dy, limit)
		f.xx, f.xy, f.yy = f.xx+dx*dx, f.xy+dx*dy, f.yy+dy*dy
	}
	f.before, f.known, f.block, f.samples = mean, true, change{}, 0
	f.amplitude = 0
	if xy := f.xy + f.weight*prior; xy > 0 {
		xx, yy := f.xx+f.weight, f.yy+f.weight*prior*prior
		f.amplitude = xy / xx * (xy * xy / (xx * yy))
	}
}

// typicalStep returns the median of the absolute steps of variable j that are not 0; 0: there are none.
func (s *autoSeries) typicalStep(j int) float64 {
	var steps []float64
	for l := range min(s.past.Count, s.past.Depth) - 1 {
		if step := math.Abs(s.past.Lag(l)[j] - s.past.Lag(l + 1)[j]); step > 0 {
			steps = append(steps, step)
		}
	}
	if len(steps) == 0 {
		return 0
	}
	return median(steps)
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

// interrupt handles a break: the next block does not follow the last one.
func (h *heritage) interrupt() {
	for j := range h.fits {
		f := &h.fits[j]
		f.block, f.samples, f.known = change{}, 0, false
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
