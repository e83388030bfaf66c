package auto

import (
	"math"
	"slices"

	"github.com/orffvar/forecaster/internal/lanes"
)

const (
	heritageBlocks  = .3 // prior weight of the amplitude, in blocks
	heritagePrior   = .7 // prior amplitude, in typical steps of the new series
	heritageClip    = 3  // limit of the change of a block and of a shape, in prior and in fitted amplitudes
	heritageFits    = .6 // smallest correlation of the changes of the first period with the season
	heritagePeriods = 2  // prior weight of the shape, in periods
	heritageWeight  = heritagePeriods / (heritagePeriods + 1.)
	heritageChange  = .1 // relative change of an amplitude for a new computation of the remainder
)

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
			f.fit(typicalStep(s.past, j))
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
		f.weight, f.amplitude = heritageBlocks*h.cycles[0].meanChange(j), heritagePrior*typicalStep(s.past, j)
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

// interrupt handles a break: the next block does not follow the last one.
func (h *heritage) interrupt() {
	for j := range h.fits {
		f := &h.fits[j]
		f.block, f.samples, f.known = change{}, 0, false
	}
}
