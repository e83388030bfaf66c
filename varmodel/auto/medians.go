package auto

import (
	"math"

	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/internal/snapshot"
)

const (
	medianFirst   = 50   // samples before forecasts of the median are compared …
	medianTrial   = 50   // … and outcomes before they count
	medianRate    = .004 // change of the median by a sample, in median deviations
	spreadRate    = .01  // relative change of the median deviation by a sample
	medianSettled = 500  // samples at a level after which both are at their smallest
	medianMemory  = 1e-3 // weight of an outcome in the comparison
	heavyTails    = 30   // mean squared error over the squared mean absolute error: 1.6 for normal errors, about n/20 for n Cauchy ones
	medianRun     = 12   // samples in a row on one side of the median: the level has moved
	leastSpread   = 1e-3 // smallest median deviation, in typical steps
)

// medians forecast one step of variables that scatter around a level with heavy tails, where squares
// have no mean, such as independent Cauchy values: what least squares say there is that of a few
// samples.
//
// A running median of each variable and the median of the deviations from it move by fixed parts of
// that deviation (stochastic approximation of quantiles, Robbins and Monro 1951). The median is the
// forecast where the errors of the mixture have heavy tails, and its own have smaller squares: a
// series whose level moves, or whose spikes the mixture knows, keeps its mixture.
type medians struct{ of []runningMedian }

type runningMedian struct {
	median, spread   float64
	count            int     // samples since the level moved
	run              int     // samples in a row above the median; negative: below
	mixture          float64 // forecast that the median is compared with
	outcomes         int     // comparisons, those at earlier levels included: a median is late where levels move
	square, absolute float64 // means of the squared and of the absolute error of the mixture, in median deviations
	own              float64 // mean of the squared error of the median
}

func newMedians(dim int) *medians { return &medians{make([]runningMedian, dim)} }

// observe learns the sample y, NaN where missing. steps are the typical steps.
func (m *medians) Observe(y, steps []float64) {
	for j, v := range y {
		if v == v {
			m.of[j].Observe(v, leastSpread*steps[j])
		}
	}
}

func (m *runningMedian) Observe(v, least float64) {
	unit := least
	if m.spread > least {
		unit = m.spread
	}
	if m.count >= medianFirst {
		m.outcomes++
		rate := lanes.Weight(float64(m.outcomes), medianMemory)
		e, own := math.Abs(v-m.mixture)/unit, (v-m.median)/unit
		m.square += rate * (e*e - m.square)
		m.absolute += rate * (e - m.absolute)
		m.own += rate * (own*own - m.own)
	}
	m.count++
	// Which side a sample is on cannot be predicted: no branches.
	above, below := oneIf(v > m.median), oneIf(v < m.median)
	m.run = (max(m.run, 0)+1)*above + (min(m.run, 0)-1)*below
	if m.count == 1 || m.run > medianRun || -m.run > medianRun {
		m.median, m.count, m.run = v, 1, 0
		return
	}
	if m.spread == 0 {
		m.spread = math.Abs(v - m.median)
	}
	rate, part := float64(spreadRate), float64(medianRate)
	if n := float64(m.count); m.count < medianSettled {
		rate, part = max(spreadRate, 3/n), max(medianRate, 2/n)
	}
	m.spread *= [...]float64{1 - min(rate, .5), 1 + rate}[oneIf(math.Abs(v-m.median) > m.spread)]
	m.median = min(max(v, m.median-unit*part), m.median+unit*part)
}

// oneIf returns 1 if b, else 0.
func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// used reports whether the median is the forecast.
func (m *runningMedian) used() bool {
	return m.count > medianFirst && m.outcomes >= medianTrial && m.square > heavyTails*m.absolute*m.absolute && m.square > m.own
}

// forecastTo replaces next, the forecast of the mixture, by the median where that is better.
func (m *medians) forecastTo(next []float64) {
	for j := range m.of {
		o := &m.of[j]
		o.mixture = next[j]
		if o.used() {
			next[j] = o.median
		}
	}
}

func (m *medians) State(c *snapshot.Codec) {
	c.Section("medians")
	for j := range m.of {
		o := &m.of[j]
		c.Index(&o.count, math.MaxInt)
		c.Int(&o.run)
		c.Index(&o.outcomes, math.MaxInt)
		for _, v := range []*float64{&o.median, &o.spread, &o.mixture, &o.square, &o.absolute, &o.own} {
			c.Float64(v)
		}
	}
}
