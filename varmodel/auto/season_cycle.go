package auto

import (
	"math"
	"slices"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/varmodel/series"
)

const (
	shapeLimit    = 3    // limit of |deviation - shape| in the update of the shape, in standard deviations
	cycleMemory   = 20   // largest number of periods in the mean of a shape
	shareMemory   = .97  // weight of a term of a slope after the next term, for periods >= shortPeriod
	shortPeriod   = 24   // samples; with shareMemory, the share of a shorter period would be unsteady
	shortMemory   = 4000 // memory of the slope of a shorter period, in samples
	shareDistance = 8    // limit of the forecasts and outcomes that a share learns, in standard deviations
	saidShare     = .1   // cycle.said begins when the largest share exceeds saidShare,
	keptShare     = .02  // and ends when the largest share is at most keptShare; the distance prevents frequent switching
	sureErrors    = 4    // slope.sure needs a coefficient of more than sureErrors standard errors,
	sureTerms     = 2    // and more than sureTerms equal terms
)

// cycle holds the mean shape of one period for each variable. The shape is the mean deviation of a sample from the
// mean of the period that ends with the sample. The level may therefore drift, and a constant does not change
// the shape.
type cycle struct {
	period int   // samples
	span   int64 // length in ns, for phases from times; 0: phases are counted in samples
	given  bool  // true: configured, believed until the samples contradict it
	free   bool  // true: found by the search
	heir   bool  // true: mean is inherited from older series, see heritage; false after the first period

	phase  int       // phase of the last sample. Invariant: 0 <= phase < period
	day    int64     // day of the last sample since 1970, for a cycle of the month only
	run    int       // samples since the last break
	learnt int       // number of deviations learnt
	count  []uint8   // period: number of deviations, at most cycleMemory; nil until a period is complete
	mean   []float32 // period x dim: shape in units; nil until a period is complete
	none   []float32 // dim: zeros, the shape while mean is nil
	unit   []float64 // dim: power of two near the standard deviation when the cycle began; 1 if the standard deviation is 0
	prior  []float64 // dim: shape at the last sample, before the update with the sample
	total  []float64 // dim: sum of the last period samples
	fresh  []float64 // dim: sum of the last run mod period samples; replaces total after each period, without rounding errors
	share  []share   // dim
	active bool      // true: a share is > 0
	said   bool      // true: a share is large enough for a season; see saidShare
	sure   bool      // true: said, and statistically significant at least once; the season is reported
}

func newCycle(dim, period int) *cycle {
	v := make([]float64, 4*dim)
	c := &cycle{
		period: period,
		prior:  v[:dim:dim], total: v[dim : 2*dim : 2*dim], fresh: v[2*dim : 3*dim : 3*dim], unit: v[3*dim:],
		none:  make([]float32, dim),
		share: make([]share, dim),
	}
	for j := range c.share {
		t := &c.share[j].slope
		t.every, t.least, t.memory = period, naturalTerms, shareMemory
		if period < shortPeriod {
			t.memory, t.short = 1-float64(period)/shortMemory, true
		}
	}
	return c
}

// setFree marks a cycle found by the search. Such a cycle needs more evidence than others.
func (c *cycle) setFree() {
	c.free = true
	for j := range c.share {
		t := &c.share[j].slope
		t.least, t.smallest, t.short = freeTerms, freeShare, false
	}
}

// soon reports whether the evidence may give the cycle a share before the slope does. The result is true only
// for cycles of the clock of a day or longer. A shorter cycle can seem to repeat while a whole morning rises.
func (c *cycle) soon() bool { return !c.free && c.span >= daySpan }

// move moves the cycle to the next sample. ns is the time of the sample; 0: not known.
func (c *cycle) move(ns int64) {
	if c.span > 0 && ns != 0 {
		c.place(ns)
		return
	}
	c.phase = c.phaseAfter(1)
	c.day++
}

