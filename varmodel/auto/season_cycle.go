package auto

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/varmodel/series"
)

const (
	shapeLimit    = 3    // limit of what a deviation moves a shape by, in standard deviations
	cycleMemory   = 20   // periods that a shape is the mean of
	shareMemory   = .97  // weight of a term of a share after the next one …
	shortPeriod   = 24   // … but for a period of fewer samples, whose share would come and go,
	shortMemory   = 4000 // samples that it remembers
	shareDistance = 5    // limit of a deviation, in standard deviations
	saidShare     = .1   // largest share from which on there is a season worth a name …
	keptShare     = .02  // … and at which there is none any more: it would come and go
	sureErrors    = 4    // standard errors of the coefficient above 0 from which on it is reported …
	sureTerms     = 2    // … with more than so many terms
)

// cycle is the mean shape of one period, of each variable. It is learnt from the
// deviation of a sample from the mean of the period that ends with it: the level may
// wander, and a constant shape adds nothing to it.
type cycle struct {
	period int   // samples
	span   int64 // ns; 0: phases are counted
	given  bool  // it is configured: believed until the samples say otherwise
	free   bool  // the search has found it

	phase  int       // of the last sample
	run    int       // samples since the last break
	learnt int       // deviations
	count  []uint8   // of each phase: deviations, at most cycleMemory; nil until a period is complete
	mean   []float32 // period x dim: shape in units; nil until a period is complete
	none   []float32 // zeros: the shape until then
	unit   []float64 // of each variable: a power of two near its first standard deviation, 1 for none
	prior  []float64 // shape at the last sample, from before that was learnt
	total  []float64 // sum of the last period
	fresh  []float64 // sum since run was a multiple of the period: total has no rounding errors of long ago
	share  []share   // of each variable
	active bool      // a share is above 0
	said   bool      // a share is large enough to speak of a season …
	sure   bool      // … and to report it: it is no chance
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

// setFree marks a cycle that the search has found: it has to prove more.
func (c *cycle) setFree() {
	c.free = true
	for j := range c.share {
		t := &c.share[j].slope
		t.least, t.smallest, t.short = freeTerms, freeShare, false
	}
}

// soon reports whether the cycle may count before its slope does: by the clock, of a day or longer. The rise of
// a morning repeats within each hour.
func (c *cycle) soon() bool { return !c.free && c.span >= daySpan }

// phaseOf is the phase at a time, which may be before 1970.
func (c *cycle) phaseOf(ns int64) int {
	turn := float64((ns%c.span+c.span)%c.span) / float64(c.span)
	return int(math.Round(turn*float64(c.period))) % c.period
}

// open makes room for the shape.
func (c *cycle) open() {
	c.count, c.mean = make([]uint8, c.period), make([]float32, c.period*len(c.prior))
}

// At is the shape in units k samples after the last one, or before it: a view.
func (c *cycle) At(k int) []float32 {
	if c.mean == nil {
		return c.none
	}
	phase := (c.phase + k) % c.period
	if phase < 0 {
		phase += c.period
	}
	d := len(c.prior)
	return c.mean[phase*d : (phase+1)*d]
}

// shapeAt adds the shape k samples after the last one to dst.
func (c *cycle) shapeAt(dst []float64, k int) {
	for j, v := range c.At(k) {
		if c.share[j].value > 0 {
			dst[j] += float64(v) * c.unit[j]
		}
	}
}

// Step moves on to the sample y at the given phase. old is the sample one period
// before, nil if there is none since the break.
func (c *cycle) Step(phase int, y, old []float64) {
	c.phase = phase
	c.run++
	for j, v := range y {
		c.fresh[j] += v
		c.total[j] += v
	}
	for j, v := range old {
		c.total[j] -= v
	}
	if c.run%c.period == 0 {
		copy(c.total, c.fresh)
		clear(c.fresh)
	}
	c.Remember()
}

// Remember copies the shape at the last sample.
func (c *cycle) Remember() {
	for j, v := range c.At(0) {
		c.prior[j] = float64(v) * c.unit[j]
	}
}

// Set changes an element of the shape, mean[j], to v.
func (c *cycle) Set(mean []float32, j int, v float64) {
	mean[j] = float32(series.ClipTo(v/c.unit[j], -math.MaxFloat32, math.MaxFloat32))
}

// begin takes the first period for the shape: lag(i) is the sample i before the
// present one. The shorter cycles are at phases back samples after it.
func (c *cycle) begin(lag func(i int) []float64, shorter []*cycle, back int, inverse []float64) {
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
	c.learnt = c.period
	c.Remember()
}

// change changes the sample of variable j at a lag in the sums and in the shape.
func (c *cycle) change(lag, j int, by float64) {
	if lag < c.learnt {
		mean, phase := c.At(-lag), ((c.phase-lag)%c.period+c.period)%c.period
		c.Set(mean, j, float64(mean[j])*c.unit[j]+by/float64(c.count[phase]))
	}
	if lag < min(c.run, c.period) {
		c.total[j] += by
	}
	if lag < c.run%c.period {
		c.fresh[j] += by
	}
}

// learn learns the sample y where it was observed; the shorter cycles explain others.
func (c *cycle) learn(y, others, inverse []float64, observed []bool) {
	mean := c.At(0)
	if c.count[c.phase] < cycleMemory {
		c.count[c.phase]++
	}
	rate, perPeriod := 1/float64(c.count[c.phase]), 1/float64(c.period)
	for j, v := range y {
		v -= c.total[j]*perPeriod + others[j]
		p := float64(mean[j]) * c.unit[j]
		if !observed[j] {
			c.share[j].add(0, 0, c.given, c.soon(), false)
			continue
		}
		c.share[j].add(p*inverse[j], v*inverse[j], c.given, c.soon(), true)
		if inverse[j] > 0 {
			limit := shapeLimit / inverse[j]
			v = series.ClipTo(v, p-limit, p+limit)
		}
		c.Set(mean, j, p+rate*(v-p))
	}
	c.learnt++
}

// check sets active, said and sure.
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

// strength is the sum of the shares.
func (c *cycle) strength() (sum float64) {
	for j := range c.share {
		sum += c.share[j].value
	}
	return sum
}

// interrupt is for a break: the sums of a period begin again.
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
	if s.Bool(&c.free); c.free {
		c.setFree()
	}
	s.Index(&c.phase, c.period)
	s.Int(&c.run)
	s.Int(&c.learnt)
	if s.Decoding() && c.learnt > 0 && s.Err() == nil {
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

// slope is the share of what is said that is worth taking: the regression coefficient
// of what happened on what was said, less its standard error, which is the larger the
// fewer terms there are. Neighbouring outcomes are alike, so a whole number of periods
// make one term. Where nothing repeats itself the share is 0.
type slope struct {
	every           int     // outcomes of a term
	short           bool    // what is the same in all outcomes of a term, the trend of a longer season, is left out
	memory          float64 // weight of a term after the next one
	outcomes        int
	product, square float64 // of the term that is not complete
	said, happened  float64 // sums of that term
	pp, ps, ss      float64 // sums over the terms: product^2, product square, square^2,
	sum, n          float64 // square, 1
	least           float64 // terms before there is a share
	smallest        float64 // share that is none
	value           float64
}

// add takes what was said and what happened, in standard deviations. A given cycle is
// believed until there are two terms. It reports whether a term has ended.
func (t *slope) add(said, happened float64, given bool) (ended bool) {
	t.product += said * happened
	t.square += said * said
	t.said, t.happened = t.said+said, t.happened+happened
	if t.outcomes++; t.outcomes < t.every {
		return false
	}
	p, s := t.product, t.square
	if t.short {
		k := float64(t.every)
		p, s = p-t.said*t.happened/k, s-t.said*t.said/k
	}
	t.said, t.happened = 0, 0
	m := t.memory
	t.pp, t.ps, t.ss, t.sum, t.n = m*t.pp+p*p, m*t.ps+p*s, m*t.ss+s*s, m*t.sum+s, m*t.n+1
	t.outcomes, t.product, t.square = 0, 0, 0
	t.value = 0
	n := t.n
	if t.short {
		n = t.equalTerms() // a few large ones would have a small standard error
	}
	switch {
	case t.ss <= 0:
	case n > t.least:
		b, se := t.regression(n)
		if t.value = series.ClipTo(b-(1+2/n)*se, 0, 1); t.value < t.smallest {
			t.value = 0
		}
	case given:
		t.value = series.ClipTo(t.ps/t.ss, 0, 1)
	}
	return true
}

// equalTerms is the number of equal terms that would have the weight of those there are.
func (t *slope) equalTerms() float64 { return t.sum * t.sum / t.ss }

// regression returns the coefficient and its standard error with n terms.
func (t *slope) regression(n float64) (b, se float64) {
	b = t.ps / t.ss
	return b, math.Sqrt(max(t.pp-b*t.ps, 0) / t.ss / (n - 1))
}

// sure reports whether the share is no chance.
func (t *slope) sure() bool {
	if t.ss <= 0 {
		return false
	}
	n := t.equalTerms()
	b, se := t.regression(n)
	return n > sureTerms && b > sureErrors*(1+2/n)*se
}

func (t *slope) State(c *snapshot.Codec) {
	c.Index(&t.outcomes, t.every)
	for _, v := range []*float64{&t.product, &t.square, &t.said, &t.happened, &t.pp, &t.ps, &t.ss, &t.sum, &t.n, &t.value} {
		c.Float64(v)
	}
}
