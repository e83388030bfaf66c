package assemble

import (
	"math"
	"slices"
	"time"

	"github.com/orffvar/forecaster/eval/snapshot"
)

// counter is the last value of a column, in a closed row, that counts something since a time.
type counter struct {
	time   int64
	value  float64 // NaN = none
	resets int64
}

// rate returns how much the counter has risen in a second, until the value v at time t that counts since a time,
// 1 = unknown. It is NaN when nobody knows: at the first value, and when the counter has begun again at an
// unknown time, as a smaller value shows.
func (k *counter) rate(v float64, t, since int64) float64 {
	before := *k
	k.time, k.value = t, v
	switch {
	case math.IsNaN(before.value) || t <= before.time:
		return math.NaN()
	case since > before.time && since < t: // it has begun again
		k.resets++
		return v / time.Duration(t-since).Seconds()
	case v < before.value:
		k.resets++
		return math.NaN()
	}
	return (v - before.value) / time.Duration(t-before.time).Seconds()
}

// startUnknown is the time since which a counter counts that says none.
const startUnknown = 1

// state transfers k.
func (k *counter) state(c *snapshot.Codec) {
	c.Int64(&k.time)
	c.Float64(&k.value)
	c.Int64(&k.resets)
}

// counts reports whether a grid may have counters.
func (a *Assembler) counts() bool { return a.c.Assembly.Rates || len(a.c.Rates) > 0 }

// newCounts returns the counters of a new series.
func (a *Assembler) newCounts() []counter {
	if a.c.Assembly != nil {
		return nil // the grid has them
	}
	return slices.Repeat([]counter{{value: math.NaN()}}, len(a.c.Rates))
}

// toRates replaces the counters in the sample of s at time t, which is in a.y.
func (a *Assembler) toRates(s *admitted, t int64) {
	for k, name := range a.c.Rates {
		if j, ok := s.vars.index[name]; ok && !math.IsNaN(a.y[j]) {
			a.y[j] = s.counts[k].rate(a.y[j], t, startUnknown)
		}
	}
}

// Resets returns how often a counter has begun again.
func (a *Assembler) Resets() (n int64) {
	for _, s := range a.series {
		for _, k := range s.counts {
			n += k.resets
		}
	}
	for _, g := range a.grids {
		for _, k := range g.counts {
			n += k.resets
		}
	}
	return n
}