// place moves the cycle to the time ns, in ns since 1970, which may be negative.
func (c *cycle) place(ns int64) {
	if c.span == monthSpan {
		c.day = int64(math.Floor(float64(ns) / daySpan))
		c.phase = c.phaseAfter(0)
		return
	}
	turn := float64((ns%c.span+c.span)%c.span) / float64(c.span)
	c.phase = int(math.Round(turn*float64(c.period))) % c.period
}

// phaseAfter returns the phase k samples after the last sample (k < 0: before).
func (c *cycle) phaseAfter(k int) int {
	if c.span == monthSpan {
		return MonthPhase(c.day + int64(k))
	}
	phase := c.phase + k
	if phase >= 0 && phase < c.period { // usually, and a division is slow
		return phase
	}
	if phase %= c.period; phase < 0 {
		phase += c.period
	}
	return phase
}

// open allocates count and mean.
func (c *cycle) open() {
	c.count, c.mean = make([]uint8, c.period), make([]float32, c.period*len(c.prior))
}

// At returns a view of the shape k samples after the last sample (k < 0: before), dim, in units.
func (c *cycle) At(k int) []float32 {
	if c.mean == nil {
		return c.none
	}
	phase, d := c.phaseAfter(k), len(c.prior)
	return c.mean[phase*d : (phase+1)*d]
}

// shapeAt adds the shape k samples after the last sample to dst, for variables with a share > 0.
func (c *cycle) shapeAt(dst []float64, k int) {
	for j, v := range c.At(k) {
		if c.share[j].value > 0 {
			dst[j] += float64(v) * c.unit[j]
		}
	}
}

// Step updates the sums with the sample y. Call move first. old is the sample one period before y; nil: that sample is
// not in the sums.
func (c *cycle) Step(y, old []float64) {
	c.run++
	fresh, total := c.fresh[:len(y)], c.total[:len(y)]
	for j, v := range y {
		fresh[j] += v
		total[j] += v
	}
	if old != nil {
		for j := range total {
			total[j] -= old[j]
		}
	}
	if c.run%c.period == 0 {
		copy(c.total, c.fresh)
		clear(c.fresh)
	}
	c.Remember()
}

// Remember sets prior to the shape at the last sample.
func (c *cycle) Remember() {
	mean := c.At(0)
	prior, unit := c.prior[:len(mean)], c.unit[:len(mean)]
	for j, v := range mean {
		prior[j] = float64(v) * unit[j]
	}
}

// Set sets mean[j], an element of the shape in units, to the value v.
func (c *cycle) Set(mean []float32, j int, v float64) {
	mean[j] = float32(series.ClipTo(v/c.unit[j], -math.MaxFloat32, math.MaxFloat32))
}

// begin sets the shape from the first period. lag(i) is the sample i before the present sample. The shorter
// cycles are back samples ahead of the present sample.
func (c *cycle) begin(lag func(i int) []float64, shorter []*cycle, back int, inverse []float64) {
	inherited, unit := c.mean, slices.Clone(c.unit)
	c.open()
	for j, v := range inverse {
		if c.unit[j] = 1; v > 0 {
			_, exponent := math.Frexp(1 / v)
			c.unit[j] = math.Ldexp(1, exponent)
		}
	}
	others := make([]float64, len(c.prior))
	for i := range c.period {
		clear(others)
		for _, o := range shorter {
			o.shapeAt(others, -i-back)
		}
		mean := c.At(-i)
		for j, v := range lag(i) {
			c.Set(mean, j, v-c.total[j]/float64(c.period)-others[j])
		}
	}
	for i := range c.count {
		c.count[i] = 1
	}
	if c.given { // believed at once
		for j := range c.share {
			c.share[j].value = 1
		}
	}
	if c.heir {
		c.merge(inherited, unit, inverse)
		c.heir = false
	}
	c.learnt = c.period
	c.Remember()
}

// change updates the sums and the shape after by was added to the sample of variable j at a lag.
func (c *cycle) change(lag, j int, by float64) {
	if lag < c.learnt {
		mean, phase := c.At(-lag), c.phaseAfter(-lag)
		c.Set(mean, j, float64(mean[j])*c.unit[j]+by/float64(c.count[phase]))
	}
	if lag < min(c.run, c.period) {
		c.total[j] += by
	}
	if lag < c.run%c.period {
		c.fresh[j] += by
	}
}

// learn updates shape and shares with the observed values of the sample y, and reports whether a share may have changed.
// others is the sum of the shapes of shorter cycles, and inverse holds 1 / standard deviation (0 for constant variables),
// dim each.
func (c *cycle) learn(y, others, inverse []float64, observed []bool) (changed bool) {
	mean, now, next := c.At(0), c.count[c.phase], c.count[c.phaseAfter(1)]
	if now < cycleMemory {
		c.count[c.phase]++
	}
	rate, perPeriod := 1/float64(c.count[c.phase]), 1/float64(c.period)
	n := len(y)
	mean, unit, total, shares := mean[:n], c.unit[:n], c.total[:n], c.share[:n]
	others, inverse, observed = others[:n], inverse[:n], observed[:n]
	for j, v := range y {
		s := &shares[j]
		if observed[j] {
			v -= total[j]*perPeriod + others[j]
			p := float64(mean[j]) * unit[j]
			said := series.ClipTo(p*inverse[j], -shareDistance, shareDistance)
			happened := series.ClipTo(v*inverse[j], -shareDistance, shareDistance)
			s.evidence.add(said, happened, float64(now))
			s.slope.add(said, happened)
			if inverse[j] > 0 {
				limit := shapeLimit / inverse[j]
				v = series.ClipTo(v, p-limit, p+limit)
			}
			c.Set(mean, j, p+rate*(v-p))
		}
		if block, term := s.passes(); block || term {
			s.end(block, term, next, c.given, c.soon())
			changed = true
		}
	}
	c.learnt++
	return changed
}

// check sets active, said and sure from the shares.
func (c *cycle) check() {
	var largest float64
	for j := range c.share {
		s := &c.share[j]
		largest = max(largest, s.value)
		c.sure = c.sure || s.sure(c.given)
	}
	c.active = largest > 0
	c.said = largest > saidShare || c.said && largest > keptShare
	c.sure = c.sure && c.said
}

// failed reports whether a cycle of the search has had enough periods for a share, and has none.
func (c *cycle) failed() bool { return c.free && !c.active && c.learnt >= freeTrial*c.period }

// strength returns the sum of the shares.
func (c *cycle) strength() (sum float64) {
	for j := range c.share {
		sum += c.share[j].value
	}
	return sum
}

// interrupt handles a break: the sums begin again.
func (c *cycle) interrupt() {
	c.run = 0
	clear(c.total)
	clear(c.fresh)
	for j := range c.share {
		c.share[j].evidence.interrupt()
	}
}

func (c *cycle) State(s *snapshot.Codec) {
	s.Int64(&c.span)
	s.Bool(&c.given)
	s.Bool(&c.said)
	s.Bool(&c.sure)
	s.Bool(&c.heir)
	if s.Bool(&c.free); c.free {
		c.setFree()
	}
	s.Index(&c.phase, c.period)
	s.Int64(&c.day)
	s.Int(&c.run)
	s.Int(&c.learnt)
	if s.Decoding() && (c.learnt > 0 || c.heir) && s.Err() == nil {
		c.open()
	}
	for i := range c.count {
		n := int(c.count[i])
		s.Index(&n, cycleMemory+1)
		c.count[i] = uint8(n)
	}
	s.Float32s(c.mean)
	for _, v := range [][]float64{c.unit, c.prior, c.total, c.fresh} {
		s.Float64s(v)
	}
	for j := range c.share {
		c.share[j].State(s)
	}
}
